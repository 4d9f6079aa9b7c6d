//! The built binary when things end early: Ctrl-C, a kill, a time limit, a stopping rule; and going
//! on afterwards, here or on other machines.

#![forbid(unsafe_code)]
#![cfg(target_os = "linux")]
#![allow(missing_docs)]

mod binary;

use alacrypt_lab::session::Event;
use binary::{Folder, expect_code, lab, lives, load, runs_so_far, signal, start, stderr, wait_for};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::time::Duration;

#[test]
fn a_run_that_hangs_is_ended_with_its_whole_tree() {
    let folder = Folder::new();
    let out = folder.at("s");
    let hang = "a=setsid sleep 98761.1 & sleep 98761.2";
    let output = lab(&[
        "run",
        "-n",
        hang,
        "--shell",
        "--allow-noise",
        "--runs",
        "1",
        "--warmup",
        "0",
        "--run-timeout",
        "0.3s",
        "--out",
        &out,
    ]);
    expect_code(&output, 4);
    assert!(
        load(&out).failures()[0]
            .fail
            .as_deref()
            .unwrap()
            .contains("time limit")
    );
    assert!(!lives("98761.1") && !lives("98761.2"));
}

#[test]
fn the_first_ctrl_c_ends_after_the_run_and_resume_goes_on() {
    let folder = Folder::new();
    let out = folder.at("s");
    let child = start(&[
        "run",
        "-n",
        "a=sleep 0.2",
        "-n",
        "b=sleep 0.2",
        "--runs",
        "4",
        "--warmup",
        "0",
        "--seed",
        "3",
        "--out",
        &out,
    ]);
    // In the middle of the second round.
    wait_for("the third run", || {
        (runs_so_far(&out).len() >= 3).then_some(())
    });
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    expect_code(&output, 130);
    let said = stderr(&output);
    assert!(
        said.contains("--resume") && said.contains("Ctrl-C again"),
        "{said}"
    );
    let session = load(&out);
    assert!(
        session.failures().is_empty(),
        "the current run was let to its end"
    );
    assert!(matches!(
        session.events.last(),
        Some(Event::Interrupted { .. })
    ));
    assert!(session.runs.len() < 8);
    let output = lab(&["run", "--resume", &out]);
    assert_ne!(output.status.code(), Some(2), "{}", stderr(&output));
    let session = load(&out);
    assert!(session.is_finished());
    let mut rounds: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for run in session.measurements() {
        rounds.entry(run.round).or_default().push(&run.arm);
    }
    assert_eq!(rounds.len(), 4);
    assert!(
        rounds.values().all(|arms| arms.len() == 2),
        "each round once and whole: {rounds:?}"
    );
    let seqs: Vec<u64> = session.runs.iter().map(|run| run.seq).collect();
    assert!(seqs.windows(2).all(|pair| pair[0] < pair[1]), "{seqs:?}");
    let starts: Vec<u64> = session.runs.iter().map(|run| run.start_ns).collect();
    assert!(starts[0] < starts[starts.len() - 1]);
    // There is nothing left to resume.
    let output = lab(&["run", "--resume", &out]);
    expect_code(&output, 2);
}

#[test]
fn what_is_set_up_is_taken_away_and_set_up_again_on_resume() {
    let folder = Folder::new();
    let (out, made) = (folder.at("s"), folder.at("made"));
    let (setup, cleanup) = (format!("mkdir '{made}'"), format!("rmdir '{made}'"));
    let check = format!("test -d '{made}'");
    let child = start(&[
        "run",
        "-n",
        "a=sleep 0.2",
        "-n",
        "b=sleep 0.2",
        "--setup",
        &setup,
        "--prepare",
        &check,
        "--cleanup",
        &cleanup,
        "--runs",
        "4",
        "--warmup",
        "0",
        "--out",
        &out,
    ]);
    wait_for("the second run", || {
        (runs_so_far(&out).len() >= 2).then_some(())
    });
    // The second kills the run; the cleanup comes after it all the same.
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(60));
    signal(&child, "INT");
    expect_code(&child.wait_with_output().unwrap(), 130);
    assert!(!std::path::Path::new(&made).exists(), "cleaned up");
    let output = lab(&["run", "--resume", &out, "--allow-noise"]);
    assert!(
        matches!(output.status.code(), Some(0)),
        "{}",
        stderr(&output)
    );
    let session = load(&out);
    assert!(session.is_finished() && session.failures().is_empty());
    assert!(!std::path::Path::new(&made).exists(), "cleaned up again");
}

#[test]
fn an_interrupt_before_the_plan_cleans_up_and_a_failed_cleanup_loses_nothing() {
    let folder = Folder::new();
    let (out, made) = (folder.at("s"), folder.at("made"));
    let (setup, cleanup) = (format!("mkdir '{made}'"), format!("rmdir '{made}'"));
    // Without --runs the first round decides how many there are.
    let child = start(&[
        "run",
        "-n",
        "a=sleep 98764.1",
        "--setup",
        &setup,
        "--cleanup",
        &cleanup,
        "--out",
        &out,
    ]);
    wait_for("the sleep", || lives("98764.1").then_some(()));
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, "INT");
    expect_code(&child.wait_with_output().unwrap(), 130);
    assert!(!std::path::Path::new(&made).exists());
    let output = lab(&[
        "run",
        "-n",
        "a=true",
        "-n",
        "b=true",
        "--runs",
        "6",
        "--cleanup",
        "exit 3",
        "--out",
        &out,
        "--allow-noise",
    ]);
    expect_code(&output, 4);
    let said = stderr(&output);
    assert!(
        said.contains("--cleanup") && said.contains("exit code 3"),
        "{said}"
    );
    assert!(String::from_utf8_lossy(&output.stdout).contains("ratio of times"));
}

#[test]
fn a_plan_that_was_changed_is_not_resumed() {
    let folder = Folder::new();
    let out = folder.at("s");
    let child = start(&[
        "run",
        "-n",
        "a=sleep 0.1",
        "-n",
        "b=sleep 0.1",
        "--runs",
        "5",
        "--warmup",
        "0",
        "--out",
        &out,
    ]);
    wait_for("the second run", || {
        (runs_so_far(&out).len() >= 2).then_some(())
    });
    signal(&child, "INT");
    expect_code(&child.wait_with_output().unwrap(), 130);
    let path = format!("{out}/plan.json");
    let plan = std::fs::read_to_string(&path).unwrap();
    let changed = plan.replace("\"0.1\"", "\"0.11\"");
    assert_ne!(plan, changed);
    std::fs::write(&path, changed).unwrap();
    let output = lab(&["run", "--resume", &out]);
    expect_code(&output, 2);
    assert!(
        stderr(&output).contains("plan.json was changed"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_second_ctrl_c_kills_the_tree() {
    let folder = Folder::new();
    let out = folder.at("s");
    let command = "a=setsid sleep 98762.1 & sleep 98762.2";
    let child = start(&[
        "run", "-n", command, "--shell", "--runs", "3", "--warmup", "0", "--out", &out,
    ]);
    wait_for("both sleeps", || {
        (lives("98762.1") && lives("98762.2")).then_some(())
    });
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(400));
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    expect_code(&output, 130);
    assert!(!lives("98762.1") && !lives("98762.2"));
    let session = load(&out);
    assert!(session.runs.is_empty(), "a killed run is no measurement");
    assert!(matches!(
        session.events.last(),
        Some(Event::Interrupted { .. })
    ));
}

#[test]
fn nothing_survives_a_lab_that_is_killed() {
    let folder = Folder::new();
    let out = folder.at("s");
    let mut child = start(&[
        "run",
        "-n",
        "a=sleep 98763.1",
        "--runs",
        "3",
        "--warmup",
        "0",
        "--out",
        &out,
    ]);
    wait_for("the sleep", || lives("98763.1").then_some(()));
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for("the end of the sleep", || (!lives("98763.1")).then_some(()));
}

#[test]
fn resume_refuses_other_binaries_unless_forced() {
    let folder = Folder::new();
    let (out, tool) = (folder.at("s"), folder.at("tool"));
    std::fs::write(&tool, "#!/bin/sh\nsleep 0.1\n").unwrap();
    assert!(
        Command::new("chmod")
            .args(["+x", &tool])
            .status()
            .unwrap()
            .success()
    );
    let command = format!("a={tool}");
    let child = start(&[
        "run",
        "-n",
        &command,
        "-n",
        "b=sleep 0.1",
        "--runs",
        "4",
        "--warmup",
        "0",
        "--out",
        &out,
    ]);
    wait_for("the second run", || {
        (runs_so_far(&out).len() >= 2).then_some(())
    });
    signal(&child, "INT");
    expect_code(&child.wait_with_output().unwrap(), 130);
    std::fs::write(&tool, "#!/bin/sh\nsleep 0.1 # changed\n").unwrap();
    let output = lab(&["run", "--resume", &out]);
    expect_code(&output, 2);
    assert!(
        stderr(&output).contains("other bytes"),
        "{}",
        stderr(&output)
    );
    let output = lab(&["run", "--resume", &out, "--force"]);
    assert_ne!(output.status.code(), Some(2), "{}", stderr(&output));
    let session = load(&out);
    assert_eq!(session.environments.len(), 2);
    let last = session.runs.last().unwrap().seq;
    assert_eq!((session.stratum(0), session.stratum(last)), (1, 2));
}

#[test]
fn shards_share_an_id_and_cover_all_rounds() {
    let folder = Folder::new();
    let mut rounds = Vec::new();
    let mut ids = BTreeSet::new();
    for index in 1..=3 {
        let out = folder.at(&format!("s{index}"));
        let shard = format!("{index}/3");
        lab(&[
            "run", "-n", "a=true", "-n", "b=true", "--runs", "20", "--seed", "9", "--shard",
            &shard, "--out", &out,
        ]);
        let session = load(&out);
        ids.insert(session.plan.id.clone());
        let own: BTreeSet<u32> = session.measurements().iter().map(|run| run.round).collect();
        rounds.extend(own);
    }
    assert_eq!(ids.len(), 1);
    rounds.sort_unstable();
    assert_eq!(rounds, (1..=20).collect::<Vec<u32>>());
    // The parts are one measurement again, with all samples.
    let parts: Vec<String> = (1..=3)
        .map(|index| folder.at(&format!("s{index}")))
        .collect();
    let csv = folder.at("all.csv");
    let output = lab(&["report", &parts[0], &parts[1], &parts[2], "--csv", &csv]);
    assert!(
        matches!(output.status.code(), Some(0 | 3)),
        "{}",
        stderr(&output)
    );
    let lines = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(lines.lines().count(), 1 + 2 * 20, "{lines}");
}

#[test]
fn stopping_rules_and_time_end_early_and_say_so() {
    let folder = Folder::new();
    let out = folder.at("width");
    lab(&[
        "run",
        "-n",
        "a=sleep 0.03",
        "-n",
        "b=sleep 0.03",
        "--runs",
        "60",
        "--until",
        "width=50%",
        "--out",
        &out,
    ]);
    let session = load(&out);
    assert!(
        session.measurements().len() < 120,
        "a wide width is reached early"
    );
    assert!(session.events.iter().any(|e| matches!(e, Event::Stopped { rule, round, .. } if rule.contains("width") && *round >= 10)));
    let out = folder.at("time");
    lab(&[
        "run",
        "-n",
        "a=sleep 0.1",
        "-n",
        "b=sleep 0.1",
        "--runs",
        "500",
        "--max-time",
        "1s",
        "--out",
        &out,
    ]);
    let session = load(&out);
    assert!(session.measurements().len() < 200);
    assert!(session.is_finished());
}

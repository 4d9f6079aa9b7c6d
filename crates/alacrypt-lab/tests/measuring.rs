//! The built binary measuring: benchmark files, commands, failures, accounting, doctor.

#![forbid(unsafe_code)]
#![cfg(target_os = "linux")]
#![allow(missing_docs)]

mod binary;

use alacrypt_lab::session::Event;
use binary::{Folder, LAB, bench_dir, expect_code, lab, load, stderr};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

#[test]
fn benchmark_files_run_unedited_and_rows_have_nodes_names() {
    let folder = Folder::new();
    let (out, bench) = (folder.at("s"), bench_dir());
    let output = lab(&[
        "compare",
        "node",
        "node",
        "--bench-dir",
        bench.to_str().unwrap(),
        "crypto",
        "--runs",
        "4",
        "--warmup",
        "1",
        "--aa",
        "--seed",
        "5",
        "--out",
        &out,
    ]);
    let session = load(&out);
    assert!(session.failures().is_empty(), "{:?}", session.failures());
    let mut per_row: BTreeMap<(String, String), BTreeSet<u32>> = BTreeMap::new();
    for run in session.measurements() {
        assert!(run.rate.is_some_and(|rate| rate > 0.0) && run.time_s.is_some());
        per_row
            .entry((run.row_name(), run.arm.clone()))
            .or_default()
            .insert(run.round);
    }
    let rows: BTreeSet<&str> = per_row.keys().map(|(row, _)| row.as_str()).collect();
    assert_eq!(
        rows.into_iter().collect::<Vec<_>>(),
        [
            "crypto/add.js n=10000 type=\"it's\"",
            "crypto/add.js n=10000 type='plain'",
            "crypto/add.js n=20000 type=\"it's\"",
            "crypto/add.js n=20000 type='plain'",
            "crypto/one.js n=10000",
        ]
    );
    // Five rows, three arms (old, new, the copy of old), four rounds each.
    assert_eq!(per_row.len(), 15);
    assert!(
        per_row
            .values()
            .all(|rounds| rounds.iter().eq(&[1, 2, 3, 4]))
    );
    let copy = session
        .plan
        .arms
        .iter()
        .find(|arm| arm.copy_of.is_some())
        .unwrap();
    assert_eq!(
        (copy.name.as_str(), copy.copy_of.as_deref()),
        ("old-copy", Some("old"))
    );
    assert_eq!(
        session.plan.arms[0].binary.as_ref().unwrap().sha256.len(),
        64
    );
    assert!(session.is_finished());
    // Measured without failures; the analysis may still distrust so few rounds.
    assert!(
        matches!(output.status.code(), Some(0 | 3)),
        "{}",
        stderr(&output)
    );
}

#[test]
fn set_and_filter_choose_what_runs() {
    let folder = Folder::new();
    let (out, bench) = (folder.at("s"), bench_dir());
    let output = lab(&[
        "compare",
        "node",
        "node",
        "--bench-dir",
        bench.to_str().unwrap(),
        "crypto",
        "--filter",
        "add",
        "--set",
        "n=300",
        "--set",
        "type=plain",
        "--runs",
        "1",
        "--warmup",
        "0",
        "--out",
        &out,
        "--new-args",
        "--no-warnings --stack-size=900",
    ]);
    let session = load(&out);
    let rows: BTreeSet<String> = session
        .measurements()
        .iter()
        .map(|r| r.row_name())
        .collect();
    assert_eq!(
        rows.into_iter().collect::<Vec<_>>(),
        ["crypto/add.js n=300 type='plain'"]
    );
    assert_eq!(
        session.plan.arms[1].argv[1..],
        ["--no-warnings", "--stack-size=900"]
    );
    assert_ne!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn failing_benchmarks_lose_only_themselves_and_are_counted() {
    let folder = Folder::new();
    let (out, bench) = (folder.at("s"), bench_dir());
    let output = lab(&[
        "compare",
        "node",
        "node",
        "--bench-dir",
        bench.to_str().unwrap(),
        "bad",
        "crypto/one.js",
        "--allow-noise",
        "--runs",
        "2",
        "--out",
        &out,
    ]);
    expect_code(&output, 4);
    let session = load(&out);
    let why = |bench: &str| -> BTreeSet<String> {
        let of = session
            .failures()
            .into_iter()
            .filter(|run| run.bench == bench);
        of.filter_map(|run| run.fail.clone()).collect()
    };
    assert_eq!(
        why("bad/throws.js").into_iter().collect::<Vec<_>>(),
        ["exit code 1: TypeError: the second one fails"]
    );
    assert!(
        why("bad/nan.js")
            .first()
            .unwrap()
            .contains("not a finite number")
    );
    assert!(
        why("bad/silent.js")
            .first()
            .unwrap()
            .contains("reported nothing")
    );
    let rows: BTreeSet<String> = session
        .measurements()
        .iter()
        .map(|r| r.row_name())
        .collect();
    // What was reported before the failure stays.
    assert!(
        rows.contains("bad/throws.js n=1") && rows.contains("bad/nan.js n=2"),
        "{rows:?}"
    );
    assert!(rows.contains("crypto/one.js n=10000"));
    // Only the file that never reports is given up.
    let skipped: Vec<&str> = session
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Skipped { bench, .. } => Some(bench.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(skipped, ["bad/silent.js"]);
}

#[test]
fn wrong_input_is_a_message_and_exit_code_2() {
    let folder = Folder::new();
    let empty = folder.at("empty");
    std::fs::create_dir(&empty).unwrap();
    let bench = bench_dir();
    let bench = bench.to_str().unwrap();
    for (arguments, expected) in [
        (
            vec!["compare", "./no/such/node", "node", "--bench-dir", bench],
            "no/such/node",
        ),
        (
            vec!["compare", "node", "node", "--bench-dir", &empty],
            "holds no benchmark",
        ),
        (
            vec!["compare", "node", "node", "--bench-dir", "/no/such/dir"],
            "/no/such/dir",
        ),
        (
            vec!["compare", "node", "node", "--bench-dir", bench, "tls"],
            "crypto",
        ),
        (
            vec!["run", "-n", "a=no-such-program-here"],
            "no-such-program-here",
        ),
        (vec!["run", "-n", "a=true | false"], "--shell"),
        (
            vec!["run", "-n", "a=true", "-n", "a=false"],
            "two arms are named a",
        ),
        (
            vec!["run", "-n", "a=true", "--base", "b"],
            "there is no such arm",
        ),
        (vec!["run", "-n", "a=true", "--resume", &empty], "plan.json"),
        (
            vec![
                "run", "-n", "a=true", "--shard", "1/2", "--until", "decided",
            ],
            "--until fixed",
        ),
    ] {
        let output = lab(&arguments);
        expect_code(&output, 2);
        assert!(
            stderr(&output).contains(expected),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn a_failing_command_does_not_end_the_session() {
    let folder = Folder::new();
    let out = folder.at("s");
    // Fails in its second run of five (warm-up included).
    let flag = folder.at("flag");
    let flaky = format!("a=if [ -e {flag} ]; then rm {flag}; echo broken >&2; exit 7; fi");
    let arguments = [
        "run",
        "-n",
        "b=true",
        "-n",
        &flaky,
        "--shell",
        "--allow-noise",
        "--runs",
        "4",
        "--out",
        &out,
        "--conclude",
        ":",
        "--conclude",
    ];
    let make_once = format!("[ -e {flag}.made ] || {{ touch {flag}; touch {flag}.made; }}");
    let output = Command::new(LAB)
        .args(arguments)
        .arg(&make_once)
        .output()
        .unwrap();
    expect_code(&output, 4);
    let session = load(&out);
    let failures = session.failures();
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(
        (failures[0].exit, failures[0].fail.as_deref()),
        (7, Some("exit code 7: broken"))
    );
    assert_eq!(session.measurements().len(), 7);
    assert!(session.is_finished());
    // The same exit code can be declared fine.
    let again = folder.at("again");
    let output = lab(&[
        "run",
        "-n",
        "a=sh -c 'exit 7'",
        "--allow-noise",
        "--runs",
        "2",
        "--on-fail",
        "ignore=7",
        "--out",
        &again,
    ]);
    assert!(load(&again).failures().is_empty());
    assert_ne!(output.status.code(), Some(4), "{}", stderr(&output));
}

#[test]
fn on_fail_stop_ends_with_what_was_measured() {
    let folder = Folder::new();
    let out = folder.at("s");
    let output = lab(&[
        "run",
        "-n",
        "a=true",
        "-n",
        "b=false",
        "--allow-noise",
        "--runs",
        "5",
        "--on-fail",
        "stop",
        "--out",
        &out,
    ]);
    expect_code(&output, 4);
    let session = load(&out);
    assert_eq!(session.failures().len(), 1);
    assert!(matches!(
        session.events.last(),
        Some(Event::Interrupted { .. })
    ));
}

#[test]
fn prepare_and_friends_run_around_each_run() {
    let folder = Folder::new();
    let (out, log) = (folder.at("s"), folder.at("log"));
    let say = |word: &str| format!("echo {word} >> {log}");
    let output = lab(&[
        "run",
        "-n",
        "a=true",
        "-n",
        "b=true",
        "--allow-noise",
        "--runs",
        "1",
        "--warmup",
        "0",
        "--order",
        "fixed",
        "--setup",
        &say("setup"),
        "--prepare",
        &say("pa"),
        "--prepare",
        &say("pb"),
        "--conclude",
        &say("c"),
        "--cleanup",
        &say("cleanup"),
        "--out",
        &out,
    ]);
    assert_ne!(output.status.code(), Some(2), "{}", stderr(&output));
    let words = std::fs::read_to_string(&log).unwrap();
    assert_eq!(
        words.split_whitespace().collect::<Vec<_>>(),
        ["setup", "pa", "c", "pb", "c", "cleanup"]
    );
    // A preparation that fails makes the run invalid, not the session.
    let bad = folder.at("bad");
    let output = lab(&[
        "run",
        "-n",
        "a=true",
        "--allow-noise",
        "--runs",
        "2",
        "--prepare",
        "exit 3",
        "--out",
        &bad,
    ]);
    expect_code(&output, 4);
    assert!(
        load(&bad).failures()[0]
            .fail
            .as_deref()
            .unwrap()
            .contains("--prepare")
    );
}

#[test]
fn work_of_detached_grandchildren_is_counted() {
    let folder = Folder::new();
    let out = folder.at("s");
    let busy = "setsid sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done' &";
    lab(&[
        "run",
        "-n",
        &format!("a={busy}"),
        "--shell",
        "--runs",
        "1",
        "--warmup",
        "0",
        "--out",
        &out,
    ]);
    let session = load(&out);
    let run = session.measurements()[0].clone();
    let cpu_us = run.user_us.unwrap() + run.sys_us.unwrap();
    // The shell itself needs one or two milliseconds.
    assert!(cpu_us > 30_000, "{run:?}");
    assert!(run.tree_ns.unwrap() > run.wall_ns.unwrap(), "{run:?}");
}

#[test]
fn a_private_network_has_only_loopback_or_says_why_not() {
    let folder = Folder::new();
    let out = folder.at("s");
    let listen = "const n=require('net');const s=n.createServer(c=>c.end('x'.repeat(5000)));\
                  s.listen(0,'127.0.0.1',()=>{n.connect(s.address().port,'127.0.0.1').on('data',()=>{}).on('close',()=>s.close())})";
    let command = format!("a=node -e \"{listen}\"");
    let output = lab(&[
        "run", "-n", &command, "--net", "none", "--runs", "1", "--warmup", "0", "--out", &out,
    ]);
    let session = load(&out);
    let scope = session.environments[0].net_scope.clone().unwrap();
    let run = session.measurements()[0].clone();
    let net = run.net.unwrap();
    if scope.starts_with("none") {
        assert_eq!(net.scope, "none");
        assert!(net.rx > 5000 && net.rx == net.tx, "{net:?}");
    } else {
        assert!(
            stderr(&output).contains("share the machine's network"),
            "{}",
            stderr(&output)
        );
        assert_eq!(net.scope, "host");
    }
}

#[test]
fn dry_run_runs_nothing() {
    let folder = Folder::new();
    let (out, mark) = (folder.at("s"), folder.at("mark"));
    let output = lab(&[
        "run",
        "-n",
        &format!("a=touch {mark}"),
        "--runs",
        "30",
        "--dry-run",
        "--out",
        &out,
    ]);
    expect_code(&output, 0);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("2 % → 1.47 %"), "{text}");
    assert!(!Path::new(&out).exists() && !Path::new(&mark).exists());
}

#[test]
fn doctor_answers_and_its_json_is_complete() {
    let output = lab(&["doctor", "--seconds", "2", "--json", "-"]);
    assert!(
        matches!(output.status.code(), Some(0 | 3)),
        "{}",
        stderr(&output)
    );
    let findings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(findings["smallest_30"].as_f64().unwrap() > 0.0);
    assert!(findings["rounds"].as_u64().unwrap() >= 6);
    assert_eq!(
        findings["trustworthy"].as_bool().unwrap(),
        output.status.code() == Some(0)
    );
}

//! `phases` with the built binary: states of folders, cells that do not count, interrupts.

#![forbid(unsafe_code)]
// A helper that fails should fail where it stands.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![cfg(target_os = "linux")]
#![allow(missing_docs)]

mod binary;

use binary::{Folder, expect_code, lab, load, runs_so_far, signal, start, stderr, wait_for};
use std::path::Path;

/// Two installers that keep a store and write a lock file, and three phases.
const FILE: &str = r#"
controls = ["warm"]
[project]
dir = "project"

[[subject]]
name = "good"
cmd.install = "cp list lock && mkdir -p modules && cp list modules/a && cp list \"$LAB_CACHE/stored\""
cmd.locked = "test -f lock && mkdir modules && cp list modules/a && sleep 0.0$(test -f \"$LAB_CACHE/stored\" || echo 3)"
env.SEEN = "{cache}"
lockfile = "lock"
modules = "modules"

[[subject]]
name = "other"
cmd.install = "cp list lock && mkdir -p modules && cp list modules/a && cp list \"$LAB_CACHE/stored\""
cmd.locked = "test -f lock && test \"$LAB_PHASE\" = warm && test -f \"$LAB_CACHE/stored\""
lockfile = "lock"
modules = "modules"

[[phase]]
name = "cold"
cmd = "install"
wipe = ["cache", "modules", "lock"]

[[phase]]
name = "locked"
cmd = "locked"
wipe = ["cache", "modules"]
restore = ["lock"]

[[phase]]
name = "warm"
cmd = "locked"
wipe = ["modules"]
restore = ["lock", "cache"]
"#;

fn folder(file: &str) -> (Folder, String) {
    let folder = Folder::new();
    std::fs::create_dir(folder.at("project")).unwrap();
    std::fs::write(folder.at("project/list"), "a list\n").unwrap();
    let path = folder.at("f.toml");
    std::fs::write(&path, file).unwrap();
    (folder, path)
}

fn phases(file: &str, more: &[&str]) -> std::process::Output {
    let mut words = vec!["phases", file, "--allow-noise"];
    if !more.contains(&"--runs") {
        words.extend(["--runs", "3"]);
    }
    words.extend(more);
    lab(&words)
}

#[test]
fn each_run_begins_in_its_phase_and_a_failing_cell_is_named_while_the_rest_goes_on() {
    let (folder, file) = folder(FILE);
    let [out, md, html, json] = ["s", "r.md", "r.html", "r.json"].map(|name| folder.at(name));
    let output = phases(
        &file,
        &["--out", &out, "--md", &md, "--html", &html, "--json", &json],
    );
    expect_code(&output, 4);
    let session = load(&out);
    // `other` fails in the phase `locked` three times, and nowhere else.
    let failed: Vec<(&str, &str)> = session
        .failures()
        .iter()
        .map(|run| (run.bench.as_str(), run.arm.as_str()))
        .collect();
    assert_eq!(failed, [("locked", "other"); 3]);
    assert_eq!(session.measurements().len(), 15);
    for run in session.measurements() {
        let sizes = run.foot.as_ref().unwrap();
        assert_eq!(run.phase.as_deref(), Some(run.bench.as_str()));
        assert_eq!(sizes["lock"], 7, "{run:?}");
        let stored = if run.bench == "locked" { 0 } else { 7 };
        assert_eq!(sizes["cache"], stored, "{run:?}");
    }
    assert!(session.is_finished());
    let terminal = String::from_utf8(output.stdout).unwrap();
    let markdown = std::fs::read_to_string(md).unwrap();
    let page = std::fs::read_to_string(html).unwrap();
    assert!(
        terminal.contains("## cold\nPM         wall      ±σ"),
        "{terminal}"
    );
    assert!(
        markdown.contains("| PM | vCtx | iCtx | netRX"),
        "{markdown}"
    );
    for text in [&terminal, &markdown, &page] {
        let named = "invalid: other, locked: 3 of 3 runs do not count: exit code 1";
        assert!(text.contains(named), "{text}");
    }
    assert!(page.contains("wall time in warm") && page.contains(">invalid</text>"));
    // What a page holds is shown again just so.
    let again = lab(&["report", &folder.at("r.html"), "--allow-noise"]);
    assert_eq!(String::from_utf8(again.stdout).unwrap(), terminal);
    assert!(
        std::fs::read_to_string(json)
            .unwrap()
            .contains("size_modules")
    );
}

#[test]
fn a_prepare_step_that_fails_is_named_and_counted() {
    let broken = FILE.replace(
        "name = \"cold\"\n",
        "name = \"cold\"\nprepare = \"pwd | grep -q good || { echo no luck >&2; exit 3; }\"\n",
    );
    let (folder, file) = folder(&broken);
    let out = folder.at("s");
    let output = phases(&file, &["--out", &out, "--filter", "cold"]);
    expect_code(&output, 4);
    let session = load(&out);
    let why: Vec<&str> = session
        .failures()
        .iter()
        .filter_map(|run| run.fail.as_deref())
        .collect();
    assert_eq!(why.len(), 3);
    assert!(
        why[0].contains("prepare: ") && why[0].contains("no luck"),
        "{}",
        why[0]
    );
    assert_eq!(session.measurements().len(), 3);
    assert!(
        stderr(&output).contains("other, cold, round 1"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn an_install_that_cannot_seed_a_phase_makes_its_cell_invalid() {
    let broken = FILE.replacen("cp list lock &&", "true lock &&", 1);
    let (folder, file) = folder(&broken);
    let out = folder.at("s");
    expect_code(&phases(&file, &["--out", &out, "--filter", "warm"]), 4);
    let session = load(&out);
    let failed = session.failures();
    assert_eq!(failed.len(), 3);
    let why = failed[0].fail.as_deref().unwrap();
    assert!(
        failed[0].arm == "good" && why.contains("the install left no"),
        "{why}"
    );
    assert_eq!(session.measurements().len(), 3);
}

#[test]
fn traffic_that_contradicts_a_phase_makes_its_cell_invalid() {
    let limited = FILE.replace(
        "name = \"cold\"\n",
        "name = \"cold\"\nexpect.net_rx_min = \"1K\"\n",
    );
    let (folder, file) = folder(&limited);
    let out = folder.at("s");
    let args = ["--out", &out, "--filter", "cold", "--net", "none"];
    expect_code(&phases(&file, &args), 4);
    let session = load(&out);
    let why = session.failures()[0].fail.clone().unwrap();
    assert!(why.contains("receives at least 1024"), "{why}");
}

#[test]
fn an_interrupted_session_goes_on_and_keeps_its_folders() {
    let slow = FILE.replace(
        "cmd.install = \"cp list",
        "cmd.install = \"sleep 0.2; cp list",
    );
    let (folder, file) = folder(&slow);
    let out = folder.at("s");
    let args = [
        "phases",
        &file,
        "--runs",
        "2",
        "--allow-noise",
        "--exclude",
        "locked",
        "--out",
        &out,
    ];
    let child = start(&args);
    wait_for("two runs", || (runs_so_far(&out).len() >= 2).then_some(()));
    signal(&child, "INT");
    expect_code(&child.wait_with_output().unwrap(), 130);
    let before = runs_so_far(&out);
    assert!(!load(&out).is_finished());
    expect_code(&lab(&["phases", "--resume", &out, "--allow-noise"]), 0);
    let session = load(&out);
    assert!(session.is_finished());
    assert_eq!(session.runs[..before.len()], before[..]);
    assert_eq!(session.measurements().len(), 8);
    assert!(Path::new(&out).join("work/good/project/list").is_file());
}

#[test]
fn a_file_that_is_wrong_is_named_with_its_line() {
    let (folder, file) = folder("\n[[subject]]\nname = 3\n");
    let output = phases(&file, &["--out", &folder.at("s")]);
    expect_code(&output, 2);
    assert!(stderr(&output).contains("f.toml:3"), "{}", stderr(&output));
}

#[test]
fn a_control_phase_that_moves_is_told() {
    let text = r#"
controls = ["p"]
subject = [{ name = "a", cmd.go = "sleep 0.02" }, { name = "b", cmd.go = "sleep 0.06" }]
phase = [{ name = "p", cmd = "go" }]
"#;
    let told = "the control phase p moved for b";
    for (text, expected) in [
        (text.to_owned(), true),
        (text.replace("[\"p\"]", "[]"), false),
    ] {
        let (folder, file) = folder(&text);
        let project = folder.at("s");
        let output = phases(&file, &["--out", &project, "--runs", "6"]);
        expect_code(&output, 0);
        let shown = String::from_utf8(output.stdout).unwrap();
        assert_eq!(shown.contains(told), expected, "{shown}");
    }
}

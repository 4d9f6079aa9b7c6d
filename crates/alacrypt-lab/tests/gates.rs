//! What a session says of itself: noise gate, secondary figures, early stops.

#![forbid(unsafe_code)]
// Clippy sees test code only where `#[test]` stands; helpers may fail a test too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::path::Path;

use common::binary::{arg, file, lab};
use common::fake::{Fake, PLAIN, report};
use common::number;
use serde_json::{Value, json};

/// Rewrites a session's events: a stretch in which others used this share of the CPU time.
fn disturbed(dir: &Path, others: f64, steal: f64) {
    let events = [
        json!({"event": "begin", "from_seq": 0, "unix_s": 1, "environment": 1}),
        json!({"event": "machine", "seconds": 20.0, "environment": 1, "steal_share": steal,
               "other_cpu_share": others, "pressure_share": 0.4}),
        json!({"event": "finished", "runs": 40, "failed": 0}),
    ];
    let lines: Vec<String> = events.iter().map(Value::to_string).collect();
    file(dir, "events.jsonl", lines.join("\n") + "\n");
}

#[test]
fn a_machine_shared_with_much_else_is_not_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let dir = PLAIN.write(folder.path(), "s");
    for (others, steal, code, part) in [
        (0.02, 0.0, 0, "Noise gate passes"),
        (0.41, 0.0, 3, "other programs used 41 % of the CPU time"),
        (0.0, 0.11, 3, "the hypervisor took 11 % of the CPU time"),
    ] {
        disturbed(&dir, others, steal);
        for form in [&[][..], &["--md", "-"], &["--html", "-"], &["--json", "-"]] {
            let called = lab(&[&["report", arg(&dir)], form].concat());
            assert_eq!(called.code, code, "{form:?}: {}", called.stdout);
            assert!(called.stdout.contains(part), "{form:?}: {}", called.stdout);
            if code == 3 && form != ["--json", "-"] {
                let banner = called.stdout.to_lowercase();
                assert!(banner.contains("do not trust this session"), "{form:?}");
            }
        }
    }
    let waved = lab(&["report", arg(&dir), "--allow-noise"]);
    assert_eq!(waved.code, 0, "{}", waved.stdout);
    assert!(
        waved.stdout.contains("would fail, but --allow-noise"),
        "{}",
        waved.stdout
    );
}

#[test]
fn a_busy_sibling_is_told_where_runs_were_kept_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let dir = PLAIN.write(folder.path(), "s");
    disturbed(&dir, 0.02, 0.0);
    let told = "the other thread of a core that runs used was busy in 37 %";
    assert!(!lab(&["report", arg(&dir)]).stdout.contains("other thread"));
    let events = std::fs::read_to_string(dir.join("events.jsonl")).unwrap();
    let with = events.replace(
        "\"pressure_share\"",
        "\"sibling_busy_share\":0.37,\"pressure_share\"",
    );
    assert_ne!(events, with);
    file(&dir, "events.jsonl", with);
    for form in [&[][..], &["--md", "-"], &["--html", "-"]] {
        let called = lab(&[&["report", arg(&dir)], form].concat());
        assert!(called.stdout.contains(told), "{form:?}: {}", called.stdout);
    }
    // A report of a report keeps it.
    let json = folder.path().join("r.json");
    lab(&["report", arg(&dir), "--json", arg(&json)]);
    assert!(lab(&["report", arg(&json)]).stdout.contains(told));
}

#[test]
fn a_control_in_the_same_rounds_answers_for_a_noisy_machine() {
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake {
        rows: 3,
        copy: Some(1.0),
        ..PLAIN
    };
    let dir = fake.write(folder.path(), "s");
    disturbed(&dir, 0.6, 0.0);
    let called = lab(&["report", arg(&dir)]);
    assert_eq!(called.code, 0, "{}", called.stdout);
    assert!(
        called.stdout.contains("would fail, but the A/A control"),
        "{}",
        called.stdout
    );
    // One that fails itself answers for nothing.
    let leaning = Fake {
        copy: Some(1.05),
        ..fake
    }
    .write(folder.path(), "leaning");
    disturbed(&leaning, 0.6, 0.0);
    let called = lab(&["report", arg(&leaning)]);
    assert_eq!(called.code, 3);
    assert!(
        called.stdout.contains("Noise gate FAILS"),
        "{}",
        called.stdout
    );
}

/// Adds the accounting of each run: the new arm needs a tenth more memory, and sometimes faults.
fn accounted(dir: &Path) {
    let runs = std::fs::read_to_string(dir.join("runs.jsonl")).unwrap();
    let mut lines = Vec::new();
    for (index, line) in runs.lines().enumerate() {
        let run: Value = serde_json::from_str(line).unwrap();
        let new = run["arm"] == "new";
        let wobble = (index * 37 % 11) as u64;
        let mut whole = run.clone();
        whole.as_object_mut().unwrap().remove("config");
        whole["rate"] = Value::Null;
        whole["wall_ns"] = json!(1_000_000_000_u64);
        whole["user_us"] = json!(900_000 + wobble * 1000);
        whole["maxrss_kib"] = json!(if new { 44_000 } else { 40_000 } + wobble * 10);
        whole["majflt"] = json!(if new && index % 5 == 0 { 3 } else { 0 });
        whole["nvcsw"] = json!(0);
        lines.push(whole.to_string());
        lines.push(line.to_owned());
    }
    file(dir, "runs.jsonl", lines.join("\n") + "\n");
}

#[test]
fn secondary_figures_have_their_own_family_and_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let dir = PLAIN.write(folder.path(), "s");
    accounted(&dir);
    let (_, json) = report(&dir, &[]);
    let figure = |key: &str| {
        let all = json["report"]["figures"].as_array().unwrap();
        all.iter().find(|row| row["key"] == key).cloned()
    };
    let memory = figure("rss_bytes").unwrap();
    let effect = &memory["arms"][0]["effect"];
    assert_eq!(effect["basis"], "crossover");
    assert!((number(&effect["ratio"]) - 1.1).abs() < 0.01, "{effect}");
    assert!(number(&memory["arms"][0]["p_holm"]) < 1e-6);
    assert!(number(&figure("user_s").unwrap()["arms"][0]["p_holm"]) > 0.05);
    // A figure that is often zero has means, and a ratio only where both sides have something.
    assert!(figure("majflt").unwrap()["arms"][0]["effect"].is_null());
    // The main family does not grow.
    assert_eq!(json["report"]["footer"]["tested"], 1);
    let terminal = lab(&["report", arg(&dir)]).stdout;
    let line = terminal
        .lines()
        .find(|line| line.starts_with("RSS, largest process"));
    assert!(line.is_some_and(|line| line.ends_with("***")), "{terminal}");
    let page = lab(&["report", arg(&dir), "--html", "-"]).stdout;
    assert!(page.contains("CPU time, memory, traffic"));
    assert!(!page.contains("vCtx"), "what never happened has no row");
    // The way back keeps them.
    let saved = file(folder.path(), "r.html", page);
    assert_eq!(lab(&["report", arg(&saved)]).stdout, terminal);
}

#[test]
fn early_stops_say_by_which_look() {
    let folder = tempfile::tempdir().unwrap();
    let dir = PLAIN.write(folder.path(), "s");
    let events = [
        json!({"event": "begin", "from_seq": 0, "unix_s": 1, "environment": 1}),
        json!({"event": "stopped", "bench": "b00.js", "rule": "decided at look 2 of 4", "round": 20}),
        json!({"event": "finished", "runs": 40, "failed": 0}),
    ];
    let lines: Vec<String> = events.iter().map(Value::to_string).collect();
    file(&dir, "events.jsonl", lines.join("\n") + "\n");
    let told =
        "b00.js was ended early, decided at look 2 of 4: the effect is likely a little large";
    let shown = lab(&["report", arg(&dir)]).stdout;
    assert!(shown.contains(told), "{shown}");
}

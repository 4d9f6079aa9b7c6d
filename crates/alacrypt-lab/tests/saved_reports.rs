//! Saved sessions shown again: verdicts, control, merging, comparing, and every way back.

#![forbid(unsafe_code)]
// Clippy sees test code only where `#[test]` stands; helpers may fail a test too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::path::{Path, PathBuf};

use alacrypt_lab::stats::bootstrap::SplitMix64;
use common::binary::{arg, file, lab, refuses};
use common::{number, numbers};
use serde_json::{Value, json};

/// A session that never ran, with effects that are known.
#[derive(Clone)]
struct Fake {
    id: &'static str,
    rows: usize,
    rounds: u32,
    /// Rate of the new arm over the old one's.
    effect: f64,
    /// Rate of the copy over the old one's; no copy when `None`.
    copy: Option<f64>,
    /// Rate of whoever runs second over whoever runs first.
    second: f64,
    /// Relative noise of one run.
    noise: f64,
    /// Growth of the speed from the first round to the last.
    drift: f64,
    /// Speed of the machine.
    machine: f64,
    seed: u64,
    finished: bool,
}

const PLAIN: Fake = Fake {
    id: "plan-a",
    rows: 1,
    rounds: 20,
    effect: 1.0,
    copy: None,
    second: 1.0,
    noise: 0.005,
    drift: 0.05,
    machine: 1.0,
    seed: 1,
    finished: true,
};

impl Fake {
    fn write(&self, folder: &Path, name: &str) -> PathBuf {
        let dir = folder.join(name);
        std::fs::create_dir_all(&dir).unwrap();
        let mut names = vec!["old", "new"];
        names.extend(self.copy.map(|_| "old-copy"));
        let arms: Vec<Value> = names
            .iter()
            .map(|name| match *name {
                "old-copy" => json!({"name": name, "argv": ["node"], "copy_of": "old"}),
                _ => json!({"name": name, "argv": ["node"]}),
            })
            .collect();
        let cells: Vec<Value> = (0..self.rows)
            .map(|row| json!({"bench": format!("b{row:02}.js"), "metric": "rate"}))
            .collect();
        let plan = json!({
            "v": 1, "tool": "alacrypt-lab 0.1.0", "kind": "compare", "id": self.id, "seed": 1,
            "order": "balanced", "rounds": self.rounds, "warmup_rounds": 0,
            "until": {"rule": "fixed"}, "delta": 0.01, "base": "old",
            "arms": arms, "cells": cells, "schedule": [],
        });
        file(&dir, "plan.json", plan.to_string());
        file(
            &dir,
            "env.json",
            json!({"v": 1, "cpu_model": "Test CPU", "cpus": 2}).to_string(),
        );
        file(&dir, "runs.jsonl", self.runs(&names));
        let last = if self.finished {
            "{\"event\":\"finished\",\"runs\":1,\"failed\":0}\n"
        } else {
            ""
        };
        file(
            &dir,
            "events.jsonl",
            format!(
                "{{\"event\":\"begin\",\"from_seq\":0,\"unix_s\":1,\"environment\":1}}\n{last}"
            ),
        );
        dir
    }

    fn runs(&self, names: &[&str]) -> String {
        let mut random = SplitMix64::new(self.seed);
        // Sum of twelve uniform numbers less six: near enough to a normal one.
        let mut normal = move || {
            (0..12)
                .map(|_| random.below(1 << 20) as f64 / f64::from(1 << 20))
                .sum::<f64>()
                - 6.0
        };
        let (mut lines, mut seq) = (String::new(), 0_u64);
        for round in 1..=self.rounds {
            for row in 0..self.rows {
                // The machine drifts over the session, whoever runs.
                let drift = 1.0 + self.drift * f64::from(round) / f64::from(self.rounds);
                // Two arms turn round in each round; three go through all six orders.
                let orders: &[[usize; 3]] = if names.len() == 2 {
                    &[[0, 1, 0], [1, 0, 0]]
                } else {
                    &[
                        [0, 1, 2],
                        [2, 1, 0],
                        [1, 2, 0],
                        [0, 2, 1],
                        [2, 0, 1],
                        [1, 0, 2],
                    ]
                };
                let order = orders[(round as usize + row) % orders.len()];
                for (slot, arm) in order.into_iter().enumerate().take(names.len()) {
                    let effect = [1.0, self.effect, self.copy.unwrap_or(1.0)][arm];
                    let place = if slot > 0 { self.second } else { 1.0 };
                    let rate = 1000.0
                        * (row + 1) as f64
                        * self.machine
                        * drift
                        * effect
                        * place
                        * (1.0 + self.noise * normal());
                    lines += &json!({
                        "v": 1, "seq": seq, "round": round, "slot": slot, "arm": names[arm],
                        "bench": format!("b{row:02}.js"), "config": "n=1", "start_ns": seq * 1_000_000,
                        "exit": 0, "rate": rate, "time_s": 1.0,
                        "noise": {"steal_ticks": seq % 3, "psi_cpu_us": 1000},
                    })
                    .to_string();
                    lines.push('\n');
                    seq += 1;
                }
            }
        }
        lines
    }
}

fn report(dir: &Path, extra: &[&str]) -> (i32, Value) {
    let mut arguments = vec!["report", arg(dir), "--json", "-"];
    arguments.extend(extra);
    let called = lab(&arguments);
    let value = serde_json::from_str(&called.stdout);
    (
        called.code,
        value.unwrap_or_else(|fault| panic!("{fault}: {}", called.stderr)),
    )
}

#[test]
fn a_small_gain_is_found_under_drift_and_a_position_effect() {
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake {
        effect: 1.02,
        second: 0.97,
        drift: 0.5,
        ..PLAIN
    };
    let (code, found) = report(&fake.write(folder.path(), "s"), &[]);
    assert_eq!(code, 0);
    let row = &found["report"]["rows"][0];
    assert_eq!(row["verdict"]["word"], "faster", "{row}");
    assert_eq!(row["effect"]["basis"], "crossover");
    let [low, high] = numbers(&row["effect"]["interval95"])[..] else {
        unreachable!()
    };
    assert!(
        low < 1.02 && 1.02 < high && high - low < 0.01,
        "{low} {high}"
    );
    let position = number(&row["effect"]["position"]["ratio"]);
    assert!((position - 0.97).abs() < 0.01, "{position}");
    assert!(
        found["report"]["warnings"]
            .to_string()
            .contains("running second"),
        "{found}"
    );
    // Welch, which sees the drift as noise, cannot tell.
    let (_, welch) = report(&folder.path().join("s"), &["--method", "welch"]);
    assert_eq!(welch["report"]["rows"][0]["verdict"]["word"], "cannot-tell");
}

#[test]
fn identical_arms_are_the_same_within_delta_and_noisy_ones_are_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let (_, quiet) = report(
        &Fake {
            noise: 0.002,
            ..PLAIN
        }
        .write(folder.path(), "quiet"),
        &[],
    );
    assert_eq!(quiet["report"]["rows"][0]["verdict"]["word"], "same");
    let (_, noisy) = report(
        &Fake {
            noise: 0.08,
            ..PLAIN
        }
        .write(folder.path(), "noisy"),
        &[],
    );
    let verdict = &noisy["report"]["rows"][0]["verdict"];
    assert_eq!(verdict["word"], "cannot-tell");
    assert!(number(&verdict["needs"]) > 20.0, "{verdict}");
}

#[test]
fn a_quiet_control_of_forty_rows_passes_and_claims_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake {
        rows: 40,
        rounds: 24,
        copy: Some(1.0),
        noise: 0.02,
        second: 0.99,
        ..PLAIN
    };
    let (code, found) = report(&fake.write(folder.path(), "s"), &[]);
    assert_eq!(code, 0, "{}", found["report"]["control"]);
    let control = &found["report"]["control"];
    assert_eq!(
        (&control["rows"], &control["small_limit"]),
        (&json!(40), &json!(6))
    );
    assert!(number(&control["floor"]) < 0.03);
    assert_eq!(found["report"]["footer"]["survive_holm"], 0);
    let words = found["report"]["rows"].to_string();
    assert!(!words.contains("\"faster\"") && !words.contains("\"slower\""));
}

#[test]
fn a_control_that_leans_fails_with_its_own_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake {
        rows: 12,
        copy: Some(0.98),
        ..PLAIN
    };
    let dir = fake.write(folder.path(), "s");
    let (code, found) = report(&dir, &[]);
    assert_eq!(code, 3);
    assert!(
        found["report"]["control"]["failures"]
            .to_string()
            .contains("leans one way")
    );
    for (flag, words) in [
        ("--md", "Do not trust this session"),
        ("--html", "Do not trust this session"),
    ] {
        assert!(
            lab(&["report", arg(&dir), flag, "-"])
                .stdout
                .contains(words)
        );
    }
    let called = lab(&["report", arg(&dir)]);
    assert_eq!(called.code, 3);
    assert!(
        called.stdout.contains("A/A control FAILS"),
        "{}",
        called.stdout
    );
}

#[test]
fn a_gain_inside_the_floor_of_identical_code_is_not_claimed() {
    let folder = tempfile::tempdir().unwrap();
    // One row: the floor is the far end of the control's interval.
    let fake = Fake {
        effect: 1.012,
        copy: Some(1.0),
        noise: 0.01,
        rounds: 60,
        ..PLAIN
    };
    let (_, found) = report(&fake.write(folder.path(), "s"), &[]);
    let row = &found["report"]["rows"][0];
    assert!(number(&row["p_corrected"]) < 0.05, "{row}");
    let [low, _] = numbers(&row["effect"]["interval95"])[..] else {
        unreachable!()
    };
    let floor = number(&found["report"]["control"]["floor"]);
    assert_eq!(
        row["verdict"]["word"] == "faster",
        low > 1.0 + floor,
        "{low} {floor}"
    );
}

#[test]
fn regressions_beyond_the_threshold_end_with_one() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Fake {
        effect: 0.95,
        rows: 3,
        ..PLAIN
    }
    .write(folder.path(), "s");
    for (limit, code) in [("3%", 1), ("5%", 0), ("10%", 0)] {
        let called = lab(&["report", arg(&dir), "--max-regression", limit]);
        assert_eq!(called.code, code, "{limit}: {}", called.stdout);
    }
    // Times are worse when larger, rates when smaller; Welch's own test says the same.
    for method in ["welch", "paired", "mwu"] {
        let called = lab(&[
            "report",
            arg(&dir),
            "--max-regression",
            "1%",
            "--method",
            method,
        ]);
        assert_eq!(called.code, 1, "{method}: {}", called.stdout);
        let called = lab(&[
            "report",
            arg(&dir),
            "--max-regression",
            "20%",
            "--method",
            method,
        ]);
        assert_eq!(called.code, 0, "{method}: {}", called.stdout);
    }
}

#[test]
fn shards_merge_with_the_machine_as_a_block() {
    let folder = tempfile::tempdir().unwrap();
    // Machines of very different speed: pooled samples would drown a 2 % gain.
    let one = Fake {
        effect: 1.02,
        rounds: 12,
        rows: 2,
        ..PLAIN
    };
    let two = Fake {
        machine: 3.0,
        seed: 2,
        ..one.clone()
    };
    let (first, second) = (one.write(folder.path(), "1"), two.write(folder.path(), "2"));
    let called = lab(&["report", arg(&first), arg(&second), "--json", "-"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let merged: Value = serde_json::from_str(&called.stdout).unwrap();
    for row in merged["report"]["rows"].as_array().unwrap() {
        assert_eq!(row["verdict"]["word"], "faster", "{row}");
        assert_eq!(row["effect"]["n"], 24.0);
        let [low, high] = numbers(&row["effect"]["interval95"])[..] else {
            unreachable!()
        };
        assert!(low < 1.02 && 1.02 < high, "{low} {high}");
        assert!(number(&row["effect"]["machines_p"]) > 0.001);
    }
    // Independent samples stay blocked by machine too.
    let called = lab(&[
        "report",
        arg(&first),
        arg(&second),
        "--method",
        "welch",
        "--json",
        "-",
    ]);
    let welch: Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(
        welch["report"]["rows"][0]["effect"]["basis"],
        "welch-by-machine"
    );
    assert!(number(&welch["report"]["rows"][0]["effect"]["log_se"]) < 0.05);
    // The order in which parts are given does not matter for the effect.
    let called = lab(&["report", arg(&second), arg(&first), "--json", "-"]);
    let turned: Value = serde_json::from_str(&called.stdout).unwrap();
    let ratio = |value: &Value| number(&value["report"]["rows"][0]["effect"]["ratio"]);
    assert!((ratio(&merged) - ratio(&turned)).abs() < 1e-12);
}

#[test]
fn machines_that_disagree_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let one = Fake {
        effect: 1.10,
        ..PLAIN
    }
    .write(folder.path(), "1");
    let two = Fake {
        effect: 0.95,
        seed: 2,
        ..PLAIN
    }
    .write(folder.path(), "2");
    let called = lab(&["report", arg(&one), arg(&two)]);
    assert!(
        called.stdout.contains("the machines disagree"),
        "{}",
        called.stdout
    );
}

#[test]
fn sessions_of_different_plans_are_compared_not_pooled() {
    let folder = tempfile::tempdir().unwrap();
    let one = Fake {
        effect: 1.10,
        rows: 2,
        ..PLAIN
    }
    .write(folder.path(), "1");
    let two = Fake {
        effect: 1.02,
        rows: 2,
        id: "plan-b",
        seed: 2,
        ..PLAIN
    }
    .write(folder.path(), "2");
    let three = Fake {
        effect: 1.10,
        rows: 2,
        id: "plan-c",
        seed: 5,
        ..PLAIN
    }
    .write(folder.path(), "3");
    let called = lab(&["report", arg(&one), arg(&two)]);
    assert_eq!(called.code, 0);
    assert_eq!(
        called.stdout.matches(" changed ").count(),
        2,
        "{}",
        called.stdout
    );
    let called = lab(&["report", arg(&one), arg(&three)]);
    assert_eq!(
        called.stdout.matches("no change shown").count(),
        2,
        "{}",
        called.stdout
    );
    refuses(
        &lab(&["report", arg(&one), arg(&two), "--html", "-"]),
        2,
        &["one plan", "these are 2"],
    );
}

#[test]
fn every_saved_form_shows_the_same_report() {
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake {
        rows: 3,
        copy: Some(1.0),
        effect: 1.03,
        ..PLAIN
    };
    let dir = fake.write(folder.path(), "s");
    let direct = lab(&["report", arg(&dir), "--wide", "--robust"]);
    assert_eq!(direct.code, 0, "{}", direct.stdout);
    assert!(
        dir.join("report.json").is_file(),
        "report keeps report.json in the session"
    );
    let (page, data) = (folder.path().join("r.html"), folder.path().join("r.json"));
    let called = lab(&[
        "report",
        arg(&dir),
        "-q",
        "--html",
        arg(&page),
        "--json",
        arg(&data),
    ]);
    assert_eq!((called.code, called.stdout.as_str()), (0, ""));
    for saved in [&page, &data, &dir.join("report.json")] {
        let again = lab(&["report", arg(saved), "--wide", "--robust"]);
        assert_eq!(again.stdout, direct.stdout, "{}", saved.display());
    }
    // What we write as CSV gives Node's table, by us and by compare.R.
    let two = Fake { copy: None, ..fake }.write(folder.path(), "two");
    let csv = folder.path().join("r.csv");
    lab(&["report", arg(&two), "-q", "--csv", arg(&csv)]);
    let table = |text: &str| {
        let lines: Vec<String> = text
            .lines()
            .filter(|line| line.contains('±'))
            .map(str::to_owned)
            .collect();
        lines
    };
    let from_csv = lab(&["compare", "--csv", arg(&csv)]).stdout;
    let from_session = lab(&["report", arg(&two)]).stdout;
    assert_eq!(table(&from_csv)[..3], table(&from_session)[..3]);
    assert!(!table(&from_csv).is_empty());
}

#[test]
fn an_unfinished_session_with_failures_says_both() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Fake {
        finished: false,
        ..PLAIN
    }
    .write(folder.path(), "s");
    let mut runs = std::fs::read_to_string(dir.join("runs.jsonl")).unwrap();
    runs += "{\"v\":1,\"seq\":900,\"round\":21,\"slot\":0,\"arm\":\"old\",\"bench\":\"b00.js\",\"start_ns\":1,\"exit\":7,\"fail\":\"exit code 7\"}\n";
    file(
        &dir,
        "runs.jsonl",
        runs.clone() + "{\"v\":1,\"seq\":901,\"rou",
    );
    let called = lab(&["report", arg(&dir)]);
    assert_eq!(called.code, 4, "{}", called.stdout);
    for part in [
        "not complete",
        "1 run gave no value",
        "run 900: exit code 7",
        "cut short",
    ] {
        assert!(called.stdout.contains(part), "{part}: {}", called.stdout);
    }
    // A broken line in the middle is a fault of the file, not of its end.
    file(&dir, "runs.jsonl", format!("{{\"v\":1,\n{runs}"));
    refuses(&lab(&["report", arg(&dir)]), 2, &["runs.jsonl:1:"]);
}

#[test]
fn few_rounds_give_numbers_but_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Fake {
        rounds: 5,
        effect: 2.0,
        ..PLAIN
    }
    .write(folder.path(), "s");
    let (_, found) = report(&dir, &[]);
    let row = &found["report"]["rows"][0];
    assert_eq!(
        (&row["effect"]["basis"], &row["verdict"]["word"]),
        (&json!("paired"), &json!("cannot-tell"))
    );
    assert!(row["notes"].to_string().contains("few rounds"));
}

#[test]
fn a_verdict_that_rests_on_outliers_flips_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Fake {
        effect: 1.012,
        noise: 0.003,
        rounds: 24,
        ..PLAIN
    }
    .write(folder.path(), "s");
    // Two runs of the new arm were hit by something.
    let text = std::fs::read_to_string(dir.join("runs.jsonl")).unwrap();
    let mut hit = 0;
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            let mut run: Value = serde_json::from_str(line).unwrap();
            if run["arm"] == "new" && hit < 2 && run["round"].as_u64().unwrap() > 8 {
                hit += 1;
                run["rate"] = json!(number(&run["rate"]) * 0.3);
                run["noise"]["steal_ticks"] = json!(40);
            }
            run.to_string()
        })
        .collect();
    file(&dir, "runs.jsonl", lines.join("\n") + "\n");
    let called = lab(&["report", arg(&dir), "--robust"]);
    assert!(
        called.stdout.contains("flips without outliers"),
        "{}",
        called.stdout
    );
    assert!(
        called.stdout.contains("steal 40 ticks"),
        "{}",
        called.stdout
    );
    let plain = lab(&["report", arg(&dir)]);
    assert!(!plain.stdout.contains("flips"), "{}", plain.stdout);
}

#[test]
fn the_page_stands_alone_and_survives_hostile_names() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Fake {
        effect: 1.05,
        copy: Some(1.0),
        ..PLAIN
    }
    .write(folder.path(), "s");
    let runs = std::fs::read_to_string(dir.join("runs.jsonl")).unwrap();
    let hostile = "x='</script><script>alert(1)</script><!--' | `a`";
    file(
        &dir,
        "runs.jsonl",
        runs.replace("n=1", &hostile.replace('"', "\\\"")),
    );
    let page = lab(&["report", arg(&dir), "--html", "-"]).stdout;
    for outside in [
        "http:",
        "https:",
        " src=",
        " href=",
        "url(",
        "@import",
        "sticky",
        "<script>alert",
    ] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(
        page.matches("<script").count(),
        2,
        "the data and the one script"
    );
    for part in [
        "<svg",
        "prefers-color-scheme:dark",
        "class=\"band\"",
        "noise",
        "id=\"filter\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Four plots, each followed by its table.
    assert_eq!(page.matches("<svg").count(), 4);
    for piece in page.split("</svg>").skip(1) {
        let table = piece.find("<table").expect("a table after each plot");
        assert!(piece.find("<svg").is_none_or(|svg| table < svg));
    }
    let saved = file(folder.path(), "r.html", &page);
    let again = lab(&["report", arg(&saved)]);
    assert!(
        again.stdout.contains(hostile),
        "{}{}",
        again.stdout,
        again.stderr
    );
    let markdown = lab(&["report", arg(&dir), "--md", "-"]).stdout;
    let row = markdown
        .lines()
        .find(|line| line.starts_with("| faster"))
        .unwrap();
    assert_eq!(row.replace("\\|", "").matches('|').count(), 6, "{row}");
}

#[test]
fn selection_and_base() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Fake {
        rows: 4,
        effect: 1.05,
        ..PLAIN
    }
    .write(folder.path(), "s");
    let (_, found) = report(
        &dir,
        &["--filter", "b01", "--filter", "b02", "--exclude", "b02"],
    );
    assert_eq!(found["report"]["rows"].as_array().unwrap().len(), 1);
    let (_, turned) = report(&dir, &["--base", "new"]);
    let row = &turned["report"]["rows"][0];
    assert_eq!(
        (&row["arm_name"], &row["verdict"]["word"]),
        (&json!("old"), &json!("slower"))
    );
}

#[test]
fn completions_and_manual_pages_come_from_the_command_line() {
    for shell in ["bash", "zsh", "fish"] {
        let called = lab(&["completions", shell]);
        assert!(
            called.code == 0 && called.stdout.contains("max-regression"),
            "{shell}"
        );
    }
    for (arguments, part) in [
        (&["man"][..], "alacrypt\\-lab"),
        (&["man", "compare"], "bench\\-dir"),
        (&["man", "run"], "import\\-hyperfine"),
    ] {
        let called = lab(arguments);
        assert_eq!(called.code, 0, "{}", called.stderr);
        assert!(
            called.stdout.contains(".TH") && called.stdout.contains(part),
            "{}",
            called.stdout
        );
    }
    refuses(
        &lab(&["man", "nothing"]),
        2,
        &["expected one of compare, run"],
    );
    for subcommand in ["compare", "run", "aa", "doctor", "report"] {
        let help = lab(&[subcommand, "--help"]).stdout;
        assert!(help.contains("Example"), "{subcommand}");
    }
    let help = lab(&["--help"]).stdout;
    assert!(
        help.contains("Exit codes") && help.contains("130 interrupted"),
        "{help}"
    );
}

#[test]
fn markdown_and_json_say_how_it_was_measured_and_what_follows() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Fake {
        rows: 3,
        copy: Some(1.0),
        ..PLAIN
    }
    .write(folder.path(), "s");
    let page = lab(&["report", arg(&dir), "--md", "-"]).stdout;
    let how = page.split("how it was measured").nth(1).unwrap();
    for part in [
        "- `old`: `node`",
        "- `old-copy`, A/A copy: `node`",
        "- Test CPU, 2 CPUs",
        "- rounds: 20",
        "- begun: 1970-01-01 00:00 UTC",
    ] {
        assert!(how.contains(part), "{part:?} is not in {how}");
    }
    // The sentences of report.json are the lines of the terminal, none left out.
    let (_, json) = report(&dir, &[]);
    let sentences = json["sentences"].as_array().unwrap();
    assert!(sentences.len() >= 3, "{sentences:?}");
    let terminal = lab(&["report", arg(&dir)]).stdout;
    for sentence in sentences {
        let sentence = sentence.as_str().unwrap();
        assert!(terminal.lines().any(|line| line == sentence), "{sentence}");
    }
}

#[test]
fn a_label_of_a_csv_can_be_the_control() {
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake {
        rows: 3,
        copy: Some(1.0),
        ..PLAIN
    };
    let session = fake.write(folder.path(), "s");
    let csv = folder.path().join("r.csv");
    lab(&["report", arg(&session), "-q", "--csv", arg(&csv)]);
    let analysed = |extra: &[&str]| lab(&[&["compare", "--csv", arg(&csv)], extra].concat());
    let line = |text: &str| {
        let found = text.lines().find(|line| line.starts_with("A/A control"));
        found.map(str::to_owned)
    };
    assert_eq!(line(&analysed(&[]).stdout), None);
    let marked = analysed(&["--control", "old-copy"]);
    assert_eq!(marked.code, 0, "{}", marked.stdout);
    // The same samples give the same control, whichever way they came in.
    let direct = line(&lab(&["report", arg(&session)]).stdout);
    assert!(direct.is_some());
    assert_eq!(line(&marked.stdout), direct);
    // A control that leans is refused here too.
    let leaning = Fake {
        copy: Some(1.05),
        ..fake
    }
    .write(folder.path(), "leaning");
    lab(&["report", arg(&leaning), "-q", "--csv", arg(&csv)]);
    assert_eq!(analysed(&["--control", "old-copy"]).code, 3);
    refuses(
        &analysed(&["--control", "nobody"]),
        2,
        &["--control nobody", "the file knows only"],
    );
    refuses(&analysed(&["--control", "old"]), 2, &["the base itself"]);
}

#[test]
fn a_session_that_measured_nothing_says_so_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Fake { rounds: 0, ..PLAIN }.write(folder.path(), "s");
    for form in [&["--md", "-"][..], &["--json", "-"], &[]] {
        let shown = lab(&[&["report", arg(&dir)], form].concat()).stdout;
        assert!(shown.contains("nothing was measured"), "{form:?}: {shown}");
    }
    let full = PLAIN.write(folder.path(), "full");
    let shown = lab(&["report", arg(&full)]).stdout;
    assert!(!shown.contains("nothing was measured"), "{shown}");
}

#[test]
fn rounds_that_a_time_limit_cut_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Fake {
        rows: 2,
        rounds: 12,
        ..PLAIN
    }
    .write(folder.path(), "s");
    let shown = || lab(&["report", arg(&dir)]).stdout;
    assert!(!shown().contains("time limit"), "{}", shown());
    // Planned were 20; the second benchmark got one round less than the first.
    let plan = std::fs::read_to_string(dir.join("plan.json")).unwrap();
    file(
        &dir,
        "plan.json",
        plan.replace("\"rounds\":12", "\"rounds\":20"),
    );
    let runs = std::fs::read_to_string(dir.join("runs.jsonl")).unwrap();
    let kept = |line: &&str| !(line.contains("b01.js") && line.contains("\"round\":12"));
    let runs: Vec<&str> = runs.lines().filter(kept).collect();
    file(&dir, "runs.jsonl", runs.join("\n") + "\n");
    let stopped = |bench: &str, round: u32| {
        json!({"event": "stopped", "bench": bench, "rule": "max-time", "round": round}).to_string()
    };
    let events = [
        json!({"event": "begin", "from_seq": 0, "unix_s": 1, "environment": 1}).to_string(),
        stopped("b00.js", 12),
        stopped("b01.js", 11),
        json!({"event": "finished", "runs": 46, "failed": 0}).to_string(),
    ];
    file(&dir, "events.jsonl", events.join("\n") + "\n");
    let told = "the time limit ended 2 benchmarks early: rows have 11 to 12 rounds of 20";
    assert!(shown().contains(told), "{}", shown());
}

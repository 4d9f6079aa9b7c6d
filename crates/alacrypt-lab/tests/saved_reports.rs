//! Saved sessions judged again: verdicts, control, merging, comparing.

#![forbid(unsafe_code)]
// Clippy sees test code only where `#[test]` stands; helpers may fail a test too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::binary::{arg, file, lab, refuses};
use common::fake::{Fake, PLAIN, report};
use common::{number, numbers};
use serde_json::{Value, json};

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

//! Golden cases of readers and tables, through the built binary.

#![forbid(unsafe_code)]

mod common;

use alacrypt_lab::render::{
    PhaseLine, phase_bytes, phase_count, phase_markdown, phase_plain, phase_seconds, to_fixed,
};
use common::binary::{arg, file, lab};
use common::{golden, near, near_all, number};
use serde_json::Value;

/// The comma-and-space dialect: every comma between fields is followed by one space.
fn legacy(modern: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in modern.chars() {
        inside ^= c == '"';
        out.push(c);
        if c == ',' && !inside {
            out.push(' ');
        }
    }
    out
}

fn trimmed(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

#[test]
fn g03_table_of_both_dialects_and_line_ends() {
    let case = golden("g03_csv_table");
    let modern = case["input"]["csv_modern"].as_str().unwrap();
    let expected = trimmed(case["expect"]["table_plain"].as_str().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let texts = [
        modern.to_owned(),
        legacy(modern),
        modern.replace('\n', "\r\n"),
        format!("\u{feff}{modern}"),
    ];
    for text in texts {
        let path = file(folder.path(), "compare.csv", text);
        let called = lab(&["compare", "--csv", arg(&path)]);
        assert_eq!(called.code, 0, "{}", called.stderr);
        assert_eq!(trimmed(&called.stdout)[..expected.len()], expected);
    }
}

#[test]
fn g03_figures_behind_the_table() {
    let case = golden("g03_csv_table");
    let rel = number(&case["tolerance"]["rel"]);
    let folder = tempfile::tempdir().unwrap();
    let path = file(
        folder.path(),
        "c.csv",
        case["input"]["csv_modern"].as_str().unwrap(),
    );
    let called = lab(&["compare", "--csv", arg(&path), "--json", "-"]);
    let report: Value = serde_json::from_str(&called.stdout).unwrap();
    let found = report["report"]["rows"].as_array().unwrap();
    let expected = case["expect"]["rows"].as_array().unwrap();
    assert_eq!(found.len(), expected.len());
    for (found, want) in found.iter().zip(expected) {
        assert_eq!(found["name"], want["name"]);
        assert_eq!(found["table"]["stars"], want["stars"]);
        assert_eq!(found["stars_corrected"], want["stars_holm"]);
        let improvement = number(&found["table"]["improvement_pct"]);
        near(improvement, &want["improvement_pct"], rel, "improvement");
        if want["p"].is_null() {
            for key in ["p", "t", "df", "accuracy_pct"] {
                assert!(found["table"][key].is_null(), "{key}");
            }
            assert!(found["p_corrected"].is_null());
            continue;
        }
        near(number(&found["table"]["p"]), &want["p"], rel, "p");
        near(number(&found["table"]["t"]), &want["t"], rel, "t");
        near(number(&found["table"]["df"]), &want["df"], rel, "df");
        near(number(&found["p_corrected"]), &want["p_holm"], rel, "Holm");
        let accuracy = common::numbers(&found["table"]["accuracy_pct"]);
        near_all(&accuracy, &want["accuracy_pct"], rel, "accuracy");
    }
}

#[test]
fn g03_dialect_trap() {
    let case = golden("g03_csv_table");
    let trap = &case["expect"]["dialect_trap"];
    let records = alacrypt_lab::import::read_records(trap["line"].as_str().unwrap()).unwrap();
    let expected: Vec<&str> = trap["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| field.as_str().unwrap())
        .collect();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].fields, expected);
}

#[test]
fn g03_constant_data_are_a_row_not_an_end() {
    let case = golden("g03_csv_table");
    let folder = tempfile::tempdir().unwrap();
    let path = file(
        folder.path(),
        "c.csv",
        case["input"]["csv_constant"].as_str().unwrap(),
    );
    let called = lab(&["compare", "--csv", arg(&path)]);
    assert_eq!(called.code, 0);
    let line = called
        .stdout
        .lines()
        .find(|line| line.starts_with("a/x.js n=1"))
        .unwrap();
    assert_eq!(
        line.split_whitespace().skip(2).collect::<Vec<_>>(),
        ["NA", "0.00", "%", "NA", "NA", "NA"]
    );
    assert!(
        called.stdout.contains("all runs of both sides are equal"),
        "{}",
        called.stdout
    );
}

#[test]
fn g05_hyperfine_lines_and_intervals() {
    let case = golden("g05_hyperfine");
    let (rel, want) = (number(&case["tolerance"]["rel"]), &case["expect"]);
    let folder = tempfile::tempdir().unwrap();
    let input = serde_json::json!({ "results": case["input"]["results"] });
    let path = file(folder.path(), "h.json", input.to_string());
    let called = lab(&["run", "--import-hyperfine", arg(&path)]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    for line in want["relative"].as_array().unwrap().iter().skip(1) {
        assert!(
            called.stdout.contains(line["text"].as_str().unwrap()),
            "{}",
            called.stdout
        );
    }
    let called = lab(&["run", "--import-hyperfine", arg(&path), "--json", "-"]);
    let report: Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(report["report"]["base"], want["fastest"]);
    let rows = report["report"]["rows"].as_array().unwrap();
    for (row, want) in rows
        .iter()
        .zip(want["relative"].as_array().unwrap().iter().skip(1))
    {
        assert_eq!(row["arm_name"], want["command"]);
        near(
            number(&row["effect"]["ratio"]),
            &want["ratio"],
            rel,
            "ratio",
        );
        let ends = common::numbers(&row["effect"]["interval95"]);
        near_all(&ends, &want["ratio_fieller95"], rel, "interval");
        near(number(&row["effect"]["p"]), &want["welch_p"], rel, "p");
        let (new, old) = (&row["new"], &row["old"]);
        let spread = number(&new["mean"]) / number(&old["mean"])
            * number(&new["cv"]).hypot(number(&old["cv"]));
        near(spread, &want["ratio_sd"], rel, "hyperfine's spread");
    }
    let warned = report["report"]["warnings"].to_string();
    assert!(warned.contains("blocked order"), "{warned}");
}

#[test]
fn g20_phase_tables_and_their_numbers() {
    let case = golden("g20_phase_table");
    let cells = &case["input"]["cells"];
    let formatted = &case["expect"]["formatted"];
    type Form = fn(f64) -> String;
    let forms: [(&[&str], Form); 3] = [
        (&["wall", "sd", "user", "sys"], phase_seconds),
        (
            &["rss", "netRX", "netTX", "cache", "nm", "lock"],
            phase_bytes,
        ),
        (&["pgMinor", "vCtx", "iCtx"], phase_count),
    ];
    for (keys, form) in forms {
        for key in keys {
            let given = cells[key].as_array().unwrap();
            let found: Vec<String> = given.iter().map(|v| form(v.as_f64().unwrap())).collect();
            assert_eq!(serde_json::json!(found), formatted[key], "{key}");
        }
    }
    let ties = [
        ("tofixed2", 2, &[0.125, 1.005, 2.675, 0.375, -0.125][..]),
        ("tofixed0", 0, &[0.5, 1.5, 2.5, 3.5]),
        ("tofixed1", 1, &[0.25, 0.75, 99.95]),
    ];
    for (key, places, values) in ties {
        let found: Vec<String> = values.iter().map(|v| to_fixed(*v, places)).collect();
        assert_eq!(serde_json::json!(found), formatted["ties"][key], "{key}");
    }
    let names = case["input"]["subjects"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate();
    let lines: Vec<PhaseLine> = names
        .map(|(i, name)| {
            let value = |key: &str| cells[key][i].as_f64();
            PhaseLine {
                name: name.as_str().unwrap().to_owned(),
                times: ["wall", "sd", "user", "sys"].map(value),
                rss: value("rss"),
                counts: ["pgMinor", "vCtx", "iCtx"].map(value),
                net: ["netRX", "netTX"].map(value),
                sizes: ["cache", "nm", "lock"].map(value),
            }
        })
        .collect();
    let plain = case["expect"]["plain"].as_str().unwrap();
    assert_eq!(
        trimmed(&phase_plain("p0_full_cold", &lines)),
        trimmed(plain)
    );
    let markdown = case["expect"]["markdown"].as_str().unwrap();
    assert_eq!(trimmed(&phase_markdown(&lines)), trimmed(markdown));
}

//! Files and flags that are wrong: a message that names the place, or `NA`; never a panic, never
//! a run that disappears.

#![forbid(unsafe_code)]
// Clippy sees test code only where `#[test]` stands; helpers may fail a test too.
#![allow(clippy::unwrap_used)]

mod common;

use common::binary::{arg, file, lab, lab_with_input, refuses};

const HEADER: &str = "\"binary\",\"filename\",\"configuration\",\"rate\",\"time\"\n";

/// A CSV of `n` runs a side with a little spread, and these lines after it.
fn csv(n: u32, extra: &str) -> String {
    let mut text = HEADER.to_owned();
    for run in 0..n {
        let rate = 100.0 + f64::from(run * 7 % 5);
        text += &format!(
            "\"old\",\"a.js\",\"n=1\",{rate},1\n\"new\",\"a.js\",\"n=1\",{},1\n",
            rate * 1.1
        );
    }
    text + extra
}

fn refused_csv(text: impl AsRef<[u8]>, parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "bad.csv", text);
    let called = lab(&["compare", "--csv", arg(&path)]);
    refuses(&called, 2, parts);
    assert!(called.stderr.contains("bad.csv"), "{}", called.stderr);
    assert_eq!(called.stdout, "");
}

#[test]
fn csv_with_a_wrong_or_missing_header() {
    refused_csv("", &["bad.csv:1:", "expected the header binary, filename"]);
    refused_csv("a,b,c\n1,2,3\n", &["bad.csv:1:", "found \"a, b, c\""]);
    refused_csv("{\"results\": []}", &["bad.csv:1:", "expected the header"]);
}

#[test]
fn csv_without_runs_or_with_one_side() {
    refused_csv(HEADER, &["expected runs after the header"]);
    let one_side = format!("{HEADER}\"old\",\"a.js\",\"n=1\",5,1\n\"old\",\"a.js\",\"n=1\",6,1\n");
    refused_csv(one_side, &["runs of two binaries", "only old"]);
}

#[test]
fn csv_with_a_broken_line_names_it() {
    refused_csv(
        csv(2, "\"old\",\"a.js\",\"n=1\",5\n"),
        &["bad.csv:6:", "expected 5 fields", "found 4"],
    );
    refused_csv(
        csv(2, "\"old\",\"a.js\",\"n=1\",fast,1\n"),
        &["bad.csv:6:", "a number as rate", "\"fast\""],
    );
    refused_csv(
        csv(2, "\"old\",\"a.js\",\"n=1\",,1\n"),
        &["bad.csv:6:", "found nothing"],
    );
    refused_csv(
        csv(2, "\"old\",\"a.js\",\"n=1\",5,soon\n"),
        &["bad.csv:6:", "a number as time"],
    );
    refused_csv(
        csv(2, "\"old\",\"a.js\",\"n=1,5,1\n"),
        &["bad.csv:6:", "closing quote"],
    );
    refused_csv(
        csv(2, "\"old\"x,\"a.js\",\"n=1\",5,1\n"),
        &["bad.csv:6:", "after the closing quote"],
    );
}

#[test]
fn csv_that_is_no_text() {
    let mut bytes = csv(2, "").into_bytes();
    bytes.extend([b'"', 0xff, 0xfe, b'"']);
    refused_csv(bytes, &["bad.csv:6:", "UTF-8"]);
}

#[test]
fn files_that_are_not_there() {
    for arguments in [
        ["compare", "--csv", "/nonexistent/x.csv"],
        ["run", "--import-hyperfine", "/nonexistent/x.csv"],
        ["report", "/nonexistent/x.csv", "--wide"],
    ] {
        refuses(&lab(&arguments), 2, &["/nonexistent/x.csv"]);
    }
}

#[test]
fn rates_that_are_no_rates_are_counted_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    for bad in ["NaN", "NA", "-5", "0", "Inf", "-inf"] {
        let path = file(
            folder.path(),
            "c.csv",
            csv(8, &format!("\"old\",\"a.js\",\"n=1\",{bad},1\n")),
        );
        let called = lab(&["compare", "--csv", arg(&path)]);
        assert_eq!(called.code, 4, "{bad}: {}{}", called.stdout, called.stderr);
        let expected = format!("line 18: rate \"{bad}\" is not a positive number");
        assert!(called.stdout.contains(&expected), "{}", called.stdout);
        assert!(
            called.stdout.contains("1 run gave no value"),
            "{}",
            called.stdout
        );
        assert!(
            called.stdout.contains("faster: a.js n=1"),
            "{}",
            called.stdout
        );
    }
}

#[test]
fn a_row_with_only_bad_rates_stays_as_na() {
    let folder = tempfile::tempdir().unwrap();
    let extra = "\"old\",\"b.js\",\"\",NaN,1\n\"new\",\"b.js\",\"\",NaN,1\n";
    let path = file(folder.path(), "c.csv", csv(8, extra));
    let called = lab(&["compare", "--csv", arg(&path)]);
    assert_eq!(called.code, 4);
    let line = called
        .stdout
        .lines()
        .find(|line| line.starts_with("b.js"))
        .unwrap();
    assert_eq!(
        line.split_whitespace().collect::<Vec<_>>(),
        ["b.js", "NA", "NA", "NA", "NA", "NA"]
    );
}

#[test]
fn one_run_a_side_is_na() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "c.csv", csv(1, ""));
    for extra in [
        &[][..],
        &["--wide"],
        &["--method", "mwu"],
        &["--method", "crossover"],
        &["--stat", "median"],
        &["--robust"],
        &["--max-regression", "3%"],
    ] {
        let mut arguments = vec!["compare", "--csv", arg(&path)];
        arguments.extend(extra);
        let called = lab(&arguments);
        assert_eq!(called.code, 0, "{extra:?}: {}", called.stderr);
        let line = called
            .stdout
            .lines()
            .find(|line| line.starts_with("a.js n=1"))
            .unwrap();
        assert!(line.contains("NA"), "{extra:?}: {line}");
    }
}

#[test]
fn equal_runs_and_rows_of_one_side_in_every_output() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = HEADER.to_owned();
    for _ in 0..8 {
        text += "\"old\",\"a.js\",\"n=1\",5,1\n\"new\",\"a.js\",\"n=1\",5,1\n\"old\",\"only-old.js\",\"\",5,1\n";
    }
    let path = file(folder.path(), "c.csv", text);
    for method in ["auto", "welch", "paired", "crossover", "mwu"] {
        for output in ["--md", "--json", "--html"] {
            let called = lab(&[
                "compare",
                "--csv",
                arg(&path),
                "--method",
                method,
                "--robust",
                output,
                "-",
            ]);
            assert_eq!(called.code, 0, "{method} {output}: {}", called.stderr);
            assert!(called.stdout.contains("only-old.js"), "{method} {output}");
        }
        let called = lab(&["compare", "--csv", arg(&path), "--method", method]);
        assert!(
            called.stdout.contains("all runs of both sides are equal"),
            "{}",
            called.stdout
        );
        assert!(
            called.stdout.contains("no values of new"),
            "{}",
            called.stdout
        );
    }
}

#[test]
fn huge_and_tiny_rates_do_not_break_anything() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = HEADER.to_owned();
    for run in 0..8 {
        text += &format!(
            "\"old\",\"a.js\",\"\",{}e300,1\n\"new\",\"a.js\",\"\",{}e-300,1\n",
            1 + run,
            1 + run % 3
        );
    }
    let path = file(folder.path(), "c.csv", text);
    for output in ["--md", "--json", "--html"] {
        let called = lab(&["compare", "--csv", arg(&path), output, "-"]);
        assert!(
            called.code == 0 && !called.stderr.contains("panicked"),
            "{}",
            called.stderr
        );
    }
}

fn refused_hyperfine(text: &str, parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "bad.json", text);
    let called = lab(&["run", "--import-hyperfine", arg(&path)]);
    refuses(&called, 2, parts);
    assert!(called.stderr.contains("bad.json"), "{}", called.stderr);
}

#[test]
fn hyperfine_files_that_are_none() {
    refused_hyperfine("", &["bad.json:1:", "hyperfine's JSON"]);
    refused_hyperfine(
        "{\n\"results\": [\n{\"command\": 5}]}",
        &["bad.json:3:", "expected a string"],
    );
    refused_hyperfine("{\"result\": []}", &["bad.json:1:", "results"]);
    refused_hyperfine("{\"results\": []}", &["at least two results", "found 0"]);
    refused_hyperfine(
        "{\"results\": [{\"command\": \"a\", \"mean\": 1}]}",
        &["at least two results", "found 1"],
    );
    let negative =
        "{\"results\": [{\"command\": \"a\", \"mean\": -1}, {\"command\": \"b\", \"mean\": 1}]}";
    refused_hyperfine(negative, &["results[0]", "positive mean", "-1"]);
    refused_hyperfine("[1, 2", &["bad.json:1:"]);
    refused_hyperfine(
        "{\"results\": [{\"command\": \"a\", \"mean\": NaN}]}",
        &["bad.json:1:"],
    );
}

#[test]
fn hyperfine_summaries_without_times() {
    let folder = tempfile::tempdir().unwrap();
    // One exit code per run tells n; without it there is no test, but still a row.
    let codes = vec!["0"; 20].join(",");
    let entry = |name: &str, mean: f64, codes: &str| {
        format!(
            "{{\"command\":\"{name}\",\"mean\":{mean},\"stddev\":0.01,\"min\":0.9,\"max\":1.2{codes}}}"
        )
    };
    let known = format!(",\"exit_codes\":[{codes}]");
    let text = format!(
        "{{\"results\":[{},{}]}}",
        entry("a", 1.0, &known),
        entry("b", 1.1, &known)
    );
    let path = file(folder.path(), "h.json", text);
    let called = lab(&["run", "--import-hyperfine", arg(&path)]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(called.stdout.contains("slower than a"), "{}", called.stdout);
    let text = format!(
        "{{\"results\":[{},{}]}}",
        entry("a", 1.0, ""),
        entry("b", 1.1, "")
    );
    let path = file(folder.path(), "h.json", text);
    let called = lab(&["run", "--import-hyperfine", arg(&path)]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(
        called.stdout.contains("verdict:             NA"),
        "{}",
        called.stdout
    );
}

#[test]
fn hyperfine_times_of_zero_are_counted_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let times = |shift: f64| {
        let list: Vec<String> = (0..9)
            .map(|i| format!("{}", 1.0 + shift + f64::from(i % 4) / 100.0))
            .collect();
        list.join(",")
    };
    let text = format!(
        "{{\"results\":[{{\"command\":\"a\",\"mean\":1,\"times\":[{},0.0]}},{{\"command\":\"b\",\"mean\":1.5,\"times\":[{}]}}]}}",
        times(0.0),
        times(0.5)
    );
    let path = file(folder.path(), "h.json", text);
    let called = lab(&["run", "--import-hyperfine", arg(&path)]);
    assert_eq!(called.code, 4, "{}", called.stderr);
    assert!(
        called.stdout.contains("times[9]: 0 is not a positive time"),
        "{}",
        called.stdout
    );
}

#[test]
fn flags_that_contradict_or_miss() {
    refuses(&lab(&["compare"]), 2, &["two binaries", "--csv FILE"]);
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "c.csv", csv(8, ""));
    let csv = arg(&path);
    refuses(
        &lab(&["compare", "--csv", csv, "--base", "older"]),
        2,
        &["--base older", "old, new"],
    );
    refuses(
        &lab(&["compare", "--csv", csv, "--filter", "zzz"]),
        2,
        &["none of the 1 rows"],
    );
    refuses(
        &lab(&["compare", "--csv", csv, "--md", "-", "--json", "-"]),
        2,
        &["only one of"],
    );
    refuses(
        &lab(&["compare", "--csv", csv, "--html", "/nonexistent/x.html"]),
        2,
        &["/nonexistent/x.html"],
    );
    refuses(
        &lab(&["compare", "--csv", csv, "--delta", "0%"]),
        2,
        &["percentage"],
    );
    refuses(
        &lab(&["compare", "--csv", csv, "--method", "student"]),
        2,
        &["student", "welch"],
    );
    #[cfg(target_os = "linux")]
    for line in [
        &["run", "-n", "a=true", "--cpu", "4000"][..],
        &["doctor", "--cpu", "4000"],
    ] {
        refuses(&lab(line), 2, &["no processor 4000", "there are"]);
    }
    refuses(
        &lab(&["compare", "--csv", csv, csv]),
        2,
        &["each its own --csv"],
    );
    // What says how to measure, where nothing is measured.
    refuses(
        &lab(&["compare", "--csv", csv, "--runs", "50", "--set", "n=1"]),
        2,
        &["no use for --set, --runs"],
    );
    refuses(
        &lab(&["run", "--import-hyperfine", csv, "--prepare", "x"]),
        2,
        &["no use for --prepare"],
    );
}

#[test]
fn reports_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    refuses(
        &lab(&["report", arg(folder.path())]),
        2,
        &["expected a session folder"],
    );
    for (name, text, part) in [
        ("a.json", "{}", "a report.json of alacrypt-lab"),
        ("b.json", "not json", "a report.json of alacrypt-lab"),
        ("c.html", "<html></html>", "an HTML page of alacrypt-lab"),
        (
            "d.html",
            "<script type=\"application/json\" id=\"alacrypt-lab-data\">{",
            "HTML page",
        ),
        ("e.bin", "\u{0}", "a report.json of alacrypt-lab"),
    ] {
        let path = file(folder.path(), name, text);
        refuses(&lab(&["report", arg(&path)]), 2, &[name, part]);
    }
    let path = file(folder.path(), "f", [0xff, 0xfe]);
    refuses(&lab(&["report", arg(&path)]), 2, &["UTF-8"]);
    std::fs::write(folder.path().join("plan.json"), "{\n\"v\": \"x\"}").unwrap();
    refuses(&lab(&["report", arg(folder.path())]), 2, &["plan.json:2:"]);
}

#[test]
fn a_report_whose_indices_point_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "c.csv", csv(8, ""));
    let whole = lab(&["compare", "--csv", arg(&path), "--json", "-"]).stdout;
    for (from, to, part) in [
        ("\"base\":0", "\"base\":7", "a base below 2"),
        ("\"arm\":1,\"value\"", "\"arm\":9,\"value\"", "arms below 2"),
        ("\"value\":100.0", "\"value\":-100.0", "positive values"),
        ("\"v\":1", "\"v\":99", "written as version 99"),
        ("alacrypt-lab/report", "other/report", "expected schema"),
        ("\"samples\":", "\"simples\":", "samples"),
    ] {
        assert!(whole.contains(from), "{from}");
        let path = file(folder.path(), "r.json", whole.replacen(from, to, 1));
        refuses(&lab(&["report", arg(&path)]), 2, &["r.json", part]);
    }
}

#[test]
fn standard_input_is_a_file_too() {
    let called = lab_with_input(&["compare", "--csv", "-"], &csv(8, ""));
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(
        called.stdout.contains("faster: a.js n=1"),
        "{}",
        called.stdout
    );
    // Files put together with `cat` repeat the header.
    let called = lab_with_input(&["compare", "--csv", "-"], &csv(4, &csv(4, "")));
    assert_eq!(called.code, 0, "{}", called.stderr);
    refuses(
        &lab_with_input(&["compare", "--csv", "-"], "x"),
        2,
        &["-:1:"],
    );
}

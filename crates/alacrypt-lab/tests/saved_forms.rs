//! A saved session in each form, and every way back from it.

#![forbid(unsafe_code)]
// Clippy sees test code only where `#[test]` stands; helpers may fail a test too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::binary::{arg, file, lab, refuses};
use common::fake::{Fake, PLAIN, report};
use serde_json::json;

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
    // Forest, dots, order of runs, distribution, and the paired differences of both other arms;
    // each followed by its table.
    assert_eq!(page.matches("<svg").count(), 6);
    assert_eq!(page.matches("<h4>Paired differences").count(), 2);
    for piece in page.split("</svg>").skip(1) {
        let table = piece.find("<table").expect("a table after each plot");
        assert!(piece.find("<svg").is_none_or(|svg| table < svg));
    }
    // What the script works on: each named row has a name to highlight in, and every table and
    // text that it gives a copy button is there without it.
    for piece in page.split("<tr data-name=").skip(1) {
        let row = &piece[..piece.find("</tr>").unwrap()];
        assert!(row.contains("class=\"name\""), "{row}");
    }
    assert!(page.contains("querySelectorAll(\"pre, table\")"));
    assert!(page.matches("<table").count() >= 8 && page.contains("<pre>node</pre>"));
    assert!(
        !page.contains("<button"),
        "no button that does nothing without the script"
    );
    assert!(page.contains("<div class=\"tools\" hidden>"), "nor a box");
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
fn a_tail_is_drawn_only_where_there_are_runs_for_one() {
    let folder = tempfile::tempdir().unwrap();
    let page = |rounds: u32, name: &str| {
        let dir = Fake { rounds, ..PLAIN }.write(folder.path(), name);
        lab(&["report", arg(&dir), "--html", "-"]).stdout
    };
    assert!(!page(99, "few").contains("Slow tail"));
    let many = page(120, "many");
    let tail = many.split("<h4>Slow tail</h4>").nth(1).unwrap();
    // Of 120 runs the slowest hundredth is one, the slowest thousandth none.
    let table = &tail[tail.find("<table").unwrap()..tail.find("</table>").unwrap()];
    assert_eq!(table.matches("<td>-</td>").count(), 2, "{table}");
    assert_eq!(table.matches("/s</td>").count(), 6, "{table}");
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

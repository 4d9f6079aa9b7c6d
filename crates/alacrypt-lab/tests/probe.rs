//! `probe` with the built binary: switches, patches, and what does not apply.

#![forbid(unsafe_code)]
// A helper that fails should fail where it stands.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![cfg(target_os = "linux")]
#![allow(missing_docs)]

mod binary;

use binary::{Folder, expect_code, lab, load, runs_so_far, signal, start, stderr, wait_for};
use std::process::Command;

/// A halves the time, C takes more off only with A, and B does nothing.
const SWITCHES: &str = r#"
cmd = 't=60; if [ -n "$A" ]; then t=30; if [ -n "{flags}" ]; then t=15; fi; fi; sleep 0.0$t'
change = [
    { name = "A", env = { A = "1" } },
    { name = "B", env = { B = "1" } },
    { name = "C", flags = "c" },
]
"#;

fn file(folder: &Folder, text: &str) -> String {
    let path = folder.at("f.toml");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_change_that_helps_only_with_others_is_told_from_a_driver() {
    let folder = Folder::new();
    let path = file(&folder, SWITCHES);
    let [md, html, json] = ["r.md", "r.html", "r.json"].map(|name| folder.at(name));
    for full in [false, true] {
        let out = folder.at(if full { "full" } else { "s" });
        let mut words = vec![
            "probe",
            &path,
            "--runs",
            "8",
            "--out",
            &out,
            "--allow-noise",
        ];
        words.extend(["--md", &md, "--html", &html, "--json", &json]);
        words.extend(full.then_some("--full"));
        let output = lab(&words);
        // An A/A control fails now and then on a machine with other work.
        let code = output.status.code();
        assert!(code == Some(0) || code == Some(3), "{}", stderr(&output));
        let arms = load(&out).plan.arms.len();
        assert_eq!(
            arms, 9,
            "eight combinations of three changes are all there are, and the copy"
        );
        let terminal = String::from_utf8(output.stdout).unwrap();
        let first = terminal.lines().next().unwrap();
        assert!(
            first.starts_with("A carries ") && first.contains(" of −"),
            "{first}"
        );
        assert!(first.contains("C: helps only with others"), "{first}");
        let page = std::fs::read_to_string(&html).unwrap();
        assert!(page.contains("time after each change") && page.contains(first));
        assert!(
            std::fs::read_to_string(&md)
                .unwrap()
                .contains(&format!("**{first}**"))
        );
        let report: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
        let probe = &report["report"]["probe"];
        let shares = probe["changes"].as_array().unwrap();
        let sum: f64 = shares
            .iter()
            .map(|change| change["share"].as_f64().unwrap())
            .sum();
        // Exact shares are of the whole.
        assert_eq!(probe["exact"], true);
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        let again = lab(&["report", &html, "--allow-noise"]);
        assert_eq!(
            String::from_utf8(again.stdout).unwrap().lines().next(),
            Some(first)
        );
    }
}

fn git(dir: &str, words: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args([
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@localhost",
        "-C",
        dir,
    ])
    .args(words);
    let output = git.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// A repository whose program takes the time in `t`, and a patch for each of these next times.
fn repository(folder: &Folder, times: &[&str]) {
    let repo = folder.at("repo");
    std::fs::create_dir(&repo).unwrap();
    git(&repo, &["init", "--quiet"]);
    let commit = |time: &str| {
        std::fs::write(format!("{repo}/t"), format!("{time}\n")).unwrap();
        git(&repo, &["add", "t"]);
        git(&repo, &["commit", "--quiet", "-m", time]);
    };
    commit("0.06");
    for (i, time) in times.iter().enumerate() {
        commit(time);
        let patch = git(&repo, &["diff", "HEAD~", "HEAD"]);
        std::fs::write(folder.at(&format!("{i}.patch")), patch).unwrap();
    }
    git(
        &repo,
        &[
            "reset",
            "--quiet",
            "--hard",
            &format!("HEAD~{}", times.len()),
        ],
    );
}

const PATCHES: &str = r#"
cmd = "sleep $(cat built)"
base = { repo = "repo", build = "cp t built" }
change = [{ name = "later", patch = "1.patch" }, { name = "first", patch = "0.patch" }]
"#;

#[test]
fn a_patch_that_needs_another_one_says_so_and_the_rest_goes_on() {
    let folder = Folder::new();
    repository(&folder, &["0.03", "0.01"]);
    let path = file(&folder, PATCHES);
    let out = folder.at("s");
    let output = lab(&[
        "probe",
        &path,
        "--runs",
        "6",
        "--out",
        &out,
        "--allow-noise",
    ]);
    let code = output.status.code();
    assert!(code == Some(4) || code == Some(3), "{}", stderr(&output));
    let session = load(&out);
    let names: Vec<&str> = session
        .plan
        .arms
        .iter()
        .map(|arm| arm.name.as_str())
        .collect();
    assert_eq!(names, ["base", "+first", "bundle", "base-copy"]);
    let remarks = &session.plan.probe.as_ref().unwrap().remarks;
    assert_eq!(remarks.len(), 1);
    assert!(
        remarks[0].starts_with("+later is not measured: later does not apply"),
        "{remarks:?}"
    );
    assert!(remarks[0].ends_with("it depends on first"), "{remarks:?}");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        shown.contains(&remarks[0]) && shown.contains("later (not measured on its own)"),
        "{shown}"
    );
    assert_eq!(session.measurements().len(), 24);
    // The user's repository is as it was.
    assert_eq!(
        git(&folder.at("repo"), &["worktree", "list"])
            .lines()
            .count(),
        1
    );
    assert_eq!(git(&folder.at("repo"), &["status", "--short"]), "");
}

#[test]
fn what_applies_nowhere_or_does_not_build_is_named() {
    let folder = Folder::new();
    repository(&folder, &["0.01"]);
    let change = "{ name = \"e\", env = { E = \"1\" } }";
    let [bad, broken] = [
        "{ name = \"bad\", patch = \"none.patch\" }",
        "{ name = \"broken\", patch = \"0.patch\" }",
    ];
    for (with, build, part) in [
        (bad, "true", "+bad is not measured: bad does not apply"),
        (
            broken,
            "grep -q 06 t || { echo no luck >&2; exit 3; }",
            "the build failed: no luck",
        ),
    ] {
        let text = format!(
            "cmd = \"true\"\nbase = {{ repo = \"repo\", build = '{build}' }}\nchange = [{with}, {change}]\n"
        );
        let path = file(&folder, &text);
        let out = folder.at(&part[..4]);
        let output = lab(&[
            "probe",
            &path,
            "--runs",
            "2",
            "--out",
            &out,
            "--allow-noise",
        ]);
        let code = output.status.code();
        assert!(code == Some(4) || code == Some(3), "{}", stderr(&output));
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(
            shown.starts_with("The bundle could not be measured"),
            "{shown}"
        );
    }
    let path = file(
        &folder,
        "cmd = \"true\"\nbase = { repo = \"repo\", ref = \"nowhere\" }\nchange = [{ name = \"a\", ref = \"x\" }, { name = \"b\", ref = \"y\" }]\n",
    );
    let output = lab(&["probe", &path, "--out", &folder.at("n")]);
    expect_code(&output, 4);
    assert!(
        stderr(&output).contains("the base: "),
        "{}",
        stderr(&output)
    );
}

#[test]
fn an_interrupted_probe_goes_on() {
    let folder = Folder::new();
    let path = file(&folder, SWITCHES);
    let out = folder.at("s");
    let child = start(&[
        "probe",
        &path,
        "--runs",
        "2",
        "--out",
        &out,
        "--allow-noise",
    ]);
    wait_for("four runs", || (runs_so_far(&out).len() >= 4).then_some(()));
    signal(&child, "INT");
    expect_code(&child.wait_with_output().unwrap(), 130);
    let output = lab(&["probe", "--resume", &out, "--allow-noise"]);
    assert!(
        matches!(output.status.code(), Some(0 | 3)),
        "{}",
        stderr(&output)
    );
    assert!(load(&out).is_finished());
    assert_eq!(load(&out).measurements().len(), 18);
}

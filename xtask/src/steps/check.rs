//! `cargo xtask check`: everything about the sources that can be checked without running them, and
//! that the table of coverage is true.

use std::process::{Command, ExitCode, Stdio};

use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::npm;
use crate::process::{self, timed};
use crate::steps::{coverage, mutants};
use crate::structure::{Violation, arrows, bench_files, locks, sizes, unsafe_rooms, vectors};
use crate::tree::Tree;

/// How one check ended.
enum Outcome {
    Passed,
    Failed(String),
    NotRun(&'static str),
}

type Check = fn(&Tree) -> Result<Outcome>;

const CHECKS: [(&str, Check); 15] = [
    ("structure: direction of dependencies", direction),
    ("structure: rooms of unsafe", rooms_of_unsafe),
    ("structure: origins of vectors", origins_of_vectors),
    ("structure: lock files", lock_files),
    ("structure: sizes of files", sizes_of_files),
    ("structure: room of benchmarks", room_of_benchmarks),
    ("planted faults have their place", planted_faults),
    ("formatting (cargo fmt)", formatting),
    ("lints (cargo clippy)", lints),
    ("documentation (cargo doc)", documentation),
    ("installed npm packages", npm_packages),
    ("types (tsc)", types),
    ("table of coverage (docs/COVERAGE.md)", table_of_coverage),
    ("licences, bans, sources (cargo deny)", licences),
    ("advisories (cargo deny)", advisories),
];

pub(crate) fn run(tree: &Tree) -> Result<ExitCode> {
    let (mut passed, mut failed, mut not_run) = (0, 0, 0);
    let mut report = Vec::new();
    for (title, check) in CHECKS {
        let outcome = timed(title, || check(tree));
        let line = match outcome {
            Ok(Outcome::Passed) => {
                passed += 1;
                format!("ok       {title}")
            }
            Ok(Outcome::NotRun(reason)) => {
                not_run += 1;
                format!("not run  {title}: {reason}")
            }
            Ok(Outcome::Failed(reason)) => {
                failed += 1;
                format!("FAILED   {title}: {reason}")
            }
            Err(failure) => {
                failed += 1;
                format!("FAILED   {title}: {failure}")
            }
        };
        report.push(line);
    }
    println!("\n{}", report.join("\n"));
    println!("check: {passed} ok, {failed} failed, {not_run} not run");
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn direction(tree: &Tree) -> Result<Outcome> {
    let mut violations = arrows::between_crates(&tree.metadata()?);
    let manifest = read(tree, "npm/alacrypt/package.json")?;
    let manifest: Value = serde_json::from_str(&manifest)
        .map_err(|error| Failure::new(format!("npm/alacrypt/package.json: {error}")))?;
    violations.extend(arrows::of_npm_package(&manifest));
    Ok(verdict(violations))
}

fn rooms_of_unsafe(tree: &Tree) -> Result<Outcome> {
    let files = tree.files()?;
    let mut violations = Vec::new();
    for path in files.iter().filter(|path| path.ends_with(".rs")) {
        violations.extend(unsafe_rooms::of_file(path, &read(tree, path)?));
    }
    for path in forbidding_roots(tree)? {
        violations.extend(unsafe_rooms::of_forbidding_root(&path, &read(tree, &path)?));
    }
    Ok(verdict(violations))
}

/// The root files of the crates that must forbid `unsafe`, as far as those crates exist.
fn forbidding_roots(tree: &Tree) -> Result<Vec<String>> {
    let metadata = tree.metadata()?;
    let mut roots = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        if !unsafe_rooms::FORBIDDING.contains(&name) {
            continue;
        }
        for target in package["targets"].as_array().into_iter().flatten() {
            let path = target["src_path"].as_str().unwrap_or_default();
            let relative = std::path::Path::new(path)
                .strip_prefix(tree.root())
                .map_err(|_| Failure::new(format!("{path} lies outside the workspace")))?;
            roots.push(relative.to_string_lossy().into_owned());
        }
    }
    Ok(roots)
}

fn origins_of_vectors(tree: &Tree) -> Result<Outcome> {
    let files = tree.files()?;
    let sources = std::fs::read_to_string(tree.root().join("vectors/SOURCES.md")).ok();
    Ok(verdict(vectors::origins(
        files.iter().map(String::as_str),
        sources.as_deref(),
    )))
}

fn lock_files(tree: &Tree) -> Result<Outcome> {
    of_each_file(tree, locks::applies_to, locks::of_file)
}

fn sizes_of_files(tree: &Tree) -> Result<Outcome> {
    of_each_file(tree, sizes::applies_to, sizes::of_file)
}

fn room_of_benchmarks(tree: &Tree) -> Result<Outcome> {
    of_each_file(tree, bench_files::applies_to, bench_files::of_file)
}

/// A fault that cannot be planted is found here, not hours into `cargo xtask mutants`.
fn planted_faults(tree: &Tree) -> Result<Outcome> {
    let misplaced = mutants::misplaced(tree)?;
    Ok(match misplaced.as_slice() {
        [] => Outcome::Passed,
        reasons => Outcome::Failed(reasons.join("; ")),
    })
}

fn of_each_file(
    tree: &Tree,
    applies_to: fn(&str) -> bool,
    rule: fn(&str, &str) -> Vec<Violation>,
) -> Result<Outcome> {
    let files = tree.files()?;
    let mut violations = Vec::new();
    for path in files.iter().filter(|path| applies_to(path)) {
        violations.extend(rule(path, &read(tree, path)?));
    }
    Ok(verdict(violations))
}

fn formatting(tree: &Tree) -> Result<Outcome> {
    passes(tree.cargo().args(["fmt", "--all", "--check"]))
}

/// Features that are off by default, and that are looked at and tested as well.
pub(super) const OPTIONAL_PARTS: &str = "alacrypt-tls/http2,alacrypt-tls/ring";

fn lints(tree: &Tree) -> Result<Outcome> {
    passes(tree.cargo().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--features",
        OPTIONAL_PARTS,
        "--locked",
        "--",
        "--deny",
        "warnings",
    ]))
}

fn documentation(tree: &Tree) -> Result<Outcome> {
    passes(
        tree.cargo()
            .args(["doc", "--workspace", "--no-deps", "--locked"])
            .args(["--features", OPTIONAL_PARTS])
            .env("RUSTDOCFLAGS", "--deny warnings"),
    )
}

fn npm_packages(tree: &Tree) -> Result<Outcome> {
    npm::install(&tree.npm_package())?;
    Ok(Outcome::Passed)
}

fn types(tree: &Tree) -> Result<Outcome> {
    passes(npm::npm(&tree.npm_package()).args(["run", "--silent", "typecheck"]))
}

fn table_of_coverage(tree: &Tree) -> Result<Outcome> {
    Ok(match coverage::first_difference(tree)? {
        None => Outcome::Passed,
        Some(difference) => {
            println!("docs/COVERAGE.md: {difference}");
            Outcome::Failed("out of date: `cargo xtask coverage` writes it".to_owned())
        }
    })
}

fn licences(tree: &Tree) -> Result<Outcome> {
    if !cargo_deny_is_installed(tree)? {
        return Ok(NO_CARGO_DENY);
    }
    let parts = ["check", "licenses", "bans", "sources"];
    passes(tree.cargo().args(["deny", "--workspace"]).args(parts))
}

fn advisories(tree: &Tree) -> Result<Outcome> {
    if !cargo_deny_is_installed(tree)? {
        return Ok(NO_CARGO_DENY);
    }
    let mut fetch = tree.cargo();
    fetch.args(["deny", "--workspace", "fetch", "db"]);
    if !process::status_of(&mut fetch)?.success() {
        return Ok(Outcome::NotRun("the advisory database cannot be fetched"));
    }
    let parts = ["check", "--disable-fetch", "advisories"];
    passes(tree.cargo().args(["deny", "--workspace"]).args(parts))
}

const NO_CARGO_DENY: Outcome =
    Outcome::NotRun("cargo-deny is not installed (cargo install cargo-deny --locked)");

fn cargo_deny_is_installed(tree: &Tree) -> Result<bool> {
    let mut version = tree.cargo();
    version
        .args(["deny", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(process::status_of(&mut version)?.success())
}

fn passes(command: &mut Command) -> Result<Outcome> {
    process::run(command).map(|()| Outcome::Passed)
}

fn verdict(violations: Vec<Violation>) -> Outcome {
    for violation in &violations {
        println!("{violation}");
    }
    match violations.len() {
        0 => Outcome::Passed,
        1 => Outcome::Failed("1 violation".to_owned()),
        count => Outcome::Failed(format!("{count} violations")),
    }
}

fn read(tree: &Tree, path: &str) -> Result<String> {
    let path = tree.root().join(path);
    std::fs::read_to_string(&path).map_err(Failure::at(&path))
}

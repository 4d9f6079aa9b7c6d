//! `cargo xtask test`: every test there is, on every runtime, with one sum at the end.

use std::process::ExitCode;

use super::check::OPTIONAL_PARTS;
use super::{build, lab};
use crate::counts::Counts;
use crate::failure::Result;
use crate::process::{self, timed};
use crate::runtimes::{Runtime, Runtimes};
use crate::tree::Tree;

pub(crate) fn run(tree: &Tree) -> Result<ExitCode> {
    timed("build", || build::build(tree))?;
    timed("alacrypt-lab as one static binary", || lab::build(tree))?;
    let runtimes = Runtimes::installed(tree)?;
    let mut parts = vec![("Rust", timed("Rust tests", || rust(tree))?)];
    for (title, file) in [
        ("demo", "demo/lib/lib.test.mjs"),
        ("bench", "bench/node/_common.test.mjs"),
    ] {
        let counts = timed(file, || node_test(tree, &runtimes, file))?;
        parts.push((title, counts));
    }
    for runtime in Runtime::ALL {
        let title = format!("npm package on {}", runtime.title());
        let counts = timed(&title, || npm_package(tree, &runtimes, runtime))?;
        parts.push((runtime.title(), counts));
    }

    println!();
    let mut sum = Counts::default();
    for (title, counts) in parts {
        println!("{title:<8} {counts}");
        sum += counts;
    }
    println!("{sum}");
    Ok(if sum.failed == 0 && sum.passed > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn rust(tree: &Tree) -> Result<Counts> {
    let mut cargo = tree.cargo();
    cargo.args(["test", "--workspace", "--locked", "--no-fail-fast"]);
    cargo.args(["--features", OPTIONAL_PARTS]);
    let (status, lines) = process::run_recorded(&mut cargo)?;
    Ok(Counts::from_cargo_test(&lines).checked(status.success()))
}

/// Tests of scripts that steps run: the demo's helpers, the benchmark files.
fn node_test(tree: &Tree, runtimes: &Runtimes, file: &str) -> Result<Counts> {
    let mut node = runtimes.command(Runtime::Node26)?;
    node.current_dir(tree.root())
        .args(["--test", "--test-reporter=tap", file]);
    let (status, lines) = process::run_recorded(&mut node)?;
    Ok(Counts::from_tap(&lines).checked(status.success()))
}

fn npm_package(tree: &Tree, runtimes: &Runtimes, runtime: Runtime) -> Result<Counts> {
    let mut command = runtimes.script(runtime)?;
    command.current_dir(tree.npm_package()).arg("test/run.mjs");
    let (status, lines) = process::run_recorded(&mut command)?;
    let summary = lines
        .iter()
        .rev()
        .find(|line| !line.trim().is_empty())
        .and_then(|line| Counts::from_summary_line(line));
    if summary.is_none() {
        println!("the last line is no summary: counted as a failure");
    }
    Ok(summary.unwrap_or_default().checked(status.success()))
}

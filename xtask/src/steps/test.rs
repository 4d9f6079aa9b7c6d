//! `cargo xtask test`: every test there is, on every runtime, with one sum at the end.

use std::process::ExitCode;

use super::build;
use crate::counts::Counts;
use crate::failure::Result;
use crate::process::{self, timed};
use crate::runtimes::{Runtime, Runtimes};
use crate::tree::Tree;

pub(crate) fn run(tree: &Tree) -> Result<ExitCode> {
    timed("build", || build::build(tree))?;
    let runtimes = Runtimes::installed(tree)?;
    let mut parts = vec![("Rust", timed("Rust tests", || rust(tree))?)];
    let demo = timed("tests of the demo", || demo(tree, &runtimes))?;
    parts.push(("demo", demo));
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
    let (status, lines) = process::run_recorded(&mut cargo)?;
    Ok(Counts::from_cargo_test(&lines).checked(status.success()))
}

/// The demo's own helpers; the demo itself is a step of its own.
fn demo(tree: &Tree, runtimes: &Runtimes) -> Result<Counts> {
    let mut node = runtimes.command(Runtime::Node26)?;
    node.current_dir(tree.root().join("demo")).args([
        "--test",
        "--test-reporter=tap",
        "lib/lib.test.mjs",
    ]);
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

//! Every step that CI or a newcomer runs, by name: `cargo xtask --help` lists them.
#![forbid(unsafe_code)]

mod counts;
mod failure;
mod npm;
mod process;
mod runtimes;
mod static_elf;
mod steps;
mod structure;
mod tree;

use std::process::ExitCode;

use failure::{Failure, Result};
use tree::Tree;

const HELP: &str = "\
Usage: cargo xtask <step> [ARGS]

Steps
  build                 Build the addon and the npm package (npm/alacrypt) in place
  lab                   Build alacrypt-lab as one static binary, and print its path
  test                  Build, then run the Rust tests and the npm package's tests on
                        Node 20, 22, 24, 26, Bun and Deno; the last line is the sum
  check                 Formatting, lints, docs, types, licences, and the structure:
                        direction of dependencies, rooms of `unsafe` and of benchmarks,
                        origins of vectors, lock files, sizes of files; and that the table of
                        coverage is what the package does
  coverage              Build, and write docs/COVERAGE.md: what becomes of a plain call of each
                        function, on Node 20, 22, 24 and 26
  bench [ARGS]          Measure stock Node against Node with the flag by alacrypt-lab, and write
                        docs/BENCHMARKS.md (--help lists the options)
  demo [ARGS]           Run real npm packages on stock Node 26 and with the flag, compare
                        every output and print one table (--help lists the options)
  mutants [NAME...]     Plant known faults one by one: each must turn the tests red
  node <RUNTIME> [--] ARGS
                        Run a pinned runtime: 20, 22, 24, 26, bun or deno

Runtimes and packages are installed on first use, from the lock files.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<ExitCode> {
    let Some((step, rest)) = args.split_first() else {
        print!("{HELP}");
        return Ok(ExitCode::FAILURE);
    };
    if matches!(step.as_str(), "--help" | "-h" | "help") {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    // `cargo xtask bench -- --quick` and `cargo xtask bench --quick` mean the same.
    let rest = match rest.split_first() {
        Some((separator, after)) if separator == "--" => after,
        _ => rest,
    };
    let tree = Tree::of_this_workspace()?;
    match step.as_str() {
        "build" => refuse_args(step, rest).and_then(|()| steps::build::run(&tree)),
        "lab" => refuse_args(step, rest).and_then(|()| steps::lab::run(&tree)),
        "test" => refuse_args(step, rest).and_then(|()| steps::test::run(&tree)),
        "check" => refuse_args(step, rest).and_then(|()| steps::check::run(&tree)),
        "coverage" => refuse_args(step, rest).and_then(|()| steps::coverage::run(&tree)),
        "bench" => steps::bench::run(&tree, rest),
        "demo" => steps::demo::run(&tree, rest),
        "mutants" => steps::mutants::run(&tree, rest),
        "node" => steps::node::run(&tree, rest),
        other => Err(Failure::new(format!(
            "no step is called `{other}`; `cargo xtask --help` lists them"
        ))),
    }
}

fn refuse_args(step: &str, rest: &[String]) -> Result<()> {
    match rest.first() {
        None => Ok(()),
        Some(extra) => Err(Failure::new(format!(
            "`{step}` takes no arguments, got `{extra}`"
        ))),
    }
}

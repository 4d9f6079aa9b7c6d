//! `cargo xtask node <RUNTIME> -- ARGS`: a pinned runtime, as if it were installed.

use std::process::ExitCode;

use crate::failure::{Failure, Result};
use crate::process;
use crate::runtimes::{Runtime, Runtimes};
use crate::tree::Tree;

pub(crate) fn run(tree: &Tree, args: &[String]) -> Result<ExitCode> {
    let Some((name, rest)) = args.split_first() else {
        return Err(Failure::new(
            "`node` needs the name of a runtime: 20, 22, 24, 26, bun or deno",
        ));
    };
    let runtime = Runtime::from_name(name)?;
    let rest = match rest.split_first() {
        Some((separator, after)) if separator == "--" => after,
        _ => rest,
    };
    let status = process::status_of(Runtimes::installed(tree)?.command(runtime)?.args(rest))?;
    Ok(process::exit_code(status))
}

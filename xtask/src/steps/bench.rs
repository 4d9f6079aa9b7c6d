//! `cargo xtask bench`: the npm package's benchmarks on Node 26.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use super::build;
use crate::failure::{Failure, Result};
use crate::npm;
use crate::process;
use crate::runtimes::{Runtime, Runtimes};
use crate::tree::Tree;

pub(crate) fn run(tree: &Tree, args: &[String]) -> Result<ExitCode> {
    build::build(tree)?;
    let runtimes = Runtimes::installed(tree)?;
    let node = runtimes.binary(Runtime::Node26)?;
    let package = tree.npm_package();
    let mut bench = npm::npm(&package);
    bench
        .args(["run", "--silent", "bench", "--"])
        .args(args)
        // npm's scripts say `node`: the first one on the search path.
        .env("PATH", path_with(&node)?)
        // The table has a column for Bun's own calls.
        .env("ALACRYPT_BENCH_BUN", runtimes.binary(Runtime::Bun)?);
    Ok(process::exit_code(process::status_of(&mut bench)?))
}

fn path_with(node: &Path) -> Result<OsString> {
    let folder = node
        .parent()
        .ok_or_else(|| Failure::new(format!("{} has no folder", node.display())))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    std::env::join_paths(folders)
        .map_err(|error| Failure::new(format!("no search path can be made: {error}")))
}

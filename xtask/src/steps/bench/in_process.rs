//! `npm run bench`: stock and ours in turns within long processes, beside Bun's own calls and the
//! floor. Its figures come from medians of rounds, not from the lab.

use std::ffi::OsString;
use std::path::Path;

use super::document::fenced;
use crate::failure::{Failure, Result};
use crate::npm;
use crate::process;
use crate::runtimes::{Runtime, Runtimes};
use crate::tree::Tree;

const FILE: &str = "in-process.txt";

/// Runs it and keeps what it printed.
pub(super) fn run(
    tree: &Tree,
    runtimes: &Runtimes,
    node: Runtime,
    words: &[String],
    folder: &Path,
) -> Result<()> {
    let mut bench = npm::npm(&tree.npm_package());
    bench
        .args(["run", "--silent", "bench", "--"])
        .args(words)
        // npm's scripts say `node`: the first one on the search path.
        .env("PATH", path_with(&runtimes.binary(node)?)?)
        // The table has a column for Bun's own calls.
        .env("ALACRYPT_BENCH_BUN", runtimes.binary(Runtime::Bun)?);
    println!("── {}", process::line(&bench));
    let (status, lines) = process::run_recorded(&mut bench)?;
    if !status.success() {
        return Err(Failure::new(format!("npm run bench ended with {status}")));
    }
    let file = folder.join(FILE);
    std::fs::write(&file, lines.join("\n")).map_err(Failure::at(&file))
}

/// What the document says of it, if it ran.
pub(super) fn text(node: Runtime, folder: &Path) -> Result<Option<String>> {
    let file = folder.join(FILE);
    if !file.exists() {
        return Ok(None);
    }
    let printed = std::fs::read_to_string(&file).map_err(Failure::at(&file))?;
    Ok(Some(format!(
        "## {}: in one process, beside Bun and the floor\n\n{}\n\n{}",
        node.title(),
        fenced("console", "$ cargo xtask bench -- --in-process"),
        fenced("", &printed)
    )))
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

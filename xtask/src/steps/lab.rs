//! The measuring tool, built for the steps that measure.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Result;
use crate::process;
use crate::tree::Tree;

/// What must not reach a measured program: it would load something into one side, or switch the
/// other off.
const UNWANTED: [&str; 4] = [
    "NODE_OPTIONS",
    "NODE_V8_COVERAGE",
    "ALACRYPT",
    "ALACRYPT_STATS",
];

/// Builds `alacrypt-lab` in release mode; its path.
pub(super) fn build(tree: &Tree) -> Result<PathBuf> {
    process::run(tree.cargo().args([
        "build",
        "--release",
        "--locked",
        "--package",
        "alacrypt-lab",
    ]))?;
    let name = format!("alacrypt-lab{}", std::env::consts::EXE_SUFFIX);
    Ok(tree.target_dir()?.join("release").join(name))
}

/// The tool, to be run at the root of the tree, so that paths in what it prints are short.
pub(super) fn command(tree: &Tree, lab: &Path) -> Command {
    let mut command = Command::new(lab);
    command.current_dir(tree.root());
    for name in UNWANTED {
        command.env_remove(name);
    }
    command
}

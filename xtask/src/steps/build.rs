//! `cargo xtask build`: the addon, and the npm package around it.

use std::path::Path;
use std::process::ExitCode;

use crate::failure::{Failure, Result};
use crate::npm;
use crate::process::{self, timed};
use crate::tree::Tree;

pub(crate) fn run(tree: &Tree) -> Result<ExitCode> {
    timed("build", || build(tree))?;
    Ok(ExitCode::SUCCESS)
}

/// Builds the addon in release mode, puts it into the npm package and compiles its TypeScript.
pub(crate) fn build(tree: &Tree) -> Result<()> {
    process::run(tree.cargo().args([
        "build",
        "--release",
        "--locked",
        "--package",
        "alacrypt-node",
    ]))?;
    let library = tree.target_dir()?.join("release").join(library_name());
    let package = tree.npm_package();
    place(&library, &package.join(addon_name()?))?;
    npm::install(&package)?;
    process::run(npm::npm(&package).args(["run", "--silent", "build"]))
}

/// Puts the addon in place in one step, so that a process that has the old one mapped keeps it.
fn place(library: &Path, addon: &Path) -> Result<()> {
    let built = std::fs::read(library).map_err(Failure::at(library))?;
    if std::fs::read(addon).is_ok_and(|present| present == built) {
        return Ok(());
    }
    let new = addon.with_extension("node.new");
    std::fs::write(&new, built).map_err(Failure::at(&new))?;
    std::fs::rename(&new, addon).map_err(Failure::at(addon))
}

fn library_name() -> String {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    format!("{DLL_PREFIX}alacrypt_node{DLL_SUFFIX}")
}

/// `alacrypt.<platform>-<arch>[-<libc>].node`, in Node's words for platform and architecture.
pub(super) fn addon_name() -> Result<String> {
    use std::env::consts::{ARCH, OS};
    let libc = match OS {
        "linux" if cfg!(target_env = "musl") => "-musl",
        "linux" => "-gnu",
        _ => "",
    };
    let platform = match OS {
        "linux" => "linux",
        "macos" => "darwin",
        "windows" => "win32",
        other => return Err(Failure::new(format!("no addon is built for {other}"))),
    };
    let arch = match ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => return Err(Failure::new(format!("no addon is built for {other}"))),
    };
    Ok(format!("alacrypt.{platform}-{arch}{libc}.node"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
    #[test]
    fn names_are_those_that_the_loader_looks_for() -> Result<()> {
        assert_eq!(library_name(), "libalacrypt_node.so");
        assert_eq!(addon_name()?, "alacrypt.linux-x64-gnu.node");
        Ok(())
    }
}

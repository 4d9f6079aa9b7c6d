//! `cargo xtask demo`: real npm packages, unchanged, on stock Node 26 and with the flag.
//!
//! This file does the set-up; `demo/run.mjs` runs the workloads and prints the table, with the
//! statistics of `alacrypt-lab`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;

use super::{build, lab};
use crate::failure::{Failure, Result};
use crate::npm;
use crate::process::{self, timed};
use crate::runtimes::{Runtime, Runtimes};
use crate::tree::Tree;

pub(crate) fn run(tree: &Tree, args: &[String]) -> Result<ExitCode> {
    let demo = tree.root().join("demo");
    let runtimes = Runtimes::installed(tree)?;
    let lab = timed("set-up", || {
        set_up(tree, &demo)?;
        lab::build(tree)
    })?;
    let mut runner = runtimes.script(Runtime::Node26)?;
    runner
        .current_dir(&demo)
        .arg("run.mjs")
        .args(args)
        .arg("--lab")
        .arg(lab)
        .arg("--out")
        .arg(kept(tree)?);
    Ok(process::exit_code(process::status_of(&mut runner)?))
}

fn set_up(tree: &Tree, demo: &Path) -> Result<()> {
    build::build(tree)?;
    npm::install(demo)?;
    fetch_tarballs(demo)?;
    install_alacrypt(tree, demo)
}

/// Keeps the registry's tarball of every package that the demo's lock file pins.
///
/// They are real input for the package that checks integrities.
fn fetch_tarballs(demo: &Path) -> Result<()> {
    let lock_path = demo.join("package-lock.json");
    let lock = std::fs::read_to_string(&lock_path).map_err(Failure::at(&lock_path))?;
    let folder = demo.join(".cache/tarballs");
    std::fs::create_dir_all(&folder).map_err(Failure::at(&folder))?;
    let missing: Vec<String> = pinned(&lock)?
        .into_iter()
        .filter(|(name, version)| !folder.join(tarball_name(name, version)).is_file())
        .map(|(name, version)| format!("{name}@{version}"))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("set-up: npm pack of {} pinned packages", missing.len());
    process::run(
        npm::npm(demo)
            .args(["pack", "--silent", "--ignore-scripts", "--pack-destination"])
            .arg(&folder)
            .args(&missing)
            .stdout(std::process::Stdio::null()),
    )
}

/// Name and version of every package in a lock file.
fn pinned(lock: &str) -> Result<Vec<(String, String)>> {
    let lock: Value = serde_json::from_str(lock)
        .map_err(|error| Failure::new(format!("demo/package-lock.json: {error}")))?;
    let packages = lock["packages"]
        .as_object()
        .ok_or_else(|| Failure::new("demo/package-lock.json lists no packages"))?;
    Ok(packages
        .iter()
        .filter_map(|(place, package)| {
            let (_, folder) = place.rsplit_once("node_modules/")?;
            // A package that is installed under another name than its own says so.
            let name = package["name"].as_str().unwrap_or(folder);
            Some((name.to_owned(), package["version"].as_str()?.to_owned()))
        })
        .collect())
}

/// The file name that `npm pack` chooses.
fn tarball_name(name: &str, version: &str) -> String {
    let flat = name.trim_start_matches('@').replace('/', "-");
    format!("{flat}-{version}.tgz")
}

/// Where the demo's own files stay: the packed package, the runs, the lab's report.
fn kept(tree: &Tree) -> Result<PathBuf> {
    let folder = tree.target_dir()?.join("demo");
    std::fs::create_dir_all(&folder).map_err(Failure::at(&folder))?;
    Ok(folder)
}

/// Packs the npm package and installs the tarball, as a user would get it from the registry.
fn install_alacrypt(tree: &Tree, demo: &Path) -> Result<()> {
    let folder = kept(tree)?;
    let packed = process::output_of(
        npm::npm(&tree.npm_package())
            .args(["pack", "--silent", "--ignore-scripts", "--pack-destination"])
            .arg(&folder),
    )?;
    let name = packed.lines().last().unwrap_or_default().trim();
    let tarball: PathBuf = folder.join(name);
    if !tarball.is_file() {
        return Err(Failure::new(format!(
            "npm pack left no tarball in {}",
            folder.display()
        )));
    }
    // npm leaves an installed package of the same version as it is, whatever its contents.
    let installed = demo.join("node_modules/alacrypt");
    if installed.exists() {
        std::fs::remove_dir_all(&installed).map_err(Failure::at(&installed))?;
    }
    process::run(
        npm::npm(demo)
            .args([
                "install",
                "--no-save",
                "--offline",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                "--silent",
            ])
            .arg(&tarball),
    )?;
    must_be_the_build(tree, &installed)
}

/// The table must speak of what was just built, not of a package from a cache.
fn must_be_the_build(tree: &Tree, installed: &Path) -> Result<()> {
    let addon = build::addon_name()?;
    let read = |folder: &Path| {
        let path = folder.join(&addon);
        std::fs::read(&path).map_err(Failure::at(&path))
    };
    if read(installed)? == read(&tree.npm_package())? {
        Ok(())
    } else {
        Err(Failure::new(
            "the demo's alacrypt is not the one just built",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tarballs_are_called_as_npm_pack_calls_them() {
        assert_eq!(tarball_name("ssri", "1.2.3"), "ssri-1.2.3.tgz");
        assert_eq!(tarball_name("@a/b-c", "1.2.3"), "a-b-c-1.2.3.tgz");
    }

    #[test]
    fn nested_packages_are_pinned_by_their_own_name() -> Result<()> {
        let lock = r#"{ "packages": {
            "": { "name": "demo", "version": "1.0.0" },
            "node_modules/@a/b": { "version": "1.0.0" },
            "node_modules/c/node_modules/d": { "version": "2.0.0" },
            "node_modules/e2": { "name": "e", "version": "3.0.0" }
        } }"#;
        let expected = [("@a/b", "1.0.0"), ("d", "2.0.0"), ("e", "3.0.0")];
        assert_eq!(
            pinned(lock)?,
            expected.map(|(name, version)| (name.to_owned(), version.to_owned()))
        );
        Ok(())
    }
}

//! A working tree to run steps in: this workspace, or a copy of it with a fault planted.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result};
use crate::process;

/// Where a step runs: the root of the sources and the build directory that belongs to them.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    /// `None`: Cargo's own choice (`CARGO_TARGET_DIR`, its configuration, or `target/`).
    target_dir: Option<PathBuf>,
}

impl Tree {
    /// The workspace that this program was started in by Cargo, or else was built from.
    ///
    /// The two differ when several checkouts share one build directory: Cargo then may run a
    /// program that another checkout has built.
    pub(crate) fn of_this_workspace() -> Result<Self> {
        let xtask = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = xtask
            .parent()
            .filter(|root| root.join("Cargo.toml").is_file())
            .ok_or_else(|| Failure::new(format!("no workspace above {}", xtask.display())))?;
        Ok(Self {
            root: root.to_owned(),
            target_dir: None,
        })
    }

    /// A copy at `root` that builds into `target_dir`.
    pub(crate) fn copy_at(root: PathBuf, target_dir: PathBuf) -> Self {
        Self {
            root,
            target_dir: Some(target_dir),
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The npm package that the addon is copied into.
    pub(crate) fn npm_package(&self) -> PathBuf {
        self.root.join("npm/alacrypt")
    }

    /// Cargo, to be run in this tree.
    pub(crate) fn cargo(&self) -> Command {
        // Cargo names itself to the programs it runs, so that they call the same version.
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        command.current_dir(&self.root);
        if let Some(target_dir) = &self.target_dir {
            command.env("CARGO_TARGET_DIR", target_dir);
        }
        command
    }

    /// What `cargo metadata` says about this workspace.
    pub(crate) fn metadata(&self) -> Result<serde_json::Value> {
        let json = process::output_of(self.cargo().args([
            "metadata",
            "--format-version=1",
            "--no-deps",
            "--locked",
        ]))?;
        serde_json::from_str(&json)
            .map_err(|error| Failure::new(format!("cargo metadata is no JSON: {error}")))
    }

    /// The directory that Cargo builds this tree into.
    pub(crate) fn target_dir(&self) -> Result<PathBuf> {
        match &self.target_dir {
            Some(target_dir) => Ok(target_dir.clone()),
            None => self.metadata()?["target_directory"]
                .as_str()
                .map(PathBuf::from)
                .ok_or_else(|| Failure::new("cargo metadata names no target directory")),
        }
    }

    /// The paths, relative to the root, of all files that Git tracks or would track.
    pub(crate) fn files(&self) -> Result<Vec<String>> {
        let mut git = Command::new("git");
        git.current_dir(&self.root).args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]);
        let listing = process::output_of(&mut git)?;
        let mut files: Vec<String> = listing
            .split('\0')
            // A file that was deleted but not yet staged is still listed.
            .filter(|path| !path.is_empty() && self.root.join(path).is_file())
            .map(str::to_owned)
            .collect();
        files.sort();
        files.dedup();
        if files.is_empty() {
            return Err(Failure::new(format!(
                "Git lists no file in {}",
                self.root.display()
            )));
        }
        Ok(files)
    }
}

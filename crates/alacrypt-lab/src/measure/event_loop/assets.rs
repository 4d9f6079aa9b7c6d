//! The scripts that runs need, in a folder of their own that goes with the last of them.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

const PRELOAD: &str = include_str!("preload.cjs");
const SERVER: &str = include_str!("server.mjs");

/// Stands for the built-in server's file in the words of an arm.
pub const SERVER_WORD: &str = "{server}";

/// The folder; removed when dropped.
#[derive(Debug)]
pub struct Assets(PathBuf);

impl Assets {
    /// Writes it.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write() -> Result<Self> {
        let dir = std::env::temp_dir().join(format!("alacrypt-lab-loop-{}", std::process::id()));
        let refused = |e| Error::io(format!("write {}", dir.display()), e);
        std::fs::create_dir_all(&dir).map_err(refused)?;
        let this = Self(dir.clone());
        std::fs::write(this.preload(), PRELOAD).map_err(refused)?;
        std::fs::write(this.server(), SERVER).map_err(refused)?;
        Ok(this)
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.0
    }

    /// What watches the loop and computes.
    pub fn preload(&self) -> PathBuf {
        self.0.join("preload.cjs")
    }

    /// The built-in server.
    pub fn server(&self) -> PathBuf {
        self.0.join("server.mjs")
    }

    /// Where a run leaves its figures.
    pub fn result(&self) -> PathBuf {
        self.0.join("result.json")
    }
}

impl Drop for Assets {
    fn drop(&mut self) {
        // Left behind at worst, in the folder for what may be lost.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

//! The copy of the sources that faults are planted in.

use std::path::Path;

use crate::failure::{Failure, Result};
use crate::tree::Tree;

/// Beside the copy: the files that were copied last time.
const LISTING: &str = "files.txt";

/// Brings the copy up to date.
///
/// A file that did not change is not written, so that builds in the copy stay incremental;
/// what was built or installed there stays.
pub(super) fn refresh(tree: &Tree, copy: &Path) -> Result<()> {
    let files = tree.files()?;
    let home = copy
        .parent()
        .ok_or_else(|| Failure::new("the copy needs a folder around it"))?;
    std::fs::create_dir_all(copy).map_err(Failure::at(copy))?;
    let listing = home.join(LISTING);
    for gone in std::fs::read_to_string(&listing)
        .unwrap_or_default()
        .lines()
        .filter(|path| !files.iter().any(|file| file == path))
    {
        // Already gone is as good.
        let _ = std::fs::remove_file(copy.join(gone));
    }
    for file in &files {
        copy_if_changed(&tree.root().join(file), &copy.join(file))?;
    }
    std::fs::write(&listing, files.join("\n")).map_err(Failure::at(&listing))
}

fn copy_if_changed(from: &Path, to: &Path) -> Result<()> {
    let contents = std::fs::read(from).map_err(Failure::at(from))?;
    if std::fs::read(to).is_ok_and(|present| present == contents) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(Failure::at(folder))?;
    }
    std::fs::write(to, contents).map_err(Failure::at(to))
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::SystemTime;

    use crate::process;

    #[test]
    fn a_copy_follows_its_sources_and_keeps_what_was_built_in_it() -> Result<()> {
        let home = std::env::temp_dir().join(format!("xtask-copy-{}", std::process::id()));
        let (from, to) = (home.join("from"), home.join("copy/tree"));
        write(&from.join("src/a.rs"), "first")?;
        write(&from.join("src/b.rs"), "same")?;
        write(&from.join("src/c.rs"), "gone soon")?;
        process::run(Command::new("git").args(["init", "--quiet"]).arg(&from))?;
        let sources = Tree::copy_at(from.clone(), home.join("target"));

        refresh(&sources, &to)?;
        write(&to.join("node_modules/built"), "stays")?;
        let written = modified(&to.join("src/b.rs"))?;
        write(&from.join("src/a.rs"), "second")?;
        std::fs::remove_file(from.join("src/c.rs")).map_err(Failure::at(&from))?;
        refresh(&sources, &to)?;

        assert_eq!(read(&to.join("src/a.rs"))?, "second");
        assert_eq!(modified(&to.join("src/b.rs"))?, written);
        assert!(!to.join("src/c.rs").exists());
        assert_eq!(read(&to.join("node_modules/built"))?, "stays");

        // A run that was cut off leaves its fault behind; the next one starts without it.
        write(&to.join("src/b.rs"), "faulty")?;
        refresh(&sources, &to)?;
        assert_eq!(read(&to.join("src/b.rs"))?, "same");
        std::fs::remove_dir_all(&home).map_err(Failure::at(&home))
    }

    fn write(path: &Path, text: &str) -> Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Failure::at(folder))?;
        }
        std::fs::write(path, text).map_err(Failure::at(path))
    }

    fn read(path: &Path) -> Result<String> {
        std::fs::read_to_string(path).map_err(Failure::at(path))
    }

    fn modified(path: &Path) -> Result<SystemTime> {
        std::fs::metadata(path)
            .and_then(|data| data.modified())
            .map_err(Failure::at(path))
    }
}

//! npm: packages are installed from their lock file, once per state of that file.

use std::path::Path;
use std::process::Command;

use crate::failure::{Failure, Result};
use crate::process;

/// Inside `node_modules`: the manifest and lock file that it was installed from.
const STAMP: &str = ".installed-from";

/// npm, to be run in `folder`.
pub(crate) fn npm(folder: &Path) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(folder);
    command
}

/// Installs a folder's packages with `npm ci`, unless they already are what its lock file says.
///
/// Install scripts do not run: nothing that is pinned here needs one.
pub(crate) fn install(folder: &Path) -> Result<()> {
    let wanted = state_of(folder)?;
    let stamp = folder.join("node_modules").join(STAMP);
    if std::fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    println!("set-up: npm ci in {}", folder.display());
    process::run(npm(folder).args([
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]))?;
    // npm makes no folder for a package without dependencies.
    let modules = folder.join("node_modules");
    std::fs::create_dir_all(&modules).map_err(Failure::at(&modules))?;
    std::fs::write(&stamp, wanted).map_err(Failure::at(&stamp))
}

fn state_of(folder: &Path) -> Result<Vec<u8>> {
    let mut state = Vec::new();
    for name in ["package.json", "package-lock.json"] {
        let path = folder.join(name);
        state.extend(std::fs::read(&path).map_err(Failure::at(&path))?);
        state.push(0);
    }
    Ok(state)
}

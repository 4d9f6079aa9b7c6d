//! The file of `probe`: TOML into a command and its changes.

use crate::error::{Error, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// With more, rounds become too long to be compared; a screen comes first.
const MOST: usize = 8;
/// With more, all combinations are too many.
const MOST_FULL: usize = 4;

/// A command, and what is changed about it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProbeFile {
    /// What is measured, as the shell reads it; `{flags}` stands for the flags of the changes.
    pub(super) cmd: String,
    /// Whether all combinations are measured.
    #[serde(default)]
    pub(super) full: bool,
    #[serde(default)]
    pub(super) base: Base,
    #[serde(default)]
    pub(super) change: Vec<Change>,
}

/// What all arms begin with.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Base {
    /// A git repository, for changes that are refs or patches.
    pub(super) repo: Option<PathBuf>,
    /// Its commit.
    #[serde(rename = "ref")]
    pub(super) at: Option<String>,
    /// Once in each tree, as the shell reads it.
    pub(super) build: Option<String>,
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
}

/// One change: any of these together.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Change {
    pub(super) name: String,
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) flags: String,
    #[serde(rename = "ref")]
    pub(super) at: Option<String>,
    pub(super) patch: Option<PathBuf>,
}

impl Change {
    /// Whether it changes the sources.
    pub(super) fn is_code(&self) -> bool {
        self.at.is_some() || self.patch.is_some()
    }
}

/// Reads the file; paths in it are relative to it.
///
/// # Errors
/// When it cannot be read, is not TOML of this shape, or contradicts itself.
pub(super) fn read(path: &Path) -> Result<ProbeFile> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Error::io(format!("read {}", path.display()), e))?;
    let mut file: ProbeFile = toml::from_str(&text).map_err(|e| {
        let before = e.span().and_then(|span| text.get(..span.start));
        let line = before.map(|before| before.matches('\n').count() + 1);
        Error::input(path, line, e.message())
    })?;
    let here = std::path::absolute(path.parent().unwrap_or(Path::new(".")))
        .map_err(|e| Error::io(format!("find {}", path.display()), e))?;
    let patches = file.change.iter_mut().map(|change| &mut change.patch);
    for place in patches.chain([&mut file.base.repo]) {
        *place = place.take().map(|path| here.join(path));
    }
    check(&file).map_err(|why| Error::input(path, None, why))?;
    Ok(file)
}

fn check(file: &ProbeFile) -> std::result::Result<(), String> {
    let count = file.change.len();
    let most = if file.full { MOST_FULL } else { MOST };
    if !(2..=most).contains(&count) {
        return Err(format!("{count} of [[change]]: expected 2 to {most}"));
    }
    let mut names = BTreeSet::new();
    for change in &file.change {
        let name = &change.name;
        let plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || !name.chars().all(plain) || !names.insert(name) {
            return Err(format!(
                "change {name:?}: expected a name of its own, of letters and digits"
            ));
        }
        if change.env.is_empty() && change.flags.is_empty() && !change.is_code() {
            return Err(format!("change {name}: expected env, flags, ref or patch"));
        }
        if !change.flags.is_empty() && !file.cmd.contains("{flags}") {
            return Err(format!("change {name}: cmd has no {{flags}} for its flags"));
        }
        if change.is_code() && file.base.repo.is_none() {
            return Err(format!("change {name}: ref and patch need base.repo"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named() {
        let env = |name: &str| format!("[[change]]\nname = \"{name}\"\nenv.X = \"1\"\n");
        for (text, part) in [
            (format!("cmd = \"a\"\n{}", env("a")), "expected 2 to 8"),
            (
                format!("cmd = \"a\"\n{}{}", env("a"), env("a")),
                "name of its own",
            ),
            (
                format!(
                    "cmd = \"a\"\n{}[[change]]\nname = \"b\"\nflags = \"-x\"",
                    env("a")
                ),
                "{flags}",
            ),
            (
                format!(
                    "cmd = \"a\"\n{}[[change]]\nname = \"b\"\nref = \"x\"",
                    env("a")
                ),
                "base.repo",
            ),
            (
                format!("cmd = \"a\"\n{}[[change]]\nname = \"b\"", env("a")),
                "expected env",
            ),
        ] {
            let file: ProbeFile = toml::from_str(&text).unwrap();
            let why = check(&file).unwrap_err();
            assert!(why.contains(part), "{why}");
        }
    }
}

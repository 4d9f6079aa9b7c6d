//! Source trees of `probe`: one for each combination of refs and patches, built once.

use super::probe_file::{Change, ProbeFile};
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The trees of one session.
pub(super) struct Trees<'a> {
    file: &'a ProbeFile,
    root: PathBuf,
    /// Of each combination of changes of the sources, its tree or why there is none.
    made: BTreeMap<u32, std::result::Result<PathBuf, String>>,
}

impl<'a> Trees<'a> {
    pub(super) fn new(file: &'a ProbeFile, session: &Path) -> Result<Self> {
        let session = std::path::absolute(session)
            .map_err(|e| Error::io(format!("find {}", session.display()), e))?;
        Ok(Self {
            file,
            root: session.join("trees"),
            made: BTreeMap::new(),
        })
    }

    /// The built tree of this set of changes; none when no repository is given.
    pub(super) fn of(&mut self, set: u32) -> std::result::Result<Option<PathBuf>, String> {
        if self.file.base.repo.is_none() {
            return Ok(None);
        }
        let code = self.code_of(set);
        if !self.made.contains_key(&code) {
            let dir = self.root.join(format!("{code:b}"));
            let built = self
                .make(code, &dir)
                .and_then(|()| self.build(&dir))
                .map(|()| dir);
            self.made.insert(code, built);
        }
        self.made[&code].clone().map(Some)
    }

    /// Those of the set that change the sources.
    fn code_of(&self, set: u32) -> u32 {
        let codes = self.file.change.iter().enumerate();
        codes.fold(0, |code, (i, change)| {
            code | (u32::from(change.is_code()) << i) & set
        })
    }

    /// The other changes with which one that does not apply alone does: it depends on them.
    pub(super) fn depends_on(&self, change: usize) -> Vec<String> {
        let others = self.file.change.iter().enumerate();
        let helps = |other: usize| {
            let dir = self.root.join(format!("try-{change}-{other}"));
            self.make((1 << change) | (1 << other), &dir).is_ok()
        };
        others
            .filter(|(other, with)| *other != change && with.is_code() && helps(*other))
            .map(|(_, with)| with.name.clone())
            .collect()
    }

    /// The base's sources with these changes in the order of the file; refs and patches that
    /// another one must precede are tried again after it.
    fn make(&self, code: u32, dir: &Path) -> std::result::Result<(), String> {
        let Some(repo) = &self.file.base.repo else {
            return Ok(());
        };
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let commit = |at: &str| {
            git(
                repo,
                &[
                    "rev-parse",
                    "--verify",
                    "--end-of-options",
                    &format!("{at}^{{commit}}"),
                ],
            )
        };
        let base = commit(self.file.base.at.as_deref().unwrap_or("HEAD"))?;
        if dir.exists() {
            // Left by an earlier try of the same folder.
            std::fs::remove_dir_all(dir).map_err(|e| format!("clear {}: {e}", dir.display()))?;
        }
        // A clone of its own leaves the user's repository as it is.
        git(
            repo,
            &[
                "clone",
                "--quiet",
                "--shared",
                "--no-checkout",
                &text(repo),
                &text(dir),
            ],
        )?;
        git(dir, &["checkout", "--quiet", "--detach", &base])?;
        let wanted = |i: usize| code >> i & 1 == 1;
        let changes = self.file.change.iter().enumerate();
        let mut left: Vec<&Change> = changes
            .filter(|(i, _)| wanted(*i))
            .map(|(_, c)| c)
            .collect();
        while !left.is_empty() {
            let (before, mut why) = (left.len(), String::new());
            left.retain(|change| match apply(change, dir, &commit) {
                Ok(()) => false,
                Err(fault) => {
                    why = format!("{} does not apply: {fault}", change.name);
                    true
                }
            });
            if left.len() == before {
                return Err(why);
            }
        }
        Ok(())
    }

    fn build(&self, dir: &Path) -> std::result::Result<(), String> {
        match &self.file.base.build {
            None => Ok(()),
            Some(command) => {
                let mut shell = Command::new("sh");
                shell
                    .args(["-c", command])
                    .current_dir(dir)
                    .envs(&self.file.base.env);
                answer(shell)
                    .map(|_| ())
                    .map_err(|why| format!("the build failed: {why}"))
            }
        }
    }
}

fn apply(
    change: &Change,
    dir: &Path,
    commit: &dyn Fn(&str) -> std::result::Result<String, String>,
) -> std::result::Result<(), String> {
    if let Some(at) = &change.at {
        let merged = git(dir, &["merge", "--quiet", "--no-edit", &commit(at)?]);
        if let Err(why) = merged {
            let _ = git(dir, &["merge", "--abort"]);
            return Err(why);
        }
    }
    if let Some(patch) = &change.patch {
        git(dir, &["apply", &patch.to_string_lossy()])?;
        git(
            dir,
            &[
                "commit",
                "--quiet",
                "--all",
                "--allow-empty",
                "-m",
                &change.name,
            ],
        )?;
    }
    Ok(())
}

fn git(dir: &Path, words: &[&str]) -> std::result::Result<String, String> {
    let mut git = Command::new("git");
    git.args([
        "-c",
        "user.name=alacrypt-lab",
        "-c",
        "user.email=lab@localhost",
    ]);
    git.args(["-c", "commit.gpgsign=false", "-C"])
        .arg(dir)
        .args(words);
    answer(git)
}

/// What a command prints, or the last line of its complaint.
fn answer(mut command: Command) -> std::result::Result<String, String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| e.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let errors = text(&output.stderr);
    let errors = if errors.is_empty() {
        text(&output.stdout)
    } else {
        errors
    };
    let last = errors.lines().last().unwrap_or_default();
    Err(format!("{last} ({})", output.status))
}

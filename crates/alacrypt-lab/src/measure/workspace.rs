//! The folders of `phases`: a copy of the project, a store and a stash for each subject.
//!
//! `work/SUBJECT/project` is where its commands start, `work/SUBJECT/cache` its only store,
//! `work/SUBJECT/stash` holds its lock file. `work/SUBJECT/warm` exists while the store is as a
//! whole `install` left it.

use crate::error::{Error, Result};
use crate::session::{Expect, Net, Phase, Phases, Subject};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folders of one session, and what belongs into them.
#[derive(Debug)]
pub(super) struct Workspace {
    pub(super) plan: Phases,
    root: PathBuf,
}

/// The folders of one subject.
pub(super) struct Place<'a> {
    subject: &'a Subject,
    home: PathBuf,
}

impl Workspace {
    /// Makes the folders that are missing, each with a copy of the project.
    pub(super) fn open(plan: &Phases, session: &Path) -> Result<Self> {
        let session = std::path::absolute(session)
            .map_err(|e| Error::io(format!("find {}", session.display()), e))?;
        let root = session.join("work");
        for subject in &plan.subjects {
            let home = root.join(&subject.name);
            let made = |path: &Path| {
                fs::create_dir_all(path)
                    .map_err(|e| Error::io(format!("make {}", path.display()), e))
            };
            made(&home.join("cache"))?;
            made(&home.join("stash"))?;
            let project = home.join("project");
            if !project.exists() {
                // A name of its own until it is whole, so that an interrupted copy is made again.
                let part = home.join("project.part");
                wipe(&part).map_err(|e| Error::io(format!("clear {}", part.display()), e))?;
                made(&part)?;
                if let Some(from) = &plan.project {
                    copy(from, &part, &session)
                        .map_err(|e| Error::io(format!("copy {}", from.display()), e))?;
                }
                fs::rename(&part, &project)
                    .map_err(|e| Error::io(format!("make {}", project.display()), e))?;
            }
        }
        Ok(Self {
            plan: plan.clone(),
            root,
        })
    }

    /// The folders of the subject of that number.
    pub(super) fn of(&self, subject: usize) -> Place<'_> {
        let subject = &self.plan.subjects[subject];
        Place {
            subject,
            home: self.root.join(&subject.name),
        }
    }
}

impl Place<'_> {
    /// The subject's words for the shell: its command, in its project.
    pub(super) fn script(&self, command: &str) -> String {
        format!("cd \"$LAB_PROJECT\" && {command}")
    }

    /// Its environment.
    pub(super) fn env(&self) -> BTreeMap<String, String> {
        let text = |name: &str| self.home.join(name).to_string_lossy().into_owned();
        let (project, cache) = (text("project"), text("cache"));
        let given = self.subject.env.iter().map(|(name, value)| {
            let value = value
                .replace("{cache}", &cache)
                .replace("{project}", &project);
            (name.clone(), value)
        });
        let mut env: BTreeMap<String, String> = given.collect();
        env.insert("LAB_PROJECT".into(), project);
        env.insert("LAB_CACHE".into(), cache);
        env
    }

    fn path(&self, word: &str) -> Option<PathBuf> {
        let project = self.home.join("project");
        match word {
            "cache" => Some(self.home.join("cache")),
            "modules" => self.subject.modules.as_ref().map(|path| project.join(path)),
            "lock" => self
                .subject
                .lockfile
                .as_ref()
                .map(|path| project.join(path)),
            path => Some(project.join(path)),
        }
    }

    fn stash(&self) -> PathBuf {
        self.home.join("stash/lock")
    }

    fn warm(&self) -> PathBuf {
        self.home.join("warm")
    }

    /// Takes these away.
    pub(super) fn wipe<'a>(
        &self,
        words: impl IntoIterator<Item = &'a str>,
    ) -> std::result::Result<(), String> {
        for word in words {
            let Some(path) = self.path(word) else {
                continue;
            };
            let told = |e: std::io::Error| format!("wipe {word}: {e}");
            if word == "cache" {
                wipe(&self.warm()).map_err(told)?;
            }
            wipe(&path).map_err(told)?;
            if word == "cache" {
                fs::create_dir_all(&path).map_err(told)?;
            }
        }
        Ok(())
    }

    /// Whether an untimed `install` must come first, for this phase to begin as it should.
    pub(super) fn needs_seed(&self, phase: &Phase) -> bool {
        phase.restore.iter().any(|word| match word.as_str() {
            "cache" => !self.warm().exists(),
            _ => self.subject.lockfile.is_some() && !self.stash().exists(),
        })
    }

    /// Keeps the lock file of an `install` that went well, and the store as warm.
    pub(super) fn seeded(&self) -> std::result::Result<(), String> {
        if let Some(lock) = self.path("lock") {
            fs::copy(&lock, self.stash())
                .map_err(|e| format!("the install left no {}: {e}", lock.display()))?;
        }
        fs::write(self.warm(), "").map_err(|e| format!("mark the cache: {e}"))
    }

    /// Puts the lock file back.
    pub(super) fn restore(&self, phase: &Phase) -> std::result::Result<(), String> {
        let wanted = phase.restore.iter().any(|word| word == "lock");
        match self.path("lock").filter(|_| wanted) {
            Some(lock) => fs::copy(self.stash(), &lock)
                .map(|_| ())
                .map_err(|e| format!("restore {}: {e}", lock.display())),
            None => Ok(()),
        }
    }

    /// Apparent sizes of its folders, bytes, and what they take on the disk.
    pub(super) fn sizes(&self) -> BTreeMap<String, u64> {
        let mut sizes = BTreeMap::new();
        for word in ["cache", "modules", "lock"] {
            if let Some(path) = self.path(word) {
                let (apparent, allocated) = size(&path);
                sizes.insert(word.to_owned(), apparent);
                sizes.insert(format!("{word}_allocated"), allocated);
            }
        }
        sizes
    }
}

/// Why a run does not count that ended well, if so.
pub(super) fn invalid(expect: Expect, net: Option<&Net>) -> Option<String> {
    let wanted = expect.net_rx_max.is_some() || expect.net_rx_min.is_some();
    let Some(net) = net else {
        return wanted.then(|| "invalid: its traffic is not known".into());
    };
    if let Some(most) = expect.net_rx_max.filter(|most| net.rx > *most) {
        return Some(format!(
            "invalid: it received {} bytes ({}), where a warm one receives at most {most}",
            net.rx, net.scope
        ));
    }
    let least = expect.net_rx_min.filter(|least| net.rx < *least)?;
    Some(format!(
        "invalid: it received {} bytes ({}), where a cold one receives at least {least}",
        net.rx, net.scope
    ))
}

/// Takes a file or folder away that may be missing.
fn wipe(path: &Path) -> std::io::Result<()> {
    let gone = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(e) => Err(e),
    };
    gone.or_else(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Ok(()),
        _ => Err(e),
    })
}

/// Copies a folder without `.git`, `node_modules` and the session itself.
fn copy(from: &Path, to: &Path, session: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        if name == ".git" || name == "node_modules" || std::path::absolute(&path)? == session {
            continue;
        }
        let target = to.join(&name);
        let kind = entry.file_type()?;
        if kind.is_dir() {
            fs::create_dir_all(&target)?;
            copy(&path, &target, session)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&path)?, &target)?;
        } else if kind.is_file() {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

/// Apparent and allocated bytes of files below; a file with several names counts once.
fn size(path: &Path) -> (u64, u64) {
    let (mut seen, mut sum) = (BTreeSet::new(), (0, 0));
    let mut left = vec![path.to_owned()];
    while let Some(path) = left.pop() {
        let Ok(found) = fs::symlink_metadata(&path) else {
            continue;
        };
        if found.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            left.extend(entries.map(|entry| entry.path()));
        } else if found.nlink() < 2 || seen.insert((found.dev(), found.ino())) {
            sum.0 += found.len();
            sum.1 += found.blocks() * 512;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_two_names_counts_once() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), [0; 1000]).unwrap();
        fs::hard_link(dir.path().join("a"), dir.path().join("b")).unwrap();
        fs::create_dir(dir.path().join("d")).unwrap();
        fs::write(dir.path().join("d/c"), [0; 10]).unwrap();
        assert_eq!(size(dir.path()).0, 1010);
        assert_eq!(size(&dir.path().join("none")), (0, 0));
    }

    #[test]
    fn traffic_decides_what_counts() {
        let net = |rx| Net {
            scope: "proxy".into(),
            rx,
            ..Net::default()
        };
        let warm = Expect {
            net_rx_max: Some(100),
            net_rx_min: None,
        };
        let cold = Expect {
            net_rx_max: None,
            net_rx_min: Some(100),
        };
        assert_eq!(invalid(warm, Some(&net(100))), None);
        assert!(
            invalid(warm, Some(&net(101)))
                .unwrap()
                .contains("101 bytes (proxy)")
        );
        assert_eq!(invalid(cold, Some(&net(100))), None);
        assert!(
            invalid(cold, Some(&net(99)))
                .unwrap()
                .contains("at least 100")
        );
        assert!(invalid(warm, None).is_some());
        assert_eq!(invalid(Expect::default(), None), None);
    }
}

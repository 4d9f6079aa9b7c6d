//! Files that are there whole or not at all.
//!
//! What comes is written beside its place, under a name that no other download uses, and is moved
//! there when it was checked. What a broken download leaves is put under a name where the next one
//! finds it, and takes it for its own by renaming it; so two processes never write to one file.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use aws_lc_rs::digest;

use super::integrity::Integrity;
use crate::error::{ContentFault, Error};

/// A download under way.
pub(super) struct Partial {
    place: PathBuf,
    /// Where it is written.
    own: PathBuf,
    /// Where it is left for the next time.
    left: PathBuf,
    file: File,
    len: u64,
    check: Option<(Integrity, digest::Context)>,
    keep: bool,
}

/// Whether the file is there and is what it must be; its length.
pub(super) fn matches(path: &Path, integrity: &Integrity) -> Option<u64> {
    let mut file = File::open(path).ok()?;
    let mut context = integrity.start();
    let len = hash(&mut file, &mut context).ok()?;
    integrity.check(&context.finish()).then_some(len)
}

fn hash(file: &mut File, context: &mut digest::Context) -> std::io::Result<u64> {
    let mut buffer = vec![0; 64 * 1_024];
    let mut len = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(len);
        }
        context.update(&buffer[..read]);
        len += read as u64;
    }
}

fn disk(path: &Path, cause: std::io::Error) -> Error {
    Error::File {
        path: path.to_owned(),
        cause,
    }
}

impl Partial {
    /// Begins, with what an earlier download left if that can be checked.
    pub(super) fn open(place: &Path, integrity: Option<&Integrity>) -> Result<Self, Error> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let folder = place.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(folder).map_err(|cause| disk(folder, cause))?;
        let Some(name) = place.file_name() else {
            return Err(Error::Misuse(format!("{} is no file", place.display())));
        };
        let beside = |suffix: &str| {
            let mut hidden = OsString::from(".");
            hidden.push(name);
            hidden.push(suffix);
            folder.join(hidden)
        };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let left = beside(".part");
        let own = beside(&format!(".{}-{number}.part", std::process::id()));
        let goes_on = integrity.is_some() && fs::rename(&left, &own).is_ok();
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(!goes_on)
            .open(&own)
            .map_err(|cause| disk(&own, cause))?;
        let mut check = integrity.map(|integrity| (integrity.clone(), integrity.start()));
        let mut len = 0;
        if let Some((_, context)) = &mut check {
            // Leaves the file's position at its end, where the rest is to go.
            len = hash(&mut file, context).map_err(|cause| disk(&own, cause))?;
        }
        Ok(Self {
            place: place.to_owned(),
            own,
            left,
            file,
            len,
            keep: check.is_some(),
            check,
        })
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Throws away what there is: the server sends all of it.
    pub(super) fn restart(&mut self) -> Result<(), Error> {
        if self.len > 0 {
            use std::io::Seek;
            self.file
                .set_len(0)
                .and_then(|()| self.file.rewind())
                .map_err(|cause| disk(&self.own, cause))?;
            self.len = 0;
            if let Some((integrity, context)) = &mut self.check {
                *context = integrity.start();
            }
        }
        Ok(())
    }

    /// Nothing of it is to be left.
    pub(super) fn discard(&mut self) {
        self.keep = false;
    }

    pub(super) fn write(&mut self, data: &[u8]) -> Result<(), Error> {
        self.file
            .write_all(data)
            .map_err(|cause| disk(&self.own, cause))?;
        self.len += data.len() as u64;
        if let Some((_, context)) = &mut self.check {
            context.update(data);
        }
        Ok(())
    }

    /// Checks it and moves it to its place; its length.
    pub(super) fn finish(mut self) -> Result<u64, ContentFault> {
        // Whatever is wrong now would be wrong again.
        self.keep = false;
        if let Some((integrity, context)) = self.check.take() {
            let found = context.finish();
            if !integrity.check(&found) {
                return Err(ContentFault::Integrity {
                    expected: integrity.text_of(integrity.digest()),
                    found: integrity.text_of(found.as_ref()),
                });
            }
        }
        fs::rename(&self.own, &self.place).map_err(ContentFault::Write)?;
        Ok(self.len)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // After `finish` nothing is there under this name. A failure here loses what came, no more.
        let kept = self.keep && self.len > 0 && fs::rename(&self.own, &self.left).is_ok();
        if !kept {
            let _ = fs::remove_file(&self.own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_AB: &str = "sha256-+44g/C5MPySMYMOb1lLzwTRymLuXe4tNWQO4UFViBgM=";

    fn files(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_broken_download_goes_on_and_a_wrong_one_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("f");
        let integrity = Integrity::parse(OF_AB).unwrap();
        let mut first = Partial::open(&place, Some(&integrity)).unwrap();
        first.write(b"a").unwrap();
        drop(first);
        assert_eq!(files(dir.path()), [".f.part"]);

        let mut second = Partial::open(&place, Some(&integrity)).unwrap();
        assert_eq!(second.len(), 1);
        // A third at the same time begins anew and does not disturb.
        let third = Partial::open(&place, Some(&integrity)).unwrap();
        assert_eq!(third.len(), 0);
        drop(third);
        second.write(b"b").unwrap();
        assert_eq!(second.finish().unwrap(), 2);
        assert_eq!(files(dir.path()), ["f"]);
        assert_eq!(matches(&place, &integrity), Some(2));

        let mut wrong = Partial::open(&dir.path().join("g"), Some(&integrity)).unwrap();
        wrong.write(b"b").unwrap();
        assert!(matches!(
            wrong.finish(),
            Err(ContentFault::Integrity { .. })
        ));
        assert_eq!(files(dir.path()), ["f"]);
    }

    #[test]
    fn what_cannot_be_checked_does_not_go_on() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("f");
        let mut first = Partial::open(&place, None).unwrap();
        first.write(b"a").unwrap();
        drop(first);
        assert!(files(dir.path()).is_empty());
    }

    #[test]
    fn a_restart_forgets_what_was_there() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("f");
        let integrity = Integrity::parse(OF_AB).unwrap();
        let mut first = Partial::open(&place, Some(&integrity)).unwrap();
        first.write(b"xyz").unwrap();
        drop(first);
        let mut second = Partial::open(&place, Some(&integrity)).unwrap();
        second.restart().unwrap();
        second.write(b"ab").unwrap();
        assert_eq!(second.finish().unwrap(), 2);
        assert_eq!(fs::read(&place).unwrap(), b"ab");
    }
}

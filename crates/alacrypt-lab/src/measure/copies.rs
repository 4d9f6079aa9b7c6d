//! Byte copies of binaries for the A/A control.
//!
//! The copy lies at a path of the same length: the length of a program's path moves its stack, and
//! that alone can make a difference of some per cent.

use crate::error::{Error, Result};
use crate::session::Binary;
use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};

/// A copy that is removed when it is dropped.
#[derive(Debug)]
pub struct Copy {
    /// Where it lies.
    pub path: PathBuf,
    dir: PathBuf,
    /// Whether the path is as long as the original's.
    pub same_length: bool,
}

impl Copy {
    /// Copies `original` into a fresh folder below the system's temporary one.
    ///
    /// # Errors
    /// When no folder can be made or the file not copied.
    pub fn of(original: &Binary) -> Result<Self> {
        let name = original.path.file_name().unwrap_or_default();
        let temporary = std::env::temp_dir();
        let fixed = temporary.as_os_str().len() + name.len() + 2;
        let wanted = original.path.as_os_str().len().saturating_sub(fixed);
        // A folder name needs one letter, and some to be free; 200 is below what systems allow.
        let same_length = (1..=200).contains(&wanted);
        let letters = if same_length { wanted } else { 8 };
        let dir = fresh_dir(&temporary, letters)?;
        let copy = Self {
            path: dir.join(name),
            dir,
            same_length,
        };
        fs::copy(&original.path, &copy.path).map_err(|e| {
            Error::io(
                format!("copy {} for the A/A control", original.path.display()),
                e,
            )
        })?;
        Ok(copy)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // A copy left behind is harmless, and there is nobody to tell in a drop.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Makes a folder with a random name of that many letters.
fn fresh_dir(parent: &Path, letters: usize) -> Result<PathBuf> {
    let mut last = None;
    for _ in 0..100 {
        let name: String = (0..letters)
            .map(|i| {
                let n = RandomState::new().hash_one(i);
                char::from(b"abcdefghijklmnopqrstuvwxyz0123456789"[(n % 36) as usize])
            })
            .collect();
        let dir = parent.join(name);
        match fs::create_dir(&dir) {
            Ok(()) => return Ok(dir),
            Err(error) => last = Some(error),
        }
    }
    let last = last.unwrap_or_else(|| std::io::ErrorKind::AlreadyExists.into());
    Err(Error::io(
        format!("make a folder in {}", parent.display()),
        last,
    ))
}

/// Whether a file is a program by itself (ELF) and so may be copied elsewhere; a script may look
/// for its neighbours.
pub fn is_movable(path: &Path) -> bool {
    use std::io::Read;
    let mut magic = [0u8; 4];
    fs::File::open(path)
        .and_then(|mut f| f.read_exact(&mut magic))
        .is_ok()
        && magic == *b"\x7fELF"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_same_bytes_and_length_of_path_and_goes_away() {
        let parent = tempfile::tempdir().unwrap();
        let long = parent.path().join("some/longer/place");
        fs::create_dir_all(&long).unwrap();
        fs::write(long.join("tool"), "bytes").unwrap();
        let original = Binary::identify(&long.join("tool"), false).unwrap();
        let copy = Copy::of(&original).unwrap();
        assert!(copy.same_length);
        assert_eq!(copy.path.as_os_str().len(), original.path.as_os_str().len());
        assert_eq!(fs::read(&copy.path).unwrap(), b"bytes");
        let path = copy.path.clone();
        drop(copy);
        assert!(!path.exists());
    }

    #[test]
    fn only_programs_are_movable() {
        assert!(is_movable(&std::env::current_exe().unwrap()));
        assert!(!is_movable(Path::new("/etc/passwd")));
    }
}

//! Who a measured binary is: its bytes (SHA-256) and what it says of itself (`--version`).

use super::io_at;
use crate::error::Result;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A file that was run, as it was before the first run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binary {
    /// Where it lies, absolute.
    pub path: PathBuf,
    /// SHA-256 of its bytes, lower-case hexadecimal.
    pub sha256: String,
    /// Its length in bytes.
    pub size_bytes: u64,
    /// First line of what `--version` prints, if it printed one within two seconds.
    #[serde(default)]
    pub version: Option<String>,
}

impl Binary {
    /// Reads and hashes `path`, and asks it for its version when `ask_version` is set.
    ///
    /// # Errors
    /// When the file cannot be read. A binary without `--version` is no error.
    pub fn identify(path: &Path, ask_version: bool) -> Result<Self> {
        let path = path.canonicalize().map_err(|e| io_at(path, e))?;
        let (sha256, size_bytes) = sha256_file(&path)?;
        let version = if ask_version { version_of(&path) } else { None };
        Ok(Self {
            path,
            sha256,
            size_bytes,
            version,
        })
    }
}

/// SHA-256 of a file as lower-case hexadecimal, and its length in bytes.
///
/// # Errors
/// When the file cannot be read.
pub fn sha256_file(path: &Path) -> Result<(String, u64)> {
    let io = |e| io_at(path, e);
    let mut file = File::open(path).map_err(io)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0u8; 1 << 16];
    let mut length = 0u64;
    loop {
        let n = file.read(&mut buffer).map_err(io)?;
        if n == 0 {
            break;
        }
        hash.update(&buffer[..n]);
        length += n as u64;
    }
    Ok((hex(&hash.finalize()), length))
}

/// SHA-256 of some bytes as lower-case hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(char::from(b"0123456789abcdef"[usize::from(byte >> 4)]));
        out.push(char::from(b"0123456789abcdef"[usize::from(byte & 15)]));
    }
    out
}

/// First line of `path --version`; `None` when it fails, says nothing or takes over two seconds.
fn version_of(path: &Path) -> Option<String> {
    let mut child = Command::new(path)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let until = Instant::now() + Duration::from_secs(2);
    let ended_well = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                // Not an answer; the kill may race with its own end, which is as good.
                let _ = child.kill();
                let _ = child.wait();
                break false;
            }
        }
    };
    let mut text = Vec::new();
    child
        .stdout
        .take()?
        .take(4096)
        .read_to_end(&mut text)
        .ok()?;
    let first = String::from_utf8_lossy(&text)
        .lines()
        .next()
        .unwrap_or("")
        .trim()
        .to_owned();
    (ended_well && !first.is_empty()).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_the_standards_own_example() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_missing_binary_is_named() {
        let error = Binary::identify(Path::new("/nonexistent/node"), true).unwrap_err();
        assert!(error.to_string().contains("/nonexistent/node"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_binary_that_fails_has_no_version() {
        let binary = Binary::identify(Path::new("/bin/false"), true).unwrap();
        assert_eq!(binary.version, None);
        assert!(binary.size_bytes > 0);
    }
}

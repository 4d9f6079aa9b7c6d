//! Running the built binary.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What one call gave.
pub(crate) struct Called {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Called {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).expect("output is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
        }
    }
}

/// Calls the binary with these arguments.
pub(crate) fn lab(arguments: &[&str]) -> Called {
    let mut command = Command::new(env!("CARGO_BIN_EXE_alacrypt-lab"));
    command.args(arguments).stdin(Stdio::null());
    command.output().expect("the binary starts").into()
}

/// Calls it with text on standard input.
pub(crate) fn lab_with_input(arguments: &[&str], input: &str) -> Called {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(folder.path(), "input", input);
    let mut command = Command::new(env!("CARGO_BIN_EXE_alacrypt-lab"));
    command
        .args(arguments)
        .stdin(std::fs::File::open(path).expect("written above"));
    command.output().expect("the binary starts").into()
}

/// Writes a file and gives its path.
pub(crate) fn file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("a temporary file");
    path
}

/// A path as an argument.
pub(crate) fn arg(path: &Path) -> &str {
    path.to_str().expect("temporary paths are UTF-8")
}

/// Fails unless the call ended with this code and its message holds every part. A panic is
/// never an answer.
pub(crate) fn refuses(called: &Called, code: i32, parts: &[&str]) {
    assert_eq!(called.code, code, "{}{}", called.stdout, called.stderr);
    assert!(!called.stderr.contains("panicked"), "{}", called.stderr);
    for part in parts {
        assert!(
            called.stderr.contains(part),
            "{part:?} is not in {:?}",
            called.stderr
        );
    }
}

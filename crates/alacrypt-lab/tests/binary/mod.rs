//! Driving the built binary from tests.
// Each test file uses some of these; a helper that fails should fail where it stands.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use alacrypt_lab::session::{Run, Session, read_runs};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

pub(crate) const LAB: &str = env!("CARGO_BIN_EXE_alacrypt-lab");

pub(crate) fn bench_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench")
}

pub(crate) fn lab(arguments: &[&str]) -> Output {
    Command::new(LAB).args(arguments).output().unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
pub(crate) fn expect_code(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}", stderr(output));
}

pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn at(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }
}

#[track_caller]
pub(crate) fn load(dir: &str) -> Session {
    Session::load(Path::new(dir)).unwrap()
}

/// Waits for something that must come; a minute is for a machine under load.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) fn runs_so_far(dir: &str) -> Vec<Run> {
    read_runs(&Path::new(dir).join("runs.jsonl")).map_or(Vec::new(), |(runs, _)| runs)
}

/// Whether a process with this text among its arguments lives.
pub(crate) fn lives(text: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let is_pid = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.parse::<u32>().is_ok());
        let own = entry.file_name().to_str() == Some(&std::process::id().to_string());
        is_pid
            && !own
            && std::fs::read(entry.path().join("cmdline"))
                .is_ok_and(|line| line.split(|&b| b == 0).any(|word| word == text.as_bytes()))
    })
}

pub(crate) fn start(arguments: &[&str]) -> Child {
    Command::new(LAB)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub(crate) fn signal(child: &Child, signal: &str) {
    let done = Command::new("kill")
        .args(["-s", signal, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(done.success());
}

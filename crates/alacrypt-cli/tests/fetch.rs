//! `alacrypt fetch` against a registry on loopback: the built binary.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

/// The chains and the registry of the TLS client's own tests.
#[path = "../../alacrypt-tls/tests/common/mod.rs"]
mod common;
#[path = "../../alacrypt-tls/tests/common/registry.rs"]
mod registry;

use std::path::Path;
use std::process::{Command, Output};

use common::chain::{self, Chain, Shape};
use registry::{Registry, content, integrity_text};

struct Project {
    dir: tempfile::TempDir,
}

impl Project {
    /// A project with a lock file of these entries, that trusts a chain's root.
    fn new(chain: &Chain, npmrc: &str, entries: &[(String, usize)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let ca = dir.path().join("ca.pem");
        std::fs::write(&ca, common::pem(&chain.root)).unwrap();
        let npmrc = format!("cafile={}\n{npmrc}\n", ca.display());
        std::fs::write(dir.path().join(".npmrc"), npmrc).unwrap();
        let mut packages = serde_json::json!({ "": { "name": "project" } });
        for (name, number) in entries {
            packages[format!("node_modules/{name}")] = serde_json::json!({
                "version": format!("1.0.{number}"),
                "integrity": integrity_text(*number),
            });
        }
        let lock = serde_json::json!({ "lockfileVersion": 3, "packages": packages });
        std::fs::write(dir.path().join("package-lock.json"), lock.to_string()).unwrap();
        Self { dir }
    }

    fn fetch(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_alacrypt"));
        command.arg("fetch").args(args).current_dir(self.dir.path());
        // The configuration of whoever runs the tests is not that of the project.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy().to_lowercase();
            if text.starts_with("npm_config_") || text.ends_with("_proxy") {
                command.env_remove(name);
            }
        }
        command
            .env("HOME", self.dir.path().join("nobody"))
            .args(["--cache", "cache"])
            .output()
            .unwrap()
    }

    fn files(&self) -> Vec<Vec<u8>> {
        let mut files = Vec::new();
        let mut folders = vec![self.dir.path().join("cache")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    assert!(is_content(&path), "{}", path.display());
                    files.push(std::fs::read(path).unwrap());
                }
            }
        }
        files
    }
}

fn is_content(path: &Path) -> bool {
    path.to_string_lossy()
        .contains("cache/_cacache/content-v2/sha512/")
}

fn stderr(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

#[test]
fn every_tarball_of_a_lock_file_ends_up_in_the_cache() {
    let chain = chain::chain(Shape::P384Root);
    let entries: Vec<_> = (0..300)
        .map(|number| (format!("p{number}"), number))
        .collect();
    for http1 in [false, true] {
        let registry = Registry::start(Some(&chain));
        let project = Project::new(
            &chain,
            &format!("registry={}", registry.url("/npm")),
            &entries,
        );
        let flags: &[&str] = if http1 {
            &["--http1", "--json"]
        } else {
            &["--json"]
        };
        let out = project.fetch(flags);
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
        let report: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(report["files"].as_array().unwrap().len(), 300);
        let handshakes = report["handshakes"]["count"].as_u64().unwrap();
        assert!(if http1 {
            (2..=128).contains(&handshakes)
        } else {
            handshakes == 1
        });
        assert!(report["handshakes"]["ns"]["think"]["p50"].as_u64().unwrap() > 0);
        let mut files = project.files();
        let mut expected: Vec<_> = (0..300).map(content).collect();
        files.sort();
        expected.sort();
        assert!(files == expected);
        // The address has the registry's path, and no package is asked for twice.
        let seen = registry.seen();
        assert_eq!(seen.len(), 300);
        assert!(
            seen.iter()
                .any(|seen| seen.path == "/npm/p7/-/p7-1.0.7.tgz")
        );
        let again = project.fetch(&[]);
        let text = String::from_utf8(again.stdout).unwrap();
        assert!(
            text.contains("0 fetched") && text.contains("300 there already"),
            "{text}"
        );
        assert_eq!(registry.seen().len(), 300);
    }
}

#[test]
fn credentials_go_to_the_registry_that_they_are_for_only() {
    let chain = chain::chain(Shape::P256);
    let registry = Registry::start(Some(&chain));
    let home = registry.url("/private/");
    let bare = home.trim_start_matches("https:");
    let npmrc = format!(
        "registry={}\n@own:registry={home}\n{bare}:_authToken=${{TOKEN_OF_TEST?}}secret",
        registry.url("/npm")
    );
    let entries = [("@own/a".to_owned(), 1), ("b".to_owned(), 2)];
    let project = Project::new(&chain, &npmrc, &entries);
    let out = project.fetch(&[]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    for seen in registry.seen() {
        let expected = seen
            .path
            .starts_with("/private/")
            .then_some("Bearer secret");
        assert_eq!(seen.authorization.as_deref(), expected, "{}", seen.path);
    }
    // Without the token: refused, named, and nothing is left.
    let npmrc = format!("registry={home}");
    let project = Project::new(&chain, &npmrc, &[("@own/a".to_owned(), 1)]);
    let out = project.fetch(&[]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        stderr(&out).contains("failed: @own/a@1.0.1: E401"),
        "{}",
        stderr(&out)
    );
    assert_eq!(project.files().len(), 0);
}

#[test]
fn a_wrong_tarball_is_named_and_the_others_are_there() {
    let chain = chain::chain(Shape::P256);
    let registry = Registry::start(Some(&chain));
    let npmrc = format!("registry={}", registry.url("/npm"));
    let project = Project::new(&chain, &npmrc, &[("a".to_owned(), 1), ("b".to_owned(), 2)]);
    let lock = project.dir.path().join("package-lock.json");
    let text = std::fs::read_to_string(&lock).unwrap();
    std::fs::write(&lock, text.replace("1.0.2", "1.0.3")).unwrap();
    let out = project.fetch(&[]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        stderr(&out).contains("failed: b@1.0.3: EINTEGRITY"),
        "{}",
        stderr(&out)
    );
    assert!(project.files() == [content(1)]);
}

#[test]
fn wrong_usage_and_input_are_told_apart() {
    let chain = chain::chain(Shape::P256);
    let project = Project::new(&chain, "", &[]);
    let missing = project.fetch(&["--lockfile", "missing.json"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("missing.json"));
    std::fs::write(project.dir.path().join("package-lock.json"), "{}").unwrap();
    assert_eq!(project.fetch(&[]).status.code(), Some(2));
    assert_eq!(project.fetch(&["-c", "0"]).status.code(), Some(2));
}

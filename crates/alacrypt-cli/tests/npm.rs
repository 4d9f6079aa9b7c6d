//! npm itself installs from what was fetched, with no network.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

fn run(dir: &Path, program: &str, args: &[&str]) -> std::io::Result<Output> {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy().to_lowercase();
        if text.starts_with("npm_config_") || text.ends_with("_proxy") || text == "node_options" {
            command.env_remove(name);
        }
    }
    command
        .args(args)
        .current_dir(dir)
        .env("HOME", dir)
        .output()
}

/// Answers every request with these bytes, until the process ends.
fn serve(bytes: Vec<u8>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for tcp in listener.incoming() {
            let mut tcp = tcp.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                if tcp.read(&mut byte).unwrap_or(0) == 0 {
                    break;
                }
                request.push(byte[0]);
            }
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", bytes.len());
            let _ = tcp
                .write_all(head.as_bytes())
                .and_then(|()| tcp.write_all(&bytes));
        }
    });
    port
}

#[test]
fn npm_installs_from_what_was_fetched() {
    let dir = tempfile::tempdir().unwrap();
    let (package, app) = (dir.path().join("tiny"), dir.path().join("app"));
    std::fs::create_dir_all(&package).unwrap();
    std::fs::create_dir_all(&app).unwrap();
    let manifest = r#"{ "name": "tiny", "version": "1.2.3", "main": "i.js" }"#;
    std::fs::write(package.join("package.json"), manifest).unwrap();
    std::fs::write(package.join("i.js"), "module.exports = 7;").unwrap();
    let Ok(packed) = run(&package, "npm", &["pack", "--silent"]) else {
        eprintln!("skipped: no `npm` on this machine");
        return;
    };
    assert!(packed.status.success(), "{packed:?}");
    let tarball = std::fs::read(package.join("tiny-1.2.3.tgz")).unwrap();
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA512, &tarball);
    let integrity = {
        use base64::Engine;
        base64::engine::general_purpose::STANDARD.encode(digest.as_ref())
    };
    let port = serve(tarball);
    let dependencies = serde_json::json!({ "tiny": "1.2.3" });
    let manifest = serde_json::json!({
        "name": "app", "version": "1.0.0", "dependencies": dependencies,
    });
    let lock = serde_json::json!({
        "name": "app", "version": "1.0.0", "lockfileVersion": 3, "requires": true,
        "packages": {
            "": { "name": "app", "version": "1.0.0", "dependencies": dependencies },
            "node_modules/tiny": {
                "version": "1.2.3",
                "resolved": format!("http://127.0.0.1:{port}/tiny/-/tiny-1.2.3.tgz"),
                "integrity": format!("sha512-{integrity}"),
            },
        },
    });
    std::fs::write(app.join("package.json"), manifest.to_string()).unwrap();
    std::fs::write(app.join("package-lock.json"), lock.to_string()).unwrap();
    let fetch = ["fetch", "--cache", "cache"];
    let fetched = run(&app, env!("CARGO_BIN_EXE_alacrypt"), &fetch).unwrap();
    assert!(fetched.status.success(), "{fetched:?}");
    let install = [
        "ci",
        "--offline",
        "--cache",
        "cache",
        "--no-audit",
        "--no-fund",
    ];
    let installed = run(&app, "npm", &install).unwrap();
    assert!(installed.status.success(), "{installed:?}");
    let out = run(&app, "node", &["-p", "require('tiny')"]).unwrap();
    assert_eq!(String::from_utf8(out.stdout).unwrap().trim(), "7");
}

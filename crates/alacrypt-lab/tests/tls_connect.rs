//! `tls connect` against a real server: the built binary, its table, its JSON, its exit codes.

#![forbid(unsafe_code)]
// A helper that fails should fail where it stands.
#![allow(clippy::unwrap_used)]

/// The chains and the server of the TLS client's own tests.
#[path = "../../alacrypt-tls/tests/common/mod.rs"]
mod tls;

use serde_json::Value;
use std::net::SocketAddr;
use std::process::{Command, Output};
use tls::chain::{self, Chain, Shape};
use tls::server::{Options, Server};

fn lab(address: SocketAddr, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_alacrypt-lab"))
        .args(["tls", "connect", &address.to_string()])
        .args(args)
        .output()
        .unwrap()
}

struct Roots(tempfile::TempDir);

impl Roots {
    fn of(chain: &Chain) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("ca.pem"), tls::pem(&chain.root)).unwrap();
        Self(dir)
    }

    fn path(&self) -> String {
        self.0.path().join("ca.pem").display().to_string()
    }
}

#[test]
fn every_connection_is_timed_and_its_parts_add_up() {
    let chain = chain::chain(Shape::P384Twice);
    let server = Server::start(&chain, Options::default());
    let roots = Roots::of(&chain);
    for provider in ["aws-lc", "ring"] {
        let args = [
            "-p",
            "32",
            "--rounds",
            "2",
            "--provider",
            provider,
            "--ca",
            &roots.path(),
        ];
        let out = lab(server.address, &[&args[..], &["--json", "-"]].concat());
        assert_eq!(
            out.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        let json: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(json["provider"], provider);
        let handshakes = json["handshakes"].as_array().unwrap();
        assert_eq!(handshakes.len(), 64);
        for handshake in handshakes {
            assert_eq!(handshake["handshake"]["ending"], "complete");
            let total = handshake["intervals"]["total_ns"].as_u64().unwrap();
            let part = |name: &str| handshake["intervals"][name].as_u64().unwrap();
            let sum = part("ch_sh_ns") + part("flight_ns") + part("think_ns");
            assert_eq!(sum, total, "{handshake:#}");
            assert!(part("ttfb_ns") > 0 && part("tcp_ns") > 0);
            if cfg!(target_os = "linux") {
                let part = |name: &str| handshake[name].as_u64().unwrap();
                assert!(part("cpu") > 0 && part("network") <= total, "{handshake:#}");
            }
        }
        let resumed = |round: u64| {
            let of_round = handshakes.iter().filter(|h| h["round"] == round);
            of_round
                .filter(|h| h["handshake"]["resumed"] == true)
                .count()
        };
        assert_eq!(resumed(2), 32);
    }
}

#[test]
fn the_table_has_the_rows_of_captures_and_the_parts() {
    let chain = chain::chain(Shape::P256);
    let server = Server::start(&chain, Options::default());
    let roots = Roots::of(&chain);
    let out = lab(
        server.address,
        &[
            "-p",
            "4",
            "--ca",
            &roots.path(),
            "--servername",
            "localhost",
        ],
    );
    let text = String::from_utf8(out.stdout).unwrap();
    for word in [
        "tcp", "ch_sh", "flight", "think", "total", "ttfb", "cpu", "p50", "p99", "max", "spread",
    ] {
        assert!(text.contains(word), "{word} is missing:\n{text}");
    }
    assert!(text.contains("4 of 4 handshakes complete"), "{text}");
    if cfg!(target_os = "linux") {
        assert!(
            text.contains("run queue") && text.contains("network"),
            "{text}"
        );
    }
    let markdown = lab(
        server.address,
        &["-p", "2", "--ca", &roots.path(), "--md", "-"],
    );
    assert!(
        String::from_utf8(markdown.stdout)
            .unwrap()
            .contains("| tcp |")
    );
}

#[test]
fn failures_are_counted_by_code_and_change_the_exit_code() {
    let chain = chain::chain(Shape::P256);
    let server = Server::start(&chain, Options::default());
    let stranger = Roots::of(&chain::chain(Shape::P256));
    let out = lab(server.address, &["-p", "3", "--ca", &stranger.path()]);
    assert_eq!(out.status.code(), Some(4));
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(
        text.contains("failed: 3 × SELF_SIGNED_CERT_IN_CHAIN"),
        "{text}"
    );
    let out = lab(server.address, &["-p", "3", "--insecure"]);
    assert_eq!(out.status.code(), Some(0));
    let missing = lab(server.address, &["--ca", "no-such-file.pem"]);
    assert_eq!(missing.status.code(), Some(2));
}

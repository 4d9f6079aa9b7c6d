//! OpenSSL's `s_server` as the peer: another implementation than our own library.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use alacrypt_tls::Error;
use alacrypt_tls::blocking::{self, Options};
use alacrypt_tls::rustls::ProtocolVersion;
use common::chain::{self, Chain, SHAPES, Shape};
use common::{pem, trusting};

struct Running {
    child: Child,
    address: SocketAddr,
    _files: tempfile::TempDir,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn has_openssl() -> bool {
    let found = Command::new("openssl")
        .arg("version")
        .output()
        .is_ok_and(|o| o.status.success());
    if !found {
        eprintln!("skipped: no `openssl` on this machine");
    }
    found
}

fn start(chain: &Chain, extra: &[&str]) -> Running {
    start_as(chain, &[&["-quiet", "-www"], extra].concat())
}

fn start_as(chain: &Chain, extra: &[&str]) -> Running {
    let files = tempfile::tempdir().unwrap();
    let more: String = chain.certificates[1..].iter().map(|der| pem(der)).collect();
    std::fs::write(files.path().join("leaf.pem"), pem(&chain.certificates[0])).unwrap();
    std::fs::write(files.path().join("more.pem"), more).unwrap();
    std::fs::write(files.path().join("key.pem"), &chain.key_pem).unwrap();
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let child = Command::new("openssl")
        .args(["s_server", "-cert", "leaf.pem", "-key", "key.pem"])
        .args([
            "-cert_chain",
            "more.pem",
            "-accept",
            &format!("127.0.0.1:{port}"),
        ])
        .args(extra)
        .current_dir(files.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let deadline = Instant::now() + Duration::from_secs(20);
    while TcpStream::connect(address).is_err() {
        assert!(Instant::now() < deadline, "s_server did not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    Running {
        child,
        address,
        _files: files,
    }
}

#[test]
fn every_shape_and_version_and_resumption() {
    if !has_openssl() {
        return;
    }
    for shape in SHAPES {
        let chain = chain::chain(shape);
        for (flag, version) in [
            ("-tls1_3", ProtocolVersion::TLSv1_3),
            ("-tls1_2", ProtocolVersion::TLSv1_2),
        ] {
            let server = start(&chain, &[flag]);
            let client = trusting(&chain.root).build().unwrap();
            let resumed: Vec<bool> = (0..3)
                .map(|_| {
                    let mut stream =
                        blocking::connect(&client, "localhost", server.address, Options::default())
                            .unwrap();
                    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
                    let mut answer = String::new();
                    stream.read_to_string(&mut answer).unwrap();
                    assert!(answer.contains("200 ok"), "{answer}");
                    assert_eq!(stream.connection().version(), Some(version));
                    assert!(stream.timings().think().is_some());
                    stream.connection().is_resumed()
                })
                .collect();
            assert_eq!(resumed, [false, true, true], "{shape:?} {flag}");
        }
    }
}

#[test]
fn tls11_only_is_refused_with_a_code() {
    if !has_openssl() {
        return;
    }
    let chain = chain::chain(Shape::P256);
    let server = start(&chain, &["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"]);
    let client = trusting(&chain.root).build().unwrap();
    let error = blocking::connect(&client, "localhost", server.address, Options::default());
    let code = error.unwrap_err().code().to_owned();
    assert_eq!(code, "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION");
}

#[test]
fn a_server_that_renegotiates_is_refused_and_nothing_hangs() {
    if !has_openssl() {
        return;
    }
    let chain = chain::chain(Shape::P256);
    let mut server = start_as(&chain, &["-tls1_2"]);
    let client = trusting(&chain.root).build().unwrap();
    let options = Options {
        timeout: Duration::from_secs(5),
        ..Options::default()
    };
    let mut stream = blocking::connect(&client, "localhost", server.address, options).unwrap();
    let mut say = |line: &[u8]| {
        server
            .child
            .stdin
            .as_mut()
            .unwrap()
            .write_all(line)
            .unwrap()
    };
    say(b"before\n");
    let mut heard = [0; 7];
    stream.read_exact(&mut heard).unwrap();
    assert_eq!(&heard, b"before\n");
    // A line that begins with r asks for a new handshake.
    say(b"r\n");
    let start = Instant::now();
    let error = stream.read(&mut [0; 64]).unwrap_err();
    let error: Error = *error.into_inner().unwrap().downcast().unwrap();
    assert!(start.elapsed() < Duration::from_secs(4), "{error}");
    let known = [
        "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
        "ERR_SSL_TLSV1_ALERT_NO_RENEGOTIATION",
        "ECONNRESET",
    ];
    assert!(known.contains(&error.code()), "{}: {error}", error.code());
}

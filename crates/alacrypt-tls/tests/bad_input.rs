//! Certificates with one fault each, and peers that stall, lie, babble or leave.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use alacrypt_tls::blocking::{self, Options};
use alacrypt_tls::{Client, Error, PostQuantum, Roots};
use common::chain::{self, Chain, Shape};
use common::server::{self, Server};
use common::trusting;

const PATIENCE: Duration = Duration::from_millis(400);

fn connect(client: &Client, address: SocketAddr, timeout: Duration) -> Result<(), Error> {
    let options = Options {
        timeout,
        ..Options::default()
    };
    let mut stream = blocking::connect(client, "localhost", address, options)?;
    let mut answer = Vec::new();
    stream
        .write_all(b"GET / HTTP/1.1\r\n\r\n")
        .and_then(|()| stream.read_to_end(&mut answer))
        .map(|_| ())
        .map_err(|error| *error.into_inner().unwrap().downcast().unwrap())
}

fn classical(chain: &Chain) -> Client {
    trusting(&chain.root)
        .post_quantum(PostQuantum::Off)
        .build()
        .unwrap()
}

/// The outcome with a peer that does this, and how long it took.
fn outcome(chain: &Chain, peer: impl Fn(TcpStream) + Clone + Send + 'static) -> (String, String) {
    let server = Server::raw(peer);
    let start = Instant::now();
    let error = connect(&classical(chain), server.address, PATIENCE).unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(5), "{error}");
    (error.code().to_owned(), error.to_string())
}

/// Reads the ClientHello, then sends so many bytes of a real server's flight.
fn flight(chain: &Chain, bytes: usize) -> impl Fn(&mut TcpStream) + Clone + Send + use<> {
    let config = Arc::new(server::config(chain, server::Options::default()));
    move |tcp| {
        let mut tls = rustls::ServerConnection::new(config.clone()).unwrap();
        let mut out = Vec::new();
        while !tls.wants_write() {
            tls.read_tls(tcp).unwrap();
            tls.process_new_packets().unwrap();
        }
        while tls.wants_write() {
            tls.write_tls(&mut out).unwrap();
        }
        let _ = tcp.write_all(&out[..bytes.min(out.len())]);
    }
}

fn hello_then(bytes: Vec<u8>) -> impl Fn(TcpStream) + Clone + Send {
    move |mut tcp| {
        let _ = tcp.read(&mut [0; 4_096]);
        let _ = tcp.write_all(&bytes);
        let _ = tcp.shutdown(std::net::Shutdown::Write);
        let _ = tcp.read_to_end(&mut Vec::new());
    }
}

#[test]
fn every_fault_of_a_certificate_has_nodes_code() {
    for (what, chain, code) in chain::faulty() {
        let server = Server::start(&chain, server::Options::default());
        let client = trusting(&chain.root).build().unwrap();
        for _ in 0..2 {
            let error = connect(&client, server.address, PATIENCE).unwrap_err();
            assert_eq!(error.code(), code, "a certificate {what}: {error}");
            assert!(matches!(error, Error::Certificate(_)));
        }
        // Failure is not kept, nor is it a session.
        assert_eq!(client.chains().stats().kept, 0);
        assert_eq!(
            client
                .sessions()
                .tickets_of(&"localhost".try_into().unwrap()),
            0
        );
    }
}

#[test]
fn a_peer_that_stalls_is_left_in_every_phase() {
    let chain = chain::chain(Shape::P256);
    let stall = |tcp: TcpStream| {
        let _ = (&tcp).read_to_end(&mut Vec::new());
    };
    let (code, text) = outcome(&chain, stall);
    assert_eq!(code, "ETIMEDOUT");
    assert!(text.contains("before the server's hello"), "{text}");
    for bytes in [40, 140, 600] {
        let send = flight(&chain, bytes);
        let (code, text) = outcome(&chain, move |mut tcp| {
            send(&mut tcp);
            stall(tcp);
        });
        assert_eq!(code, "ETIMEDOUT");
        let phase = if bytes < 100 { "before" } else { "after" };
        assert!(
            text.contains(&format!("{phase} the server's hello")),
            "{text}"
        );
    }
}

#[test]
fn a_peer_that_trickles_does_not_outlast_the_deadline() {
    let chain = chain::chain(Shape::P256);
    let (code, _) = outcome(&chain, |mut tcp| {
        // A record of 16 KiB, a byte at a time: each read succeeds.
        for byte in [22, 3, 3, 0x3f, 0].into_iter().chain([2; 400]) {
            if tcp.write_all(&[byte]).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    assert_eq!(code, "ETIMEDOUT");
}

#[test]
fn a_peer_that_closes_early_is_told_from_one_that_is_done() {
    let chain = chain::chain(Shape::P256);
    let (code, text) = outcome(&chain, hello_then(Vec::new()));
    assert_eq!(code, "ECONNRESET");
    assert!(text.contains("before the server's hello"), "{text}");
    for bytes in [140, 600] {
        let send = flight(&chain, bytes);
        let (code, text) = outcome(&chain, move |mut tcp| send(&mut tcp));
        assert_eq!(code, "ECONNRESET", "{text}");
    }
    // After the handshake: data that ends without a goodbye may have been cut.
    let config = Arc::new(server::config(&chain, server::Options::default()));
    let (code, text) = outcome(&chain, move |mut tcp| {
        let mut tls = rustls::ServerConnection::new(config.clone()).unwrap();
        let mut stream = rustls::Stream::new(&mut tls, &mut tcp);
        let _ = stream.read(&mut [0; 64]);
        let _ = stream.write_all(b"half of ");
        let _ = tcp.shutdown(std::net::Shutdown::Write);
        let _ = tcp.read_to_end(&mut Vec::new());
    });
    assert_eq!(code, "ECONNRESET");
    assert!(text.starts_with("after the TLS handshake"), "{text}");
}

#[test]
fn what_is_no_tls_is_an_error_of_the_peer() {
    let chain = chain::chain(Shape::P256);
    let alert = |number| vec![21, 3, 3, 0, 2, 2, number];
    let hello_of_tls11 = [
        &[22, 3, 2, 0, 42, 2, 0, 0, 38, 3, 2][..],
        &[7; 32],
        &[0, 0xc0, 0x13, 0],
    ]
    .concat();
    for (bytes, code) in [
        (
            b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
            "ERR_SSL_WRONG_VERSION_NUMBER",
        ),
        (vec![0; 64], "ERR_SSL_WRONG_VERSION_NUMBER"),
        (
            vec![22, 3, 3, 0xff, 0xff, 1, 2, 3],
            "ERR_SSL_PACKET_LENGTH_TOO_LONG",
        ),
        (
            vec![22, 3, 3, 0, 4, 20, 0, 0, 0],
            "ERR_SSL_UNEXPECTED_MESSAGE",
        ),
        (vec![23, 3, 3, 0, 2, 1, 1], "ERR_SSL_UNEXPECTED_MESSAGE"),
        (alert(40), "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE"),
        (alert(70), "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION"),
        (alert(112), "ERR_SSL_TLSV1_UNRECOGNIZED_NAME"),
        (alert(80), "ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR"),
        (hello_of_tls11, "ERR_SSL_UNSUPPORTED_PROTOCOL"),
    ] {
        let (found, text) = outcome(&chain, hello_then(bytes.clone()));
        assert_eq!(found, code, "{bytes:?}: {text}");
    }
}

#[test]
fn flights_with_a_changed_byte_never_pass() {
    let chain = chain::chain(Shape::P256);
    let config = Arc::new(server::config(&chain, server::Options::default()));
    for position in (0..900).step_by(37) {
        let config = config.clone();
        let (code, _) = outcome(&chain, move |mut tcp| {
            let mut tls = rustls::ServerConnection::new(config.clone()).unwrap();
            let mut out = Vec::new();
            while !tls.wants_write() {
                tls.read_tls(&mut tcp).unwrap();
                tls.process_new_packets().unwrap();
            }
            while tls.wants_write() {
                tls.write_tls(&mut out).unwrap();
            }
            out[position] ^= 0x55;
            let _ = tcp.write_all(&out);
            let _ = tcp.shutdown(std::net::Shutdown::Write);
            let _ = tcp.read_to_end(&mut Vec::new());
        });
        assert!(code.starts_with("E"), "byte {position}: {code}");
    }
}

#[test]
fn a_port_where_nobody_listens() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let client = Client::builder()
        .roots(Roots::from_der([]))
        .build()
        .unwrap();
    let error = connect(&client, address, PATIENCE).unwrap_err();
    assert_eq!(error.code(), "ECONNREFUSED");
    let error = blocking::connect(&client, "no host name", address, Options::default());
    assert_eq!(error.unwrap_err().code(), "ERR_INVALID_ARG_VALUE");
}

/// A middlebox that drops what does not fit one segment, in front of a real server.
#[test]
fn a_host_that_cannot_take_the_hybrid_share_is_remembered() {
    let chain = chain::chain(Shape::P256);
    let config = Arc::new(server::config(&chain, server::Options::default()));
    let dropped = Arc::new(AtomicUsize::new(0));
    let counted = dropped.clone();
    let middlebox = Server::raw(move |tcp| {
        let mut hello = [0; 2_048];
        if tcp.peek(&mut hello).unwrap() > 1_000 {
            counted.fetch_add(1, Ordering::SeqCst);
            return;
        }
        server::answer(tcp, &config, &server::Seen::default());
    });
    let client = trusting(&chain.root).build().unwrap();
    for _ in 0..3 {
        connect(&client, middlebox.address, PATIENCE).unwrap();
    }
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    for post_quantum in [PostQuantum::Always, PostQuantum::Required] {
        let strict = trusting(&chain.root)
            .post_quantum(post_quantum)
            .build()
            .unwrap();
        let error = connect(&strict, middlebox.address, PATIENCE).unwrap_err();
        assert_eq!(error.code(), "ECONNRESET");
    }
}

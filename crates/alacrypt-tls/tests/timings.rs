//! The timings of real handshakes.
#![forbid(unsafe_code)]

mod common;

use std::io::{Read, Write};
use std::time::Duration;

use alacrypt_tls::blocking::{self, Options};
use alacrypt_tls::{Clock, PostQuantum};
use common::chain::{self, Shape};
use common::server::{self, Server};
use common::trusting;

#[test]
fn every_interval_is_there_and_they_add_up() {
    let chain = chain::chain(Shape::P256);
    for tls12 in [false, true] {
        let server = Server::start(
            &chain,
            server::Options {
                tls12,
                ..Default::default()
            },
        );
        let client = trusting(&chain.root).build().unwrap();
        let options = Options {
            clock: Some(Clock::start()),
            ..Options::default()
        };
        let mut stream = blocking::connect(&client, "localhost", server.address, options).unwrap();
        assert_eq!(stream.timings().first_byte(), None);
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        assert!(answer.ends_with(&[b'x'; 2_048]));
        let timings = stream.timings();
        let [tcp, hello, flight, think, first_byte] = [
            timings.tcp(),
            timings.hello(),
            timings.flight(),
            timings.think(),
            timings.first_byte(),
        ]
        .map(Option::unwrap);
        let whole = timings.handshake().unwrap();
        assert_eq!(hello + flight + think, whole, "{timings:?}");
        let moments = [
            timings.connect,
            timings.connected,
            timings.client_hello,
            timings.first_data,
        ];
        assert!(moments.is_sorted(), "{timings:?}");
        assert!(tcp > Duration::ZERO && first_byte > Duration::ZERO);
        #[cfg(target_os = "linux")]
        {
            // To verify a chain takes CPU time, and the server's work is none of it.
            let cpu = timings.cpu.unwrap();
            assert!(cpu > Duration::from_micros(20), "{timings:?}");
            assert!(timings.network().unwrap() <= timings.waiting().unwrap());
        }
    }
}

#[test]
fn a_second_client_hello_is_seen() {
    let chain = chain::chain(Shape::P256);
    // A client that offers the hybrid share alone to a server without it gets no further; one that
    // has both is not asked again.
    let server = Server::start(
        &chain,
        server::Options {
            hybrid: false,
            ..Default::default()
        },
    );
    for post_quantum in [PostQuantum::Preferred, PostQuantum::Off] {
        let client = trusting(&chain.root)
            .post_quantum(post_quantum)
            .build()
            .unwrap();
        let stream =
            blocking::connect(&client, "localhost", server.address, Options::default()).unwrap();
        assert!(!stream.timings().retried);
    }
    let elsewhere = Server::start_with_group(&chain, rustls::NamedGroup::secp384r1);
    let client = trusting(&chain.root).build().unwrap();
    let stream =
        blocking::connect(&client, "localhost", elsewhere.address, Options::default()).unwrap();
    assert!(stream.timings().retried);
    assert!(stream.timings().think().is_some());
    assert_eq!(
        stream.connection().group(),
        Some(rustls::NamedGroup::secp384r1)
    );
}

#[test]
fn a_resumed_handshake_takes_less_cpu() {
    let chain = chain::chain(Shape::P384Twice);
    let server = Server::start(&chain, server::Options::default());
    let client = trusting(&chain.root)
        .keep_verified_chains(false)
        .build()
        .unwrap();
    let one = || {
        let mut stream =
            blocking::connect(&client, "localhost", server.address, Options::default()).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
        (stream.connection().is_resumed(), stream.timings().cpu)
    };
    let (_, full) = one();
    let (resumed, less) = one();
    assert!(resumed);
    #[cfg(target_os = "linux")]
    assert!(less.unwrap() < full.unwrap(), "{less:?} {full:?}");
}

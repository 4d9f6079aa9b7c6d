//! Clients that leave names to their caller, or accept what is refused and tell.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use alacrypt_tls::{Client, Connection, Error};
use common::chain::{self, Chain, Shape};
use common::server::{Options, Server};
use common::{talk, trusting};
use rcgen::{ExtendedKeyUsagePurpose, KeyUsagePurpose, date_time_ymd};

/// Makes a handshake by hand.
fn shake(
    client: &Client,
    address: SocketAddr,
    host: &str,
    logs: bool,
) -> Result<Connection, Error> {
    let mut tcp = TcpStream::connect(address).unwrap();
    tcp.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut connection = Connection::new(client, host)?;
    connection.log_keys(logs);
    let mut piece = [0; 700];
    while connection.is_handshaking() || connection.wants_transmit() {
        let mut out = [0; 100];
        let written = connection.transmit_into(&mut out, Duration::ZERO);
        if written > 0 {
            tcp.write_all(&out[..written]).unwrap();
            continue;
        }
        let read = tcp.read(&mut piece).unwrap();
        if read == 0 {
            connection.receive_end()?;
        }
        let mut taken = 0;
        while taken < read {
            taken += connection.receive(&piece[taken..read], Duration::ZERO)?;
        }
    }
    Ok(connection)
}

fn serve(chain: &Chain, tls12: bool) -> Server {
    Server::start(
        chain,
        Options {
            tls12,
            ..Options::default()
        },
    )
}

#[test]
fn a_name_is_the_callers_and_the_chain_is_not() {
    let chain = chain::chain(Shape::P256);
    let server = serve(&chain, false);
    let client = trusting(&chain.root)
        .danger_leave_names_to_caller()
        .build()
        .unwrap();
    let connection = shake(&client, server.address, "example.org", false).unwrap();
    assert_eq!(
        connection.peer_certificates().unwrap()[0],
        chain.certificates[0]
    );
    assert_eq!(connection.refused_as(), None);
    for (what, chain, code) in chain::faulty() {
        if code == "ERR_TLS_CERT_ALTNAME_INVALID" || code == "CERT_REVOKED" {
            continue;
        }
        let server = serve(&chain, false);
        let client = trusting(&chain.root)
            .danger_leave_names_to_caller()
            .build()
            .unwrap();
        let error = shake(&client, server.address, "localhost", false).unwrap_err();
        assert_eq!(error.code(), code, "{what}");
    }
}

#[test]
fn what_is_refused_is_accepted_and_told_each_time() {
    let other = chain::chain(Shape::P256);
    let chain = chain::self_signed();
    for tls12 in [false, true] {
        let server = serve(&chain, tls12);
        let client = trusting(&other.root)
            .danger_accept_refused_certificates()
            .build()
            .unwrap();
        for _ in 0..3 {
            let connection = shake(&client, server.address, "localhost", false).unwrap();
            assert_eq!(connection.refused_as(), Some("DEPTH_ZERO_SELF_SIGNED_CERT"));
            assert!(!connection.is_resumed());
        }
        assert_eq!(client.chains().stats().kept, 0);
    }
}

#[test]
fn a_trusted_leaf_must_be_fit_for_a_server() {
    let fit = |change: &dyn Fn(&mut rcgen::CertificateParams)| {
        let mut params = chain::leaf();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        change(&mut params);
        let chain = chain::self_signed_with(params);
        let server = serve(&chain, false);
        let client = trusting(&chain.certificates[0])
            .danger_leave_names_to_caller()
            .build()
            .unwrap();
        shake(&client, server.address, "localhost", false).is_ok()
    };
    assert!(fit(&|_| ()));
    assert!(fit(
        &|params| params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth]
    ));
    assert!(fit(
        &|params| params.key_usages = vec![KeyUsagePurpose::DigitalSignature]
    ));
    assert!(!fit(
        &|params| params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth]
    ));
    assert!(!fit(
        &|params| params.key_usages = vec![KeyUsagePurpose::KeyCertSign]
    ));
    assert!(!fit(&|params| {
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
    }));
    assert!(!fit(&|params| params.not_before = date_time_ymd(2090, 1, 1)));
    // Of the same name and key, and not the one that is trusted.
    let (one, other) = (
        chain::self_signed_authority(),
        chain::self_signed_authority(),
    );
    let server = serve(&one, false);
    let client = trusting(&other.certificates[0])
        .danger_leave_names_to_caller()
        .build()
        .unwrap();
    assert_eq!(
        shake(&client, server.address, "localhost", false).is_ok(),
        one.certificates[0] == other.certificates[0]
    );
    // Whoever compares names with webpki has its rules for this, too.
    let client = trusting(&one.certificates[0]).build().unwrap();
    assert!(talk(client.config(), server.address, "localhost").is_err());
}

#[test]
fn versions_and_names_are_told_as_asked() {
    let chain = chain::chain(Shape::P256);
    let server = serve(&chain, false);
    let client = trusting(&chain.root).only_tls12(true).build().unwrap();
    let error = shake(&client, server.address, "localhost", false).unwrap_err();
    assert_eq!(error.code(), "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION");
    let older = serve(&chain, true);
    assert!(shake(&client, older.address, "localhost", false).is_ok());
    let none = trusting(&chain.root).only_tls12(true).only_tls13(true);
    assert_eq!(none.build().unwrap_err().code(), "ERR_INVALID_ARG_VALUE");

    for tells in [true, false] {
        let client = trusting(&chain.root)
            .server_name_indication(tells)
            .build()
            .unwrap();
        let mut connection = Connection::new(&client, "a.name.of.its.own").unwrap();
        let mut hello = Vec::new();
        connection.transmit(&mut hello, Duration::ZERO);
        let name = b"a.name.of.its.own";
        let is_told = hello.windows(name.len()).any(|bytes| bytes == name);
        assert_eq!(is_told, tells);
    }
}

#[test]
fn keys_are_logged_where_asked_and_exported_once_there_are_some() {
    let chain = chain::chain(Shape::P256);
    for tls12 in [false, true] {
        let server = serve(&chain, tls12);
        let client = trusting(&chain.root).build().unwrap();
        for logs in [false, true] {
            let mut connection = shake(&client, server.address, "localhost", logs).unwrap();
            let log = String::from_utf8(connection.take_key_log()).unwrap();
            let expected = match (logs, tls12) {
                (false, _) => "",
                (true, true) => "CLIENT_RANDOM ",
                (true, false) => "CLIENT_TRAFFIC_SECRET_0 ",
            };
            assert_eq!(log.is_empty(), !logs);
            assert!(log.contains(expected), "{log}");
            assert!(connection.take_key_log().is_empty());
            let mut material = [0; 32];
            connection
                .export_keying_material(&mut material, b"EXPERIMENTAL", None)
                .unwrap();
            assert_ne!(material, [0; 32]);
        }
        let connection = Connection::new(&client, "localhost").unwrap();
        let mut material = [0; 32];
        assert!(
            connection
                .export_keying_material(&mut material, b"EXPERIMENTAL", None)
                .is_err()
        );
    }
}

//! The configuration against real servers: chains, caches, tickets, key shares, identities.
#![forbid(unsafe_code)]

mod common;

use alacrypt_tls::rustls::crypto::CryptoProvider;
use alacrypt_tls::rustls::{HandshakeKind, NamedGroup};
use alacrypt_tls::{Client, PostQuantum, Provider, Roots};
use common::chain::{self, Chain, SHAPES, Shape};
use common::server::{Options, Server};
use common::{talk, trusting};

fn providers() -> Vec<Provider> {
    vec![
        Provider::AwsLc,
        #[cfg(feature = "ring")]
        Provider::Ring,
    ]
}

#[test]
fn every_shape_of_chain_with_every_provider_and_version() {
    for shape in SHAPES {
        let chain = chain::chain(shape);
        for tls12 in [false, true] {
            let server = Server::start(
                &chain,
                Options {
                    tls12,
                    ..Options::default()
                },
            );
            for provider in providers() {
                let client = trusting(&chain.root).provider(provider).build().unwrap();
                let talk = talk(client.config(), server.address, "localhost").unwrap();
                assert!(
                    talk.answer.ends_with(&[b'x'; 2_048]),
                    "{shape:?} {provider:?}"
                );
                let hybrid = provider.has_hybrid() && !tls12;
                let expected = hybrid.then_some(NamedGroup::X25519MLKEM768);
                assert_eq!(
                    talk.group.filter(|g| *g == NamedGroup::X25519MLKEM768),
                    expected,
                    "{shape:?} {provider:?}"
                );
            }
        }
    }
    assert!(CryptoProvider::get_default().is_none());
}

#[test]
fn an_ip_address_is_a_name_too() {
    let chain = chain::chain(Shape::P256);
    let server = Server::start(&chain, Options::default());
    let client = trusting(&chain.root).build().unwrap();
    assert!(talk(client.config(), server.address, "127.0.0.1").is_ok());
    let error = talk(client.config(), server.address, "127.0.0.2").unwrap_err();
    assert_eq!(error.code(), "ERR_TLS_CERT_ALTNAME_INVALID");
}

#[test]
fn one_of_many_connections_verifies_the_chain() {
    let chain = chain::chain(Shape::P384Twice);
    // Without tickets: a resumed connection has no chain to verify.
    let server = Server::start(
        &chain,
        Options {
            tickets: 0,
            ..Options::default()
        },
    );
    let client = trusting(&chain.root).build().unwrap();
    for _ in 0..5 {
        talk(client.config(), server.address, "localhost").unwrap();
    }
    let stats = client.chains().stats();
    assert_eq!((stats.verified, stats.hits, stats.kept), (1, 4, 1));
    // Another name is another question.
    talk(client.config(), server.address, "127.0.0.1").unwrap();
    assert_eq!(client.chains().stats().verified, 2);
    talk(client.config(), server.address, "127.0.0.2").unwrap_err();
    assert_eq!(client.chains().stats().kept, 2);

    // And so is another chain with the same leaf.
    let shorter = Chain {
        certificates: chain.certificates[..2].to_vec(),
        key: chain.key.clone_key(),
        ..chain::chain(Shape::P256)
    };
    let without_root = Server::start(
        &shorter,
        Options {
            tickets: 0,
            ..Options::default()
        },
    );
    let verified = client.chains().stats().verified;
    talk(client.config(), without_root.address, "localhost").unwrap();
    assert_eq!(client.chains().stats().verified, verified + 1);

    let forgetful = trusting(&chain.root)
        .keep_verified_chains(false)
        .build()
        .unwrap();
    talk(forgetful.config(), server.address, "localhost").unwrap();
    assert_eq!(forgetful.chains().stats().kept, 0);
}

#[test]
fn a_kept_chain_does_not_spare_the_server_its_signature() {
    let chain = chain::chain(Shape::P256);
    let client = trusting(&chain.root).build().unwrap();
    let honest = Server::start(
        &chain,
        Options {
            tickets: 0,
            ..Options::default()
        },
    );
    talk(client.config(), honest.address, "localhost").unwrap();
    assert_eq!(client.chains().stats().kept, 1);
    // The same certificates, sent by somebody who has another key.
    let liar = common::server::liar(&chain, chain::chain(Shape::P256).key);
    let error = talk(client.config(), liar.address, "localhost").unwrap_err();
    assert_eq!(error.code(), "CERT_SIGNATURE_FAILURE");
    assert_eq!(client.chains().stats().hits, 1);
}

#[test]
fn nothing_is_kept_where_nothing_is_verified() {
    let chain = chain::self_signed();
    let server = Server::start(
        &chain,
        Options {
            tickets: 0,
            ..Options::default()
        },
    );
    let trusting_all = trusting(&chain.root)
        .danger_accept_any_certificate()
        .build()
        .unwrap();
    talk(trusting_all.config(), server.address, "localhost").unwrap();
    assert_eq!(trusting_all.chains().stats(), Default::default());
    assert_eq!(trusting_all.warning(), None);
    // And who verifies learns nothing from who does not.
    let careful = trusting(&chain.root).build().unwrap();
    assert_ne!(careful.identity(), trusting_all.identity());
    talk(careful.config(), server.address, "localhost").unwrap_err();
}

#[test]
fn all_of_128_connections_are_resumed() {
    let chain = chain::chain(Shape::P256);
    let server = Server::start(&chain, Options::default());
    let client = trusting(&chain.root).build().unwrap();
    let burst = || {
        std::thread::scope(|scope| {
            let one = || {
                talk(client.config(), server.address, "localhost")
                    .unwrap()
                    .kind
            };
            let threads: Vec<_> = (0..128).map(|_| scope.spawn(one)).collect();
            let kinds = threads.into_iter().map(|thread| thread.join().unwrap());
            kinds.filter(|kind| *kind == HandshakeKind::Resumed).count()
        })
    };
    // The first connections may already resume with tickets of those that were done before.
    let early = burst();
    assert_eq!(burst(), 128);
    assert_eq!(
        (server.full(), server.resumed()),
        (128 - early, 128 + early)
    );
}

#[test]
fn a_ticket_is_used_once() {
    let chain = chain::chain(Shape::P256);
    let server = Server::start(
        &chain,
        Options {
            tickets: 1,
            ..Options::default()
        },
    );
    let client = trusting(&chain.root).build().unwrap();
    let name: rustls::pki_types::ServerName<'static> = "localhost".try_into().unwrap();
    talk(client.config(), server.address, "localhost").unwrap();
    assert_eq!(client.sessions().tickets_of(&name), 1);
    // A connection that has begun and goes nowhere takes its ticket with it.
    let begun = rustls::ClientConnection::new(client.config(), name.clone()).unwrap();
    assert_eq!(client.sessions().tickets_of(&name), 0);
    drop(begun);
    assert_eq!(client.sessions().tickets_of(&name), 0);
    let kind = talk(client.config(), server.address, "localhost")
        .unwrap()
        .kind;
    assert_eq!(kind, HandshakeKind::Full);
}

#[test]
fn sessions_and_chains_stay_within_their_identity() {
    let chain = chain::chain(Shape::P256);
    let server = Server::start(&chain, Options::default());
    let one = trusting(&chain.root).build().unwrap();
    let same = trusting(&chain.root).build().unwrap();
    assert!(std::sync::Arc::ptr_eq(&one.config(), &same.config()));
    talk(one.config(), server.address, "localhost").unwrap();
    let others = [
        trusting(&chain.root).alpn(["http/1.1"]),
        trusting(&chain.root).post_quantum(PostQuantum::Off),
        trusting(&chain.root).danger_accept_any_certificate(),
        trusting(&chain.root).only_tls13(true),
        Client::builder().roots(Roots::from_der([
            chain.root.clone(),
            chain::chain(Shape::P256).root,
        ])),
    ];
    for other in others {
        let other = other.build().unwrap();
        assert_ne!(other.identity(), one.identity());
        let kind = talk(other.config(), server.address, "localhost")
            .unwrap()
            .kind;
        assert_eq!(kind, HandshakeKind::Full);
        assert_eq!(other.chains().stats().hits, 0);
    }
    assert_eq!(
        talk(same.config(), server.address, "localhost")
            .unwrap()
            .kind,
        HandshakeKind::Resumed
    );
}

#[test]
fn the_hybrid_key_share_has_a_switch() {
    let chain = chain::chain(Shape::P256);
    let modern = Server::start(&chain, Options::default());
    let classical = Server::start(
        &chain,
        Options {
            hybrid: false,
            ..Options::default()
        },
    );
    for (post_quantum, with_modern, with_classical) in [
        (
            PostQuantum::Preferred,
            NamedGroup::X25519MLKEM768,
            Some(NamedGroup::X25519),
        ),
        (
            PostQuantum::Always,
            NamedGroup::X25519MLKEM768,
            Some(NamedGroup::X25519),
        ),
        (
            PostQuantum::Off,
            NamedGroup::X25519,
            Some(NamedGroup::X25519),
        ),
        (PostQuantum::Required, NamedGroup::X25519MLKEM768, None),
    ] {
        let client = trusting(&chain.root)
            .post_quantum(post_quantum)
            .build()
            .unwrap();
        let group = talk(client.config(), modern.address, "localhost")
            .unwrap()
            .group;
        assert_eq!(group, Some(with_modern), "{post_quantum:?}");
        let fallen = talk(client.config(), classical.address, "localhost");
        match (fallen, with_classical) {
            (Ok(talk), expected) => {
                // With X25519 sent beside it there is no second round trip.
                assert_eq!(talk.kind, HandshakeKind::Full);
                assert_eq!(talk.group, expected, "{post_quantum:?}");
            }
            (Err(error), None) => assert_eq!(error.code(), "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE"),
            (Err(error), Some(_)) => panic!("{post_quantum:?}: {error}"),
        }
    }
}

#[test]
fn a_server_may_ask_for_a_certificate() {
    let chain = chain::chain(Shape::P256);
    let mut client_leaf = chain::leaf();
    client_leaf.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ClientAuth];
    let authority = chain::with(Shape::P256, client_leaf, |_| ());
    let server_chain = Chain {
        root: authority.root.clone(),
        ..chain::chain(Shape::P256)
    };
    let server = Server::start(
        &server_chain,
        Options {
            wants_certificate: true,
            ..Options::default()
        },
    );
    let root = server_chain.certificates[2].clone();
    let known = trusting(&root)
        .client_certificate(authority.certificates.clone(), authority.key.clone_key())
        .build()
        .unwrap();
    talk(known.config(), server.address, "localhost").unwrap();
    let unknown = trusting(&root).build().unwrap();
    let error = talk(unknown.config(), server.address, "localhost").unwrap_err();
    assert_eq!(error.code(), "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED");
    let mismatched =
        trusting(&root).client_certificate(chain.certificates.clone(), authority.key.clone_key());
    assert_eq!(
        mismatched.build().unwrap_err().code(),
        "ERR_INVALID_ARG_VALUE"
    );
}

#[test]
fn revoked_certificates_are_refused() {
    let chain = chain::chain(Shape::P256);
    let server = Server::start(&chain, Options::default());
    let client = trusting(&chain.root)
        .revocation_lists(vec![chain.revocation_list.clone()])
        .build()
        .unwrap();
    let error = talk(client.config(), server.address, "localhost").unwrap_err();
    assert_eq!(error.code(), "CERT_REVOKED");
}

//! Where roots come from, and what becomes of bad ones.
#![forbid(unsafe_code)]

mod common;

use alacrypt_tls::{Client, Roots};
use common::chain::{self, Shape};
use common::server::{Options, Server};
use common::{pem, talk, trusting};

const BAD: &str = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

#[test]
fn a_bad_root_is_reported_and_the_others_are_used() {
    let chain = chain::chain(Shape::P256);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("roots.pem");
    std::fs::write(&file, format!("{BAD}{}{BAD}", pem(&chain.root))).unwrap();
    let roots = Roots::from_paths(Some(&file), None);
    assert_eq!(roots.report().trusted, 1);
    // The same bad certificate twice is one.
    assert_eq!(roots.report().refused.len(), 1);
    assert!(roots.report().refused[0].what.contains("SHA-256"));
    assert_eq!(roots.report().warning(), None);

    let server = Server::start(&chain, Options::default());
    let client = Client::builder().roots(roots).build().unwrap();
    talk(client.config(), server.address, "localhost").unwrap();

    let folder = Roots::from_paths(None, Some(dir.path()));
    assert_eq!(folder.report().trusted, 1);
    let both = Roots::from_pem(format!("{BAD}{}", pem(&chain.root)).as_bytes()).unwrap();
    assert_eq!((both.report().trusted, both.report().refused.len()), (1, 1));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing.pem");
    let roots = Roots::from_paths(Some(&missing), None);
    assert_eq!(roots.report().trusted, 0);
    assert!(roots.report().refused[0].what.ends_with("missing.pem"));
    assert!(roots.report().warning().unwrap().contains("missing.pem"));
    assert_eq!(
        Roots::from_pem(b"no PEM").unwrap_err().code(),
        "ERR_INVALID_ARG_VALUE"
    );
}

#[test]
fn with_no_root_nobody_is_trusted_and_the_client_says_so() {
    let chain = chain::chain(Shape::P256);
    let server = Server::start(&chain, Options::default());
    let client = Client::builder()
        .roots(Roots::from_der([]))
        .build()
        .unwrap();
    assert!(client.warning().unwrap().contains("SSL_CERT_FILE"));
    let error = talk(client.config(), server.address, "localhost").unwrap_err();
    assert_eq!(error.code(), "UNABLE_TO_GET_ISSUER_CERT_LOCALLY");
    assert_eq!(trusting(&chain.root).build().unwrap().warning(), None);
}

#[cfg(feature = "bundled-roots")]
#[test]
fn bundled_roots_stand_in_only_where_there_are_none() {
    let empty = || Client::builder().roots(Roots::from_der([]));
    let client = empty().bundled_roots_if_empty(true).build().unwrap();
    assert!(client.roots().report().trusted > 100);
    assert_eq!(client.warning(), None);
    let chain = chain::chain(Shape::P256);
    let own = trusting(&chain.root)
        .bundled_roots_if_empty(true)
        .build()
        .unwrap();
    assert_eq!(own.roots().report().trusted, 1);
}

#[test]
fn extra_roots_are_added() {
    let (one, two) = (chain::chain(Shape::P256), chain::chain(Shape::P384Root));
    let both = Roots::from_der([one.root.clone()]).and(&Roots::from_der([two.root.clone()]));
    let client = Client::builder().roots(both).build().unwrap();
    for chain in [&one, &two] {
        let server = Server::start(chain, Options::default());
        talk(client.config(), server.address, "localhost").unwrap();
    }
}

#[test]
fn the_system_store_is_read_once() {
    assert!(std::sync::Arc::ptr_eq(&Roots::system(), &Roots::system()));
}

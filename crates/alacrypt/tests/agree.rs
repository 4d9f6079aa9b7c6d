//! Key agreement: OpenSSL's secrets, the standard's, and keys that do not go together.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use alacrypt::agree::shared_secret;
use alacrypt::key::{KeyKind, PrivateKey, PublicKey};
use alacrypt::{Error, Misuse};
use common::keys::{self, named, served};
use common::{hex, records, unhex};

fn secret(private: &PrivateKey, public: &PublicKey) -> Result<Vec<u8>, Error> {
    let mut secret = vec![0xa5; 80];
    let len = shared_secret(private, public, &mut secret)?;
    assert!(secret[len..].iter().all(|byte| *byte == 0xa5));
    secret.truncate(len);
    Ok(secret)
}

#[test]
fn openssl_secrets() {
    let text = include_str!("../../../vectors/agree/openssl_generated.txt");
    let records = records(text, "Secret");
    assert_eq!(records.len(), 5 * 4);
    for record in records {
        let private = named(record.text("Key")).private();
        let peer = PublicKey::from_spki_der(&record.bytes("Peer")).unwrap();
        assert_eq!(
            hex(&secret(&private, &peer).unwrap()),
            record.text("Secret")
        );
    }
}

fn x25519(scalar: &[u8]) -> PrivateKey {
    let pkcs8 = keys::pkcs8("2b656e", &[], &keys::der(4, scalar));
    PrivateKey::from_pkcs8_der(&pkcs8).unwrap()
}

fn x25519_public(point: &[u8]) -> PublicKey {
    PublicKey::from_spki_der(&keys::spki("2b656e", &[], point)).unwrap()
}

/// RFC 7748, section 5.2: one, and a thousand iterations.
#[test]
fn x25519_of_rfc7748() {
    let mut k = unhex("0900000000000000000000000000000000000000000000000000000000000000");
    let mut u = k.clone();
    for iteration in 1..=1_000 {
        let next = secret(&x25519(&k), &x25519_public(&u)).unwrap();
        u = std::mem::replace(&mut k, next);
        if iteration == 1 {
            assert_eq!(
                hex(&k),
                "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"
            );
        }
    }
    assert_eq!(
        hex(&k),
        "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"
    );
}

/// RFC 7748, section 6.1: a secret of zeros is none. The points of small order, and those that
/// reduce to one.
#[test]
fn x25519_keys_of_small_order_are_rejected() {
    let private = named("X25519").private();
    for point in [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ] {
        for top_bit in [0, 0x80] {
            let mut point = unhex(point);
            point[31] |= top_bit;
            let public = x25519_public(&point);
            assert_eq!(secret(&private, &public), Err(Error::Rejected));
        }
    }
}

#[test]
fn both_sides_get_one_secret() {
    for entry in served() {
        let agrees = matches!(entry.public().kind(), KeyKind::Ec(_) | KeyKind::X25519);
        let private = entry.private();
        let with_itself = secret(&private, &entry.public());
        if !agrees {
            assert_eq!(with_itself, Err(Error::Misuse(Misuse::KeyKind)));
            continue;
        }
        assert_eq!(
            with_itself,
            secret(&private, &private.public_key().unwrap())
        );
        for other in served() {
            let found = secret(&private, &other.public());
            if other.name == entry.name {
                assert_eq!(found, with_itself);
            } else {
                assert_eq!(found, Err(Error::Misuse(Misuse::KeyKind)), "{}", other.name);
            }
        }
        let len = with_itself.unwrap().len();
        for short in [0, 1, len - 1] {
            assert_eq!(
                shared_secret(&private, &entry.public(), &mut vec![0; short]),
                Err(Error::Misuse(Misuse::OutputLength)),
            );
        }
    }
}

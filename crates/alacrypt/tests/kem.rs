//! ML-KEM: OpenSSL's ciphertexts, round trips, implicit rejection, and keys that are none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use alacrypt::kem::{ciphertext_len_bytes, decapsulate, encapsulate};
use alacrypt::key::{KeyKind, PrivateKey, PublicKey};
use alacrypt::{Error, Misuse};
use common::keys::{self, named, served};
use common::{hex, records};

fn decapsulated(private: &PrivateKey, ciphertext: &[u8]) -> Result<[u8; 32], Error> {
    let mut shared = [0; 32];
    decapsulate(private, ciphertext, &mut shared).map(|()| shared)
}

/// The altered ciphertexts among them are answered by implicit rejection, byte for byte.
#[test]
fn openssl_ciphertexts() {
    let text = include_str!("../../../vectors/kem/openssl_generated.txt");
    let records = records(text, "Shared");
    assert_eq!(records.len(), 3 * 4);
    for record in records {
        let private = named(record.text("Key")).private();
        let shared = decapsulated(&private, &record.bytes("Ciphertext")).unwrap();
        assert_eq!(hex(&shared), record.text("Shared"));
    }
}

#[test]
fn both_sides_get_one_secret() {
    let mut kinds = 0;
    for entry in served() {
        let (public, private) = (entry.public(), entry.private());
        let mut shared = [0; 32];
        let Some(len) = ciphertext_len_bytes(public.kind()) else {
            let refused = Err(Error::Misuse(Misuse::KeyKind));
            assert_eq!(encapsulate(&public, &mut [0; 1_088], &mut shared), refused);
            assert_eq!(decapsulate(&private, &[0; 1_088], &mut shared), refused);
            continue;
        };
        kinds += 1;
        for public in [public, private.public_key().unwrap()] {
            let mut ciphertext = vec![0; len];
            encapsulate(&public, &mut ciphertext, &mut shared).unwrap();
            assert_eq!(decapsulated(&private, &ciphertext), Ok(shared));
            let mut again = [0; 32];
            encapsulate(&public, &mut vec![0; len], &mut again).unwrap();
            assert_ne!(shared, again);
            for bit in [0, 8 * len - 1] {
                ciphertext[bit / 8] ^= 1 << (bit % 8);
                let rejected = decapsulated(&private, &ciphertext).unwrap();
                assert_ne!(rejected, shared);
                assert_eq!(decapsulated(&private, &ciphertext), Ok(rejected));
                ciphertext[bit / 8] ^= 1 << (bit % 8);
            }
            for wrong in [0, 1, len - 1, len + 1] {
                let found = decapsulated(&private, &vec![0; wrong]);
                assert_eq!(found, Err(Error::Rejected), "{wrong} bytes");
                let found = encapsulate(&public, &mut vec![0; wrong], &mut shared);
                assert_eq!(found, Err(Error::Misuse(Misuse::OutputLength)));
            }
        }
    }
    assert_eq!(kinds, 3);
}

/// FIPS 203, section 7.2: a coefficient of 3,329 or more.
#[test]
fn keys_that_are_not_reduced_are_rejected() {
    let mut spki = named("MlKem768").spki;
    let start = spki.len() - 1_184;
    spki[start..start + 3].fill(0xff);
    let public = PublicKey::from_spki_der(&spki).unwrap();
    assert_eq!(public.kind(), KeyKind::MlKem768);
    let found = encapsulate(&public, &mut [0; 1_088], &mut [0; 32]);
    assert_eq!(found, Err(Error::Rejected));
}

/// FIPS 203, section 7.3: the digest inside an expanded key is not that of the public half.
#[test]
fn keys_with_another_digest_are_rejected() {
    // The expanded form of a key, as `d` and `z` make it, is not at hand: its length is right, and
    // its digest wrong.
    let raw = keys::der(4, &[0; 2_400]);
    let pkcs8 = keys::pkcs8("608648016503040402", &[], &raw);
    let private = PrivateKey::from_pkcs8_der(&pkcs8).unwrap();
    assert_eq!(decapsulated(&private, &[0; 1_088]), Err(Error::Rejected));
}

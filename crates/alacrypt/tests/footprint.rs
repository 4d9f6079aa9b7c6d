//! What objects take of the heap is about what their `heap_len_bytes` says. One test, as it measures the
//! whole process.
#![cfg(all(target_os = "linux", target_env = "gnu"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use alacrypt::aead::{self, Sealer, UnverifiedOpener};
use alacrypt::cipher::{self, Cipher, Direction, Padding};
use alacrypt::digest::{Algorithm, Hasher};
use alacrypt::key::{KeyKind, PrivateKey, PublicKey};
use alacrypt::mac::Hmac;
use alacrypt::sign::{EcdsaEncoding, Message, SaltLength, Scheme, sign, verify};
use common::keys::served;

const OBJECTS: usize = 64;
/// So far may an estimate be off, in parts of what was measured, and in bytes beside that.
const TOLERANCE: f64 = 0.25;
const SLACK_BYTES: f64 = 160.0;

/// Bytes of the heap that are in use.
fn in_use() -> i64 {
    // SAFETY: it takes nothing, and reads the allocator's own counts.
    let info = unsafe { libc::mallinfo2() };
    i64::try_from(info.uordblks + info.hblkhd).unwrap()
}

/// Compares what one of the objects that `make` makes takes with what the last of them says.
fn check<T>(what: &str, make: impl Fn() -> T, said: impl Fn(&T) -> usize) {
    // What the library makes once is there before.
    drop(make());
    let mut objects = Vec::with_capacity(OBJECTS);
    let before = in_use();
    for _ in 0..OBJECTS {
        objects.push(make());
    }
    let measured = (in_use() - before) as f64 / OBJECTS as f64;
    let said = said(objects.last().unwrap()) as f64;
    assert!(
        (said - measured).abs() <= measured * TOLERANCE + SLACK_BYTES,
        "{what}: {measured} bytes, not {said}"
    );
}

#[test]
fn objects_take_what_they_say() {
    for entry in served() {
        let scheme = scheme(entry.private().kind());
        let signature = scheme.map(|scheme| signed(&entry.private(), &scheme));
        let private = || {
            let key = entry.private();
            if let Some(scheme) = scheme {
                signed(&key, &scheme);
            }
            key
        };
        check(
            &format!("private {}", entry.name),
            private,
            PrivateKey::heap_len_bytes,
        );
        let public = || {
            let key = entry.public();
            if let Some((scheme, signature)) = scheme.zip(signature.as_deref()) {
                verify(&key, &scheme, Message::Whole(b"a"), signature).unwrap();
            }
            key
        };
        check(
            &format!("public {}", entry.name),
            public,
            PublicKey::heap_len_bytes,
        );
    }
    for algorithm in Algorithm::ALL {
        check(
            &format!("{algorithm:?}"),
            || Hasher::new(algorithm).unwrap(),
            Hasher::heap_len_bytes,
        );
        if algorithm.output_len_bytes().is_some() {
            check(
                &format!("HMAC {algorithm:?}"),
                || Hmac::new(algorithm, b"key").unwrap(),
                Hmac::heap_len_bytes,
            );
        }
    }
    const KEY: [u8; 32] = [1; 32];
    let gcm = aead::Algorithm::Aes256Gcm;
    check(
        "sealer",
        || Sealer::new(gcm, &KEY, &[0; 12], b"").unwrap(),
        |_| aead::STREAM_HEAP_LEN_BYTES,
    );
    check(
        "opener",
        || UnverifiedOpener::new(gcm, &KEY, &[0; 12], b"").unwrap(),
        |_| aead::STREAM_HEAP_LEN_BYTES,
    );
    let ctr = cipher::Algorithm::Aes256Ctr;
    check(
        "cipher",
        || Cipher::new(ctr, Direction::Encrypt, &KEY, &[0; 16], Padding::None).unwrap(),
        |_| cipher::STREAM_HEAP_LEN_BYTES,
    );
}

/// How keys of that kind sign, if they do.
fn scheme(kind: KeyKind) -> Option<Scheme<'static>> {
    // RSA with 512 bits has no room for more.
    let digest = Algorithm::Sha1;
    Some(match kind {
        KeyKind::Rsa => Scheme::RsaPkcs1v15 { digest },
        KeyKind::RsaPss => Scheme::RsaPss {
            digest: Algorithm::Sha256,
            mgf1_digest: Algorithm::Sha256,
            salt_len: SaltLength::Digest,
        },
        KeyKind::Ec(_) => Scheme::Ecdsa {
            digest,
            encoding: EcdsaEncoding::Der,
        },
        KeyKind::Ed25519 => Scheme::Ed25519,
        KeyKind::MlDsa44 | KeyKind::MlDsa65 | KeyKind::MlDsa87 => Scheme::MlDsa { context: b"" },
        _ => return None,
    })
}

fn signed(key: &PrivateKey, scheme: &Scheme<'_>) -> Vec<u8> {
    let mut signature = vec![0; key.signature_len_bytes()];
    let len = sign(key, scheme, Message::Whole(b"a"), &mut signature).unwrap();
    signature.truncate(len);
    signature
}

//! Freed memory holds no key and no message.
//!
//! The program's allocator looks at each block as it is freed. It sees what Rust code allocates:
//! the states of HMAC and of RustCrypto's digests, and the private keys of Ed25519, X25519 and
//! secp256k1. What AWS-LC allocates itself (the state of a digest in progress, other keys) it does
//! not see; `OPENSSL_free` wipes that.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

use alacrypt::agree::shared_secret;
use alacrypt::digest::{Algorithm, Hasher};
use alacrypt::key::{KeyKind, PrivateKey};
use alacrypt::mac::{Hmac, hmac};
use alacrypt::sign::{EcdsaEncoding, Message, Scheme, sign};
use common::{keys, with_hmac};
use zeroize::Zeroizing;

/// Twenty bytes that occur nowhere else, shorter than every digest's block.
const KEY: [u8; 20] = *b"\x01\x9ekey, 20 bytes\xf7\x80\x13\xc5\x07";
const MESSAGE: [u8; 20] = *b"\xe2\x8bmessage, 20 by\xd1\x99\x04\x6b";

const fn xor(mut bytes: [u8; 20], mask: u8) -> [u8; 20] {
    let mut at = 0;
    while at < bytes.len() {
        bytes[at] ^= mask;
        at += 1;
    }
    bytes
}

const fn reversed(bytes: [u8; 20]) -> [u8; 20] {
    let mut reversed = [0; 20];
    let mut at = 0;
    while at < bytes.len() {
        reversed[at] = bytes[bytes.len() - 1 - at];
        at += 1;
    }
    reversed
}

/// What must not stay: the key as it is and as HMAC pads it (RFC 2104, section 2), the message.
/// And the key as RustCrypto keeps a number: its words, and so its bytes, in reverse.
static SECRETS: [[u8; 20]; 5] = [KEY, xor(KEY, 0x36), xor(KEY, 0x5c), MESSAGE, reversed(KEY)];
static LEAKS: AtomicUsize = AtomicUsize::new(0);

struct Watching;

// SAFETY: every request is the system allocator's, and so are the guarantees.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps `alloc`'s contract, which is the same. Zeros, so that no
        // leftover of another block is taken for a leak of this one.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        for secret in &SECRETS {
            // SAFETY: the block is live and readable for its length until it is freed below, the
            // secret for its own. C reads both, so no Rust value is made of the block's bytes.
            let found = unsafe {
                libc::memmem(
                    block.cast(),
                    layout.size(),
                    secret.as_ptr().cast(),
                    secret.len(),
                )
            };
            if !found.is_null() {
                LEAKS.fetch_add(1, Ordering::Relaxed);
            }
        }
        // SAFETY: the caller keeps `dealloc`'s contract, which is the same.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

fn leaks(run: impl FnOnce()) -> usize {
    let before = LEAKS.load(Ordering::Relaxed);
    run();
    LEAKS.load(Ordering::Relaxed) - before
}

/// One test, as the count of leaks is the whole program's.
#[test]
fn freed_memory_holds_no_secret() {
    // The allocator does see what is freed as it is.
    assert_eq!(leaks(|| drop(black_box(MESSAGE.to_vec()))), 1);
    assert_eq!(leaks(|| drop(black_box(Box::new(xor(KEY, 0x5c))))), 1);
    assert_eq!(leaks(|| drop(black_box(Box::new(reversed(KEY))))), 1);

    for algorithm in Algorithm::ALL {
        let started = || {
            let mut hasher = Hasher::new(algorithm).unwrap();
            hasher.update(&MESSAGE).unwrap();
            hasher
        };
        let mut digest_out = vec![0; algorithm.output_len_bytes().unwrap_or(32)];
        assert_eq!(leaks(|| drop(started())), 0, "{algorithm:?} dropped");
        assert_eq!(
            leaks(|| started().finish(&mut digest_out).unwrap()),
            0,
            "{algorithm:?} finished",
        );
        assert_eq!(
            leaks(|| drop(started().try_clone().unwrap())),
            0,
            "{algorithm:?} cloned",
        );
        // Refused by a digest, and no output at all from an extendable-output function.
        assert_eq!(
            leaks(|| {
                let _ = started().finish(&mut []);
            }),
            0,
            "{algorithm:?} not finished",
        );
    }

    for algorithm in with_hmac() {
        let keyed = || Hmac::new(algorithm, &KEY).unwrap();
        let started = || {
            let mut mac = keyed();
            mac.update(&MESSAGE).unwrap();
            mac
        };
        let mut tag_out = vec![0; algorithm.output_len_bytes().unwrap()];
        assert_eq!(leaks(|| drop(keyed())), 0, "{algorithm:?} keyed");
        assert_eq!(leaks(|| drop(started())), 0, "{algorithm:?} dropped");
        assert_eq!(
            leaks(|| drop(started().try_clone().unwrap())),
            0,
            "{algorithm:?} cloned",
        );
        assert_eq!(
            leaks(|| started().finish(&mut tag_out).unwrap()),
            0,
            "{algorithm:?} finished",
        );
        assert_eq!(
            leaks(|| keyed().tag(&MESSAGE, &mut tag_out).unwrap()),
            0,
            "{algorithm:?} tagged",
        );
        assert_eq!(
            leaks(|| started().verify(&tag_out).unwrap()),
            0,
            "{algorithm:?} verified",
        );
        assert_eq!(
            leaks(|| hmac(algorithm, &KEY, &MESSAGE, &mut tag_out).unwrap()),
            0,
            "{algorithm:?} in one call",
        );
    }
    for (name, pkcs8) in private_keys() {
        let read = || PrivateKey::from_pkcs8_der(&pkcs8).unwrap();
        assert_eq!(leaks(|| drop(read())), 0, "{name} dropped");
        let key = read();
        let scheme = match key.kind() {
            KeyKind::Ed25519 => Scheme::Ed25519,
            _ => Scheme::Ecdsa {
                digest: Algorithm::Sha256,
                encoding: EcdsaEncoding::Der,
            },
        };
        let used = leaks(|| {
            let mut out = vec![0; 72];
            let message = Message::Whole(b"message");
            let public = key.public_key().unwrap();
            let signs = sign(&key, &scheme, message, &mut out).is_ok();
            let agrees = shared_secret(&key, &public, &mut out).is_ok();
            assert!(signs || agrees);
        });
        assert_eq!(used, 0, "{name} used");
        // A key of the wrong length, or with more behind it, is refused as cleanly.
        for len in [pkcs8.len() - 1, pkcs8.len() + 1] {
            let mut wrong = Zeroizing::new(pkcs8.clone());
            wrong.resize(len, 0);
            let refused = leaks(|| assert!(PrivateKey::from_pkcs8_der(&wrong).is_err()));
            assert_eq!(refused, 0, "{name} refused");
        }
    }
}

/// Private keys of the kinds whose bytes are in Rust's memory, with `KEY` in them.
fn private_keys() -> [(&'static str, Vec<u8>); 3] {
    let mut number = [0x11; 32];
    number[6..26].copy_from_slice(&KEY);
    let octets = keys::der(4, &number);
    let ec = keys::sequence(&[keys::integer(&[1]), octets.clone()]);
    let curve = keys::der(6, &[0x2b, 0x81, 0x04, 0x00, 0x0a]);
    [
        ("Ed25519", keys::pkcs8("2b6570", &[], &octets)),
        ("X25519", keys::pkcs8("2b656e", &[], &octets)),
        ("secp256k1", keys::pkcs8(keys::EC_OID, &curve, &ec)),
    ]
}

//! Fast cryptographic primitives on [AWS-LC] behind one safe API: digests, HMAC, ciphers, keys,
//! signatures, key agreement, key encapsulation, key derivation and random bytes.
//!
//! | module | holds |
//! |---|---|
//! | [`digest`] | MD5, SHA-1, SHA-2, SHA-3, SHAKE, BLAKE2, RIPEMD-160: one-shot and streaming |
//! | [`mac`] | HMAC over each of the fixed-length digests, keyed states that are copied per use |
//! | [`cipher`] | AES in the modes CBC, CTR, ECB, CFB and OFB |
//! | [`aead`] | authenticated encryption: AES-GCM, ChaCha20-Poly1305 |
//! | [`key`] | public and private keys, read from DER: RSA, elliptic curves, Ed25519, X25519, ML-DSA, ML-KEM |
//! | [`sign`] | signatures: RSA with PKCS #1 v1.5 and PSS padding, ECDSA, Ed25519, ML-DSA |
//! | [`agree`] | key agreement: X25519, ECDH |
//! | [`kem`] | key encapsulation: ML-KEM |
//! | [`rsa`] | RSA encryption with OAEP and PKCS #1 v1.5 padding, and the bare padded transforms |
//! | [`kdf`] | key derivation: HKDF, PBKDF2, scrypt |
//! | [`random`] | random bytes, and a small pool of them for many short draws |
//! | [`constant_time`] | comparison whose time does not depend on the data |
//!
//! Every algorithm is resolved on first use. At load AWS-LC asks the processor for its features,
//! and at the end of the process it wipes its random generators; nothing else runs then.
//!
//! # Build-time setting
//!
//! AWS-LC seeds its generator from CPU jitter by default, which costs about 29 ms of CPU at the
//! first random byte. A final binary that trusts the operating system's generator sets
//! `AWS_LC_SYS_NO_JITTER_ENTROPY=1` in the environment of its build, for instance in the
//! `[env]` table of `.cargo/config.toml`.
//!
//! # Example
//!
//! ```
//! use alacrypt::digest::{Algorithm, digest};
//!
//! let mut digest_out = [0; 32];
//! digest(Algorithm::Sha256, b"abc", &mut digest_out)?;
//! assert_eq!(digest_out[..4], [0xba, 0x78, 0x16, 0xbf]);
//! # Ok::<(), alacrypt::Error>(())
//! ```
//!
//! [AWS-LC]: https://github.com/aws/aws-lc

#![deny(unsafe_code)]

pub mod aead;
pub mod agree;
pub mod cipher;
pub mod constant_time;
pub mod digest;
mod error;
mod ffi;
pub mod kdf;
pub mod kem;
pub mod key;
pub mod mac;
pub mod random;
pub mod rsa;
pub mod sign;

pub use error::{Error, Misuse};

// The README's example compiles and runs with the doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

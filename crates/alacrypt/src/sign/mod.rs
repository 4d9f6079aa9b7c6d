//! Signatures: RSA with PKCS #1 v1.5 and PSS padding (RFC 8017, sections 8.2 and 8.1), ECDSA
//! (FIPS 186-5, section 6), Ed25519 (RFC 8032, section 5.1), ML-DSA (FIPS 204, section 5.2).
//!
//! ECDSA, PSS and ML-DSA signatures are made with fresh random bytes; two of one message differ.
//!
//! ```
//! use alacrypt::key::PrivateKey;
//! use alacrypt::sign::{Message, Scheme, sign, verify};
//!
//! # let pkcs8 = [
//! #     0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04,
//! #     0x20, 0xd4, 0xee, 0x72, 0xdb, 0xf9, 0x13, 0x58, 0x4a, 0xd5, 0xb6, 0xd8, 0xf1, 0xf7, 0x69,
//! #     0xf8, 0xad, 0x3a, 0xfe, 0x7c, 0x28, 0xcb, 0xf1, 0xd4, 0xfb, 0xe0, 0x97, 0xa8, 0x8f, 0x44,
//! #     0x75, 0x58, 0x42,
//! # ];
//! let key = PrivateKey::from_pkcs8_der(&pkcs8)?;
//! let mut signature_out = vec![0; key.signature_len_bytes()];
//! let len = sign(&key, &Scheme::Ed25519, Message::Whole(b"message"), &mut signature_out)?;
//!
//! let public = key.public_key()?;
//! verify(&public, &Scheme::Ed25519, Message::Whole(b"message"), &signature_out[..len])?;
//! # Ok::<(), alacrypt::Error>(())
//! ```

mod ecdsa;
mod message;
mod rsa;
mod scheme;
mod secp256k1;
mod signing;
mod verifying;

pub use message::Message;
pub use scheme::{EcdsaEncoding, SaltLength, Scheme};
pub use signing::sign;
pub use verifying::verify;

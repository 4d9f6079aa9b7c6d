//! Key derivation: HKDF (RFC 5869).
//!
//! ```
//! use alacrypt::digest::Algorithm;
//! use alacrypt::kdf::hkdf;
//!
//! let mut okm_out = [0; 42];
//! hkdf(Algorithm::Sha256, b"input keying material", b"salt", b"info", &mut okm_out)?;
//! # Ok::<(), alacrypt::Error>(())
//! ```

mod hkdf;

pub use hkdf::hkdf;

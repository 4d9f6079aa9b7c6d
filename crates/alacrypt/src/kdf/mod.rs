//! Key derivation: HKDF (RFC 5869) from keys; PBKDF2 (RFC 8018, section 5.2) and scrypt (RFC 7914)
//! from passwords, and Argon2 (RFC 9106).
//!
//! ```
//! use alacrypt::digest::Algorithm;
//! use alacrypt::kdf::hkdf;
//!
//! let mut okm_out = [0; 42];
//! hkdf(Algorithm::Sha256, b"input keying material", b"salt", b"info", &mut okm_out)?;
//! # Ok::<(), alacrypt::Error>(())
//! ```

mod argon2;
mod hkdf;
mod pbkdf2;
mod scrypt;

pub use argon2::{Argon2Cost, Argon2Input, Argon2Type, argon2};
pub use hkdf::hkdf;
pub use pbkdf2::pbkdf2;
pub use scrypt::{Cost, scrypt};

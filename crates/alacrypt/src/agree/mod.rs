//! Key agreement: X25519 (RFC 7748, section 6.1) and ECDH with one private key on each side
//! (NIST SP 800-56A, section 5.7.1.2) on P-256, P-384, P-521 and secp256k1.
//!
//! The secret is the raw coordinate. Hand it to a key derivation function, never to a cipher.
//!
//! ```
//! use alacrypt::agree::shared_secret;
//! use alacrypt::key::{PrivateKey, PublicKey};
//!
//! // Two key pairs on one curve.
//! # fn key(scalar: [u8; 32]) -> Result<PrivateKey, alacrypt::Error> {
//! #     let mut pkcs8 = vec![
//! #         0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x04, 0x22,
//! #         0x04, 0x20,
//! #     ];
//! #     pkcs8.extend(scalar);
//! #     PrivateKey::from_pkcs8_der(&pkcs8)
//! # }
//! # let (alice, bob) = (key([0x77; 32])?, key([0x5d; 32])?);
//! let (mut hers, mut his) = ([0; 32], [0; 32]);
//! shared_secret(&alice, &bob.public_key()?, &mut hers)?;
//! shared_secret(&bob, &alice.public_key()?, &mut his)?;
//! assert_eq!(hers, his);
//! # Ok::<(), alacrypt::Error>(())
//! ```

mod secp256k1;
mod shared_secret;

pub use shared_secret::{secret_len_bytes, shared_secret};

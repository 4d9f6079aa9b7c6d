//! Authenticated encryption with associated data: AES-GCM (NIST SP 800-38D, section 7),
//! AES-GCM-SIV (RFC 8452) and ChaCha20-Poly1305 (RFC 8439, section 2.8), with tags of 16 bytes.
//!
//! No nonce may be used twice with the same key: who sees two such messages can forge others.
//!
//! ```
//! use alacrypt::aead::{Algorithm, open, seal};
//!
//! let (key, nonce, aad) = ([7; 32], [1; 12], b"header");
//! let mut ciphertext_out = [0; 7];
//! let mut tag_out = [0; 16];
//! seal(Algorithm::Aes256Gcm, &key, &nonce, aad, b"message", &mut ciphertext_out, &mut tag_out)?;
//!
//! let mut plaintext_out = [0; 7];
//! open(Algorithm::Aes256Gcm, &key, &nonce, aad, &ciphertext_out, &tag_out, &mut plaintext_out)?;
//! assert_eq!(&plaintext_out, b"message");
//! # Ok::<(), alacrypt::Error>(())
//! ```

mod algorithm;
mod one_shot;
mod stream;

pub use algorithm::Algorithm;
pub use one_shot::{open, seal};
pub use stream::{Sealer, UnverifiedOpener};

/// The length of the tags, in bytes.
pub const TAG_LEN_BYTES: usize = crate::ffi::evp_aead::TAG_LEN_BYTES;

/// About how many bytes of the heap a message in pieces takes.
pub const STREAM_HEAP_LEN_BYTES: usize = 816;

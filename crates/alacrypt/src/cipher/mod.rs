//! Ciphers without authentication: AES (FIPS 197) in the modes ECB, CBC, CFB, OFB and CTR
//! (NIST SP 800-38A, section 6) and XTS (SP 800-38E), with the padding of PKCS #7 (RFC 5652,
//! section 6.3) in ECB and CBC; and the wrapping of keys (RFC 3394, RFC 5649).
//!
//! None of them notices a ciphertext that was changed; [`crate::aead`] does. ECB shows which blocks
//! of a message are equal. They are here for what still asks for them.
//!
//! ```
//! use alacrypt::cipher::{Algorithm, Padding, decrypt, encrypt};
//!
//! let (key, iv) = ([7; 32], [1; 16]);
//! let mut ciphertext_out = [0; 32];
//! let len = encrypt(Algorithm::Aes256Cbc, &key, &iv, Padding::Pkcs7, b"message", &mut ciphertext_out)?;
//! let ciphertext = &ciphertext_out[..len];
//!
//! let mut plaintext_out = [0; 32];
//! let len = decrypt(Algorithm::Aes256Cbc, &key, &iv, Padding::Pkcs7, ciphertext, &mut plaintext_out)?;
//! assert_eq!(&plaintext_out[..len], b"message");
//! # Ok::<(), alacrypt::Error>(())
//! ```

mod algorithm;
mod key_wrap;
mod one_shot;
mod stream;
mod xts;

pub use algorithm::{Algorithm, BLOCK_LEN_BYTES, Padding};
pub use key_wrap::{WRAP_IV, unwrap, unwrap_padded, wrap, wrap_padded};
pub use one_shot::{decrypt, encrypt};
pub use stream::{Cipher, Direction};
pub use xts::{XTS_KEY_LEN_BYTES, xts};

/// About how many bytes of the heap a [`Cipher`] takes.
pub const STREAM_HEAP_LEN_BYTES: usize = 416;

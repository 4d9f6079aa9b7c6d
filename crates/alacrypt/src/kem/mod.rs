//! Key encapsulation: ML-KEM (FIPS 203, section 7).
//!
//! ```
//! use alacrypt::kem::{SHARED_LEN_BYTES, ciphertext_len_bytes, decapsulate, encapsulate};
//! use alacrypt::key::PrivateKey;
//!
//! # let mut pkcs8 = vec![
//! #     0x30, 0x54, 0x02, 0x01, 0x00, 0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03,
//! #     0x04, 0x04, 0x02, 0x04, 0x42, 0x80, 0x40,
//! # ];
//! # pkcs8.extend(0..64);
//! let key = PrivateKey::from_pkcs8_der(&pkcs8)?;
//! let mut ciphertext_out = vec![0; ciphertext_len_bytes(key.kind()).unwrap_or(0)];
//! let (mut sent_out, mut received_out) = ([0; SHARED_LEN_BYTES], [0; SHARED_LEN_BYTES]);
//! encapsulate(&key.public_key()?, &mut ciphertext_out, &mut sent_out)?;
//! decapsulate(&key, &ciphertext_out, &mut received_out)?;
//! assert_eq!(sent_out, received_out);
//! # Ok::<(), alacrypt::Error>(())
//! ```

mod ml_kem;

pub use ml_kem::{SHARED_LEN_BYTES, ciphertext_len_bytes, decapsulate, encapsulate};

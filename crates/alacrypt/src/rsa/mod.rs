//! RSA encryption: with OAEP padding (RFC 8017, section 7.1) both ways, with PKCS #1 v1.5 padding
//! (section 7.2) one way; and the private transform of data that is padded but not named, as old
//! protocols sign it (section 9.2 without its step 2).
//!
//! Decryption with PKCS #1 v1.5 padding is not here and will not be: AWS-LC reports a wrong padding,
//! which lets an attacker decrypt by trial (Bleichenbacher, CRYPTO 1998).
//!
//! ```
//! use alacrypt::digest::Algorithm;
//! use alacrypt::key::{PrivateKey, PublicKey};
//! use alacrypt::rsa::{Oaep, decrypt_oaep, encrypt_oaep};
//!
//! fn round_trip(public: &PublicKey, private: &PrivateKey) -> Result<(), alacrypt::Error> {
//!     let oaep = Oaep {
//!         digest: Algorithm::Sha256,
//!         mgf1_digest: Algorithm::Sha256,
//!         label: b"",
//!     };
//!     let mut ciphertext_out = vec![0; public.bits().unwrap_or(0).div_ceil(8)];
//!     encrypt_oaep(public, &oaep, b"a key", &mut ciphertext_out)?;
//!     let mut plaintext_out = vec![0; ciphertext_out.len()];
//!     let len = decrypt_oaep(private, &oaep, &ciphertext_out, &mut plaintext_out)?;
//!     assert_eq!(&plaintext_out[..len], b"a key");
//!     Ok(())
//! }
//! ```

mod encryption;
mod padded;

pub use encryption::{Oaep, decrypt_oaep, encrypt_oaep, encrypt_pkcs1v15};
pub use padded::{private_encrypt, public_decrypt};

//! Digests: MD5 (RFC 1321, section 3), SHA-1 and SHA-2 (FIPS 180-4, section 6), SHA-3 and SHAKE
//! (FIPS 202, section 6), BLAKE2 without a key (RFC 7693, section 3), RIPEMD-160 (ISO/IEC 10118-3,
//! dedicated hash-function 1) and the MD5-SHA1 concatenation of TLS 1.0 (RFC 2246, section 7.4.3).
//!
//! MD5, SHA-1, RIPEMD-160 and MD5-SHA1 are here for what still asks for them (file checksums,
//! old protocols); collisions of the first two can be made at will.
//!
//! ```
//! use alacrypt::digest::{Algorithm, Hasher};
//!
//! let mut hasher = Hasher::new(Algorithm::Sha512)?;
//! hasher.update(b"ab")?;
//! hasher.update(b"c")?;
//! let mut digest_out = [0; 64];
//! hasher.finish(&mut digest_out)?;
//! assert_eq!(digest_out[..4], [0xdd, 0xaf, 0x35, 0xa1]);
//! # Ok::<(), alacrypt::Error>(())
//! ```

mod algorithm;
mod hasher;
mod one_shot;

pub use algorithm::Algorithm;
pub use hasher::Hasher;
pub use one_shot::digest;

/// The longest fixed-length digest, in bytes.
pub const MAX_OUTPUT_LEN_BYTES: usize = 64;

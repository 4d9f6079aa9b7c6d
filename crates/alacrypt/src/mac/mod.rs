//! Message authentication: HMAC (RFC 2104, section 2; FIPS 198-1, section 4) over the digests of
//! fixed length.
//!
//! ```
//! use alacrypt::digest::Algorithm;
//! use alacrypt::mac::{Hmac, hmac};
//!
//! let mut tag_out = [0; 32];
//! hmac(Algorithm::Sha256, b"key", b"message", &mut tag_out)?;
//!
//! // With one key and many messages the keyed state is made once and copied per message.
//! let keyed = Hmac::new(Algorithm::Sha256, b"key")?;
//! let mut again_out = [0; 32];
//! keyed.tag(b"message", &mut again_out)?;
//! assert_eq!(again_out, tag_out);
//!
//! let mut mac = keyed.try_clone()?;
//! mac.update(b"mess")?;
//! mac.update(b"age")?;
//! mac.verify(&tag_out)?;
//! # Ok::<(), alacrypt::Error>(())
//! ```

mod aws_lc;
mod fresh;
mod hmac;
mod wiped;

pub use hmac::{Hmac, hmac};

/// The longest tag, in bytes.
pub const MAX_TAG_LEN_BYTES: usize = crate::digest::MAX_OUTPUT_LEN_BYTES;

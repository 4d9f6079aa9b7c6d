//! Random bytes from AWS-LC's generator (CTR_DRBG of NIST SP 800-90A, seeded by the operating
//! system or by CPU jitter: see the crate's documentation).
//!
//! ```
//! let mut nonce = [0; 12];
//! alacrypt::random::fill(&mut nonce)?;
//! # Ok::<(), alacrypt::Error>(())
//! ```

mod pool;

pub use pool::Pool;

use crate::error::Error;
use crate::ffi;

/// Fills `bytes_out`, of any length.
///
/// # Errors
///
/// [`Error::Backend`] when no entropy can be had.
pub fn fill(bytes_out: &mut [u8]) -> Result<(), Error> {
    ffi::rand::fill(bytes_out)
}

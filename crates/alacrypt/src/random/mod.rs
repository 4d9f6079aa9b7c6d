//! Random bytes from AWS-LC's generator: CTR_DRBG of NIST SP 800-90A, section 10.2.1, one per
//! thread, seeded by the operating system or by CPU jitter (see the crate's documentation).
//!
//! AWS-LC ends the process when no entropy can be had, rather than hand out bytes of less worth.
//! At the end of the process it wipes its generators; a thread that draws after that waits for
//! ever, so that no byte comes from a wiped one.
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
/// [`Error::Backend`] when the library fails; AWS-LC ends the process instead.
pub fn fill(bytes_out: &mut [u8]) -> Result<(), Error> {
    ffi::rand::fill(bytes_out)
}

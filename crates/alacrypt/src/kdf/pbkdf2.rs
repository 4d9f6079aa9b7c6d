use core::num::NonZeroU32;

use crate::digest::Algorithm;
use crate::error::{Error, Misuse};
use crate::ffi::{md::Md, pbe};

/// Fills `dk_out` from `password` and `salt`, all of any length, with `iterations` of HMAC over
/// `algorithm` for each digest's length of output (RFC 8018, section 5.2).
///
/// ```
/// use core::num::NonZeroU32;
///
/// use alacrypt::digest::Algorithm;
///
/// // RFC 6070, section 2.
/// let mut dk_out = [0; 20];
/// alacrypt::kdf::pbkdf2(Algorithm::Sha1, b"password", b"salt", NonZeroU32::MIN, &mut dk_out)?;
/// assert_eq!(dk_out[..4], [0x0c, 0x60, 0xc8, 0x0f]);
/// # Ok::<(), alacrypt::Error>(())
/// ```
///
/// # Errors
///
/// [`Misuse::OutputLength`] for no output, and for 2^32 digests or more; [`Error::Unsupported`] for
/// an extendable-output function, BLAKE2, RIPEMD-160 and MD5-SHA1; [`Error::Backend`] when memory
/// runs out.
pub fn pbkdf2(
    algorithm: Algorithm,
    password: &[u8],
    salt: &[u8],
    iterations: NonZeroU32,
    dk_out: &mut [u8],
) -> Result<(), Error> {
    let len = algorithm.output_len_bytes().ok_or(Error::Unsupported)?;
    let md = md(algorithm).ok_or(Error::Unsupported)?;
    let blocks = u32::try_from(dk_out.len().div_ceil(len));
    if dk_out.is_empty() || blocks.is_err() {
        return Err(Error::Misuse(Misuse::OutputLength));
    }
    pbe::pbkdf2(md, password, salt, iterations.get(), dk_out)
}

/// AWS-LC's table, if its HMAC takes it.
fn md(algorithm: Algorithm) -> Option<Md> {
    match algorithm {
        Algorithm::Md5Sha1 => None,
        _ => algorithm.md(),
    }
}

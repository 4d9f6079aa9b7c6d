use zeroize::Zeroizing;

use crate::digest::Algorithm;
use crate::error::{Error, Misuse};
use crate::mac::{Hmac, MAX_TAG_LEN_BYTES, hmac};

/// The longest output in digests: the counter is one byte (RFC 5869, section 2.3).
const MAX_BLOCKS: usize = 255;

/// Up to so many bytes of `info`, output of one block is made without a keyed state.
const SHORT_INFO_LEN_BYTES: usize = 256;

/// Fills `okm_out` from the keying material `ikm`, all of any length, with HMAC over `algorithm`:
/// extract with `salt`, then expand with `info` (RFC 5869, section 2).
///
/// An empty `salt` counts as one of zeros as long as the digest.
///
/// ```
/// use alacrypt::digest::Algorithm;
///
/// // RFC 5869, appendix A.3.
/// let mut okm_out = [0; 42];
/// alacrypt::kdf::hkdf(Algorithm::Sha256, &[0x0b; 22], b"", b"", &mut okm_out)?;
/// assert_eq!(okm_out[..4], [0x8d, 0xa4, 0xe7, 0x75]);
/// # Ok::<(), alacrypt::Error>(())
/// ```
///
/// # Errors
///
/// [`Misuse::OutputLength`] for more than 255 digests; [`Error::Unsupported`] for an
/// extendable-output function.
pub fn hkdf(
    algorithm: Algorithm,
    ikm: &[u8],
    salt: &[u8],
    info: &[u8],
    okm_out: &mut [u8],
) -> Result<(), Error> {
    let len = algorithm.output_len_bytes().ok_or(Error::Unsupported)?;
    if okm_out.len() > MAX_BLOCKS * len {
        return Err(Error::Misuse(Misuse::OutputLength));
    }
    let mut prk = Zeroizing::new([0; MAX_TAG_LEN_BYTES]);
    let prk = prk.get_mut(..len).ok_or(Error::Unsupported)?;
    hmac(algorithm, salt, ikm, prk)?;
    if okm_out.len() <= len && info.len() <= SHORT_INFO_LEN_BYTES {
        expand_once(algorithm, prk, info, okm_out)
    } else {
        expand(algorithm, prk, info, okm_out)
    }
}

/// The first block alone: no state is kept for others.
fn expand_once(
    algorithm: Algorithm,
    prk: &[u8],
    info: &[u8],
    okm_out: &mut [u8],
) -> Result<(), Error> {
    let mut input = Zeroizing::new([0; SHORT_INFO_LEN_BYTES + 1]);
    let input = input.get_mut(..=info.len()).ok_or(Error::Unsupported)?;
    let (first, counter) = input.split_at_mut(info.len());
    first.copy_from_slice(info);
    counter.fill(1);
    let mut block = Zeroizing::new([0; MAX_TAG_LEN_BYTES]);
    let block = block.get_mut(..prk.len()).ok_or(Error::Unsupported)?;
    hmac(algorithm, prk, input, block)?;
    okm_out.copy_from_slice(block.get(..okm_out.len()).ok_or(Error::Unsupported)?);
    Ok(())
}

fn expand(algorithm: Algorithm, prk: &[u8], info: &[u8], okm_out: &mut [u8]) -> Result<(), Error> {
    let keyed = Hmac::new(algorithm, prk)?;
    let mut block = Zeroizing::new([0; MAX_TAG_LEN_BYTES]);
    let block = block.get_mut(..prk.len()).ok_or(Error::Unsupported)?;
    for (index, piece_out) in okm_out.chunks_mut(prk.len()).enumerate() {
        let mut mac = keyed.try_clone()?;
        if index > 0 {
            mac.update(block)?;
        }
        mac.update(info)?;
        // The length was checked: it does not wrap.
        mac.update(&[index.wrapping_add(1) as u8])?;
        mac.finish(block)?;
        piece_out.copy_from_slice(block.get(..piece_out.len()).ok_or(Error::Unsupported)?);
    }
    Ok(())
}

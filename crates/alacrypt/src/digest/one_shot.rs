use blake2::{Blake2b512, Blake2s256, Digest};
use ripemd::Ripemd160;

use super::{Algorithm, Hasher};
use crate::error::{Error, Misuse};
use crate::ffi::md;

/// Writes the digest of `data`, of any length, into `digest_out`.
///
/// `digest_out` has exactly [`Algorithm::output_len_bytes`] bytes; for an extendable-output
/// function it may have any length, and is filled.
///
/// ```
/// use alacrypt::digest::{Algorithm, digest};
///
/// let mut digest_out = [0; 20];
/// digest(Algorithm::Sha1, b"abc", &mut digest_out)?;
/// assert_eq!(digest_out[..4], [0xa9, 0x99, 0x3e, 0x36]);
///
/// let mut output_out = [0; 7];
/// digest(Algorithm::Shake128, b"abc", &mut output_out)?;
/// assert_eq!(output_out[..4], [0x58, 0x81, 0x09, 0x2d]);
/// # Ok::<(), alacrypt::Error>(())
/// ```
///
/// # Errors
///
/// [`Misuse::OutputLength`] for another length of `digest_out`, and [`Error::Backend`] when
/// memory runs out.
pub fn digest(algorithm: Algorithm, data: &[u8], digest_out: &mut [u8]) -> Result<(), Error> {
    match algorithm {
        Algorithm::Md5 => md::md5(data, sized(digest_out)?),
        Algorithm::Sha1 => md::sha1(data, sized(digest_out)?),
        Algorithm::Sha224 => md::sha224(data, sized(digest_out)?),
        Algorithm::Sha256 => md::sha256(data, sized(digest_out)?),
        Algorithm::Sha384 => md::sha384(data, sized(digest_out)?),
        Algorithm::Sha512 => md::sha512(data, sized(digest_out)?),
        Algorithm::Sha512_224 => md::sha512_224(data, sized(digest_out)?),
        Algorithm::Sha512_256 => md::sha512_256(data, sized(digest_out)?),
        Algorithm::Blake2b512 => {
            sized::<64>(digest_out)?.copy_from_slice(&Blake2b512::digest(data));
        }
        Algorithm::Blake2s256 => {
            sized::<32>(digest_out)?.copy_from_slice(&Blake2s256::digest(data));
        }
        Algorithm::Ripemd160 => {
            sized::<20>(digest_out)?.copy_from_slice(&Ripemd160::digest(data));
        }
        Algorithm::Sha3_224
        | Algorithm::Sha3_256
        | Algorithm::Sha3_384
        | Algorithm::Sha3_512
        | Algorithm::Md5Sha1 => {
            let md = algorithm.md().ok_or(Error::Unsupported)?;
            if digest_out.len() != md.size_bytes() {
                return Err(Error::Misuse(Misuse::OutputLength));
            }
            md.digest(data, digest_out)?;
        }
        Algorithm::Shake128 | Algorithm::Shake256 => {
            let mut hasher = Hasher::new(algorithm)?;
            hasher.update(data)?;
            hasher.finish(digest_out)?;
        }
    }
    Ok(())
}

fn sized<const LEN: usize>(digest_out: &mut [u8]) -> Result<&mut [u8; LEN], Error> {
    digest_out
        .try_into()
        .map_err(|_| Error::Misuse(Misuse::OutputLength))
}

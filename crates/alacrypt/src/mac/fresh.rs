//! One tag under a key that is used once.
//!
//! AWS-LC's `HMAC()` spends a third of its time on short input around the compression function:
//! it prepares, copies and wipes 1.2 KiB of context. RustCrypto's HMAC construction (RFC 2104)
//! over AWS-LC's own digests does without, and is a third faster there.

use blake2::digest::block_api::BlockSizeUser;
use blake2::digest::{Digest, FixedOutput, KeyInit, Update};
use hmac::SimpleHmac;
use zeroize::zeroize_stack;

use super::aws_lc::{Md5, Md5Sha1, Sha1, Sha224, Sha256, Sha384, Sha512};
use crate::digest::Algorithm;
use crate::error::Error;

/// More stack than the construction uses below [`tag`]: two contexts, a padded key, an output.
const STACK_LEN_BYTES: usize = 2048;

/// Writes the tag of `data` under `key` into `tag_out`, which has the digest's length; `None`,
/// with nothing done, for algorithms that have no plain context.
pub(super) fn tag(
    algorithm: Algorithm,
    key: &[u8],
    data: &[u8],
    tag_out: &mut [u8],
) -> Option<Result<(), Error>> {
    let compute = match algorithm {
        Algorithm::Md5 => compute::<Md5>,
        Algorithm::Sha1 => compute::<Sha1>,
        Algorithm::Sha224 => compute::<Sha224>,
        Algorithm::Sha256 => compute::<Sha256>,
        Algorithm::Sha384 => compute::<Sha384>,
        Algorithm::Sha512 => compute::<Sha512>,
        Algorithm::Md5Sha1 => compute::<Md5Sha1>,
        _ => return None,
    };
    let computed = compute(key, data, tag_out);
    // What the construction had on the stack, the padded key among it, it does not wipe.
    zeroize_stack::<STACK_LEN_BYTES>();
    Some(computed)
}

#[inline(never)]
fn compute<D: Digest + BlockSizeUser>(
    key: &[u8],
    data: &[u8],
    tag_out: &mut [u8],
) -> Result<(), Error> {
    let mut mac = SimpleHmac::<D>::new_from_slice(key).map_err(|_| Error::Backend)?;
    Update::update(&mut mac, data);
    mac.finalize_into(tag_out.try_into().map_err(|_| Error::Backend)?);
    Ok(())
}

use super::{BLOCK_LEN_BYTES, Direction};
use crate::ffi::evp_cipher::{Cipher, CipherCtx};
use crate::{Error, Misuse};

/// Two keys of AES-256.
pub const XTS_KEY_LEN_BYTES: usize = 64;

/// The longest data unit in bytes: 2^20 blocks (SP 800-38E, section 4).
const MAX_LEN_BYTES: usize = BLOCK_LEN_BYTES << 20;

/// Encrypts or decrypts one data unit, such as a sector of a disk, with AES-256 in XTS mode
/// (IEEE 1619-2018, section 5; SP 800-38E).
///
/// `tweak` says which unit it is. A unit has 16 bytes or more; `out` is as long as it.
///
/// ```
/// use alacrypt::cipher::{Direction, xts};
///
/// let (mut key, tweak) = ([7; 64], [0; 16]);
/// key[0] = 1;
/// let mut sealed_out = [0; 20];
/// xts(Direction::Encrypt, &key, &tweak, b"a sector of 20 bytes", &mut sealed_out)?;
/// let mut opened_out = [0; 20];
/// xts(Direction::Decrypt, &key, &tweak, &sealed_out, &mut opened_out)?;
/// assert_eq!(&opened_out, b"a sector of 20 bytes");
/// # Ok::<(), alacrypt::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Unsupported`] for a unit of less than 16 bytes or more than 2^20 blocks, and for a key
/// whose halves are equal; [`Misuse::OutputLength`] where `out` has another length.
pub fn xts(
    direction: Direction,
    key: &[u8; XTS_KEY_LEN_BYTES],
    tweak: &[u8; BLOCK_LEN_BYTES],
    data: &[u8],
    out: &mut [u8],
) -> Result<(), Error> {
    if out.len() != data.len() {
        return Err(Error::Misuse(Misuse::OutputLength));
    }
    if data.len() < BLOCK_LEN_BYTES || data.len() > MAX_LEN_BYTES {
        return Err(Error::Unsupported);
    }
    let (first, second) = key.split_at(XTS_KEY_LEN_BYTES / 2);
    if crate::constant_time::eq(first, second) {
        return Err(Error::Unsupported);
    }
    let encrypts = direction == Direction::Encrypt;
    let mut ctx = CipherCtx::new(Cipher::aes_256_xts(), encrypts, key, tweak, false)?;
    ctx.update(data, out)?;
    ctx.finish(&mut [0; BLOCK_LEN_BYTES]).map(drop)
}

use crate::ffi::aes_key::{AesKey, HALF_BLOCK_LEN_BYTES};
use crate::{Error, Misuse};

/// The initial value of key wrap without padding (RFC 3394, section 2.2.3.1).
pub const WRAP_IV: [u8; HALF_BLOCK_LEN_BYTES] = [0xa6; HALF_BLOCK_LEN_BYTES];

/// Wrapping without padding takes no less (RFC 3394, section 2: two half blocks).
const MIN_LEN_BYTES: usize = 2 * HALF_BLOCK_LEN_BYTES;

/// Encrypts `data`, a key most often, with AES (RFC 3394, section 2.2.1). `iv` is [`WRAP_IV`], or what
/// both sides agreed on; `wrapped_out` is 8 bytes longer than `data`, which is a multiple of 8 bytes
/// from 16 on.
///
/// # Errors
///
/// [`Error::Unsupported`] for another length; [`Error::Misuse`] where the key does not have 16, 24 or
/// 32 bytes, or `wrapped_out` not its length.
pub fn wrap(
    key: &[u8],
    iv: &[u8; HALF_BLOCK_LEN_BYTES],
    data: &[u8],
    wrapped_out: &mut [u8],
) -> Result<(), Error> {
    if data.len() < MIN_LEN_BYTES || !data.len().is_multiple_of(HALF_BLOCK_LEN_BYTES) {
        return Err(Error::Unsupported);
    }
    AesKey::to_encrypt(key)?.wrap(iv, data, wrapped_out)
}

/// Decrypts what [`wrap`] made (RFC 3394, section 2.2.2); `data_out` is 8 bytes shorter.
///
/// # Errors
///
/// [`Error::Failed`] where key, initial value and data do not belong together, or the data is no
/// multiple of 8 bytes from 24 on; `data_out` then holds zeros. [`Error::Misuse`] as for `wrap`.
pub fn unwrap(
    key: &[u8],
    iv: &[u8; HALF_BLOCK_LEN_BYTES],
    wrapped: &[u8],
    data_out: &mut [u8],
) -> Result<(), Error> {
    let is_len = wrapped.len() >= MIN_LEN_BYTES + HALF_BLOCK_LEN_BYTES
        && wrapped.len().is_multiple_of(HALF_BLOCK_LEN_BYTES);
    if !is_len {
        data_out.fill(0);
        return Err(Error::Failed);
    }
    AesKey::to_decrypt(key)?.unwrap(iv, wrapped, data_out)
}

/// Encrypts `data` of one byte or more with AES and padding (RFC 5649, section 4.1), and returns the
/// length of the outcome: `wrapped_out` needs room for up to 15 bytes more than there are of `data`.
///
/// # Errors
///
/// [`Error::Unsupported`] for no data; [`Error::Misuse`] where the key does not have 16, 24 or 32
/// bytes, or there is too little room.
pub fn wrap_padded(key: &[u8], data: &[u8], wrapped_out: &mut [u8]) -> Result<usize, Error> {
    if data.is_empty() {
        return Err(Error::Unsupported);
    }
    if wrapped_out.len()
        < data.len().div_ceil(HALF_BLOCK_LEN_BYTES) * HALF_BLOCK_LEN_BYTES + HALF_BLOCK_LEN_BYTES
    {
        return Err(Error::Misuse(Misuse::OutputLength));
    }
    AesKey::to_encrypt(key)?.wrap_padded(data, wrapped_out)
}

/// Decrypts what [`wrap_padded`] made (RFC 5649, section 4.2), and returns the length of the outcome:
/// `data_out` needs room for as many bytes as there are of `wrapped`.
///
/// # Errors
///
/// [`Error::Failed`] where key and data do not belong together; `data_out` then holds zeros.
/// [`Error::Misuse`] as for `wrap_padded`.
pub fn unwrap_padded(key: &[u8], wrapped: &[u8], data_out: &mut [u8]) -> Result<usize, Error> {
    if data_out.len() < wrapped.len() {
        return Err(Error::Misuse(Misuse::OutputLength));
    }
    AesKey::to_decrypt(key)?.unwrap_padded(wrapped, data_out)
}

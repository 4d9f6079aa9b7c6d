use super::{Algorithm, TAG_LEN_BYTES};
use crate::{Error, Misuse};

/// Encrypts `plaintext` and authenticates it together with `aad`, both of any length.
///
/// # Errors
///
/// [`Error::Misuse`] where the key or the nonce does not have a length that the algorithm takes,
/// or `ciphertext_out` not that of the plaintext.
pub fn seal(
    algorithm: Algorithm,
    key: &[u8],
    nonce: &[u8],
    aad: &[u8],
    plaintext: &[u8],
    ciphertext_out: &mut [u8],
    tag_out: &mut [u8; TAG_LEN_BYTES],
) -> Result<(), Error> {
    if !algorithm.takes_nonce_len_bytes(nonce.len()) {
        return Err(Error::Misuse(Misuse::IvLength));
    }
    algorithm
        .aead()
        .seal(key, nonce, aad, plaintext, ciphertext_out, tag_out)
}

/// Checks that `tag` is that of `ciphertext` and `aad`, and decrypts.
///
/// # Errors
///
/// [`Error::Failed`] where the tag does not match; `plaintext_out` then holds zeros.
/// [`Error::Misuse`] where the key or the nonce does not have a length that the algorithm takes,
/// or `plaintext_out` not that of the ciphertext.
pub fn open(
    algorithm: Algorithm,
    key: &[u8],
    nonce: &[u8],
    aad: &[u8],
    ciphertext: &[u8],
    tag: &[u8; TAG_LEN_BYTES],
    plaintext_out: &mut [u8],
) -> Result<(), Error> {
    if !algorithm.takes_nonce_len_bytes(nonce.len()) {
        return Err(Error::Misuse(Misuse::IvLength));
    }
    algorithm
        .aead()
        .open(key, nonce, aad, ciphertext, tag, plaintext_out)
}

use super::{Algorithm, Cipher, Direction, Padding};
use crate::Error;

/// Encrypts `plaintext`, of any length, and returns the length of the ciphertext.
///
/// `ciphertext_out` needs room for the plaintext and, in ECB and CBC mode, for a block more
/// ([`BLOCK_LEN_BYTES`](super::BLOCK_LEN_BYTES)), whatever the padding.
///
/// # Errors
///
/// [`Error::Misuse`] where the key, the initialization vector or the room has another length than
/// the algorithm needs; [`Error::Failed`] where the plaintext is not whole blocks and is not padded.
pub fn encrypt(
    algorithm: Algorithm,
    key: &[u8],
    iv: &[u8],
    padding: Padding,
    plaintext: &[u8],
    ciphertext_out: &mut [u8],
) -> Result<usize, Error> {
    whole(
        Cipher::new(algorithm, Direction::Encrypt, key, iv, padding)?,
        plaintext,
        ciphertext_out,
    )
}

/// Decrypts `ciphertext`, of any length, and returns the length of the plaintext.
///
/// `plaintext_out` needs room for the ciphertext and, in ECB and CBC mode, for a block more
/// ([`BLOCK_LEN_BYTES`](super::BLOCK_LEN_BYTES)), whatever the padding.
///
/// # Errors
///
/// [`Error::Misuse`] where the key, the initialization vector or the room has another length than
/// the algorithm needs; [`Error::Failed`] where the ciphertext is not whole blocks, or its padding
/// is wrong; `plaintext_out` then holds nothing of the plaintext. Who answers an attacker must not let him tell these apart from other failures.
pub fn decrypt(
    algorithm: Algorithm,
    key: &[u8],
    iv: &[u8],
    padding: Padding,
    ciphertext: &[u8],
    plaintext_out: &mut [u8],
) -> Result<usize, Error> {
    whole(
        Cipher::new(algorithm, Direction::Decrypt, key, iv, padding)?,
        ciphertext,
        plaintext_out,
    )
}

fn whole(mut cipher: Cipher, data: &[u8], out: &mut [u8]) -> Result<usize, Error> {
    let written = cipher.update(data, out)?;
    let rest = out.get_mut(written..).unwrap_or_default();
    match cipher.finish(rest) {
        Ok(more) => Ok(written + more),
        Err(error) => {
            out.get_mut(..written).unwrap_or_default().fill(0);
            Err(error)
        }
    }
}

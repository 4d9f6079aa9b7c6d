use zeroize::Zeroize;

use super::encryption::check_room;
use crate::error::{Error, Misuse};
use crate::key::{Private, PrivateKey, Public, PublicKey};

/// Pads `data` for a signature (EMSA-PKCS1-v1_5, RFC 8017, section 9.2, steps 3 to 6, with `data`
/// in the place of `T`), applies the private transform and returns the result's length, that of
/// the modulus.
///
/// The name is the old one of an operation that hides nothing. [`crate::sign::sign`] is the one
/// for a message. `out` has room for [`PrivateKey::signature_len_bytes`].
///
/// # Errors
///
/// [`Misuse::KeyKind`] and [`Misuse::OutputLength`]. [`Error::Unsupported`] for data that the key
/// has no room for, and [`Error::Backend`] for a key whose numbers do not belong together.
pub fn private_encrypt(key: &PrivateKey, data: &[u8], out: &mut [u8]) -> Result<usize, Error> {
    let Private::Rsa(rsa) = key.inner() else {
        return Err(Error::Misuse(Misuse::KeyKind));
    };
    check_room(rsa.size_bytes(), 11, data, out)?;
    rsa.sign_pkcs1(data, out)
}

/// Undoes [`private_encrypt`] with the public key and returns the data's length.
///
/// `data_out` has room for the modulus ([`PublicKey::signature_len_bytes`]); behind the data it is
/// wiped.
///
/// # Errors
///
/// [`Error::Failed`] for what is not padded data under this key. [`Misuse::KeyKind`] and
/// [`Misuse::OutputLength`]. [`Error::Unsupported`] for a signature that is not as long as the
/// modulus.
pub fn public_decrypt(
    key: &PublicKey,
    signature: &[u8],
    data_out: &mut [u8],
) -> Result<usize, Error> {
    let Public::Rsa(rsa) = key.inner() else {
        return Err(Error::Misuse(Misuse::KeyKind));
    };
    if data_out.len() < rsa.size_bytes() {
        return Err(Error::Misuse(Misuse::OutputLength));
    }
    if signature.len() != rsa.size_bytes() {
        return Err(Error::Unsupported);
    }
    let len = rsa
        .verify_pkcs1(signature, data_out)
        .map(<[u8]>::len)
        .ok_or(Error::Failed)?;
    data_out.get_mut(len..).unwrap_or_default().zeroize();
    Ok(len)
}

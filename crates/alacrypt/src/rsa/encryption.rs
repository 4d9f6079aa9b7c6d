use zeroize::Zeroize;

use crate::digest::Algorithm;
use crate::error::{Error, Misuse};
use crate::ffi;
use crate::key::{Private, PrivateKey, Public, PublicKey};

/// The options of OAEP, which both sides must choose alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oaep<'a> {
    /// The digest of the label, and the measure of the padding.
    pub digest: Algorithm,
    /// The digest inside the mask generation function; usually the same.
    pub mgf1_digest: Algorithm,
    /// The label, of any length; usually empty.
    pub label: &'a [u8],
}

impl Oaep<'_> {
    fn options(&self) -> Result<ffi::evp_pkey_ctx::Oaep<'_>, Error> {
        Ok(ffi::evp_pkey_ctx::Oaep {
            md: self.digest.fixed_md().ok_or(Error::Unsupported)?,
            mgf1_md: self.mgf1_digest.fixed_md().ok_or(Error::Unsupported)?,
            label: self.label,
        })
    }
}

/// Encrypts with OAEP (RFC 8017, section 7.1.1) and returns the ciphertext's length, that of the
/// modulus.
///
/// `ciphertext_out` has room for that ([`PublicKey::signature_len_bytes`]).
///
/// # Errors
///
/// [`Misuse::KeyKind`] and [`Misuse::OutputLength`]. [`Error::Unsupported`] for a digest that AWS-LC
/// lacks, and for a plaintext that the key has no room for.
pub fn encrypt_oaep(
    key: &PublicKey,
    oaep: &Oaep<'_>,
    plaintext: &[u8],
    ciphertext_out: &mut [u8],
) -> Result<usize, Error> {
    let Public::Rsa(rsa) = key.inner() else {
        return Err(Error::Misuse(Misuse::KeyKind));
    };
    let options = oaep.options()?;
    // RFC 8017, section 7.1.1, step 1b.
    check_room(
        rsa.size_bytes(),
        2 * options.md.size_bytes() + 2,
        plaintext,
        ciphertext_out,
    )?;
    rsa.encrypt_oaep(&options, plaintext, ciphertext_out)
}

/// Decrypts with OAEP (RFC 8017, section 7.1.2) and returns the plaintext's length.
///
/// `plaintext_out` has room for the modulus ([`PrivateKey::signature_len_bytes`]); behind the
/// plaintext it is wiped.
///
/// # Errors
///
/// [`Error::Failed`] for every ciphertext that is not one under these options, without telling
/// why, in the result or by the time. [`Misuse::KeyKind`] and [`Misuse::OutputLength`].
/// [`Error::Unsupported`] for a digest that AWS-LC lacks, and for a ciphertext that is not as long
/// as the modulus.
pub fn decrypt_oaep(
    key: &PrivateKey,
    oaep: &Oaep<'_>,
    ciphertext: &[u8],
    plaintext_out: &mut [u8],
) -> Result<usize, Error> {
    let Private::Rsa(rsa) = key.inner() else {
        return Err(Error::Misuse(Misuse::KeyKind));
    };
    let options = oaep.options()?;
    if plaintext_out.len() < rsa.size_bytes() {
        return Err(Error::Misuse(Misuse::OutputLength));
    }
    if ciphertext.len() != rsa.size_bytes() {
        return Err(Error::Unsupported);
    }
    let len = rsa
        .decrypt_oaep(&options, ciphertext, plaintext_out)?
        .ok_or(Error::Failed)?;
    plaintext_out.get_mut(len..).unwrap_or_default().zeroize();
    Ok(len)
}

/// Encrypts with PKCS #1 v1.5 padding (RFC 8017, section 7.2.1) and returns the ciphertext's
/// length, that of the modulus.
///
/// `ciphertext_out` has room for that ([`PublicKey::signature_len_bytes`]).
///
/// # Errors
///
/// [`Misuse::KeyKind`] and [`Misuse::OutputLength`]. [`Error::Unsupported`] for a plaintext that the
/// key has no room for.
pub fn encrypt_pkcs1v15(
    key: &PublicKey,
    plaintext: &[u8],
    ciphertext_out: &mut [u8],
) -> Result<usize, Error> {
    let Public::Rsa(rsa) = key.inner() else {
        return Err(Error::Misuse(Misuse::KeyKind));
    };
    // RFC 8017, section 7.2.1, step 1.
    check_room(rsa.size_bytes(), 11, plaintext, ciphertext_out)?;
    rsa.encrypt_pkcs1(plaintext, ciphertext_out)
}

pub(super) fn check_room(
    modulus_len: usize,
    overhead: usize,
    data: &[u8],
    out: &[u8],
) -> Result<(), Error> {
    if out.len() < modulus_len {
        return Err(Error::Misuse(Misuse::OutputLength));
    }
    match modulus_len.checked_sub(overhead) {
        Some(room) if data.len() <= room => Ok(()),
        _ => Err(Error::Unsupported),
    }
}

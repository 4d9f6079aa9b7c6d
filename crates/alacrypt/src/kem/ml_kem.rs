use crate::error::{Error, Misuse};
use crate::key::{KeyKind, Private, PrivateKey, Public, PublicKey};

/// The length of the shared secret key (FIPS 203, section 8).
pub const SHARED_LEN_BYTES: usize = 32;

/// The length of a ciphertext (FIPS 203, section 8, table 3), or `None` for a kind of key that
/// does not encapsulate.
#[must_use]
pub fn ciphertext_len_bytes(kind: KeyKind) -> Option<usize> {
    kind.ml_kem().map(|set| set.ciphertext_len_bytes)
}

/// Makes a shared secret key and the ciphertext that carries it to the private key's owner.
///
/// `ciphertext_out` has exactly [`ciphertext_len_bytes`].
///
/// # Errors
///
/// [`Misuse::KeyKind`] for a key of another algorithm, [`Misuse::OutputLength`] for another length
/// of `ciphertext_out`. [`Error::Rejected`] for a key with a coefficient that is not reduced (FIPS
/// 203, section 7.2), which [`PublicKey::from_spki_der`] does not look for.
pub fn encapsulate(
    public: &PublicKey,
    ciphertext_out: &mut [u8],
    shared_out: &mut [u8; SHARED_LEN_BYTES],
) -> Result<(), Error> {
    let Public::MlKem(key) = public.inner() else {
        return Err(Error::Misuse(Misuse::KeyKind));
    };
    if Some(ciphertext_out.len()) != ciphertext_len_bytes(public.kind()) {
        return Err(Error::Misuse(Misuse::OutputLength));
    }
    key.encapsulate(ciphertext_out, shared_out)
}

/// Gets the shared secret key out of a ciphertext.
///
/// One that was not made for this key gives a secret that depends on both and tells nothing
/// (implicit rejection, FIPS 203, algorithm 18, lines 8 to 11); it is no error.
///
/// # Errors
///
/// [`Misuse::KeyKind`] for a key of another algorithm. [`Error::Rejected`] for a ciphertext of
/// another length, and for an expanded private key whose public half does not match the digest
/// beside it (FIPS 203, section 7.3).
pub fn decapsulate(
    private: &PrivateKey,
    ciphertext: &[u8],
    shared_out: &mut [u8; SHARED_LEN_BYTES],
) -> Result<(), Error> {
    let Private::MlKem(key) = private.inner() else {
        return Err(Error::Misuse(Misuse::KeyKind));
    };
    if Some(ciphertext.len()) != ciphertext_len_bytes(private.kind()) {
        return Err(Error::Rejected);
    }
    key.decapsulate(ciphertext, shared_out)
}

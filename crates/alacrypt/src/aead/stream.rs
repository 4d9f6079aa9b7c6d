use core::sync::atomic::AtomicU8;

use super::{Algorithm, TAG_LEN_BYTES};
use crate::ffi::evp_cipher::CipherCtx;
use crate::{Error, Misuse};

/// What finishing an AEAD of this module writes: nothing, but C wants to be given room.
const REST_LEN_BYTES: usize = 16;

fn begin(
    algorithm: Algorithm,
    encrypts: bool,
    key: &[u8],
    nonce: &[u8],
    aad: &[u8],
) -> Result<CipherCtx, Error> {
    let cipher = algorithm.cipher().ok_or(Error::Unsupported)?;
    if !algorithm.takes_nonce_len_bytes(nonce.len()) {
        return Err(Error::Misuse(Misuse::IvLength));
    }
    let mut ctx = CipherCtx::new(cipher, encrypts, key, nonce, true)?;
    ctx.authenticate(aad)?;
    Ok(ctx)
}

/// A message that is encrypted and authenticated in pieces.
pub struct Sealer(CipherCtx);

impl Sealer {
    /// Begins a message with all of its associated data.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for ChaCha20-Poly1305 and AES-GCM-SIV, which are there in one piece only;
    /// [`Error::Misuse`] where the key or the nonce does not have a length that the algorithm takes.
    pub fn new(algorithm: Algorithm, key: &[u8], nonce: &[u8], aad: &[u8]) -> Result<Self, Error> {
        Ok(Self(begin(algorithm, true, key, nonce, aad)?))
    }

    /// Encrypts the next piece; `ciphertext_out` has its length.
    ///
    /// # Errors
    ///
    /// [`Misuse::OutputLength`] where it has not; [`Error::Backend`] beyond the 64 GiB less 32 bytes
    /// that a message may have (SP 800-38D, section 5.2.1.1).
    pub fn update(&mut self, plaintext: &[u8], ciphertext_out: &mut [u8]) -> Result<(), Error> {
        exact(plaintext.len(), ciphertext_out)?;
        self.0.update(plaintext, ciphertext_out).map(drop)
    }

    /// [`update`](Self::update) with a piece that another thread may change meanwhile. The output
    /// is then that of some mixture of both.
    ///
    /// # Errors
    ///
    /// As for `update`.
    pub fn update_shared(
        &mut self,
        plaintext: &[AtomicU8],
        ciphertext_out: &mut [u8],
    ) -> Result<(), Error> {
        exact(plaintext.len(), ciphertext_out)?;
        self.0.update_shared(plaintext, ciphertext_out).map(drop)
    }

    /// Ends the message.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`] where the library fails.
    pub fn finish(mut self, tag_out: &mut [u8; TAG_LEN_BYTES]) -> Result<(), Error> {
        self.0.finish(&mut [0; REST_LEN_BYTES])?;
        self.0.tag(tag_out)
    }
}

/// A message that is decrypted in pieces, each before anything vouches for it: nothing may be done
/// with them that could not be undone, until [`verify`](Self::verify) said that they are genuine.
pub struct UnverifiedOpener(CipherCtx);

impl UnverifiedOpener {
    /// Begins a message with all of its associated data.
    ///
    /// # Errors
    ///
    /// As for [`Sealer::new`].
    pub fn new(algorithm: Algorithm, key: &[u8], nonce: &[u8], aad: &[u8]) -> Result<Self, Error> {
        Ok(Self(begin(algorithm, false, key, nonce, aad)?))
    }

    /// Decrypts the next piece; `plaintext_out` has its length.
    ///
    /// # Errors
    ///
    /// As for [`Sealer::update`].
    pub fn update(&mut self, ciphertext: &[u8], plaintext_out: &mut [u8]) -> Result<(), Error> {
        exact(ciphertext.len(), plaintext_out)?;
        self.0.update(ciphertext, plaintext_out).map(drop)
    }

    /// [`update`](Self::update) with a piece that another thread may change meanwhile.
    ///
    /// # Errors
    ///
    /// As for `update`.
    pub fn update_shared(
        &mut self,
        ciphertext: &[AtomicU8],
        plaintext_out: &mut [u8],
    ) -> Result<(), Error> {
        exact(ciphertext.len(), plaintext_out)?;
        self.0.update_shared(ciphertext, plaintext_out).map(drop)
    }

    /// Ends the message, and says whether `tag`, or as many of its first bytes as there are, is its
    /// own. Fewer than 16 bytes are the weaker the fewer (SP 800-38D, appendix C); there must be 4.
    ///
    /// # Errors
    ///
    /// [`Error::Failed`] where it is not; [`Misuse::TagLength`] for other lengths.
    pub fn verify(mut self, tag: &[u8]) -> Result<(), Error> {
        if tag.len() < 4 || tag.len() > TAG_LEN_BYTES {
            return Err(Error::Misuse(Misuse::TagLength));
        }
        self.0.set_tag(tag)?;
        self.0.finish(&mut [0; REST_LEN_BYTES]).map(drop)
    }
}

fn exact(len: usize, out: &[u8]) -> Result<(), Error> {
    if len == out.len() {
        Ok(())
    } else {
        Err(Error::Misuse(Misuse::OutputLength))
    }
}

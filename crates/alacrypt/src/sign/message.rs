use crate::digest::{Algorithm, MAX_OUTPUT_LEN_BYTES, digest};
use crate::error::{Error, Misuse};

/// What is signed.
#[derive(Clone, Copy, Debug)]
pub enum Message<'a> {
    /// The message itself.
    Whole(&'a [u8]),
    /// Its digest by the scheme's algorithm, computed already. Ed25519 and ML-DSA have no such
    /// thing.
    Digest(&'a [u8]),
}

impl<'a> Message<'a> {
    /// The digest of the message, or the one that it is.
    pub(super) fn digest(
        self,
        algorithm: Algorithm,
        scratch: &'a mut [u8; MAX_OUTPUT_LEN_BYTES],
    ) -> Result<&'a [u8], Error> {
        let len = algorithm.output_len_bytes().ok_or(Error::Unsupported)?;
        match self {
            Self::Whole(message) => {
                let digest_out = scratch.get_mut(..len).ok_or(Error::Unsupported)?;
                digest(algorithm, message, digest_out)?;
                Ok(digest_out)
            }
            Self::Digest(digest) if digest.len() == len => Ok(digest),
            Self::Digest(_) => Err(Error::Misuse(Misuse::DigestLength)),
        }
    }

    /// The message itself, for a scheme that signs nothing else.
    pub(super) fn whole(self) -> Result<&'a [u8], Error> {
        match self {
            Self::Whole(message) => Ok(message),
            Self::Digest(_) => Err(Error::Unsupported),
        }
    }
}

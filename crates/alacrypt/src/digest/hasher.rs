use core::fmt;

use blake2::digest::{FixedOutputReset, Update};
use blake2::{Blake2b512, Blake2s256};
use ripemd::Ripemd160;

use super::Algorithm;
use crate::error::{Error, Misuse};
use crate::ffi::md_ctx::MdCtx;

/// A digest in progress.
///
/// The state is wiped when the hasher is dropped or finished, as its input may be a secret.
///
/// ```
/// use alacrypt::digest::{Algorithm, Hasher};
///
/// let mut hasher = Hasher::new(Algorithm::Md5)?;
/// hasher.update(b"a")?;
/// let mut so_far_out = [0; 16];
/// hasher.try_clone()?.finish(&mut so_far_out)?;
/// assert_eq!(so_far_out[..4], [0x0c, 0xc1, 0x75, 0xb9]);
///
/// hasher.update(b"bc")?;
/// let mut digest_out = [0; 16];
/// hasher.finish(&mut digest_out)?;
/// assert_eq!(digest_out[..4], [0x90, 0x01, 0x50, 0x98]);
/// # Ok::<(), alacrypt::Error>(())
/// ```
pub struct Hasher {
    algorithm: Algorithm,
    state: State,
}

enum State {
    AwsLc(MdCtx),
    Blake2b(Box<Blake2b512>),
    Blake2s(Box<Blake2s256>),
    Ripemd160(Box<Ripemd160>),
}

impl Hasher {
    /// A hasher that has taken no input yet.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`] when memory runs out.
    pub fn new(algorithm: Algorithm) -> Result<Self, Error> {
        let state = match (algorithm, algorithm.md()) {
            (_, Some(md)) => State::AwsLc(MdCtx::new(md)?),
            (Algorithm::Blake2b512, None) => State::Blake2b(Box::default()),
            (Algorithm::Blake2s256, None) => State::Blake2s(Box::default()),
            (Algorithm::Ripemd160, None) => State::Ripemd160(Box::default()),
            (_, None) => return Err(Error::Unsupported),
        };
        Ok(Self { algorithm, state })
    }

    /// The algorithm that the hasher was made for.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// About how many bytes of the heap it takes; those of the value itself are not among them.
    #[must_use]
    pub fn heap_len_bytes(&self) -> usize {
        match self.state {
            State::AwsLc(_) => match self.algorithm {
                Algorithm::Md5 | Algorithm::Sha1 | Algorithm::Sha224 | Algorithm::Sha256 => 168,
                Algorithm::Md5Sha1
                | Algorithm::Sha384
                | Algorithm::Sha512
                | Algorithm::Sha512_224
                | Algorithm::Sha512_256 => 272,
                // The state of Keccak, and a block of up to 168 bytes.
                _ => 432,
            },
            State::Blake2b(_) => 224,
            State::Blake2s(_) | State::Ripemd160(_) => 112,
        }
    }

    /// Takes more input, of any length. How the input is cut into calls does not matter.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`] when the library fails; it does so for no input known.
    pub fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        match &mut self.state {
            State::AwsLc(ctx) => ctx.update(data)?,
            State::Blake2b(state) => state.update(data),
            State::Blake2s(state) => state.update(data),
            State::Ripemd160(state) => state.update(data),
        }
        Ok(())
    }

    /// Writes the digest of all input into `digest_out`.
    ///
    /// `digest_out` has exactly [`Algorithm::output_len_bytes`] bytes; for an extendable-output
    /// function it may have any length, and is filled.
    ///
    /// # Errors
    ///
    /// [`Misuse::OutputLength`] for another length of `digest_out`.
    pub fn finish(self, digest_out: &mut [u8]) -> Result<(), Error> {
        let Some(len) = self.algorithm.output_len_bytes() else {
            return match self.state {
                // FIPS 202, section 6.2: an output of no bits is defined, and is empty.
                State::AwsLc(_) if digest_out.is_empty() => Ok(()),
                State::AwsLc(ctx) => ctx.finish_xof(digest_out),
                State::Blake2b(_) | State::Blake2s(_) | State::Ripemd160(_) => {
                    Err(Error::Unsupported)
                }
            };
        };
        if digest_out.len() != len {
            return Err(Error::Misuse(Misuse::OutputLength));
        }
        // RustCrypto's states are finished where they lie: moved out of their boxes, they would
        // leave the box's memory as it is.
        match self.state {
            State::AwsLc(ctx) => ctx.finish(digest_out)?,
            State::Blake2b(mut state) => {
                digest_out.copy_from_slice(&state.finalize_fixed_reset());
            }
            State::Blake2s(mut state) => {
                digest_out.copy_from_slice(&state.finalize_fixed_reset());
            }
            State::Ripemd160(mut state) => {
                digest_out.copy_from_slice(&state.finalize_fixed_reset());
            }
        }
        Ok(())
    }

    /// A second hasher in the same state.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`] when memory runs out.
    pub fn try_clone(&self) -> Result<Self, Error> {
        let state = match &self.state {
            State::AwsLc(ctx) => State::AwsLc(ctx.try_clone()?),
            State::Blake2b(state) => State::Blake2b(state.clone()),
            State::Blake2s(state) => State::Blake2s(state.clone()),
            State::Ripemd160(state) => State::Ripemd160(state.clone()),
        };
        Ok(Self {
            algorithm: self.algorithm,
            state,
        })
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher")
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}

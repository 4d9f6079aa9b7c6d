use core::fmt;

use ::hmac::SimpleHmac;
use blake2::{Blake2b512, Blake2s256};
use ripemd::Ripemd160;
use zeroize::Zeroize;

use super::MAX_TAG_LEN_BYTES;
use super::aws_lc::Md5Sha1;
use super::fresh;
use super::wiped::Wiped;
use crate::constant_time;
use crate::digest::Algorithm;
use crate::error::{Error, Misuse};
use crate::ffi::hmac_ctx::HmacCtx;
use crate::ffi::md::Md;

/// Writes the HMAC of `data` under `key`, both of any length, into `tag_out`.
///
/// `tag_out` has exactly as many bytes as the digest.
///
/// ```
/// use alacrypt::digest::Algorithm;
///
/// // RFC 4231, section 4.3.
/// let mut tag_out = [0; 32];
/// let message = b"what do ya want for nothing?";
/// alacrypt::mac::hmac(Algorithm::Sha256, b"Jefe", message, &mut tag_out)?;
/// assert_eq!(tag_out[..4], [0x5b, 0xdc, 0xc1, 0x46]);
/// # Ok::<(), alacrypt::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Unsupported`] for an extendable-output function (RFC 2104, section 2, takes a digest of
/// fixed length); [`Misuse::OutputLength`] for another length of `tag_out`.
pub fn hmac(
    algorithm: Algorithm,
    key: &[u8],
    data: &[u8],
    tag_out: &mut [u8],
) -> Result<(), Error> {
    check_len(algorithm, tag_out)?;
    if let Some(computed) = fresh::tag(algorithm, key, data, tag_out) {
        return computed;
    }
    match hmac_md(algorithm) {
        Some(md) => HmacCtx::one_shot(md, key, data, tag_out),
        None => {
            let mut mac = Hmac::new(algorithm, key)?;
            mac.update(data)?;
            mac.finish(tag_out)
        }
    }
}

/// An HMAC in progress, or a keyed state from which many are started.
///
/// One that has taken no input yet is the keyed state: [`Hmac::tag`] and [`Hmac::try_clone`] cost
/// far less than [`Hmac::new`], which has to run the compression function over both padded keys
/// (RFC 2104, section 4).
///
/// The state lies at one address on the heap and is wiped there when it is dropped or finished.
///
/// ```
/// use alacrypt::digest::Algorithm;
/// use alacrypt::mac::Hmac;
///
/// // RFC 4231, section 4.3.
/// let mut mac = Hmac::new(Algorithm::Sha256, b"Jefe")?;
/// mac.update(b"what do ya want ")?;
/// mac.update(b"for nothing?")?;
/// let mut tag_out = [0; 32];
/// mac.try_clone()?.finish(&mut tag_out)?;
/// assert_eq!(tag_out[..4], [0x5b, 0xdc, 0xc1, 0x46]);
/// mac.verify(&tag_out)?;
/// # Ok::<(), alacrypt::Error>(())
/// ```
pub struct Hmac {
    algorithm: Algorithm,
    state: State,
}

enum State {
    AwsLc(HmacCtx),
    Blake2b(Wiped<SimpleHmac<Blake2b512>>),
    Blake2s(Wiped<SimpleHmac<Blake2s256>>),
    Ripemd160(Wiped<::hmac::Hmac<Ripemd160>>),
    Md5Sha1(Wiped<SimpleHmac<Md5Sha1>>),
}

impl Hmac {
    /// A keyed state; `key` may have any length, none included.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for an extendable-output function.
    pub fn new(algorithm: Algorithm, key: &[u8]) -> Result<Self, Error> {
        let state = match (algorithm, hmac_md(algorithm)) {
            (_, Some(md)) => State::AwsLc(HmacCtx::new(md, key)?),
            (Algorithm::Blake2b512, None) => State::Blake2b(Wiped::new(key)?),
            (Algorithm::Blake2s256, None) => State::Blake2s(Wiped::new(key)?),
            (Algorithm::Ripemd160, None) => State::Ripemd160(Wiped::new(key)?),
            (Algorithm::Md5Sha1, None) => State::Md5Sha1(Wiped::new(key)?),
            (_, None) => return Err(Error::Unsupported),
        };
        Ok(Self { algorithm, state })
    }

    /// The digest algorithm underneath.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// About how many bytes of the heap it takes; those of the value itself are not among them.
    #[must_use]
    pub fn heap_len_bytes(&self) -> usize {
        match self.state {
            State::AwsLc(_) => 1232,
            State::Blake2b(_) => 336,
            State::Blake2s(_) => 192,
            State::Ripemd160(_) => 128,
            State::Md5Sha1(_) => 240,
        }
    }

    /// Takes more input, of any length.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`] when the library fails; it does so for no input known.
    pub fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        match &mut self.state {
            State::AwsLc(ctx) => ctx.update(data)?,
            State::Blake2b(mac) => mac.update(data),
            State::Blake2s(mac) => mac.update(data),
            State::Ripemd160(mac) => mac.update(data),
            State::Md5Sha1(mac) => mac.update(data),
        }
        Ok(())
    }

    /// Writes the tag of all input into `tag_out`, which has exactly as many bytes as the digest.
    ///
    /// # Errors
    ///
    /// [`Misuse::OutputLength`] for another length of `tag_out`.
    pub fn finish(self, tag_out: &mut [u8]) -> Result<(), Error> {
        check_len(self.algorithm, tag_out)?;
        match self.state {
            State::AwsLc(ctx) => ctx.finish(tag_out)?,
            State::Blake2b(mac) => mac.tag(&[], tag_out),
            State::Blake2s(mac) => mac.tag(&[], tag_out),
            State::Ripemd160(mac) => mac.tag(&[], tag_out),
            State::Md5Sha1(mac) => mac.tag(&[], tag_out),
        }
        Ok(())
    }

    /// Writes the tag of all input so far followed by `data` into `tag_out`, and stays as it is.
    ///
    /// From a keyed state this is the fastest way to one tag: the same as [`Hmac::try_clone`],
    /// [`Hmac::update`] and [`Hmac::finish`], without an allocation.
    ///
    /// ```
    /// use alacrypt::digest::Algorithm;
    /// use alacrypt::mac::{Hmac, hmac};
    ///
    /// let keyed = Hmac::new(Algorithm::Sha256, b"key")?;
    /// let (mut tag_out, mut same_out) = ([0; 32], [0; 32]);
    /// keyed.tag(b"message", &mut tag_out)?;
    /// hmac(Algorithm::Sha256, b"key", b"message", &mut same_out)?;
    /// assert_eq!(tag_out, same_out);
    /// # Ok::<(), alacrypt::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Misuse::OutputLength`] for a `tag_out` that is not as long as the digest.
    pub fn tag(&self, data: &[u8], tag_out: &mut [u8]) -> Result<(), Error> {
        check_len(self.algorithm, tag_out)?;
        match &self.state {
            State::AwsLc(ctx) => ctx.tag(data, tag_out)?,
            State::Blake2b(mac) => mac.tag(data, tag_out),
            State::Blake2s(mac) => mac.tag(data, tag_out),
            State::Ripemd160(mac) => mac.tag(data, tag_out),
            State::Md5Sha1(mac) => mac.tag(data, tag_out),
        }
        Ok(())
    }

    /// Checks `tag`, whole, in time that depends on its length only.
    ///
    /// # Errors
    ///
    /// [`Error::Failed`] for a wrong tag, and for one of wrong length.
    pub fn verify(self, tag: &[u8]) -> Result<(), Error> {
        let mut expected = [0; MAX_TAG_LEN_BYTES];
        let len = self
            .algorithm
            .output_len_bytes()
            .ok_or(Error::Unsupported)?;
        let expected_tag = expected.get_mut(..len).ok_or(Error::Unsupported)?;
        self.finish(expected_tag)?;
        let equal = constant_time::eq(expected_tag, tag);
        expected.zeroize();
        if equal { Ok(()) } else { Err(Error::Failed) }
    }

    /// A second HMAC in the same state.
    ///
    /// # Errors
    ///
    /// None at present; a backend that can fail to copy would raise [`Error::Backend`].
    pub fn try_clone(&self) -> Result<Self, Error> {
        let state = match &self.state {
            State::AwsLc(ctx) => State::AwsLc(ctx.copy()),
            State::Blake2b(mac) => State::Blake2b(mac.clone()),
            State::Blake2s(mac) => State::Blake2s(mac.clone()),
            State::Ripemd160(mac) => State::Ripemd160(mac.clone()),
            State::Md5Sha1(mac) => State::Md5Sha1(mac.clone()),
        };
        Ok(Self {
            algorithm: self.algorithm,
            state,
        })
    }
}

impl fmt::Debug for Hmac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hmac")
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}

/// AWS-LC's table where AWS-LC has an HMAC over the digest.
fn hmac_md(algorithm: Algorithm) -> Option<Md> {
    match algorithm {
        Algorithm::Shake128 | Algorithm::Shake256 | Algorithm::Md5Sha1 => None,
        _ => algorithm.md(),
    }
}

fn check_len(algorithm: Algorithm, tag_out: &[u8]) -> Result<(), Error> {
    match algorithm.output_len_bytes() {
        None => Err(Error::Unsupported),
        Some(len) if tag_out.len() != len => Err(Error::Misuse(Misuse::OutputLength)),
        Some(_) => Ok(()),
    }
}

//! Keys on secp256k1, whose arithmetic is RustCrypto's.

use k256::{PublicKey, SecretKey};
use zeroize::{Zeroizing, zeroize_stack};

use crate::Error;

/// More stack than a multiplication of the generator uses in a release build: with 39 KiB of it in
/// all, a thread that signs overflows.
pub(crate) const STACK_LEN_BYTES: usize = 40 * 1024;

/// The private number in a box, as moving it by value would leave copies in abandoned stack
/// frames, and the point beside it.
pub(crate) struct Private {
    secret: Box<SecretKey>,
    public: PublicKey,
}

impl Private {
    /// Of a big-endian number and, where there is one, the point: that the two belong together is
    /// not checked.
    pub(super) fn new(scalar: &[u8], point: Option<&[u8]>) -> Result<Self, Error> {
        let key = Self::with_secret_on_stack(scalar, point);
        zeroize_stack::<STACK_LEN_BYTES>();
        key
    }

    #[inline(never)]
    fn with_secret_on_stack(scalar: &[u8], point: Option<&[u8]>) -> Result<Self, Error> {
        // RFC 5915, section 3, wants 32 bytes, and OpenSSL has written fewer.
        let zeros = scalar.iter().take_while(|byte| **byte == 0).count();
        let digits = scalar.get(zeros..).unwrap_or_default();
        let mut padded = Zeroizing::new([0; 32]);
        let start = padded
            .len()
            .checked_sub(digits.len())
            .ok_or(Error::Rejected)?;
        padded
            .get_mut(start..)
            .ok_or(Error::Rejected)?
            .copy_from_slice(digits);
        let secret = SecretKey::from_slice(padded.as_slice()).map_err(|_| Error::Rejected)?;
        let secret = Box::new(secret);
        let public = match point {
            Some(point) => public(point)?,
            None => secret.public_key(),
        };
        Ok(Self { secret, public })
    }

    pub(crate) fn secret(&self) -> &SecretKey {
        &self.secret
    }

    pub(super) fn public(&self) -> PublicKey {
        self.public
    }
}

/// The key of an encoded point (SEC 1, section 2.3.4), which must be on the curve.
pub(super) fn public(point: &[u8]) -> Result<PublicKey, Error> {
    PublicKey::from_sec1_bytes(point).map_err(|_| Error::Rejected)
}

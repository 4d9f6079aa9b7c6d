//! Keys on secp256k1, whose arithmetic is RustCrypto's.

use k256::elliptic_curve::sec1::ToSec1Point;
use k256::{PublicKey, SecretKey};
use zeroize::{Zeroizing, zeroize_stack};

use crate::Error;
use crate::error::Misuse;
use crate::ffi;

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

    /// A new key: 32 random bytes, drawn again where they are no number of a key (SEC 1, section
    /// 3.2.1; one draw in 2^127 is not).
    pub(super) fn generate() -> Result<Self, Error> {
        let mut number = Zeroizing::new([0; 32]);
        loop {
            ffi::rand::fill(number.as_mut_slice())?;
            match Self::new(number.as_slice(), None) {
                Err(Error::Rejected) => {}
                key => return key,
            }
        }
    }

    /// The number, big-endian; `number_out` has 32 bytes.
    pub(super) fn number(&self, number_out: &mut [u8]) {
        self.number_on_stack(number_out);
        zeroize_stack::<STACK_LEN_BYTES>();
    }

    #[inline(never)]
    fn number_on_stack(&self, number_out: &mut [u8]) {
        let number = Zeroizing::new(<[u8; 32]>::from(self.secret.to_bytes()));
        number_out.copy_from_slice(number.as_slice());
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

/// The point in uncompressed form; `point_out` has 65 bytes.
pub(super) fn point(key: &PublicKey, point_out: &mut [u8]) -> Result<(), Error> {
    let point = key.to_sec1_point(false);
    if point.as_bytes().len() != point_out.len() {
        return Err(Error::Misuse(Misuse::OutputLength));
    }
    point_out.copy_from_slice(point.as_bytes());
    Ok(())
}

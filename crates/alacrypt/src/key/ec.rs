//! Keys on curves by their bare numbers and points (SEC 1, section 2.3), and new ones.

use super::kind::{Curve, KeyKind};
use super::private::{Private, PrivateKey};
use super::public::{Public, PublicKey, check_point_form};
use super::secp256k1;
use crate::error::{Error, Misuse};
use crate::ffi::ec_key::EcKey;

/// How a point is written (SEC 1, section 2.3.3; for the hybrid form ANSI X9.62, section 4.3.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointForm {
    /// One coordinate, and the parity of the other.
    Compressed,
    /// Both coordinates.
    Uncompressed,
    /// Both coordinates, and the parity of the second.
    Hybrid,
}

/// Both coordinates of P-521, and a byte for the form.
const LONGEST_POINT_LEN_BYTES: usize = uncompressed_len_bytes(Curve::P521);

/// The length of a point with both coordinates.
pub(super) const fn uncompressed_len_bytes(curve: Curve) -> usize {
    1 + 2 * curve.coordinate_len_bytes()
}

impl PrivateKey {
    /// A new key on `curve`.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`] when memory runs out.
    pub fn generate_ec(curve: Curve) -> Result<Self, Error> {
        let inner = match curve.group() {
            Some(group) => Private::Ec(curve, EcKey::generate(group)?),
            None => Private::Secp256k1(secp256k1::Private::generate()?),
        };
        Ok(Self::new(KeyKind::Ec(curve), inner))
    }

    /// The key of a big-endian number of any length.
    ///
    /// # Errors
    ///
    /// [`Error::Rejected`] for 0 and for what is not below the curve's order.
    pub fn from_ec_number(curve: Curve, number: &[u8]) -> Result<Self, Error> {
        let inner = match curve.group() {
            Some(group) => Private::Ec(curve, EcKey::private(group, number, None)?),
            None => Private::Secp256k1(secp256k1::Private::new(number, None)?),
        };
        Ok(Self::new(KeyKind::Ec(curve), inner))
    }

    /// Writes the key's number to the start of `number_out`, big-endian and as long as a
    /// coordinate ([`Curve::coordinate_len_bytes`]), and returns that length. Who calls this has
    /// the secret in hand, and wipes it.
    ///
    /// # Errors
    ///
    /// [`Misuse::KeyKind`] for a key that is not on a curve, and [`Misuse::OutputLength`] where
    /// `number_out` is too short.
    pub fn ec_number(&self, number_out: &mut [u8]) -> Result<usize, Error> {
        let KeyKind::Ec(curve) = self.kind() else {
            return Err(Error::Misuse(Misuse::KeyKind));
        };
        let number_out = number_out
            .get_mut(..curve.coordinate_len_bytes())
            .ok_or(Error::Misuse(Misuse::OutputLength))?;
        match self.inner() {
            Private::Ec(_, key) => key.number(number_out)?,
            Private::Secp256k1(key) => key.number(number_out),
            _ => return Err(Error::Misuse(Misuse::KeyKind)),
        }
        Ok(number_out.len())
    }
}

impl PublicKey {
    /// The key of a point in any of the three forms (SEC 1, section 2.3.4).
    ///
    /// # Errors
    ///
    /// [`Error::Rejected`] for what is not one on the curve, for a hybrid form with the other
    /// parity, and for the point at infinity.
    pub fn from_ec_point(curve: Curve, point: &[u8]) -> Result<Self, Error> {
        let mut plain = [0; LONGEST_POINT_LEN_BYTES];
        let point = match point {
            [form @ (6 | 7), .., last] if form & 1 == last & 1 => {
                let plain = plain.get_mut(..point.len()).ok_or(Error::Rejected)?;
                plain.copy_from_slice(point);
                if let Some(first) = plain.first_mut() {
                    *first = 4;
                }
                &*plain
            }
            [6 | 7, ..] => return Err(Error::Rejected),
            _ => point,
        };
        check_point_form(point)?;
        let inner = match curve.group() {
            Some(group) => Public::Ec(curve, EcKey::public(group, point)?),
            None => Public::Secp256k1(Box::new(secp256k1::public(point)?)),
        };
        Ok(Self::new(KeyKind::Ec(curve), inner))
    }

    /// Writes the key's point to the start of `point_out` and returns its length: one byte and one
    /// coordinate, or two ([`Curve::coordinate_len_bytes`]).
    ///
    /// `point_out` has room for two in every form.
    ///
    /// # Errors
    ///
    /// [`Misuse::KeyKind`] for a key that is not on a curve, and [`Misuse::OutputLength`] where
    /// `point_out` is too short.
    pub fn ec_point(&self, form: PointForm, point_out: &mut [u8]) -> Result<usize, Error> {
        let KeyKind::Ec(curve) = self.kind() else {
            return Err(Error::Misuse(Misuse::KeyKind));
        };
        let coordinate_len = curve.coordinate_len_bytes();
        let point_out = point_out
            .get_mut(..1 + 2 * coordinate_len)
            .ok_or(Error::Misuse(Misuse::OutputLength))?;
        match self.inner() {
            Public::Ec(_, key) => key.point(point_out)?,
            Public::Secp256k1(key) => secp256k1::point(key, point_out)?,
            _ => return Err(Error::Misuse(Misuse::KeyKind)),
        }
        let parity = point_out.last().map_or(0, |last| last & 1);
        let (prefix, len) = match form {
            PointForm::Uncompressed => return Ok(point_out.len()),
            PointForm::Compressed => (2 + parity, 1 + coordinate_len),
            PointForm::Hybrid => (6 + parity, point_out.len()),
        };
        if let Some(first) = point_out.first_mut() {
            *first = prefix;
        }
        Ok(len)
    }
}

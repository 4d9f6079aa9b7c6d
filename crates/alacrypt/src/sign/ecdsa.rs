use super::{EcdsaEncoding, secp256k1};
use crate::error::{Error, Misuse};
use crate::ffi::ec_key::EcKey;
use crate::key::{Curve, Secp256k1Private};

/// The longest coordinate, that of P-521.
const NUMBER_MAX_LEN_BYTES: usize = 66;

pub(super) fn sign(
    key: &EcKey,
    curve: Curve,
    encoding: EcdsaEncoding,
    digest: &[u8],
    signature_out: &mut [u8],
) -> Result<usize, Error> {
    let len = curve.coordinate_len_bytes();
    let mut numbers = [0; 2 * NUMBER_MAX_LEN_BYTES];
    let numbers = numbers.get_mut(..2 * len).ok_or(Error::Backend)?;
    check_room(curve, encoding, signature_out)?;
    let (r, s) = numbers.split_at_mut(len);
    key.sign(digest, r, s)?;
    encode(encoding, r, s, signature_out)
}

pub(super) fn sign_secp256k1(
    key: &Secp256k1Private,
    encoding: EcdsaEncoding,
    digest: &[u8],
    signature_out: &mut [u8],
) -> Result<usize, Error> {
    check_room(Curve::Secp256k1, encoding, signature_out)?;
    let numbers = secp256k1::sign(key, digest)?;
    let (r, s) = numbers.split_at(32);
    encode(encoding, r, s, signature_out)
}

pub(super) fn verify(
    key: &EcKey,
    curve: Curve,
    encoding: EcdsaEncoding,
    digest: &[u8],
    signature: &[u8],
) -> Result<bool, Error> {
    match decode(encoding, curve.coordinate_len_bytes(), signature) {
        Some((r, s)) => key.verify(digest, r, s),
        None => Ok(false),
    }
}

pub(super) fn verify_secp256k1(
    key: &k256::PublicKey,
    encoding: EcdsaEncoding,
    digest: &[u8],
    signature: &[u8],
) -> bool {
    decode(encoding, 32, signature).is_some_and(|(r, s)| secp256k1::verify(key, digest, r, s))
}

/// The room is asked for before the signature is made, so that it does not depend on its length.
fn check_room(curve: Curve, encoding: EcdsaEncoding, signature_out: &[u8]) -> Result<(), Error> {
    let len = match encoding {
        EcdsaEncoding::Der => curve.der_signature_max_len_bytes(),
        EcdsaEncoding::P1363 => 2 * curve.coordinate_len_bytes(),
    };
    if signature_out.len() < len {
        Err(Error::Misuse(Misuse::OutputLength))
    } else {
        Ok(())
    }
}

fn encode(
    encoding: EcdsaEncoding,
    r: &[u8],
    s: &[u8],
    signature_out: &mut [u8],
) -> Result<usize, Error> {
    let mut out = Writer {
        room: signature_out,
        len: 0,
    };
    match encoding {
        EcdsaEncoding::P1363 => {
            out.put(r)?;
            out.put(s)?;
        }
        EcdsaEncoding::Der => {
            let (r, s) = (Integer::new(r), Integer::new(s));
            let len = r.len() + s.len();
            out.put(&[0x30])?;
            // No more than 139 bytes: one byte of length, or two.
            let len = u8::try_from(len).map_err(|_| Error::Backend)?;
            if len >= 0x80 {
                out.put(&[0x81])?;
            }
            out.put(&[len])?;
            r.write(&mut out)?;
            s.write(&mut out)?;
        }
    }
    Ok(out.len)
}

struct Writer<'a> {
    room: &'a mut [u8],
    len: usize,
}

impl Writer<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let end = self.len + bytes.len();
        self.room
            .get_mut(self.len..end)
            .ok_or(Error::Misuse(Misuse::OutputLength))?
            .copy_from_slice(bytes);
        self.len = end;
        Ok(())
    }
}

/// A number above zero as a DER integer: its digits, behind a zero where the first bit is set.
struct Integer<'a> {
    needs_zero: bool,
    digits: &'a [u8],
}

impl<'a> Integer<'a> {
    fn new(number: &'a [u8]) -> Self {
        let zeros = number.iter().take_while(|byte| **byte == 0).count();
        let digits = number.get(zeros..).unwrap_or_default();
        Self {
            needs_zero: digits.first().is_none_or(|byte| byte & 0x80 != 0),
            digits,
        }
    }

    fn contents_len(&self) -> usize {
        self.digits.len() + usize::from(self.needs_zero)
    }

    fn len(&self) -> usize {
        2 + self.contents_len()
    }

    fn write(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        let len = u8::try_from(self.contents_len()).map_err(|_| Error::Backend)?;
        out.put(&[0x02, len])?;
        if self.needs_zero {
            out.put(&[0])?;
        }
        out.put(self.digits)
    }
}

/// The two numbers of a signature, without leading zeros where it is DER; `None` for what is not
/// one.
fn decode(encoding: EcdsaEncoding, len: usize, signature: &[u8]) -> Option<(&[u8], &[u8])> {
    match encoding {
        EcdsaEncoding::P1363 if signature.len() == 2 * len => signature.split_at_checked(len),
        EcdsaEncoding::P1363 => None,
        EcdsaEncoding::Der => {
            let (contents, []) = split_value(0x30, signature)? else {
                return None;
            };
            let (r, rest) = split_value(0x02, contents)?;
            let (s, []) = split_value(0x02, rest)? else {
                return None;
            };
            Some((digits(r, len)?, digits(s, len)?))
        }
    }
}

/// The contents of the value at the start, and what follows it. OpenSSL takes signatures in DER
/// only (it writes what it read and compares), so lengths are in their shortest form.
fn split_value(tag: u8, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    match bytes {
        [found, len @ 0..=0x7f, rest @ ..] if *found == tag => {
            rest.split_at_checked(usize::from(*len))
        }
        [found, 0x81, len @ 0x80..=0xff, rest @ ..] if *found == tag => {
            rest.split_at_checked(usize::from(*len))
        }
        _ => None,
    }
}

/// The digits of a DER integer that is not negative, in its shortest form, and not longer than the
/// curve's order.
fn digits(integer: &[u8], len: usize) -> Option<&[u8]> {
    let digits = match integer {
        [0, rest @ ..] if rest.first().is_none_or(|byte| byte & 0x80 != 0) => rest,
        [0x01..=0x7f, ..] => integer,
        _ => return None,
    };
    (digits.len() <= len).then_some(digits)
}

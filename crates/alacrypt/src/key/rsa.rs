use super::der::Reader;
use crate::Error;
use crate::ffi::rsa::{PrivateParts, Rsa};

/// Shorter moduli have no room for a digest and its padding.
const MODULUS_MIN_BITS: usize = 512;
/// The longest that AWS-LC and OpenSSL take.
const MODULUS_MAX_BITS: usize = 16 * 1024;
/// AWS-LC's limit, which keeps hostile keys from making verification slow.
const EXPONENT_MAX_BITS: usize = 33;

/// An `RSAPublicKey` (RFC 8017, A.1.1).
pub(super) fn public(raw: &[u8]) -> Result<Rsa, Error> {
    let mut outer = Reader::new(raw);
    let mut key = outer.sequence()?;
    outer.finish()?;
    let (n, e) = (key.unsigned()?, key.unsigned()?);
    key.finish()?;
    check_public(n, e)?;
    Rsa::public(n, e)
}

/// An `RSAPrivateKey` (RFC 8017, A.1.2) with two primes.
///
/// AWS-LC's own parser checks the numbers against each other, which takes half as long as a
/// signature. Here they are checked as far as is cheap: a key that passes and is wrong fails when
/// it is used (see [`Rsa::private`]).
pub(super) fn private(raw: &[u8]) -> Result<Rsa, Error> {
    let mut outer = Reader::new(raw);
    let mut key = outer.sequence()?;
    outer.finish()?;
    match key.unsigned()? {
        [] => {}
        // More than two primes.
        [1] => return Err(Error::Unsupported),
        _ => return Err(Error::Rejected),
    }
    let parts = PrivateParts {
        n: key.unsigned()?,
        e: key.unsigned()?,
        d: key.unsigned()?,
        p: key.unsigned()?,
        q: key.unsigned()?,
        dp: key.unsigned()?,
        dq: key.unsigned()?,
        q_inv: key.unsigned()?,
    };
    key.finish()?;
    check_public(parts.n, parts.e)?;
    Rsa::private(&parts)
}

/// Refuses what AWS-LC refuses, and moduli that are too short.
fn check_public(n: &[u8], e: &[u8]) -> Result<(), Error> {
    let is_odd = |number: &[u8]| number.last().is_some_and(|byte| byte & 1 == 1);
    if is_odd(n)
        && is_odd(e)
        && e != [1]
        && bits(e) <= EXPONENT_MAX_BITS
        && (MODULUS_MIN_BITS..=MODULUS_MAX_BITS).contains(&bits(n))
    {
        Ok(())
    } else {
        Err(Error::Unsupported)
    }
}

/// The length in bits of a number without leading zero bytes.
fn bits(number: &[u8]) -> usize {
    number
        .first()
        .map_or(0, |first| 8 * number.len() - first.leading_zeros() as usize)
}

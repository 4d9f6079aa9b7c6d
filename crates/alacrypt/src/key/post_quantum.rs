//! ML-DSA (RFC 9881, section 6) and ML-KEM (RFC 9935, section 6) private keys, each of which comes
//! as a seed, as an expanded key, or as both.

use zeroize::Zeroizing;

use super::der::{self, Reader};
use super::kind::KeyKind;
use crate::ffi::evp_pkey::Pkey;
use crate::{Error, constant_time};

enum Form<'a> {
    Seed(&'a [u8]),
    Expanded(&'a [u8]),
    Both(&'a [u8], &'a [u8]),
}

fn form(raw: &[u8]) -> Result<Form<'_>, Error> {
    let mut outer = Reader::new(raw);
    let form = if outer.is_next(der::CONTEXT_0) {
        Form::Seed(outer.read(der::CONTEXT_0)?)
    } else if outer.is_next(der::OCTET_STRING) {
        Form::Expanded(outer.read(der::OCTET_STRING)?)
    } else {
        let mut both = outer.sequence()?;
        let seed = both.read(der::OCTET_STRING)?;
        let expanded = both.read(der::OCTET_STRING)?;
        both.finish()?;
        Form::Both(seed, expanded)
    };
    outer.finish()?;
    Ok(form)
}

pub(super) fn ml_dsa_private(kind: KeyKind, raw: &[u8]) -> Result<Pkey, Error> {
    let set = kind.ml_dsa().ok_or(Error::Unsupported)?;
    let of_seed = |seed: &[u8]| {
        // FIPS 204, algorithm 1: 32 bytes. The function below would take an expanded key too.
        let seed: &[u8; 32] = seed.try_into().map_err(|_| Error::Rejected)?;
        Pkey::ml_dsa_private(set.nid, seed)
    };
    match form(raw)? {
        Form::Seed(seed) => of_seed(seed),
        Form::Expanded(expanded) if expanded.len() == set.private_len_bytes => {
            Pkey::ml_dsa_private(set.nid, expanded)
        }
        Form::Expanded(_) => Err(Error::Rejected),
        Form::Both(seed, expanded) => matching(of_seed(seed)?, expanded, set.private_len_bytes),
    }
}

pub(super) fn ml_dsa_public_of(kind: KeyKind, key: &Pkey) -> Result<Pkey, Error> {
    let set = kind.ml_dsa().ok_or(Error::Unsupported)?;
    let mut public = vec![0; set.public_len_bytes];
    key.raw_public(&mut public)?;
    Pkey::ml_dsa_public(set.nid, &public)
}

pub(super) fn ml_kem_private(kind: KeyKind, raw: &[u8]) -> Result<Pkey, Error> {
    let set = kind.ml_kem().ok_or(Error::Unsupported)?;
    let of_seed = |seed: &[u8]| {
        // FIPS 203, algorithm 16: d and z, 32 bytes each.
        let seed = seed.try_into().map_err(|_| Error::Rejected)?;
        Pkey::ml_kem_from_seed(set.nid, seed)
    };
    match form(raw)? {
        Form::Seed(seed) => of_seed(seed),
        Form::Expanded(expanded) => Pkey::ml_kem_private(set.nid, expanded),
        Form::Both(seed, expanded) => matching(of_seed(seed)?, expanded, set.private_len_bytes()),
    }
}

pub(super) fn ml_kem_public_of(kind: KeyKind, key: &Pkey) -> Result<Pkey, Error> {
    let set = kind.ml_kem().ok_or(Error::Unsupported)?;
    // A key that was read in its expanded form has its public half in there only: FIPS 203,
    // algorithm 16, puts it behind the secret vector.
    let mut private = Zeroizing::new(vec![0; set.private_len_bytes()]);
    key.raw_private(&mut private)?;
    let public = private
        .get(384 * set.rank..)
        .and_then(|rest| rest.get(..set.public_len_bytes()))
        .ok_or(Error::Backend)?;
    Pkey::ml_kem_public(set.nid, public)
}

/// The key of a seed, if `expanded` is what it expands to.
fn matching(key: Pkey, expanded: &[u8], len_bytes: usize) -> Result<Pkey, Error> {
    let mut right = Zeroizing::new(vec![0; len_bytes]);
    key.raw_private(&mut right)?;
    if constant_time::eq(&right, expanded) {
        Ok(key)
    } else {
        Err(Error::Rejected)
    }
}

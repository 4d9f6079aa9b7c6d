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

#[cfg(test)]
mod tests {
    use super::*;

    fn value(tag: u8, contents: &[u8]) -> Vec<u8> {
        let len = u16::try_from(contents.len()).unwrap();
        let mut value = vec![tag];
        match len {
            0..0x80 => value.push(len as u8),
            0x80..0x100 => value.extend([0x81, len as u8]),
            _ => value.extend([&[0x82][..], &len.to_be_bytes()].concat()),
        }
        value.extend(contents);
        value
    }

    /// Each form of one key is that key, and a seed beside another key is refused.
    #[test]
    fn seed_expanded_and_both() {
        type Read = fn(KeyKind, &[u8]) -> Result<Pkey, Error>;
        type PublicOf = fn(KeyKind, &Pkey) -> Result<Pkey, Error>;
        let ml_dsa: (Read, PublicOf) = (ml_dsa_private, ml_dsa_public_of);
        let ml_kem: (Read, PublicOf) = (ml_kem_private, ml_kem_public_of);
        for (kind, (read, public_of), seed_len, private_len, public_len) in [
            (KeyKind::MlDsa44, ml_dsa, 32, 2560, 1312),
            (KeyKind::MlDsa65, ml_dsa, 32, 4032, 1952),
            (KeyKind::MlDsa87, ml_dsa, 32, 4896, 2592),
            (KeyKind::MlKem512, ml_kem, 64, 1632, 800),
            (KeyKind::MlKem768, ml_kem, 64, 2400, 1184),
            (KeyKind::MlKem1024, ml_kem, 64, 3168, 1568),
        ] {
            let seed = vec![0x5a; seed_len];
            let from_seed = read(kind, &value(der::CONTEXT_0, &seed)).unwrap();
            let mut expanded = vec![0; private_len];
            from_seed.raw_private(&mut expanded).unwrap();
            let mut public = vec![0; public_len];
            from_seed.raw_public(&mut public).unwrap();

            let both = |seed: &[u8], expanded: &[u8]| {
                let values = [
                    value(der::OCTET_STRING, seed),
                    value(der::OCTET_STRING, expanded),
                ];
                value(der::SEQUENCE, &values.concat())
            };
            for raw in [value(der::OCTET_STRING, &expanded), both(&seed, &expanded)] {
                let key = read(kind, &raw).unwrap();
                let mut again = vec![0; private_len];
                key.raw_private(&mut again).unwrap();
                assert_eq!(again, expanded, "{kind:?}");
                again.resize(public_len, 0);
                public_of(kind, &key)
                    .unwrap()
                    .raw_public(&mut again)
                    .unwrap();
                assert_eq!(again, public, "{kind:?}");
            }
            for at in [0, private_len / 2, private_len - 1] {
                let mut other = expanded.clone();
                other[at] ^= 1;
                let found = read(kind, &both(&seed, &other)).err();
                assert_eq!(found, Some(Error::Rejected), "{kind:?}, byte {at}");
            }
            let found = read(kind, &both(&vec![0; seed_len], &expanded)).err();
            assert_eq!(found, Some(Error::Rejected), "{kind:?}");
        }
    }
}

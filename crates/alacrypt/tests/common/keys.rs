//! The keys that OpenSSL made, by name.

use alacrypt::digest::Algorithm;
use alacrypt::key::{PrivateKey, PublicKey};
use alacrypt::sign::{EcdsaEncoding, SaltLength, Scheme};

use super::{Record, records, unhex};

/// A key of `vectors/key/openssl_generated.txt`.
pub(crate) struct Entry {
    pub(crate) name: String,
    /// `KeyKind` as `Debug` writes it, or `Unsupported`.
    pub(crate) kind: String,
    pub(crate) spki: Vec<u8>,
    pub(crate) pkcs8: Vec<u8>,
}

impl Entry {
    pub(crate) fn public(&self) -> PublicKey {
        PublicKey::from_spki_der(&self.spki).unwrap()
    }

    pub(crate) fn private(&self) -> PrivateKey {
        PrivateKey::from_pkcs8_der(&self.pkcs8).unwrap()
    }
}

pub(crate) fn entries() -> Vec<Entry> {
    let text = include_str!("../../../../vectors/key/openssl_generated.txt");
    records(text, "Pkcs8")
        .iter()
        .map(|record| Entry {
            name: record.text("Name").to_owned(),
            kind: record.text("Kind").to_owned(),
            spki: record.bytes("Spki"),
            pkcs8: record.bytes("Pkcs8"),
        })
        .collect()
}

/// The keys that the engine reads.
pub(crate) fn served() -> Vec<Entry> {
    let mut entries = entries();
    entries.retain(|entry| entry.kind != "Unsupported");
    entries
}

pub(crate) fn named(name: &str) -> Entry {
    entries()
        .into_iter()
        .find(|entry| entry.name == name)
        .unwrap_or_else(|| panic!("no key {name}"))
}

/// The scheme of a record of `vectors/sign`; `context` is the record's, if it has one.
pub(crate) fn scheme<'a>(record: &Record<'_>, context: &'a [u8]) -> Scheme<'a> {
    match record.text("Scheme") {
        "RsaPkcs1v15" => Scheme::RsaPkcs1v15 {
            digest: digest(record),
        },
        "RsaPss" => Scheme::RsaPss {
            digest: digest(record),
            mgf1_digest: digest(record),
            salt_len: match record.text("Salt") {
                "Digest" => SaltLength::Digest,
                "Auto" => SaltLength::Auto,
                len => SaltLength::Bytes(len.parse().unwrap()),
            },
        },
        "Ecdsa" => Scheme::Ecdsa {
            digest: digest(record),
            encoding: match record.text("Encoding") {
                "Der" => EcdsaEncoding::Der,
                "P1363" => EcdsaEncoding::P1363,
                other => panic!("no encoding {other}"),
            },
        },
        "Ed25519" => Scheme::Ed25519,
        "MlDsa" => Scheme::MlDsa { context },
        other => panic!("no scheme {other}"),
    }
}

fn digest(record: &Record<'_>) -> Algorithm {
    let name = record.text("Digest");
    Algorithm::ALL
        .into_iter()
        .find(|algorithm| format!("{algorithm:?}") == name)
        .unwrap_or_else(|| panic!("no algorithm {name}"))
}

/// A DER value.
pub(crate) fn der(tag: u8, contents: &[u8]) -> Vec<u8> {
    let len = contents.len();
    let mut value = vec![tag];
    match len {
        0..=0x7f => value.push(len as u8),
        0x80..=0xff => value.extend([0x81, len as u8]),
        0x100..=0xffff => value.extend([0x82, (len >> 8) as u8, len as u8]),
        _ => value.extend([0x83, (len >> 16) as u8, (len >> 8) as u8, len as u8]),
    }
    value.extend(contents);
    value
}

/// A DER sequence of values.
pub(crate) fn sequence(values: &[Vec<u8>]) -> Vec<u8> {
    der(0x30, &values.concat())
}

/// A DER integer that is not negative.
pub(crate) fn integer(number: &[u8]) -> Vec<u8> {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    let mut digits = number[zeros..].to_vec();
    if digits.first().is_none_or(|byte| byte & 0x80 != 0) {
        digits.insert(0, 0);
    }
    der(0x02, &digits)
}

/// A DER bit string of whole bytes.
pub(crate) fn bit_string(bytes: &[u8]) -> Vec<u8> {
    der(0x03, &[&[0], bytes].concat())
}

/// `AlgorithmIdentifier` by the contents of the object identifier, in hexadecimal.
pub(crate) fn algorithm(oid: &str, parameters: &[u8]) -> Vec<u8> {
    sequence(&[der(0x06, &unhex(oid)), parameters.to_vec()])
}

pub(crate) const RSA_OID: &str = "2a864886f70d010101";
pub(crate) const EC_OID: &str = "2a8648ce3d0201";
pub(crate) const NULL: [u8; 2] = [5, 0];

/// `SubjectPublicKeyInfo`.
pub(crate) fn spki(oid: &str, parameters: &[u8], raw: &[u8]) -> Vec<u8> {
    sequence(&[algorithm(oid, parameters), bit_string(raw)])
}

/// `PrivateKeyInfo`.
pub(crate) fn pkcs8(oid: &str, parameters: &[u8], raw: &[u8]) -> Vec<u8> {
    sequence(&[integer(&[]), algorithm(oid, parameters), der(0x04, raw)])
}

/// `SubjectPublicKeyInfo` of an RSA key.
pub(crate) fn rsa_spki(n: &[u8], e: &[u8]) -> Vec<u8> {
    spki(RSA_OID, &NULL, &sequence(&[integer(n), integer(e)]))
}

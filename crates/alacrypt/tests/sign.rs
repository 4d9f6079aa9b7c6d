//! Signatures: OpenSSL's verified here, round trips, and everything that must be refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::mem::discriminant;

use alacrypt::digest::{Algorithm, digest};
use alacrypt::key::{Curve, KeyKind, PrivateKey, PublicKey};
use alacrypt::sign::{EcdsaEncoding, Message, SaltLength, Scheme, sign, verify};
use alacrypt::{Error, Misuse};
use common::keys::{self, named, served};
use common::{records, unhex};

fn signed(key: &PrivateKey, scheme: &Scheme<'_>, message: Message<'_>) -> Vec<u8> {
    let mut signature = vec![0; key.signature_len_bytes()];
    let len = sign(key, scheme, message, &mut signature).unwrap();
    signature.truncate(len);
    signature
}

/// Every change that leaves something to check: each byte, one byte less and one more, none.
fn assert_only_right(key: &PublicKey, scheme: &Scheme<'_>, message: &[u8], signature: &[u8]) {
    let message = Message::Whole(message);
    assert_eq!(verify(key, scheme, message, signature), Ok(()));
    let mut changed = signature.to_vec();
    let step = 1 + signature.len() / 24;
    for at in (0..signature.len())
        .step_by(step)
        .chain([signature.len() - 1])
    {
        changed[at] ^= 1 << (at % 8);
        assert_eq!(
            verify(key, scheme, message, &changed),
            Err(Error::Failed),
            "{scheme:?}, byte {at}"
        );
        changed[at] = signature[at];
    }
    changed.push(0);
    assert_eq!(verify(key, scheme, message, &changed), Err(Error::Failed));
    for len in [0, 1, signature.len() - 1] {
        let short = &signature[..len];
        assert_eq!(verify(key, scheme, message, short), Err(Error::Failed));
    }
    let other = Message::Whole(b"another message");
    assert_eq!(verify(key, scheme, other, signature), Err(Error::Failed));
}

/// Each record is verified; and what is signed here in the same way, too.
#[test]
fn openssl_signatures() {
    let text = include_str!("../../../vectors/sign/openssl_generated.txt");
    let records = records(text, "Signature");
    assert_eq!(records.len(), 351);
    let keys = served();
    let (mut high, mut low) = (0, 0);
    for record in records {
        let entry = keys
            .iter()
            .find(|entry| entry.name == record.text("Key"))
            .unwrap();
        let (public, private) = (entry.public(), entry.private());
        let context = match record.text("Scheme") {
            "MlDsa" => record.bytes("Context"),
            _ => Vec::new(),
        };
        let scheme = keys::scheme(&record, &context);
        let message = record.bytes("Msg");
        let signature = record.bytes("Signature");
        assert_only_right(&public, &scheme, &message, &signature);

        let ours = signed(&private, &scheme, Message::Whole(&message));
        assert_only_right(&public, &scheme, &message, &ours);
        assert_only_right(&private.public_key().unwrap(), &scheme, &message, &ours);
        let deterministic = matches!(scheme, Scheme::RsaPkcs1v15 { .. } | Scheme::Ed25519)
            || matches!(
                scheme,
                Scheme::RsaPss {
                    salt_len: SaltLength::Bytes(0),
                    ..
                }
            );
        assert_eq!(ours == signature, deterministic, "{scheme:?}");

        let digest_of = match scheme {
            Scheme::RsaPkcs1v15 { digest }
            | Scheme::RsaPss { digest, .. }
            | Scheme::Ecdsa { digest, .. } => digest,
            _ => continue,
        };
        let mut digested = vec![0; digest_of.output_len_bytes().unwrap()];
        digest(digest_of, &message, &mut digested).unwrap();
        let digested = Message::Digest(&digested);
        assert_eq!(verify(&public, &scheme, digested, &signature), Ok(()));
        let ours = signed(&private, &scheme, digested);
        assert_eq!(
            verify(&public, &scheme, Message::Whole(&message), &ours),
            Ok(())
        );

        if entry.name == "Secp256k1" && record.text("Encoding") == "P1363" {
            *(if signature[32] >= 0x80 {
                &mut high
            } else {
                &mut low
            }) += 1;
        }
    }
    // The vectors do hold second numbers of both halves.
    assert!(high > 3 && low > 3, "{high} high, {low} low");
}

/// The schemes that fit a key, with digests that it has room for and that it permits.
fn schemes_of(key: &PrivateKey) -> Vec<Scheme<'static>> {
    let pss = |digest| Scheme::RsaPss {
        digest,
        mgf1_digest: Algorithm::Sha256,
        salt_len: SaltLength::Digest,
    };
    match key.kind() {
        KeyKind::Rsa => vec![
            Scheme::RsaPkcs1v15 {
                digest: Algorithm::Sha1,
            },
            pss(Algorithm::Sha1),
        ],
        KeyKind::RsaPss => [Algorithm::Sha1, Algorithm::Sha256]
            .map(pss)
            .into_iter()
            .filter(|scheme| key.permits(scheme))
            .collect(),
        KeyKind::Ec(_) => [EcdsaEncoding::Der, EcdsaEncoding::P1363]
            .map(|encoding| Scheme::Ecdsa {
                digest: Algorithm::Sha256,
                encoding,
            })
            .to_vec(),
        KeyKind::Ed25519 => vec![Scheme::Ed25519],
        KeyKind::MlDsa44 | KeyKind::MlDsa65 | KeyKind::MlDsa87 => {
            vec![Scheme::MlDsa { context: b"" }]
        }
        _ => vec![],
    }
}

#[test]
fn a_key_and_a_scheme_that_do_not_fit_are_a_misuse() {
    let refused = Err(Error::Misuse(Misuse::KeyKind));
    let keys = served();
    let all: Vec<_> = keys
        .iter()
        .flat_map(|entry| schemes_of(&entry.private()))
        .collect();
    let mut refusals = 0;
    for entry in &keys {
        let (public, private) = (entry.public(), entry.private());
        let fitting: Vec<_> = schemes_of(&private).iter().map(discriminant).collect();
        for scheme in all
            .iter()
            .filter(|scheme| !fitting.contains(&discriminant(scheme)))
        {
            let message = Message::Whole(b"message");
            assert_eq!(
                verify(&public, scheme, message, &[0; 64]),
                refused.map(|_: usize| ())
            );
            assert_eq!(sign(&private, scheme, message, &mut [0; 5_000]), refused);
            refusals += 1;
        }
    }
    assert!(refusals > 100);
}

#[test]
fn short_outputs_are_a_misuse_and_long_ones_are_left_alone() {
    for entry in served() {
        let (public, private) = (entry.public(), entry.private());
        assert_eq!(public.signature_len_bytes(), private.signature_len_bytes());
        for scheme in schemes_of(&private) {
            let message = Message::Whole(b"message");
            let is_p1363 = matches!(
                scheme,
                Scheme::Ecdsa {
                    encoding: EcdsaEncoding::P1363,
                    ..
                }
            );
            let needed = match private.kind() {
                KeyKind::Ec(curve) if is_p1363 => 2 * curve.coordinate_len_bytes(),
                _ => private.signature_len_bytes(),
            };
            for len in [0, 1, needed - 1] {
                assert_eq!(
                    sign(&private, &scheme, message, &mut vec![0; len]),
                    Err(Error::Misuse(Misuse::OutputLength)),
                    "{scheme:?}, {len} bytes"
                );
            }
            let mut signature = vec![0xa5; needed + 20];
            let len = sign(&private, &scheme, message, &mut signature).unwrap();
            assert_eq!(verify(&public, &scheme, message, &signature[..len]), Ok(()));
            assert_eq!(signature[needed..], [0xa5; 20]);
        }
    }
}

#[test]
fn digests_of_another_length_are_a_misuse_and_whole_messages_are_whole() {
    for entry in served() {
        let (public, private) = (entry.public(), entry.private());
        for scheme in schemes_of(&private) {
            let expected = match scheme {
                Scheme::Ed25519 | Scheme::MlDsa { .. } => Error::Unsupported,
                _ => Error::Misuse(Misuse::DigestLength),
            };
            for len in [0, 19, 31, 33, 64] {
                let digested = vec![7; len];
                let message = Message::Digest(&digested);
                assert_eq!(
                    sign(&private, &scheme, message, &mut [0; 5_000]),
                    Err(expected)
                );
                assert_eq!(verify(&public, &scheme, message, &[0; 64]), Err(expected));
            }
        }
    }
}

/// The digests that OpenSSL refuses too, and extendable-output functions.
#[test]
fn digests_that_a_scheme_does_not_have() {
    let rsa = named("Rsa2048");
    let ec = named("P256");
    for digest in Algorithm::ALL {
        let has_length = digest.output_len_bytes().is_some();
        let rsa_has =
            has_length && !matches!(digest, Algorithm::Blake2b512 | Algorithm::Blake2s256);
        let salt_len = SaltLength::Digest;
        let cases = [
            (&rsa, Scheme::RsaPkcs1v15 { digest }, rsa_has),
            (
                &rsa,
                Scheme::RsaPss {
                    digest,
                    mgf1_digest: Algorithm::Sha1,
                    salt_len,
                },
                rsa_has,
            ),
            (
                &rsa,
                Scheme::RsaPss {
                    digest: Algorithm::Sha1,
                    mgf1_digest: digest,
                    salt_len,
                },
                rsa_has,
            ),
            (
                &ec,
                Scheme::Ecdsa {
                    digest,
                    encoding: EcdsaEncoding::Der,
                },
                has_length,
            ),
        ];
        for (entry, scheme, has) in cases {
            let made = sign(
                &entry.private(),
                &scheme,
                Message::Whole(b"m"),
                &mut [0; 256],
            );
            let checked = verify(&entry.public(), &scheme, Message::Whole(b"m"), &[1; 256]);
            if has {
                made.unwrap();
                assert_eq!(checked, Err(Error::Failed), "{scheme:?}");
            } else {
                assert_eq!(made, Err(Error::Unsupported), "{scheme:?}");
                assert_eq!(checked, Err(Error::Unsupported), "{scheme:?}");
            }
        }
    }
}

/// RFC 8017, sections 9.2 and 9.1.1, step 3 each.
#[test]
fn rsa_keys_without_room() {
    let message = Message::Whole(b"message");
    let short = named("Rsa512");
    for (digest, fits) in [(Algorithm::Sha256, true), (Algorithm::Sha384, false)] {
        // 19 + 48 + 11 > 64.
        let scheme = Scheme::RsaPkcs1v15 { digest };
        let made = sign(&short.private(), &scheme, message, &mut [0; 64]);
        assert_eq!(
            made,
            if fits {
                Ok(64)
            } else {
                Err(Error::Unsupported)
            }
        );
        assert_eq!(
            verify(&short.public(), &scheme, message, &[1; 64]),
            Err(Error::Failed)
        );
    }
    // Of a modulus of 1,031 bits, the encoded message has 129 bytes of 8 bits, 129 - 32 - 2 = 95 of
    // them for the salt; of one of 1,024 bits it has 128.
    for (name, longest) in [("Rsa1024", 94), ("Rsa1031", 95), ("Rsa512", 30)] {
        let entry = named(name);
        let (public, private) = (entry.public(), entry.private());
        let pss = |salt_len| Scheme::RsaPss {
            digest: Algorithm::Sha256,
            mgf1_digest: Algorithm::Sha256,
            salt_len,
        };
        let auto = signed(&private, &pss(SaltLength::Auto), message);
        for len in [0, 1, longest - 1, longest, longest + 1, 1_000, usize::MAX] {
            let scheme = pss(SaltLength::Bytes(len));
            let found = verify(&public, &scheme, message, &auto);
            assert_eq!(found.is_ok(), len == longest, "{name}: {len}");
            let made = sign(&private, &scheme, message, &mut [0; 129]);
            if len > longest {
                assert_eq!(made, Err(Error::Unsupported), "{name}: {len}");
            } else {
                let signature = signed(&private, &scheme, message);
                let auto = pss(SaltLength::Auto);
                assert_eq!(verify(&public, &auto, message, &signature), Ok(()));
            }
        }
    }
}

/// A key that prescribes digests and the least salt is used with those, and refused with others
/// before anything is computed: another implementation has its own errors for that.
#[test]
fn keys_that_prescribe_pss() {
    use Algorithm::{Sha1, Sha256, Sha512};
    let entry = named("RsaPssRestricted");
    let (public, private) = (entry.public(), entry.private());
    let message = Message::Whole(b"message");
    let pss = |digest, mgf1_digest, salt_len| Scheme::RsaPss {
        digest,
        mgf1_digest,
        salt_len,
    };
    for salt_len in [
        SaltLength::Digest,
        SaltLength::Bytes(32),
        SaltLength::Bytes(40),
    ] {
        let scheme = pss(Sha256, Sha256, salt_len);
        assert!(private.permits(&scheme) && public.permits(&scheme));
        let mut signature = signed(&private, &scheme, message);
        for key in [&public, &private.public_key().unwrap()] {
            assert_eq!(verify(key, &scheme, message, &signature), Ok(()));
        }
        signature[0] ^= 1;
        let found = verify(&public, &scheme, message, &signature);
        assert_eq!(found, Err(Error::Failed));
    }
    let mut signature = vec![0; private.signature_len_bytes()];
    for (digest, mgf1_digest, salt_len) in [
        (Sha256, Sha256, SaltLength::Bytes(31)),
        (Sha256, Sha256, SaltLength::Bytes(0)),
        (Sha256, Sha256, SaltLength::Auto),
        (Sha512, Sha512, SaltLength::Bytes(32)),
        (Sha256, Sha1, SaltLength::Bytes(32)),
        (Sha1, Sha256, SaltLength::Bytes(32)),
    ] {
        let scheme = pss(digest, mgf1_digest, salt_len);
        assert!(!private.permits(&scheme) && !public.permits(&scheme));
        let found = sign(&private, &scheme, message, &mut signature);
        assert_eq!(found, Err(Error::Unsupported), "{scheme:?}");
        for key in [&public, &private.public_key().unwrap()] {
            let found = verify(key, &scheme, message, &signature);
            assert_eq!(found, Err(Error::Unsupported), "{scheme:?}");
        }
    }
    // What is no signature by RSA with PSS at all is a matter of the kind.
    let misuse = Err(Error::Misuse(Misuse::KeyKind));
    assert_eq!(
        verify(&public, &Scheme::Ed25519, message, &signature),
        misuse
    );
}

/// A key for PSS alone signs as the same numbers without that restriction do, and does nothing else.
#[test]
fn keys_for_pss_alone() {
    let entry = named("RsaPss");
    let (public, private) = (entry.public(), entry.private());
    let message = Message::Whole(b"message");
    for salt_len in [SaltLength::Auto, SaltLength::Digest, SaltLength::Bytes(20)] {
        let scheme = Scheme::RsaPss {
            digest: Algorithm::Sha256,
            mgf1_digest: Algorithm::Sha256,
            salt_len,
        };
        let mut signature = signed(&private, &scheme, message);
        for key in [&public, &private.public_key().unwrap()] {
            assert_eq!(verify(key, &scheme, message, &signature), Ok(()));
        }
        signature[0] ^= 1;
        let found = verify(&public, &scheme, message, &signature);
        assert_eq!(found, Err(Error::Failed));
    }
    let scheme = Scheme::RsaPkcs1v15 {
        digest: Algorithm::Sha256,
    };
    let mut signature = vec![0; private.signature_len_bytes()];
    let misuse = Error::Misuse(Misuse::KeyKind);
    assert_eq!(
        sign(&private, &scheme, message, &mut signature),
        Err(misuse)
    );
    assert_eq!(verify(&public, &scheme, message, &signature), Err(misuse));
}

#[test]
fn context_strings() {
    let entry = named("MlDsa44");
    let (public, private) = (entry.public(), entry.private());
    let message = Message::Whole(b"message");
    let long = [1; 256];
    let signature = signed(
        &private,
        &Scheme::MlDsa {
            context: &long[..255],
        },
        message,
    );
    for len in [0, 1, 254] {
        let other = Scheme::MlDsa {
            context: &long[..len],
        };
        assert_eq!(
            verify(&public, &other, message, &signature),
            Err(Error::Failed)
        );
    }
    let refused = Error::Misuse(Misuse::ContextLength);
    let scheme = Scheme::MlDsa { context: &long };
    assert_eq!(
        sign(&private, &scheme, message, &mut [0; 2_420]),
        Err(refused)
    );
    assert_eq!(verify(&public, &scheme, message, &signature), Err(refused));
}

/// What OpenSSL refuses because it would have written it otherwise (X.690, section 10.1).
#[test]
fn ecdsa_in_anything_but_der_fails() {
    for name in ["P256", "P384", "P521", "Secp256k1"] {
        let entry = named(name);
        let (public, private) = (entry.public(), entry.private());
        let KeyKind::Ec(curve) = public.kind() else {
            panic!()
        };
        let len = curve.coordinate_len_bytes();
        let message = Message::Whole(b"message");
        let scheme = |encoding| Scheme::Ecdsa {
            digest: Algorithm::Sha256,
            encoding,
        };
        let (der, p1363) = (scheme(EcdsaEncoding::Der), scheme(EcdsaEncoding::P1363));
        let flat = signed(&private, &p1363, message);
        let (r, s) = flat.split_at(len);
        let right = keys::sequence(&[keys::integer(r), keys::integer(s)]);
        assert_eq!(verify(&public, &der, message, &right), Ok(()));
        let padded = |number: &[u8]| keys::der(2, &[&[0], &keys::integer(number)[2..]].concat());
        let negative = |number: &[u8]| keys::der(2, &[&[0x80], &number[1..]].concat());
        let order_more = {
            let mut number = vec![0xff; len];
            number.extend([0; 3]);
            number
        };
        for wrong in [
            keys::sequence(&[padded(r), keys::integer(s)]),
            keys::sequence(&[keys::integer(r), padded(s)]),
            keys::sequence(&[negative(r), keys::integer(s)]),
            keys::sequence(&[keys::integer(r), keys::integer(s), keys::integer(s)]),
            keys::sequence(&[keys::integer(r)]),
            keys::sequence(&[keys::integer(&[]), keys::integer(s)]),
            keys::sequence(&[keys::integer(r), keys::integer(&[])]),
            keys::sequence(&[keys::integer(&order_more), keys::integer(s)]),
            keys::sequence(&[keys::der(2, &[]), keys::integer(s)]),
            keys::sequence(&[]),
            [&right[..], &[0]].concat(),
            // The length in a longer form.
            [&[0x30, 0x82, 0, right.len() as u8 - 2], &right[2..]].concat(),
            [&[0x30, 0x80], &right[2..], &[0, 0]].concat(),
            [&[0x31], &right[1..]].concat(),
            flat.clone(),
            vec![],
        ] {
            assert_eq!(
                verify(&public, &der, message, &wrong),
                Err(Error::Failed),
                "{wrong:x?}"
            );
        }
        // Both encodings refuse numbers out of range.
        for number in [vec![0; len], vec![0xff; len]] {
            for wrong in [[r, &number].concat(), [&number, s].concat()] {
                assert_eq!(verify(&public, &p1363, message, &wrong), Err(Error::Failed));
                let (r, s) = wrong.split_at(len);
                let wrong = keys::sequence(&[keys::integer(r), keys::integer(s)]);
                assert_eq!(verify(&public, &der, message, &wrong), Err(Error::Failed));
            }
        }
        for len in [0, 1, len, 2 * len - 1, 2 * len + 1, 2 * len + 2] {
            let mut wrong = flat.clone();
            wrong.resize(len, 0);
            assert_eq!(verify(&public, &p1363, message, &wrong), Err(Error::Failed));
        }
        // An even number of bytes in front of each number, as OpenSSL would never write.
        let spread = [&[0][..], r, &[0], s].concat();
        assert_eq!(
            verify(&public, &p1363, message, &spread),
            Err(Error::Failed)
        );
    }
}

/// RFC 6979, appendix A.2.5 and A.2.6: verified, as signing here is not deterministic.
#[test]
fn ecdsa_of_rfc6979() {
    let p256 = keys::spki(
        keys::EC_OID,
        &keys::der(6, &unhex("2a8648ce3d030107")),
        &unhex(concat!(
            "0460FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6",
            "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299",
        )),
    );
    let key = PublicKey::from_spki_der(&p256).unwrap();
    for (digest, signature) in [
        (
            Algorithm::Sha1,
            concat!(
                "61340C88C3AAEBEB4F6D667F672CA9759A6CCAA9FA8811313039EE4A35471D32",
                "6D7F147DAC089441BB2E2FE8F7A3FA264B9C475098FDCF6E00D7C996E1B8B7EB",
            ),
        ),
        (
            Algorithm::Sha512,
            concat!(
                "8496A60B5E9B47C825488827E0495B0E3FA109EC4568FD3F8D1097678EB97F00",
                "2362AB1ADBE2B8ADF9CB9EDAB740EA6049C028114F2460F96554F61FAE3302FE",
            ),
        ),
    ] {
        let scheme = Scheme::Ecdsa {
            digest,
            encoding: EcdsaEncoding::P1363,
        };
        assert_only_right(&key, &scheme, b"sample", &unhex(signature));
    }
}

/// RFC 8032, section 7.1, tests 1 to 3.
#[test]
fn ed25519_of_rfc8032() {
    for (seed, public, message, signature) in [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            concat!(
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155",
                "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
            ),
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            concat!(
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da",
                "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
            ),
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            concat!(
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac",
                "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
            ),
        ),
    ] {
        let seed = keys::der(4, &unhex(seed));
        let private = PrivateKey::from_pkcs8_der(&keys::pkcs8("2b6570", &[], &seed)).unwrap();
        let spki = keys::spki("2b6570", &[], &unhex(public));
        let public = PublicKey::from_spki_der(&spki).unwrap();
        let (message, signature) = (unhex(message), unhex(signature));
        let made = signed(&private, &Scheme::Ed25519, Message::Whole(&message));
        assert_eq!(made, signature);
        assert_only_right(&public, &Scheme::Ed25519, &message, &signature);
        let public = private.public_key().unwrap();
        assert_only_right(&public, &Scheme::Ed25519, &message, &signature);
    }
}

#[test]
fn one_key_serves_many_threads_at_once() {
    for entry in served() {
        let (public, private) = (entry.public(), entry.private());
        for scheme in schemes_of(&private) {
            std::thread::scope(|scope| {
                for thread in 0..3_u8 {
                    let (public, private, scheme) = (&public, &private, &scheme);
                    scope.spawn(move || {
                        for round in 0..10 {
                            let message = [thread, round];
                            let message = Message::Whole(&message);
                            let signature = signed(private, scheme, message);
                            assert_eq!(verify(public, scheme, message, &signature), Ok(()));
                        }
                    });
                }
            });
        }
    }
}

/// Signatures in DER are as long as their numbers: over many of them all lengths turn up that a
/// byte more or less makes, and none is longer than the key says.
#[test]
fn der_signatures_vary_in_length() {
    let entry = named("P256");
    let (public, private) = (entry.public(), entry.private());
    assert_eq!(private.kind(), KeyKind::Ec(Curve::P256));
    let scheme = Scheme::Ecdsa {
        digest: Algorithm::Sha256,
        encoding: EcdsaEncoding::Der,
    };
    let mut lengths = std::collections::BTreeSet::new();
    for round in 0..2_000_u16 {
        let message = round.to_be_bytes();
        let signature = signed(&private, &scheme, Message::Whole(&message));
        lengths.insert(signature.len());
        if signature.len() < 70 {
            let whole = Message::Whole(&message);
            assert_eq!(verify(&public, &scheme, whole, &signature), Ok(()));
        }
    }
    assert_eq!(lengths.last(), Some(&private.signature_len_bytes()));
    assert!(lengths.range(..70).next().is_some(), "{lengths:?}");
}

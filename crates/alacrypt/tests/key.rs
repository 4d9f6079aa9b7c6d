//! Keys: OpenSSL's are read, what is not served is told apart from what is malformed, and nothing
//! that anyone may send makes the parser panic or wait.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::time::{Duration, Instant};

use alacrypt::Error;
use alacrypt::agree::shared_secret;
use alacrypt::digest::Algorithm;
use alacrypt::kem;
use alacrypt::key::{KeyKind, PrivateKey, PublicKey};
use alacrypt::sign::{EcdsaEncoding, Message, SaltLength, Scheme, sign, verify};
use common::keys::{
    EC_OID, NULL, RSA_OID, algorithm, bit_string, der, entries, integer, named, pkcs8, rsa_spki,
    sequence, served, spki,
};
use common::unhex;
use proptest::prelude::*;

fn public_error(der: &[u8]) -> Option<Error> {
    PublicKey::from_spki_der(der).err()
}

fn private_error(der: &[u8]) -> Option<Error> {
    PrivateKey::from_pkcs8_der(der).err()
}

#[test]
fn openssl_keys() {
    let (mut served, mut unsupported) = (0, 0);
    for entry in entries() {
        if entry.kind == "Unsupported" {
            unsupported += 1;
            assert_eq!(
                public_error(&entry.spki),
                Some(Error::Unsupported),
                "{}",
                entry.name
            );
            assert_eq!(
                private_error(&entry.pkcs8),
                Some(Error::Unsupported),
                "{}",
                entry.name
            );
            continue;
        }
        served += 1;
        let (public, private) = (entry.public(), entry.private());
        for kind in [
            public.kind(),
            private.kind(),
            private.public_key().unwrap().kind(),
        ] {
            assert_eq!(format!("{kind:?}"), entry.kind);
        }
        let bits = match entry.name.as_str() {
            "Rsa512" => Some(512),
            "Rsa1024" | "RsaPss" | "RsaPssRestricted" => Some(1_024),
            "Rsa1031" => Some(1_031),
            "Rsa2048" | "Rsa2048Exponent3" => Some(2_048),
            "P256" | "Secp256k1" => Some(256),
            "P384" => Some(384),
            "P521" => Some(521),
            _ => None,
        };
        assert_eq!((public.bits(), private.bits()), (bits, bits));
        let signature_len = match entry.name.as_str() {
            "P256" | "Secp256k1" => 72,
            "P384" => 104,
            "P521" => 139,
            "Ed25519" => 64,
            "MlDsa44" => 2_420,
            "MlDsa65" => 3_309,
            "MlDsa87" => 4_627,
            _ => bits.map_or(0, |bits| bits.div_ceil(8)),
        };
        assert_eq!(public.signature_len_bytes(), signature_len);
        assert_eq!(private.signature_len_bytes(), signature_len);
    }
    assert_eq!((served, unsupported), (19, 9));
}

#[test]
fn debug_tells_the_kind_only() {
    let entry = named("Ed25519");
    assert_eq!(
        format!("{:?}", entry.public()),
        "PublicKey { kind: Ed25519, .. }"
    );
    assert_eq!(
        format!("{:?}", entry.private()),
        "PrivateKey { kind: Ed25519, .. }"
    );
}

#[test]
fn what_follows_or_lacks_is_rejected() {
    for entry in served() {
        for len in 0..entry.spki.len().min(80) {
            assert_eq!(public_error(&entry.spki[..len]), Some(Error::Rejected));
        }
        for len in 0..entry.pkcs8.len().min(80) {
            assert_eq!(private_error(&entry.pkcs8[..len]), Some(Error::Rejected));
        }
        let more = |der: &[u8]| [der, &[0]].concat();
        assert_eq!(public_error(&more(&entry.spki)), Some(Error::Rejected));
        assert_eq!(private_error(&more(&entry.pkcs8)), Some(Error::Rejected));
        // One form for the other.
        assert_eq!(private_error(&entry.spki), Some(Error::Rejected));
        assert_eq!(public_error(&entry.pkcs8), Some(Error::Rejected));
    }
}

/// Values behind the last one inside, at each level.
#[test]
fn values_too_many_are_rejected() {
    let point = [&[9][..], &[0; 31]].concat();
    let x25519 = "2b656e";
    let right = sequence(&[algorithm(x25519, &[]), bit_string(&point)]);
    assert_eq!(public_error(&right), None);
    for wrong in [
        sequence(&[algorithm(x25519, &[]), bit_string(&point), NULL.to_vec()]),
        sequence(&[
            algorithm(x25519, &[]),
            bit_string(&[&point[..], &[0]].concat()),
        ]),
        sequence(&[algorithm(x25519, &[]), bit_string(&point[1..])]),
        sequence(&[algorithm(x25519, &[]), der(3, &[&[1], &point[..]].concat())]),
        sequence(&[algorithm(x25519, &[]), der(3, &[])]),
        sequence(&[algorithm(x25519, &[]), der(4, &point)]),
        sequence(&[bit_string(&point)]),
        sequence(&[]),
    ] {
        assert_eq!(public_error(&wrong), Some(Error::Rejected), "{wrong:x?}");
    }
    // Parameters where there are none, and none where there are some: another algorithm.
    for other in [
        sequence(&[algorithm(x25519, &NULL), bit_string(&point)]),
        rsa_with_parameters(&[]),
        rsa_with_parameters(&der(6, &unhex(RSA_OID))),
        rsa_with_parameters(&sequence(&[])),
    ] {
        assert_eq!(public_error(&other), Some(Error::Unsupported), "{other:x?}");
    }
    for wrong in [&[5, 1, 0][..], &[5, 0, 5, 0]] {
        assert_eq!(
            public_error(&rsa_with_parameters(wrong)),
            Some(Error::Rejected)
        );
    }
}

fn rsa_with_parameters(parameters: &[u8]) -> Vec<u8> {
    let key = sequence(&[integer(&[0xc1; 128]), integer(&[3])]);
    spki(RSA_OID, parameters, &key)
}

/// The eight points whose order divides 8, both signs of the first coordinate where they are two
/// points; the others of RFC 8032, section 5.1.3, that name none.
#[test]
fn ed25519_keys_of_small_order_or_not_reduced() {
    let small_order = [
        // Order 1, 2, 4, 4.
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        // Order 8.
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    ];
    let not_reduced = (0..19_u8).flat_map(|above| {
        [0x7f, 0xff].map(|last| {
            let mut point = [0xff; 32];
            point[0] = 0xed + above;
            point[31] = last;
            point.to_vec()
        })
    });
    let negative_zero = [
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ];
    let all: Vec<_> = small_order
        .into_iter()
        .chain(negative_zero)
        .map(unhex)
        .chain(not_reduced)
        .collect();
    assert_eq!(all.len(), 8 + 2 + 2 * 19);
    for point in all {
        let found = public_error(&spki("2b6570", &[], &point));
        assert_eq!(found, Some(Error::Unsupported), "{point:x?}");
    }
    // The largest reduced coordinate but that of the point of order 2.
    let mut point = [0xff; 32];
    (point[0], point[31]) = (0xeb, 0x7f);
    assert_eq!(public_error(&spki("2b6570", &[], &point)), None);
    for len in [0, 31, 33, 57] {
        assert_eq!(
            public_error(&spki("2b6570", &[], &vec![9; len])),
            Some(Error::Rejected)
        );
    }
}

#[test]
fn rsa_numbers_out_of_range() {
    let n = [0xc1; 128];
    assert_eq!(public_error(&rsa_spki(&n, &[3])), None);
    assert_eq!(
        public_error(&rsa_spki(&n, &[1, 0xff, 0xff, 0xff, 0xff])),
        None
    );
    let even = [&n[..127], &[0xc0]].concat();
    for (n, e) in [
        (&[][..], &[3][..]),
        (&[1], &[3]),
        (&[15], &[3]),
        (&n[..63], &[3]),
        (&even, &[3]),
        (&n, &[]),
        (&n, &[1]),
        (&n, &[2]),
        (&n, &[2, 0, 0, 0, 1]),
        (&n, &[0xff; 8]),
        (&n, &[0xff; 127]),
        (&n, &[0xff; 4_096]),
        (&[0xff; 2_049], &[3]),
        (&[0xff; 65_536], &[3]),
        (&[0xff; 1_000_000], &[0xff; 1_000_000]),
    ] {
        let found = public_error(&rsa_spki(n, e));
        assert_eq!(found, Some(Error::Unsupported), "{} and {e:x?}", n.len());
    }
    assert_eq!(
        PublicKey::from_spki_der(&rsa_spki(&[0xff; 2_048], &[3]))
            .unwrap()
            .bits(),
        Some(16_384)
    );
    // Negative, padded and empty integers.
    for wrong in [
        der(2, &[0x80; 128]),
        der(2, &[&[0], &[0x7f; 127][..]].concat()),
        der(2, &[]),
    ] {
        let key = sequence(&[wrong, integer(&[3])]);
        assert_eq!(
            public_error(&spki(RSA_OID, &NULL, &key)),
            Some(Error::Rejected)
        );
    }
}

/// The integers of an `RSAPrivateKey`, the version first.
fn rsa_integers(name: &str) -> Vec<Vec<u8>> {
    let pkcs8 = named(name).pkcs8;
    let contents = |der: &[u8]| {
        let header = match der[1] {
            0..=0x7f => 2,
            more => 2 + usize::from(more & 0x7f),
        };
        let len = match der[1] {
            len @ 0..=0x7f => usize::from(len),
            _ => der[2..header]
                .iter()
                .fold(0, |len, byte| len << 8 | usize::from(*byte)),
        };
        (
            der[header..header + len].to_vec(),
            der[header + len..].to_vec(),
        )
    };
    let (info, _) = contents(&pkcs8);
    let (_, rest) = contents(&info);
    let (_, rest) = contents(&rest);
    let (octets, _) = contents(&rest);
    let (mut rest, _) = contents(&octets);
    let mut integers = Vec::new();
    while !rest.is_empty() {
        let (integer, after) = contents(&rest);
        integers.push(integer);
        rest = after;
    }
    assert_eq!(integers.len(), 9);
    integers
}

fn rsa_private(integers: &[Vec<u8>]) -> Vec<u8> {
    let values: Vec<_> = integers.iter().map(|number| integer(number)).collect();
    pkcs8(RSA_OID, &NULL, &sequence(&values))
}

/// A private key with one wrong number never makes a signature: it is refused at once, or when
/// AWS-LC checks the result.
#[test]
fn rsa_numbers_that_do_not_belong_together() {
    let right = rsa_integers("Rsa1024");
    let scheme = Scheme::RsaPkcs1v15 {
        digest: Algorithm::Sha256,
    };
    let sign = |der: &[u8]| {
        let key = PrivateKey::from_pkcs8_der(der)?;
        sign(&key, &scheme, Message::Whole(b"message"), &mut [0; 128])
    };
    assert_eq!(sign(&rsa_private(&right)), Ok(128));
    let (mut at_import, mut at_use) = (0, 0);
    for position in 1..9 {
        let number = &right[position];
        let mut changes = vec![
            vec![],
            vec![1],
            vec![2],
            vec![3],
            number[..number.len() - 1].to_vec(),
            [&number[..], &[1]].concat(),
            vec![0xff; 64],
            vec![0xff; 128],
            vec![0xff; 2_048],
            vec![0xff; 20_000],
            right[1].clone(),
            right[4].clone(),
            right[5].clone(),
        ];
        for bit in [0, 1, 2, 9, 8 * number.len() - 12] {
            let mut changed = number.clone();
            let at = changed.len() - 1 - bit / 8;
            changed[at] ^= 1 << (bit % 8);
            changes.push(changed);
        }
        changes.retain(|changed| {
            let digits = |number: &[u8]| -> Vec<u8> {
                number
                    .iter()
                    .copied()
                    .skip_while(|byte| *byte == 0)
                    .collect()
            };
            digits(changed) != digits(number)
        });
        for changed in changes {
            let mut integers = right.clone();
            integers[position] = changed;
            let der = rsa_private(&integers);
            let start = Instant::now();
            match sign(&der) {
                Err(Error::Unsupported) => at_import += 1,
                Err(Error::Backend) => at_use += 1,
                // The private exponent is not used where there are primes (RFC 8017, 5.2.1), and
                // the public one of the right kind is caught as any other.
                Ok(_) if position == 3 => {}
                other => panic!("integer {position}: {other:?}"),
            }
            assert!(
                start.elapsed() < Duration::from_secs(1),
                "integer {position}"
            );
        }
    }
    assert!(at_import > 60 && at_use > 10, "{at_import}, {at_use}");
    // Versions: several primes, and none that there is.
    for (version, error) in [
        (1, Error::Unsupported),
        (2, Error::Rejected),
        (0x7f, Error::Rejected),
    ] {
        let mut integers = right.clone();
        integers[0] = vec![version];
        assert_eq!(private_error(&rsa_private(&integers)), Some(error));
    }
    for count in 0..9 {
        assert_eq!(
            private_error(&rsa_private(&right[..count])),
            Some(Error::Rejected)
        );
    }
    let more = [&right[..], &[vec![1]]].concat();
    assert_eq!(private_error(&rsa_private(&more)), Some(Error::Rejected));
}

/// A key whose numbers are wrong leaves nothing behind that changes the next call.
#[test]
fn a_failed_signature_does_not_disturb_the_next() {
    let mut integers = rsa_integers("Rsa1024");
    let last = integers[6].len() - 1;
    integers[6][last] ^= 2;
    let wrong = PrivateKey::from_pkcs8_der(&rsa_private(&integers)).unwrap();
    let right = named("Rsa1024");
    let scheme = Scheme::RsaPkcs1v15 {
        digest: Algorithm::Sha256,
    };
    let message = Message::Whole(b"message");
    for _ in 0..3 {
        let mut signature = [0; 128];
        assert_eq!(
            sign(&wrong, &scheme, message, &mut signature),
            Err(Error::Backend)
        );
        assert_eq!(
            sign(&right.private(), &scheme, message, &mut signature),
            Ok(128)
        );
        assert_eq!(
            verify(&right.public(), &scheme, message, &signature),
            Ok(())
        );
    }
}

const CURVES: [(&str, &str, usize); 4] = [
    ("P256", "2a8648ce3d030107", 32),
    ("P384", "2b81040022", 48),
    ("P521", "2b81040023", 66),
    ("Secp256k1", "2b8104000a", 32),
];

#[test]
fn points_in_every_form() {
    for (name, oid, len) in CURVES {
        let entry = named(name);
        let parameters = der(6, &unhex(oid));
        let point = &entry.spki[entry.spki.len() - 2 * len..];
        let (x, y) = point.split_at(len);
        let sign = 2 + (y[len - 1] & 1);
        let key = |raw: &[u8]| PublicKey::from_spki_der(&spki(EC_OID, &parameters, raw));
        let compressed = key(&[&[sign], x].concat()).unwrap();
        let uncompressed = key(&[&[4], point].concat()).unwrap();
        let other = key(&[&[sign ^ 1], x].concat()).unwrap();
        let scheme = Scheme::Ecdsa {
            digest: Algorithm::Sha256,
            encoding: EcdsaEncoding::P1363,
        };
        let mut signature = vec![0; entry.private().signature_len_bytes()];
        let message = Message::Whole(b"message");
        let made = alacrypt::sign::sign(&entry.private(), &scheme, message, &mut signature);
        let signature = &signature[..made.unwrap()];
        assert_eq!(verify(&compressed, &scheme, message, signature), Ok(()));
        assert_eq!(verify(&uncompressed, &scheme, message, signature), Ok(()));
        assert_eq!(
            verify(&other, &scheme, message, signature),
            Err(Error::Failed)
        );

        let hybrid = key(&[&[sign + 4], point].concat());
        assert_eq!(hybrid.err(), Some(Error::Unsupported));
        let mut off_curve = [&[4], point].concat();
        off_curve[2 * len] ^= 1;
        let above = vec![0xff; len];
        for wrong in [
            &off_curve[..],
            &off_curve[..2 * len],
            &[&[4], point, &[0]].concat(),
            &[&[4], &above[..], y].concat(),
            &[&[2], &above[..]].concat(),
            &[&[4], &vec![0; 2 * len][..]].concat(),
            &[0],
            &[],
            &[4],
            &[2],
            &[&[1], x].concat(),
            &[&[5], point].concat(),
        ] {
            assert_eq!(
                key(wrong).err(),
                Some(Error::Rejected),
                "{name}: {wrong:x?}"
            );
        }
    }
    // No curve at all, and none by that name.
    for parameters in [vec![], NULL.to_vec(), der(6, &[]), der(6, &[0x2a; 4_000])] {
        let found = public_error(&spki(EC_OID, &parameters, &[4; 65]));
        assert_eq!(found, Some(Error::Unsupported));
    }
}

/// RFC 5915, section 3: with and without the curve and the point again, and numbers in every form.
#[test]
fn ec_private_keys_in_every_form() {
    for (name, oid, len) in CURVES {
        let entry = named(name);
        let parameters = der(6, &unhex(oid));
        let point = [&[4], &entry.spki[entry.spki.len() - 2 * len..]].concat();
        let with = |scalar: &[u8], optional: &[Vec<u8>]| {
            let key = [&[integer(&[1]), der(4, scalar)], optional].concat();
            PrivateKey::from_pkcs8_der(&pkcs8(EC_OID, &parameters, &sequence(&key)))
        };
        // The one octet string of the number's length.
        let start = entry
            .pkcs8
            .windows(2)
            .position(|pair| pair == [4, len as u8])
            .unwrap()
            + 2;
        let scalar = &entry.pkcs8[start..start + len];
        let curve = der(0xa0, &parameters);
        let public = der(0xa1, &bit_string(&point));
        let scheme = Scheme::Ecdsa {
            digest: Algorithm::Sha256,
            encoding: EcdsaEncoding::P1363,
        };
        let message = Message::Whole(b"message");
        let longer = [&[0; 5], scalar].concat();
        for (scalar, optional) in [
            (scalar, vec![]),
            (scalar, vec![curve.clone()]),
            (scalar, vec![public.clone()]),
            (scalar, vec![curve.clone(), public.clone()]),
            (&longer, vec![]),
        ] {
            let key = with(scalar, &optional).unwrap();
            let mut signature = vec![0; key.signature_len_bytes()];
            let made = sign(&key, &scheme, message, &mut signature).unwrap();
            let signature = &signature[..made];
            assert_eq!(verify(&entry.public(), &scheme, message, signature), Ok(()));
            let public = key.public_key().unwrap();
            assert_eq!(verify(&public, &scheme, message, signature), Ok(()));
        }
        // A small number, written with and without its leading zeros.
        let mut padded = vec![0; len];
        padded[len - 1] = 5;
        let public_of = |scalar: &[u8]| with(scalar, &[]).unwrap().public_key().unwrap();
        let secret = |public: &PublicKey| {
            let mut secret = vec![0; len];
            shared_secret(&entry.private(), public, &mut secret).unwrap();
            secret
        };
        assert_eq!(secret(&public_of(&[5])), secret(&public_of(&padded)));

        let another_curve = der(0xa0, &der(6, &unhex("2b81040021")));
        for (scalar, optional) in [
            (&[][..], vec![]),
            (&[0; 32], vec![]),
            (&vec![0xff; len], vec![]),
            (&vec![0xff; 3 * len], vec![]),
            (scalar, vec![another_curve]),
            (scalar, vec![public.clone(), curve.clone()]),
            (scalar, vec![public.clone(), public.clone()]),
            (scalar, vec![NULL.to_vec()]),
            (scalar, vec![der(0xa1, &bit_string(&point[1..]))]),
            (scalar, vec![der(0xa1, &der(4, &point))]),
        ] {
            let found = with(scalar, &optional).err();
            assert_eq!(
                found,
                Some(Error::Rejected),
                "{name}: {scalar:x?} {optional:x?}"
            );
        }
        let explicit = vec![der(0xa0, &sequence(&[]))];
        assert_eq!(with(scalar, &explicit).err(), Some(Error::Unsupported));
    }
}

/// RFC 9881 and RFC 9935, section 6 each.
#[test]
fn post_quantum_private_keys_in_every_form() {
    for (name, oid, seed_len, expanded_len) in [
        ("MlDsa44", "608648016503040311", 32, 2_560),
        ("MlDsa65", "608648016503040312", 32, 4_032),
        ("MlDsa87", "608648016503040313", 32, 4_896),
        ("MlKem512", "608648016503040401", 64, 1_632),
        ("MlKem768", "608648016503040402", 64, 2_400),
        ("MlKem1024", "608648016503040403", 64, 3_168),
    ] {
        let entry = named(name);
        let read = |raw: &[u8]| PrivateKey::from_pkcs8_der(&pkcs8(oid, &[], raw));
        // Node exports the seed.
        let seed = &entry.pkcs8[entry.pkcs8.len() - seed_len..];
        assert_eq!(entry.pkcs8, pkcs8(oid, &[], &der(0x80, seed)));
        for wrong in [
            der(0x80, &seed[1..]),
            der(0x80, &[seed, &[0]].concat()),
            der(0x80, &vec![0; expanded_len]),
            der(4, seed),
            der(4, &vec![0; expanded_len - 1]),
            der(4, &vec![0; expanded_len + 1]),
            sequence(&[der(4, seed)]),
            sequence(&[der(4, seed), der(4, &vec![0; expanded_len])]),
            sequence(&[der(4, seed), der(4, &[])]),
            sequence(&[der(4, seed), der(4, &[]), der(4, &[])]),
            [der(0x80, seed), vec![0]].concat(),
            seed.to_vec(),
            vec![],
        ] {
            assert_eq!(
                read(&wrong).err(),
                Some(Error::Rejected),
                "{name}: {wrong:x?}"
            );
        }
        for len in [0, 1, 1_311, 1_313, 5_000] {
            let found = public_error(&spki(oid, &[], &vec![1; len]));
            assert_eq!(found, Some(Error::Rejected), "{name}, {len} bytes");
        }
    }
}

/// RFC 5958, section 2: attributes, version 2 with a public key, and no such version.
#[test]
fn private_keys_with_more_beside() {
    let raw = der(4, &[7; 32]);
    let info = |version: &[u8], more: &[Vec<u8>]| {
        let values = [integer(version), algorithm("2b656e", &[]), der(4, &raw)];
        private_error(&sequence(&[&values, more].concat()))
    };
    assert_eq!(info(&[], &[]), None);
    assert_eq!(info(&[], &[der(0xa0, &[])]), Some(Error::Unsupported));
    assert_eq!(info(&[1], &[]), Some(Error::Unsupported));
    assert_eq!(info(&[1], &[der(0x81, &[0; 33])]), Some(Error::Unsupported));
    assert_eq!(info(&[9; 400], &[]), Some(Error::Unsupported));
    for wrong in [&[4, 31][..], &[4, 33], &[4, 0x81, 32], &[3, 32]] {
        let raw = [wrong, &[0; 32]].concat();
        assert_eq!(
            private_error(&pkcs8("2b656e", &[], &raw)),
            Some(Error::Rejected)
        );
    }
}

/// Everything that a key can be used for, so that a strange one shows what it does.
fn use_public(key: &PublicKey) {
    let digest = Algorithm::Sha256;
    let encoding = EcdsaEncoding::Der;
    let message = Message::Whole(b"message");
    let signature = vec![1; key.signature_len_bytes()];
    for scheme in [
        Scheme::RsaPkcs1v15 { digest },
        Scheme::RsaPss {
            digest,
            mgf1_digest: digest,
            salt_len: SaltLength::Auto,
        },
        Scheme::Ecdsa { digest, encoding },
        Scheme::Ed25519,
        Scheme::MlDsa { context: b"" },
    ] {
        assert!(verify(key, &scheme, message, &signature).is_err());
    }
    if let Some(len) = kem::ciphertext_len_bytes(key.kind()) {
        let _ = kem::encapsulate(key, &mut vec![0; len], &mut [0; 32]);
    }
}

fn use_private(key: &PrivateKey) {
    let digest = Algorithm::Sha256;
    let encoding = EcdsaEncoding::Der;
    let mut signature = vec![0; key.signature_len_bytes()];
    for scheme in [
        Scheme::RsaPkcs1v15 { digest },
        Scheme::RsaPss {
            digest,
            mgf1_digest: digest,
            salt_len: SaltLength::Auto,
        },
        Scheme::Ecdsa { digest, encoding },
        Scheme::Ed25519,
        Scheme::MlDsa { context: b"" },
    ] {
        let _ = sign(key, &scheme, Message::Whole(b"message"), &mut signature);
    }
    if let Ok(public) = key.public_key() {
        use_public(&public);
        let _ = shared_secret(key, &public, &mut [0; 66]);
    }
    if let Some(len) = kem::ciphertext_len_bytes(key.kind()) {
        let _ = kem::decapsulate(key, &vec![0; len], &mut [0; 32]);
    }
}

/// How one byte string is made into another.
#[derive(Clone, Debug)]
enum Change {
    Set(prop::sample::Index, u8),
    Remove(prop::sample::Index, usize),
    Insert(prop::sample::Index, Vec<u8>),
    Swap(prop::sample::Index, prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        4 => (index(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        // Tags and lengths are the bytes that matter most.
        2 => (index(), prop::sample::select(vec![0, 1, 2, 3, 4, 5, 6, 0x30, 0x7f, 0x80, 0x81, 0x82, 0xa0, 0xa1, 0xff]))
            .prop_map(|(at, byte)| Change::Set(at, byte)),
        1 => (index(), 1..9_usize).prop_map(|(at, len)| Change::Remove(at, len)),
        1 => (index(), prop::collection::vec(any::<u8>(), 1..9)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        1 => (index(), index()).prop_map(|(a, b)| Change::Swap(a, b)),
    ]
}

/// Changes mostly near the start, where the structure is.
fn changed(der: &[u8], changes: &[Change], whole: bool) -> Vec<u8> {
    let mut bytes = der.to_vec();
    for change in changes {
        if bytes.is_empty() {
            break;
        }
        let span = if whole {
            bytes.len()
        } else {
            bytes.len().min(48)
        };
        match change {
            Change::Set(at, byte) => bytes[at.index(span)] = *byte,
            Change::Remove(at, len) => {
                let at = at.index(span);
                bytes.drain(at..(at + len).min(bytes.len()));
            }
            Change::Insert(at, new) => {
                let at = at.index(span);
                bytes.splice(at..at, new.iter().copied());
            }
            Change::Swap(a, b) => bytes.swap(a.index(span), b.index(span)),
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3_000) })]

    #[test]
    fn strange_keys_never_panic_and_never_wait(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 0..4),
        whole in any::<bool>(),
    ) {
        let entries = entries();
        let entry = &entries[which.index(entries.len())];
        let start = Instant::now();
        if let Ok(key) = PublicKey::from_spki_der(&changed(&entry.spki, &changes, whole)) {
            use_public(&key);
        }
        if let Ok(key) = PrivateKey::from_pkcs8_der(&changed(&entry.pkcs8, &changes, whole)) {
            use_private(&key);
        }
        prop_assert!(start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn bytes_at_random_are_no_key(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(PublicKey::from_spki_der(&bytes).is_err());
        prop_assert!(PrivateKey::from_pkcs8_der(&bytes).is_err());
    }
}

/// The largest RSA key that is read, with numbers that make the most work.
#[test]
fn the_largest_rsa_key_is_used_in_bounded_time() {
    let n = [0xff; 2_048];
    let public = PublicKey::from_spki_der(&rsa_spki(&n, &[1, 0xff, 0xff, 0xff, 0xff])).unwrap();
    let start = Instant::now();
    use_public(&public);
    // Verification with 33 bits of exponent.
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(public.kind(), KeyKind::Rsa);
}

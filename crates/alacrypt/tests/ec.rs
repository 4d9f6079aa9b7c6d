//! Keys on curves by their numbers and points: the standard's, the edges of what is one, new ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use alacrypt::agree::shared_secret;
use alacrypt::key::{Curve, KeyKind, PointForm, PrivateKey, PublicKey};
use alacrypt::{Error, Misuse};
use common::{hex, unhex};

/// The curves and their orders (NIST SP 800-186, section 3.2.1; SEC 2, section 2.4.1).
const CURVES: [(Curve, &str); 4] = [
    (
        Curve::P256,
        "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
    ),
    (
        Curve::P384,
        "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
    ),
    (
        Curve::P521,
        "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
    ),
    (
        Curve::Secp256k1,
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
    ),
];

fn number(key: &PrivateKey) -> Vec<u8> {
    let mut number = vec![0xa5; 80];
    let len = key.ec_number(&mut number).unwrap();
    assert!(number[len..].iter().all(|byte| *byte == 0xa5));
    number.truncate(len);
    number
}

fn point(key: &PublicKey, form: PointForm) -> Vec<u8> {
    let mut point = vec![0; 200];
    let len = key.ec_point(form, &mut point).unwrap();
    point.truncate(len);
    point
}

fn secret(private: &PrivateKey, public: &PublicKey) -> Vec<u8> {
    let mut secret = vec![0; 66];
    let len = shared_secret(private, public, &mut secret).unwrap();
    secret.truncate(len);
    secret
}

/// RFC 5903, section 8.1.
#[test]
fn numbers_and_points_of_rfc5903() {
    let pairs = [
        (
            "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433",
            "dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c3772581180",
            "5271a0461cdb8252d61f1c456fa3e59ab1f45b33accf5f58389e0577b8990bb3",
        ),
        (
            "c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53",
            "d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63",
            "56fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab",
        ),
    ];
    let keys = pairs.map(|(i, x, y)| {
        let key = PrivateKey::from_ec_number(Curve::P256, &unhex(i)).unwrap();
        assert_eq!(hex(&number(&key)), i);
        let public = key.public_key().unwrap();
        let written = |form| hex(&point(&public, form));
        assert_eq!(written(PointForm::Uncompressed), format!("04{x}{y}"));
        // Both second coordinates are odd.
        assert_eq!(written(PointForm::Compressed), format!("03{x}"));
        assert_eq!(written(PointForm::Hybrid), format!("07{x}{y}"));
        key
    });
    let [one, other] = &keys;
    let agreed = "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de";
    for (private, peer) in [(one, other), (other, one)] {
        let point = point(&peer.public_key().unwrap(), PointForm::Compressed);
        let peer = PublicKey::from_ec_point(Curve::P256, &point).unwrap();
        assert_eq!(hex(&secret(private, &peer)), agreed);
    }
}

#[test]
fn numbers_at_the_edges() {
    for (curve, order) in CURVES {
        let order = unhex(order);
        let mut largest = order.clone();
        *largest.last_mut().unwrap() -= 1;
        let rejected = |number: &[u8]| {
            assert_eq!(
                PrivateKey::from_ec_number(curve, number).err(),
                Some(Error::Rejected),
                "{curve:?} {}",
                hex(number)
            );
        };
        rejected(&[]);
        rejected(&[0]);
        rejected(&vec![0; order.len()]);
        rejected(&order);
        rejected(&vec![0xff; order.len()]);
        rejected(&[&[1], &order[..]].concat());
        let one = PrivateKey::from_ec_number(curve, &[1]).unwrap();
        let mut padded = vec![0; order.len()];
        *padded.last_mut().unwrap() = 1;
        assert_eq!(number(&one), padded);
        let zeros_before = [&[0; 3], &largest[..]].concat();
        let last = PrivateKey::from_ec_number(curve, &zeros_before).unwrap();
        assert_eq!(number(&last), largest);
        // The largest number is -1, whose point is that of 1 upside down.
        let [up, down] =
            [&one, &last].map(|key| point(&key.public_key().unwrap(), PointForm::Compressed));
        assert_eq!(up[1..], down[1..]);
        assert_eq!(up[0] ^ down[0], 1);
    }
}

#[test]
fn new_keys_are_read_again_and_agree() {
    for (curve, _) in CURVES {
        let [one, other] = [(); 2].map(|()| PrivateKey::generate_ec(curve).unwrap());
        assert_eq!(one.kind(), KeyKind::Ec(curve));
        assert_ne!(number(&one), number(&other));
        let again = PrivateKey::from_ec_number(curve, &number(&one)).unwrap();
        let public = one.public_key().unwrap();
        for form in [
            PointForm::Uncompressed,
            PointForm::Compressed,
            PointForm::Hybrid,
        ] {
            let written = point(&public, form);
            assert_eq!(point(&again.public_key().unwrap(), form), written);
            let read = PublicKey::from_ec_point(curve, &written).unwrap();
            assert_eq!(
                secret(&other, &read),
                secret(&again, &other.public_key().unwrap())
            );
            for cut in 0..written.len() {
                assert!(PublicKey::from_ec_point(curve, &written[..cut]).is_err());
            }
            let long = [&written[..], &[0]].concat();
            assert!(PublicKey::from_ec_point(curve, &long).is_err());
            let mut off = written.clone();
            *off.last_mut().unwrap() ^= 1;
            // A compressed point is one of two for half of all coordinates.
            let refused = PublicKey::from_ec_point(curve, &off).is_err();
            assert!(refused || form == PointForm::Compressed);
        }
        let mut other_parity = point(&public, PointForm::Hybrid);
        other_parity[0] ^= 1;
        assert_eq!(
            PublicKey::from_ec_point(curve, &other_parity).err(),
            Some(Error::Rejected)
        );
        assert!(PublicKey::from_ec_point(curve, &[6; 134]).is_err());
        assert!(PublicKey::from_ec_point(curve, &[6]).is_err());
        assert_eq!(
            PublicKey::from_ec_point(curve, &[0]).err(),
            Some(Error::Rejected)
        );
    }
}

#[test]
fn misuse() {
    let key = PrivateKey::generate_ec(Curve::P384).unwrap();
    let short = Err(Error::Misuse(Misuse::OutputLength));
    assert_eq!(key.ec_number(&mut [0; 47]), short);
    let public = key.public_key().unwrap();
    for form in [PointForm::Compressed, PointForm::Hybrid] {
        assert_eq!(public.ec_point(form, &mut [0; 96]), short);
    }
    let other = common::keys::named("Ed25519").private();
    let kind = Err(Error::Misuse(Misuse::KeyKind));
    assert_eq!(other.ec_number(&mut [0; 100]), kind);
    let public = other.public_key().unwrap();
    assert_eq!(public.ec_point(PointForm::Hybrid, &mut [0; 200]), kind);
}

//! NIST's vectors: CAVP's validations of signatures and agreement, and known answers of FIPS 203
//! and FIPS 204.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use alacrypt::Error;
use alacrypt::agree::shared_secret;
use alacrypt::digest::Algorithm;
use alacrypt::kem::decapsulate;
use alacrypt::key::{PrivateKey, PublicKey};
use alacrypt::sign::{EcdsaEncoding, Message, SaltLength, Scheme, sign, verify};
use common::keys::{EC_OID, der, integer, pkcs8, rsa_spki, sequence, spki};
use common::{Record, hex, records, unhex};

fn digest(record: &Record<'_>) -> Algorithm {
    let name = record.text("Digest");
    Algorithm::ALL
        .into_iter()
        .find(|algorithm| format!("{algorithm:?}") == name)
        .unwrap()
}

/// The curve's object identifier, as a DER value, and the length of its coordinates.
fn curve(record: &Record<'_>) -> (Vec<u8>, usize) {
    let (oid, len) = match record.text("Curve") {
        "P256" => ("2a8648ce3d030107", 32),
        "P384" => ("2b81040022", 48),
        "P521" => ("2b81040023", 66),
        other => panic!("no curve {other}"),
    };
    (der(0x06, &unhex(oid)), len)
}

/// A number at its full length.
fn padded(record: &Record<'_>, name: &str, len: usize) -> Vec<u8> {
    let digits = record.bytes(name);
    let mut number = vec![0; len.checked_sub(digits.len()).unwrap()];
    number.extend(digits);
    number
}

fn ec_public(record: &Record<'_>, x: &str, y: &str) -> Result<PublicKey, Error> {
    let (curve, len) = curve(record);
    let point = [vec![4], padded(record, x, len), padded(record, y, len)].concat();
    PublicKey::from_spki_der(&spki(EC_OID, &curve, &point))
}

#[test]
fn ecdsa_verifies_what_cavp_does() {
    let text = include_str!("../../../vectors/sign/ecdsa_sig_ver_nist.txt");
    let records = records(text, "Result");
    let mut passed = 0;
    for record in &records {
        let public = ec_public(record, "Qx", "Qy");
        let digest = digest(record);
        let message = record.bytes("Msg");
        let (_, len) = curve(record);
        let p1363 = [padded(record, "R", len), padded(record, "S", len)].concat();
        let in_der = sequence(&[integer(&record.bytes("R")), integer(&record.bytes("S"))]);
        for (encoding, signature) in [(EcdsaEncoding::P1363, p1363), (EcdsaEncoding::Der, in_der)] {
            let scheme = Scheme::Ecdsa { digest, encoding };
            // A changed key may be no point of the curve.
            let valid = public.as_ref().is_ok_and(|public| {
                verify(public, &scheme, Message::Whole(&message), &signature).is_ok()
            });
            assert_eq!(valid, record.text("Result") == "P", "{scheme:?}");
            passed += usize::from(valid);
        }
    }
    assert_eq!((records.len(), passed), (225, 2 * 45));
}

fn rsa_verifies(text: &str, scheme: impl Fn(&Record<'_>) -> Scheme<'static>) {
    let records = records(text, "Result");
    let mut passed = 0;
    for record in &records {
        let public =
            PublicKey::from_spki_der(&rsa_spki(&record.bytes("n"), &record.bytes("e"))).unwrap();
        let message = record.bytes("Msg");
        let scheme = scheme(record);
        let answer = verify(
            &public,
            &scheme,
            Message::Whole(&message),
            &record.bytes("S"),
        );
        match record.text("Result") {
            "P" => assert_eq!(answer, Ok(()), "{scheme:?}"),
            _ => assert_eq!(answer, Err(Error::Failed), "{scheme:?}"),
        }
        passed += usize::from(answer.is_ok());
    }
    assert_eq!((records.len(), passed), (90, 15));
}

#[test]
fn rsa_pkcs1_verifies_what_cavp_does() {
    let text = include_str!("../../../vectors/sign/rsa_pkcs1_sig_ver_nist.txt");
    rsa_verifies(text, |record| Scheme::RsaPkcs1v15 {
        digest: digest(record),
    });
}

#[test]
fn rsa_pss_verifies_what_cavp_does() {
    let text = include_str!("../../../vectors/sign/rsa_pss_sig_ver_nist.txt");
    rsa_verifies(text, |record| Scheme::RsaPss {
        digest: digest(record),
        mgf1_digest: digest(record),
        salt_len: SaltLength::Bytes(record.bytes("Salt").len()),
    });
}

#[test]
fn ecdh_agrees_as_cavp_does() {
    let text = include_str!("../../../vectors/agree/ecdh_kas_nist.txt");
    let records = records(text, "Result");
    let (mut agreed, mut refused) = (0, 0);
    for record in &records {
        let result = record.text("Result");
        let (curve, len) = curve(record);
        // RFC 5915, section 3.
        let raw = sequence(&[integer(&[1]), der(0x04, &padded(record, "dsIUT", len))]);
        let private = match PrivateKey::from_pkcs8_der(&pkcs8(EC_OID, &curve, &raw)) {
            Ok(private) => private,
            Err(error) => {
                // Some of the changed ones are not below the order.
                assert_eq!(error, Error::Rejected);
                assert!(result.contains("changed-prikey"), "{result}");
                continue;
            }
        };
        let mut secret = vec![0; len];
        let secret = ec_public(record, "QsCAVSx", "QsCAVSy")
            .and_then(|public| shared_secret(&private, &public, &mut secret))
            .map(|len| hex(&secret[..len]));
        if result.contains("CAVS's Static public key") {
            // SP 800-56A, section 5.6.2.3: such a key is refused.
            assert_eq!(secret, Err(Error::Rejected), "{result}");
            refused += 1;
        } else if result.starts_with('P') {
            assert_eq!(secret.as_deref(), Ok(record.text("Z")), "{result}");
            agreed += 1;
        } else {
            assert_ne!(secret.unwrap(), record.text("Z"), "{result}");
        }
    }
    assert_eq!((records.len(), agreed, refused), (78, 54, 12));
}

/// The last byte of the object identifier of a parameter set, in which alone they differ.
fn nist_oid(family: &str, record: &Record<'_>) -> String {
    let last = match record.text("Kind") {
        "MlDsa44" => "11",
        "MlDsa65" => "12",
        "MlDsa87" => "13",
        "MlKem512" => "01",
        "MlKem768" => "02",
        "MlKem1024" => "03",
        other => panic!("no kind {other}"),
    };
    format!("60864801650304{family}{last}")
}

/// RFC 9881, section 6, and RFC 9935, section 6: a key as its seed alone.
fn of_seed(oid: &str, record: &Record<'_>) -> PrivateKey {
    PrivateKey::from_pkcs8_der(&pkcs8(oid, &[], &der(0x80, &record.bytes("Seed")))).unwrap()
}

#[test]
fn ml_dsa_known_answers() {
    let text = include_str!("../../../vectors/sign/ml_dsa_known_answers.txt");
    let records = records(text, "Signature");
    for record in &records {
        let oid = nist_oid("03", record);
        let public = PublicKey::from_spki_der(&spki(&oid, &[], &record.bytes("Pk"))).unwrap();
        let private = of_seed(&oid, record);
        let context = record.bytes("Context");
        let scheme = Scheme::MlDsa { context: &context };
        let message = record.bytes("Msg");
        let message = Message::Whole(&message);
        let mut signature = record.bytes("Signature");
        assert_eq!(verify(&public, &scheme, message, &signature), Ok(()));
        let other = Scheme::MlDsa { context: b"other" };
        let failed = Err(Error::Failed);
        assert_eq!(verify(&public, &other, message, &signature), failed);
        signature[7] ^= 1;
        assert_eq!(verify(&public, &scheme, message, &signature), failed);

        // The key of the seed is the one that signed.
        let mut own = vec![0; private.signature_len_bytes()];
        let len = sign(&private, &scheme, message, &mut own).unwrap();
        assert_eq!(verify(&public, &scheme, message, &own[..len]), Ok(()));
    }
    assert_eq!(records.len(), 3 * 4);
}

/// Half of the ciphertexts are altered ones, and are answered by implicit rejection.
#[test]
fn ml_kem_known_answers() {
    let text = include_str!("../../../vectors/kem/ml_kem_known_answers.txt");
    let records = records(text, "Secret");
    for record in &records {
        let private = of_seed(&nist_oid("04", record), record);
        let mut secret = [0; 32];
        decapsulate(&private, &record.bytes("Ciphertext"), &mut secret).unwrap();
        assert_eq!(hex(&secret), record.text("Secret"));
    }
    assert_eq!(records.len(), 3 * 4 * 2);
}

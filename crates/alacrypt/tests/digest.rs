//! Digests: answers of the standards, then properties.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use alacrypt::digest::{Algorithm, Hasher, digest};
use alacrypt::{Error, Misuse};
use common::{counting, hex, records, unhex};
use proptest::prelude::*;

/// What an extendable-output function gives in the generated vectors.
const XOF_LEN_BYTES: usize = 300;

fn len_bytes(algorithm: Algorithm) -> usize {
    algorithm.output_len_bytes().unwrap_or(XOF_LEN_BYTES)
}

fn one_shot(algorithm: Algorithm, data: &[u8]) -> Vec<u8> {
    let mut digest_out = vec![0; len_bytes(algorithm)];
    digest(algorithm, data, &mut digest_out).unwrap();
    digest_out
}

fn finish(hasher: Hasher) -> Vec<u8> {
    let mut digest_out = vec![0; len_bytes(hasher.algorithm())];
    hasher.finish(&mut digest_out).unwrap();
    digest_out
}

fn streamed<'a>(algorithm: Algorithm, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut hasher = Hasher::new(algorithm).unwrap();
    for piece in pieces {
        hasher.update(piece).unwrap();
    }
    finish(hasher)
}

macro_rules! standards {
    ($($name:ident: $algorithm:ident, $file:literal, $count:literal;)*) => {
        $(
            #[test]
            fn $name() {
                let text = include_str!(concat!("../../../vectors/digest/", $file));
                let records = records(text, "MD");
                assert_eq!(records.len(), $count);
                for record in records {
                    let (message, expected) = (record.message(), record.bytes("MD"));
                    let algorithm = Algorithm::$algorithm;
                    assert_eq!(hex(&one_shot(algorithm, &message)), hex(&expected));
                    assert_eq!(hex(&streamed(algorithm, [&message[..]])), hex(&expected));
                }
            }
        )*
    };
}

standards! {
    md5_rfc1321: Md5, "md5_rfc1321.txt", 7;
    sha1_cavp: Sha1, "sha1_short_msg.rsp", 65;
    sha224_cavp: Sha224, "sha224_short_msg.rsp", 65;
    sha256_cavp: Sha256, "sha256_short_msg.rsp", 65;
    sha384_cavp: Sha384, "sha384_short_msg.rsp", 129;
    sha512_cavp: Sha512, "sha512_short_msg.rsp", 129;
    sha512_224_cavp: Sha512_224, "sha512_224_short_msg.rsp", 129;
    sha512_256_cavp: Sha512_256, "sha512_256_short_msg.rsp", 129;
    sha3_224_cavp: Sha3_224, "sha3_224_short_msg.rsp", 145;
    sha3_256_cavp: Sha3_256, "sha3_256_short_msg.rsp", 137;
    sha3_384_cavp: Sha3_384, "sha3_384_short_msg.rsp", 105;
    sha3_512_cavp: Sha3_512, "sha3_512_short_msg.rsp", 73;
    blake2b512_rfc7693: Blake2b512, "blake2b512_pyca.txt", 7;
    blake2s256_rfc7693: Blake2s256, "blake2s256_pyca.txt", 7;
    ripemd160_home_page: Ripemd160, "ripemd160_home_page.txt", 8;
}

#[test]
fn shake_cavp() {
    for (algorithm, text, count) in [
        (
            Algorithm::Shake128,
            include_str!("../../../vectors/digest/shake128_variable_out.rsp"),
            141,
        ),
        (
            Algorithm::Shake256,
            include_str!("../../../vectors/digest/shake256_variable_out.rsp"),
            156,
        ),
    ] {
        let records = records(text, "Output");
        assert_eq!(records.len(), count);
        for record in records {
            let expected = record.bytes("Output");
            assert_eq!(expected.len(), record.number("Outputlen") / 8);
            let mut digest_out = vec![0; expected.len()];
            digest(algorithm, &record.bytes("Msg"), &mut digest_out).unwrap();
            assert_eq!(hex(&digest_out), hex(&expected));
        }
    }
}

/// The answers that the standards print for `abc`, so that not all of them pass through a file.
#[test]
fn abc_as_printed() {
    for (algorithm, expected) in [
        (Algorithm::Md5, "900150983cd24fb0d6963f7d28e17f72"),
        (Algorithm::Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            Algorithm::Sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ),
        (
            Algorithm::Sha3_256,
            "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
        ),
        (
            Algorithm::Md5Sha1,
            "900150983cd24fb0d6963f7d28e17f72a9993e364706816aba3e25717850c26c9cd0d89d",
        ),
    ] {
        assert_eq!(one_shot(algorithm, b"abc"), unhex(expected));
    }
}

#[test]
fn examples_for_every_algorithm() {
    let text = include_str!("../../../vectors/digest/examples_generated.txt");
    let records = records(text, "MD");
    assert_eq!(records.len(), 6 * Algorithm::ALL.len());
    for record in records {
        let (unit, times) = (record.bytes("Unit"), record.number("Times"));
        let message = unit.repeat(times);
        let algorithm = record.algorithm();
        let expected = record.text("MD");
        assert_eq!(hex(&one_shot(algorithm, &message)), expected);
        // 1,009 is a prime, so the pieces end at every place of a block.
        assert_eq!(hex(&streamed(algorithm, message.chunks(1_009))), expected);
    }
}

#[test]
fn every_length_to_three_blocks() {
    let text = include_str!("../../../vectors/digest/lengths_generated.txt");
    let records = records(text, "SHA256");
    assert_eq!(records.len(), Algorithm::ALL.len());
    for record in records {
        let algorithm = record.algorithm();
        let longest = record.number("Longest");
        assert_eq!(longest, 3 * algorithm.block_len_bytes() + 1);
        let message = counting(longest);
        let mut fold = Hasher::new(Algorithm::Sha256).unwrap();
        for len in 0..=longest {
            // The generator's message of `len` bytes is the start of the longer one.
            let expected = one_shot(algorithm, &message[..len]);
            assert_eq!(expected, streamed(algorithm, [&message[..len]]));
            fold.update(&expected).unwrap();
        }
        assert_eq!(hex(&finish(fold)), record.text("SHA256"), "{algorithm:?}");
    }
}

#[test]
fn every_cut_around_the_block() {
    for algorithm in Algorithm::ALL {
        let block = algorithm.block_len_bytes();
        let message = counting(3 * block + 1);
        let expected = one_shot(algorithm, &message);
        for first in 0..=block + 1 {
            let (head, tail) = message.split_at(first);
            for second in [0, 1, block - 1, block, block + 1] {
                let (middle, end) = tail.split_at(second);
                assert_eq!(
                    expected,
                    streamed(algorithm, [head, middle, &[], end]),
                    "{algorithm:?} cut at {first} and {second} bytes further",
                );
            }
        }
    }
}

#[test]
fn another_output_length_is_a_misuse() {
    let mut buffer = [0; 100];
    for algorithm in Algorithm::ALL {
        let Some(right) = algorithm.output_len_bytes() else {
            continue;
        };
        for len in (0..buffer.len()).filter(|len| *len != right) {
            let refused = Err(Error::Misuse(Misuse::OutputLength));
            assert_eq!(digest(algorithm, b"abc", &mut buffer[..len]), refused);
            let mut hasher = Hasher::new(algorithm).unwrap();
            hasher.update(b"abc").unwrap();
            assert_eq!(hasher.finish(&mut buffer[..len]), refused);
        }
    }
    assert_eq!(buffer, [0; 100], "a refused call writes nothing");
}

#[test]
fn extendable_outputs_are_prefixes_of_one_another() {
    for algorithm in [Algorithm::Shake128, Algorithm::Shake256] {
        for message in [&b""[..], b"abc", &counting(1_000)] {
            let longest = one_shot(algorithm, message);
            for len in 0..=XOF_LEN_BYTES {
                let mut digest_out = vec![0xff; len];
                digest(algorithm, message, &mut digest_out).unwrap();
                assert_eq!(digest_out, longest[..len]);
                let mut hasher = Hasher::new(algorithm).unwrap();
                hasher.update(message).unwrap();
                digest_out.fill(0xff);
                hasher.finish(&mut digest_out).unwrap();
                assert_eq!(digest_out, longest[..len]);
            }
        }
    }
}

#[test]
fn a_hasher_may_move_between_threads() {
    let mut hasher = Hasher::new(Algorithm::Sha3_512).unwrap();
    hasher.update(b"ab").unwrap();
    let moved = std::thread::spawn(move || {
        hasher.update(b"c").unwrap();
        finish(hasher)
    });
    assert_eq!(moved.join().unwrap(), one_shot(Algorithm::Sha3_512, b"abc"));
}

#[test]
fn debug_tells_the_algorithm_only() {
    let mut hasher = Hasher::new(Algorithm::Blake2b512).unwrap();
    hasher.update(b"secret").unwrap();
    assert_eq!(
        format!("{hasher:?}"),
        "Hasher { algorithm: Blake2b512, .. }"
    );
}

fn any_algorithm() -> impl Strategy<Value = Algorithm> {
    prop::sample::select(&Algorithm::ALL[..])
}

/// Messages in pieces, many of them empty or near a block's length.
fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let len = prop_oneof![
        Just(0),
        1_usize..8,
        55_usize..74,
        100_usize..170,
        0_usize..600
    ];
    prop::collection::vec(
        len.prop_flat_map(|len| prop::collection::vec(any::<u8>(), len)),
        0..7,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn chunked_equals_one_shot(algorithm in any_algorithm(), pieces in pieces()) {
        let chunked = streamed(algorithm, pieces.iter().map(Vec::as_slice));
        prop_assert_eq!(chunked, one_shot(algorithm, &pieces.concat()));
    }

    #[test]
    fn a_clone_goes_its_own_way(
        algorithm in any_algorithm(),
        head in pieces(),
        tail in pieces(),
        other in pieces(),
    ) {
        let mut hasher = Hasher::new(algorithm).unwrap();
        for piece in &head {
            hasher.update(piece).unwrap();
        }
        let mut clone = hasher.try_clone().unwrap();
        for at in 0..tail.len().max(other.len()) {
            if let Some(piece) = tail.get(at) {
                hasher.update(piece).unwrap();
            }
            if let Some(piece) = other.get(at) {
                clone.update(piece).unwrap();
            }
        }
        let whole = |end: &[Vec<u8>]| one_shot(algorithm, &[head.concat(), end.concat()].concat());
        // The first is finished and gone before the second is asked.
        prop_assert_eq!(finish(hasher), whole(&tail));
        prop_assert_eq!(finish(clone), whole(&other));
    }
}

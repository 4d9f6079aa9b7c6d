//! Digests of inputs from 16 bytes to 64 KiB, beside RustCrypto's.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use alacrypt::digest::{Algorithm, Hasher, MAX_OUTPUT_LEN_BYTES, digest};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sha2::Digest;

const LENS_BYTES: [usize; 6] = [16, 64, 256, 1_024, 16 * 1_024, 64 * 1_024];

fn one_shot(criterion: &mut Criterion) {
    for algorithm in [
        Algorithm::Md5,
        Algorithm::Sha1,
        Algorithm::Sha256,
        Algorithm::Sha512,
        Algorithm::Sha3_256,
        Algorithm::Blake2b512,
        Algorithm::Ripemd160,
    ] {
        let mut group = criterion.benchmark_group(format!("digest/{algorithm:?}"));
        for len in LENS_BYTES {
            let data = vec![0x5a; len];
            let mut digest_out = [0; MAX_OUTPUT_LEN_BYTES];
            let digest_out = &mut digest_out[..algorithm.output_len_bytes().unwrap()];
            group.throughput(Throughput::Bytes(len as u64));
            group.bench_function(BenchmarkId::new("alacrypt", len), |bencher| {
                bencher.iter(|| {
                    digest(algorithm, black_box(&data), digest_out).unwrap();
                    black_box(&digest_out);
                });
            });
            group.bench_function(BenchmarkId::new("alacrypt, streamed", len), |bencher| {
                bencher.iter(|| {
                    let mut hasher = Hasher::new(algorithm).unwrap();
                    hasher.update(black_box(&data)).unwrap();
                    hasher.finish(digest_out).unwrap();
                    black_box(&digest_out);
                });
            });
            // BLAKE2 and RIPEMD-160 are RustCrypto's here too.
            match algorithm {
                Algorithm::Sha256 => {
                    group.bench_function(BenchmarkId::new("sha2", len), |bencher| {
                        bencher.iter(|| sha2::Sha256::digest(black_box(&data)));
                    });
                }
                Algorithm::Sha512 => {
                    group.bench_function(BenchmarkId::new("sha2", len), |bencher| {
                        bencher.iter(|| sha2::Sha512::digest(black_box(&data)));
                    });
                }
                _ => {}
            }
        }
        group.finish();
    }
}

criterion_group!(benches, one_shot);
criterion_main!(benches);

//! HMAC-SHA-256 over inputs from 16 bytes to 64 KiB, beside RustCrypto's: under a key that is new
//! each time, and from a keyed state.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use ::hmac::{KeyInit, Mac};
use alacrypt::digest::Algorithm;
use alacrypt::mac::{Hmac, hmac};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

type Rival = ::hmac::Hmac<sha2::Sha256>;

const KEY: [u8; 32] = [0x17; 32];
const LENS_BYTES: [usize; 6] = [16, 32, 64, 1_024, 16 * 1_024, 64 * 1_024];

fn new_key(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hmac/Sha256, new key");
    for len in LENS_BYTES {
        let data = vec![0x5a; len];
        let mut tag_out = [0; 32];
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(BenchmarkId::new("alacrypt", len), |bencher| {
            bencher.iter(|| {
                hmac(
                    Algorithm::Sha256,
                    black_box(&KEY),
                    black_box(&data),
                    &mut tag_out,
                )
                .unwrap();
                black_box(&tag_out);
            });
        });
        group.bench_function(BenchmarkId::new("alacrypt, streamed", len), |bencher| {
            bencher.iter(|| {
                let mut mac = Hmac::new(Algorithm::Sha256, black_box(&KEY)).unwrap();
                mac.update(black_box(&data)).unwrap();
                mac.finish(&mut tag_out).unwrap();
                black_box(&tag_out);
            });
        });
        group.bench_function(BenchmarkId::new("hmac and sha2", len), |bencher| {
            bencher.iter(|| {
                let mut mac = Rival::new_from_slice(black_box(&KEY)).unwrap();
                mac.update(black_box(&data));
                mac.finalize().into_bytes()
            });
        });
    }
    group.finish();
}

fn keyed_state(criterion: &mut Criterion) {
    let keyed = Hmac::new(Algorithm::Sha256, &KEY).unwrap();
    let rival = Rival::new_from_slice(&KEY).unwrap();
    let mut group = criterion.benchmark_group("hmac/Sha256, keyed state");
    for len in LENS_BYTES {
        let data = vec![0x5a; len];
        let mut tag_out = [0; 32];
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(BenchmarkId::new("alacrypt", len), |bencher| {
            bencher.iter(|| {
                keyed.tag(black_box(&data), &mut tag_out).unwrap();
                black_box(&tag_out);
            });
        });
        group.bench_function(BenchmarkId::new("alacrypt, cloned", len), |bencher| {
            bencher.iter(|| {
                let mut mac = keyed.try_clone().unwrap();
                mac.update(black_box(&data)).unwrap();
                mac.finish(&mut tag_out).unwrap();
                black_box(&tag_out);
            });
        });
        group.bench_function(BenchmarkId::new("hmac and sha2", len), |bencher| {
            bencher.iter(|| {
                let mut mac = black_box(&rival).clone();
                mac.update(black_box(&data));
                mac.finalize().into_bytes()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, new_key, keyed_state);
criterion_main!(benches);

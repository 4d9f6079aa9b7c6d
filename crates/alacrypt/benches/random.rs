//! Random bytes, 16 bytes to 64 KiB: from the pool, from AWS-LC's generator, and from the
//! operating system.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use alacrypt::random::{self, Pool};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const LENS_BYTES: [usize; 6] = [16, 32, 64, 1_024, 16 * 1_024, 64 * 1_024];

fn fill(criterion: &mut Criterion) {
    let mut pool = Pool::new();
    let mut group = criterion.benchmark_group("random");
    for len in LENS_BYTES {
        let mut bytes_out = vec![0; len];
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(BenchmarkId::new("alacrypt, pool", len), |bencher| {
            bencher.iter(|| {
                pool.fill(&mut bytes_out).unwrap();
                black_box(&bytes_out);
            });
        });
        group.bench_function(BenchmarkId::new("alacrypt, generator", len), |bencher| {
            bencher.iter(|| {
                random::fill(&mut bytes_out).unwrap();
                black_box(&bytes_out);
            });
        });
        group.bench_function(BenchmarkId::new("getrandom", len), |bencher| {
            bencher.iter(|| {
                getrandom::fill(&mut bytes_out).unwrap();
                black_box(&bytes_out);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, fill);
criterion_main!(benches);

//! Reading keys of each kind, and the public half of a private one.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;

use alacrypt::key::{PrivateKey, PublicKey};
use common::keys::served;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn read(criterion: &mut Criterion) {
    let keys = served();
    let mut group = criterion.benchmark_group("key/public");
    for entry in &keys {
        group.bench_function(BenchmarkId::new("alacrypt", &entry.name), |bencher| {
            bencher.iter(|| PublicKey::from_spki_der(black_box(&entry.spki)).unwrap());
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("key/private");
    for entry in &keys {
        group.bench_function(BenchmarkId::new("alacrypt", &entry.name), |bencher| {
            bencher.iter(|| PrivateKey::from_pkcs8_der(black_box(&entry.pkcs8)).unwrap());
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("key/public half");
    for entry in &keys {
        let key = entry.private();
        group.bench_function(BenchmarkId::new("alacrypt", &entry.name), |bencher| {
            bencher.iter(|| black_box(&key).public_key().unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, read);
criterion_main!(benches);

//! Shared secrets on each curve, beside RustCrypto's on one of them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;

use alacrypt::agree::shared_secret;
use common::keys::named;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn agree(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("agree");
    for name in ["X25519", "P256", "P384", "P521", "Secp256k1"] {
        let entry = named(name);
        let (public, private) = (entry.public(), entry.private());
        let mut secret_out = [0; 66];
        group.bench_function(BenchmarkId::new("alacrypt", name), |bencher| {
            bencher.iter(|| shared_secret(&private, black_box(&public), &mut secret_out).unwrap());
        });
    }
    let private = p256::SecretKey::from_slice(&[0x17; 32]).unwrap();
    let public = private.public_key();
    group.bench_function(BenchmarkId::new("p256", "P256"), |bencher| {
        bencher.iter(|| private.diffie_hellman(black_box(&public)));
    });
    group.finish();
}

criterion_group!(benches, agree);
criterion_main!(benches);

//! ML-KEM encapsulation and decapsulation.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;

use alacrypt::kem::{ciphertext_len_bytes, decapsulate, encapsulate};
use common::keys::named;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn kem(criterion: &mut Criterion) {
    for (operation, is_encapsulation) in [("kem/encapsulate", true), ("kem/decapsulate", false)] {
        let mut group = criterion.benchmark_group(operation);
        for name in ["MlKem512", "MlKem768", "MlKem1024"] {
            let entry = named(name);
            let (public, private) = (entry.public(), entry.private());
            let mut ciphertext = vec![0; ciphertext_len_bytes(public.kind()).unwrap()];
            let mut shared_out = [0; 32];
            encapsulate(&public, &mut ciphertext, &mut shared_out).unwrap();
            group.bench_function(BenchmarkId::new("alacrypt", name), |bencher| {
                bencher.iter(|| {
                    if is_encapsulation {
                        encapsulate(black_box(&public), &mut ciphertext, &mut shared_out).unwrap();
                    } else {
                        decapsulate(&private, black_box(&ciphertext), &mut shared_out).unwrap();
                    }
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, kem);
criterion_main!(benches);

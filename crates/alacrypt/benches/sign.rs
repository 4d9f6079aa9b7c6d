//! Signing and verifying 64 bytes with a key of each kind, beside RustCrypto's for two of them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;

use alacrypt::digest::Algorithm;
use alacrypt::sign::{EcdsaEncoding, Message, Scheme, sign, verify};
use common::keys::named;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use ed25519_dalek::Signer as _;
use p256::ecdsa::signature::Verifier as _;

const MESSAGE: [u8; 64] = [0x5a; 64];
const SCHEMES: [(&str, Scheme<'static>); 8] = [
    ("Rsa2048", RS256),
    ("P256", ES256),
    ("P384", ES256),
    ("P521", ES256),
    ("Secp256k1", ES256),
    ("Ed25519", Scheme::Ed25519),
    ("MlDsa44", Scheme::MlDsa { context: b"" }),
    ("MlDsa65", Scheme::MlDsa { context: b"" }),
];
const RS256: Scheme<'static> = Scheme::RsaPkcs1v15 {
    digest: Algorithm::Sha256,
};
const ES256: Scheme<'static> = Scheme::Ecdsa {
    digest: Algorithm::Sha256,
    encoding: EcdsaEncoding::P1363,
};

fn signing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sign");
    for (name, scheme) in SCHEMES {
        let key = named(name).private();
        let mut signature_out = vec![0; key.signature_len_bytes()];
        group.bench_function(BenchmarkId::new("alacrypt", name), |bencher| {
            bencher.iter(|| {
                let message = Message::Whole(black_box(&MESSAGE));
                sign(&key, &scheme, message, &mut signature_out).unwrap()
            });
        });
    }
    rival_signing(&mut group);
    group.finish();
}

fn rival_signing(group: &mut BenchmarkGroup<'_, WallTime>) {
    let key = ed25519_dalek::SigningKey::from_bytes(&[0x17; 32]);
    group.bench_function(BenchmarkId::new("ed25519-dalek", "Ed25519"), |bencher| {
        bencher.iter(|| key.sign(black_box(&MESSAGE)));
    });
    let key = p256::ecdsa::SigningKey::from_slice(&[0x17; 32]).unwrap();
    group.bench_function(BenchmarkId::new("p256", "P256"), |bencher| {
        bencher.iter(|| -> p256::ecdsa::Signature { key.sign(black_box(&MESSAGE)) });
    });
}

fn verifying(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("verify");
    for (name, scheme) in SCHEMES {
        let entry = named(name);
        let (public, private) = (entry.public(), entry.private());
        let message = Message::Whole(&MESSAGE);
        let mut signature = vec![0; private.signature_len_bytes()];
        let len = sign(&private, &scheme, message, &mut signature).unwrap();
        signature.truncate(len);
        group.bench_function(BenchmarkId::new("alacrypt", name), |bencher| {
            bencher.iter(|| {
                let message = Message::Whole(black_box(&MESSAGE));
                verify(&public, &scheme, message, &signature).unwrap();
            });
        });
    }
    rival_verifying(&mut group);
    group.finish();
}

fn rival_verifying(group: &mut BenchmarkGroup<'_, WallTime>) {
    let key = ed25519_dalek::SigningKey::from_bytes(&[0x17; 32]);
    let signature = key.sign(&MESSAGE);
    let key = key.verifying_key();
    group.bench_function(BenchmarkId::new("ed25519-dalek", "Ed25519"), |bencher| {
        bencher.iter(|| key.verify(black_box(&MESSAGE), &signature).unwrap());
    });
    let key = p256::ecdsa::SigningKey::from_slice(&[0x17; 32]).unwrap();
    let signature: p256::ecdsa::Signature = key.sign(&MESSAGE);
    let key = *key.verifying_key();
    group.bench_function(BenchmarkId::new("p256", "P256"), |bencher| {
        bencher.iter(|| key.verify(black_box(&MESSAGE), &signature).unwrap());
    });
}

criterion_group!(benches, signing, verifying);
criterion_main!(benches);

//! What keys take of the heap: measured, and checked by `tests/footprint.rs`.

use super::kind::{Curve, KeyKind};
use super::private::PrivateKey;
use super::public::PublicKey;

impl PublicKey {
    /// About how many bytes of the heap the key takes once it was used; those of the value itself are
    /// not among them. It is an estimate for accounting, from the key's kind and size.
    #[must_use]
    pub fn heap_len_bytes(&self) -> usize {
        let bits = self.bits().unwrap_or(0);
        match self.kind() {
            // The modulus, and what is computed from it once: some multiples of it.
            KeyKind::Rsa | KeyKind::RsaPss => 610 + bits / 2,
            KeyKind::Ec(Curve::Secp256k1) => 100,
            KeyKind::Ec(_) => 310,
            KeyKind::Ed25519 | KeyKind::X25519 => 0,
            kind => 105 + raw_len_bytes(kind).0,
        }
    }
}

impl PrivateKey {
    /// As [`PublicKey::heap_len_bytes`].
    #[must_use]
    pub fn heap_len_bytes(&self) -> usize {
        let bits = self.bits().unwrap_or(0);
        match self.kind() {
            // With its two primes and their blinding.
            KeyKind::Rsa | KeyKind::RsaPss => 1600 + 2 * bits,
            KeyKind::Ec(Curve::Secp256k1) => 48,
            KeyKind::Ec(_) => 400,
            KeyKind::Ed25519 => 72,
            KeyKind::X25519 => 48,
            kind => {
                let (public_len, private_len) = raw_len_bytes(kind);
                180 + public_len + private_len
            }
        }
    }
}

/// The lengths of the expanded keys of ML-DSA and ML-KEM, public and private.
fn raw_len_bytes(kind: KeyKind) -> (usize, usize) {
    match (kind.ml_dsa(), kind.ml_kem()) {
        (Some(set), _) => (set.public_len_bytes, set.private_len_bytes),
        (None, Some(set)) => (set.public_len_bytes(), set.private_len_bytes()),
        (None, None) => (0, 0),
    }
}

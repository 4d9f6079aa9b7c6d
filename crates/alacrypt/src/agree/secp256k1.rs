//! ECDH on secp256k1 by RustCrypto's k256.

use k256::elliptic_curve::point::AffineCoordinates;
use zeroize::{Zeroizing, zeroize_stack};

use crate::key::Secp256k1Private;

/// More stack than a multiplication of any point uses in a release build: a thread with as much in
/// all does it.
const STACK_LEN_BYTES: usize = 16 * 1024;

/// The shared point's first coordinate. The curve's order is prime and the peer's point is not the
/// one at infinity, so neither is the shared one.
pub(super) fn agree(key: &Secp256k1Private, peer: &k256::PublicKey, secret_out: &mut [u8; 32]) {
    agree_on_stack(key, peer, secret_out);
    zeroize_stack::<STACK_LEN_BYTES>();
}

#[inline(never)]
fn agree_on_stack(key: &Secp256k1Private, peer: &k256::PublicKey, secret_out: &mut [u8; 32]) {
    let scalar = Zeroizing::new(key.secret().to_nonzero_scalar());
    let shared = (peer.to_projective() * scalar.as_ref()).to_affine();
    secret_out.copy_from_slice(&shared.x());
}

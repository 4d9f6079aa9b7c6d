//! ECDSA on secp256k1 by RustCrypto's k256.

use ecdsa::hazmat::{sign_prehashed_rfc6979, verify_prehashed};
use k256::sha2::Sha256;
use k256::{FieldBytes, Secp256k1};
use zeroize::{Zeroizing, zeroize_stack};

use crate::error::Error;
use crate::ffi;
use crate::key::{K256_STACK_LEN_BYTES, Secp256k1Private};

type Signature = ecdsa::Signature<Secp256k1>;

/// The two numbers, 32 bytes each; the second is in the lower half of its range.
///
/// The ephemeral number is that of RFC 6979, section 3.6, with fresh random bytes as additional
/// data: neither a weak generator nor a fault that repeats a computation gives the key away, and
/// two signatures of one message differ, as OpenSSL's do.
pub(super) fn sign(key: &Secp256k1Private, digest: &[u8]) -> Result<[u8; 64], Error> {
    let mut additional = Zeroizing::new([0; 32]);
    ffi::rand::fill(additional.as_mut_slice())?;
    let signature = sign_on_stack(key, digest, &additional);
    zeroize_stack::<K256_STACK_LEN_BYTES>();
    Ok(signature)
}

#[inline(never)]
fn sign_on_stack(key: &Secp256k1Private, digest: &[u8], additional: &[u8; 32]) -> [u8; 64] {
    let scalar = Zeroizing::new(key.secret().to_nonzero_scalar());
    let (signature, _) = sign_prehashed_rfc6979::<Secp256k1, Sha256>(&scalar, digest, additional);
    signature.to_bytes().into()
}

/// Whether the numbers, of at most 32 bytes each, are a signature of the digest.
pub(super) fn verify(key: &k256::PublicKey, digest: &[u8], r: &[u8], s: &[u8]) -> bool {
    let (Some(r), Some(s)) = (field_bytes(r), field_bytes(s)) else {
        return false;
    };
    // k256 refuses a second number in the upper half of its range; half of OpenSSL's are there.
    Signature::from_scalars(r, s).is_ok_and(|signature| {
        verify_prehashed(&key.to_projective(), digest, &signature.normalize_s()).is_ok()
    })
}

fn field_bytes(number: &[u8]) -> Option<FieldBytes> {
    let mut bytes = FieldBytes::default();
    let start = bytes.len().checked_sub(number.len())?;
    bytes.get_mut(start..)?.copy_from_slice(number);
    Some(bytes)
}

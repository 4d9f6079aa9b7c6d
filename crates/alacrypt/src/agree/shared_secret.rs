use super::secp256k1;
use crate::error::{Error, Misuse};
use crate::ffi::curve25519;
use crate::key::{Curve, KeyKind, Private, PrivateKey, Public, PublicKey};

/// The length of the secret that two keys of that kind share: 32 bytes, or a coordinate's
/// ([`Curve::coordinate_len_bytes`]). `None` for a kind that does not agree keys.
///
/// ```
/// use alacrypt::agree::secret_len_bytes;
/// use alacrypt::key::{Curve, KeyKind};
///
/// assert_eq!(secret_len_bytes(KeyKind::Ec(Curve::P521)), Some(66));
/// assert_eq!(secret_len_bytes(KeyKind::Ed25519), None);
/// ```
#[must_use]
pub fn secret_len_bytes(kind: KeyKind) -> Option<usize> {
    match kind {
        KeyKind::X25519 => Some(32),
        KeyKind::Ec(curve) => Some(curve.coordinate_len_bytes()),
        _ => None,
    }
}

/// Writes the secret that the two keys' owners share to the start of `secret_out` and returns its
/// length ([`secret_len_bytes`]).
///
/// `secret_out` has room for that; no byte behind it is written.
///
/// # Errors
///
/// [`Misuse::KeyKind`] where the keys do not agree keys, or not with each other, and
/// [`Misuse::OutputLength`] where `secret_out` is too short. [`Error::Rejected`] for an X25519 key
/// of small order, with which the secret is all zeros (RFC 7748, section 6.1).
pub fn shared_secret(
    private: &PrivateKey,
    public: &PublicKey,
    secret_out: &mut [u8],
) -> Result<usize, Error> {
    match (private.inner(), public.inner()) {
        (Private::X25519(scalar), Public::X25519(point)) => {
            let secret_out = room::<32>(secret_out)?;
            if curve25519::x25519(scalar, point, secret_out) {
                Ok(secret_out.len())
            } else {
                Err(Error::Rejected)
            }
        }
        (Private::Ec(curve, key), Public::Ec(other, peer)) if curve == other => {
            let secret_out = secret_out
                .get_mut(..curve.coordinate_len_bytes())
                .ok_or(Error::Misuse(Misuse::OutputLength))?;
            key.agree(peer, secret_out)?;
            Ok(secret_out.len())
        }
        (Private::Secp256k1(key), Public::Secp256k1(peer)) => {
            const LEN: usize = Curve::Secp256k1.coordinate_len_bytes();
            secp256k1::agree(key, peer, room::<LEN>(secret_out)?);
            Ok(LEN)
        }
        _ => Err(Error::Misuse(Misuse::KeyKind)),
    }
}

fn room<const LEN: usize>(secret_out: &mut [u8]) -> Result<&mut [u8; LEN], Error> {
    secret_out
        .first_chunk_mut()
        .ok_or(Error::Misuse(Misuse::OutputLength))
}

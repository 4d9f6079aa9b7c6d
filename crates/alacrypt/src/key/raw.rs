//! Keys by the bytes that tell all of them: a private number, a seed, a point.

use zeroize::Zeroizing;

use super::kind::KeyKind;
use super::private::{Private, PrivateKey};
use super::public::{Public, PublicKey};
use super::{PointForm, ec};
use crate::error::{Error, Misuse};
use crate::ffi::curve25519;
use crate::ffi::evp_pkey::Pkey;

impl PrivateKey {
    /// The key of `secret`: a big-endian number of any length for a curve; the 32 bytes of RFC 8032,
    /// section 5.1.5, or RFC 7748, section 5, for Ed25519 and X25519; for ML-DSA the seed of FIPS
    /// 204, algorithm 1, of 32 bytes, and for ML-KEM the two of FIPS 203, algorithm 16, of 64.
    ///
    /// # Errors
    ///
    /// [`Error::Rejected`] for what is of another length, or no number of a key on the curve, and
    /// [`Error::Unsupported`] for RSA.
    pub fn from_secret(kind: KeyKind, secret: &[u8]) -> Result<Self, Error> {
        let inner = match kind {
            KeyKind::Ec(curve) => return Self::from_ec_number(curve, secret),
            KeyKind::Ed25519 => {
                let seed = secret.try_into().map_err(|_| Error::Rejected)?;
                let mut private = Box::new(Zeroizing::new([0; 64]));
                curve25519::ed25519_key_pair(seed, &mut private);
                Private::Ed25519(private)
            }
            KeyKind::X25519 => {
                let mut private = Box::new(Zeroizing::new([0; 32]));
                let room = (secret.len() == private.len()).then_some(&mut private);
                room.ok_or(Error::Rejected)?.copy_from_slice(secret);
                Private::X25519(private)
            }
            KeyKind::MlDsa44 | KeyKind::MlDsa65 | KeyKind::MlDsa87 => {
                let set = kind.ml_dsa().ok_or(Error::Unsupported)?;
                let seed: &[u8; 32] = secret.try_into().map_err(|_| Error::Rejected)?;
                Private::MlDsa(Pkey::ml_dsa_private(set.nid, seed)?)
            }
            KeyKind::MlKem512 | KeyKind::MlKem768 | KeyKind::MlKem1024 => {
                let set = kind.ml_kem().ok_or(Error::Unsupported)?;
                let seed = secret.try_into().map_err(|_| Error::Rejected)?;
                Private::MlKem(Pkey::ml_kem_from_seed(set.nid, seed)?)
            }
            KeyKind::Rsa | KeyKind::RsaPss => return Err(Error::Unsupported),
        };
        Ok(Self::new(kind, inner))
    }
}

impl PublicKey {
    /// Writes the key to the start of `raw_out` as `subjectPublicKey` holds it, a point uncompressed,
    /// and returns its length ([`KeyKind::raw_public_len_bytes`]).
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for RSA, and [`Misuse::OutputLength`] where `raw_out` is too short.
    pub fn raw(&self, raw_out: &mut [u8]) -> Result<usize, Error> {
        let len = self.kind().raw_public_len_bytes();
        let raw_out = len.ok_or(Error::Unsupported).and_then(|len| {
            raw_out
                .get_mut(..len)
                .ok_or(Error::Misuse(Misuse::OutputLength))
        })?;
        match self.inner() {
            Public::Rsa(_) | Public::RsaPss(..) => return Err(Error::Unsupported),
            Public::Ec(..) | Public::Secp256k1(_) => {
                return self.ec_point(PointForm::Uncompressed, raw_out);
            }
            Public::Ed25519(raw) | Public::X25519(raw) => raw_out.copy_from_slice(raw),
            Public::MlDsa(key) | Public::MlKem(key) => key.raw_public(raw_out)?,
        }
        Ok(raw_out.len())
    }
}

impl KeyKind {
    /// The length in bytes of a public key as `subjectPublicKey` holds it, a point uncompressed;
    /// `None` for RSA, where it depends on the key.
    #[must_use]
    pub fn raw_public_len_bytes(self) -> Option<usize> {
        match self {
            Self::Rsa | Self::RsaPss => None,
            Self::Ec(curve) => Some(ec::uncompressed_len_bytes(curve)),
            Self::Ed25519 | Self::X25519 => Some(32),
            _ => self
                .ml_dsa()
                .map(|set| set.public_len_bytes)
                .or_else(|| self.ml_kem().map(|set| set.public_len_bytes())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Curve;

    const KINDS: [(KeyKind, usize); 12] = [
        (KeyKind::Ec(Curve::P256), 32),
        (KeyKind::Ec(Curve::P384), 48),
        (KeyKind::Ec(Curve::P521), 66),
        (KeyKind::Ec(Curve::Secp256k1), 32),
        (KeyKind::Ed25519, 32),
        (KeyKind::X25519, 32),
        (KeyKind::MlDsa44, 32),
        (KeyKind::MlDsa65, 32),
        (KeyKind::MlDsa87, 32),
        (KeyKind::MlKem512, 64),
        (KeyKind::MlKem768, 64),
        (KeyKind::MlKem1024, 64),
    ];

    fn raw(key: &PublicKey) -> Vec<u8> {
        let mut raw = vec![0; 3000];
        let len = key.raw(&mut raw).unwrap();
        assert_eq!(Some(len), key.kind().raw_public_len_bytes());
        assert!(raw[len..].iter().all(|byte| *byte == 0));
        raw.truncate(len);
        raw
    }

    /// RFC 8032, section 7.1, test 1, and the first step of RFC 7748, section 5.2.
    #[test]
    fn known_public_halves() {
        let bytes = |hex: &str| -> Vec<u8> {
            (0..hex.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
                .collect()
        };
        for (kind, secret, public) in [
            (
                KeyKind::Ed25519,
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            ),
            (
                KeyKind::X25519,
                "0900000000000000000000000000000000000000000000000000000000000000",
                "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
            ),
        ] {
            let key = PrivateKey::from_secret(kind, &bytes(secret)).unwrap();
            assert_eq!(raw(&key.public_key().unwrap()), bytes(public), "{kind:?}");
        }
    }

    /// A pair made of a secret works, and its public half is read back from its bytes.
    #[test]
    fn pairs() {
        for (kind, secret_len) in KINDS {
            let mut secret = vec![0x2b; secret_len];
            // Below the order of P-521.
            secret[0] = 0;
            let private = PrivateKey::from_secret(kind, &secret).unwrap();
            let public = private.public_key().unwrap();
            assert_eq!((private.kind(), public.kind()), (kind, kind));
            let bytes = raw(&public);
            let again = PrivateKey::from_secret(kind, &secret).unwrap();
            assert_eq!(raw(&again.public_key().unwrap()), bytes, "{kind:?}");
            // Not in the second half, which decides nothing of an ML-KEM key.
            secret[1] ^= 1;
            let other = PrivateKey::from_secret(kind, &secret).unwrap();
            assert_ne!(raw(&other.public_key().unwrap()), bytes, "{kind:?}");
            let mut short = vec![0; bytes.len() - 1];
            assert_eq!(
                public.raw(&mut short),
                Err(Error::Misuse(Misuse::OutputLength)),
                "{kind:?}"
            );
        }
    }

    #[test]
    fn lengths_and_numbers_that_are_none() {
        for (kind, secret_len) in KINDS {
            let wrong: [&[u8]; 3] = match kind {
                KeyKind::Ec(_) => [&vec![0; secret_len], &vec![0xff; secret_len], &[]],
                _ => [&vec![7; secret_len - 1], &vec![7; secret_len + 1], &[]],
            };
            for secret in wrong {
                let found = PrivateKey::from_secret(kind, secret).err();
                assert_eq!(found, Some(Error::Rejected), "{kind:?}, {}", secret.len());
            }
        }
        for kind in [KeyKind::Rsa, KeyKind::RsaPss] {
            let found = PrivateKey::from_secret(kind, &[7; 32]).err();
            assert_eq!(found, Some(Error::Unsupported));
        }
    }
}

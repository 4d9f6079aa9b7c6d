use core::fmt;

use super::algorithm::Identifier;
use super::der::Reader;
use super::kind::{Curve, KeyKind};
use super::pss::PssRestrictions;
use super::{ed25519, rsa, secp256k1};
use crate::Error;
use crate::ffi::ec_key::EcKey;
use crate::ffi::evp_pkey::Pkey;
use crate::ffi::rsa::Rsa;
use crate::sign::Scheme;

/// A public key, read once and used many times, from any number of threads at once.
///
/// ```
/// use alacrypt::key::{KeyKind, PublicKey};
///
/// // RFC 8410, section 10.1.
/// let spki = [
///     0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00, 0x19, 0xbf, 0x44,
///     0x09, 0x69, 0x84, 0xcd, 0xfe, 0x85, 0x41, 0xba, 0xc1, 0x67, 0xdc, 0x3b, 0x96, 0xc8, 0x50,
///     0x86, 0xaa, 0x30, 0xb6, 0xb6, 0xcb, 0x0c, 0x5c, 0x38, 0xad, 0x70, 0x31, 0x66, 0xe1,
/// ];
/// let key = PublicKey::from_spki_der(&spki)?;
/// assert_eq!(key.kind(), KeyKind::Ed25519);
/// # Ok::<(), alacrypt::Error>(())
/// ```
pub struct PublicKey {
    kind: KeyKind,
    inner: Public,
}

pub(crate) enum Public {
    Rsa(Rsa),
    /// For PSS alone, and as far as it is restricted.
    RsaPss(Rsa, Option<PssRestrictions>),
    /// On a curve of AWS-LC's.
    Ec(Curve, EcKey),
    Secp256k1(Box<k256::PublicKey>),
    Ed25519([u8; 32]),
    X25519([u8; 32]),
    MlDsa(Pkey),
    MlKem(Pkey),
}

impl PublicKey {
    /// Reads a `SubjectPublicKeyInfo` in DER (RFC 5280, section 4.1.2.7), all of `spki`.
    ///
    /// # Errors
    ///
    /// [`Error::Rejected`] for what is not one, and for a point off its curve.
    /// [`Error::Unsupported`] for a key that is well formed, but of another kind than those of
    /// [`KeyKind`]: RSA restricted to PSS with digests or
    /// trailers that are not known here, an RSA modulus below 512 or above 16,384 bits or an
    /// exponent that is even, 1 or above 33 bits, explicit curve parameters, other curves, hybrid
    /// points; and for an Ed25519 key that is of small order or not reduced.
    pub fn from_spki_der(spki: &[u8]) -> Result<Self, Error> {
        let mut outer = Reader::new(spki);
        let mut info = outer.sequence()?;
        outer.finish()?;
        let algorithm = Identifier::read(&mut info)?;
        let bits = info.bytes_of_bit_string()?;
        info.finish()?;
        let kind = KeyKind::of_algorithm(algorithm).ok_or(Error::Unsupported)?;
        if kind == KeyKind::RsaPss {
            let restrictions = PssRestrictions::of_algorithm(algorithm)?;
            let inner = Public::RsaPss(rsa::public(bits)?, restrictions);
            return Ok(Self { kind, inner });
        }
        Self::from_raw(kind, bits)
    }

    /// The key of the contents of `subjectPublicKey`, of a kind that has no parameters.
    fn from_raw(kind: KeyKind, raw: &[u8]) -> Result<Self, Error> {
        let inner = match kind {
            KeyKind::Rsa => Public::Rsa(rsa::public(raw)?),
            KeyKind::RsaPss => Public::RsaPss(rsa::public(raw)?, None),
            KeyKind::Ec(curve) => {
                check_point_form(raw)?;
                match curve.group() {
                    Some(group) => Public::Ec(curve, EcKey::public(group, raw)?),
                    None => Public::Secp256k1(Box::new(secp256k1::public(raw)?)),
                }
            }
            KeyKind::Ed25519 => {
                let raw = raw.try_into().map_err(|_| Error::Rejected)?;
                if !ed25519::is_plain(&raw) {
                    return Err(Error::Unsupported);
                }
                Public::Ed25519(raw)
            }
            KeyKind::X25519 => Public::X25519(raw.try_into().map_err(|_| Error::Rejected)?),
            KeyKind::MlDsa44 | KeyKind::MlDsa65 | KeyKind::MlDsa87 => {
                let set = kind.ml_dsa().ok_or(Error::Unsupported)?;
                Public::MlDsa(Pkey::ml_dsa_public(set.nid, raw)?)
            }
            KeyKind::MlKem512 | KeyKind::MlKem768 | KeyKind::MlKem1024 => {
                let set = kind.ml_kem().ok_or(Error::Unsupported)?;
                Public::MlKem(Pkey::ml_kem_public(set.nid, raw)?)
            }
        };
        Ok(Self { kind, inner })
    }

    pub(super) fn new(kind: KeyKind, inner: Public) -> Self {
        Self { kind, inner }
    }

    pub(crate) fn inner(&self) -> &Public {
        &self.inner
    }

    /// The algorithm and parameter set.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// Whether the key prescribes nothing else for that scheme, as one for PSS may (RFC 4055, section
    /// 3.3). Where it does, [`crate::sign::verify`] is
    /// [`Error::Unsupported`].
    #[must_use]
    pub fn permits(&self, scheme: &Scheme<'_>) -> bool {
        match &self.inner {
            Public::RsaPss(_, Some(restrictions)) => restrictions.permit(scheme),
            _ => true,
        }
    }

    /// The length in bits of an RSA modulus or of a curve's order; `None` for the other kinds,
    /// whose name tells all.
    #[must_use]
    pub fn bits(&self) -> Option<usize> {
        match (&self.inner, self.kind) {
            (Public::Rsa(key) | Public::RsaPss(key, _), _) => Some(key.bits()),
            (_, KeyKind::Ec(curve)) => Some(curve.order_bits()),
            _ => None,
        }
    }

    /// The longest signature that verifies under this key, in bytes; 0 for a kind that does not
    /// sign. Only ECDSA signatures in DER are ever shorter.
    #[must_use]
    pub fn signature_len_bytes(&self) -> usize {
        match &self.inner {
            Public::Rsa(key) | Public::RsaPss(key, _) => key.size_bytes(),
            _ => self.kind.signature_len_bytes(),
        }
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicKey")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// Refuses the forms of a point (SEC 1, section 2.3.3; ANSI X9.62, section 4.3.6) that are neither
/// compressed nor uncompressed.
pub(super) fn check_point_form(point: &[u8]) -> Result<(), Error> {
    match point {
        [2..=4, ..] => Ok(()),
        // Hybrid, which AWS-LC and k256 do not read.
        [6 | 7, ..] => Err(Error::Unsupported),
        _ => Err(Error::Rejected),
    }
}

use core::fmt;

use zeroize::Zeroizing;

use super::algorithm::Identifier;
use super::der::{self, Reader};
use super::kind::{Curve, KeyKind};
use super::pss::PssRestrictions;
use super::public::{Public, PublicKey, check_point_form};
use super::{post_quantum, rsa, secp256k1};
use crate::Error;
use crate::ffi::curve25519;
use crate::ffi::ec_key::EcKey;
use crate::ffi::evp_pkey::Pkey;
use crate::ffi::rsa::Rsa;
use crate::sign::Scheme;

/// A private key, read once and used many times, from any number of threads at once. It is wiped
/// when it is dropped.
///
/// ```
/// use alacrypt::key::{KeyKind, PrivateKey};
///
/// // RFC 8410, section 10.3.
/// let pkcs8 = [
///     0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04,
///     0x20, 0xd4, 0xee, 0x72, 0xdb, 0xf9, 0x13, 0x58, 0x4a, 0xd5, 0xb6, 0xd8, 0xf1, 0xf7, 0x69,
///     0xf8, 0xad, 0x3a, 0xfe, 0x7c, 0x28, 0xcb, 0xf1, 0xd4, 0xfb, 0xe0, 0x97, 0xa8, 0x8f, 0x44,
///     0x75, 0x58, 0x42,
/// ];
/// let key = PrivateKey::from_pkcs8_der(&pkcs8)?;
/// assert_eq!(key.kind(), KeyKind::Ed25519);
/// assert_eq!(format!("{key:?}"), "PrivateKey { kind: Ed25519, .. }");
/// # Ok::<(), alacrypt::Error>(())
/// ```
pub struct PrivateKey {
    kind: KeyKind,
    inner: Private,
}

pub(crate) enum Private {
    Rsa(Rsa),
    /// For PSS alone, and as far as it is restricted.
    RsaPss(Rsa, Option<PssRestrictions>),
    /// On a curve of AWS-LC's.
    Ec(Curve, EcKey),
    Secp256k1(secp256k1::Private),
    /// The seed followed by the public key.
    Ed25519(Box<Zeroizing<[u8; 64]>>),
    X25519(Box<Zeroizing<[u8; 32]>>),
    MlDsa(Pkey),
    MlKem(Pkey),
}

impl PrivateKey {
    /// Reads a `PrivateKeyInfo` in DER (RFC 5208, section 5), all of `pkcs8`, that is not
    /// encrypted and has no attributes.
    ///
    /// That the numbers of an RSA key belong together is checked when it signs, not here, and a
    /// point that comes with a private number is taken for that number's.
    ///
    /// # Errors
    ///
    /// [`Error::Rejected`] for what is not one, for a number out of its range, and for a seed that
    /// does not expand to the key beside it. [`Error::Unsupported`] for a key that is well formed,
    /// but of another kind than those of [`KeyKind`] (see [`PublicKey::from_spki_der`]), with more
    /// than two primes, with attributes, or with its public key outside its private one.
    pub fn from_pkcs8_der(pkcs8: &[u8]) -> Result<Self, Error> {
        let mut outer = Reader::new(pkcs8);
        let mut info = outer.sequence()?;
        outer.finish()?;
        let version = info.unsigned()?;
        let algorithm = Identifier::read(&mut info)?;
        let raw = info.read(der::OCTET_STRING)?;
        // RFC 5958, section 2: attributes and, from version 2 on, a public key may follow.
        if !version.is_empty() || !info.is_empty() {
            return Err(Error::Unsupported);
        }
        let kind = KeyKind::of_algorithm(algorithm).ok_or(Error::Unsupported)?;
        if kind == KeyKind::RsaPss {
            let restrictions = PssRestrictions::of_algorithm(algorithm)?;
            let inner = Private::RsaPss(rsa::private(raw)?, restrictions);
            return Ok(Self { kind, inner });
        }
        Self::from_raw(kind, raw)
    }

    /// The key of the contents of `privateKey`, of a kind that has no parameters.
    fn from_raw(kind: KeyKind, raw: &[u8]) -> Result<Self, Error> {
        let inner = match kind {
            KeyKind::Rsa => Private::Rsa(rsa::private(raw)?),
            KeyKind::RsaPss => Private::RsaPss(rsa::private(raw)?, None),
            KeyKind::Ec(curve) => ec(curve, raw)?,
            KeyKind::Ed25519 => {
                let mut private = Box::new(Zeroizing::new([0; 64]));
                curve25519::ed25519_key_pair(curve_private_key(raw)?, &mut private);
                Private::Ed25519(private)
            }
            KeyKind::X25519 => {
                let mut private = Box::new(Zeroizing::new([0; 32]));
                private.copy_from_slice(curve_private_key(raw)?);
                Private::X25519(private)
            }
            KeyKind::MlDsa44 | KeyKind::MlDsa65 | KeyKind::MlDsa87 => {
                Private::MlDsa(post_quantum::ml_dsa_private(kind, raw)?)
            }
            KeyKind::MlKem512 | KeyKind::MlKem768 | KeyKind::MlKem1024 => {
                Private::MlKem(post_quantum::ml_kem_private(kind, raw)?)
            }
        };
        Ok(Self { kind, inner })
    }

    pub(super) fn new(kind: KeyKind, inner: Private) -> Self {
        Self { kind, inner }
    }

    pub(crate) fn inner(&self) -> &Private {
        &self.inner
    }

    /// The public half, in an object of its own.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`] when memory runs out.
    pub fn public_key(&self) -> Result<PublicKey, Error> {
        let inner = match &self.inner {
            Private::Rsa(key) => Public::Rsa(key.to_public()?),
            Private::RsaPss(key, restrictions) => Public::RsaPss(key.to_public()?, *restrictions),
            Private::Ec(curve, key) => Public::Ec(*curve, key.to_public()?),
            Private::Secp256k1(key) => Public::Secp256k1(Box::new(key.public())),
            Private::Ed25519(private) => {
                let (_, public) = private.split_last_chunk().ok_or(Error::Backend)?;
                Public::Ed25519(*public)
            }
            Private::X25519(private) => Public::X25519(curve25519::x25519_public(private)),
            Private::MlDsa(key) => Public::MlDsa(post_quantum::ml_dsa_public_of(self.kind, key)?),
            Private::MlKem(key) => Public::MlKem(post_quantum::ml_kem_public_of(self.kind, key)?),
        };
        Ok(PublicKey::new(self.kind, inner))
    }

    /// The algorithm and parameter set.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// Whether the key prescribes nothing else for that scheme, as one for PSS may (RFC 4055, section
    /// 3.3). Where it does, [`crate::sign::sign`] is
    /// [`Error::Unsupported`].
    #[must_use]
    pub fn permits(&self, scheme: &Scheme<'_>) -> bool {
        match &self.inner {
            Private::RsaPss(_, Some(restrictions)) => restrictions.permit(scheme),
            _ => true,
        }
    }

    /// The length in bits of an RSA modulus or of a curve's order; `None` for the other kinds,
    /// whose name tells all.
    #[must_use]
    pub fn bits(&self) -> Option<usize> {
        match (&self.inner, self.kind) {
            (Private::Rsa(key) | Private::RsaPss(key, _), _) => Some(key.bits()),
            (_, KeyKind::Ec(curve)) => Some(curve.order_bits()),
            _ => None,
        }
    }

    /// The longest signature that the key makes, in bytes: the room that [`crate::sign::sign`]
    /// wants; 0 for a kind that does not sign. Only ECDSA signatures are ever shorter.
    #[must_use]
    pub fn signature_len_bytes(&self) -> usize {
        match &self.inner {
            Private::Rsa(key) | Private::RsaPss(key, _) => key.size_bytes(),
            _ => self.kind.signature_len_bytes(),
        }
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKey")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// An `ECPrivateKey` (RFC 5915, section 3).
fn ec(curve: Curve, raw: &[u8]) -> Result<Private, Error> {
    let mut outer = Reader::new(raw);
    let mut key = outer.sequence()?;
    outer.finish()?;
    if key.unsigned()? != [1] {
        return Err(Error::Rejected);
    }
    let scalar = key.read(der::OCTET_STRING)?;
    if key.is_next(der::CONTEXT_0_CONSTRUCTED) {
        // The curve again, which must be the same.
        let mut parameters = Reader::new(key.read(der::CONTEXT_0_CONSTRUCTED)?);
        if !parameters.is_next(der::OBJECT_IDENTIFIER) {
            return Err(Error::Unsupported);
        }
        let oid = parameters.read(der::OBJECT_IDENTIFIER)?;
        parameters.finish()?;
        if Curve::of_oid(oid) != Some(curve) {
            return Err(Error::Rejected);
        }
    }
    let mut point = None;
    if key.is_next(der::CONTEXT_1_CONSTRUCTED) {
        let mut public = Reader::new(key.read(der::CONTEXT_1_CONSTRUCTED)?);
        let bytes = public.bytes_of_bit_string()?;
        public.finish()?;
        check_point_form(bytes)?;
        point = Some(bytes);
    }
    key.finish()?;
    Ok(match curve.group() {
        Some(group) => Private::Ec(curve, EcKey::private(group, scalar, point)?),
        None => Private::Secp256k1(secp256k1::Private::new(scalar, point)?),
    })
}

/// A `CurvePrivateKey` (RFC 8410, section 7).
fn curve_private_key(raw: &[u8]) -> Result<&[u8; 32], Error> {
    let mut outer = Reader::new(raw);
    let key = outer.read(der::OCTET_STRING)?;
    outer.finish()?;
    key.try_into().map_err(|_| Error::Rejected)
}

use crate::ffi::ec_key::EcGroup;
use crate::ffi::evp_pkey::Nid;

/// An elliptic curve in Weierstrass form: NIST SP 800-186, section 3.2.1, and SEC 2, section 2.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Curve {
    /// P-256, also `prime256v1` and `secp256r1`.
    P256,
    /// P-384, also `secp384r1`.
    P384,
    /// P-521, also `secp521r1`.
    P521,
    /// secp256k1.
    Secp256k1,
}

impl Curve {
    /// The length of a coordinate in bytes, which is also that of a number below the order.
    #[must_use]
    pub const fn coordinate_len_bytes(self) -> usize {
        match self {
            Self::P256 | Self::Secp256k1 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }

    /// The length of the group's order in bits.
    #[must_use]
    pub const fn order_bits(self) -> usize {
        match self {
            Self::P256 | Self::Secp256k1 => 256,
            Self::P384 => 384,
            Self::P521 => 521,
        }
    }

    /// The longest signature in DER, in bytes: a sequence of two integers, each of which may need
    /// a byte of zero in front.
    #[must_use]
    pub(crate) const fn der_signature_max_len_bytes(self) -> usize {
        // The order of P-521 fills one bit of its first byte, so no zero is ever put in front.
        match self {
            Self::P256 | Self::Secp256k1 => 2 + 2 * (2 + 1 + 32),
            Self::P384 => 2 + 2 * (2 + 1 + 48),
            Self::P521 => 3 + 2 * (2 + 66),
        }
    }

    /// AWS-LC's group, or `None` for the curve that is k256's.
    pub(super) fn group(self) -> Option<EcGroup> {
        Some(match self {
            Self::P256 => EcGroup::p256(),
            Self::P384 => EcGroup::p384(),
            Self::P521 => EcGroup::p521(),
            Self::Secp256k1 => return None,
        })
    }

    /// The curve of an object identifier's contents (RFC 5480, section 2.1.1.1; SEC 2, A.2.1).
    pub(super) fn of_oid(oid: &[u8]) -> Option<Self> {
        Some(match oid {
            [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07] => Self::P256,
            [0x2b, 0x81, 0x04, 0x00, 0x22] => Self::P384,
            [0x2b, 0x81, 0x04, 0x00, 0x23] => Self::P521,
            [0x2b, 0x81, 0x04, 0x00, 0x0a] => Self::Secp256k1,
            _ => return None,
        })
    }
}

/// What a key is for: its algorithm and parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyKind {
    /// RSA without restrictions (`rsaEncryption`, RFC 8017, A.1): signatures and encryption.
    Rsa,
    /// RSA for signatures with PSS alone (`id-RSASSA-PSS`, RFC 4055, section 1.2). Such a key may
    /// prescribe the digests, and the least length of the salt.
    RsaPss,
    /// ECDSA and ECDH on a curve.
    Ec(Curve),
    /// Ed25519, RFC 8032: signatures.
    Ed25519,
    /// X25519, RFC 7748: key agreement.
    X25519,
    /// ML-DSA-44, FIPS 204: signatures.
    MlDsa44,
    /// ML-DSA-65, FIPS 204: signatures.
    MlDsa65,
    /// ML-DSA-87, FIPS 204: signatures.
    MlDsa87,
    /// ML-KEM-512, FIPS 203: key encapsulation.
    MlKem512,
    /// ML-KEM-768, FIPS 203: key encapsulation.
    MlKem768,
    /// ML-KEM-1024, FIPS 203: key encapsulation.
    MlKem1024,
}

/// The numbers of a parameter set of ML-DSA (FIPS 204, section 4, table 2).
pub(crate) struct MlDsaSet {
    pub(crate) nid: Nid,
    pub(crate) public_len_bytes: usize,
    pub(crate) private_len_bytes: usize,
    pub(crate) signature_len_bytes: usize,
}

/// The numbers of a parameter set of ML-KEM (FIPS 203, section 8, tables 2 and 3).
pub(crate) struct MlKemSet {
    pub(crate) nid: Nid,
    /// The rank of the module, `k`.
    pub(crate) rank: usize,
    pub(crate) ciphertext_len_bytes: usize,
}

impl MlKemSet {
    /// The length of an encapsulation key: FIPS 203, algorithm 13.
    pub(crate) const fn public_len_bytes(&self) -> usize {
        384 * self.rank + 32
    }

    /// The length of a decapsulation key: FIPS 203, algorithm 16.
    pub(crate) const fn private_len_bytes(&self) -> usize {
        768 * self.rank + 96
    }
}

impl KeyKind {
    /// The longest signature in bytes, where the kind alone tells it: 0 for RSA and for a kind
    /// that does not sign.
    pub(super) fn signature_len_bytes(self) -> usize {
        match self {
            Self::Ec(curve) => curve.der_signature_max_len_bytes(),
            Self::Ed25519 => 64,
            _ => self.ml_dsa().map_or(0, |set| set.signature_len_bytes),
        }
    }

    pub(crate) fn ml_dsa(self) -> Option<MlDsaSet> {
        let (nid, public_len_bytes, private_len_bytes, signature_len_bytes) = match self {
            Self::MlDsa44 => (Nid::ML_DSA_44, 1312, 2560, 2420),
            Self::MlDsa65 => (Nid::ML_DSA_65, 1952, 4032, 3309),
            Self::MlDsa87 => (Nid::ML_DSA_87, 2592, 4896, 4627),
            _ => return None,
        };
        Some(MlDsaSet {
            nid,
            public_len_bytes,
            private_len_bytes,
            signature_len_bytes,
        })
    }

    pub(crate) fn ml_kem(self) -> Option<MlKemSet> {
        let (nid, rank, ciphertext_len_bytes) = match self {
            Self::MlKem512 => (Nid::ML_KEM_512, 2, 768),
            Self::MlKem768 => (Nid::ML_KEM_768, 3, 1088),
            Self::MlKem1024 => (Nid::ML_KEM_1024, 4, 1568),
            _ => return None,
        };
        Some(MlKemSet {
            nid,
            rank,
            ciphertext_len_bytes,
        })
    }

    /// The kind of an algorithm identifier (RFC 5280, section 4.1.1.2).
    pub(super) fn of_algorithm(algorithm: super::algorithm::Identifier<'_>) -> Option<Self> {
        use super::algorithm::Parameters;

        let kind = match algorithm.oid {
            // rsaEncryption, RFC 8017, appendix C. Its parameters are NULL.
            [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01] => {
                return (algorithm.parameters == Parameters::Null).then_some(Self::Rsa);
            }
            // id-RSASSA-PSS, RFC 4055, section 1.2. Parameters restrict it further.
            [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a] => return Some(Self::RsaPss),
            // id-ecPublicKey, RFC 5480, section 2.1.1. Explicit parameters name no curve.
            [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01] => {
                let Parameters::Oid(curve) = algorithm.parameters else {
                    return None;
                };
                return Curve::of_oid(curve).map(Self::Ec);
            }
            // RFC 8410, section 3.
            [0x2b, 0x65, 0x6e] => Self::X25519,
            [0x2b, 0x65, 0x70] => Self::Ed25519,
            // NIST's Computer Security Objects Register: id-ml-dsa-*, id-alg-ml-kem-*.
            [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x11] => Self::MlDsa44,
            [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x12] => Self::MlDsa65,
            [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x13] => Self::MlDsa87,
            [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x04, 0x01] => Self::MlKem512,
            [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x04, 0x02] => Self::MlKem768,
            [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x04, 0x03] => Self::MlKem1024,
            _ => return None,
        };
        (algorithm.parameters == Parameters::Absent).then_some(kind)
    }
}

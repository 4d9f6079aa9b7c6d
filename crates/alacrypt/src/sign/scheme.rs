use crate::digest::Algorithm;

/// How a message is signed: the algorithm with its options, which must fit the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scheme<'a> {
    /// RSASSA-PKCS1-v1_5, RFC 8017, section 8.2.
    ///
    /// The digests are MD5, SHA-1, RIPEMD-160, all of SHA-2 and SHA-3, and MD5-SHA1, whose digest
    /// is signed without its name (RFC 4346, section 7.4.3).
    RsaPkcs1v15 {
        /// The digest of the message.
        digest: Algorithm,
    },
    /// RSASSA-PSS, RFC 8017, section 8.1, with the same digests.
    RsaPss {
        /// The digest of the message.
        digest: Algorithm,
        /// The digest inside the mask generation function; usually the same.
        mgf1_digest: Algorithm,
        /// The length of the salt.
        salt_len: SaltLength,
    },
    /// ECDSA, FIPS 186-5, section 6.4, over any digest of fixed length. Of one longer than the
    /// curve's order the leftmost bits count.
    Ecdsa {
        /// The digest of the message.
        digest: Algorithm,
        /// How the signature's two numbers are written.
        encoding: EcdsaEncoding,
    },
    /// Ed25519, RFC 8032, section 5.1: without a context and without hashing in advance.
    Ed25519,
    /// ML-DSA, FIPS 204, section 5.2: without hashing in advance.
    MlDsa {
        /// The context string, of at most 255 bytes; usually empty.
        context: &'a [u8],
    },
}

impl Scheme<'_> {
    /// Whether the scheme has its digests. Where it has not, signing and verifying are
    /// [`Error::Unsupported`](crate::Error::Unsupported) with every key.
    ///
    /// ```
    /// use alacrypt::digest::Algorithm;
    /// use alacrypt::sign::Scheme;
    ///
    /// assert!(Scheme::RsaPkcs1v15 { digest: Algorithm::Sha256 }.is_supported());
    /// assert!(!Scheme::RsaPkcs1v15 { digest: Algorithm::Shake128 }.is_supported());
    /// ```
    #[must_use]
    pub fn is_supported(&self) -> bool {
        match *self {
            Self::RsaPkcs1v15 { digest } => super::rsa::has_name(digest),
            Self::RsaPss {
                digest,
                mgf1_digest,
                ..
            } => digest.fixed_md().is_some() && mgf1_digest.fixed_md().is_some(),
            Self::Ecdsa { digest, .. } => digest.output_len_bytes().is_some(),
            Self::Ed25519 | Self::MlDsa { .. } => true,
        }
    }
}

/// The length of a PSS salt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SaltLength {
    /// This many bytes.
    Bytes(usize),
    /// As long as the message's digest.
    Digest,
    /// When signing, as long as the key has room for; when verifying, whatever length is found.
    Auto,
}

/// How an ECDSA signature's two numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EcdsaEncoding {
    /// A DER sequence of two integers (RFC 3279, section 2.2.3), whose length varies.
    Der,
    /// One after the other, each as long as the curve's order (IEEE P1363).
    P1363,
}

use crate::ffi::md::Md;

/// A digest algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Algorithm {
    /// MD5, RFC 1321: 16 bytes. Broken; for checksums and old protocols only.
    Md5,
    /// SHA-1, FIPS 180-4: 20 bytes. Broken for signatures.
    Sha1,
    /// SHA-224, FIPS 180-4: 28 bytes.
    Sha224,
    /// SHA-256, FIPS 180-4: 32 bytes.
    Sha256,
    /// SHA-384, FIPS 180-4: 48 bytes.
    Sha384,
    /// SHA-512, FIPS 180-4: 64 bytes.
    Sha512,
    /// SHA-512/224, FIPS 180-4: 28 bytes.
    Sha512_224,
    /// SHA-512/256, FIPS 180-4: 32 bytes.
    Sha512_256,
    /// SHA3-224, FIPS 202: 28 bytes.
    Sha3_224,
    /// SHA3-256, FIPS 202: 32 bytes.
    Sha3_256,
    /// SHA3-384, FIPS 202: 48 bytes.
    Sha3_384,
    /// SHA3-512, FIPS 202: 64 bytes.
    Sha3_512,
    /// SHAKE128, FIPS 202: output of any length.
    Shake128,
    /// SHAKE256, FIPS 202: output of any length.
    Shake256,
    /// BLAKE2b with 64 bytes of output, RFC 7693.
    Blake2b512,
    /// BLAKE2s with 32 bytes of output, RFC 7693.
    Blake2s256,
    /// RIPEMD-160, ISO/IEC 10118-3: 20 bytes.
    Ripemd160,
    /// MD5 followed by SHA-1, RFC 2246: 36 bytes.
    Md5Sha1,
}

impl Algorithm {
    /// Every algorithm, in the order of their numbers.
    pub const ALL: [Self; 18] = [
        Self::Md5,
        Self::Sha1,
        Self::Sha224,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
        Self::Sha512_224,
        Self::Sha512_256,
        Self::Sha3_224,
        Self::Sha3_256,
        Self::Sha3_384,
        Self::Sha3_512,
        Self::Shake128,
        Self::Shake256,
        Self::Blake2b512,
        Self::Blake2s256,
        Self::Ripemd160,
        Self::Md5Sha1,
    ];

    /// The digest's length in bytes, or `None` for an extendable-output function.
    #[must_use]
    pub const fn output_len_bytes(self) -> Option<usize> {
        Some(match self {
            Self::Md5 => 16,
            Self::Sha1 | Self::Ripemd160 => 20,
            Self::Sha224 | Self::Sha512_224 | Self::Sha3_224 => 28,
            Self::Sha256 | Self::Sha512_256 | Self::Sha3_256 | Self::Blake2s256 => 32,
            Self::Md5Sha1 => 36,
            Self::Sha384 | Self::Sha3_384 => 48,
            Self::Sha512 | Self::Sha3_512 | Self::Blake2b512 => 64,
            Self::Shake128 | Self::Shake256 => return None,
        })
    }

    /// The length in bytes of the block that the compression function or sponge takes.
    #[must_use]
    pub const fn block_len_bytes(self) -> usize {
        match self {
            Self::Md5
            | Self::Sha1
            | Self::Sha224
            | Self::Sha256
            | Self::Blake2s256
            | Self::Ripemd160
            | Self::Md5Sha1 => 64,
            Self::Sha384
            | Self::Sha512
            | Self::Sha512_224
            | Self::Sha512_256
            | Self::Blake2b512 => 128,
            // FIPS 202, section 6: the rate, 1600 bits less the capacity.
            Self::Sha3_224 => 144,
            Self::Sha3_256 | Self::Shake256 => 136,
            Self::Sha3_384 => 104,
            Self::Sha3_512 => 72,
            Self::Shake128 => 168,
        }
    }

    /// AWS-LC's table for it, or `None` where AWS-LC lacks the algorithm.
    pub(crate) fn md(self) -> Option<Md> {
        Some(match self {
            Self::Md5 => Md::md5(),
            Self::Sha1 => Md::sha1(),
            Self::Sha224 => Md::sha224(),
            Self::Sha256 => Md::sha256(),
            Self::Sha384 => Md::sha384(),
            Self::Sha512 => Md::sha512(),
            Self::Sha512_224 => Md::sha512_224(),
            Self::Sha512_256 => Md::sha512_256(),
            Self::Sha3_224 => Md::sha3_224(),
            Self::Sha3_256 => Md::sha3_256(),
            Self::Sha3_384 => Md::sha3_384(),
            Self::Sha3_512 => Md::sha3_512(),
            Self::Shake128 => Md::shake128(),
            Self::Shake256 => Md::shake256(),
            Self::Md5Sha1 => Md::md5_sha1(),
            Self::Blake2b512 | Self::Blake2s256 | Self::Ripemd160 => return None,
        })
    }
}

impl Algorithm {
    /// AWS-LC's table for what is built on a digest of fixed length inside AWS-LC: also
    /// RIPEMD-160's, although RustCrypto's is the faster one.
    pub(crate) fn fixed_md(self) -> Option<Md> {
        match self {
            Self::Ripemd160 => Some(Md::ripemd160()),
            Self::Shake128 | Self::Shake256 => None,
            _ => self.md(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_positions_in_all() {
        for (position, algorithm) in Algorithm::ALL.into_iter().enumerate() {
            assert_eq!(algorithm as usize, position);
        }
    }

    #[test]
    fn lengths_agree_with_the_library() {
        for algorithm in Algorithm::ALL {
            let (Some(md), Some(len)) = (algorithm.md(), algorithm.output_len_bytes()) else {
                continue;
            };
            assert_eq!(md.size_bytes(), len, "{algorithm:?}");
        }
    }
}

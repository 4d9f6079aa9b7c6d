use crate::ffi::evp_cipher::Cipher as Table;

/// AES works on blocks of 16 bytes.
pub const BLOCK_LEN_BYTES: usize = 16;

/// AES with one length of key, in one mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Algorithm {
    /// AES-128 in CBC mode, SP 800-38A, section 6.2.
    Aes128Cbc,
    /// AES-192 in CBC mode.
    Aes192Cbc,
    /// AES-256 in CBC mode.
    Aes256Cbc,
    /// AES-128 in CTR mode, SP 800-38A, section 6.5.
    Aes128Ctr,
    /// AES-192 in CTR mode.
    Aes192Ctr,
    /// AES-256 in CTR mode.
    Aes256Ctr,
    /// AES-128 in ECB mode, SP 800-38A, section 6.1. Shows which blocks are equal.
    Aes128Ecb,
    /// AES-192 in ECB mode. Shows which blocks are equal.
    Aes192Ecb,
    /// AES-256 in ECB mode. Shows which blocks are equal.
    Aes256Ecb,
    /// AES-128 in CFB mode with segments of a block, SP 800-38A, section 6.3.
    Aes128Cfb,
    /// AES-192 in CFB mode with segments of a block.
    Aes192Cfb,
    /// AES-256 in CFB mode with segments of a block.
    Aes256Cfb,
    /// AES-128 in OFB mode, SP 800-38A, section 6.4.
    Aes128Ofb,
    /// AES-192 in OFB mode.
    Aes192Ofb,
    /// AES-256 in OFB mode.
    Aes256Ofb,
    /// AES-128 in CFB mode with segments of a byte, SP 800-38A, section 6.3.
    Aes128Cfb8,
    /// AES-192 in CFB mode with segments of a byte.
    Aes192Cfb8,
    /// AES-256 in CFB mode with segments of a byte.
    Aes256Cfb8,
    /// AES-128 in CFB mode with segments of a bit, SP 800-38A, section 6.3.
    Aes128Cfb1,
    /// AES-192 in CFB mode with segments of a bit.
    Aes192Cfb1,
    /// AES-256 in CFB mode with segments of a bit.
    Aes256Cfb1,
}

/// What is done with the last block of a message, in ECB and CBC mode; the others need none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Padding {
    /// It is filled up with bytes that say how many they are: RFC 5652, section 6.3.
    Pkcs7,
    /// The message has to be whole blocks.
    None,
}

impl Algorithm {
    /// Every algorithm, in the order of their numbers.
    pub const ALL: [Self; 21] = [
        Self::Aes128Cbc,
        Self::Aes192Cbc,
        Self::Aes256Cbc,
        Self::Aes128Ctr,
        Self::Aes192Ctr,
        Self::Aes256Ctr,
        Self::Aes128Ecb,
        Self::Aes192Ecb,
        Self::Aes256Ecb,
        Self::Aes128Cfb,
        Self::Aes192Cfb,
        Self::Aes256Cfb,
        Self::Aes128Ofb,
        Self::Aes192Ofb,
        Self::Aes256Ofb,
        Self::Aes128Cfb8,
        Self::Aes192Cfb8,
        Self::Aes256Cfb8,
        Self::Aes128Cfb1,
        Self::Aes192Cfb1,
        Self::Aes256Cfb1,
    ];

    /// The key's length in bytes.
    #[must_use]
    pub const fn key_len_bytes(self) -> usize {
        match self {
            Self::Aes128Cbc
            | Self::Aes128Ctr
            | Self::Aes128Ecb
            | Self::Aes128Cfb
            | Self::Aes128Ofb
            | Self::Aes128Cfb8
            | Self::Aes128Cfb1 => 16,
            Self::Aes192Cbc
            | Self::Aes192Ctr
            | Self::Aes192Ecb
            | Self::Aes192Cfb
            | Self::Aes192Ofb
            | Self::Aes192Cfb8
            | Self::Aes192Cfb1 => 24,
            Self::Aes256Cbc
            | Self::Aes256Ctr
            | Self::Aes256Ecb
            | Self::Aes256Cfb
            | Self::Aes256Ofb
            | Self::Aes256Cfb8
            | Self::Aes256Cfb1 => 32,
        }
    }

    /// The length of the initialization vector in bytes; 0 in ECB mode, which has none.
    #[must_use]
    pub const fn iv_len_bytes(self) -> usize {
        match self {
            Self::Aes128Ecb | Self::Aes192Ecb | Self::Aes256Ecb => 0,
            _ => BLOCK_LEN_BYTES,
        }
    }

    /// Whether it works on whole blocks, and so needs a [`Padding`].
    #[must_use]
    pub const fn is_block_mode(self) -> bool {
        matches!(
            self,
            Self::Aes128Cbc
                | Self::Aes192Cbc
                | Self::Aes256Cbc
                | Self::Aes128Ecb
                | Self::Aes192Ecb
                | Self::Aes256Ecb
        )
    }

    pub(super) fn table(self) -> Table {
        match self {
            Self::Aes128Cbc => Table::aes_128_cbc(),
            Self::Aes192Cbc => Table::aes_192_cbc(),
            Self::Aes256Cbc => Table::aes_256_cbc(),
            Self::Aes128Ctr => Table::aes_128_ctr(),
            Self::Aes192Ctr => Table::aes_192_ctr(),
            Self::Aes256Ctr => Table::aes_256_ctr(),
            Self::Aes128Ecb => Table::aes_128_ecb(),
            Self::Aes192Ecb => Table::aes_192_ecb(),
            Self::Aes256Ecb => Table::aes_256_ecb(),
            Self::Aes128Cfb => Table::aes_128_cfb128(),
            Self::Aes192Cfb => Table::aes_192_cfb128(),
            Self::Aes256Cfb => Table::aes_256_cfb128(),
            Self::Aes128Ofb => Table::aes_128_ofb(),
            Self::Aes192Ofb => Table::aes_192_ofb(),
            Self::Aes256Ofb => Table::aes_256_ofb(),
            Self::Aes128Cfb8 => Table::aes_128_cfb8(),
            Self::Aes192Cfb8 => Table::aes_192_cfb8(),
            Self::Aes256Cfb8 => Table::aes_256_cfb8(),
            Self::Aes128Cfb1 => Table::aes_128_cfb1(),
            Self::Aes192Cfb1 => Table::aes_192_cfb1(),
            Self::Aes256Cfb1 => Table::aes_256_cfb1(),
        }
    }
}

use crate::ffi::evp_aead::Aead;
use crate::ffi::evp_cipher::Cipher;

/// The only nonce length of ChaCha20-Poly1305 and AES-GCM-SIV, and the usual one of AES-GCM, in bytes.
const NONCE_LEN_BYTES: usize = 12;

/// An algorithm for authenticated encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Algorithm {
    /// AES-128 in Galois/Counter Mode, SP 800-38D.
    Aes128Gcm,
    /// AES-192 in Galois/Counter Mode, SP 800-38D.
    Aes192Gcm,
    /// AES-256 in Galois/Counter Mode, SP 800-38D.
    Aes256Gcm,
    /// ChaCha20-Poly1305, RFC 8439, section 2.8.
    ChaCha20Poly1305,
    /// AES-128-GCM-SIV, RFC 8452, section 4. A nonce that is used twice shows equal messages only.
    Aes128GcmSiv,
    /// AES-256-GCM-SIV, RFC 8452, section 4. A nonce that is used twice shows equal messages only.
    Aes256GcmSiv,
}

impl Algorithm {
    /// Every algorithm, in the order of their numbers.
    pub const ALL: [Self; 6] = [
        Self::Aes128Gcm,
        Self::Aes192Gcm,
        Self::Aes256Gcm,
        Self::ChaCha20Poly1305,
        Self::Aes128GcmSiv,
        Self::Aes256GcmSiv,
    ];

    /// The key's length in bytes.
    #[must_use]
    pub const fn key_len_bytes(self) -> usize {
        match self {
            Self::Aes128Gcm | Self::Aes128GcmSiv => 16,
            Self::Aes192Gcm => 24,
            Self::Aes256Gcm | Self::ChaCha20Poly1305 | Self::Aes256GcmSiv => 32,
        }
    }

    /// Whether a nonce may have that length: of ChaCha20-Poly1305 and AES-GCM-SIV it has 12 bytes
    /// (RFC 8439, section 2.8; RFC 8452, section 4), of AES-GCM any number but none (SP 800-38D, section 5.2.1.1), best 12.
    #[must_use]
    pub const fn takes_nonce_len_bytes(self, len: usize) -> bool {
        match self {
            Self::Aes128Gcm | Self::Aes192Gcm | Self::Aes256Gcm => len > 0,
            Self::ChaCha20Poly1305 | Self::Aes128GcmSiv | Self::Aes256GcmSiv => {
                len == NONCE_LEN_BYTES
            }
        }
    }

    pub(super) fn aead(self) -> Aead {
        match self {
            Self::Aes128Gcm => Aead::aes_128_gcm(),
            Self::Aes192Gcm => Aead::aes_192_gcm(),
            Self::Aes256Gcm => Aead::aes_256_gcm(),
            Self::ChaCha20Poly1305 => Aead::chacha20_poly1305(),
            Self::Aes128GcmSiv => Aead::aes_128_gcm_siv(),
            Self::Aes256GcmSiv => Aead::aes_256_gcm_siv(),
        }
    }

    /// What takes a message in pieces, if there is such a thing.
    pub(super) fn cipher(self) -> Option<Cipher> {
        match self {
            Self::Aes128Gcm => Some(Cipher::aes_128_gcm()),
            Self::Aes192Gcm => Some(Cipher::aes_192_gcm()),
            Self::Aes256Gcm => Some(Cipher::aes_256_gcm()),
            Self::ChaCha20Poly1305 | Self::Aes128GcmSiv | Self::Aes256GcmSiv => None,
        }
    }
}

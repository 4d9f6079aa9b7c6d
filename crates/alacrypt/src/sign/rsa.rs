use super::SaltLength;
use crate::constant_time;
use crate::digest::{Algorithm, MAX_OUTPUT_LEN_BYTES};
use crate::error::{Error, Misuse};
use crate::ffi::md::Md;
use crate::ffi::rsa::{PssSaltLen, Rsa};

/// RFC 8017, section 9.2, step 4: a block type byte on each side of at least eight others, and the
/// zero in front.
const PKCS1_OVERHEAD_BYTES: usize = 11;
/// The longest prefix and digest.
const DIGEST_INFO_MAX_LEN_BYTES: usize = 19 + MAX_OUTPUT_LEN_BYTES;

pub(super) fn sign_pkcs1(
    key: &Rsa,
    algorithm: Algorithm,
    digest: &[u8],
    signature_out: &mut [u8],
) -> Result<usize, Error> {
    let mut scratch = [0; DIGEST_INFO_MAX_LEN_BYTES];
    let info = digest_info(algorithm, digest, &mut scratch)?;
    if info.len() + PKCS1_OVERHEAD_BYTES > key.size_bytes() {
        return Err(Error::Unsupported);
    }
    if signature_out.len() < key.size_bytes() {
        return Err(Error::Misuse(Misuse::OutputLength));
    }
    key.sign_pkcs1(info, signature_out)
}

pub(super) fn verify_pkcs1(
    key: &Rsa,
    algorithm: Algorithm,
    digest: &[u8],
    signature: &[u8],
) -> Result<bool, Error> {
    let mut scratch = [0; DIGEST_INFO_MAX_LEN_BYTES];
    let info = digest_info(algorithm, digest, &mut scratch)?;
    // RFC 8017, section 8.2.2, step 1. No room is asked for where the length alone tells.
    let len = key.size_bytes();
    if signature.len() != len {
        return Ok(false);
    }
    // Keys of 4,096 bits and less do without an allocation.
    let mut small = [0; 512];
    let mut large;
    let room = if let Some(room) = small.get_mut(..len) {
        room
    } else {
        large = vec![0; len];
        &mut large
    };
    // Step 4 by comparison, as its note 2 recommends: nothing that was signed is parsed.
    Ok(key
        .verify_pkcs1(signature, room)
        .is_some_and(|found| constant_time::eq(found, info)))
}

/// Whether [`digest_info`] names that digest.
pub(super) fn has_name(algorithm: Algorithm) -> bool {
    digest_info(algorithm, &[], &mut [0; DIGEST_INFO_MAX_LEN_BYTES]).is_ok()
}

/// `DigestInfo` in DER (RFC 8017, section 9.2, note 1): the digest behind a prefix that names it.
fn digest_info<'a>(
    algorithm: Algorithm,
    digest: &[u8],
    scratch: &'a mut [u8; DIGEST_INFO_MAX_LEN_BYTES],
) -> Result<&'a [u8], Error> {
    /// NIST's hash functions differ in the last byte of their identifiers.
    const fn nist(number: u8, len_bytes: u8) -> [u8; 19] {
        [
            0x30,
            17 + len_bytes,
            0x30,
            0x0d,
            0x06,
            0x09,
            0x60,
            0x86,
            0x48,
            0x01,
            0x65,
            0x03,
            0x04,
            0x02,
            number,
            0x05,
            0x00,
            0x04,
            len_bytes,
        ]
    }
    const MD5: [u8; 18] = [
        0x30, 0x20, 0x30, 0x0c, 0x06, 0x08, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x05, 0x05,
        0x00, 0x04, 0x10,
    ];
    const SHA1: [u8; 15] = [
        0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14,
    ];
    /// ISO/IEC 10118-3: 1.3.36.3.2.1.
    const RIPEMD160: [u8; 15] = [
        0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x24, 0x03, 0x02, 0x01, 0x05, 0x00, 0x04, 0x14,
    ];

    let prefix: &[u8] = match algorithm {
        Algorithm::Md5 => &MD5,
        Algorithm::Sha1 => &SHA1,
        Algorithm::Ripemd160 => &RIPEMD160,
        Algorithm::Sha256 => &const { nist(1, 32) },
        Algorithm::Sha384 => &const { nist(2, 48) },
        Algorithm::Sha512 => &const { nist(3, 64) },
        Algorithm::Sha224 => &const { nist(4, 28) },
        Algorithm::Sha512_224 => &const { nist(5, 28) },
        Algorithm::Sha512_256 => &const { nist(6, 32) },
        Algorithm::Sha3_224 => &const { nist(7, 28) },
        Algorithm::Sha3_256 => &const { nist(8, 32) },
        Algorithm::Sha3_384 => &const { nist(9, 48) },
        Algorithm::Sha3_512 => &const { nist(10, 64) },
        // RFC 4346, section 7.4.3: without a name.
        Algorithm::Md5Sha1 => &[],
        Algorithm::Shake128
        | Algorithm::Shake256
        | Algorithm::Blake2b512
        | Algorithm::Blake2s256 => return Err(Error::Unsupported),
    };
    let info = scratch
        .get_mut(..prefix.len() + digest.len())
        .ok_or(Error::Unsupported)?;
    let (name, value) = info.split_at_mut(prefix.len());
    name.copy_from_slice(prefix);
    value.copy_from_slice(digest);
    Ok(info)
}

/// The options of PSS, checked.
pub(super) struct Pss {
    md: Md,
    mgf1_md: Md,
    salt_len: SaltLength,
}

impl Pss {
    pub(super) fn new(
        digest: Algorithm,
        mgf1_digest: Algorithm,
        salt_len: SaltLength,
    ) -> Result<Self, Error> {
        Ok(Self {
            md: digest.fixed_md().ok_or(Error::Unsupported)?,
            mgf1_md: mgf1_digest.fixed_md().ok_or(Error::Unsupported)?,
            salt_len,
        })
    }

    pub(super) fn sign(
        &self,
        key: &Rsa,
        digest: &[u8],
        signature_out: &mut [u8],
    ) -> Result<usize, Error> {
        // RFC 8017, section 9.1.1, step 3, with the encoded message one bit shorter than the
        // modulus (section 8.1.1, step 1).
        let encoded_len = (key.bits() - 1).div_ceil(8);
        let room = encoded_len.checked_sub(self.md.size_bytes() + 2);
        let salt_len = match self.salt_len {
            SaltLength::Bytes(len) => len,
            SaltLength::Digest => self.md.size_bytes(),
            SaltLength::Auto => 0,
        };
        if room.is_none_or(|room| salt_len > room) {
            return Err(Error::Unsupported);
        }
        if signature_out.len() < key.size_bytes() {
            return Err(Error::Misuse(Misuse::OutputLength));
        }
        let salt_len = pss_salt_len(self.salt_len).ok_or(Error::Unsupported)?;
        key.sign_pss(digest, self.md, self.mgf1_md, salt_len, signature_out)
    }

    pub(super) fn verify(&self, key: &Rsa, digest: &[u8], signature: &[u8]) -> bool {
        // A salt longer than any key has room for verifies nothing.
        pss_salt_len(self.salt_len).is_some_and(|salt_len| {
            key.verify_pss(digest, self.md, self.mgf1_md, salt_len, signature)
        })
    }
}

fn pss_salt_len(salt_len: SaltLength) -> Option<PssSaltLen> {
    match salt_len {
        SaltLength::Bytes(len_bytes) => PssSaltLen::bytes(len_bytes),
        SaltLength::Digest => Some(PssSaltLen::DIGEST),
        SaltLength::Auto => Some(PssSaltLen::AUTO),
    }
}

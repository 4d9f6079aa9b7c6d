use core::mem::MaybeUninit;

use aws_lc_sys::AES_KEY;

use super::error_queue::{backend_error, clear};
use crate::{Error, Misuse};

/// The length of the values that a wrapped key begins with, in bytes.
pub(crate) const HALF_BLOCK_LEN_BYTES: usize = 8;

/// An expanded key of AES on the stack, wiped when it is dropped.
pub(crate) struct AesKey(MaybeUninit<AES_KEY>);

impl AesKey {
    /// `AES_set_encrypt_key`.
    pub(crate) fn to_encrypt(key: &[u8]) -> Result<Self, Error> {
        let mut this = Self(MaybeUninit::zeroed());
        let bits = key_bits(key)?;
        // SAFETY: the key is readable for `bits`; the structure is writable.
        let status =
            unsafe { aws_lc_sys::AES_set_encrypt_key(key.as_ptr(), bits, this.0.as_mut_ptr()) };
        if status == 0 {
            Ok(this)
        } else {
            Err(backend_error())
        }
    }

    /// `AES_set_decrypt_key`.
    pub(crate) fn to_decrypt(key: &[u8]) -> Result<Self, Error> {
        let mut this = Self(MaybeUninit::zeroed());
        let bits = key_bits(key)?;
        // SAFETY: as above.
        let status =
            unsafe { aws_lc_sys::AES_set_decrypt_key(key.as_ptr(), bits, this.0.as_mut_ptr()) };
        if status == 0 {
            Ok(this)
        } else {
            Err(backend_error())
        }
    }

    /// `AES_wrap_key`, with a key that was made to encrypt. `out` is 8 bytes longer than `data`, which
    /// has 16 bytes or more and is whole half blocks.
    pub(crate) fn wrap(
        &self,
        iv: &[u8; HALF_BLOCK_LEN_BYTES],
        data: &[u8],
        out: &mut [u8],
    ) -> Result<(), Error> {
        if data.len().checked_add(HALF_BLOCK_LEN_BYTES) != Some(out.len()) {
            return Err(Error::Misuse(Misuse::OutputLength));
        }
        // SAFETY: the key is expanded; `iv` and `data` are readable for their lengths; `out`, which is
        // borrowed uniquely, is writable for what is written: 8 bytes more than there are of `data`.
        // Lengths that do not go are refused.
        let len = unsafe {
            aws_lc_sys::AES_wrap_key(
                self.0.as_ptr(),
                iv.as_ptr(),
                out.as_mut_ptr(),
                data.as_ptr(),
                data.len(),
            )
        };
        if usize::try_from(len) == Ok(out.len()) {
            Ok(())
        } else {
            clear();
            Err(Error::Unsupported)
        }
    }

    /// `AES_unwrap_key`, with a key that was made to decrypt. `out` is 8 bytes shorter than `data`, of
    /// which there are 24 bytes or more. [`Error::Failed`] where the key or the data is not right.
    pub(crate) fn unwrap(
        &self,
        iv: &[u8; HALF_BLOCK_LEN_BYTES],
        data: &[u8],
        out: &mut [u8],
    ) -> Result<(), Error> {
        if data.len().checked_sub(HALF_BLOCK_LEN_BYTES) != Some(out.len()) {
            return Err(Error::Misuse(Misuse::OutputLength));
        }
        // SAFETY: as above, with 8 bytes less.
        let len = unsafe {
            aws_lc_sys::AES_unwrap_key(
                self.0.as_ptr(),
                iv.as_ptr(),
                out.as_mut_ptr(),
                data.as_ptr(),
                data.len(),
            )
        };
        if usize::try_from(len) == Ok(out.len()) {
            Ok(())
        } else {
            clear();
            out.fill(0);
            Err(Error::Failed)
        }
    }

    /// `AES_wrap_key_padded`, with a key that was made to encrypt: the length of what was written.
    pub(crate) fn wrap_padded(&self, data: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let mut len = 0;
        // SAFETY: as above; the limit given is the room that there is.
        let ok = unsafe {
            aws_lc_sys::AES_wrap_key_padded(
                self.0.as_ptr(),
                out.as_mut_ptr(),
                &mut len,
                out.len(),
                data.as_ptr(),
                data.len(),
            )
        };
        if ok == 1 {
            Ok(len)
        } else {
            clear();
            Err(Error::Unsupported)
        }
    }

    /// `AES_unwrap_key_padded`, with a key that was made to decrypt: the length of what was written.
    /// [`Error::Failed`] where the key or the data is not right.
    pub(crate) fn unwrap_padded(&self, data: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let mut len = 0;
        // SAFETY: as above.
        let ok = unsafe {
            aws_lc_sys::AES_unwrap_key_padded(
                self.0.as_ptr(),
                out.as_mut_ptr(),
                &mut len,
                out.len(),
                data.as_ptr(),
                data.len(),
            )
        };
        if ok == 1 {
            Ok(len)
        } else {
            clear();
            out.fill(0);
            Err(Error::Failed)
        }
    }
}

fn key_bits(key: &[u8]) -> Result<u32, Error> {
    match key.len() {
        16 => Ok(128),
        24 => Ok(192),
        32 => Ok(256),
        _ => Err(Error::Misuse(Misuse::KeyLength)),
    }
}

impl Drop for AesKey {
    fn drop(&mut self) {
        // SAFETY: the structure is writable for its size, has no pointers, and nothing else refers to
        // it.
        unsafe { aws_lc_sys::OPENSSL_cleanse(self.0.as_mut_ptr().cast(), size_of::<AES_KEY>()) };
    }
}

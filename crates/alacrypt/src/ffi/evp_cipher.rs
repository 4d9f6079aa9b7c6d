use core::ffi::c_int;
use core::ptr::{self, NonNull};
use core::sync::atomic::AtomicU8;

use aws_lc_sys::{EVP_CIPHER, EVP_CIPHER_CTX};

use super::error_queue::{backend_error, clear};
use crate::{Error, Misuse};

/// A cipher's method table: a pointer to a static of AWS-LC.
#[derive(Clone, Copy)]
pub(crate) struct Cipher(*const EVP_CIPHER);

macro_rules! accessors {
    ($($name:ident => $function:ident;)*) => {
        impl Cipher {
            $(
                #[doc = concat!("The table of `", stringify!($function), "`.")]
                pub(crate) fn $name() -> Self {
                    // SAFETY: takes no argument; returns the address of a static.
                    Self(unsafe { aws_lc_sys::$function() })
                }
            )*
        }
    };
}

accessors! {
    aes_128_cbc => EVP_aes_128_cbc;
    aes_192_cbc => EVP_aes_192_cbc;
    aes_256_cbc => EVP_aes_256_cbc;
    aes_128_ctr => EVP_aes_128_ctr;
    aes_192_ctr => EVP_aes_192_ctr;
    aes_256_ctr => EVP_aes_256_ctr;
    aes_128_ecb => EVP_aes_128_ecb;
    aes_192_ecb => EVP_aes_192_ecb;
    aes_256_ecb => EVP_aes_256_ecb;
    aes_128_cfb128 => EVP_aes_128_cfb128;
    aes_192_cfb128 => EVP_aes_192_cfb128;
    aes_256_cfb128 => EVP_aes_256_cfb128;
    aes_128_cfb8 => EVP_aes_128_cfb8;
    aes_192_cfb8 => EVP_aes_192_cfb8;
    aes_256_cfb8 => EVP_aes_256_cfb8;
    aes_128_cfb1 => EVP_aes_128_cfb1;
    aes_192_cfb1 => EVP_aes_192_cfb1;
    aes_256_cfb1 => EVP_aes_256_cfb1;
    aes_256_xts => EVP_aes_256_xts;
    aes_128_ofb => EVP_aes_128_ofb;
    aes_192_ofb => EVP_aes_192_ofb;
    aes_256_ofb => EVP_aes_256_ofb;
    aes_128_gcm => EVP_aes_128_gcm;
    aes_192_gcm => EVP_aes_192_gcm;
    aes_256_gcm => EVP_aes_256_gcm;
}

/// More than one call of C's takes, whose lengths are `int`s; a multiple of every block.
const PIECE_LEN_BYTES: usize = 1 << 30;

/// An encryption or a decryption in progress: owns one `EVP_CIPHER_CTX`.
pub(crate) struct CipherCtx {
    ctx: NonNull<EVP_CIPHER_CTX>,
    block_len_bytes: usize,
}

// SAFETY: an `EVP_CIPHER_CTX` is plain memory from `malloc`, with no tie to the thread that made
// it, and this type is its only owner.
unsafe impl Send for CipherCtx {}

impl CipherCtx {
    /// `EVP_CIPHER_CTX_new`, `EVP_CipherInit_ex`. The key has the cipher's length, and so has the
    /// IV, unless `is_aead`: that of an AEAD has any length but zero (`EVP_CTRL_AEAD_SET_IVLEN`).
    pub(crate) fn new(
        cipher: Cipher,
        encrypts: bool,
        key: &[u8],
        iv: &[u8],
        is_aead: bool,
    ) -> Result<Self, Error> {
        // SAFETY: takes no argument; returns null or a context that the caller owns.
        let ctx =
            NonNull::new(unsafe { aws_lc_sys::EVP_CIPHER_CTX_new() }).ok_or_else(backend_error)?;
        // SAFETY: the table is a live static.
        let (key_len, iv_len, block_len) = unsafe {
            (
                aws_lc_sys::EVP_CIPHER_key_length(cipher.0),
                aws_lc_sys::EVP_CIPHER_iv_length(cipher.0),
                aws_lc_sys::EVP_CIPHER_block_size(cipher.0),
            )
        };
        let this = Self {
            ctx,
            block_len_bytes: usize::try_from(block_len).map_err(|_| Error::Unsupported)?,
        };
        if u32::try_from(key.len()) != Ok(key_len) {
            return Err(Error::Misuse(Misuse::KeyLength));
        }
        let direction = c_int::from(encrypts);
        if is_aead {
            let len = c_int::try_from(iv.len()).map_err(|_| Error::Misuse(Misuse::IvLength))?;
            // SAFETY: the context is live and this frame's alone; no key and no IV are given, and
            // the control reads nothing but its number.
            let ok = unsafe {
                aws_lc_sys::EVP_CipherInit_ex(
                    ctx.as_ptr(),
                    cipher.0,
                    ptr::null_mut(),
                    ptr::null(),
                    ptr::null(),
                    direction,
                ) == 1
                    && aws_lc_sys::EVP_CIPHER_CTX_ctrl(
                        ctx.as_ptr(),
                        aws_lc_sys::EVP_CTRL_AEAD_SET_IVLEN,
                        len,
                        ptr::null_mut(),
                    ) == 1
            };
            if !ok {
                clear();
                return Err(Error::Misuse(Misuse::IvLength));
            }
        } else if u32::try_from(iv.len()) != Ok(iv_len) {
            return Err(Error::Misuse(Misuse::IvLength));
        }
        // A table that is named again would make the context forget the length.
        let table = if is_aead { ptr::null() } else { cipher.0 };
        // SAFETY: the context is live and this frame's alone; key and IV are readable for the
        // lengths that the cipher has, or was told above.
        let ok = unsafe {
            aws_lc_sys::EVP_CipherInit_ex(
                ctx.as_ptr(),
                table,
                ptr::null_mut(),
                key.as_ptr(),
                iv.as_ptr(),
                direction,
            )
        };
        if ok == 1 {
            Ok(this)
        } else {
            Err(backend_error())
        }
    }

    /// `EVP_CIPHER_CTX_set_padding`: whether the last block is padded (PKCS #7), as it is by default.
    pub(crate) fn set_padding(&mut self, is_on: bool) {
        // SAFETY: the context is live and borrowed uniquely. The call cannot fail.
        unsafe { aws_lc_sys::EVP_CIPHER_CTX_set_padding(self.ctx.as_ptr(), c_int::from(is_on)) };
    }

    /// `EVP_CipherUpdate`: returns how much was written. `out` must have room for the input and,
    /// of a block cipher, a block.
    pub(crate) fn update(&mut self, data: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        // SAFETY: a shared slice is readable for its length during the call.
        unsafe { self.update_from(data.as_ptr(), data.len(), out) }
    }

    /// The same from memory that others may write to meanwhile; what is read then is any mixture.
    pub(crate) fn update_shared(
        &mut self,
        data: &[AtomicU8],
        out: &mut [u8],
    ) -> Result<usize, Error> {
        // SAFETY: a slice of atomic bytes is readable for its length during the call. Only C reads.
        unsafe { self.update_from(data.as_ptr().cast(), data.len(), out) }
    }

    /// # Safety
    ///
    /// `data` is readable for `len` bytes during the call, and does not overlap `out`.
    unsafe fn update_from(
        &mut self,
        data: *const u8,
        len: usize,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let more = if self.block_len_bytes > 1 {
            self.block_len_bytes
        } else {
            0
        };
        if len.checked_add(more).is_none_or(|room| room > out.len()) {
            return Err(Error::Misuse(Misuse::OutputLength));
        }
        let mut read = 0;
        let mut written = 0;
        while read < len {
            let piece_len = (len - read).min(PIECE_LEN_BYTES);
            let mut piece_out_len: c_int = 0;
            // SAFETY: the context is live and borrowed uniquely. `data` is readable for `len`
            // bytes, of which `read + piece_len` are no more. Of each piece at most so many bytes
            // and a block are written, of all pieces together at most `len` and a block, for which
            // `out` has room (see above).
            let ok = unsafe {
                aws_lc_sys::EVP_CipherUpdate(
                    self.ctx.as_ptr(),
                    out.as_mut_ptr().add(written),
                    &mut piece_out_len,
                    data.add(read),
                    c_int::try_from(piece_len).map_err(|_| Error::Unsupported)?,
                )
            };
            if ok != 1 {
                return Err(backend_error());
            }
            read += piece_len;
            written += usize::try_from(piece_out_len).map_err(|_| Error::Backend)?;
        }
        Ok(written)
    }

    /// `EVP_CipherUpdate` without output: data that an AEAD authenticates and does not encrypt.
    pub(crate) fn authenticate(&mut self, aad: &[u8]) -> Result<(), Error> {
        for piece in aad.chunks(PIECE_LEN_BYTES) {
            let mut len: c_int = 0;
            // SAFETY: the context is live and borrowed uniquely; the piece is readable for its
            // length; a null pointer says that nothing is written.
            let ok = unsafe {
                aws_lc_sys::EVP_CipherUpdate(
                    self.ctx.as_ptr(),
                    ptr::null_mut(),
                    &mut len,
                    piece.as_ptr(),
                    c_int::try_from(piece.len()).map_err(|_| Error::Unsupported)?,
                )
            };
            if ok != 1 {
                return Err(backend_error());
            }
        }
        Ok(())
    }

    /// `EVP_CipherFinal_ex`: returns how much was written. `out` must have room for a block.
    /// [`Error::Failed`] where padding or length are wrong, or the tag does not match.
    pub(crate) fn finish(&mut self, out: &mut [u8]) -> Result<usize, Error> {
        if out.len() < self.block_len_bytes {
            return Err(Error::Misuse(Misuse::OutputLength));
        }
        let mut len: c_int = 0;
        // SAFETY: the context is live and borrowed uniquely; at most a block is written, for which
        // `out` has room.
        let ok = unsafe {
            aws_lc_sys::EVP_CipherFinal_ex(self.ctx.as_ptr(), out.as_mut_ptr(), &mut len)
        };
        if ok == 1 {
            usize::try_from(len).map_err(|_| Error::Backend)
        } else {
            clear();
            Err(Error::Failed)
        }
    }

    /// `EVP_CTRL_AEAD_GET_TAG`, after an encryption was finished.
    pub(crate) fn tag(&mut self, tag_out: &mut [u8]) -> Result<(), Error> {
        let len = c_int::try_from(tag_out.len()).map_err(|_| Error::Misuse(Misuse::TagLength))?;
        // SAFETY: the context is live and borrowed uniquely; `tag_out` is writable for `len`
        // bytes, which the control checks against the tag's length before it writes as many.
        let ok = unsafe {
            aws_lc_sys::EVP_CIPHER_CTX_ctrl(
                self.ctx.as_ptr(),
                aws_lc_sys::EVP_CTRL_AEAD_GET_TAG,
                len,
                tag_out.as_mut_ptr().cast(),
            )
        };
        if ok == 1 {
            Ok(())
        } else {
            clear();
            Err(Error::Misuse(Misuse::TagLength))
        }
    }

    /// `EVP_CTRL_AEAD_SET_TAG`, before a decryption is finished.
    pub(crate) fn set_tag(&mut self, tag: &[u8]) -> Result<(), Error> {
        let len = c_int::try_from(tag.len()).map_err(|_| Error::Misuse(Misuse::TagLength))?;
        // SAFETY: the context is live and borrowed uniquely; the control copies `len` bytes from
        // the tag, which it only reads, after it checked that there is room for so many.
        let ok = unsafe {
            aws_lc_sys::EVP_CIPHER_CTX_ctrl(
                self.ctx.as_ptr(),
                aws_lc_sys::EVP_CTRL_AEAD_SET_TAG,
                len,
                tag.as_ptr().cast_mut().cast(),
            )
        };
        if ok == 1 {
            Ok(())
        } else {
            clear();
            Err(Error::Misuse(Misuse::TagLength))
        }
    }
}

impl Drop for CipherCtx {
    fn drop(&mut self) {
        // SAFETY: the context is live and this is its only owner. The key schedule is wiped:
        // AWS-LC's `OPENSSL_free` overwrites every block that it frees.
        unsafe { aws_lc_sys::EVP_CIPHER_CTX_free(self.ctx.as_ptr()) };
    }
}

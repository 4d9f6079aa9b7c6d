use core::ptr::{self, NonNull};

use aws_lc_sys::EVP_MD_CTX;

use super::error_queue::backend_error;
use super::md::Md;
use crate::{Error, Misuse};

/// A digest in progress: owns one `EVP_MD_CTX`.
pub(crate) struct MdCtx(NonNull<EVP_MD_CTX>);

// SAFETY: an `EVP_MD_CTX` made for a digest alone (no `EVP_PKEY_CTX`) is plain memory from
// `malloc`, with no tie to the thread that made it, and this type is its only owner.
unsafe impl Send for MdCtx {}
// SAFETY: a shared reference only allows `try_clone`, and `EVP_MD_CTX_copy_ex` reads its source.
unsafe impl Sync for MdCtx {}

impl MdCtx {
    /// `EVP_MD_CTX_new` and `EVP_DigestInit_ex`.
    pub(crate) fn new(md: Md) -> Result<Self, Error> {
        let ctx = Self::allocate()?;
        // SAFETY: `ctx` is a live context that nothing else refers to; `md` is a static table.
        let ok =
            unsafe { aws_lc_sys::EVP_DigestInit_ex(ctx.0.as_ptr(), md.as_ptr(), ptr::null_mut()) };
        if ok == 1 {
            Ok(ctx)
        } else {
            Err(backend_error())
        }
    }

    fn allocate() -> Result<Self, Error> {
        // SAFETY: takes no argument; returns null or a context that the caller owns.
        NonNull::new(unsafe { aws_lc_sys::EVP_MD_CTX_new() })
            .map(Self)
            .ok_or_else(backend_error)
    }

    /// `EVP_MD_CTX_copy_ex` into a new context.
    pub(crate) fn try_clone(&self) -> Result<Self, Error> {
        let copy = Self::allocate()?;
        // SAFETY: both are live contexts and distinct; the source is only read.
        let ok = unsafe { aws_lc_sys::EVP_MD_CTX_copy_ex(copy.0.as_ptr(), self.0.as_ptr()) };
        if ok == 1 {
            Ok(copy)
        } else {
            Err(backend_error())
        }
    }

    /// `EVP_DigestUpdate`.
    pub(crate) fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        // SAFETY: the context is live and borrowed uniquely; `data` is readable for its length
        // during the call.
        let ok = unsafe {
            aws_lc_sys::EVP_DigestUpdate(self.0.as_ptr(), data.as_ptr().cast(), data.len())
        };
        if ok == 1 {
            Ok(())
        } else {
            Err(backend_error())
        }
    }

    /// `EVP_DigestFinal_ex`; `digest_out` has the digest's length.
    pub(crate) fn finish(self, digest_out: &mut [u8]) -> Result<(), Error> {
        // SAFETY: the context is live and only read.
        if digest_out.len() != unsafe { aws_lc_sys::EVP_MD_CTX_size(self.0.as_ptr()) } {
            return Err(Error::Misuse(Misuse::OutputLength));
        }
        // SAFETY: the context is live and owned; `digest_out` is writable for the digest's
        // length, which is what the function writes; a null pointer says that the length is not
        // asked for. An extendable-output function is refused.
        let ok = unsafe {
            aws_lc_sys::EVP_DigestFinal_ex(
                self.0.as_ptr(),
                digest_out.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        if ok == 1 {
            Ok(())
        } else {
            Err(backend_error())
        }
    }

    /// `EVP_DigestFinalXOF`: fills `digest_out`, of any length.
    pub(crate) fn finish_xof(self, digest_out: &mut [u8]) -> Result<(), Error> {
        // SAFETY: the context is live and owned; `digest_out` is writable for its length, all of
        // which and no more is written. A digest of fixed length is refused.
        let ok = unsafe {
            aws_lc_sys::EVP_DigestFinalXOF(
                self.0.as_ptr(),
                digest_out.as_mut_ptr(),
                digest_out.len(),
            )
        };
        if ok == 1 {
            Ok(())
        } else {
            Err(backend_error())
        }
    }
}

impl Drop for MdCtx {
    fn drop(&mut self) {
        // SAFETY: the context is live and this is its only owner. The state is wiped: AWS-LC's
        // `OPENSSL_free` overwrites every block that it frees.
        unsafe { aws_lc_sys::EVP_MD_CTX_free(self.0.as_ptr()) };
    }
}

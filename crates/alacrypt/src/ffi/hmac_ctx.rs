use core::mem::MaybeUninit;
use core::ptr;

use aws_lc_sys::HMAC_CTX;

use super::error_queue::backend_error;
use super::md::Md;
use crate::Error;

/// A keyed HMAC in progress: owns one `HMAC_CTX`, held in place (it has no pointer into itself).
pub(crate) struct HmacCtx(HMAC_CTX);

// SAFETY: an `HMAC_CTX` holds plain state and pointers to statics only, with no tie to a thread.
unsafe impl Send for HmacCtx {}
// SAFETY: a shared reference only allows `try_clone`, and `HMAC_CTX_copy_ex` reads its source.
unsafe impl Sync for HmacCtx {}

impl HmacCtx {
    /// `HMAC_CTX_init` and `HMAC_Init_ex`.
    pub(crate) fn new(md: Md, key: &[u8]) -> Result<Self, Error> {
        let mut ctx = Self::empty();
        // An empty key is legal, but AWS-LC takes a null key for "keep the earlier one". A Rust
        // slice's pointer is never null.
        // SAFETY: `ctx` is initialised and owned; `key` is readable for its length during the
        // call; `md` is a static table.
        let ok = unsafe {
            aws_lc_sys::HMAC_Init_ex(
                &mut ctx.0,
                key.as_ptr().cast(),
                key.len(),
                md.as_ptr(),
                ptr::null_mut(),
            )
        };
        if ok == 1 {
            Ok(ctx)
        } else {
            Err(backend_error())
        }
    }

    fn empty() -> Self {
        let mut ctx = MaybeUninit::<HMAC_CTX>::uninit();
        // SAFETY: `HMAC_CTX_init` writes the whole structure (it zeroes it) before anything
        // reads it.
        unsafe {
            aws_lc_sys::HMAC_CTX_init(ctx.as_mut_ptr());
            Self(ctx.assume_init())
        }
    }

    /// `HMAC_CTX_copy_ex` into a new context.
    pub(crate) fn try_clone(&self) -> Result<Self, Error> {
        let mut copy = Self::empty();
        // SAFETY: both are initialised and distinct; the source is only read, though the C
        // signature lacks `const` on some versions.
        let ok = unsafe { aws_lc_sys::HMAC_CTX_copy_ex(&mut copy.0, &self.0) };
        if ok == 1 {
            Ok(copy)
        } else {
            Err(backend_error())
        }
    }

    /// `HMAC_Update`.
    pub(crate) fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        // SAFETY: the context is initialised and borrowed uniquely; `data` is readable for its
        // length during the call.
        let ok = unsafe { aws_lc_sys::HMAC_Update(&mut self.0, data.as_ptr(), data.len()) };
        if ok == 1 {
            Ok(())
        } else {
            Err(backend_error())
        }
    }

    /// `HMAC_Final`; `tag_out` must have the digest's length.
    pub(crate) fn finish(mut self, tag_out: &mut [u8]) -> Result<(), Error> {
        // SAFETY: the context is initialised and owned; `tag_out` is writable for the digest's
        // length (the caller has checked it), which is what the function writes.
        let ok =
            unsafe { aws_lc_sys::HMAC_Final(&mut self.0, tag_out.as_mut_ptr(), ptr::null_mut()) };
        if ok == 1 {
            Ok(())
        } else {
            Err(backend_error())
        }
    }

    /// Writes the tag of `data` under `key` (`HMAC`); `tag_out` must have the digest's length.
    pub(crate) fn one_shot(
        md: Md,
        key: &[u8],
        data: &[u8],
        tag_out: &mut [u8],
    ) -> Result<(), Error> {
        // SAFETY: `key` and `data` are readable and `tag_out` is writable for their lengths
        // during the call, and the unique reference aliases neither; `HMAC` writes the
        // digest's length, which the caller has checked.
        let tag = unsafe {
            aws_lc_sys::HMAC(
                md.as_ptr(),
                key.as_ptr().cast(),
                key.len(),
                data.as_ptr(),
                data.len(),
                tag_out.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        if tag.is_null() {
            Err(backend_error())
        } else {
            Ok(())
        }
    }
}

impl Drop for HmacCtx {
    fn drop(&mut self) {
        // SAFETY: the context is initialised and owned; the call wipes the keyed state.
        unsafe { aws_lc_sys::HMAC_CTX_cleanup(&mut self.0) };
    }
}

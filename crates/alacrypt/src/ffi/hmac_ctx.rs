use core::mem::MaybeUninit;
use core::ptr;

use aws_lc_sys::HMAC_CTX;

use super::error_queue::backend_error;
use super::md::Md;
use crate::{Error, Misuse};

/// A keyed HMAC in progress: owns one `HMAC_CTX`.
///
/// The context lies in a box: moving it by value would leave copies of the keyed state in
/// abandoned stack frames, where `Drop` cannot wipe them, and costs more than the allocation.
pub(crate) struct HmacCtx(Box<HMAC_CTX>);

// SAFETY: an `HMAC_CTX` holds plain state and pointers to statics only, with no tie to a thread.
unsafe impl Send for HmacCtx {}
// SAFETY: a shared reference only allows `copy` and `tag`, which read the context and write to a
// copy of it.
unsafe impl Sync for HmacCtx {}

impl HmacCtx {
    /// `HMAC_CTX_init` and `HMAC_Init_ex`.
    pub(crate) fn new(md: Md, key: &[u8]) -> Result<Self, Error> {
        let mut ctx = Box::<HMAC_CTX>::new_uninit();
        // SAFETY: the box is writable for a whole `HMAC_CTX`, and the call writes all of it (it
        // zeroes it), which is a valid value: null pointers and numbers.
        let ctx = unsafe {
            aws_lc_sys::HMAC_CTX_init(ctx.as_mut_ptr());
            ctx.assume_init()
        };
        let mut ctx = Self(ctx);
        // An empty key is legal. (AWS-LC takes a null key for "keep the earlier one", but only
        // in a context that has a key; and a Rust slice's pointer is never null.)
        // SAFETY: the context is initialised and owned; `key` is readable for its length during
        // the call, and not read when that is 0; `md` is a static table.
        let ok = unsafe {
            aws_lc_sys::HMAC_Init_ex(
                &mut *ctx.0,
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

    /// A second context in the same state: what `HMAC_CTX_copy_ex` does.
    ///
    /// That function asks for an initialised target, which costs a second pass over 1.2 KiB. The
    /// structure is flat (`HMAC_CTX_copy_ex` is one `memcpy`, and the bindings make it `Copy`),
    /// so it is copied here.
    pub(crate) fn copy(&self) -> Self {
        let mut copy = Box::<HMAC_CTX>::new_uninit();
        // SAFETY: the source is an initialised context that is only read, the target is writable
        // for one context, and the two are distinct allocations. The target is then initialised.
        unsafe {
            ptr::copy_nonoverlapping(&raw const *self.0, copy.as_mut_ptr(), 1);
            Self(copy.assume_init())
        }
    }

    /// `HMAC_Update` and `HMAC_Final` on a copy of the context that never leaves this frame, then
    /// `HMAC_CTX_cleanup` of it; `tag_out` has the digest's length.
    pub(crate) fn tag(&self, data: &[u8], tag_out: &mut [u8]) -> Result<(), Error> {
        self.check_len(tag_out)?;
        let mut copy = MaybeUninit::<HMAC_CTX>::uninit();
        let copy = copy.as_mut_ptr();
        // SAFETY: `copy` is this frame's own, writable for one context, and initialised by the
        // first line (see `copy` for why that is a copy in AWS-LC's sense). `data` is readable
        // for its length and `tag_out` writable for the digest's length, both during the calls;
        // neither aliases the copy or the other. Nothing in between can unwind, so the copy is
        // wiped on every way out.
        let ok = unsafe {
            ptr::copy_nonoverlapping(&raw const *self.0, copy, 1);
            let ok = aws_lc_sys::HMAC_Update(copy, data.as_ptr(), data.len()) == 1
                && aws_lc_sys::HMAC_Final(copy, tag_out.as_mut_ptr(), ptr::null_mut()) == 1;
            aws_lc_sys::HMAC_CTX_cleanup(copy);
            ok
        };
        if ok { Ok(()) } else { Err(backend_error()) }
    }

    /// `HMAC_Update`.
    pub(crate) fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        // SAFETY: the context is initialised and borrowed uniquely; `data` is readable for its
        // length during the call.
        let ok = unsafe { aws_lc_sys::HMAC_Update(&mut *self.0, data.as_ptr(), data.len()) };
        if ok == 1 {
            Ok(())
        } else {
            Err(backend_error())
        }
    }

    /// `HMAC_Final`; `tag_out` has the digest's length.
    pub(crate) fn finish(mut self, tag_out: &mut [u8]) -> Result<(), Error> {
        self.check_len(tag_out)?;
        // SAFETY: the context is initialised and owned; `tag_out` is writable for the digest's
        // length, which is what the function writes; a null pointer says that the length is not
        // asked for.
        let ok =
            unsafe { aws_lc_sys::HMAC_Final(&mut *self.0, tag_out.as_mut_ptr(), ptr::null_mut()) };
        if ok == 1 {
            Ok(())
        } else {
            Err(backend_error())
        }
    }

    /// `HMAC_size`, which is what `HMAC_Final` writes.
    fn check_len(&self, tag_out: &[u8]) -> Result<(), Error> {
        // SAFETY: the context has a digest since `new`, and is only read.
        if tag_out.len() == unsafe { aws_lc_sys::HMAC_size(&raw const *self.0) } {
            Ok(())
        } else {
            Err(Error::Misuse(Misuse::OutputLength))
        }
    }

    /// Writes the tag of `data` under `key` (`HMAC`) into `tag_out`, which has its length.
    pub(crate) fn one_shot(
        md: Md,
        key: &[u8],
        data: &[u8],
        tag_out: &mut [u8],
    ) -> Result<(), Error> {
        if tag_out.len() != md.size_bytes() {
            return Err(Error::Misuse(Misuse::OutputLength));
        }
        // SAFETY: `key` and `data` are readable and `tag_out` is writable for their lengths
        // during the call, and the unique reference aliases neither; `HMAC` writes the digest's
        // length, which is `tag_out`'s. It wipes its context.
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
        // SAFETY: the context is initialised and owned; the call overwrites it with zeros, in a
        // way that the compiler keeps, and the box then frees the memory.
        unsafe { aws_lc_sys::HMAC_CTX_cleanup(&mut *self.0) };
    }
}

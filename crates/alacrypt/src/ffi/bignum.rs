use core::ptr::{self, NonNull};

use aws_lc_sys::BIGNUM;

use super::error_queue::backend_error;
use crate::Error;

/// A non-negative integer: owns one `BIGNUM`.
pub(crate) struct Bignum(NonNull<BIGNUM>);

impl Bignum {
    /// `BN_bin2bn`: the value of big-endian bytes, of any number.
    pub(crate) fn from_be_bytes(bytes: &[u8]) -> Result<Self, Error> {
        // SAFETY: `bytes` is readable for its length during the call; a null pointer asks for a
        // new object, which the caller then owns.
        let number = unsafe { aws_lc_sys::BN_bin2bn(bytes.as_ptr(), bytes.len(), ptr::null_mut()) };
        NonNull::new(number).map(Self).ok_or_else(backend_error)
    }

    /// Whether it is less than `other` (`BN_ucmp`, in time that depends on the lengths only).
    pub(super) fn is_below(&self, other: &Self) -> bool {
        // SAFETY: both numbers are live, and only read.
        unsafe { aws_lc_sys::BN_ucmp(self.as_ptr(), other.as_ptr()) < 0 }
    }

    /// Whether the two are the same number (`BN_ucmp`).
    pub(super) fn is_equal(&self, other: &Self) -> bool {
        // SAFETY: both numbers are live, and only read.
        unsafe { aws_lc_sys::BN_ucmp(self.as_ptr(), other.as_ptr()) == 0 }
    }

    /// `BN_mul`.
    pub(super) fn product(a: &Self, b: &Self) -> Result<Self, Error> {
        let product = Self::from_be_bytes(&[])?;
        // SAFETY: takes no argument; the object returned is freed below.
        let ctx = unsafe { aws_lc_sys::BN_CTX_new() };
        if ctx.is_null() {
            return Err(backend_error());
        }
        // SAFETY: all three numbers are live, and `product` and `ctx` are this frame's alone; the
        // second is freed once and not used after. Nothing in between can unwind.
        let ok = unsafe {
            let ok = aws_lc_sys::BN_mul(product.0.as_ptr(), a.as_ptr(), b.as_ptr(), ctx);
            aws_lc_sys::BN_CTX_free(ctx);
            ok
        };
        if ok == 1 {
            Ok(product)
        } else {
            Err(backend_error())
        }
    }

    pub(super) fn as_ptr(&self) -> *const BIGNUM {
        self.0.as_ptr()
    }

    /// Hands the object to a C function that takes ownership.
    pub(super) fn into_raw(self) -> *mut BIGNUM {
        let number = self.0.as_ptr();
        core::mem::forget(self);
        number
    }
}

impl Drop for Bignum {
    fn drop(&mut self) {
        // SAFETY: the object is live and this is its only owner. Its words are wiped: AWS-LC's
        // `OPENSSL_free` overwrites every block that it frees.
        unsafe { aws_lc_sys::BN_free(self.0.as_ptr()) };
    }
}

use core::ffi::c_int;
use core::ptr::{self, NonNull};

use aws_lc_sys::{EVP_MD_CTX, EVP_PKEY, EVP_PKEY_CTX};

use super::error_queue::{backend_error, clear};
use crate::Error;

/// An ML-DSA or ML-KEM key, with or without its private half: owns one reference to an `EVP_PKEY`.
pub(crate) struct Pkey(NonNull<EVP_PKEY>);

// SAFETY: the object has no tie to a thread.
unsafe impl Send for Pkey {}
// SAFETY: after its construction the object is only read; the reference counts that contexts take
// on it are atomic. The mutable pointers in the signatures below are for those counts.
unsafe impl Sync for Pkey {}

/// The parameter sets, by AWS-LC's numbers.
#[derive(Clone, Copy)]
pub(crate) struct Nid(c_int);

impl Nid {
    pub(crate) const ML_DSA_44: Self = Self(aws_lc_sys::NID_MLDSA44);
    pub(crate) const ML_DSA_65: Self = Self(aws_lc_sys::NID_MLDSA65);
    pub(crate) const ML_DSA_87: Self = Self(aws_lc_sys::NID_MLDSA87);
    pub(crate) const ML_KEM_512: Self = Self(aws_lc_sys::NID_MLKEM512);
    pub(crate) const ML_KEM_768: Self = Self(aws_lc_sys::NID_MLKEM768);
    pub(crate) const ML_KEM_1024: Self = Self(aws_lc_sys::NID_MLKEM1024);
}

impl Pkey {
    /// `EVP_PKEY_pqdsa_new_raw_public_key`.
    pub(crate) fn ml_dsa_public(nid: Nid, raw: &[u8]) -> Result<Self, Error> {
        // SAFETY: `raw` is readable for its length during the call, which copies it; the object
        // returned is the caller's.
        Self::parsed(unsafe {
            aws_lc_sys::EVP_PKEY_pqdsa_new_raw_public_key(nid.0, raw.as_ptr(), raw.len())
        })
    }

    /// `EVP_PKEY_pqdsa_new_raw_private_key`: `raw` is a seed or an expanded key, by its length.
    pub(crate) fn ml_dsa_private(nid: Nid, raw: &[u8]) -> Result<Self, Error> {
        // SAFETY: as above.
        Self::parsed(unsafe {
            aws_lc_sys::EVP_PKEY_pqdsa_new_raw_private_key(nid.0, raw.as_ptr(), raw.len())
        })
    }

    /// `EVP_PKEY_kem_new_raw_public_key`.
    pub(crate) fn ml_kem_public(nid: Nid, raw: &[u8]) -> Result<Self, Error> {
        // SAFETY: as above.
        Self::parsed(unsafe {
            aws_lc_sys::EVP_PKEY_kem_new_raw_public_key(nid.0, raw.as_ptr(), raw.len())
        })
    }

    /// `EVP_PKEY_kem_new_raw_secret_key`: the expanded decapsulation key.
    pub(crate) fn ml_kem_private(nid: Nid, raw: &[u8]) -> Result<Self, Error> {
        // SAFETY: as above.
        Self::parsed(unsafe {
            aws_lc_sys::EVP_PKEY_kem_new_raw_secret_key(nid.0, raw.as_ptr(), raw.len())
        })
    }

    /// `EVP_PKEY_keygen_deterministic`: the key pair of a seed of 64 bytes.
    pub(crate) fn ml_kem_from_seed(nid: Nid, seed: &[u8; 64]) -> Result<Self, Error> {
        // SAFETY: takes no pointer that is read; the object returned is the caller's.
        let ctx =
            unsafe { aws_lc_sys::EVP_PKEY_CTX_new_id(aws_lc_sys::EVP_PKEY_KEM, ptr::null_mut()) };
        let ctx = NonNull::new(ctx).map(PkeyCtx).ok_or_else(backend_error)?;
        let mut key = ptr::null_mut();
        let mut seed_len = seed.len();
        // SAFETY: the context is live and this frame's alone; `seed` is readable for `seed_len`
        // bytes, which the call compares with the length that it wants; `key` gets an object that
        // is the caller's.
        let ok = unsafe {
            aws_lc_sys::EVP_PKEY_CTX_kem_set_params(ctx.0.as_ptr(), nid.0) == 1
                && aws_lc_sys::EVP_PKEY_keygen_init(ctx.0.as_ptr()) == 1
                && aws_lc_sys::EVP_PKEY_keygen_deterministic(
                    ctx.0.as_ptr(),
                    &mut key,
                    seed.as_ptr(),
                    &mut seed_len,
                ) == 1
        };
        if ok {
            Self::parsed(key)
        } else {
            Err(backend_error())
        }
    }

    fn parsed(key: *mut EVP_PKEY) -> Result<Self, Error> {
        NonNull::new(key).map(Self).ok_or_else(|| {
            clear();
            Error::Rejected
        })
    }

    /// `EVP_PKEY_get_raw_public_key`: fills `raw_out` exactly.
    pub(crate) fn raw_public(&self, raw_out: &mut [u8]) -> Result<(), Error> {
        let mut len = raw_out.len();
        // SAFETY: the key is live; `raw_out` is writable for `len` bytes, and the call checks the
        // room before it writes.
        let ok = unsafe {
            aws_lc_sys::EVP_PKEY_get_raw_public_key(self.0.as_ptr(), raw_out.as_mut_ptr(), &mut len)
        };
        if ok == 1 && len == raw_out.len() {
            Ok(())
        } else {
            Err(backend_error())
        }
    }

    /// `EVP_PKEY_get_raw_private_key`, the expanded form: fills `raw_out` exactly.
    pub(crate) fn raw_private(&self, raw_out: &mut [u8]) -> Result<(), Error> {
        let mut len = raw_out.len();
        // SAFETY: as above.
        let ok = unsafe {
            aws_lc_sys::EVP_PKEY_get_raw_private_key(
                self.0.as_ptr(),
                raw_out.as_mut_ptr(),
                &mut len,
            )
        };
        if ok == 1 && len == raw_out.len() {
            Ok(())
        } else {
            Err(backend_error())
        }
    }

    /// `EVP_DigestSign` of a whole message under a context string of at most 255 bytes; returns
    /// the signature's length.
    pub(crate) fn sign(
        &self,
        context: &[u8],
        message: &[u8],
        signature_out: &mut [u8],
    ) -> Result<usize, Error> {
        let ctx = MdCtx::new()?;
        let mut pkey_ctx = ptr::null_mut();
        let mut len = signature_out.len();
        // SAFETY: the context is live and this frame's alone; the key is live, and the context
        // takes a reference of its own. `pkey_ctx` belongs to the context and is used while that
        // lives. The slices are readable or writable for their lengths during the calls, which
        // check the room before they write. An empty context string is not handed over.
        let ok = unsafe {
            aws_lc_sys::EVP_DigestSignInit(
                ctx.0.as_ptr(),
                &mut pkey_ctx,
                ptr::null(),
                ptr::null_mut(),
                self.0.as_ptr(),
            ) == 1
                && set_context(pkey_ctx, context)
                && aws_lc_sys::EVP_DigestSign(
                    ctx.0.as_ptr(),
                    signature_out.as_mut_ptr(),
                    &mut len,
                    message.as_ptr(),
                    message.len(),
                ) == 1
        };
        if ok { Ok(len) } else { Err(backend_error()) }
    }

    /// `EVP_DigestVerify` of a whole message under a context string of at most 255 bytes.
    pub(crate) fn verify(
        &self,
        context: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<bool, Error> {
        let ctx = MdCtx::new()?;
        let mut pkey_ctx = ptr::null_mut();
        // SAFETY: as in `sign`.
        let ready = unsafe {
            aws_lc_sys::EVP_DigestVerifyInit(
                ctx.0.as_ptr(),
                &mut pkey_ctx,
                ptr::null(),
                ptr::null_mut(),
                self.0.as_ptr(),
            ) == 1
                && set_context(pkey_ctx, context)
        };
        if !ready {
            return Err(backend_error());
        }
        // SAFETY: the context is ready; both slices are readable for their lengths.
        let ok = unsafe {
            aws_lc_sys::EVP_DigestVerify(
                ctx.0.as_ptr(),
                signature.as_ptr(),
                signature.len(),
                message.as_ptr(),
                message.len(),
            )
        };
        if ok != 1 {
            clear();
        }
        Ok(ok == 1)
    }

    /// `EVP_PKEY_encapsulate`: fills both outputs exactly, or refuses a key that FIPS 203,
    /// section 7.2, refuses.
    pub(crate) fn encapsulate(
        &self,
        ciphertext_out: &mut [u8],
        shared_out: &mut [u8],
    ) -> Result<(), Error> {
        let ctx = PkeyCtx::new(self)?;
        let (mut ciphertext_len, mut shared_len) = (ciphertext_out.len(), shared_out.len());
        // SAFETY: the context is live and this frame's alone; both outputs are writable for the
        // lengths given, and the call checks the room before it writes.
        let ok = unsafe {
            aws_lc_sys::EVP_PKEY_encapsulate(
                ctx.0.as_ptr(),
                ciphertext_out.as_mut_ptr(),
                &mut ciphertext_len,
                shared_out.as_mut_ptr(),
                &mut shared_len,
            )
        };
        if ok == 1 && (ciphertext_len, shared_len) == (ciphertext_out.len(), shared_out.len()) {
            Ok(())
        } else {
            clear();
            Err(Error::Rejected)
        }
    }

    /// `EVP_PKEY_decapsulate`: fills `shared_out` exactly.
    pub(crate) fn decapsulate(
        &self,
        ciphertext: &[u8],
        shared_out: &mut [u8],
    ) -> Result<(), Error> {
        let ctx = PkeyCtx::new(self)?;
        let mut shared_len = shared_out.len();
        // SAFETY: the context is live and this frame's alone; `ciphertext` is readable and
        // `shared_out` writable for the lengths given, both of which the call checks first.
        let ok = unsafe {
            aws_lc_sys::EVP_PKEY_decapsulate(
                ctx.0.as_ptr(),
                shared_out.as_mut_ptr(),
                &mut shared_len,
                ciphertext.as_ptr(),
                ciphertext.len(),
            )
        };
        if ok == 1 && shared_len == shared_out.len() {
            Ok(())
        } else {
            clear();
            Err(Error::Rejected)
        }
    }
}

/// `EVP_PKEY_CTX_set1_signature_context_string`, where there is a string.
///
/// # Safety
///
/// `pkey_ctx` must be live and not in use by anyone else.
unsafe fn set_context(pkey_ctx: *mut EVP_PKEY_CTX, context: &[u8]) -> bool {
    // SAFETY: the caller's promise; `context` is readable for its length, and copied.
    context.is_empty()
        || unsafe {
            aws_lc_sys::EVP_PKEY_CTX_set1_signature_context_string(
                pkey_ctx,
                context.as_ptr(),
                context.len(),
            )
        } == 1
}

impl Drop for Pkey {
    fn drop(&mut self) {
        // SAFETY: the object is live and this is one reference to it. The key is wiped: AWS-LC's
        // `OPENSSL_free` overwrites every block that it frees.
        unsafe { aws_lc_sys::EVP_PKEY_free(self.0.as_ptr()) };
    }
}

/// One operation with a key: owns one `EVP_PKEY_CTX`.
struct PkeyCtx(NonNull<EVP_PKEY_CTX>);

impl PkeyCtx {
    /// `EVP_PKEY_CTX_new`.
    fn new(key: &Pkey) -> Result<Self, Error> {
        // SAFETY: the key is live, and the context takes a reference of its own.
        let ctx = unsafe { aws_lc_sys::EVP_PKEY_CTX_new(key.0.as_ptr(), ptr::null_mut()) };
        NonNull::new(ctx).map(Self).ok_or_else(backend_error)
    }
}

impl Drop for PkeyCtx {
    fn drop(&mut self) {
        // SAFETY: the object is live and this is its only owner.
        unsafe { aws_lc_sys::EVP_PKEY_CTX_free(self.0.as_ptr()) };
    }
}

/// One signature in the making or under test: owns one `EVP_MD_CTX`.
struct MdCtx(NonNull<EVP_MD_CTX>);

impl MdCtx {
    /// `EVP_MD_CTX_new`.
    fn new() -> Result<Self, Error> {
        // SAFETY: takes no argument; the object returned is the caller's.
        let ctx = unsafe { aws_lc_sys::EVP_MD_CTX_new() };
        NonNull::new(ctx).map(Self).ok_or_else(backend_error)
    }
}

impl Drop for MdCtx {
    fn drop(&mut self) {
        // SAFETY: the object is live and this is its only owner.
        unsafe { aws_lc_sys::EVP_MD_CTX_free(self.0.as_ptr()) };
    }
}

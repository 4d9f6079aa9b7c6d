use core::ffi::c_int;
use core::ptr::{self, NonNull};

use aws_lc_sys::EVP_PKEY_CTX;

use super::error_queue::{backend_error, clear};
use super::md::Md;
use super::rsa::Rsa;
use crate::Error;

/// The options of OAEP, RFC 8017, section 7.1.
pub(crate) struct Oaep<'a> {
    pub(crate) md: Md,
    pub(crate) mgf1_md: Md,
    pub(crate) label: &'a [u8],
}

impl Rsa {
    /// `EVP_PKEY_encrypt` with OAEP; `out` must have room for `size_bytes`.
    pub(crate) fn encrypt_oaep(
        &self,
        oaep: &Oaep<'_>,
        data: &[u8],
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let ctx = CryptCtx::new(self, aws_lc_sys::EVP_PKEY_encrypt_init, oaep)?;
        let mut len = out.len();
        // SAFETY: the context is live and this frame's alone; `data` is readable and `out` writable
        // for their lengths during the call, which checks the room before it writes.
        let ok = unsafe {
            aws_lc_sys::EVP_PKEY_encrypt(
                ctx.0.as_ptr(),
                out.as_mut_ptr(),
                &mut len,
                data.as_ptr(),
                data.len(),
            )
        };
        if ok == 1 {
            Ok(len)
        } else {
            Err(backend_error())
        }
    }

    /// `EVP_PKEY_decrypt` with OAEP: `None` for every ciphertext that is not one, in a time that
    /// does not tell why. `out` must have room for `size_bytes`.
    pub(crate) fn decrypt_oaep(
        &self,
        oaep: &Oaep<'_>,
        ciphertext: &[u8],
        out: &mut [u8],
    ) -> Result<Option<usize>, Error> {
        let ctx = CryptCtx::new(self, aws_lc_sys::EVP_PKEY_decrypt_init, oaep)?;
        let mut len = out.len();
        // SAFETY: as above.
        let ok = unsafe {
            aws_lc_sys::EVP_PKEY_decrypt(
                ctx.0.as_ptr(),
                out.as_mut_ptr(),
                &mut len,
                ciphertext.as_ptr(),
                ciphertext.len(),
            )
        };
        if ok == 1 {
            Ok(Some(len))
        } else {
            clear();
            Ok(None)
        }
    }
}

/// One encryption or decryption with OAEP: owns one `EVP_PKEY_CTX`, which holds a reference to the
/// key.
struct CryptCtx(NonNull<EVP_PKEY_CTX>);

impl CryptCtx {
    /// `EVP_PKEY_set1_RSA`, `EVP_PKEY_CTX_new`, `init`, and the options.
    fn new(
        rsa: &Rsa,
        init: unsafe extern "C" fn(*mut EVP_PKEY_CTX) -> c_int,
        oaep: &Oaep<'_>,
    ) -> Result<Self, Error> {
        // SAFETY: takes no argument; the object returned is freed below, whatever happens.
        let pkey = unsafe { aws_lc_sys::EVP_PKEY_new() };
        if pkey.is_null() {
            return Err(backend_error());
        }
        // SAFETY: both objects are live; `pkey` takes a reference to the key, the context one to
        // `pkey`, and this frame gives up its own. Nothing in between can unwind.
        let ctx = unsafe {
            let ctx = if aws_lc_sys::EVP_PKEY_set1_RSA(pkey, rsa.as_ptr()) == 1 {
                aws_lc_sys::EVP_PKEY_CTX_new(pkey, ptr::null_mut())
            } else {
                ptr::null_mut()
            };
            aws_lc_sys::EVP_PKEY_free(pkey);
            ctx
        };
        let ctx = NonNull::new(ctx).map(Self).ok_or_else(backend_error)?;
        let at = ctx.0.as_ptr();
        // SAFETY: the context is live and this frame's alone; `init` is one of AWS-LC's for it; the
        // tables are static.
        let ok = unsafe {
            init(at) == 1
                && aws_lc_sys::EVP_PKEY_CTX_set_rsa_padding(at, aws_lc_sys::RSA_PKCS1_OAEP_PADDING)
                    == 1
                && aws_lc_sys::EVP_PKEY_CTX_set_rsa_oaep_md(at, oaep.md.as_ptr()) == 1
                && aws_lc_sys::EVP_PKEY_CTX_set_rsa_mgf1_md(at, oaep.mgf1_md.as_ptr()) == 1
        };
        if !ok {
            return Err(backend_error());
        }
        if !oaep.label.is_empty() {
            // SAFETY: `label` is readable for its length. The context takes the copy over where it
            // succeeds; where it does not, the copy is freed here, once.
            let ok = unsafe {
                let label =
                    aws_lc_sys::OPENSSL_memdup(oaep.label.as_ptr().cast(), oaep.label.len());
                let ok = !label.is_null()
                    && aws_lc_sys::EVP_PKEY_CTX_set0_rsa_oaep_label(
                        at,
                        label.cast(),
                        oaep.label.len(),
                    ) == 1;
                if !ok {
                    aws_lc_sys::OPENSSL_free(label);
                }
                ok
            };
            if !ok {
                return Err(backend_error());
            }
        }
        Ok(ctx)
    }
}

impl Drop for CryptCtx {
    fn drop(&mut self) {
        // SAFETY: the object is live and this is its only owner. The padded plaintext inside is
        // wiped: AWS-LC's `OPENSSL_free` overwrites every block that it frees.
        unsafe { aws_lc_sys::EVP_PKEY_CTX_free(self.0.as_ptr()) };
    }
}

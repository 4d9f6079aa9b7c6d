use core::mem::MaybeUninit;
use core::ptr;

use aws_lc_sys::{EVP_AEAD, EVP_AEAD_CTX};

use super::error_queue::{backend_error, clear};
use crate::{Error, Misuse};

/// The length of the tags, in bytes.
pub(crate) const TAG_LEN_BYTES: usize = 16;

/// An AEAD's method table: a pointer to a static of AWS-LC.
#[derive(Clone, Copy)]
pub(crate) struct Aead(*const EVP_AEAD);

macro_rules! accessors {
    ($($name:ident => $function:ident;)*) => {
        impl Aead {
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
    aes_128_gcm => EVP_aead_aes_128_gcm;
    aes_192_gcm => EVP_aead_aes_192_gcm;
    aes_256_gcm => EVP_aead_aes_256_gcm;
    aes_128_gcm_siv => EVP_aead_aes_128_gcm_siv;
    aes_256_gcm_siv => EVP_aead_aes_256_gcm_siv;
    chacha20_poly1305 => EVP_aead_chacha20_poly1305;
}

/// A keyed AEAD on the stack, wiped when it is dropped. It must not move once it was initialised:
/// use it where it was made.
struct Keyed(MaybeUninit<EVP_AEAD_CTX>);

impl Keyed {
    fn empty() -> Self {
        Self(MaybeUninit::zeroed())
    }

    /// `EVP_AEAD_CTX_init`.
    fn init(&mut self, aead: Aead, key: &[u8]) -> Result<(), Error> {
        // SAFETY: the table is a live static.
        if key.len() != unsafe { aws_lc_sys::EVP_AEAD_key_length(aead.0) } {
            return Err(Error::Misuse(Misuse::KeyLength));
        }
        // SAFETY: the structure is writable; the key is readable for its length.
        let ok = unsafe {
            aws_lc_sys::EVP_AEAD_CTX_init(
                self.0.as_mut_ptr(),
                aead.0,
                key.as_ptr(),
                key.len(),
                TAG_LEN_BYTES,
                ptr::null_mut(),
            )
        };
        if ok == 1 {
            Ok(())
        } else {
            Err(backend_error())
        }
    }
}

impl Drop for Keyed {
    fn drop(&mut self) {
        let ctx = self.0.as_mut_ptr();
        // SAFETY: the structure is zeros, which the first call passes over, or initialised, and
        // nothing else refers to it. The AEADs of this file keep their keys inside of it, where
        // the second call overwrites all of its bytes, which are writable; or in memory of their own,
        // which the first frees, and AWS-LC wipes what it frees.
        unsafe {
            aws_lc_sys::EVP_AEAD_CTX_cleanup(ctx);
            aws_lc_sys::OPENSSL_cleanse(ctx.cast(), size_of::<EVP_AEAD_CTX>());
        }
    }
}

impl Aead {
    /// `EVP_AEAD_CTX_seal_scatter`; `out` is as long as the plaintext.
    pub(crate) fn seal(
        self,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        plaintext: &[u8],
        out: &mut [u8],
        tag_out: &mut [u8; TAG_LEN_BYTES],
    ) -> Result<(), Error> {
        if out.len() != plaintext.len() {
            return Err(Error::Misuse(Misuse::OutputLength));
        }
        let mut keyed = Keyed::empty();
        keyed.init(self, key)?;
        let mut tag_len = 0;
        // SAFETY: the context is initialised. The inputs are readable for their lengths; `out` is
        // writable for the plaintext's, which is what is written, and `tag_out` for the tag's,
        // which is the limit given. None of them overlap: the outputs are borrowed uniquely.
        let ok = unsafe {
            aws_lc_sys::EVP_AEAD_CTX_seal_scatter(
                keyed.0.as_ptr(),
                out.as_mut_ptr(),
                tag_out.as_mut_ptr(),
                &mut tag_len,
                TAG_LEN_BYTES,
                nonce.as_ptr(),
                nonce.len(),
                plaintext.as_ptr(),
                plaintext.len(),
                ptr::null(),
                0,
                aad.as_ptr(),
                aad.len(),
            )
        };
        if ok == 1 && tag_len == TAG_LEN_BYTES {
            Ok(())
        } else {
            Err(backend_error())
        }
    }

    /// `EVP_AEAD_CTX_open_gather`; `out` is as long as the ciphertext. On failure it holds nothing
    /// of the plaintext.
    pub(crate) fn open(
        self,
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        ciphertext: &[u8],
        tag: &[u8; TAG_LEN_BYTES],
        out: &mut [u8],
    ) -> Result<(), Error> {
        if out.len() != ciphertext.len() {
            return Err(Error::Misuse(Misuse::OutputLength));
        }
        let mut keyed = Keyed::empty();
        keyed.init(self, key)?;
        // SAFETY: the context is initialised. The inputs are readable for their lengths; `out` is
        // writable for the ciphertext's, which is what is written, and overlaps none of them: it
        // is borrowed uniquely.
        let ok = unsafe {
            aws_lc_sys::EVP_AEAD_CTX_open_gather(
                keyed.0.as_ptr(),
                out.as_mut_ptr(),
                nonce.as_ptr(),
                nonce.len(),
                ciphertext.as_ptr(),
                ciphertext.len(),
                tag.as_ptr(),
                tag.len(),
                aad.as_ptr(),
                aad.len(),
            )
        };
        if ok == 1 {
            Ok(())
        } else {
            clear();
            out.fill(0);
            Err(Error::Failed)
        }
    }
}

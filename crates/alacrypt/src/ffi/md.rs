use core::ptr;

use aws_lc_sys::EVP_MD;

use super::error_queue::backend_error;
use crate::{Error, Misuse};

/// A digest's method table: a pointer to a static of AWS-LC.
#[derive(Clone, Copy)]
pub(crate) struct Md(*const EVP_MD);

// SAFETY: the pointer comes from AWS-LC's `EVP_*` accessors only; each returns the address of
// a constant that is never written after its one-time set-up and lives as long as the library.
unsafe impl Send for Md {}
// SAFETY: as above.
unsafe impl Sync for Md {}

macro_rules! accessors {
    ($($name:ident => $function:ident;)*) => {
        impl Md {
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
    md5 => EVP_md5;
    md5_sha1 => EVP_md5_sha1;
    ripemd160 => EVP_ripemd160;
    sha1 => EVP_sha1;
    sha224 => EVP_sha224;
    sha256 => EVP_sha256;
    sha384 => EVP_sha384;
    sha512 => EVP_sha512;
    sha512_224 => EVP_sha512_224;
    sha512_256 => EVP_sha512_256;
    sha3_224 => EVP_sha3_224;
    sha3_256 => EVP_sha3_256;
    sha3_384 => EVP_sha3_384;
    sha3_512 => EVP_sha3_512;
    shake128 => EVP_shake128;
    shake256 => EVP_shake256;
}

impl Md {
    pub(super) fn as_ptr(self) -> *const EVP_MD {
        self.0
    }

    /// The length of the digest in bytes (`EVP_MD_size`).
    pub(crate) fn size_bytes(self) -> usize {
        // SAFETY: the pointer is to a live static (see the type).
        unsafe { aws_lc_sys::EVP_MD_size(self.0) }
    }

    /// Writes the digest of `data` (`EVP_Digest`) into `digest_out`, which has its length.
    pub(crate) fn digest(self, data: &[u8], digest_out: &mut [u8]) -> Result<(), Error> {
        if digest_out.len() != self.size_bytes() {
            return Err(Error::Misuse(Misuse::OutputLength));
        }
        // SAFETY: `data` is readable and `digest_out` writable for their lengths during the
        // call; a shared and a unique reference cannot alias; `EVP_Digest` writes
        // `EVP_MD_size` bytes, which is the length just checked (an extendable-output function,
        // whose size is 0 here, is refused by a null length pointer).
        let ok = unsafe {
            aws_lc_sys::EVP_Digest(
                data.as_ptr().cast(),
                data.len(),
                digest_out.as_mut_ptr(),
                ptr::null_mut(),
                self.0,
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

macro_rules! one_shots {
    ($($name:ident: $len:literal => $function:ident;)*) => {
        $(
            #[doc = concat!("Writes the digest of `data` (`", stringify!($function), "`).")]
            pub(crate) fn $name(data: &[u8], digest_out: &mut [u8; $len]) {
                // SAFETY: `data` is readable for its length and `digest_out` writable for the
                // digest's length during the call; they cannot alias. The function cannot
                // fail: it allocates nothing, and returns the pointer that it was given.
                unsafe {
                    aws_lc_sys::$function(data.as_ptr(), data.len(), digest_out.as_mut_ptr());
                }
            }
        )*
    };
}

// `SHA256()` takes 60 ns where `EVP_Digest` takes 75.
one_shots! {
    md5: 16 => MD5;
    sha1: 20 => SHA1;
    sha224: 28 => SHA224;
    sha256: 32 => SHA256;
    sha384: 48 => SHA384;
    sha512: 64 => SHA512;
    sha512_224: 28 => SHA512_224;
    sha512_256: 32 => SHA512_256;
}

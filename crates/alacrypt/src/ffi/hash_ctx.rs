//! The plain contexts under AWS-LC's digests: structures without a pointer, which the caller owns.

use core::mem::MaybeUninit;

macro_rules! contexts {
    ($($(#[$doc:meta])* $name:ident: $context:ident, $len:literal,
        $init:ident, $update:ident, $finish:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone)]
            pub(crate) struct $name(aws_lc_sys::$context);

            impl $name {
                #[doc = concat!("`", stringify!($init), "`.")]
                #[inline]
                pub(crate) fn new() -> Self {
                    let mut context = MaybeUninit::<aws_lc_sys::$context>::zeroed();
                    // SAFETY: the structure is writable and all of its fields are integers, for
                    // which zero is a value; the call sets those that matter and cannot fail.
                    unsafe {
                        aws_lc_sys::$init(context.as_mut_ptr());
                        Self(context.assume_init())
                    }
                }

                #[doc = concat!("`", stringify!($update), "`.")]
                #[inline]
                pub(crate) fn update(&mut self, data: &[u8]) {
                    // SAFETY: the context is initialised and borrowed uniquely; `data` is
                    // readable for its length during the call, which cannot fail.
                    unsafe {
                        aws_lc_sys::$update(&mut self.0, data.as_ptr().cast(), data.len());
                    }
                }

                #[doc = concat!("`", stringify!($finish), "`.")]
                #[inline]
                pub(crate) fn finish(mut self, digest_out: &mut [u8; $len]) {
                    // SAFETY: the context is initialised and owned; `digest_out` is writable for
                    // the digest's length, which is what the call writes. It cannot fail.
                    unsafe {
                        aws_lc_sys::$finish(digest_out.as_mut_ptr(), &mut self.0);
                    }
                }
            }
        )*
    };
}

contexts! {
    /// MD5 in progress.
    Md5: MD5_CTX, 16, MD5_Init, MD5_Update, MD5_Final;
    /// SHA-1 in progress.
    Sha1: SHA_CTX, 20, SHA1_Init, SHA1_Update, SHA1_Final;
    /// SHA-224 in progress.
    Sha224: SHA256_CTX, 28, SHA224_Init, SHA224_Update, SHA224_Final;
    /// SHA-256 in progress.
    Sha256: SHA256_CTX, 32, SHA256_Init, SHA256_Update, SHA256_Final;
    /// SHA-384 in progress.
    Sha384: SHA512_CTX, 48, SHA384_Init, SHA384_Update, SHA384_Final;
    /// SHA-512 in progress.
    Sha512: SHA512_CTX, 64, SHA512_Init, SHA512_Update, SHA512_Final;
}

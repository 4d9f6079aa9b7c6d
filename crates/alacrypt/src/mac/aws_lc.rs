//! AWS-LC's digests under RustCrypto's traits, for RustCrypto's HMAC construction.

use blake2::digest::block_api::BlockSizeUser;
use blake2::digest::consts::{U16, U20, U28, U32, U36, U48, U64, U128};
use blake2::digest::{FixedOutput, HashMarker, Output, OutputSizeUser, Update};

use crate::ffi::hash_ctx;

macro_rules! digests {
    ($($name:ident: $output:ty, $block:ty;)*) => {
        $(
            #[derive(Clone)]
            pub(super) struct $name(hash_ctx::$name);

            impl Default for $name {
                #[inline]
                fn default() -> Self {
                    Self(hash_ctx::$name::new())
                }
            }

            impl Update for $name {
                #[inline]
                fn update(&mut self, data: &[u8]) {
                    self.0.update(data);
                }
            }

            impl FixedOutput for $name {
                #[inline]
                fn finalize_into(self, out: &mut Output<Self>) {
                    self.0.finish(out.as_mut());
                }
            }

            impl OutputSizeUser for $name {
                type OutputSize = $output;
            }

            impl BlockSizeUser for $name {
                type BlockSize = $block;
            }

            impl HashMarker for $name {}
        )*
    };
}

digests! {
    Md5: U16, U64;
    Sha1: U20, U64;
    Sha224: U28, U64;
    Sha256: U32, U64;
    Sha384: U48, U128;
    Sha512: U64, U128;
}

/// MD5 and SHA-1 side by side (RFC 2246, section 7.4.3); AWS-LC's own HMAC refuses it.
#[derive(Clone, Default)]
pub(super) struct Md5Sha1 {
    md5: Md5,
    sha1: Sha1,
}

impl Update for Md5Sha1 {
    fn update(&mut self, data: &[u8]) {
        self.md5.update(data);
        self.sha1.update(data);
    }
}

impl FixedOutput for Md5Sha1 {
    fn finalize_into(self, out: &mut Output<Self>) {
        let (md5, sha1) = out.split_at_mut(16);
        md5.copy_from_slice(&self.md5.finalize_fixed());
        sha1.copy_from_slice(&self.sha1.finalize_fixed());
    }
}

impl OutputSizeUser for Md5Sha1 {
    type OutputSize = U36;
}

impl BlockSizeUser for Md5Sha1 {
    type BlockSize = U64;
}

impl HashMarker for Md5Sha1 {}

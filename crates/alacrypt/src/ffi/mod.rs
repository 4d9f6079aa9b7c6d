//! The `unsafe` around AWS-LC: one file per AWS-LC object, no policy, no algorithm names; and
//! around what no safe interface offers of the kernel's memory.
//!
//! Every function here is safe to call with any argument: a length that C takes on trust is
//! checked against the object before the call. A slice of no bytes gives C a pointer that is not
//! null and is not read.
#![allow(unsafe_code)]

pub(crate) mod aes_key;
pub(crate) mod bignum;
pub(crate) mod curve25519;
pub(crate) mod ec_key;
pub(crate) mod error_queue;
pub(crate) mod evp_aead;
pub(crate) mod evp_cipher;
pub(crate) mod evp_pkey;
pub(crate) mod evp_pkey_ctx;
pub(crate) mod hash_ctx;
pub(crate) mod hmac_ctx;
pub(crate) mod huge_pages;
pub(crate) mod md;
pub(crate) mod md_ctx;
pub(crate) mod mem;
pub(crate) mod pbe;
pub(crate) mod rand;
pub(crate) mod rsa;
pub(crate) mod wiped_page;

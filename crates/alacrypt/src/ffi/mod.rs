//! The `unsafe` around AWS-LC: one file per AWS-LC object, no policy, no algorithm names; and around the one
//! kernel page that no safe interface offers.
#![allow(unsafe_code)]

pub(crate) mod error_queue;
pub(crate) mod hmac_ctx;
pub(crate) mod md;
pub(crate) mod md_ctx;
pub(crate) mod mem;
pub(crate) mod rand;
pub(crate) mod wiped_page;

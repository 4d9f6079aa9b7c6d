//! Ed25519 and X25519: functions over plain bytes, without an object.

use super::error_queue::{backend_error, clear};
use crate::Error;

/// `ED25519_keypair_from_seed`: the public key; `private_out` gets the seed followed by it.
pub(crate) fn ed25519_key_pair(seed: &[u8; 32], private_out: &mut [u8; 64]) -> [u8; 32] {
    let mut public = [0; 32];
    // SAFETY: `seed` is readable for 32 bytes, the outputs are writable for 32 and 64, which is
    // what the call reads and writes; none aliases another. It cannot fail.
    unsafe {
        aws_lc_sys::ED25519_keypair_from_seed(
            public.as_mut_ptr(),
            private_out.as_mut_ptr(),
            seed.as_ptr(),
        );
    }
    public
}

/// `ED25519_sign`; `private` is the seed followed by the public key.
pub(crate) fn ed25519_sign(
    private: &[u8; 64],
    message: &[u8],
    signature_out: &mut [u8; 64],
) -> Result<(), Error> {
    // SAFETY: `message` is readable for its length and `private` for 64 bytes, `signature_out` is
    // writable for the 64 that the call writes, all of them during the call.
    let ok = unsafe {
        aws_lc_sys::ED25519_sign(
            signature_out.as_mut_ptr(),
            message.as_ptr(),
            message.len(),
            private.as_ptr(),
        )
    };
    if ok == 1 {
        Ok(())
    } else {
        Err(backend_error())
    }
}

/// `ED25519_verify`: whether the signature is right.
pub(crate) fn ed25519_verify(public: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
    // SAFETY: `message` is readable for its length, `signature` for 64 bytes and `public` for 32,
    // which is what the call reads.
    let ok = unsafe {
        aws_lc_sys::ED25519_verify(
            message.as_ptr(),
            message.len(),
            signature.as_ptr(),
            public.as_ptr(),
        )
    };
    if ok != 1 {
        clear();
    }
    ok == 1
}

/// `X25519_public_from_private`.
pub(crate) fn x25519_public(private: &[u8; 32]) -> [u8; 32] {
    let mut public = [0; 32];
    // SAFETY: `private` is readable and `public` writable for 32 bytes, which is what the call
    // reads and writes. It cannot fail.
    unsafe { aws_lc_sys::X25519_public_from_private(public.as_mut_ptr(), private.as_ptr()) };
    public
}

/// `X25519`: whether the secret is one; it is all zeros where the peer's point has small order.
pub(crate) fn x25519(private: &[u8; 32], peer: &[u8; 32], secret_out: &mut [u8; 32]) -> bool {
    // SAFETY: both inputs are readable and `secret_out` is writable for 32 bytes, which is what
    // the call reads and writes; the unique reference aliases neither.
    let ok =
        unsafe { aws_lc_sys::X25519(secret_out.as_mut_ptr(), private.as_ptr(), peer.as_ptr()) };
    if ok != 1 {
        clear();
    }
    ok == 1
}

use super::error_queue::backend_error;
use super::md::Md;
use crate::Error;

/// Fills `dk_out` (`PKCS5_PBKDF2_HMAC`). Fails for 0 iterations, for an extendable-output function
/// and for RIPEMD-160, and where memory is short.
pub(crate) fn pbkdf2(
    md: Md,
    password: &[u8],
    salt: &[u8],
    iterations: u32,
    dk_out: &mut [u8],
) -> Result<(), Error> {
    // SAFETY: `password` and `salt` are readable and `dk_out` writable for their lengths during the
    // call; the unique reference aliases neither of the others. `md` is a static table.
    let ok = unsafe {
        aws_lc_sys::PKCS5_PBKDF2_HMAC(
            password.as_ptr().cast(),
            password.len(),
            salt.as_ptr(),
            salt.len(),
            iterations,
            md.as_ptr(),
            dk_out.len(),
            dk_out.as_mut_ptr(),
        )
    };
    if ok == 1 {
        Ok(())
    } else {
        Err(backend_error())
    }
}

/// Fills `dk_out` (`EVP_PBE_scrypt`), which checks the parameters, and wipes and frees the memory
/// that it works in. Fails where that is more than `max_mem_bytes`, or is not to be had.
pub(crate) fn scrypt(
    password: &[u8],
    salt: &[u8],
    n: u64,
    r: u64,
    p: u64,
    max_mem_bytes: usize,
    dk_out: &mut [u8],
) -> Result<(), Error> {
    // SAFETY: as for `pbkdf2`.
    let ok = unsafe {
        aws_lc_sys::EVP_PBE_scrypt(
            password.as_ptr().cast(),
            password.len(),
            salt.as_ptr(),
            salt.len(),
            n,
            r,
            p,
            max_mem_bytes,
            dk_out.as_mut_ptr(),
            dk_out.len(),
        )
    };
    if ok == 1 {
        Ok(())
    } else {
        Err(backend_error())
    }
}

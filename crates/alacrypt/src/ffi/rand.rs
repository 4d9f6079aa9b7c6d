use super::error_queue::backend_error;
use crate::Error;

/// Fills `bytes_out` from AWS-LC's generator of the calling thread (`RAND_bytes`).
///
/// The generator notices a fork by itself. It returns 1 or ends the process; the result is
/// checked all the same, as the header allows another.
pub(crate) fn fill(bytes_out: &mut [u8]) -> Result<(), Error> {
    // SAFETY: `bytes_out` is writable for its length for the duration of the call, and nothing
    // else can refer to it meanwhile.
    let ok = unsafe { aws_lc_sys::RAND_bytes(bytes_out.as_mut_ptr(), bytes_out.len()) };
    if ok == 1 {
        Ok(())
    } else {
        Err(backend_error())
    }
}

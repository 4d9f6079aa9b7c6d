/// Whether `a` and `b`, of equal length, hold the same bytes (`CRYPTO_memcmp`).
///
/// Slices of unequal length compare as different.
pub(crate) fn eq(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    // SAFETY: both pointers are readable for `a.len()` bytes, which is also `b.len()`, for the
    // length of the call; they may alias, as both are only read.
    unsafe { aws_lc_sys::CRYPTO_memcmp(a.as_ptr().cast(), b.as_ptr().cast(), a.len()) == 0 }
}

//! Comparison whose running time depends on the lengths only, never on the contents.

use crate::ffi;

/// Whether `a` and `b` are equal; slices of unequal length are not, and that is told at once.
///
/// ```
/// assert!(alacrypt::constant_time::eq(b"tag", b"tag"));
/// assert!(!alacrypt::constant_time::eq(b"tag", b"tog"));
/// assert!(!alacrypt::constant_time::eq(b"tag", b"ta"));
/// ```
#[must_use]
pub fn eq(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && ffi::mem::eq(a, b)
}

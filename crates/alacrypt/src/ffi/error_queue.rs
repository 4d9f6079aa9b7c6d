use crate::Error;

/// Empties the thread's error queue after a failed call and returns the error to raise.
///
/// The queue is touched on failure only: clearing an empty queue on every call is one of the
/// costs that this library exists to avoid.
#[cold]
pub(crate) fn backend_error() -> Error {
    clear();
    Error::Backend
}

/// Empties the thread's error queue after a call that failed because of its input.
#[cold]
pub(crate) fn clear() {
    // SAFETY: takes no pointer; works on the calling thread's own queue.
    unsafe { aws_lc_sys::ERR_clear_error() };
}

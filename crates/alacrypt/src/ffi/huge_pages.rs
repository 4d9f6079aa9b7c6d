use core::mem::MaybeUninit;

/// Asks for huge pages below memory that nobody has touched yet (`MADV_HUGEPAGE`): the kernel then
/// takes a fault for each 2 MiB, not for each 4 KiB. It may decline.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for<T>(memory: &mut [MaybeUninit<T>]) {
    use rustix::mm::{Advice, madvise};

    /// The advice is about whole pages; no page that it is of use for is smaller.
    const HUGE_PAGE_LEN_BYTES: usize = 2 * 1024 * 1024;

    let start = memory.as_mut_ptr().cast::<u8>();
    let len = size_of_val(memory);
    let skipped = start.align_offset(HUGE_PAGE_LEN_BYTES);
    let Some(rest) = len.checked_sub(skipped) else {
        return;
    };
    let len = rest - rest % HUGE_PAGE_LEN_BYTES;
    if len > 0 {
        // SAFETY: the range lies in `memory`, which is borrowed uniquely, so it is mapped during the
        // call; the advice changes no byte of it, now or later.
        let _ = unsafe { madvise(start.add(skipped).cast(), len, Advice::LinuxHugepage) };
    }
}

/// Other systems decide by themselves.
#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for<T>(_memory: &mut [MaybeUninit<T>]) {}

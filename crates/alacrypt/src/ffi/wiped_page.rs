#[cfg(target_os = "linux")]
pub(crate) use linux::WipedPage;
#[cfg(not(target_os = "linux"))]
pub(crate) use other::WipedPage;

#[cfg(target_os = "linux")]
mod linux {
    use core::ffi::c_void;
    use core::ptr::{self, NonNull};
    use core::slice;

    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
    use zeroize::Zeroize;

    /// Private memory that reads as zeros in a forked child (`MADV_WIPEONFORK`).
    pub(crate) struct WipedPage {
        start: NonNull<u8>,
        len: usize,
    }

    // SAFETY: the mapping belongs to the process, not to a thread, and this type owns it.
    unsafe impl Send for WipedPage {}

    impl WipedPage {
        /// `len` bytes of zeros, or `None` where the kernel cannot promise to empty them.
        pub(crate) fn new(len: usize) -> Option<Self> {
            // SAFETY: asks for a new mapping at an address of the kernel's choice; the flags
            // include no fixed address, so no mapping is replaced.
            let start = unsafe {
                mmap_anonymous(
                    ptr::null_mut(),
                    len,
                    ProtFlags::READ | ProtFlags::WRITE,
                    MapFlags::PRIVATE,
                )
            }
            .ok()?;
            let page = Self {
                start: NonNull::new(start.cast())?,
                len,
            };
            // SAFETY: the range is the mapping just made, which nothing refers to yet.
            unsafe { madvise(page.start.as_ptr().cast(), len, Advice::LinuxWipeOnFork) }.ok()?;
            // SAFETY: as above. Best effort: keeps the bytes out of core files.
            let _ = unsafe { madvise(page.start.as_ptr().cast(), len, Advice::LinuxDontDump) };
            Some(page)
        }

        pub(crate) fn bytes(&self) -> &[u8] {
            // SAFETY: the mapping is readable for `len` bytes until `self` is dropped, and is
            // written through `bytes_mut` only, which needs `self` uniquely.
            unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
        }

        pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
            // SAFETY: as above, and `self` is borrowed uniquely.
            unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
        }
    }

    impl Drop for WipedPage {
        fn drop(&mut self) {
            self.bytes_mut().zeroize();
            // SAFETY: the range is this type's own mapping, and no reference outlives `self`.
            let _ = unsafe { munmap(self.start.as_ptr().cast::<c_void>(), self.len) };
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn starts_as_zeros_and_keeps_what_is_written() {
            let mut page = WipedPage::new(513).unwrap();
            assert_eq!(page.bytes(), [0; 513]);
            page.bytes_mut()[512] = 7;
            assert_eq!(page.bytes()[512], 7);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    /// No memory that a fork empties is to be had here.
    pub(crate) enum WipedPage {}

    impl WipedPage {
        pub(crate) fn new(_len: usize) -> Option<Self> {
            None
        }

        pub(crate) fn bytes(&self) -> &[u8] {
            match *self {}
        }

        pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
            match *self {}
        }
    }
}

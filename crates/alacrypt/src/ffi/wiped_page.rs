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
            // Some emulators (user-mode QEMU among them) accept every advice and heed none. The
            // kernel refuses to empty memory that processes share; who does not, does not know
            // the advice.
            if Self::map(len, MapFlags::SHARED)?.wipe_on_fork() {
                return None;
            }
            let page = Self::map(len, MapFlags::PRIVATE)?;
            if !page.wipe_on_fork() {
                return None;
            }
            // SAFETY: the range is this type's own mapping; the advice changes no byte of it.
            // Best effort: keeps the bytes out of core files.
            let _ = unsafe { madvise(page.start.as_ptr().cast(), len, Advice::LinuxDontDump) };
            Some(page)
        }

        /// `mmap`: `len` bytes of zeros, backed by no file.
        fn map(len: usize, sharing: MapFlags) -> Option<Self> {
            // SAFETY: asks for a new mapping at an address of the kernel's choice; the flags
            // include no fixed address, so no mapping is replaced.
            let start = unsafe {
                mmap_anonymous(
                    ptr::null_mut(),
                    len,
                    ProtFlags::READ | ProtFlags::WRITE,
                    sharing,
                )
            }
            .ok()?;
            Some(Self {
                start: NonNull::new(start.cast())?,
                len,
            })
        }

        /// `madvise` with `MADV_WIPEONFORK`: whether the kernel took the advice.
        fn wipe_on_fork(&self) -> bool {
            // SAFETY: the range is this type's own mapping; the advice changes what a forked
            // child reads, never a byte of this process.
            unsafe {
                madvise(
                    self.start.as_ptr().cast(),
                    self.len,
                    Advice::LinuxWipeOnFork,
                )
            }
            .is_ok()
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

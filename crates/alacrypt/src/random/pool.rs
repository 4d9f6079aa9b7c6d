use core::fmt;

use zeroize::Zeroize;

use crate::error::Error;
use crate::ffi::{self, wiped_page::WipedPage};

/// Many short draws of random bytes for the price of a few long ones.
///
/// A draw of 16 bytes from the generator takes 200 ns, one of 512 takes 260. The pool makes the
/// long draw and hands out short pieces; each piece is wiped from the pool as it is handed out,
/// so that reading the process's memory later does not tell earlier outputs.
///
/// The bytes lie in a page that the kernel empties in a forked child, so parent and child never
/// hand out the same bytes. Where the operating system has no such page ([`Pool::new`] finds
/// out), each draw goes to the generator. A copy of the whole machine (a snapshot that is started
/// twice) does repeat up to [`Pool::CAPACITY_BYTES`] bytes, as a generator in user space does.
///
/// ```
/// use alacrypt::random::Pool;
///
/// let mut pool = Pool::new();
/// let (mut first_out, mut second_out) = ([0; 16], [0; 16]);
/// pool.fill(&mut first_out)?;
/// pool.fill(&mut second_out)?;
/// assert_ne!(first_out, second_out);
/// # Ok::<(), alacrypt::Error>(())
/// ```
pub struct Pool {
    page: Option<Page>,
    /// Bytes of the page that have not been handed out: its tail.
    left: usize,
}

impl Pool {
    /// How many bytes at most lie in the pool.
    pub const CAPACITY_BYTES: usize = 512;
    /// Draws longer than this go to the generator.
    pub const MAX_DRAW_BYTES: usize = 64;

    /// An empty pool; takes no random bytes yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            page: Page::new(),
            left: 0,
        }
    }

    /// Fills `bytes_out`, of any length.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`] when the library fails; AWS-LC ends the process instead.
    pub fn fill(&mut self, bytes_out: &mut [u8]) -> Result<(), Error> {
        let Some(page) = &mut self.page else {
            return ffi::rand::fill(bytes_out);
        };
        if bytes_out.len() > Self::MAX_DRAW_BYTES {
            return ffi::rand::fill(bytes_out);
        }
        if !page.is_live() || self.left < bytes_out.len() {
            page.refill()?;
            self.left = Self::CAPACITY_BYTES;
        }
        let from = Self::CAPACITY_BYTES - self.left;
        let piece = &mut page.bytes_mut()[from..from + bytes_out.len()];
        bytes_out.copy_from_slice(piece);
        piece.zeroize();
        self.left -= bytes_out.len();
        Ok(())
    }
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

/// The pool's bytes, then a mark that is not zero while they are filled.
struct Page(WipedPage);

impl Page {
    const FILLED: u8 = 0xa5;

    fn new() -> Option<Self> {
        WipedPage::new(Pool::CAPACITY_BYTES + 1).map(Self)
    }

    /// Whether the bytes are there, and are those of this process.
    fn is_live(&self) -> bool {
        self.0.bytes()[Pool::CAPACITY_BYTES] == Self::FILLED
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.0.bytes_mut()[..Pool::CAPACITY_BYTES]
    }

    fn refill(&mut self) -> Result<(), Error> {
        self.0.bytes_mut()[Pool::CAPACITY_BYTES] = 0;
        ffi::rand::fill(self.bytes_mut())?;
        self.0.bytes_mut()[Pool::CAPACITY_BYTES] = Self::FILLED;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_wiped_as_they_are_handed_out() {
        let mut pool = Pool::new();
        let mut first = [0; 16];
        pool.fill(&mut first).unwrap();
        let left = pool.left;
        let page = pool.page.as_mut().expect("Linux has the page");
        let handed_out = Pool::CAPACITY_BYTES - left;
        assert_eq!(handed_out, 16);
        assert_eq!(page.bytes_mut()[..16], [0; 16]);
        assert_ne!(page.bytes_mut()[16..32], [0; 16]);
        assert_ne!(first, [0; 16]);
    }

    #[test]
    fn no_two_draws_are_equal() {
        let mut pool = Pool::new();
        let mut seen = std::collections::HashSet::new();
        for draw in 0..10_000 {
            let mut bytes = vec![0; 8 + draw % 57];
            pool.fill(&mut bytes).unwrap();
            assert!(seen.insert(bytes[..8].to_vec()));
        }
    }

    #[test]
    fn long_draws_go_past_the_pool() {
        let mut pool = Pool::new();
        let mut bytes = [0; Pool::MAX_DRAW_BYTES + 1];
        pool.fill(&mut bytes).unwrap();
        assert_eq!(pool.left, 0);
        assert_ne!(bytes[..16], [0; 16]);
    }
}

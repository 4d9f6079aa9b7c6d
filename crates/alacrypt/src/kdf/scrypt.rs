use crate::error::{Error, Misuse};
use crate::ffi::pbe;

/// `p` times `r` is at most this (RFC 7914, section 6).
const MAX_BLOCKS: u64 = (1 << 30) - 1;

/// The parameters of scrypt, within the ranges of RFC 7914, section 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    n: u32,
    r: u32,
    p: u32,
}

impl Cost {
    /// The CPU and memory cost `n`, a power of 2 from 2 on and below 2^(16 · `r`); the block size
    /// `r`; the parallelization `p`. `None` for what is no cost.
    #[must_use]
    pub const fn new(n: u32, r: u32, p: u32) -> Option<Self> {
        let fits = r > 1 || n < 1 << 16;
        if n < 2 || !n.is_power_of_two() || r == 0 || p == 0 || !fits {
            return None;
        }
        // Neither product wraps in 64 bits.
        if r as u64 * p as u64 > MAX_BLOCKS {
            return None;
        }
        Some(Self { n, r, p })
    }

    /// Bytes of memory that a derivation works in; `None` where they are more than there are
    /// addresses.
    #[must_use]
    pub fn memory_len_bytes(self) -> Option<usize> {
        let block = 128_u64.checked_mul(u64::from(self.r))?;
        // B, T and V of the algorithm.
        let blocks = u64::from(self.p) + 1 + u64::from(self.n);
        usize::try_from(block.checked_mul(blocks)?).ok()
    }
}

/// Fills `dk_out` from `password` and `salt`, all of any length (RFC 7914, section 6).
///
/// The memory that it works in ([`Cost::memory_len_bytes`]) is wiped before it is freed.
///
/// ```
/// use alacrypt::kdf::{Cost, scrypt};
///
/// // RFC 7914, section 12.
/// let cost = Cost::new(16, 1, 1).ok_or(alacrypt::Error::Unsupported)?;
/// let mut dk_out = [0; 64];
/// scrypt(b"", b"", cost, &mut dk_out)?;
/// assert_eq!(dk_out[..4], [0x77, 0xd6, 0x57, 0x62]);
/// # Ok::<(), alacrypt::Error>(())
/// ```
///
/// # Errors
///
/// [`Misuse::OutputLength`] for no output, and for more than (2^32 - 1) · 32 bytes of it;
/// [`Error::Backend`] when memory runs out.
pub fn scrypt(password: &[u8], salt: &[u8], cost: Cost, dk_out: &mut [u8]) -> Result<(), Error> {
    let memory = cost.memory_len_bytes().ok_or(Error::Backend)?;
    let blocks = u32::try_from(dk_out.len().div_ceil(32));
    if dk_out.is_empty() || blocks.is_err() {
        return Err(Error::Misuse(Misuse::OutputLength));
    }
    let [n, r, p] = [cost.n, cost.r, cost.p].map(u64::from);
    pbe::scrypt(password, salt, n, r, p, memory, dk_out)
}

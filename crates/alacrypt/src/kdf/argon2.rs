use std::sync::OnceLock;

use argon2::{Algorithm, Argon2, AssociatedData, Block, Params, ParamsBuilder, Version};
use rayon::{ThreadPool, ThreadPoolBuilder};
use zeroize::{Zeroize, zeroize_stack};

use crate::error::{Error, Misuse};
use crate::ffi::huge_pages;

/// The shortest nonce that is taken (RFC 9106, section 3.1, asks for 16 and allows 8).
const MIN_NONCE_LEN_BYTES: usize = 8;
/// The shortest tag (RFC 9106, section 3.1).
const MIN_TAG_LEN_BYTES: usize = 4;

/// More stack than the first and the last hash of a derivation use.
const STACK_LEN_BYTES: usize = 16 * 1024;

/// A type of Argon2 (RFC 9106, section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Argon2Type {
    /// Argon2d: which memory is read depends on the password, which others on the machine may see.
    D,
    /// Argon2i: which memory is read depends on nothing secret.
    I,
    /// Argon2id: as Argon2i at first, then as Argon2d. The one to use (RFC 9106, section 4).
    Id,
}

/// What Argon2 costs, within the ranges of RFC 9106, section 3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argon2Cost {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

impl Argon2Cost {
    /// `memory_kib` of memory, at least 8 for each lane; the number of `passes` over it; how many
    /// lanes it is divided into, which may be worked on side by side. `None` for what is no cost.
    #[must_use]
    pub fn new(memory_kib: u32, passes: u32, lanes: u32) -> Option<Self> {
        let cost = Self {
            memory_kib,
            passes,
            lanes,
        };
        Params::new(memory_kib, passes, lanes, None)
            .is_ok()
            .then_some(cost)
    }
}

/// What a tag is derived from.
#[derive(Clone, Copy, Default)]
pub struct Argon2Input<'input> {
    /// The password, of any length.
    pub message: &'input [u8],
    /// The salt: 8 bytes or more.
    pub nonce: &'input [u8],
    /// A secret beside the password, of any length; most have none.
    pub secret: &'input [u8],
    /// Up to 32 bytes that the tag is bound to.
    pub associated_data: &'input [u8],
}

/// Fills `tag_out`, of 4 bytes or more, from `input` (RFC 9106, section 3.2, version 0x13).
///
/// The lanes are worked on side by side by a pool of as many threads as the machine has processors,
/// which starts at the first use. The memory is wiped before it is freed.
///
/// ```
/// use alacrypt::kdf::{Argon2Cost, Argon2Input, Argon2Type, argon2};
///
/// let cost = Argon2Cost::new(64, 3, 1).ok_or(alacrypt::Error::Unsupported)?;
/// let input = Argon2Input { message: b"password", nonce: b"saltsalt", ..Default::default() };
/// let mut tag_out = [0; 32];
/// argon2(Argon2Type::Id, cost, &input, &mut tag_out)?;
/// assert_eq!(tag_out[..4], [0x5a, 0xfa, 0x1b, 0x57]);
/// # Ok::<(), alacrypt::Error>(())
/// ```
///
/// # Errors
///
/// [`Misuse::OutputLength`] for less than 4 bytes of output, and for 2^32 bytes or more;
/// [`Misuse::SaltLength`] for less than 8 bytes of nonce; [`Error::Unsupported`] for more than 32
/// bytes of associated data; [`Error::Backend`] where the memory, or a thread, is not to be had.
pub fn argon2(
    argon2_type: Argon2Type,
    cost: Argon2Cost,
    input: &Argon2Input<'_>,
    tag_out: &mut [u8],
) -> Result<(), Error> {
    if tag_out.len() < MIN_TAG_LEN_BYTES || u32::try_from(tag_out.len()).is_err() {
        return Err(Error::Misuse(Misuse::OutputLength));
    }
    if input.nonce.len() < MIN_NONCE_LEN_BYTES {
        return Err(Error::Misuse(Misuse::SaltLength));
    }
    let data = AssociatedData::new(input.associated_data).map_err(|_| Error::Unsupported)?;
    let params = ParamsBuilder::new()
        .m_cost(cost.memory_kib)
        .t_cost(cost.passes)
        .p_cost(cost.lanes)
        .data(data)
        .build()
        .map_err(|_| Error::Unsupported)?;
    let algorithm = match argon2_type {
        Argon2Type::D => Algorithm::Argon2d,
        Argon2Type::I => Algorithm::Argon2i,
        Argon2Type::Id => Algorithm::Argon2id,
    };
    let mut memory = Memory::new(params.block_count()).ok_or(Error::Backend)?;
    let argon2 = Argon2::new_with_secret(input.secret, algorithm, Version::V0x13, params)
        .map_err(|_| Error::Unsupported)?;
    pool()
        .ok_or(Error::Backend)?
        .install(|| {
            let Argon2Input { message, nonce, .. } = *input;
            let blocks = memory.0.as_mut_slice();
            let hashed = argon2.hash_password_into_with_memory(message, nonce, tag_out, blocks);
            zeroize_stack::<STACK_LEN_BYTES>();
            hashed
        })
        .map_err(|_| Error::Backend)
}

/// Argon2's memory, which is wiped when it is dropped.
struct Memory(Vec<Block>);

impl Memory {
    /// Blocks of zeros; `None` where they are not to be had.
    fn new(blocks: usize) -> Option<Self> {
        let mut memory = Vec::new();
        memory.try_reserve_exact(blocks).ok()?;
        huge_pages::ask_for(memory.spare_capacity_mut());
        memory.resize(blocks, Block::new());
        Some(Self(memory))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.0.iter_mut().zeroize();
    }
}

/// The threads that lanes are worked on by; `None` where they could not be started.
///
/// Without a pool around it the `argon2` crate uses rayon's global one, even for one lane, and that
/// panics where it cannot start.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    POOL.get_or_init(|| {
        ThreadPoolBuilder::new()
            .thread_name(|index| format!("argon2-{index}"))
            .build()
            .ok()
    })
    .as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_not_to_be_had() {
        // More than there are addresses; 4 TiB, the most that a cost asks for, some systems promise.
        assert!(Memory::new(usize::MAX / Block::SIZE).is_none());
        assert!(Memory::new(8).is_some());
    }
}

//! The layout of the scratch: one block of memory that script owns and that both sides use.
//!
//! `npm/alacrypt/src/scratch.ts` holds the same numbers; the addon exports them as `layout`, and
//! the TypeScript side refuses to start with an addon that disagrees.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 95 | 24 words of 32 bits in the machine's byte order: parameters and status |
//! | 96 to 5,215 | output |
//! | 5,216 to 21,599 | input: a key or a signature, if any, then the data |
//! | 21,600 to 21,607 | room for what Node-API writes behind a string, and to see that one was cut |

/// Bytes of parameters.
pub(crate) const HEADER_LEN_BYTES: usize = 96;
/// The longest output, in bytes: an ML-DSA-87 signature has 4,627.
pub(crate) const OUTPUT_CAPACITY_BYTES: usize = 5 * 1024;
/// The longest input, a key included, in bytes.
pub(crate) const INPUT_CAPACITY_BYTES: usize = 16 * 1024;
/// Bytes behind the input.
pub(crate) const SLACK_BYTES: usize = 8;
/// The whole scratch.
pub(crate) const LEN_BYTES: usize =
    HEADER_LEN_BYTES + OUTPUT_CAPACITY_BYTES + INPUT_CAPACITY_BYTES + SLACK_BYTES;

/// Positions of the parameters in the header.
#[derive(Clone, Copy)]
#[repr(usize)]
pub(crate) enum Word {
    /// Out: see [`Status`].
    Status = 0,
    /// In: the number of the digest algorithm.
    Algorithm = 1,
    /// In: the number of an [`Encoding`](crate::encoding::Encoding).
    Encoding = 2,
    /// In: bytes of data, behind the key.
    DataLen = 3,
    /// In: bytes of key, of signature or of tag, at the start of the input. Out: bytes of a
    /// message's last block there (see [`crate::cipher`]).
    KeyLen = 4,
    /// In and out: the number of a keyed state, of a stream or of a key; [`NO_ID`] for none.
    Id = 5,
    /// In: bytes of output asked for; read for extendable-output functions and random bytes.
    /// Out: bytes of output made, where the caller cannot know.
    OutputLen = 6,
    /// In: not zero where the host's FIPS setting is to be asked first.
    AskPolicy = 7,
    /// In: the number of a signature scheme (see [`crate::sign`]), of a padding (see
    /// [`crate::rsa`]) or of a point's form (see [`crate::ecdh`]); how a cipher goes (see
    /// [`crate::cipher`]).
    Scheme = 8,
    /// In: the length of a PSS salt, or one of the constants in [`crate::sign`].
    SaltLen = 9,
    /// In: not zero where the data is a digest already.
    Prehashed = 10,
    /// Out: the number of a key's kind (see [`crate::key`]). In: that of a curve.
    Kind = 11,
    /// In: the number of the other party's key.
    PeerId = 12,
    /// In: bytes of context at the very start of the input, read for ML-DSA; bytes that a cipher
    /// only authenticates.
    ContextLen = 13,
    /// In: bytes of a cipher's initialization vector; of Argon2's associated data.
    IvLen = 14,
    /// In and out: script's number of a job.
    Job = 15,
    /// In: script's number of a turn of its event loop (see [`crate::work`]).
    Turn = 16,
    /// Out: the microseconds that a job waited for a thread.
    WaitedMicros = 17,
}

/// What some words hold for key derivation.
impl Word {
    /// In: PBKDF2's iterations.
    pub(crate) const ITERATIONS: Self = Self::Scheme;
    /// In: scrypt's `N`.
    pub(crate) const COST: Self = Self::Scheme;
    /// In: scrypt's `r`.
    pub(crate) const BLOCK_SIZE: Self = Self::SaltLen;
    /// In: Argon2's memory in KiB.
    pub(crate) const MEMORY: Self = Self::Scheme;
    /// In: Argon2's passes over it.
    pub(crate) const PASSES: Self = Self::SaltLen;
    /// In: scrypt's `p`, Argon2's lanes.
    pub(crate) const PARALLELIZATION: Self = Self::Prehashed;
}

/// The number of words in the header.
pub(crate) const WORDS: usize = HEADER_LEN_BYTES / 4;

/// The number that names no keyed state and no stream.
pub(crate) const NO_ID: u32 = u32::MAX;

/// What became of a call.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(crate) enum Status {
    /// The output is there.
    Done = 0,
    /// FIPS is on: the host decides.
    Policy = 1,
    /// Not served: the host is to do it.
    Refused = 2,
    /// A signature or a tag does not match, or padding is wrong.
    Failed = 3,
    /// Not now: as a job (see [`crate::work`]).
    Later = 4,
}

/// The scratch, as one call sees it.
pub(crate) struct Scratch<'call> {
    /// The parameters.
    pub(crate) header: &'call mut [u32; WORDS],
    /// The output.
    pub(crate) output: &'call mut [u8; OUTPUT_CAPACITY_BYTES],
    /// The input, with the slack behind it.
    pub(crate) input: &'call mut [u8; INPUT_CAPACITY_BYTES + SLACK_BYTES],
}

impl Scratch<'_> {
    pub(crate) fn word(&self, word: Word) -> u32 {
        self.header[word as usize]
    }

    pub(crate) fn set_word(&mut self, word: Word, value: u32) {
        self.header[word as usize] = value;
    }

    /// A length in the header, if it is no longer than `limit`.
    pub(crate) fn len(&self, word: Word, limit: usize) -> Option<usize> {
        usize::try_from(self.word(word))
            .ok()
            .filter(|len| *len <= limit)
    }
}

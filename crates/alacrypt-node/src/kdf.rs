//! Key derivation.

use std::num::NonZeroU32;

use alacrypt::digest::Algorithm;
use alacrypt::kdf::{self, Cost};

use crate::digest::algorithm;
use crate::job::{Answer, Job};
use crate::scratch::{INPUT_CAPACITY_BYTES, Scratch, Status, Word};
use crate::sys::{Call, Outcome};

/// HKDF's counter is one byte (RFC 5869, section 2.3).
const HKDF_MAX_BLOCKS: usize = 255;

/// `hkdf()`: `OutputLen` bytes derived from the input: `KeyLen` bytes of keying material, `DataLen`
/// of salt and `ContextLen` of info.
///
/// Reads `Algorithm` too. The input stays, for the caller to wipe.
pub(crate) fn hkdf(call: &mut Call<'_>) -> Outcome {
    derive(call, hkdf_asked)
}

/// `pbkdf2()`: `OutputLen` bytes derived from the input: `KeyLen` bytes of password and `DataLen` of
/// salt.
///
/// Reads `Algorithm` and `Iterations` too. The input stays, for the caller to wipe.
pub(crate) fn pbkdf2(call: &mut Call<'_>) -> Outcome {
    derive(call, pbkdf2_asked)
}

/// `scrypt()`: `OutputLen` bytes derived from the input: `KeyLen` bytes of password and `DataLen` of
/// salt.
///
/// Reads `Cost`, `BlockSize` and `Parallelization` too. The input stays, for the caller to wipe.
pub(crate) fn scrypt(call: &mut Call<'_>) -> Outcome {
    derive(call, scrypt_asked)
}

/// `hkdfJob(resource, typeName)`: [`hkdf`] as a job.
pub(crate) fn hkdf_job(call: &mut Call<'_>) -> Option<Job> {
    job(call, hkdf_asked)
}

/// `pbkdf2Job(resource, typeName)`: [`pbkdf2`] as a job.
pub(crate) fn pbkdf2_job(call: &mut Call<'_>) -> Option<Job> {
    job(call, pbkdf2_asked)
}

/// `scryptJob(resource, typeName)`: [`scrypt`] as a job.
pub(crate) fn scrypt_job(call: &mut Call<'_>) -> Option<Job> {
    job(call, scrypt_asked)
}

/// What a call asks for.
#[derive(Clone, Copy)]
struct Asked {
    function: Function,
    /// Bytes of keying material or password, of salt, and of info, side by side in the input.
    lens: [usize; 3],
    okm_len: usize,
}

#[derive(Clone, Copy)]
enum Function {
    Hkdf(Algorithm),
    Pbkdf2(Algorithm, NonZeroU32),
    Scrypt(Cost),
}

impl Function {
    /// Whether it takes more than a millisecond or so.
    fn is_long(self) -> bool {
        match self {
            Self::Hkdf(_) => false,
            Self::Pbkdf2(_, iterations) => iterations.get() > 2_000,
            Self::Scrypt(_) => true,
        }
    }
}

fn hkdf_asked(scratch: &Scratch<'_>) -> Option<Asked> {
    let algorithm = algorithm(scratch)?;
    let asked = asked(scratch, Function::Hkdf(algorithm), true)?;
    let okm_limit = HKDF_MAX_BLOCKS * algorithm.output_len_bytes()?;
    (asked.okm_len <= okm_limit).then_some(asked)
}

fn pbkdf2_asked(scratch: &Scratch<'_>) -> Option<Asked> {
    let iterations = NonZeroU32::new(scratch.word(Word::ITERATIONS))?;
    asked(
        scratch,
        Function::Pbkdf2(algorithm(scratch)?, iterations),
        false,
    )
}

fn scrypt_asked(scratch: &Scratch<'_>) -> Option<Asked> {
    let cost = Cost::new(
        scratch.word(Word::COST),
        scratch.word(Word::BLOCK_SIZE),
        scratch.word(Word::PARALLELIZATION),
    )?;
    asked(scratch, Function::Scrypt(cost), false)
}

fn asked(scratch: &Scratch<'_>, function: Function, has_info: bool) -> Option<Asked> {
    let ikm_len = scratch.len(Word::KeyLen, INPUT_CAPACITY_BYTES)?;
    let room = INPUT_CAPACITY_BYTES - ikm_len;
    let salt_len = scratch.len(Word::DataLen, room)?;
    let info_len = if has_info {
        scratch.len(Word::ContextLen, room - salt_len)?
    } else {
        0
    };
    Some(Asked {
        function,
        lens: [ikm_len, salt_len, info_len],
        okm_len: scratch.len(Word::OutputLen, scratch.output.len())?,
    })
}

impl Asked {
    fn input_len(&self) -> usize {
        self.lens.iter().sum()
    }

    /// Fills `okm_out`; `None` leaves zeros in it.
    fn derive(&self, input: &[u8], okm_out: &mut [u8]) -> Option<()> {
        let [ikm_len, salt_len, _] = self.lens;
        let (ikm, rest) = input.split_at_checked(ikm_len)?;
        let (salt, info) = rest.split_at_checked(salt_len)?;
        let derived = match self.function {
            Function::Hkdf(algorithm) => kdf::hkdf(algorithm, ikm, salt, info, okm_out),
            Function::Pbkdf2(algorithm, iterations) => {
                kdf::pbkdf2(algorithm, ikm, salt, iterations, okm_out)
            }
            Function::Scrypt(cost) => kdf::scrypt(ikm, salt, cost, okm_out),
        };
        if derived.is_err() {
            okm_out.fill(0);
        }
        derived.ok()
    }
}

fn derive(call: &mut Call<'_>, read: fn(&Scratch<'_>) -> Option<Asked>) -> Outcome {
    let scratch = &mut call.scratch;
    let okm_len = read(scratch).and_then(|asked| {
        let okm_out = &mut scratch.output[..asked.okm_len];
        asked.derive(&scratch.input[..asked.input_len()], okm_out)?;
        Some(asked.okm_len)
    });
    match okm_len {
        Some(len) => Outcome::Output(len),
        None => Outcome::Status(Status::Refused),
    }
}

fn job(call: &mut Call<'_>, read: fn(&Scratch<'_>) -> Option<Asked>) -> Option<Job> {
    let asked = read(&call.scratch)?;
    let input = &mut call.scratch.input[..asked.input_len()];
    let job = Job::new(input, move |input| {
        Answer::written(asked.okm_len, |okm_out| {
            asked.derive(input, okm_out)?;
            Some(asked.okm_len)
        })
    })?;
    Some(job.among_long(asked.function.is_long()))
}

//! Key derivation.

use std::num::NonZeroU32;

use alacrypt::digest::Algorithm;
use alacrypt::kdf::{self, Argon2Cost, Argon2Input, Argon2Type, Cost};

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

/// `argon2()`: a tag of `OutputLen` bytes, of the input: `KeyLen` bytes of message, `DataLen` of nonce,
/// `ContextLen` of secret and `IvLen` of associated data.
///
/// Reads `Algorithm`, which is the type of RFC 9106, `Memory`, `Passes` and `Parallelization` too. The
/// input stays, for the caller to wipe.
pub(crate) fn argon2(call: &mut Call<'_>) -> Outcome {
    derive(call, argon2_asked)
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

/// `argon2Job(resource, typeName)`: [`argon2`] as a job.
pub(crate) fn argon2_job(call: &mut Call<'_>) -> Option<Job> {
    job(call, argon2_asked)
}

/// What a call asks for.
#[derive(Clone, Copy)]
struct Asked {
    function: Function,
    /// Bytes of keying material or password, of salt, of info or a secret, and of associated data,
    /// side by side in the input.
    lens: [usize; 4],
    okm_len: usize,
}

#[derive(Clone, Copy)]
enum Function {
    Hkdf(Algorithm),
    Pbkdf2(Algorithm, NonZeroU32),
    Scrypt(Cost),
    Argon2(Argon2Type, Argon2Cost),
}

impl Function {
    /// Whether it takes more than a millisecond or so.
    fn is_long(self) -> bool {
        match self {
            Self::Hkdf(_) => false,
            Self::Pbkdf2(_, iterations) => iterations.get() > 2_000,
            Self::Scrypt(_) | Self::Argon2(..) => true,
        }
    }
}

fn hkdf_asked(scratch: &Scratch<'_>) -> Option<Asked> {
    let algorithm = algorithm(scratch)?;
    let asked = asked(scratch, Function::Hkdf(algorithm), 1)?;
    let okm_limit = HKDF_MAX_BLOCKS * algorithm.output_len_bytes()?;
    (asked.okm_len <= okm_limit).then_some(asked)
}

fn pbkdf2_asked(scratch: &Scratch<'_>) -> Option<Asked> {
    let iterations = NonZeroU32::new(scratch.word(Word::ITERATIONS))?;
    asked(
        scratch,
        Function::Pbkdf2(algorithm(scratch)?, iterations),
        0,
    )
}

fn scrypt_asked(scratch: &Scratch<'_>) -> Option<Asked> {
    let cost = Cost::new(
        scratch.word(Word::COST),
        scratch.word(Word::BLOCK_SIZE),
        scratch.word(Word::PARALLELIZATION),
    )?;
    asked(scratch, Function::Scrypt(cost), 0)
}

fn argon2_asked(scratch: &Scratch<'_>) -> Option<Asked> {
    let argon2_type = match scratch.word(Word::Algorithm) {
        0 => Argon2Type::D,
        1 => Argon2Type::I,
        2 => Argon2Type::Id,
        _ => return None,
    };
    let cost = Argon2Cost::new(
        scratch.word(Word::MEMORY),
        scratch.word(Word::PASSES),
        scratch.word(Word::PARALLELIZATION),
    )?;
    asked(scratch, Function::Argon2(argon2_type, cost), 2)
}

/// `more`: how many of the two lengths behind those of the first two pieces count.
fn asked(scratch: &Scratch<'_>, function: Function, more: usize) -> Option<Asked> {
    let words = [Word::KeyLen, Word::DataLen, Word::ContextLen, Word::IvLen];
    let mut lens = [0; 4];
    let mut room = INPUT_CAPACITY_BYTES;
    for (len, word) in lens.iter_mut().zip(words).take(2 + more) {
        *len = scratch.len(word, room)?;
        room -= *len;
    }
    Some(Asked {
        function,
        lens,
        okm_len: scratch.len(Word::OutputLen, scratch.output.len())?,
    })
}

impl Asked {
    fn input_len(&self) -> usize {
        self.lens.iter().sum()
    }

    /// Fills `okm_out`; `None` leaves zeros in it.
    fn derive(&self, input: &[u8], okm_out: &mut [u8]) -> Option<()> {
        let [ikm_len, salt_len, info_len, _] = self.lens;
        let (ikm, rest) = input.split_at_checked(ikm_len)?;
        let (salt, rest) = rest.split_at_checked(salt_len)?;
        let (info, rest) = rest.split_at_checked(info_len)?;
        let derived = match self.function {
            Function::Hkdf(algorithm) => kdf::hkdf(algorithm, ikm, salt, info, okm_out),
            Function::Pbkdf2(algorithm, iterations) => {
                kdf::pbkdf2(algorithm, ikm, salt, iterations, okm_out)
            }
            Function::Scrypt(cost) => kdf::scrypt(ikm, salt, cost, okm_out),
            Function::Argon2(argon2_type, cost) => {
                let input = Argon2Input {
                    message: ikm,
                    nonce: salt,
                    secret: info,
                    associated_data: rest,
                };
                kdf::argon2(argon2_type, cost, &input, okm_out)
            }
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

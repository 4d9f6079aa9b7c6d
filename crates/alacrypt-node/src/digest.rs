//! One-shot digests.

use alacrypt::digest::{Algorithm, digest};

use crate::environment::host_fips;
use crate::job::{Answer, Job};
use crate::scratch::{INPUT_CAPACITY_BYTES, OUTPUT_CAPACITY_BYTES, Scratch, Status, Word};
use crate::sys::{Call, Outcome};

/// `digest()`: the digest of `DataLen` bytes of input.
///
/// Reads `Algorithm`, `Encoding`, `DataLen`, `OutputLen` (extendable-output functions only) and
/// `AskPolicy`. The input is wiped, unless the call is refused: the caller then hands it on.
#[inline]
pub(crate) fn of_scratch(call: &mut Call<'_>) -> Outcome {
    match call.scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES) {
        Some(data_len) => finish(call, data_len),
        None => Outcome::Status(Status::Refused),
    }
}

/// `digestString(text)`: the digest of `DataLen` bytes of input and then of `text` as UTF-8.
/// Parameters as for `digest()`.
#[inline]
pub(crate) fn of_string(call: &mut Call<'_>) -> Outcome {
    let data_len = call
        .scratch
        .len(Word::DataLen, INPUT_CAPACITY_BYTES)
        .and_then(|before| Some(before + call.string_to_input(0, before)?));
    match data_len {
        Some(data_len) => finish(call, data_len),
        None => Outcome::Status(Status::Refused),
    }
}

#[inline]
fn finish(call: &mut Call<'_>, data_len: usize) -> Outcome {
    if call.scratch.word(Word::AskPolicy) != 0 && host_fips() {
        call.scratch.input[..data_len].fill(0);
        return Outcome::Status(Status::Policy);
    }
    let scratch = &mut call.scratch;
    let output_len = algorithm(scratch)
        .and_then(|algorithm| Some((algorithm, output_len(scratch, algorithm)?)))
        .and_then(|(algorithm, output_len)| {
            digest(
                algorithm,
                &scratch.input[..data_len],
                &mut scratch.output[..output_len],
            )
            .ok()?;
            Some(output_len)
        });
    match output_len {
        Some(output_len) => {
            // A plain store: the memory is read again, so the compiler cannot drop it.
            scratch.input[..data_len].fill(0);
            Outcome::Output(output_len)
        }
        None => Outcome::Status(Status::Refused),
    }
}

/// `digestJob(resource, typeName)`: [`of_scratch`] as a job; policy is not asked.
pub(crate) fn of_scratch_job(call: &mut Call<'_>) -> Option<Job> {
    let scratch = &mut call.scratch;
    let algorithm = algorithm(scratch)?;
    let output_len = output_len(scratch, algorithm)?;
    let data_len = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES)?;
    Job::new(&mut scratch.input[..data_len], move |data| {
        Answer::written(output_len, |digest_out| {
            digest(algorithm, data, digest_out).ok()?;
            Some(output_len)
        })
    })
}

/// The algorithm that the header names.
pub(crate) fn algorithm(scratch: &Scratch<'_>) -> Option<Algorithm> {
    let number = usize::try_from(scratch.word(Word::Algorithm)).ok()?;
    Algorithm::ALL.get(number).copied()
}

/// The length of the output: fixed by the algorithm, or the one that the header asks for.
pub(crate) fn output_len(scratch: &Scratch<'_>, algorithm: Algorithm) -> Option<usize> {
    algorithm
        .output_len_bytes()
        .or_else(|| scratch.len(Word::OutputLen, OUTPUT_CAPACITY_BYTES))
}

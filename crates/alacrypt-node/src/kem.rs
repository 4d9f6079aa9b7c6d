//! Key encapsulation.

use std::sync::Arc;

use alacrypt::kem::{SHARED_LEN_BYTES, ciphertext_len_bytes};

use crate::job::{Answer, Job};
use crate::scratch::{INPUT_CAPACITY_BYTES, Status, Word};
use crate::sys::{Call, Outcome};

/// `encapsulate()`: a secret for the owner of key `Id`, and behind it the ciphertext that carries
/// it there; the length of both together in `OutputLen`.
pub(crate) fn encapsulate(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let output_len = call
        .environment
        .pkeys
        .get(scratch.word(Word::Id))
        .and_then(|key| key.public())
        .and_then(|key| {
            let ciphertext_len = ciphertext_len_bytes(key.kind())?;
            let (shared, rest) = scratch.output.split_first_chunk_mut::<SHARED_LEN_BYTES>()?;
            let ciphertext = rest.get_mut(..ciphertext_len)?;
            alacrypt::kem::encapsulate(key, ciphertext, shared).ok()?;
            Some(SHARED_LEN_BYTES + ciphertext_len)
        });
    match output_len {
        Some(len) => {
            scratch.set_word(Word::OutputLen, u32::try_from(len).unwrap_or(0));
            Outcome::Output(len)
        }
        None => Outcome::Status(Status::Refused),
    }
}

/// `decapsulate()`: the secret that `DataLen` bytes of ciphertext in the input carry to the owner
/// of the private key `Id`. The input stays.
pub(crate) fn decapsulate(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let opened = call
        .environment
        .pkeys
        .get(scratch.word(Word::Id))
        .and_then(|key| key.private())
        .and_then(|key| {
            let len = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES)?;
            let ciphertext = &scratch.input[..len];
            let shared = scratch.output.first_chunk_mut::<SHARED_LEN_BYTES>()?;
            alacrypt::kem::decapsulate(key, ciphertext, shared).ok()
        });
    match opened {
        Some(()) => Outcome::Output(SHARED_LEN_BYTES),
        None => Outcome::Status(Status::Refused),
    }
}

/// `encapsulateJob(resource, typeName)`: [`encapsulate`] as a job.
pub(crate) fn encapsulate_job(call: &mut Call<'_>) -> Option<Job> {
    let key = Arc::clone(call.environment.pkeys.get(call.scratch.word(Word::Id))?);
    let ciphertext_len = ciphertext_len_bytes(key.public()?.kind())?;
    Job::new(&mut [], move |_| {
        let len = SHARED_LEN_BYTES + ciphertext_len;
        Answer::written(len, |output| {
            let (shared, ciphertext) = output.split_first_chunk_mut::<SHARED_LEN_BYTES>()?;
            alacrypt::kem::encapsulate(key.public()?, ciphertext, shared).ok()?;
            Some(len)
        })
    })
}

/// `decapsulateJob(resource, typeName)`: [`decapsulate`] as a job.
pub(crate) fn decapsulate_job(call: &mut Call<'_>) -> Option<Job> {
    let scratch = &call.scratch;
    let key = Arc::clone(call.environment.pkeys.get(scratch.word(Word::Id))?);
    let len = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES)?;
    (ciphertext_len_bytes(key.private()?.kind()) == Some(len)).then_some(())?;
    Job::new(&mut call.scratch.input[..len], move |ciphertext| {
        Answer::written(SHARED_LEN_BYTES, |output| {
            let shared = output.first_chunk_mut::<SHARED_LEN_BYTES>()?;
            alacrypt::kem::decapsulate(key.private()?, ciphertext, shared).ok()?;
            Some(SHARED_LEN_BYTES)
        })
    })
}

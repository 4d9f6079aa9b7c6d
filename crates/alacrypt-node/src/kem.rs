//! Key encapsulation.

use alacrypt::kem::{SHARED_LEN_BYTES, ciphertext_len_bytes};

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

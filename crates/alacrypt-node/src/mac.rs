//! One-shot HMAC, and keyed states.

use alacrypt::Error;
use alacrypt::digest::Algorithm;
use alacrypt::mac::{Hmac, hmac};

use crate::digest::algorithm;
use crate::job::{Answer, Job};
use crate::scratch::{INPUT_CAPACITY_BYTES, NO_ID, Status, Word};
use crate::sys::{Call, Outcome};

/// `hmac()`: the tag of the input.
///
/// Reads `Algorithm`, `Encoding`, `KeyLen`, `DataLen` and `Id`. With an `Id` the input is the
/// data alone and the keyed state of that number is copied; without ([`NO_ID`]) the input is the
/// key, then the data. The input is wiped, unless the call is refused: the caller then hands it
/// on.
pub(crate) fn of_scratch(call: &mut Call<'_>) -> Outcome {
    match lengths(call) {
        Some((key_len, data_len)) => finish(call, key_len, data_len),
        None => Outcome::Status(Status::Refused),
    }
}

/// `hmacString(text)`: the tag of the input and then of `text` as UTF-8. Parameters as for
/// `hmac()`.
pub(crate) fn of_string(call: &mut Call<'_>) -> Outcome {
    let lengths = lengths(call).and_then(|(key_len, data_len)| {
        Some((
            key_len,
            data_len + call.string_to_input(0, key_len + data_len)?,
        ))
    });
    match lengths {
        Some((key_len, data_len)) => finish(call, key_len, data_len),
        None => Outcome::Status(Status::Refused),
    }
}

/// `hmacStrings(text, key)`: the tag of `text` under `key`, both as UTF-8. Reads `Algorithm` and
/// `Encoding`, and sets `Id` to [`NO_ID`].
pub(crate) fn of_strings(call: &mut Call<'_>) -> Outcome {
    call.scratch.set_word(Word::Id, NO_ID);
    let lengths = call
        .string_to_input(1, 0)
        .and_then(|key_len| Some((key_len, call.string_to_input(0, key_len)?)));
    match lengths {
        Some((key_len, data_len)) => finish(call, key_len, data_len),
        None => Outcome::Status(Status::Refused),
    }
}

/// The lengths of key and data in the input, if both fit.
fn lengths(call: &Call<'_>) -> Option<(usize, usize)> {
    let key_len = if call.scratch.word(Word::Id) == NO_ID {
        call.scratch.len(Word::KeyLen, INPUT_CAPACITY_BYTES)?
    } else {
        0
    };
    let data_len = call
        .scratch
        .len(Word::DataLen, INPUT_CAPACITY_BYTES - key_len)?;
    Some((key_len, data_len))
}

fn finish(call: &mut Call<'_>, key_len: usize, data_len: usize) -> Outcome {
    let scratch = &mut call.scratch;
    let id = scratch.word(Word::Id);
    let (key, data) = scratch.input[..key_len + data_len].split_at(key_len);
    let tag_len = if id == NO_ID {
        algorithm(scratch).and_then(|algorithm| {
            let tag_len = algorithm.output_len_bytes()?;
            hmac(algorithm, key, data, &mut scratch.output[..tag_len]).ok()?;
            Some(tag_len)
        })
    } else {
        call.environment.keys.get(id).and_then(|keyed| {
            let tag_len = keyed.algorithm().output_len_bytes()?;
            keyed.tag(data, &mut scratch.output[..tag_len]).ok()?;
            Some(tag_len)
        })
    };
    match tag_len {
        Some(tag_len) => {
            scratch.input[..key_len + data_len].fill(0);
            Outcome::Output(tag_len)
        }
        None => Outcome::Status(Status::Refused),
    }
}

/// `hmacVerify()`: whether the first `KeyLen` bytes of input are the tag of the `DataLen` behind them
/// under the keyed state of number `Id`: [`Status::Done`] or [`Status::Failed`], in a time that does
/// not tell where they differ. The input is wiped, unless the call is refused.
pub(crate) fn verify(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let status = call
        .environment
        .keys
        .get(scratch.word(Word::Id))
        .and_then(|keyed| {
            let tag_len = scratch.len(Word::KeyLen, INPUT_CAPACITY_BYTES)?;
            let data_len = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES - tag_len)?;
            let input = &mut scratch.input[..tag_len + data_len];
            let status = verified(keyed.try_clone().ok()?, input, tag_len)?;
            input.fill(0);
            Some(status)
        });
    Outcome::Status(status.unwrap_or(Status::Refused))
}

/// Whether the first `tag_len` bytes of `input` are the tag of the rest.
fn verified(mut keyed: Hmac, input: &[u8], tag_len: usize) -> Option<Status> {
    let (tag, data) = input.split_at_checked(tag_len)?;
    keyed.update(data).ok()?;
    match keyed.verify(tag) {
        Ok(()) => Some(Status::Done),
        Err(Error::Failed) => Some(Status::Failed),
        Err(_) => None,
    }
}

/// `hmacJob(resource, typeName)`: the tag of `DataLen` bytes of input under the keyed state of number
/// `Id`, as a job.
pub(crate) fn of_scratch_job(call: &mut Call<'_>) -> Option<Job> {
    let scratch = &mut call.scratch;
    let keyed = call.environment.keys.get(scratch.word(Word::Id))?;
    let keyed = keyed.try_clone().ok()?;
    let tag_len = keyed.algorithm().output_len_bytes()?;
    let data_len = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES)?;
    Job::new(&mut scratch.input[..data_len], move |data| {
        Answer::written(tag_len, |tag_out| {
            keyed.tag(data, tag_out).ok()?;
            Some(tag_len)
        })
    })
}

/// `hmacVerifyJob(resource, typeName)`: [`verify`] as a job.
pub(crate) fn verify_job(call: &mut Call<'_>) -> Option<Job> {
    let scratch = &mut call.scratch;
    let keyed = call.environment.keys.get(scratch.word(Word::Id))?;
    let keyed = keyed.try_clone().ok()?;
    let tag_len = scratch.len(Word::KeyLen, INPUT_CAPACITY_BYTES)?;
    let data_len = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES - tag_len)?;
    Job::new(&mut scratch.input[..tag_len + data_len], move |input| {
        Answer::status(verified(keyed, input, tag_len).unwrap_or(Status::Refused))
    })
}

/// The number of the algorithm of the keyed state of number `Id`.
pub(crate) fn number_of_keyed(call: &Call<'_>) -> Option<usize> {
    let keyed = call.environment.keys.get(call.scratch.word(Word::Id))?;
    let algorithm = keyed.algorithm();
    Algorithm::ALL.iter().position(|one| *one == algorithm)
}

/// What a keyed state takes of the heap.
pub(crate) fn heap_len_bytes(keyed: &Hmac) -> usize {
    keyed.heap_len_bytes()
}

/// `keyNew()`: a keyed state from `KeyLen` bytes of input, its number in `Id`. The input is wiped.
pub(crate) fn key_new(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let Some(key_len) = scratch.len(Word::KeyLen, INPUT_CAPACITY_BYTES) else {
        return Outcome::Status(Status::Refused);
    };
    let id = algorithm(scratch)
        .filter(|_| !call.environment.keys.is_full())
        .and_then(|algorithm| Hmac::new(algorithm, &scratch.input[..key_len]).ok())
        .and_then(|keyed| {
            let len_bytes = keyed.heap_len_bytes();
            Some((call.environment.keys.insert(keyed)?, len_bytes))
        });
    scratch.input[..key_len].fill(0);
    let (id, len_bytes) = id.unwrap_or((NO_ID, 0));
    scratch.set_word(Word::Id, id);
    call.report_more_memory(len_bytes);
    Outcome::Status(if id != NO_ID {
        Status::Done
    } else {
        Status::Refused
    })
}

/// `keyRelease()`: drops, and so wipes, the keyed state of number `Id`.
pub(crate) fn key_release(call: &mut Call<'_>) -> Outcome {
    let id = call.scratch.word(Word::Id);
    let released = call.environment.keys.remove(id);
    if let Some(keyed) = &released {
        call.report_less_memory(keyed.heap_len_bytes());
    }
    Outcome::Status(if released.is_some() {
        Status::Done
    } else {
        Status::Refused
    })
}

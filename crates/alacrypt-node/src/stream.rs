//! Digests and HMACs in progress, for the one case in which neither a single call nor the host
//! can do the work: an object that was made before FIPS was switched on, and that is then given
//! more input than the scratch holds. The host would finish such an object, but makes no new one.

use alacrypt::digest::Hasher;
use alacrypt::mac::Hmac;

use crate::digest::{algorithm, output_len};
use crate::scratch::{INPUT_CAPACITY_BYTES, NO_ID, Scratch, Status, Word};
use crate::sys::{Call, Outcome};

/// A digest or an HMAC in progress.
pub(crate) enum Stream {
    Digest(Hasher),
    Hmac(Hmac),
}

impl Stream {
    /// What it takes of the heap.
    pub(crate) fn heap_len_bytes(&self) -> usize {
        match self {
            Self::Digest(hasher) => hasher.heap_len_bytes(),
            Self::Hmac(mac) => mac.heap_len_bytes(),
        }
    }
}

/// `streamNew()`: its number in `Id`. A `KeyLen` of [`NO_ID`] asks for a digest; any other, for
/// an HMAC with that many bytes of input as key, which are wiped.
pub(crate) fn new(call: &mut Call<'_>) -> Outcome {
    let id = start(&mut call.scratch).and_then(|stream| call.environment.streams.insert(stream));
    call.scratch.set_word(Word::Id, id.unwrap_or(NO_ID));
    Outcome::Status(if id.is_some() {
        Status::Done
    } else {
        Status::Refused
    })
}

fn start(scratch: &mut Scratch<'_>) -> Option<Stream> {
    let algorithm = algorithm(scratch)?;
    if scratch.word(Word::KeyLen) == NO_ID {
        return Some(Stream::Digest(Hasher::new(algorithm).ok()?));
    }
    let key_len = scratch.len(Word::KeyLen, INPUT_CAPACITY_BYTES)?;
    let key = &mut scratch.input[..key_len];
    let mac = Hmac::new(algorithm, key);
    key.fill(0);
    Some(Stream::Hmac(mac.ok()?))
}

/// `streamCopy()`: a second stream in the state of the one of number `Id`; its number in `Id`.
pub(crate) fn copy(call: &mut Call<'_>) -> Outcome {
    let streams = &mut call.environment.streams;
    let copy = match streams.get(call.scratch.word(Word::Id)) {
        Some(Stream::Digest(hasher)) => hasher.try_clone().ok().map(Stream::Digest),
        Some(Stream::Hmac(mac)) => mac.try_clone().ok().map(Stream::Hmac),
        None => None,
    };
    let id = copy.and_then(|stream| streams.insert(stream));
    call.scratch.set_word(Word::Id, id.unwrap_or(NO_ID));
    Outcome::Status(if id.is_some() {
        Status::Done
    } else {
        Status::Refused
    })
}

/// `streamUpdate()`: `DataLen` bytes of input into the stream of number `Id`. The input is wiped.
pub(crate) fn update(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let Some(data_len) = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES) else {
        return Outcome::Status(Status::Refused);
    };
    let data = &mut scratch.input[..data_len];
    let done = match call
        .environment
        .streams
        .get_mut(scratch.header[Word::Id as usize])
    {
        Some(Stream::Digest(hasher)) => hasher.update(data).is_ok(),
        Some(Stream::Hmac(mac)) => mac.update(data).is_ok(),
        None => false,
    };
    data.fill(0);
    Outcome::Status(if done { Status::Done } else { Status::Refused })
}

/// `streamFinish()`: the output of the stream of number `Id`, which is released. Reads
/// `Encoding`, and `OutputLen` for extendable-output functions.
pub(crate) fn finish(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let written = match call.environment.streams.remove(scratch.word(Word::Id)) {
        Some(Stream::Digest(hasher)) => output_len(scratch, hasher.algorithm())
            .filter(|len| hasher.finish(&mut scratch.output[..*len]).is_ok()),
        Some(Stream::Hmac(mac)) => output_len(scratch, mac.algorithm())
            .filter(|len| mac.finish(&mut scratch.output[..*len]).is_ok()),
        None => None,
    };
    match written {
        Some(output_len) => Outcome::Output(output_len),
        None => Outcome::Status(Status::Refused),
    }
}

/// `streamRelease()`: drops, and so wipes, the stream of number `Id`.
pub(crate) fn release(call: &mut Call<'_>) -> Outcome {
    let released = call
        .environment
        .streams
        .remove(call.scratch.word(Word::Id))
        .is_some();
    Outcome::Status(if released {
        Status::Done
    } else {
        Status::Refused
    })
}

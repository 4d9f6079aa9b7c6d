//! Strings on their way into the scratch.

use crate::scratch::{INPUT_CAPACITY_BYTES, Status, Word};
use crate::sys::{Call, Outcome};

/// `putString(text)`: writes `text` as UTF-8 behind the first `DataLen` bytes of input, and adds
/// its length to `DataLen`.
pub(crate) fn put_string(call: &mut Call<'_>) -> Outcome {
    let data_len = call
        .scratch
        .len(Word::DataLen, INPUT_CAPACITY_BYTES)
        .and_then(|before| u32::try_from(before + call.string_to_input(0, before)?).ok());
    match data_len {
        Some(data_len) => {
            call.scratch.set_word(Word::DataLen, data_len);
            Outcome::Status(Status::Done)
        }
        None => Outcome::Status(Status::Refused),
    }
}

//! Random bytes.

use alacrypt::random::Pool;

use crate::scratch::{OUTPUT_CAPACITY_BYTES, Status, Word};
use crate::sys::{Call, Outcome};

/// `random()`: `OutputLen` random bytes in the output.
pub(crate) fn fill(call: &mut Call<'_>) -> Outcome {
    let Some(len) = call.scratch.len(Word::OutputLen, OUTPUT_CAPACITY_BYTES) else {
        return Outcome::Status(Status::Refused);
    };
    let pool = call.environment.pool.get_or_insert_with(Pool::new);
    match pool.fill(&mut call.scratch.output[..len]) {
        Ok(()) => Outcome::Status(Status::Done),
        Err(_) => Outcome::Status(Status::Refused),
    }
}

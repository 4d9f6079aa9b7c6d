//! Key agreement.

use crate::scratch::{Status, Word};
use crate::sys::{Call, Outcome};

/// `agree()`: the secret that the owner of the private key `Id` shares with that of the public key
/// `PeerId`, or of the public half of it; its length in `OutputLen`.
pub(crate) fn shared_secret(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let pkeys = &call.environment.pkeys;
    let secret_len = pkeys
        .get(scratch.word(Word::Id))
        .and_then(|key| key.private())
        .zip(
            pkeys
                .get(scratch.word(Word::PeerId))
                .and_then(|key| key.public()),
        )
        .and_then(|(private, public)| {
            alacrypt::agree::shared_secret(private, public, &mut scratch.output[..]).ok()
        });
    match secret_len {
        Some(len) => {
            scratch.set_word(Word::OutputLen, u32::try_from(len).unwrap_or(0));
            Outcome::Output(len)
        }
        None => Outcome::Status(Status::Refused),
    }
}

//! Key agreement.

use std::sync::Arc;

use alacrypt::agree::secret_len_bytes;
use alacrypt::key::PublicKey;

use crate::job::{Answer, Job};
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

/// `agreeJob(resource, typeName)`: [`shared_secret`] as a job; its output is the secret.
pub(crate) fn shared_secret_job(call: &mut Call<'_>) -> Option<Job> {
    let pkeys = &call.environment.pkeys;
    let key = Arc::clone(pkeys.get(call.scratch.word(Word::Id))?);
    let peer = Arc::clone(pkeys.get(call.scratch.word(Word::PeerId))?);
    let kind = key.private()?.kind();
    // The host tells keys that do not agree apart before the call returns.
    let secret_len =
        secret_len_bytes(kind).filter(|_| peer.public().map(PublicKey::kind) == Some(kind))?;
    Job::new(&mut [], move |_| {
        Answer::written(secret_len, |secret_out| {
            alacrypt::agree::shared_secret(key.private()?, peer.public()?, secret_out).ok()
        })
    })
}

//! Signatures: made and checked.

use std::sync::Arc;

use alacrypt::Error;
use alacrypt::sign::{EcdsaEncoding, Message, SaltLength, Scheme};

use crate::digest::algorithm;
use crate::job::{Answer, Job};
use crate::scratch::{INPUT_CAPACITY_BYTES, Scratch, Status, Word};
use crate::sys::{Call, Outcome};

/// The number of the one scheme that has a context.
const ML_DSA: u32 = 5;

/// Values of `Word::SaltLen` that are no lengths: RSA_PSS_SALTLEN_DIGEST and
/// RSA_PSS_SALTLEN_MAX_SIGN, which is RSA_PSS_SALTLEN_AUTO too, of `crypto.constants`.
const SALT_LEN_DIGEST: u32 = u32::MAX;
const SALT_LEN_AUTO: u32 = u32::MAX - 1;

/// `sign()`: the signature of `DataLen` bytes of input under the private key `Id`. For ML-DSA the
/// `ContextLen` bytes of its context come before them.
///
/// Reads `Scheme`, `Algorithm`, `SaltLen` (PSS), `Prehashed` and `Encoding`. The signature's
/// length is in `OutputLen`. The input stays, for the caller to wipe.
pub(crate) fn sign(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let signature_len = call
        .environment
        .pkeys
        .get(scratch.word(Word::Id))
        .and_then(|key| key.private())
        .and_then(|key| {
            let context_len = context_len(scratch)?;
            let len = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES - context_len)?;
            let (context, data) = scratch.input[..context_len + len].split_at(context_len);
            let scheme = scheme(scratch, context)?;
            let message = message(scratch.word(Word::Prehashed), data);
            alacrypt::sign::sign(key, &scheme, message, &mut scratch.output[..]).ok()
        });
    match signature_len {
        Some(len) => {
            scratch.set_word(Word::OutputLen, u32::try_from(len).unwrap_or(0));
            Outcome::Output(len)
        }
        None => Outcome::Status(Status::Refused),
    }
}

/// `verify()`: whether the first `KeyLen` bytes of input are a signature of the `DataLen` behind
/// them under the public half of key `Id`: [`Status::Done`] or [`Status::Failed`]. For ML-DSA the
/// `ContextLen` bytes of its context come before both.
///
/// Reads `Scheme`, `Algorithm`, `SaltLen` (PSS) and `Prehashed`. The input stays.
pub(crate) fn verify(call: &mut Call<'_>) -> Outcome {
    let scratch = &call.scratch;
    let answer = call
        .environment
        .pkeys
        .get(scratch.word(Word::Id))
        .and_then(|key| key.public())
        .and_then(|key| {
            let context_len = context_len(scratch)?;
            let room = INPUT_CAPACITY_BYTES - context_len;
            let signature_len = scratch.len(Word::KeyLen, room)?;
            let data_len = scratch.len(Word::DataLen, room - signature_len)?;
            let (context, rest) = scratch.input[..].split_at(context_len);
            let (signature, data) = rest[..signature_len + data_len].split_at(signature_len);
            let scheme = scheme(scratch, context)?;
            let message = message(scratch.word(Word::Prehashed), data);
            Some(alacrypt::sign::verify(key, &scheme, message, signature))
        });
    Outcome::Status(verified(answer))
}

/// `signJob(resource, typeName)`: [`sign`] as a job; its output is the signature.
pub(crate) fn sign_job(call: &mut Call<'_>) -> Option<Job> {
    let scratch = &call.scratch;
    let key = Arc::clone(call.environment.pkeys.get(scratch.word(Word::Id))?);
    let signature_len = key.private()?.signature_len_bytes();
    let scheme =
        scheme(scratch, &[]).filter(|scheme| scheme.is_supported() && key.permits(scheme))?;
    let context_len = context_len(scratch)?;
    let len = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES - context_len)?;
    let prehashed = scratch.word(Word::Prehashed);
    let input = &mut call.scratch.input[..context_len + len];
    Job::new(input, move |input| {
        let (context, data) = input.split_at(context_len);
        let scheme = in_context(scheme, context);
        Answer::written(signature_len, |signature_out| {
            let message = message(prehashed, data);
            alacrypt::sign::sign(key.private()?, &scheme, message, signature_out).ok()
        })
    })
}

/// `verifyJob(resource, typeName)`: [`verify`] as a job.
pub(crate) fn verify_job(call: &mut Call<'_>) -> Option<Job> {
    let scratch = &call.scratch;
    let key = Arc::clone(call.environment.pkeys.get(scratch.word(Word::Id))?);
    let scheme =
        scheme(scratch, &[]).filter(|scheme| scheme.is_supported() && key.permits(scheme))?;
    let context_len = context_len(scratch)?;
    let room = INPUT_CAPACITY_BYTES - context_len;
    let signature_len = scratch.len(Word::KeyLen, room)?;
    let data_len = scratch.len(Word::DataLen, room - signature_len)?;
    let prehashed = scratch.word(Word::Prehashed);
    let input = &mut call.scratch.input[..context_len + signature_len + data_len];
    Job::new(input, move |input| {
        let (context, rest) = input.split_at(context_len);
        let (signature, data) = rest.split_at(signature_len);
        let scheme = in_context(scheme, context);
        let message = message(prehashed, data);
        let answer = key
            .public()
            .map(|key| alacrypt::sign::verify(key, &scheme, message, signature));
        Answer::status(verified(answer))
    })
}

/// The scheme with that context, if it is one that has a context.
fn in_context<'a>(scheme: Scheme<'a>, context: &'a [u8]) -> Scheme<'a> {
    match scheme {
        Scheme::MlDsa { .. } => Scheme::MlDsa { context },
        other => other,
    }
}

fn verified(answer: Option<Result<(), Error>>) -> Status {
    match answer {
        Some(Ok(())) => Status::Done,
        Some(Err(Error::Failed)) => Status::Failed,
        Some(Err(_)) | None => Status::Refused,
    }
}

fn message(prehashed: u32, data: &[u8]) -> Message<'_> {
    if prehashed == 0 {
        Message::Whole(data)
    } else {
        Message::Digest(data)
    }
}

/// How many bytes of context the input starts with: none for a scheme that has no context.
fn context_len(scratch: &Scratch<'_>) -> Option<usize> {
    if scratch.word(Word::Scheme) == ML_DSA {
        scratch.len(Word::ContextLen, INPUT_CAPACITY_BYTES)
    } else {
        Some(0)
    }
}

/// The scheme that the header names; `Scheme` in `npm/alacrypt/src/sign.ts` has the same numbers.
fn scheme<'a>(scratch: &Scratch<'_>, context: &'a [u8]) -> Option<Scheme<'a>> {
    Some(match scratch.word(Word::Scheme) {
        0 => Scheme::RsaPkcs1v15 {
            digest: algorithm(scratch)?,
        },
        1 => {
            let digest = algorithm(scratch)?;
            Scheme::RsaPss {
                digest,
                mgf1_digest: digest,
                salt_len: match scratch.word(Word::SaltLen) {
                    SALT_LEN_DIGEST => SaltLength::Digest,
                    SALT_LEN_AUTO => SaltLength::Auto,
                    bytes => SaltLength::Bytes(usize::try_from(bytes).ok()?),
                },
            }
        }
        2 => Scheme::Ecdsa {
            digest: algorithm(scratch)?,
            encoding: EcdsaEncoding::Der,
        },
        3 => Scheme::Ecdsa {
            digest: algorithm(scratch)?,
            encoding: EcdsaEncoding::P1363,
        },
        4 => Scheme::Ed25519,
        ML_DSA => Scheme::MlDsa { context },
        _ => return None,
    })
}

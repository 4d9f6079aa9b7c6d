//! Signatures: made and checked.

use alacrypt::Error;
use alacrypt::sign::{EcdsaEncoding, Message, SaltLength, Scheme};

use crate::digest::algorithm;
use crate::scratch::{INPUT_CAPACITY_BYTES, Scratch, Status, Word};
use crate::sys::{Call, Outcome};

/// Values of `Word::SaltLen` that are no lengths: RSA_PSS_SALTLEN_DIGEST and
/// RSA_PSS_SALTLEN_MAX_SIGN, which is RSA_PSS_SALTLEN_AUTO too, of `crypto.constants`.
const SALT_LEN_DIGEST: u32 = u32::MAX;
const SALT_LEN_AUTO: u32 = u32::MAX - 1;

/// `sign()`: the signature of `DataLen` bytes of input under the private key `Id`.
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
            let scheme = scheme(scratch)?;
            let len = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES)?;
            let message = message(scratch.word(Word::Prehashed), &scratch.input[..len]);
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
/// them under the public half of key `Id`: [`Status::Done`] or [`Status::Failed`].
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
            let scheme = scheme(scratch)?;
            let signature_len = scratch.len(Word::KeyLen, INPUT_CAPACITY_BYTES)?;
            let data_len = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES - signature_len)?;
            let (signature, data) =
                scratch.input[..signature_len + data_len].split_at(signature_len);
            let message = message(scratch.word(Word::Prehashed), data);
            Some(alacrypt::sign::verify(key, &scheme, message, signature))
        });
    Outcome::Status(match answer {
        Some(Ok(())) => Status::Done,
        Some(Err(Error::Failed)) => Status::Failed,
        Some(Err(_)) | None => Status::Refused,
    })
}

fn message(prehashed: u32, data: &[u8]) -> Message<'_> {
    if prehashed == 0 {
        Message::Whole(data)
    } else {
        Message::Digest(data)
    }
}

/// The scheme that the header names; `Scheme` in `npm/alacrypt/src/sign.ts` has the same numbers.
fn scheme(scratch: &Scratch<'_>) -> Option<Scheme<'static>> {
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
        5 => Scheme::MlDsa { context: &[] },
        _ => return None,
    })
}

//! RSA encryption, and the bare padded transforms.

use alacrypt::Error;
use alacrypt::digest::Algorithm;
use alacrypt::key::{PrivateKey, PublicKey};
use alacrypt::rsa::{
    Oaep, decrypt_oaep, encrypt_oaep, encrypt_pkcs1v15, private_encrypt as pad_and_apply,
    public_decrypt as undo_and_strip,
};

use crate::digest::algorithm;
use crate::scratch::{INPUT_CAPACITY_BYTES, OUTPUT_CAPACITY_BYTES, Scratch, Status, Word};
use crate::sys::{Call, Outcome};

/// What the header and the input ask for.
struct Request<'call> {
    padding: Padding,
    label: &'call [u8],
    data: &'call [u8],
    out: &'call mut [u8; OUTPUT_CAPACITY_BYTES],
}

enum Padding {
    Oaep(Algorithm),
    Pkcs1v15,
}

/// `publicEncrypt()`: `DataLen` bytes of input, behind `KeyLen` bytes of OAEP label, encrypted to
/// the owner of key `Id`. Reads `Scheme` and, for OAEP, `Algorithm`.
///
/// The length of the output is in `OutputLen`, here and below. The input stays, for the caller to
/// wipe.
pub(crate) fn public_encrypt(call: &mut Call<'_>) -> Outcome {
    with_public(call, |key, request| {
        let Request { data, out, .. } = request;
        match request.padding {
            Padding::Oaep(digest) => {
                encrypt_oaep(key, &oaep(digest, request.label), data, &mut out[..])
            }
            Padding::Pkcs1v15 => encrypt_pkcs1v15(key, data, &mut out[..]),
        }
    })
}

/// `privateDecrypt()`: what was encrypted with OAEP to the owner of the private key `Id`. Reads the
/// same as [`public_encrypt`]. Every failure is the same refusal.
pub(crate) fn private_decrypt(call: &mut Call<'_>) -> Outcome {
    with_private(call, |key, request| {
        let Request { data, out, .. } = request;
        match request.padding {
            Padding::Oaep(digest) => {
                decrypt_oaep(key, &oaep(digest, request.label), data, &mut out[..])
            }
            // The engine tells no wrong padding of that kind from a right one, on purpose.
            Padding::Pkcs1v15 => Err(Error::Unsupported),
        }
    })
}

/// `privateEncrypt()`: `DataLen` bytes of input, padded for a PKCS #1 v1.5 signature and transformed
/// by the private key `Id`.
pub(crate) fn private_encrypt(call: &mut Call<'_>) -> Outcome {
    with_private(call, |key, request| match request.padding {
        Padding::Oaep(_) => Err(Error::Unsupported),
        Padding::Pkcs1v15 => pad_and_apply(key, request.data, &mut request.out[..]),
    })
}

/// `publicDecrypt()`: undoes [`private_encrypt`] with the public half of key `Id`.
pub(crate) fn public_decrypt(call: &mut Call<'_>) -> Outcome {
    with_public(call, |key, request| match request.padding {
        Padding::Oaep(_) => Err(Error::Unsupported),
        Padding::Pkcs1v15 => undo_and_strip(key, request.data, &mut request.out[..]),
    })
}

fn oaep(digest: Algorithm, label: &[u8]) -> Oaep<'_> {
    Oaep {
        digest,
        mgf1_digest: digest,
        label,
    }
}

fn with_public(
    call: &mut Call<'_>,
    work: impl FnOnce(&PublicKey, Request<'_>) -> Result<usize, Error>,
) -> Outcome {
    let scratch = &mut call.scratch;
    let key = call.environment.pkeys.get(scratch.word(Word::Id));
    let key = key.and_then(|key| key.public());
    finish(scratch, |scratch| work(key?, request(scratch)?).ok())
}

fn with_private(
    call: &mut Call<'_>,
    work: impl FnOnce(&PrivateKey, Request<'_>) -> Result<usize, Error>,
) -> Outcome {
    let scratch = &mut call.scratch;
    let key = call.environment.pkeys.get(scratch.word(Word::Id));
    let key = key.and_then(|key| key.private());
    finish(scratch, |scratch| work(key?, request(scratch)?).ok())
}

/// `Padding` in `npm/alacrypt/src/rsa.ts` has the same numbers.
fn request<'call>(scratch: &'call mut Scratch<'_>) -> Option<Request<'call>> {
    let padding = match scratch.word(Word::Scheme) {
        0 => Padding::Oaep(algorithm(scratch)?),
        1 => Padding::Pkcs1v15,
        _ => return None,
    };
    let label_len = scratch.len(Word::KeyLen, INPUT_CAPACITY_BYTES)?;
    let data_len = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES - label_len)?;
    let (label, data) = scratch.input[..label_len + data_len].split_at(label_len);
    Some(Request {
        padding,
        label,
        data,
        out: scratch.output,
    })
}

/// Leaves the length in the header, and nothing in the output where there is no result.
fn finish(
    scratch: &mut Scratch<'_>,
    work: impl FnOnce(&mut Scratch<'_>) -> Option<usize>,
) -> Outcome {
    match work(scratch) {
        Some(len) => {
            scratch.set_word(Word::OutputLen, u32::try_from(len).unwrap_or(0));
            Outcome::Output(len)
        }
        None => {
            scratch.output.fill(0);
            Outcome::Status(Status::Refused)
        }
    }
}

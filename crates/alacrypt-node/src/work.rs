//! Work that is done on the calling thread if it is short enough for this turn of the loop, and is
//! left undone otherwise: script then asks for it as a job.
//!
//! Each entry does what the one of its family does that it names, or answers
//! [`Status::Later`] with the input as it was. `Turn` in the header is script's number of the loop's
//! turn, any that differs from the last one's.

use std::time::{Duration, Instant};

use crate::agree;
use crate::cipher;
use crate::digest;
use crate::kdf;
use crate::key::Key;
use crate::mac;
use crate::pool;
use crate::schedule::{Class, Family, Placement};
use crate::scratch::{INPUT_CAPACITY_BYTES, Status, Word};
use crate::sign;
use crate::sys::{Call, Outcome};

use alacrypt::key::{Curve, KeyKind};

/// What an operation on a few bytes takes at most: AWS-LC, and RustCrypto in bad cases.
const FEW_BYTES: Duration = Duration::from_nanos(1_000);

/// `workBudget()`: `OutputLen` microseconds are what the work of one turn may take together; 0 for
/// nothing at all.
pub(crate) fn budget(call: &mut Call<'_>) -> Outcome {
    let micros = u64::from(call.scratch.word(Word::OutputLen));
    call.environment
        .scheduler
        .set_budget(Duration::from_micros(micros));
    Outcome::Status(Status::Done)
}

/// `poolThreads()`: `OutputLen` threads are to do long work (see [`pool::ask_for`]).
pub(crate) fn threads(call: &mut Call<'_>) -> Outcome {
    if let Ok(threads) = usize::try_from(call.scratch.word(Word::OutputLen)) {
        pool::ask_for(threads);
    }
    Outcome::Status(Status::Done)
}

/// `digestHere()`: [`digest::of_scratch`].
pub(crate) fn digest(call: &mut Call<'_>) -> Outcome {
    let number = call.scratch.word(Word::Algorithm) as usize;
    here(
        call,
        Class::new(Family::Digest, number, FEW_BYTES),
        digest::of_scratch,
    )
}

/// `hmacHere()`: [`mac::of_scratch`].
pub(crate) fn hmac(call: &mut Call<'_>) -> Outcome {
    with_mac(call, mac::of_scratch)
}

/// `hmacVerifyHere()`: [`mac::verify`].
pub(crate) fn hmac_verify(call: &mut Call<'_>) -> Outcome {
    with_mac(call, mac::verify)
}

fn with_mac(call: &mut Call<'_>, handler: fn(&mut Call<'_>) -> Outcome) -> Outcome {
    let Some(number) = mac::number_of_keyed(call) else {
        return Outcome::Status(Status::Refused);
    };
    here(
        call,
        Class::new(Family::Mac, number, FEW_BYTES * 2),
        handler,
    )
}

/// `cipherHere()`: [`cipher::whole`].
pub(crate) fn cipher(call: &mut Call<'_>) -> Outcome {
    let number = call.scratch.word(Word::Algorithm) as usize;
    here(
        call,
        Class::new(Family::Cipher, number, FEW_BYTES),
        cipher::whole,
    )
}

/// `hkdfHere()`: [`kdf::hkdf`].
pub(crate) fn hkdf(call: &mut Call<'_>) -> Outcome {
    let number = call.scratch.word(Word::Algorithm) as usize;
    here(
        call,
        Class::new(Family::Derive, number, FEW_BYTES * 4),
        kdf::hkdf,
    )
}

/// `agreeHere()`: [`agree::shared_secret`].
pub(crate) fn agree(call: &mut Call<'_>) -> Outcome {
    call.scratch.set_word(Word::DataLen, 0);
    match class_of_key(call, Family::Agree) {
        Some(class) => here(call, class, agree::shared_secret),
        None => Outcome::Status(Status::Refused),
    }
}

/// `signHere()`: [`sign::sign`].
pub(crate) fn sign(call: &mut Call<'_>) -> Outcome {
    match class_of_key(call, Family::Sign) {
        Some(class) => here(call, class, sign::sign),
        None => Outcome::Status(Status::Refused),
    }
}

/// `verifyHere()`: [`sign::verify`].
pub(crate) fn verify(call: &mut Call<'_>) -> Outcome {
    match class_of_key(call, Family::Verify) {
        Some(class) => here(call, class, sign::verify),
        None => Outcome::Status(Status::Refused),
    }
}

fn here(call: &mut Call<'_>, class: Class, handler: fn(&mut Call<'_>) -> Outcome) -> Outcome {
    let Some(len) = call.scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES) else {
        return Outcome::Status(Status::Refused);
    };
    let turn = call.scratch.word(Word::Turn);
    match call.environment.scheduler.place(turn, class, len) {
        Placement::Elsewhere => Outcome::Status(Status::Later),
        Placement::Here { is_measured: false } => handler(call),
        Placement::Here { is_measured: true } => {
            let start = Instant::now();
            let outcome = handler(call);
            call.environment
                .scheduler
                .learn(class, len, start.elapsed());
            outcome
        }
    }
}

/// The class of work with the key of number `Id`; an agreement takes about what a verification does. What one takes before one was
/// measured is about what it took on a machine of 2023, and half as much again.
fn class_of_key(call: &Call<'_>, family: Family) -> Option<Class> {
    let key = call.environment.pkeys.get(call.scratch.word(Word::Id))?;
    let (number, sign_micros, verify_micros) = match key.kind() {
        KeyKind::Ed25519 => (0, 15, 50),
        KeyKind::Ec(Curve::P256) => (1, 30, 80),
        KeyKind::Ec(Curve::P384) => (2, 120, 300),
        KeyKind::Ec(Curve::P521) => (3, 240, 480),
        KeyKind::Ec(Curve::Secp256k1) => (4, 45, 90),
        KeyKind::MlDsa44 => (5, 120, 60),
        KeyKind::MlDsa65 => (6, 160, 80),
        KeyKind::MlDsa87 => (7, 200, 120),
        KeyKind::X25519 => (8, 40, 40),
        KeyKind::Rsa | KeyKind::RsaPss => {
            let kilobits = key.signature_len_bytes() / 128;
            let cube = u64::try_from(kilobits.saturating_pow(3)).ok()?;
            let square = u64::try_from(kilobits.saturating_pow(2)).ok()?;
            (16 + kilobits, 60 * cube, 8 * square)
        }
        _ => return None,
    };
    let micros = if family == Family::Sign {
        sign_micros
    } else {
        verify_micros
    };
    Some(Class::new(family, number, Duration::from_micros(micros)))
}

impl Key {
    fn signature_len_bytes(&self) -> usize {
        match self {
            Self::Public(key) => key.signature_len_bytes(),
            Self::Private { private, .. } => private.signature_len_bytes(),
        }
    }
}

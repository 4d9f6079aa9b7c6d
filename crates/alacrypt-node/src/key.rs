//! Public and private keys, by number.

use std::sync::{Arc, OnceLock};

use alacrypt::Error;
use alacrypt::digest::Algorithm;
use alacrypt::key::{Curve, KeyKind, PrivateKey, PublicKey};
use alacrypt::sign::{SaltLength, Scheme};

use crate::job::{Answer, Job};
use crate::scratch::{INPUT_CAPACITY_BYTES, NO_ID, Status, Word};
use crate::sys::{Call, Outcome};

/// A key that script names by number. It never leaves the addon: no entry gives out its bytes.
pub(crate) enum Key {
    /// A public key.
    Public(PublicKey),
    /// A private key, and its public half once that is asked for.
    Private {
        /// The key itself.
        private: PrivateKey,
        /// Its public half; `None` where the engine takes no such public key.
        public: OnceLock<Option<PublicKey>>,
    },
}

impl Key {
    fn public_from(spki: &[u8]) -> Result<Self, Error> {
        PublicKey::from_spki_der(spki).map(Self::Public)
    }

    fn private_from(pkcs8: &[u8]) -> Result<Self, Error> {
        PrivateKey::from_pkcs8_der(pkcs8).map(Self::private_of)
    }

    fn private_of(private: PrivateKey) -> Self {
        Self::Private {
            private,
            public: OnceLock::new(),
        }
    }

    /// What it takes of the heap, itself included; of a private key without its public half.
    pub(crate) fn reported_len_bytes(&self) -> usize {
        let heap = match self {
            Self::Public(key) => key.heap_len_bytes(),
            Self::Private { private, .. } => private.heap_len_bytes(),
        };
        size_of::<Self>() + heap
    }

    /// What it takes of the heap now, itself included.
    pub(crate) fn memory_len_bytes(&self) -> usize {
        let public_half = match self {
            Self::Public(_) => 0,
            Self::Private { public, .. } => public
                .get()
                .and_then(Option::as_ref)
                .map_or(0, PublicKey::heap_len_bytes),
        };
        self.reported_len_bytes() + public_half
    }

    pub(crate) fn kind(&self) -> KeyKind {
        match self {
            Self::Public(key) => key.kind(),
            Self::Private { private, .. } => private.kind(),
        }
    }

    /// The private key, if it is one.
    pub(crate) fn private(&self) -> Option<&PrivateKey> {
        match self {
            Self::Public(_) => None,
            Self::Private { private, .. } => Some(private),
        }
    }

    /// Whether it may be used so: what a key for PSS prescribes is told before a job starts.
    pub(crate) fn permits(&self, scheme: &Scheme<'_>) -> bool {
        match self {
            Self::Public(key) => key.permits(scheme),
            Self::Private { private, .. } => private.permits(scheme),
        }
    }

    /// The public key, or the public half of a private one.
    pub(crate) fn public(&self) -> Option<&PublicKey> {
        match self {
            Self::Public(key) => Some(key),
            Self::Private { private, public } => {
                public.get_or_init(|| private.public_key().ok()).as_ref()
            }
        }
    }
}

/// The number of a key's kind; `Kind` in `npm/alacrypt/src/key.ts` has the same ones.
fn number(key: &Key) -> Option<u32> {
    Some(match key.kind() {
        KeyKind::Rsa => 0,
        KeyKind::Ec(Curve::P256) => 1,
        KeyKind::Ec(Curve::P384) => 2,
        KeyKind::Ec(Curve::P521) => 3,
        KeyKind::Ec(Curve::Secp256k1) => 4,
        KeyKind::Ed25519 => 5,
        KeyKind::X25519 => 6,
        KeyKind::MlDsa44 => 7,
        KeyKind::MlDsa65 => 8,
        KeyKind::MlDsa87 => 9,
        KeyKind::MlKem512 => 10,
        KeyKind::MlKem768 => 11,
        KeyKind::MlKem1024 => 12,
        KeyKind::RsaPss => {
            // A salt of any length is nothing that restrictions permit.
            let any_salt = Scheme::RsaPss {
                digest: Algorithm::Sha256,
                mgf1_digest: Algorithm::Sha256,
                salt_len: SaltLength::Auto,
            };
            if key.permits(&any_salt) { 13 } else { 14 }
        }
        _ => return None,
    })
}

/// The kind of a number; the reverse of [`number`].
fn kind(number: u32) -> Option<KeyKind> {
    Some(match number {
        1 => KeyKind::Ec(Curve::P256),
        2 => KeyKind::Ec(Curve::P384),
        3 => KeyKind::Ec(Curve::P521),
        4 => KeyKind::Ec(Curve::Secp256k1),
        5 => KeyKind::Ed25519,
        6 => KeyKind::X25519,
        7 => KeyKind::MlDsa44,
        8 => KeyKind::MlDsa65,
        9 => KeyKind::MlDsa87,
        10 => KeyKind::MlKem512,
        11 => KeyKind::MlKem768,
        12 => KeyKind::MlKem1024,
        _ => return None,
    })
}

/// `publicHalf()`: the public key of kind `Kind` that belongs to `DataLen` bytes of secret in the
/// input, which is wiped; its length in `OutputLen`. What is no secret of such a key is refused.
pub(crate) fn public_half(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let Some(len) = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES) else {
        return Outcome::Status(Status::Refused);
    };
    let public_len = kind(scratch.word(Word::Kind))
        .and_then(|kind| write_public_half(kind, &scratch.input[..len], &mut scratch.output[..]));
    scratch.input[..len].fill(0);
    match public_len {
        Some(len) => {
            scratch.set_word(Word::OutputLen, u32::try_from(len).unwrap_or(0));
            Outcome::Output(len)
        }
        None => Outcome::Status(Status::Refused),
    }
}

/// `publicHalfJob(resource, typeName)`: [`public_half`] as a job.
pub(crate) fn public_half_job(call: &mut Call<'_>) -> Option<Job> {
    let scratch = &mut call.scratch;
    let kind = kind(scratch.word(Word::Kind))?;
    let public_len = kind.raw_public_len_bytes()?;
    let len = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES)?;
    Job::new(&mut scratch.input[..len], move |secret| {
        Answer::written(public_len, |public_out| {
            write_public_half(kind, secret, public_out)
        })
    })
}

fn write_public_half(kind: KeyKind, secret: &[u8], public_out: &mut [u8]) -> Option<usize> {
    let private = PrivateKey::from_secret(kind, secret).ok()?;
    private.public_key().ok()?.raw(public_out).ok()
}

/// `publicKeyNew()`: a key from `DataLen` bytes of `SubjectPublicKeyInfo` in the input; its number
/// in `Id`, its kind in `Kind`.
pub(crate) fn public_new(call: &mut Call<'_>) -> Outcome {
    insert(call, Key::public_from)
}

/// `privateKeyNew()`: a key from `DataLen` bytes of `PrivateKeyInfo` in the input, which is wiped;
/// its number in `Id`, its kind in `Kind`.
pub(crate) fn private_new(call: &mut Call<'_>) -> Outcome {
    insert(call, Key::private_from)
}

fn insert(call: &mut Call<'_>, read: impl FnOnce(&[u8]) -> Result<Key, Error>) -> Outcome {
    let scratch = &mut call.scratch;
    let Some(len) = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES) else {
        return Outcome::Status(Status::Refused);
    };
    let pkeys = &mut call.environment.pkeys;
    let inserted = (!pkeys.is_full())
        .then(|| read(&scratch.input[..len]).ok())
        .flatten()
        .and_then(|key| {
            let kind = number(&key)?;
            let len_bytes = key.reported_len_bytes();
            Some((pkeys.insert(Arc::new(key))?, kind, len_bytes))
        });
    scratch.input[..len].fill(0);
    let (id, kind, len_bytes) = inserted.unwrap_or((NO_ID, 0, 0));
    scratch.set_word(Word::Id, id);
    scratch.set_word(Word::Kind, kind);
    call.report_more_memory(len_bytes);
    Outcome::Status(if inserted.is_some() {
        Status::Done
    } else {
        Status::Refused
    })
}

/// `secretKeyNew()`: a private key of kind `Kind` from `DataLen` bytes of its secret in the input, which
/// is wiped; its number in `Id`.
pub(crate) fn secret_new(call: &mut Call<'_>) -> Outcome {
    match kind(call.scratch.word(Word::Kind)) {
        Some(kind) => insert(call, |secret| {
            PrivateKey::from_secret(kind, secret).map(Key::private_of)
        }),
        None => Outcome::Status(Status::Refused),
    }
}

/// `asymmetricKeyRelease()`: drops, and so wipes, the key of number `Id`.
pub(crate) fn release(call: &mut Call<'_>) -> Outcome {
    let id = call.scratch.word(Word::Id);
    let released = call.environment.pkeys.remove(id);
    if let Some(key) = &released {
        call.report_less_memory(key.reported_len_bytes());
    }
    Outcome::Status(if released.is_some() {
        Status::Done
    } else {
        Status::Refused
    })
}

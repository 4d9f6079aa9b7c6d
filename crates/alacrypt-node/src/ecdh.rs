//! The key pairs of `ECDH` objects, by number.
//!
//! They are in a table of their own because script may ask for their private numbers, as
//! `ECDH.prototype.getPrivateKey` gives them out. The keys of [`crate::key`], which were read from
//! `KeyObject`s and from text, are in another, of which no entry gives out a byte.

use core::cell::OnceCell;

use alacrypt::Error;
use alacrypt::agree::shared_secret;
use alacrypt::key::{Curve, PointForm, PrivateKey, PublicKey};

use crate::scratch::{INPUT_CAPACITY_BYTES, NO_ID, Scratch, Status, Word};
use crate::sys::{Call, Outcome};

/// One key pair; it is wiped when it is dropped.
pub(crate) struct Pair {
    curve: Curve,
    private: PrivateKey,
    public: PublicKey,
    /// The point as it was asked for, by form: on two of the curves it takes as long to write it as
    /// the host takes for the whole call.
    points: [OnceCell<Option<Box<[u8]>>>; 3],
}

impl Pair {
    fn new(curve: Curve, private: PrivateKey) -> Result<Self, Error> {
        let public = private.public_key()?;
        Ok(Self {
            curve,
            private,
            public,
            points: Default::default(),
        })
    }

    /// What it takes of the heap, without the points that it keeps.
    fn reported_len_bytes(&self) -> usize {
        self.private.heap_len_bytes() + self.public.heap_len_bytes()
    }

    /// What it takes of the heap now, beside itself.
    pub(crate) fn memory_len_bytes(&self) -> usize {
        let points = self.points.iter().filter_map(|point| point.get()?.as_ref());
        self.reported_len_bytes() + points.map(|point| point.len()).sum::<usize>()
    }

    fn point(&self, form: PointForm) -> Option<&[u8]> {
        let [compressed, uncompressed, hybrid] = &self.points;
        let kept = match form {
            PointForm::Compressed => compressed,
            PointForm::Uncompressed => uncompressed,
            PointForm::Hybrid => hybrid,
        };
        let written = kept.get_or_init(|| {
            let mut point = [0; LONGEST_POINT_LEN_BYTES];
            let len = self.public.ec_point(form, &mut point).ok()?;
            point.get(..len).map(Box::from)
        });
        written.as_deref()
    }
}

/// Both coordinates of P-521, and a byte for the form.
const LONGEST_POINT_LEN_BYTES: usize = 1 + 2 * Curve::P521.coordinate_len_bytes();

/// `ecdhGenerate()`: a new key pair on the curve `Kind` in the place of pair `Id`, or in a new one
/// where that is [`NO_ID`]; its number in `Id`.
pub(crate) fn generate(call: &mut Call<'_>) -> Outcome {
    put(call, |curve, _| PrivateKey::generate_ec(curve))
}

/// `ecdhSetPrivateKey()`: the same with the private number in `DataLen` bytes of input, which is
/// wiped. What is no number of a key is refused, and pair `Id` stays what it was.
pub(crate) fn set_private_key(call: &mut Call<'_>) -> Outcome {
    put(call, PrivateKey::from_ec_number)
}

fn put(
    call: &mut Call<'_>,
    make: impl FnOnce(Curve, &[u8]) -> Result<PrivateKey, Error>,
) -> Outcome {
    let scratch = &mut call.scratch;
    let pairs = &mut call.environment.pairs;
    let Some(len) = scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES) else {
        return Outcome::Status(Status::Refused);
    };
    let id = scratch.word(Word::Id);
    let is_room = id != NO_ID || !pairs.is_full();
    let pair = curve(scratch).filter(|_| is_room).and_then(|curve| {
        let private = make(curve, &scratch.input[..len]).ok()?;
        Pair::new(curve, private).ok()
    });
    scratch.input[..len].fill(0);
    let placed = pair.and_then(|pair| match pairs.get_mut(id) {
        Some(place) => {
            // One `ECDH` has one curve: the bytes are those of the pair that goes.
            *place = pair;
            Some((id, 0))
        }
        None => {
            let len_bytes = pair.reported_len_bytes();
            Some((pairs.insert(pair)?, len_bytes))
        }
    });
    match placed {
        Some((id, len_bytes)) => {
            scratch.set_word(Word::Id, id);
            call.report_more_memory(len_bytes);
            Outcome::Status(Status::Done)
        }
        None => Outcome::Status(Status::Refused),
    }
}

/// `ecdhPublicKey()`: the point of pair `Id` in the form `Scheme`; its length in `OutputLen`.
pub(crate) fn public_key(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let pair = call.environment.pairs.get(scratch.word(Word::Id));
    let len = pair.zip(form(scratch)).and_then(|(pair, form)| {
        let point = pair.point(form)?;
        let out = scratch.output.get_mut(..point.len())?;
        out.copy_from_slice(point);
        Some(point.len())
    });
    output(scratch, len)
}

/// `ecdhPrivateKey()`: the private number of pair `Id`, as long as a coordinate; its length in
/// `OutputLen`.
pub(crate) fn private_key(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let pair = call.environment.pairs.get(scratch.word(Word::Id));
    let len = pair.and_then(|pair| pair.private.ec_number(&mut scratch.output[..]).ok());
    output(scratch, len)
}

/// `ecdhComputeSecret()`: what pair `Id` and the owner of the point in `DataLen` bytes of input
/// share; its length in `OutputLen`.
pub(crate) fn compute_secret(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let pair = call.environment.pairs.get(scratch.word(Word::Id));
    let len = pair
        .zip(scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES))
        .and_then(|(pair, len)| {
            let peer = PublicKey::from_ec_point(pair.curve, &scratch.input[..len]).ok()?;
            shared_secret(&pair.private, &peer, &mut scratch.output[..]).ok()
        });
    output(scratch, len)
}

/// `ecdhConvertKey()`: the point in `DataLen` bytes of input, on the curve `Kind`, in the form
/// `Scheme`; its length in `OutputLen`.
pub(crate) fn convert_key(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let len = curve(scratch)
        .zip(form(scratch))
        .zip(scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES))
        .and_then(|((curve, form), len)| {
            let point = PublicKey::from_ec_point(curve, &scratch.input[..len]).ok()?;
            point.ec_point(form, &mut scratch.output[..]).ok()
        });
    output(scratch, len)
}

/// `ecdhRelease()`: drops, and so wipes, pair `Id`.
pub(crate) fn release(call: &mut Call<'_>) -> Outcome {
    let id = call.scratch.word(Word::Id);
    let released = call.environment.pairs.remove(id);
    if let Some(pair) = &released {
        call.report_less_memory(pair.reported_len_bytes());
    }
    Outcome::Status(if released.is_some() {
        Status::Done
    } else {
        Status::Refused
    })
}

fn output(scratch: &mut Scratch<'_>, len: Option<usize>) -> Outcome {
    match len {
        Some(len) => {
            scratch.set_word(Word::OutputLen, u32::try_from(len).unwrap_or(0));
            Outcome::Output(len)
        }
        None => Outcome::Status(Status::Refused),
    }
}

/// The curve that the header names; `Kind` in `npm/alacrypt/src/key.ts` has the same numbers.
fn curve(scratch: &Scratch<'_>) -> Option<Curve> {
    Some(match scratch.word(Word::Kind) {
        1 => Curve::P256,
        2 => Curve::P384,
        3 => Curve::P521,
        4 => Curve::Secp256k1,
        _ => return None,
    })
}

/// The form that the header names, by OpenSSL's numbers, which the host's own native code takes.
fn form(scratch: &Scratch<'_>) -> Option<PointForm> {
    Some(match scratch.word(Word::Scheme) {
        2 => PointForm::Compressed,
        4 => PointForm::Uncompressed,
        6 => PointForm::Hybrid,
        _ => return None,
    })
}

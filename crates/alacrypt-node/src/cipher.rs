//! Ciphers: whole messages in the scratch, and messages in pieces.
//!
//! The input begins with a slot for a tag, or for the last bytes of a message; behind it are the
//! key, the initialization vector (IV) or nonce, the data that is only authenticated, and the data.

use alacrypt::Error;
use alacrypt::aead::{self, Sealer, TAG_LEN_BYTES, UnverifiedOpener};
use alacrypt::cipher::{
    self, BLOCK_LEN_BYTES, Cipher, Direction, Padding, WRAP_IV, XTS_KEY_LEN_BYTES,
};

use zeroize::Zeroizing;

use crate::scratch::{INPUT_CAPACITY_BYTES, NO_ID, OUTPUT_CAPACITY_BYTES, Scratch, Status, Word};
use crate::sys::{Call, Outcome};

/// Bytes at the start of the input.
const SLOT_LEN_BYTES: usize = 16;
const _: () = assert!(TAG_LEN_BYTES == SLOT_LEN_BYTES && BLOCK_LEN_BYTES == SLOT_LEN_BYTES);

/// Bits of `Scheme`.
const DECRYPTS: u32 = 1;
const WITHOUT_PADDING: u32 = 2;

/// From this number on, `Algorithm` is one of [`aead::Algorithm::ALL`].
const FIRST_AEAD: usize = 32;
/// From this number on, it is one of [`UNITS`].
const FIRST_UNIT: usize = 48;

#[derive(Clone, Copy)]
enum Algorithm {
    Cipher(cipher::Algorithm),
    Aead(aead::Algorithm),
    Unit(Unit),
}

/// What there is of whole messages only, each of which stands for itself.
#[derive(Clone, Copy)]
enum Unit {
    Xts,
    Wrap { key_len: usize, is_padded: bool },
}

const UNITS: [Unit; 7] = [
    Unit::Xts,
    Unit::wrap(16, false),
    Unit::wrap(24, false),
    Unit::wrap(32, false),
    Unit::wrap(16, true),
    Unit::wrap(24, true),
    Unit::wrap(32, true),
];

/// What the host gives a padded key wrap for an initialization vector (RFC 5649, section 3).
const PADDED_WRAP_IV: [u8; 4] = [0xa6, 0x59, 0x59, 0xa6];

impl Unit {
    const fn wrap(key_len: usize, is_padded: bool) -> Self {
        Self::Wrap { key_len, is_padded }
    }

    const fn key_len_bytes(self) -> usize {
        match self {
            Self::Xts => XTS_KEY_LEN_BYTES,
            Self::Wrap { key_len, .. } => key_len,
        }
    }
}

/// A message in pieces.
pub(crate) enum Stream {
    Cipher(Cipher),
    Sealer(Sealer),
    Opener(UnverifiedOpener),
}

impl Stream {
    /// What it takes of the heap.
    pub(crate) fn heap_len_bytes(&self) -> usize {
        match self {
            Self::Cipher(_) => cipher::STREAM_HEAP_LEN_BYTES,
            Self::Sealer(_) | Self::Opener(_) => aead::STREAM_HEAP_LEN_BYTES,
        }
    }
}

/// The longest key, in bytes.
const KEY_LEN_BYTES: usize = XTS_KEY_LEN_BYTES;

/// A key that is used often.
pub(crate) struct Key {
    bytes: Zeroizing<[u8; KEY_LEN_BYTES]>,
    len: usize,
}

/// `cipherKeyNew()`: keeps the `KeyLen` bytes behind the slot; its number in `Id`.
pub(crate) fn key_new(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let keys = &mut call.environment.cipher_keys;
    let id = scratch
        .len(Word::KeyLen, KEY_LEN_BYTES)
        .filter(|_| !keys.is_full())
        .and_then(|len| {
            let mut bytes = Zeroizing::new([0; KEY_LEN_BYTES]);
            bytes
                .get_mut(..len)?
                .copy_from_slice(scratch.input.get(SLOT_LEN_BYTES..SLOT_LEN_BYTES + len)?);
            keys.insert(Key { bytes, len })
        });
    scratch.set_word(Word::Id, id.unwrap_or(NO_ID));
    Outcome::Status(if id.is_some() {
        Status::Done
    } else {
        Status::Refused
    })
}

/// `cipherKeyLoad()`: puts the key of number `Id` behind the slot, if it has `KeyLen` bytes.
pub(crate) fn key_load(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let loaded = scratch
        .len(Word::KeyLen, KEY_LEN_BYTES)
        .and_then(|len| {
            let key = call.environment.cipher_keys.get(scratch.word(Word::Id))?;
            let target = scratch
                .input
                .get_mut(SLOT_LEN_BYTES..SLOT_LEN_BYTES + len)?;
            target.copy_from_slice(key.bytes.get(..key.len).filter(|key| key.len() == len)?);
            Some(())
        })
        .is_some();
    Outcome::Status(if loaded {
        Status::Done
    } else {
        Status::Refused
    })
}

/// `cipherKeyRelease()`: drops, and so wipes, the key of number `Id`.
pub(crate) fn key_release(call: &mut Call<'_>) -> Outcome {
    let id = call.scratch.word(Word::Id);
    Outcome::Status(if call.environment.cipher_keys.remove(id).is_some() {
        Status::Done
    } else {
        Status::Refused
    })
}

/// What the header says of the input.
struct Layout {
    algorithm: Algorithm,
    direction: Direction,
    padding: Padding,
    key_end: usize,
    iv_end: usize,
    aad_end: usize,
    data_end: usize,
}

impl Layout {
    fn read(scratch: &Scratch<'_>) -> Option<Self> {
        let number = usize::try_from(scratch.word(Word::Algorithm)).ok()?;
        let algorithm = if let Some(number) = number.checked_sub(FIRST_UNIT) {
            Algorithm::Unit(*UNITS.get(number)?)
        } else if let Some(number) = number.checked_sub(FIRST_AEAD) {
            Algorithm::Aead(*aead::Algorithm::ALL.get(number)?)
        } else {
            Algorithm::Cipher(*cipher::Algorithm::ALL.get(number)?)
        };
        let key_len = match algorithm {
            Algorithm::Cipher(algorithm) => algorithm.key_len_bytes(),
            Algorithm::Aead(algorithm) => algorithm.key_len_bytes(),
            Algorithm::Unit(unit) => unit.key_len_bytes(),
        };
        let mut end = SLOT_LEN_BYTES + key_len;
        let key_end = end;
        let mut next = |word| {
            end += scratch.len(word, INPUT_CAPACITY_BYTES - end)?;
            Some(end)
        };
        let bits = scratch.word(Word::Scheme);
        Some(Self {
            algorithm,
            direction: if bits & DECRYPTS == 0 {
                Direction::Encrypt
            } else {
                Direction::Decrypt
            },
            padding: if bits & WITHOUT_PADDING == 0 {
                Padding::Pkcs7
            } else {
                Padding::None
            },
            key_end,
            iv_end: next(Word::IvLen)?,
            aad_end: next(Word::ContextLen)?,
            data_end: next(Word::DataLen)?,
        })
    }
}

/// `cipherWhole()`: encrypts or decrypts `DataLen` bytes, the whole message.
///
/// Reads `Algorithm`, `Scheme`, `IvLen`, `ContextLen` and `DataLen`; of a decryption with
/// authentication the slot holds the tag, of `KeyLen` bytes. `OutputLen` bytes of output are what the host returns
/// before it knows that the message ends there; the `KeyLen` bytes that it returns then are put
/// into the slot, or the tag. All other input stays as it is. The status is `Failed` where tag,
/// padding or length are wrong.
pub(crate) fn whole(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let Some(layout) = Layout::read(scratch) else {
        return Outcome::Status(Status::Refused);
    };
    let result = match layout.algorithm {
        Algorithm::Aead(algorithm) => authenticated(scratch, &layout, algorithm),
        Algorithm::Cipher(algorithm) => unauthenticated(scratch, &layout, algorithm),
        Algorithm::Unit(unit) => whole_unit(scratch, &layout, unit),
    };
    match result {
        Ok((output_len, rest_len)) => {
            scratch.set_word(Word::OutputLen, output_len);
            scratch.set_word(Word::KeyLen, rest_len);
            Outcome::Status(Status::Done)
        }
        Err(Error::Failed) => Outcome::Status(Status::Failed),
        Err(_) => Outcome::Status(Status::Refused),
    }
}

fn authenticated(
    scratch: &mut Scratch<'_>,
    layout: &Layout,
    algorithm: aead::Algorithm,
) -> Result<(u32, u32), Error> {
    let data_len = layout.data_end - layout.aad_end;
    let tag_len = scratch
        .len(Word::KeyLen, TAG_LEN_BYTES)
        .ok_or(Error::Unsupported)?;
    let (slot, input) = scratch
        .input
        .split_first_chunk_mut::<SLOT_LEN_BYTES>()
        .ok_or(Error::Unsupported)?;
    let at = |end: usize| end - SLOT_LEN_BYTES;
    let key = &input[..at(layout.key_end)];
    let nonce = &input[at(layout.key_end)..at(layout.iv_end)];
    let aad = &input[at(layout.iv_end)..at(layout.aad_end)];
    let data = &input[at(layout.aad_end)..at(layout.data_end)];
    let out = scratch
        .output
        .get_mut(..data_len)
        .ok_or(Error::Unsupported)?;
    match layout.direction {
        Direction::Encrypt => aead::seal(algorithm, key, nonce, aad, data, out, slot)?,
        Direction::Decrypt if tag_len == TAG_LEN_BYTES => {
            aead::open(algorithm, key, nonce, aad, data, slot, out)?;
        }
        Direction::Decrypt => {
            let mut opener = UnverifiedOpener::new(algorithm, key, nonce, aad)?;
            let opened = opener
                .update(data, out)
                .and_then(|()| opener.verify(&slot[..tag_len]));
            if opened.is_err() {
                out.fill(0);
            }
            opened?;
        }
    }
    Ok((u32::try_from(data_len).map_err(|_| Error::Unsupported)?, 0))
}

fn unauthenticated(
    scratch: &mut Scratch<'_>,
    layout: &Layout,
    algorithm: cipher::Algorithm,
) -> Result<(u32, u32), Error> {
    let data_len = layout.data_end - layout.aad_end;
    if data_len + BLOCK_LEN_BYTES > OUTPUT_CAPACITY_BYTES {
        return Err(Error::Unsupported);
    }
    let key = &scratch.input[SLOT_LEN_BYTES..layout.key_end];
    let iv = &scratch.input[layout.key_end..layout.iv_end];
    let data = &scratch.input[layout.aad_end..layout.data_end];
    let run = match layout.direction {
        Direction::Encrypt => cipher::encrypt,
        Direction::Decrypt => cipher::decrypt,
    };
    let len = run(
        algorithm,
        key,
        iv,
        layout.padding,
        data,
        &mut scratch.output[..],
    )?;
    let output_len = if !algorithm.is_block_mode() || layout.padding == Padding::None {
        len
    } else {
        match layout.direction {
            Direction::Encrypt => data_len - data_len % BLOCK_LEN_BYTES,
            // The last block may be padding.
            Direction::Decrypt => data_len.saturating_sub(BLOCK_LEN_BYTES),
        }
    };
    let rest = scratch
        .output
        .get_mut(output_len..len)
        .ok_or(Error::Unsupported)?;
    scratch
        .input
        .get_mut(..rest.len())
        .ok_or(Error::Unsupported)?
        .copy_from_slice(rest);
    rest.fill(0);
    let rest_len = u32::try_from(rest.len()).map_err(|_| Error::Unsupported)?;
    let output_len = u32::try_from(output_len).map_err(|_| Error::Unsupported)?;
    Ok((output_len, rest_len))
}

/// What is not right is refused: the host says what it is.
fn whole_unit(scratch: &mut Scratch<'_>, layout: &Layout, unit: Unit) -> Result<(u32, u32), Error> {
    let key = &scratch.input[SLOT_LEN_BYTES..layout.key_end];
    let iv = &scratch.input[layout.key_end..layout.iv_end];
    let data = &scratch.input[layout.aad_end..layout.data_end];
    let out = &mut scratch.output[..];
    let written = match unit {
        Unit::Xts => {
            let key = key.try_into().map_err(|_| Error::Unsupported)?;
            let tweak = iv.try_into().map_err(|_| Error::Unsupported)?;
            let out = out.get_mut(..data.len()).ok_or(Error::Unsupported)?;
            cipher::xts(layout.direction, key, tweak, data, out)?;
            data.len()
        }
        Unit::Wrap { is_padded, .. } if is_padded => {
            if iv != PADDED_WRAP_IV {
                return Err(Error::Unsupported);
            }
            match layout.direction {
                Direction::Encrypt => cipher::wrap_padded(key, data, out)?,
                Direction::Decrypt => cipher::unwrap_padded(key, data, out)?,
            }
        }
        Unit::Wrap { .. } => {
            let iv = iv.try_into().map_err(|_| Error::Unsupported)?;
            let len = match layout.direction {
                Direction::Encrypt => data.len() + WRAP_IV.len(),
                Direction::Decrypt => data.len().saturating_sub(WRAP_IV.len()),
            };
            let out = out.get_mut(..len).ok_or(Error::Unsupported)?;
            match layout.direction {
                Direction::Encrypt => cipher::wrap(key, iv, data, out)?,
                Direction::Decrypt => cipher::unwrap(key, iv, data, out)?,
            }
            len
        }
    };
    let len = u32::try_from(written).map_err(|_| Error::Unsupported)?;
    Ok((len, 0))
}

/// `cipherStreamNew()`: begins a message in pieces; its number in `Id`. Reads what `cipherWhole()`
/// reads but `DataLen`, and leaves the input as it is.
pub(crate) fn stream_new(call: &mut Call<'_>) -> Outcome {
    call.scratch.set_word(Word::DataLen, 0);
    let id = Layout::read(&call.scratch)
        .filter(|_| !call.environment.ciphers.is_full())
        .and_then(|layout| begin(&call.scratch, &layout).ok())
        .and_then(|stream| call.environment.ciphers.insert(stream));
    call.scratch.set_word(Word::Id, id.unwrap_or(NO_ID));
    Outcome::Status(if id.is_some() {
        Status::Done
    } else {
        Status::Refused
    })
}

fn begin(scratch: &Scratch<'_>, layout: &Layout) -> Result<Stream, Error> {
    let key = &scratch.input[SLOT_LEN_BYTES..layout.key_end];
    let iv = &scratch.input[layout.key_end..layout.iv_end];
    let aad = &scratch.input[layout.iv_end..layout.aad_end];
    Ok(match (layout.algorithm, layout.direction) {
        (Algorithm::Aead(algorithm), Direction::Encrypt) => {
            Stream::Sealer(Sealer::new(algorithm, key, iv, aad)?)
        }
        (Algorithm::Aead(algorithm), Direction::Decrypt) => {
            Stream::Opener(UnverifiedOpener::new(algorithm, key, iv, aad)?)
        }
        (Algorithm::Unit(_), _) => return Err(Error::Unsupported),
        // Those with blocks would return another number of bytes than they are given.
        (Algorithm::Cipher(algorithm), _) if algorithm.is_block_mode() => {
            return Err(Error::Unsupported);
        }
        (Algorithm::Cipher(algorithm), direction) => {
            Stream::Cipher(Cipher::new(algorithm, direction, key, iv, layout.padding)?)
        }
    })
}

/// `cipherStreamUpdate(data, out)`: the next piece of the message of number `Id`, into a
/// `Uint8Array` as long as it that nobody else has seen yet.
pub(crate) fn stream_update(call: &mut Call<'_>) -> Outcome {
    let id = call.scratch.word(Word::Id);
    let done = call.take_data_and_out().is_some_and(|(data, out)| {
        match call.environment.ciphers.get_mut(id) {
            Some(Stream::Cipher(cipher)) => cipher.update_shared(data, out).is_ok(),
            Some(Stream::Sealer(sealer)) => sealer.update_shared(data, out).is_ok(),
            Some(Stream::Opener(opener)) => opener.update_shared(data, out).is_ok(),
            None => false,
        }
    });
    Outcome::Status(if done { Status::Done } else { Status::Refused })
}

/// `cipherStreamUpdateShort()`: the next `DataLen` bytes of the message of number `Id`, from the
/// start of the input, which is wiped, into the output.
pub(crate) fn stream_update_short(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let id = scratch.word(Word::Id);
    let Some(data_len) = scratch.len(Word::DataLen, OUTPUT_CAPACITY_BYTES) else {
        return Outcome::Status(Status::Refused);
    };
    let data = &mut scratch.input[..data_len];
    let out = &mut scratch.output[..data_len];
    let done = match call.environment.ciphers.get_mut(id) {
        Some(Stream::Cipher(cipher)) => cipher.update(data, out).is_ok(),
        Some(Stream::Sealer(sealer)) => sealer.update(data, out).is_ok(),
        Some(Stream::Opener(opener)) => opener.update(data, out).is_ok(),
        None => false,
    };
    data.fill(0);
    Outcome::Status(if done { Status::Done } else { Status::Refused })
}

/// `cipherStreamFinish()`: ends the message of number `Id`. Of an encryption with authentication
/// the tag is put at the start of the input; of a decryption it is there, with `KeyLen` bytes. The
/// status is `Failed` where it does not match.
pub(crate) fn stream_finish(call: &mut Call<'_>) -> Outcome {
    let scratch = &mut call.scratch;
    let result = match call.environment.ciphers.remove(scratch.word(Word::Id)) {
        Some(Stream::Cipher(cipher)) => cipher.finish(&mut []).map(drop),
        Some(Stream::Sealer(sealer)) => scratch
            .input
            .first_chunk_mut()
            .ok_or(Error::Unsupported)
            .and_then(|tag_out| sealer.finish(tag_out)),
        Some(Stream::Opener(opener)) => scratch
            .len(Word::KeyLen, TAG_LEN_BYTES)
            .ok_or(Error::Unsupported)
            .and_then(|tag_len| opener.verify(&scratch.input[..tag_len])),
        None => Err(Error::Unsupported),
    };
    Outcome::Status(match result {
        Ok(()) => Status::Done,
        Err(Error::Failed) => Status::Failed,
        Err(_) => Status::Refused,
    })
}

/// `cipherStreamRelease()`: drops, and so wipes, the message of number `Id`.
pub(crate) fn stream_release(call: &mut Call<'_>) -> Outcome {
    let id = call.scratch.word(Word::Id);
    Outcome::Status(if call.environment.ciphers.remove(id).is_some() {
        Status::Done
    } else {
        Status::Refused
    })
}

//! The encodings of output that a call can return as a string.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

/// How the output is handed over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// As bytes in the scratch.
    Scratch,
    /// As a lower-case hexadecimal string.
    Hex,
    /// As base64 with padding (RFC 4648, section 4).
    Base64,
    /// As base64url without padding (RFC 4648, section 5).
    Base64Url,
    /// As a string of one character per byte.
    Latin1,
}

impl Encoding {
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::Scratch,
            1 => Self::Hex,
            2 => Self::Base64,
            3 => Self::Base64Url,
            4 => Self::Latin1,
            _ => return None,
        })
    }

    /// Writes `output` as characters of one byte each, and returns them; `None` for
    /// [`Encoding::Scratch`], or where `text` is shorter than twice the output.
    pub(crate) fn encode<'text>(self, output: &[u8], text: &'text mut [u8]) -> Option<&'text [u8]> {
        let len = match self {
            Self::Scratch => return None,
            Self::Hex => {
                let len = output.len() * 2;
                const_hex::encode_to_slice(output, text.get_mut(..len)?).ok()?;
                len
            }
            Self::Base64 => STANDARD.encode_slice(output, text).ok()?,
            Self::Base64Url => URL_SAFE_NO_PAD.encode_slice(output, text).ok()?,
            Self::Latin1 => {
                text.get_mut(..output.len())?.copy_from_slice(output);
                output.len()
            }
        };
        text.get(..len)
    }
}

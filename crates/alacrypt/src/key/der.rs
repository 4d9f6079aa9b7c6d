//! The part of DER (X.690, section 10) that keys need, read strictly: definite lengths in their
//! shortest form, nothing left over.

use crate::Error;

pub(super) const INTEGER: u8 = 0x02;
pub(super) const BIT_STRING: u8 = 0x03;
pub(super) const OCTET_STRING: u8 = 0x04;
pub(super) const NULL: u8 = 0x05;
pub(super) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(super) const SEQUENCE: u8 = 0x30;
/// `[0]`, primitive.
pub(super) const CONTEXT_0: u8 = 0x80;
/// `[0]`, constructed.
pub(super) const CONTEXT_0_CONSTRUCTED: u8 = 0xa0;
/// `[1]`, constructed.
pub(super) const CONTEXT_1_CONSTRUCTED: u8 = 0xa1;

/// What has not been read yet of a value's contents.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Whether the next value has this tag.
    pub(super) fn is_next(self, tag: u8) -> bool {
        self.0.first() == Some(&tag)
    }

    /// The contents of the next value, which must have this tag.
    pub(super) fn read(&mut self, tag: u8) -> Result<&'a [u8], Error> {
        let [found, first, rest @ ..] = self.0 else {
            return Err(Error::Rejected);
        };
        if *found != tag {
            return Err(Error::Rejected);
        }
        // X.690, section 8.1.3.5 with 10.1: up to 127 in one byte, else in as few as are needed.
        let (len, rest) = match *first {
            0..=0x7f => (usize::from(*first), rest),
            0x81..=0x83 => {
                let (len_bytes, rest) = rest
                    .split_at_checked(usize::from(*first & 0x7f))
                    .ok_or(Error::Rejected)?;
                let len = len_bytes
                    .iter()
                    .fold(0, |len, byte| len << 8 | usize::from(*byte));
                if len_bytes.first() == Some(&0) || len < 0x80 {
                    return Err(Error::Rejected);
                }
                (len, rest)
            }
            // Indefinite, or 16 MiB and more, which no key is.
            _ => return Err(Error::Rejected),
        };
        let (contents, rest) = rest.split_at_checked(len).ok_or(Error::Rejected)?;
        self.0 = rest;
        Ok(contents)
    }

    /// The next value, a sequence, as a reader of its own.
    pub(super) fn sequence(&mut self) -> Result<Self, Error> {
        self.read(SEQUENCE).map(Self)
    }

    /// The next value, a non-negative integer, without its leading zeros.
    pub(super) fn unsigned(&mut self) -> Result<&'a [u8], Error> {
        match self.read(INTEGER)? {
            [] => Err(Error::Rejected),
            // X.690, section 8.3.2: the first nine bits are not all alike.
            [0] => Ok(&[]),
            [0, rest @ ..] if rest.first().is_some_and(|byte| byte & 0x80 != 0) => Ok(rest),
            [0, ..] => Err(Error::Rejected),
            number if number[0] & 0x80 == 0 => Ok(number),
            _ => Err(Error::Rejected),
        }
    }

    /// The next value, a bit string of whole bytes.
    pub(super) fn bytes_of_bit_string(&mut self) -> Result<&'a [u8], Error> {
        match self.read(BIT_STRING)? {
            [0, bytes @ ..] => Ok(bytes),
            _ => Err(Error::Rejected),
        }
    }

    /// Refuses what is left.
    pub(super) fn finish(self) -> Result<(), Error> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Error::Rejected)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tag: u8, bytes: &[u8]) -> Result<(Vec<u8>, usize), Error> {
        let mut reader = Reader::new(bytes);
        let contents = reader.read(tag)?;
        Ok((contents.to_vec(), reader.0.len()))
    }

    #[test]
    fn lengths_in_their_shortest_form_only() {
        assert_eq!(read(OCTET_STRING, &[4, 0]), Ok((vec![], 0)));
        assert_eq!(read(OCTET_STRING, &[4, 1, 9, 7]), Ok((vec![9], 1)));
        for len in [127_usize, 128, 255, 256, 65_535, 65_536] {
            let mut bytes = vec![4];
            match len {
                0..=127 => bytes.push(len as u8),
                128..=255 => bytes.extend([0x81, len as u8]),
                256..=65_535 => bytes.extend([0x82, (len >> 8) as u8, len as u8]),
                _ => bytes.extend([0x83, (len >> 16) as u8, (len >> 8) as u8, len as u8]),
            }
            bytes.resize(bytes.len() + len, 5);
            assert_eq!(read(OCTET_STRING, &bytes), Ok((vec![5; len], 0)), "{len}");
            bytes.pop();
            assert_eq!(read(OCTET_STRING, &bytes), Err(Error::Rejected), "{len}");
        }
        for wrong in [
            &[][..],
            &[4],
            &[2, 0],
            &[4, 0x80, 0, 0],
            &[4, 0x81, 0x7f],
            &[4, 0x81],
            &[4, 0x82, 0, 0x80],
            &[4, 0x83, 0, 1],
            &[4, 0x84, 0, 0, 0, 0],
            &[4, 0xff],
        ] {
            let mut bytes = wrong.to_vec();
            bytes.resize(bytes.len() + 127, 0);
            let bytes = if wrong.len() < 2 { wrong } else { &bytes };
            assert_eq!(read(OCTET_STRING, bytes), Err(Error::Rejected), "{wrong:?}");
        }
    }

    #[test]
    fn integers_are_minimal_and_not_negative() {
        let read = |bytes: &[u8]| Reader::new(bytes).unsigned().map(<[u8]>::to_vec);
        assert_eq!(read(&[2, 1, 0]), Ok(vec![]));
        assert_eq!(read(&[2, 1, 0x7f]), Ok(vec![0x7f]));
        assert_eq!(read(&[2, 2, 0, 0x80]), Ok(vec![0x80]));
        for wrong in [
            &[2, 0][..],
            &[2, 1, 0x80],
            &[2, 2, 0, 0],
            &[2, 2, 0, 0x7f],
            &[2, 2, 0xff, 0x80],
        ] {
            assert_eq!(read(wrong), Err(Error::Rejected), "{wrong:?}");
        }
    }
}

use super::der::{self, Reader};
use crate::Error;

/// An algorithm identifier (RFC 5280, section 4.1.1.2).
#[derive(Clone, Copy)]
pub(super) struct Identifier<'a> {
    /// The contents of the object identifier.
    pub(super) oid: &'a [u8],
    pub(super) parameters: Parameters<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parameters<'a> {
    Absent,
    Null,
    /// The contents of an object identifier.
    Oid(&'a [u8]),
    /// The contents of a sequence.
    Sequence(&'a [u8]),
    /// Something that no kind of key here has.
    Other,
}

impl<'a> Identifier<'a> {
    pub(super) fn read(reader: &mut Reader<'a>) -> Result<Self, Error> {
        let mut sequence = reader.sequence()?;
        let oid = sequence.read(der::OBJECT_IDENTIFIER)?;
        let parameters = if sequence.is_empty() {
            Parameters::Absent
        } else if sequence.is_next(der::NULL) {
            if !sequence.read(der::NULL)?.is_empty() {
                return Err(Error::Rejected);
            }
            sequence.finish()?;
            Parameters::Null
        } else if sequence.is_next(der::OBJECT_IDENTIFIER) {
            let oid = sequence.read(der::OBJECT_IDENTIFIER)?;
            sequence.finish()?;
            Parameters::Oid(oid)
        } else if sequence.is_next(der::SEQUENCE) {
            let contents = sequence.read(der::SEQUENCE)?;
            sequence.finish()?;
            Parameters::Sequence(contents)
        } else {
            Parameters::Other
        };
        Ok(Self { oid, parameters })
    }
}

//! What a key for PSS prescribes: RFC 4055, section 3.1.

use super::algorithm::{Identifier, Parameters};
use super::der::{self, Reader};
use crate::Error;
use crate::digest::Algorithm;
use crate::sign::{SaltLength, Scheme};

/// The digests that a key is to be used with, and the least length of its salts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PssRestrictions {
    digest: Algorithm,
    mgf1_digest: Algorithm,
    salt_min_len_bytes: usize,
}

impl PssRestrictions {
    /// Those of `id-RSASSA-PSS`: none without parameters.
    ///
    /// [`Error::Unsupported`] for other mask generation functions than MGF1, digests that no key
    /// is known to have, and other trailers than the first one.
    pub(super) fn of_algorithm(algorithm: Identifier<'_>) -> Result<Option<Self>, Error> {
        match algorithm.parameters {
            Parameters::Absent => Ok(None),
            Parameters::Sequence(parameters) => Self::read(parameters).map(Some),
            _ => Err(Error::Unsupported),
        }
    }

    /// The contents of `RSASSA-PSS-params`, whose members all have a default.
    fn read(parameters: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(parameters);
        let mut restrictions = Self {
            digest: Algorithm::Sha1,
            mgf1_digest: Algorithm::Sha1,
            salt_min_len_bytes: 20,
        };
        if let Some(mut hash) = member(&mut reader, 0)? {
            restrictions.digest = digest(Identifier::read(&mut hash)?)?;
            hash.finish()?;
        }
        if let Some(mut mask) = member(&mut reader, 1)? {
            let mut mgf = mask.sequence()?;
            mask.finish()?;
            // id-mgf1, RFC 8017, appendix B.2.1.
            if mgf.read(der::OBJECT_IDENTIFIER)? != [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 8] {
                return Err(Error::Unsupported);
            }
            restrictions.mgf1_digest = digest(Identifier::read(&mut mgf)?)?;
            mgf.finish()?;
        }
        if let Some(mut salt) = member(&mut reader, 2)? {
            restrictions.salt_min_len_bytes = match salt.unsigned()? {
                [] => 0,
                [len] => usize::from(*len),
                _ => return Err(Error::Unsupported),
            };
            salt.finish()?;
        }
        if let Some(mut trailer) = member(&mut reader, 3)? {
            if trailer.unsigned()? != [1] {
                return Err(Error::Unsupported);
            }
            trailer.finish()?;
        }
        reader.finish()?;
        Ok(restrictions)
    }

    /// Whether signatures of that scheme are what the key is for. PSS with a salt of any length is
    /// not: what is found may be shorter than prescribed.
    pub(super) fn permit(self, scheme: &Scheme<'_>) -> bool {
        match *scheme {
            Scheme::RsaPss {
                digest,
                mgf1_digest,
                salt_len,
            } => self.allow(digest, mgf1_digest, salt_len),
            _ => true,
        }
    }

    fn allow(self, digest: Algorithm, mgf1_digest: Algorithm, salt_len: SaltLength) -> bool {
        let salt_len_bytes = match salt_len {
            SaltLength::Bytes(len) => Some(len),
            SaltLength::Digest => digest.output_len_bytes(),
            SaltLength::Auto => None,
        };
        digest == self.digest
            && mgf1_digest == self.mgf1_digest
            && salt_len_bytes.is_some_and(|len| len >= self.salt_min_len_bytes)
    }
}

/// The next value, if it is the explicitly tagged member of that number.
fn member<'a>(reader: &mut Reader<'a>, number: u8) -> Result<Option<Reader<'a>>, Error> {
    let tag = der::CONTEXT_0_CONSTRUCTED + number;
    if !reader.is_next(tag) {
        return Ok(None);
    }
    reader.read(tag).map(|contents| Some(Reader::new(contents)))
}

/// The digest of an identifier: RFC 8017, appendix B.1. Its parameters are NULL or absent.
fn digest(algorithm: Identifier<'_>) -> Result<Algorithm, Error> {
    if !matches!(algorithm.parameters, Parameters::Null | Parameters::Absent) {
        return Err(Error::Unsupported);
    }
    Ok(match algorithm.oid {
        [0x2b, 0x0e, 0x03, 0x02, 0x1a] => Algorithm::Sha1,
        // NIST's Computer Security Objects Register: hashAlgs.
        [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, number] => match number {
            1 => Algorithm::Sha256,
            2 => Algorithm::Sha384,
            3 => Algorithm::Sha512,
            4 => Algorithm::Sha224,
            5 => Algorithm::Sha512_224,
            6 => Algorithm::Sha512_256,
            _ => return Err(Error::Unsupported),
        },
        _ => return Err(Error::Unsupported),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA1: [u8; 11] = [0x30, 9, 6, 5, 0x2b, 0x0e, 3, 2, 0x1a, 5, 0];
    const SHA256: [u8; 15] = [0x30, 13, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1, 5, 0];
    const MGF1: [u8; 11] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 8];

    fn tagged(tag: u8, contents: &[&[u8]]) -> Vec<u8> {
        let contents = contents.concat();
        [&[tag, contents.len() as u8][..], &contents].concat()
    }

    fn mgf1(digest: &[u8]) -> Vec<u8> {
        tagged(0xa1, &[&tagged(0x30, &[&MGF1, digest])])
    }

    #[test]
    fn members_have_defaults() {
        let read = PssRestrictions::read;
        let of = |digest, mgf1_digest, salt_min_len_bytes| {
            Ok(PssRestrictions {
                digest,
                mgf1_digest,
                salt_min_len_bytes,
            })
        };
        use Algorithm::{Sha1, Sha256};
        assert_eq!(read(&[]), of(Sha1, Sha1, 20));
        let digest = tagged(0xa0, &[&SHA256]);
        assert_eq!(read(&digest), of(Sha256, Sha1, 20));
        assert_eq!(read(&tagged(0xa0, &[&SHA1])), of(Sha1, Sha1, 20));
        assert_eq!(read(&mgf1(&SHA256)), of(Sha1, Sha256, 20));
        let salt = tagged(0xa2, &[&[2, 1, 32]]);
        assert_eq!(read(&salt), of(Sha1, Sha1, 32));
        assert_eq!(read(&tagged(0xa2, &[&[2, 1, 0]])), of(Sha1, Sha1, 0));
        let trailer = tagged(0xa3, &[&[2, 1, 1]]);
        let all = [&digest[..], &mgf1(&SHA256), &salt, &trailer].concat();
        assert_eq!(read(&all), of(Sha256, Sha256, 32));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let read = |bytes: &[u8]| PssRestrictions::read(bytes).err();
        let sha3 = [0x30, 11, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 8];
        assert_eq!(read(&tagged(0xa0, &[&sha3])), Some(Error::Unsupported));
        let trailer = tagged(0xa3, &[&[2, 1, 2]]);
        assert_eq!(read(&trailer), Some(Error::Unsupported));
        let other_mask = tagged(0xa1, &[&tagged(0x30, &[&SHA1[2..9], &SHA1])]);
        assert_eq!(read(&other_mask), Some(Error::Unsupported));
        let long_salt = tagged(0xa2, &[&[2, 2, 1, 0]]);
        assert_eq!(read(&long_salt), Some(Error::Unsupported));
        let digest = tagged(0xa0, &[&SHA256]);
        let salt = tagged(0xa2, &[&[2, 1, 32]]);
        for wrong in [
            [&salt[..], &digest].concat(),
            [&digest[..], &digest].concat(),
            [&digest[..], &[0]].concat(),
            tagged(0xa0, &[&SHA256, &[5, 0]]),
            tagged(0xa2, &[&[2, 1, 32], &[5, 0]]),
            tagged(0xa2, &[&[2, 1, 0x80]]),
            digest[..digest.len() - 1].to_vec(),
        ] {
            assert_eq!(read(&wrong), Some(Error::Rejected), "{wrong:?}");
        }
    }

    #[test]
    fn only_what_is_prescribed_is_allowed() {
        use Algorithm::{Sha1, Sha256, Sha512};
        let restrictions = PssRestrictions {
            digest: Sha256,
            mgf1_digest: Sha1,
            salt_min_len_bytes: 32,
        };
        let allow =
            |digest, mgf1_digest, salt_len| restrictions.allow(digest, mgf1_digest, salt_len);
        assert!(allow(Sha256, Sha1, SaltLength::Bytes(32)));
        assert!(allow(Sha256, Sha1, SaltLength::Bytes(33)));
        assert!(allow(Sha256, Sha1, SaltLength::Digest));
        assert!(!allow(Sha256, Sha1, SaltLength::Bytes(31)));
        assert!(!allow(Sha256, Sha1, SaltLength::Auto));
        assert!(!allow(Sha512, Sha1, SaltLength::Bytes(32)));
        assert!(!allow(Sha256, Sha256, SaltLength::Bytes(32)));
        let longer = PssRestrictions {
            salt_min_len_bytes: 33,
            ..restrictions
        };
        assert!(!longer.allow(Sha256, Sha1, SaltLength::Digest));
    }
}

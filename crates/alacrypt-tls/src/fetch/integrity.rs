//! Subresource Integrity (<https://www.w3.org/TR/SRI/>) as npm writes it, over a stream.

use aws_lc_rs::digest;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::error::Error;

/// What a file must be: digests of the strongest algorithm in the text, one of which must match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Integrity {
    strength: usize,
    digests: Vec<Vec<u8>>,
}

/// Weakest first, as SRI ranks them. npm's oldest entries have SHA-1 only.
const ALGORITHMS: [(&str, &digest::Algorithm); 4] = [
    ("sha1", &digest::SHA1_FOR_LEGACY_USE_ONLY),
    ("sha256", &digest::SHA256),
    ("sha384", &digest::SHA384),
    ("sha512", &digest::SHA512),
];

impl Integrity {
    /// Reads values such as `sha512-…`, separated by spaces. Weaker ones beside a stronger one, and
    /// unknown ones beside a known, are not looked at.
    ///
    /// ```
    /// use alacrypt_tls::fetch::Integrity;
    /// let empty = "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=";
    /// assert_eq!(Integrity::parse(empty)?.algorithm(), "sha1");
    /// assert!(Integrity::parse("md5-AAAA").is_err());
    /// # Ok::<(), alacrypt_tls::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Misuse`] if there is no value that can be checked.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut found: Option<Self> = None;
        for value in text.split_ascii_whitespace() {
            let Some((name, rest)) = value.split_once('-') else {
                continue;
            };
            let known = ALGORITHMS.iter().position(|(known, _)| *known == name);
            // What stands behind a question mark are options, of which there are none yet.
            let text = rest.split('?').next().unwrap_or_default();
            let (Some(strength), Ok(bytes)) = (known, STANDARD.decode(text)) else {
                continue;
            };
            if bytes.len() != ALGORITHMS[strength].1.output_len() {
                continue;
            }
            match &mut found {
                Some(found) if found.strength > strength => {}
                Some(found) if found.strength == strength => found.digests.push(bytes),
                _ => {
                    found = Some(Self {
                        strength,
                        digests: vec![bytes],
                    });
                }
            }
        }
        found.ok_or_else(|| Error::Misuse(format!("{text:?} has no integrity value to check")))
    }

    /// The algorithm's name: `sha512`, `sha384`, `sha256` or `sha1`.
    pub fn algorithm(&self) -> &'static str {
        ALGORITHMS[self.strength].0
    }

    /// The first digest.
    pub fn digest(&self) -> &[u8] {
        // There is one: nothing else makes such a value.
        self.digests.first().map_or(&[], Vec::as_slice)
    }

    pub(super) fn start(&self) -> digest::Context {
        digest::Context::new(ALGORITHMS[self.strength].1)
    }

    pub(super) fn check(&self, found: &digest::Digest) -> bool {
        self.digests.iter().any(|wanted| wanted == found.as_ref())
    }

    pub(super) fn text_of(&self, digest: &[u8]) -> String {
        format!("{}-{}", self.algorithm(), STANDARD.encode(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA1: &str = "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=";
    const SHA256: &str = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

    #[test]
    fn the_strongest_counts_and_one_of_several_is_enough() {
        let both = Integrity::parse(&format!("{SHA1} {SHA256}?opt md5-x")).unwrap();
        assert_eq!(both.algorithm(), "sha256");
        assert!(both.check(&both.start().finish()));
        assert_eq!(both.text_of(both.digest()), SHA256);
        let mut other = both.start();
        other.update(b"x");
        let other = other.finish();
        assert!(!both.check(&other));
        let two = format!("{SHA256} {}", both.text_of(other.as_ref()));
        assert!(Integrity::parse(&two).unwrap().check(&other));
    }

    #[test]
    fn what_cannot_be_checked_is_refused() {
        for text in ["", "sha512", "sha512-", "sha512-AAAA", "md5-AAAA", "sha1-§"] {
            assert!(Integrity::parse(text).is_err(), "{text}");
        }
    }
}

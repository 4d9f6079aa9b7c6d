//! What makes two configurations the same for security.

use std::fmt;

use aws_lc_rs::digest;

/// The digest of everything that decides whom a configuration trusts and as whom it speaks: roots,
/// verifier, client certificate, ALPN, provider, key shares.
///
/// Clients of the same identity share one configuration, its tickets and its verified chains; others
/// share none of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity(pub(crate) [u8; 32]);

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity(")?;
        for byte in &self.0[..8] {
            write!(f, "{byte:02x}")?;
        }
        f.write_str("…)")
    }
}

/// A digest over parts: each has its length in front, so that no two lists of parts run together.
pub(crate) struct Parts(digest::Context);

impl Parts {
    pub(crate) fn new(domain: &str) -> Self {
        let mut parts = Self(digest::Context::new(&digest::SHA256));
        parts.add(domain.as_bytes());
        parts
    }

    pub(crate) fn add(&mut self, part: &[u8]) -> &mut Self {
        self.0.update(&(part.len() as u64).to_be_bytes());
        self.0.update(part);
        self
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        let mut out = [0; 32];
        // SHA-256 has 32 bytes.
        out.copy_from_slice(self.0.finish().as_ref());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[&[u8]]) -> [u8; 32] {
        let mut digest = Parts::new("test");
        for part in parts {
            digest.add(part);
        }
        digest.finish()
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_eq!(of(&[b"ab", b"c"]), of(&[b"ab", b"c"]));
        assert_ne!(of(&[b"ab", b"c"]), of(&[b"a", b"bc"]));
        assert_ne!(of(&[b"ab"]), of(&[b"ab", b""]));
    }
}

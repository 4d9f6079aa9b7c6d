//! The settings of a client, as script writes them: a list of [`Items`].

use alacrypt_tls::rustls::pki_types::pem::PemObject;
use alacrypt_tls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use alacrypt_tls::{Client, Error, PostQuantum, Roots};
use zeroize::Zeroizing;

use super::items::Items;

/// The certificates to trust, as PEM; there may be several such items.
const ROOTS: u8 = 1;
/// A chain of our own, leaf first, as PEM.
const CHAIN: u8 = 2;
/// Its key, as PKCS #8 in DER.
const KEY: u8 = 3;
/// An application protocol; the most wanted comes first.
const ALPN: u8 = 4;
/// One byte of flags.
const FLAGS: u8 = 5;

/// Accepts what is refused, and tells.
const TELLS: u8 = 1;
const ONLY_TLS12: u8 = 2;
const ONLY_TLS13: u8 = 4;
/// No hybrid key share.
const CLASSICAL: u8 = 8;
/// The server is not told the name.
const NO_SNI: u8 = 16;
/// Names are compared here, and not by script.
const CHECKS_NAMES: u8 = 32;

/// Settings that are read but not looked at: that takes time, and is done on the pool.
#[derive(Default)]
pub(super) struct Settings {
    roots: Vec<u8>,
    chain: Vec<u8>,
    key: Zeroizing<Vec<u8>>,
    alpn: Vec<Vec<u8>>,
    flags: u8,
}

impl Settings {
    /// `None` where the list is cut, or holds what is not known.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut settings = Self::default();
        for item in Items(bytes) {
            let (kind, value) = item?;
            match kind {
                ROOTS => {
                    settings.roots.extend_from_slice(value);
                    settings.roots.push(b'\n');
                }
                CHAIN => settings.chain.extend_from_slice(value),
                KEY => settings.key = Zeroizing::new(value.to_vec()),
                ALPN => settings.alpn.push(value.to_vec()),
                FLAGS => settings.flags = *value.first()?,
                _ => return None,
            }
        }
        Some(settings)
    }

    pub(super) fn checks_names(&self) -> bool {
        self.flags & CHECKS_NAMES != 0
    }

    pub(super) fn into_client(self) -> Result<Client, Error> {
        let has = |flag: u8| self.flags & flag != 0;
        let builder = Client::builder()
            .roots(Roots::from_pem(&self.roots)?)
            .alpn(&self.alpn)
            .only_tls12(has(ONLY_TLS12))
            .only_tls13(has(ONLY_TLS13))
            .server_name_indication(!has(NO_SNI))
            .post_quantum(if has(CLASSICAL) {
                PostQuantum::Off
            } else {
                PostQuantum::Preferred
            });
        let builder = if has(CHECKS_NAMES) {
            builder
        } else if has(TELLS) {
            builder.danger_accept_refused_certificates()
        } else {
            builder.danger_leave_names_to_caller()
        };
        if self.chain.is_empty() {
            return builder.build();
        }
        let misuse = |error: &dyn std::fmt::Display| Error::Misuse(error.to_string());
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&self.chain).collect();
        let key = PrivateKeyDer::try_from(self.key.to_vec()).map_err(|error| misuse(&error))?;
        builder
            .client_certificate(chain.map_err(|error| misuse(&error))?, key)
            .build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(kind: u8, value: &[u8]) -> Vec<u8> {
        let len = u32::try_from(value.len()).unwrap().to_ne_bytes();
        [&[kind], &len[..], value].concat()
    }

    #[test]
    fn items_are_read_in_order() {
        let bytes = [
            item(ROOTS, b"a"),
            item(ROOTS, b"b"),
            item(ALPN, b"h2"),
            item(ALPN, b"http/1.1"),
            item(FLAGS, &[TELLS]),
        ]
        .concat();
        let settings = Settings::parse(&bytes).unwrap();
        assert_eq!(settings.roots, b"a\nb\n");
        assert_eq!(settings.alpn, [&b"h2"[..], b"http/1.1"]);
        assert_eq!(settings.flags, TELLS);
    }

    #[test]
    fn what_is_cut_or_unknown_is_refused() {
        let bytes = item(ALPN, b"h2");
        for len in 1..bytes.len() {
            assert!(Settings::parse(&bytes[..len]).is_none(), "{len}");
        }
        assert!(Settings::parse(&item(99, b"")).is_none());
        assert!(Settings::parse(&item(FLAGS, b"")).is_none());
        assert!(Settings::parse(&[]).is_some());
    }

    #[test]
    fn no_roots_are_misuse() {
        let settings = Settings::parse(&[]).unwrap();
        assert!(matches!(settings.into_client(), Err(Error::Misuse(_))));
    }
}

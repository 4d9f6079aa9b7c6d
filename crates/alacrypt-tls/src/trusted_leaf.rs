//! A server's certificate that is itself trusted: what `openssl req -x509` makes, given to a client as
//! its root.
//!
//! webpki refuses an authority's certificate as a server's; OpenSSL takes one that is self-issued and
//! among the roots. Its signature is its own and says nothing; what is checked is what OpenSSL checks
//! of a server's certificate (`X509_verify_cert` with the purpose `sslserver`).

use rustls::pki_types::{CertificateDer, UnixTime};
use x509_cert::Certificate;
use x509_cert::der::oid::{AssociatedOid, ObjectIdentifier};
use x509_cert::der::{Decode, asn1::BitString};
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectAltName};

/// `id-kp-serverAuth` and `anyExtendedKeyUsage` (RFC 5280, section 4.2.1.12).
const SERVER_AUTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");
const ANY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37.0");

/// Whether a certificate that is among the roots may be a server's, at this time.
pub(crate) fn may_serve(der: &CertificateDer<'_>, now: UnixTime) -> bool {
    Certificate::from_der(der).is_ok_and(|certificate| is_fit(&certificate, now).is_some())
}

fn is_fit(certificate: &Certificate, now: UnixTime) -> Option<()> {
    let tbs = certificate.tbs_certificate();
    let validity = tbs.validity();
    let is_valid = validity.not_before.to_unix_duration().as_secs() <= now.as_secs()
        && now.as_secs() <= validity.not_after.to_unix_duration().as_secs();
    if !is_valid || tbs.issuer() != tbs.subject() {
        return None;
    }
    for extension in tbs.extensions().into_iter().flatten() {
        let value = extension.extn_value.as_bytes();
        let fits = match extension.extn_id {
            KeyUsage::OID => {
                // digitalSignature, keyEncipherment and keyAgreement are bits 0, 2 and 4.
                let bits = BitString::from_der(value).ok()?;
                [0, 2, 4]
                    .into_iter()
                    .any(|bit| bits.bits().nth(bit) == Some(true))
            }
            ExtendedKeyUsage::OID => {
                let usages = ExtendedKeyUsage::from_der(value).ok()?;
                usages
                    .0
                    .iter()
                    .any(|usage| [SERVER_AUTH, ANY_USAGE].contains(usage))
            }
            BasicConstraints::OID | SubjectAltName::OID => true,
            _ => !extension.critical,
        };
        if !fits {
            return None;
        }
    }
    Some(())
}

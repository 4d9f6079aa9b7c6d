//! The verifier that rustls is given: webpki or the caller's own, behind the cache of chains.

use std::fmt;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};

use crate::chains::{Key, VerifiedChains, earliest_not_after};
use crate::error::RefusedChain;
use crate::identity::{Identity, Parts};
use crate::roots::Roots;
use crate::trusted_leaf::may_serve;

/// Who says whether a chain is good.
pub(crate) enum Judge {
    /// webpki over roots, or a verifier of the caller's.
    Verifier(Arc<dyn ServerCertVerifier>),
    /// Nobody is trusted: there are no roots.
    Nobody,
    /// Everybody is: the caller wants no verification. Handshake signatures are checked all the same.
    Everybody,
}

pub(crate) struct Verifier {
    pub(crate) judge: Judge,
    pub(crate) identity: Identity,
    pub(crate) algorithms: WebPkiSupportedAlgorithms,
    /// None where results must not be kept.
    pub(crate) chains: Option<Arc<VerifiedChains>>,
    /// Accepts what is refused, and tells.
    pub(crate) tells: bool,
}

/// webpki over roots, without a look at the names.
#[derive(Debug)]
pub(crate) struct ChainOnly {
    pub(crate) roots: Arc<Roots>,
    pub(crate) algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for ChainOnly {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let by_roots = ParsedCertificate::try_from(end_entity).and_then(|parsed| {
            let (roots, all) = (self.roots.store(), self.algorithms.all);
            verify_server_cert_signed_by_trust_anchor(&parsed, roots, intermediates, now, all)
        });
        match by_roots {
            Err(_) if self.roots.contains(end_entity) && may_serve(end_entity, now) => {}
            by_roots => by_roots?,
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

impl Verifier {
    /// The chain's place in the cache: who verifies, for whom, and every byte that was sent.
    fn key(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
    ) -> Key {
        let mut parts = Parts::new("alacrypt-tls verified chain 1");
        parts.add(&self.identity.0);
        match server_name {
            ServerName::DnsName(name) => parts.add(b"dns").add(name.as_ref().as_bytes()),
            other => parts.add(b"other").add(format!("{other:?}").as_bytes()),
        };
        parts.add(ocsp_response).add(end_entity);
        for certificate in intermediates {
            parts.add(certificate);
        }
        parts.finish()
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verify = || match &self.judge {
            Judge::Everybody => Ok(()),
            Judge::Nobody => Err(CertificateError::UnknownIssuer.into()),
            Judge::Verifier(verifier) => verifier
                .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
                .map(|_| ()),
        };
        let verified = match &self.chains {
            None => verify(),
            Some(chains) => chains.verify(
                self.key(end_entity, intermediates, server_name, ocsp_response),
                now,
                verify,
                || earliest_not_after(std::iter::once(end_entity).chain(intermediates)),
            ),
        };
        match verified {
            Ok(()) => Ok(ServerCertVerified::assertion()),
            Err(error) => {
                let chain: Vec<_> = std::iter::once(end_entity).chain(intermediates).collect();
                RefusedChain::note(&error, &chain);
                match error {
                    Error::InvalidCertificate(_) if self.tells => {
                        Ok(ServerCertVerified::assertion())
                    }
                    error => Err(error),
                }
            }
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match &self.judge {
            Judge::Verifier(verifier) => verifier.verify_tls12_signature(message, cert, dss),
            _ => verify_tls12_signature(message, cert, dss, &self.algorithms),
        }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match &self.judge {
            Judge::Verifier(verifier) => verifier.verify_tls13_signature(message, cert, dss),
            _ => verify_tls13_signature(message, cert, dss, &self.algorithms),
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        match &self.judge {
            Judge::Verifier(verifier) => verifier.supported_verify_schemes(),
            _ => self.algorithms.supported_schemes(),
        }
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verifier({:?})", self.identity)
    }
}

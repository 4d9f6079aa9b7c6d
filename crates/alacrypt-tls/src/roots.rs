//! Whom to trust: the roots, and a report of what was refused.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::error::Error;
use crate::identity::Parts;

/// Trusted roots. Shared by [`Arc`]: the system's store is read once per process.
#[derive(Debug)]
pub struct Roots {
    store: Arc<RootCertStore>,
    digest: [u8; 32],
    report: RootReport,
    /// Digests of the certificates; of the bundled roots only the names and keys are known.
    certificates: HashSet<[u8; 32]>,
}

/// What was found and what was refused when roots were loaded.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RootReport {
    /// Roots that are trusted.
    pub trusted: usize,
    /// Certificates and files that could not be used. They are left out, and the rest is used.
    pub refused: Vec<RefusedRoot>,
}

/// A root or a file of roots that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedRoot {
    /// Which: the path of a file, or the start of the certificate's SHA-256.
    pub what: String,
    /// Why.
    pub reason: String,
}

impl RootReport {
    /// The sentence that must reach a person, if nobody is trusted.
    pub fn warning(&self) -> Option<String> {
        if self.trusted > 0 {
            return None;
        }
        let mut text = "no root certificate was found, so no server will be trusted: install the \
                        system's certificates (ca-certificates), or set SSL_CERT_FILE or \
                        SSL_CERT_DIR"
            .to_owned();
        for refused in self.refused.iter().take(3) {
            text += &format!("; {}: {}", refused.what, refused.reason);
        }
        Some(text)
    }
}

impl Roots {
    /// The machine's own: `SSL_CERT_FILE` and `SSL_CERT_DIR` where set, else the operating system's
    /// store. Read at the first call, once per process; see [`crate::warm_up`].
    pub fn system() -> Arc<Self> {
        static SYSTEM: OnceLock<Arc<Roots>> = OnceLock::new();
        Arc::clone(SYSTEM.get_or_init(|| {
            let native = rustls_native_certs::load_native_certs();
            Arc::new(Self::of_native(native))
        }))
    }

    /// Those of a file of PEM, of a folder of such files, or of both.
    pub fn from_paths(file: Option<&Path>, dir: Option<&Path>) -> Arc<Self> {
        Arc::new(Self::of_native(rustls_native_certs::load_certs_from_paths(
            file, dir,
        )))
    }

    /// These certificates.
    pub fn from_der<'a>(certificates: impl IntoIterator<Item = CertificateDer<'a>>) -> Arc<Self> {
        Arc::new(Self::collect(certificates, Vec::new()))
    }

    /// Those of a text of PEM, as in the option `ca` of Node's `tls.connect`.
    ///
    /// # Errors
    /// [`Error::Misuse`] if there is none in it.
    pub fn from_pem(pem: &[u8]) -> Result<Arc<Self>, Error> {
        let (mut certificates, mut refused) = (Vec::new(), Vec::new());
        for (number, item) in CertificateDer::pem_slice_iter(pem).enumerate() {
            match item {
                Ok(certificate) => certificates.push(certificate),
                Err(error) => refused.push(RefusedRoot {
                    what: format!("certificate {number} of the PEM"),
                    reason: error.to_string(),
                }),
            }
        }
        if certificates.is_empty() {
            return Err(Error::Misuse("the PEM holds no certificate".into()));
        }
        Ok(Arc::new(Self::collect(certificates, refused)))
    }

    /// Mozilla's roots as they were when this crate was built.
    #[cfg(feature = "bundled-roots")]
    pub fn bundled() -> Arc<Self> {
        let mut digest = Parts::new("alacrypt-tls bundled roots 1");
        for anchor in webpki_roots::TLS_SERVER_ROOTS {
            digest
                .add(&anchor.subject)
                .add(&anchor.subject_public_key_info);
        }
        let roots = webpki_roots::TLS_SERVER_ROOTS.to_vec();
        Arc::new(Self {
            report: RootReport {
                trusted: roots.len(),
                refused: Vec::new(),
            },
            store: Arc::new(RootCertStore { roots }),
            digest: digest.finish(),
            certificates: HashSet::new(),
        })
    }

    /// These and others, as `NODE_EXTRA_CA_CERTS` asks for.
    pub fn and(&self, other: &Self) -> Arc<Self> {
        let mut roots = self.store.roots.clone();
        roots.extend(other.store.roots.iter().cloned());
        let mut digest = Parts::new("alacrypt-tls joined roots 1");
        digest.add(&self.digest).add(&other.digest);
        let refused = [&self.report.refused[..], &other.report.refused[..]].concat();
        Arc::new(Self {
            report: RootReport {
                trusted: roots.len(),
                refused,
            },
            store: Arc::new(RootCertStore { roots }),
            digest: digest.finish(),
            certificates: &self.certificates | &other.certificates,
        })
    }

    /// What was found and what was refused.
    pub fn report(&self) -> &RootReport {
        &self.report
    }

    pub(crate) fn store(&self) -> &Arc<RootCertStore> {
        &self.store
    }

    /// Whether this very certificate is among them.
    pub(crate) fn contains(&self, certificate: &CertificateDer<'_>) -> bool {
        self.certificates.contains(&sha256(certificate))
    }

    pub(crate) fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    fn of_native(native: rustls_native_certs::CertificateResult) -> Self {
        let refused = native.errors.iter().map(|error| RefusedRoot {
            what: path_of(error).map_or_else(
                || "the system's store".to_owned(),
                |path| path.display().to_string(),
            ),
            reason: error.to_string(),
        });
        let refused = refused.collect();
        Self::collect(native.certs, refused)
    }

    fn collect<'a>(
        certificates: impl IntoIterator<Item = CertificateDer<'a>>,
        mut refused: Vec<RefusedRoot>,
    ) -> Self {
        let mut store = RootCertStore::empty();
        let mut digest = Parts::new("alacrypt-tls roots 1");
        let mut digests = HashSet::new();
        for certificate in certificates {
            let certificate = certificate.into_owned();
            match store.add(certificate.clone()) {
                Ok(()) => {
                    digest.add(&certificate);
                    digests.insert(sha256(&certificate));
                }
                Err(error) => refused.push(RefusedRoot {
                    what: fingerprint(&certificate),
                    reason: error.to_string(),
                }),
            }
        }
        Self {
            report: RootReport {
                trusted: store.len(),
                refused,
            },
            store: Arc::new(store),
            digest: digest.finish(),
            certificates: digests,
        }
    }
}

fn path_of(error: &rustls_native_certs::Error) -> Option<&PathBuf> {
    match &error.kind {
        rustls_native_certs::ErrorKind::Io { path, .. } => Some(path),
        _ => None,
    }
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    // SHA-256 has 32 bytes.
    out.copy_from_slice(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, bytes).as_ref());
    out
}

/// The start of a certificate's SHA-256, as other tools print it.
fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    let hex: Vec<String> = sha256(certificate)[..8]
        .iter()
        .map(|byte| format!("{byte:02X}"))
        .collect();
    format!("certificate with SHA-256 {}…", hex.join(":"))
}

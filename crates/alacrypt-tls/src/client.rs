//! Settings, and one rustls configuration for each security identity.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

use rustls::ClientConfig;
use rustls::client::danger::ServerCertVerifier;
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};

use crate::chains::VerifiedChains;
use crate::error::Error;
use crate::hybrid::{ClassicalHosts, PostQuantum};
use crate::identity::{Identity, Parts};
use crate::key_log::ThreadKeyLog;
use crate::provider::Provider;
use crate::roots::Roots;
use crate::sessions::Sessions;
use crate::verifier::{ChainOnly, Judge, Verifier};

/// A client: cheap to clone, and the same thing underneath for all of the same [`Identity`].
#[derive(Clone, Debug)]
pub struct Client {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    identity: Identity,
    config: Arc<ClientConfig>,
    /// The same without the hybrid key share; the same `Arc` where there is nothing to leave out.
    classical: Arc<ClientConfig>,
    classical_hosts: ClassicalHosts,
    provider: Provider,
    roots: Arc<Roots>,
    chains: Arc<VerifiedChains>,
    sessions: Arc<Sessions>,
    verifies: bool,
}

/// Settings of a [`Client`].
#[derive(Debug)]
pub struct ClientBuilder {
    provider: Provider,
    post_quantum: PostQuantum,
    roots: Option<Arc<Roots>>,
    #[cfg(feature = "bundled-roots")]
    bundled_if_empty: bool,
    alpn: Vec<Vec<u8>>,
    client_certificate: Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>,
    revocation_lists: Vec<CertificateRevocationListDer<'static>>,
    verification: Verification,
    keeps_chains: bool,
    only_tls13: bool,
    only_tls12: bool,
    tells_name: bool,
}

#[derive(Debug)]
enum Verification {
    WebPki,
    /// webpki without a look at the names; `tells` accepts what is refused, and says that it was.
    Chain {
        tells: bool,
    },
    Custom(Arc<dyn ServerCertVerifier>),
    Off,
}

impl Client {
    /// The machine's roots, AWS-LC, everything by default.
    ///
    /// # Errors
    /// As [`ClientBuilder::build`].
    pub fn new() -> Result<Self, Error> {
        Self::builder().build()
    }

    /// Settings to change.
    pub fn builder() -> ClientBuilder {
        ClientBuilder {
            provider: Provider::default(),
            post_quantum: PostQuantum::default(),
            roots: None,
            #[cfg(feature = "bundled-roots")]
            bundled_if_empty: false,
            alpn: Vec::new(),
            client_certificate: None,
            revocation_lists: Vec::new(),
            verification: Verification::WebPki,
            keeps_chains: true,
            only_tls13: false,
            only_tls12: false,
            tells_name: true,
        }
    }

    /// The configuration, for whatever takes one: `tokio_rustls::TlsConnector::from`, hyper-rustls's
    /// `with_tls_config`, reqwest's `tls_backend_preconfigured` (which wants it by value: clone it;
    /// what is inside stays shared).
    pub fn config(&self) -> Arc<ClientConfig> {
        Arc::clone(&self.shared.config)
    }

    /// The configuration for a host: without the hybrid key share if the host is remembered as one
    /// that cannot take it.
    pub fn config_for(&self, host: &str) -> Arc<ClientConfig> {
        if self.shared.classical_hosts.contains(host, Instant::now()) {
            Arc::clone(&self.shared.classical)
        } else {
            self.config()
        }
    }

    /// After a connection to `host` failed with `error`: the configuration to try once more with, if
    /// the size of the ClientHello may be the reason. Tell [`Client::answered_without_hybrid`] when
    /// that one succeeds.
    pub fn config_after(&self, host: &str, error: &Error) -> Option<Arc<ClientConfig>> {
        let smaller = !Arc::ptr_eq(&self.shared.config, &self.shared.classical);
        let tried_already = self.shared.classical_hosts.contains(host, Instant::now());
        (smaller && !tried_already && error.may_be_hello_size())
            .then(|| Arc::clone(&self.shared.classical))
    }

    /// Remembers for an hour that this host answers without the hybrid key share only.
    pub fn answered_without_hybrid(&self, host: &str) {
        self.shared.classical_hosts.remember(host, Instant::now());
    }

    /// What makes this client different from others for security.
    pub fn identity(&self) -> Identity {
        self.shared.identity
    }

    /// Who does the arithmetic.
    pub fn provider(&self) -> Provider {
        self.shared.provider
    }

    /// Whom it trusts.
    pub fn roots(&self) -> &Arc<Roots> {
        &self.shared.roots
    }

    /// The sentence that must reach a person, if it trusts nobody although it verifies.
    pub fn warning(&self) -> Option<String> {
        self.shared
            .verifies
            .then(|| self.shared.roots.report().warning())
            .flatten()
    }

    /// The cache of verified chains.
    pub fn chains(&self) -> &VerifiedChains {
        &self.shared.chains
    }

    /// The tickets.
    pub fn sessions(&self) -> &Sessions {
        &self.shared.sessions
    }
}

impl ClientBuilder {
    /// Who does the arithmetic; AWS-LC by default.
    pub fn provider(mut self, provider: Provider) -> Self {
        self.provider = provider;
        self
    }

    /// Whether the key exchange also resists a quantum computer.
    pub fn post_quantum(mut self, post_quantum: PostQuantum) -> Self {
        self.post_quantum = post_quantum;
        self
    }

    /// Whom to trust; [`Roots::system`] by default.
    pub fn roots(mut self, roots: Arc<Roots>) -> Self {
        self.roots = Some(roots);
        self
    }

    /// Trusts Mozilla's roots, as built in, where the given ones are none at all.
    #[cfg(feature = "bundled-roots")]
    pub fn bundled_roots_if_empty(mut self, yes: bool) -> Self {
        self.bundled_if_empty = yes;
        self
    }

    /// Application protocols, most wanted first; none by default.
    pub fn alpn<P: AsRef<[u8]>>(mut self, protocols: impl IntoIterator<Item = P>) -> Self {
        self.alpn = protocols.into_iter().map(|p| p.as_ref().to_vec()).collect();
        self
    }

    /// The certificate to answer a server with that asks for one: chain, leaf first, and its key.
    pub fn client_certificate(
        mut self,
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
    ) -> Self {
        self.client_certificate = Some((chain, key));
        self
    }

    /// Refuses the certificates that are on these lists. Of others no list is asked for.
    pub fn revocation_lists(mut self, lists: Vec<CertificateRevocationListDer<'static>>) -> Self {
        self.revocation_lists = lists;
        self
    }

    /// Another verifier, such as the operating system's. Each call makes an identity of its own, and
    /// what the verifier accepts is kept in the cache of chains unless that is off.
    pub fn verifier(mut self, verifier: Arc<dyn ServerCertVerifier>) -> Self {
        self.verification = Verification::Custom(verifier);
        self
    }

    /// Accepts every certificate, as `rejectUnauthorized: false` does: whoever is between can read
    /// and change everything. Nothing enters the cache of chains.
    pub fn danger_accept_any_certificate(mut self) -> Self {
        self.verification = Verification::Off;
        self
    }

    /// Leaves it to the caller to compare the names in the server's certificate
    /// ([`Connection::peer_certificates`](crate::Connection::peer_certificates)) with the host's: for
    /// those who have rules of their own, such as Node's `checkServerIdentity`. A connection whose
    /// names were not compared must not be used.
    ///
    /// As OpenSSL does, this also accepts a self-issued certificate that is itself among the roots and
    /// fit for a server, though an authority's.
    pub fn danger_leave_names_to_caller(mut self) -> Self {
        self.verification = Verification::Chain { tells: false };
        self
    }

    /// As [`ClientBuilder::danger_leave_names_to_caller`], and accepts what is refused:
    /// [`Connection::refused_as`](crate::Connection::refused_as) then says why it was. Nothing enters
    /// the cache of chains, and no session is resumed.
    pub fn danger_accept_refused_certificates(mut self) -> Self {
        self.verification = Verification::Chain { tells: true };
        self
    }

    /// Whether chains are kept once they are verified; they are by default.
    pub fn keep_verified_chains(mut self, yes: bool) -> Self {
        self.keeps_chains = yes;
        self
    }

    /// Whether TLS 1.2 is refused; it is not by default.
    pub fn only_tls13(mut self, yes: bool) -> Self {
        self.only_tls13 = yes;
        self
    }

    /// Whether TLS 1.3 is not offered; it is by default.
    pub fn only_tls12(mut self, yes: bool) -> Self {
        self.only_tls12 = yes;
        self
    }

    /// Whether the server is told the name that is asked for (SNI); it is by default.
    pub fn server_name_indication(mut self, yes: bool) -> Self {
        self.tells_name = yes;
        self
    }

    /// The client. One that was built with the same settings, and is still in use, is shared.
    ///
    /// # Errors
    /// [`Error::Misuse`] if a certificate and its key do not belong together, a list of revoked
    /// certificates cannot be read, or the provider lacks what is required.
    pub fn build(mut self) -> Result<Client, Error> {
        let roots = self.roots.take().unwrap_or_else(Roots::system);
        #[cfg(feature = "bundled-roots")]
        let roots = if self.bundled_if_empty && roots.report().trusted == 0 {
            Roots::bundled()
        } else {
            roots
        };
        if self.post_quantum == PostQuantum::Required && !self.provider.has_hybrid() {
            return Err(Error::Misuse(format!(
                "the provider {} has no post-quantum key share",
                self.provider.name()
            )));
        }
        let identity = self.identity(&roots);
        static CLIENTS: Mutex<Option<HashMap<Identity, Weak<Shared>>>> = Mutex::new(None);
        let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
        let clients = clients.get_or_insert_default();
        if let Some(shared) = clients.get(&identity).and_then(Weak::upgrade) {
            return Ok(Client { shared });
        }
        clients.retain(|_, shared| shared.strong_count() > 0);
        let shared = Arc::new(self.into_shared(identity, roots)?);
        clients.insert(identity, Arc::downgrade(&shared));
        Ok(Client { shared })
    }

    fn identity(&self, roots: &Roots) -> Identity {
        let mut parts = Parts::new("alacrypt-tls identity 1");
        parts.add(roots.digest());
        parts.add(self.provider.name().as_bytes());
        parts.add(format!("{:?}", self.post_quantum).as_bytes());
        parts.add(&[
            u8::from(self.keeps_chains),
            u8::from(self.only_tls13),
            u8::from(self.only_tls12),
            u8::from(self.tells_name),
        ]);
        parts.add(&self.alpn.len().to_be_bytes());
        for protocol in &self.alpn {
            parts.add(protocol);
        }
        parts.add(&self.revocation_lists.len().to_be_bytes());
        for list in &self.revocation_lists {
            parts.add(list);
        }
        // A chain has one key, which rustls compares; so the key itself need not be hashed.
        for certificate in self.client_certificate.iter().flat_map(|(chain, _)| chain) {
            parts.add(certificate);
        }
        match &self.verification {
            Verification::WebPki => parts.add(b"webpki"),
            Verification::Off => parts.add(b"off"),
            Verification::Chain { tells: false } => parts.add(b"chain"),
            Verification::Chain { tells: true } => parts.add(b"chain, told"),
            Verification::Custom(_) => {
                // An address could be used again by another verifier.
                static VERIFIERS: AtomicU64 = AtomicU64::new(0);
                let number = VERIFIERS.fetch_add(1, Ordering::Relaxed);
                parts.add(b"custom").add(&number.to_be_bytes())
            }
        };
        Identity(parts.finish())
    }

    fn into_shared(self, identity: Identity, roots: Arc<Roots>) -> Result<Shared, Error> {
        if self.only_tls12 && (self.only_tls13 || self.post_quantum == PostQuantum::Required) {
            return Err(Error::Misuse("no version of TLS is left".into()));
        }
        let tells = matches!(self.verification, Verification::Chain { tells: true });
        let hybrid = self.post_quantum != PostQuantum::Off;
        let only_hybrid = self.post_quantum == PostQuantum::Required;
        let provider = self.provider.rustls(hybrid, only_hybrid);
        let misuse = |error: &dyn std::fmt::Display| Error::Misuse(error.to_string());
        let judge = match self.verification {
            Verification::Off => Judge::Everybody,
            Verification::Custom(verifier) => Judge::Verifier(verifier),
            Verification::WebPki | Verification::Chain { .. } if roots.report().trusted == 0 => {
                Judge::Nobody
            }
            Verification::Chain { .. } if !self.revocation_lists.is_empty() => {
                return Err(Error::Misuse(
                    "lists of revoked certificates need names".into(),
                ));
            }
            Verification::Chain { .. } => Judge::Verifier(Arc::new(ChainOnly {
                roots: Arc::clone(&roots),
                algorithms: provider.signature_verification_algorithms,
            })),
            Verification::WebPki => {
                let builder = WebPkiServerVerifier::builder_with_provider(
                    Arc::clone(roots.store()),
                    Arc::clone(&provider),
                );
                let built = builder
                    .with_crls(self.revocation_lists)
                    .allow_unknown_revocation_status()
                    .build()
                    .map_err(|error| misuse(&error))?;
                Judge::Verifier(built)
            }
        };
        let verifies = !matches!(judge, Judge::Everybody);
        let chains = Arc::new(VerifiedChains::default());
        let verifier: Arc<dyn ServerCertVerifier> = Arc::new(Verifier {
            judge,
            identity,
            algorithms: provider.signature_verification_algorithms,
            chains: (self.keeps_chains && verifies && !tells).then(|| Arc::clone(&chains)),
            tells,
        });
        let versions: &[&rustls::SupportedProtocolVersion] = if self.only_tls13 || only_hybrid {
            &[&rustls::version::TLS13]
        } else if self.only_tls12 {
            &[&rustls::version::TLS12]
        } else {
            &[&rustls::version::TLS13, &rustls::version::TLS12]
        };
        let with = |provider| {
            ClientConfig::builder_with_provider(provider)
                .with_protocol_versions(versions)
                .map(|builder| {
                    builder
                        .dangerous()
                        .with_custom_certificate_verifier(Arc::clone(&verifier))
                })
                .map_err(|error| misuse(&error))
        };
        let mut config = match self.client_certificate {
            None => with(provider)?.with_no_client_auth(),
            Some((chain, key)) => with(provider)?
                .with_client_auth_cert(chain, key)
                .map_err(|error| misuse(&error))?,
        };
        let sessions = Arc::new(Sessions::default());
        config.alpn_protocols = self.alpn;
        // The verifier sees no resumed session, so it could not tell.
        config.resumption = if tells {
            Resumption::disabled()
        } else {
            Resumption::store(Arc::clone(&sessions) as _)
        };
        config.key_log = Arc::new(ThreadKeyLog);
        config.enable_sni = self.tells_name;
        let fallback = self.post_quantum == PostQuantum::Preferred && self.provider.has_hybrid();
        let classical = if fallback {
            let mut classical = with(self.provider.rustls(false, false))?.with_no_client_auth();
            classical.alpn_protocols = config.alpn_protocols.clone();
            // rustls resumes a session only under the verifier and the resolver that it was made
            // with: both are the same objects here.
            classical.client_auth_cert_resolver = Arc::clone(&config.client_auth_cert_resolver);
            classical.resumption = config.resumption.clone();
            classical.key_log = Arc::clone(&config.key_log);
            classical.enable_sni = config.enable_sni;
            Some(Arc::new(classical))
        } else {
            None
        };
        let config = Arc::new(config);
        Ok(Shared {
            identity,
            classical: classical.unwrap_or_else(|| Arc::clone(&config)),
            config,
            classical_hosts: ClassicalHosts::default(),
            provider: self.provider,
            roots,
            chains,
            sessions,
            verifies,
        })
    }
}

/// Starts what the first handshake of a process would wait for, on a thread of its own: the system's
/// roots, and the seed of AWS-LC's generator. Meanwhile names can be resolved and sockets connected.
pub fn warm_up() {
    let work = || {
        let mut byte = [0];
        // What fails here fails again where it is needed, and is reported there.
        let _ = aws_lc_rs::rand::fill(&mut byte);
        Roots::system();
    };
    let _ = std::thread::Builder::new()
        .name("alacrypt-tls warm-up".into())
        .spawn(work);
}

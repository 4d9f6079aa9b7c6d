//! A blocking rustls server, a thread for each connection, that counts what it sees.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use alacrypt_tls::rustls::crypto::aws_lc_rs;
use alacrypt_tls::rustls::server::WebPkiClientVerifier;
use alacrypt_tls::rustls::{self, HandshakeKind, ServerConfig, ServerConnection};

use super::chain::Chain;

/// What the server saw.
#[derive(Debug, Default)]
pub struct Seen {
    pub full: AtomicUsize,
    pub resumed: AtomicUsize,
}

pub struct Server {
    pub address: SocketAddr,
    pub seen: Arc<Seen>,
    stop: Arc<AtomicBool>,
}

/// How the server behaves.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub tickets: usize,
    pub tls12: bool,
    pub hybrid: bool,
    pub wants_certificate: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tickets: 2,
            tls12: false,
            hybrid: true,
            wants_certificate: false,
        }
    }
}

pub fn config(chain: &Chain, options: Options) -> ServerConfig {
    let mut provider = aws_lc_rs::default_provider();
    if !options.hybrid {
        provider
            .kx_groups
            .retain(|group| group.name() != rustls::NamedGroup::X25519MLKEM768);
    }
    let provider = Arc::new(provider);
    let versions: &[&rustls::SupportedProtocolVersion] = if options.tls12 {
        &[&rustls::version::TLS12]
    } else {
        &[&rustls::version::TLS13]
    };
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(versions)
        .unwrap();
    let builder = if options.wants_certificate {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(chain.root.clone()).unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider)
            .build()
            .unwrap();
        builder.with_client_cert_verifier(verifier)
    } else {
        builder.with_no_client_auth()
    };
    let mut config = builder
        .with_single_cert(chain.certificates.clone(), chain.key.clone_key())
        .unwrap();
    config.send_tls13_tickets = options.tickets;
    if options.tickets > 0 {
        config.ticketer = aws_lc_rs::Ticketer::new().unwrap();
    }
    config
}

impl Server {
    pub fn start(chain: &Chain, options: Options) -> Self {
        let config = Arc::new(config(chain, options));
        let seen = Arc::new(Seen::default());
        let counts = Arc::clone(&seen);
        let serve = move |tcp: TcpStream| answer(tcp, &config, &counts);
        let (address, stop) = listen(serve);
        Self {
            address,
            seen,
            stop,
        }
    }

    /// A server that does with each connection what it is told, and speaks no TLS by itself.
    pub fn raw(serve: impl Fn(TcpStream) + Clone + Send + 'static) -> Self {
        let (address, stop) = listen(serve);
        Self {
            address,
            seen: Arc::default(),
            stop,
        }
    }

    pub fn full(&self) -> usize {
        self.seen.full.load(Ordering::SeqCst)
    }

    pub fn resumed(&self) -> usize {
        self.seen.resumed.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}

fn listen(serve: impl Fn(TcpStream) + Clone + Send + 'static) -> (SocketAddr, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    std::thread::spawn(move || {
        for tcp in listener.incoming() {
            if stopped.load(Ordering::SeqCst) {
                return;
            }
            let serve = serve.clone();
            if let Ok(tcp) = tcp {
                std::thread::spawn(move || serve(tcp));
            }
        }
    });
    (address, stop)
}

pub fn answer(mut tcp: TcpStream, config: &Arc<ServerConfig>, seen: &Seen) {
    let _ = tcp.set_read_timeout(Some(Duration::from_secs(20)));
    let Ok(mut tls) = ServerConnection::new(Arc::clone(config)) else {
        return;
    };
    let mut stream = rustls::Stream::new(&mut tls, &mut tcp);
    let mut request = Vec::new();
    let mut buffer = [0; 1_024];
    while !request.ends_with(b"\r\n\r\n") {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(read) => request.extend_from_slice(&buffer[..read]),
        }
    }
    let count = match stream.conn.handshake_kind() {
        Some(HandshakeKind::Resumed) => &seen.resumed,
        _ => &seen.full,
    };
    count.fetch_add(1, Ordering::SeqCst);
    let body = [b'x'; 2_048];
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 2048\r\nconnection: close\r\n\r\n";
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(&body);
    stream.conn.send_close_notify();
    let _ = stream.flush();
    // Until the client has closed: a reset would throw away what it did not read yet.
    let _ = tcp.shutdown(std::net::Shutdown::Write);
    while matches!(tcp.read(&mut buffer), Ok(read) if read > 0) {}
}

/// A server that sends a chain for whose key it has another.
pub fn liar(chain: &Chain, key: rustls::pki_types::PrivateKeyDer<'static>) -> Server {
    #[derive(Debug)]
    struct Lie(Arc<rustls::sign::CertifiedKey>);
    impl rustls::server::ResolvesServerCert for Lie {
        fn resolve(
            &self,
            _: rustls::server::ClientHello<'_>,
        ) -> Option<Arc<rustls::sign::CertifiedKey>> {
            Some(Arc::clone(&self.0))
        }
    }
    let signer = aws_lc_rs::sign::any_supported_type(&key).unwrap();
    let certified = rustls::sign::CertifiedKey::new(chain.certificates.clone(), signer);
    let mut config = config(chain, Options::default());
    config.cert_resolver = Arc::new(Lie(Arc::new(certified)));
    let config = Arc::new(config);
    Server::raw(move |tcp| answer(tcp, &config, &Seen::default()))
}

impl Server {
    /// A server that takes one group only, so that a client which sent another share is asked again.
    pub fn start_with_group(chain: &Chain, group: rustls::NamedGroup) -> Self {
        let mut provider = aws_lc_rs::default_provider();
        provider.kx_groups.retain(|known| known.name() == group);
        let config = ServerConfig::builder_with_provider(Arc::new(provider))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain.certificates.clone(), chain.key.clone_key())
            .unwrap();
        let config = Arc::new(config);
        Self::raw(move |tcp| answer(tcp, &config, &Seen::default()))
    }
}

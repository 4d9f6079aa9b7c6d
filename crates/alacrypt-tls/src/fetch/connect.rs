//! From an origin to a connection that speaks HTTP: TCP, a proxy where there is one, TLS.

use std::future::Future;
use std::io::Error as IoError;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Method, Uri};
use hyper_util::client::proxy::matcher::Intercept;
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, HandshakeKind};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::url::Origin;
use super::{Handshake, Shared, http_fault, resolve};
use crate::clock::{Clock, thread_cpu};
use crate::connection::server_name;
use crate::error::{ContentFault, Error, NetworkFault, Phase, RefusedChain};
use crate::timings::Observer;

pub(super) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// A connection over which HTTP can be spoken.
pub(super) struct Connected {
    pub(super) io: TokioIo<Box<dyn Io>>,
    #[cfg_attr(
        not(feature = "http2"),
        expect(dead_code, reason = "never so without HTTP/2")
    )]
    pub(super) http2: bool,
    /// Whether requests carry whole addresses and the proxy's credentials: plain http by a proxy.
    pub(super) proxied: Option<Intercept>,
}

/// Connects to an origin.
pub(super) async fn connect(shared: &Shared, origin: &Origin) -> Result<Connected, Error> {
    let scheme = if origin.https { "https" } else { "http" };
    let address: Uri = format!("{scheme}://{}/", origin.authority())
        .parse()
        .map_err(|_| Error::Misuse(format!("{} is no host", origin.host)))?;
    let proxy = shared.proxies.intercept(&address);
    let first = dial(
        shared,
        origin,
        proxy.as_ref(),
        shared.client.config_for(&origin.host),
    )
    .await;
    let (io, http2) = match first {
        Ok(connected) => connected,
        Err(error) => {
            let smaller = origin
                .https
                .then(|| shared.client.config_after(&origin.host, &error));
            let Some(smaller) = smaller.flatten() else {
                return Err(error);
            };
            match dial(shared, origin, proxy.as_ref(), smaller).await {
                Ok(connected) => {
                    shared.client.answered_without_hybrid(&origin.host);
                    connected
                }
                Err(_) => return Err(error),
            }
        }
    };
    Ok(Connected {
        io: TokioIo::new(io),
        http2,
        proxied: proxy.filter(|_| !origin.https),
    })
}

async fn dial(
    shared: &Shared,
    origin: &Origin,
    proxy: Option<&Intercept>,
    config: Arc<ClientConfig>,
) -> Result<(Box<dyn Io>, bool), Error> {
    let clock = shared.clock;
    let mut observer = Observer::new();
    observer.connecting(clock.now());
    let tcp = match proxy {
        None => tcp(shared, &origin.host, origin.port).await?,
        Some(proxy) => through(shared, proxy, origin).await?,
    };
    observer.connected(clock.now());
    if !origin.https {
        return Ok((Box::new(tcp), false));
    }
    let tls = handshake(shared, origin, config, tcp, observer).await?;
    let http2 = tls.get_ref().1.alpn_protocol() == Some(b"h2");
    Ok((Box::new(tls), http2))
}

async fn tcp(shared: &Shared, host: &str, port: u16) -> Result<TcpStream, Error> {
    let addresses = shared.resolver.resolve(host).await.map_err(|cause| {
        Error::Network(NetworkFault::Unresolved {
            host: host.to_owned(),
            cause,
        })
    })?;
    let stream = within(shared, Phase::Tcp, resolve::connect(&addresses, port)).await?;
    // Small records must not wait for acknowledgements.
    stream
        .set_nodelay(true)
        .map_err(|cause| io(Phase::Tcp, cause))?;
    Ok(stream)
}

/// A connection by way of a proxy: a tunnel for https, the proxy itself for http.
async fn through(shared: &Shared, proxy: &Intercept, origin: &Origin) -> Result<TcpStream, Error> {
    let address = proxy.uri();
    let host = address.host().unwrap_or_default();
    if address.scheme_str() != Some("http") {
        return Err(Error::Misuse(format!(
            "the proxy {host} is not an http:// one, which is all that is supported"
        )));
    }
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let stream = tcp(shared, bare, address.port_u16().unwrap_or(80)).await?;
    if origin.https {
        within(
            shared,
            Phase::Proxy,
            tunnel(stream, proxy, &origin.authority()),
        )
        .await
    } else {
        Ok(stream)
    }
}

/// Asks a proxy for a tunnel (RFC 9110, section 9.3.6).
async fn tunnel(stream: TcpStream, proxy: &Intercept, to: &str) -> Result<TcpStream, Error> {
    let fault = |error: hyper::Error| match http_fault(&error) {
        Error::Network(NetworkFault::Closed { .. }) => Error::Network(NetworkFault::Closed {
            phase: Phase::Proxy,
        }),
        other => other,
    };
    let (mut sender, connection) = http1::handshake::<_, Empty<Bytes>>(TokioIo::new(stream))
        .await
        .map_err(fault)?;
    let driver = tokio::spawn(connection.with_upgrades());
    let mut request = hyper::Request::builder()
        .method(Method::CONNECT)
        .uri(to)
        .header(hyper::header::HOST, to);
    if let Some(value) = proxy.basic_auth() {
        request = request.header(hyper::header::PROXY_AUTHORIZATION, value);
    }
    let request = request
        .body(Empty::new())
        .map_err(|error| Error::Misuse(error.to_string()))?;
    let response = sender.send_request(request).await.map_err(fault)?;
    if !response.status().is_success() {
        driver.abort();
        return Err(Error::Content {
            url: proxy
                .uri()
                .authority()
                .map_or_else(String::new, |authority| {
                    let text = authority.as_str();
                    text.rsplit_once('@')
                        .map_or(text, |(_, host)| host)
                        .to_owned()
                }),
            fault: ContentFault::Status(response.status().as_u16()),
        });
    }
    let upgraded = hyper::upgrade::on(response).await.map_err(fault)?;
    match upgraded.downcast::<TokioIo<TcpStream>>() {
        // In TLS the client speaks first: what is there already is no server's.
        Ok(parts) if parts.read_buf.is_empty() => Ok(parts.io.into_inner()),
        _ => Err(Error::Http(
            "the proxy spoke before it was spoken to".into(),
        )),
    }
}

async fn handshake(
    shared: &Shared,
    origin: &Origin,
    config: Arc<ClientConfig>,
    tcp: TcpStream,
    observer: Observer,
) -> Result<TlsStream<Tap>, Error> {
    let observer = Arc::new(Mutex::new(observer));
    let tap = Tap {
        tcp,
        observer: Some(Arc::clone(&observer)),
        clock: shared.clock,
    };
    let name = server_name(&origin.host)?;
    let connecting = Watched {
        future: TlsConnector::from(config).connect(name, tap),
        observer: Arc::clone(&observer),
    };
    let mut stream = match timeout(shared.patience, connecting).await {
        Ok(done) => done?,
        Err(_) => {
            return Err(Error::Network(NetworkFault::Timeout {
                phase: phase(&observer),
                after: shared.patience,
            }));
        }
    };
    stream.get_mut().0.observer = None;
    let timings = observer
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .timings();
    let tls = stream.get_ref().1;
    let made = Handshake {
        timings,
        resumed: tls.handshake_kind() == Some(HandshakeKind::Resumed),
        http2: tls.alpn_protocol() == Some(b"h2"),
    };
    let mut handshakes = shared
        .handshakes
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    handshakes.push(made);
    Ok(stream)
}

fn phase(observer: &Mutex<Observer>) -> Phase {
    let observer = observer.lock().unwrap_or_else(PoisonError::into_inner);
    match observer.timings().server_hello {
        None => Phase::Hello,
        Some(_) => Phase::Flight,
    }
}

fn io(phase: Phase, cause: IoError) -> Error {
    Error::Network(NetworkFault::Io { phase, cause })
}

async fn within<T, E>(
    shared: &Shared,
    phase: Phase,
    future: impl Future<Output = Result<T, E>>,
) -> Result<T, Error>
where
    E: InPhase,
{
    match timeout(shared.patience, future).await {
        Ok(result) => result.map_err(|error| error.in_phase(phase)),
        Err(_) => Err(Error::Network(NetworkFault::Timeout {
            phase,
            after: shared.patience,
        })),
    }
}

trait InPhase {
    fn in_phase(self, phase: Phase) -> Error;
}

impl InPhase for IoError {
    fn in_phase(self, phase: Phase) -> Error {
        io(phase, self)
    }
}

impl InPhase for Error {
    fn in_phase(self, _: Phase) -> Error {
        self
    }
}

/// A handshake whose CPU time is counted, and whose failure is joined to what the verifier saw: both
/// are of the thread that takes a step, and a step never leaves it.
struct Watched<F> {
    future: F,
    observer: Arc<Mutex<Observer>>,
}

impl<F, T> Future for Watched<F>
where
    F: Future<Output = Result<T, IoError>> + Unpin,
{
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let before = thread_cpu();
        let refused = RefusedChain::watch();
        let step = pin!(&mut self.future).poll(context);
        let mut observer = self.observer.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(before), Some(after)) = (before, thread_cpu()) {
            observer.worked(after.saturating_sub(before));
        }
        step.map(|result| {
            result.map_err(|error| {
                observer.failed();
                drop(observer);
                let tls = error.get_ref().and_then(|inner| inner.downcast_ref());
                match tls {
                    Some(cause) => {
                        let cause: &rustls::Error = cause;
                        refused.explain(cause.clone())
                    }
                    None if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                        Error::Network(NetworkFault::Closed {
                            phase: phase(&self.observer),
                        })
                    }
                    None => io(phase(&self.observer), error),
                }
            })
        })
    }
}

/// A socket that shows what passes by, until the handshake is done.
struct Tap {
    tcp: TcpStream,
    observer: Option<Arc<Mutex<Observer>>>,
    clock: Clock,
}

impl AsyncRead for Tap {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<(), IoError>> {
        let start = buffer.filled().len();
        let read = Pin::new(&mut self.tcp).poll_read(context, buffer);
        if let (Some(observer), Poll::Ready(Ok(()))) = (&self.observer, &read) {
            let mut observer = observer.lock().unwrap_or_else(PoisonError::into_inner);
            observer.received(&buffer.filled()[start..], self.clock.now());
        }
        read
    }
}

impl AsyncWrite for Tap {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<Result<usize, IoError>> {
        let written = Pin::new(&mut self.tcp).poll_write(context, data);
        if let (Some(observer), Poll::Ready(Ok(written))) = (&self.observer, &written) {
            let mut observer = observer.lock().unwrap_or_else(PoisonError::into_inner);
            observer.sent(&data[..*written], self.clock.now());
        }
        written
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), IoError>> {
        Pin::new(&mut self.tcp).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), IoError>> {
        Pin::new(&mut self.tcp).poll_shutdown(context)
    }
}

//! The connections of one origin.
//!
//! Which protocol it speaks is not known before the first handshake. So of a cold burst one request
//! connects and the others wait for what it finds: with HTTP/2 they all share its connection, with
//! HTTP/1.1 each then opens its own, or takes one that is free.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use hyper::body::Incoming;
use hyper::client::conn::http1;
#[cfg(feature = "http2")]
use hyper::client::conn::http2;
use hyper::{HeaderMap, Request, Response};
use hyper_util::client::proxy::matcher::Intercept;
#[cfg(feature = "http2")]
use hyper_util::rt::TokioExecutor;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::connect::{Connected, connect};
use super::url::{Origin, Url};
use super::{Body, Shared, http_fault};
use crate::error::{Error, NetworkFault, Phase};

pub(super) struct Pool {
    origin: Origin,
    state: Mutex<State>,
    /// Held by whoever finds out what the origin speaks, or opens its one connection of HTTP/2.
    probe: tokio::sync::Mutex<()>,
    /// Told when a connection of HTTP/1.1 becomes free, or is gone.
    changed: Notify,
}

#[derive(Default)]
struct State {
    speaks_http1: bool,
    /// Probes that came to nothing.
    failures: u64,
    /// Connections of HTTP/1.1: free, in use, or being made.
    open: usize,
    free: Vec<Http1>,
    #[cfg(feature = "http2")]
    shared: Option<http2::SendRequest<Body>>,
}

struct Http1 {
    sender: http1::SendRequest<Body>,
    proxied: Option<Intercept>,
}

enum Sender {
    Http1(Http1),
    #[cfg(feature = "http2")]
    Http2(http2::SendRequest<Body>),
}

impl Pool {
    pub(super) fn new(origin: Origin) -> Self {
        Self {
            origin,
            state: Mutex::default(),
            probe: tokio::sync::Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Sends a request and waits for the head of its answer.
    pub(super) async fn ask(
        self: &Arc<Self>,
        shared: &Shared,
        url: &Url,
        headers: HeaderMap,
    ) -> Result<Response<Incoming>, Error> {
        loop {
            let (sender, is_used) = self.sender(shared).await?;
            let answer = timeout(shared.patience, self.send(sender, url, headers.clone())).await;
            match answer {
                Err(_) => {
                    return Err(Error::Network(NetworkFault::Timeout {
                        phase: Phase::Data,
                        after: shared.patience,
                    }));
                }
                Ok(Ok(response)) => return Ok(response),
                // The server closed a kept connection in the moment in which it was to be used.
                Ok(Err(error))
                    if is_used
                        && (error.is_canceled()
                            || error.is_closed()
                            || error.is_incomplete_message()) => {}
                Ok(Err(error)) => return Err(http_fault(&error)),
            }
        }
    }

    async fn send(
        self: &Arc<Self>,
        sender: Sender,
        url: &Url,
        headers: HeaderMap,
    ) -> Result<Response<Incoming>, hyper::Error> {
        let mut request = Request::new(Body::new());
        *request.headers_mut() = headers;
        *request.uri_mut() = url.uri().clone();
        match sender {
            #[cfg(feature = "http2")]
            Sender::Http2(mut sender) => {
                // Its address says that already.
                request.headers_mut().remove(hyper::header::HOST);
                sender.send_request(request).await
            }
            Sender::Http1(mut connection) => {
                match &connection.proxied {
                    None => {
                        // A path of a valid address is a valid address.
                        if let Ok(path) = url.path().parse() {
                            *request.uri_mut() = path;
                        }
                    }
                    Some(proxy) => {
                        if let Some(value) = proxy.basic_auth() {
                            let name = hyper::header::PROXY_AUTHORIZATION;
                            request.headers_mut().insert(name, value.clone());
                        }
                    }
                }
                let response = connection.sender.send_request(request).await?;
                // Free when the answer has been read, or broken; until then it waits for that.
                let pool = Arc::clone(self);
                tokio::spawn(async move {
                    if connection.sender.ready().await.is_ok() {
                        pool.lock().free.push(connection);
                        pool.changed.notify_one();
                    }
                });
                Ok(response)
            }
        }
    }

    /// A connection, and whether it was used before.
    async fn sender(self: &Arc<Self>, shared: &Shared) -> Result<(Sender, bool), Error> {
        let failures = self.lock().failures;
        loop {
            if let Some(sender) = self.known() {
                return Ok((sender, true));
            }
            let mut probe = None;
            if !self.lock().speaks_http1 {
                let lock = self.probe.lock().await;
                if let Some(sender) = self.known() {
                    return Ok((sender, true));
                }
                // Who waited for a probe that failed does not make others wait for the next one.
                if self.lock().failures == failures {
                    probe = Some(lock);
                }
            }
            let Some(place) = Place::take(self, shared.at_once) else {
                drop(probe);
                self.changed.notified().await;
                continue;
            };
            let connected = match connect(shared, &self.origin).await {
                Ok(connected) => connected,
                Err(error) => {
                    self.lock().failures += 1;
                    return Err(error);
                }
            };
            let sender = self.speak(connected, place).await;
            return Ok((sender.map_err(|error| http_fault(&error))?, false));
        }
    }

    fn known(&self) -> Option<Sender> {
        let mut state = self.lock();
        #[cfg(feature = "http2")]
        if let Some(sender) = &state.shared {
            if !sender.is_closed() {
                return Some(Sender::Http2(sender.clone()));
            }
            state.shared = None;
        }
        while let Some(free) = state.free.pop() {
            if free.sender.is_ready() {
                if !state.free.is_empty() {
                    // One word may have been meant for two.
                    self.changed.notify_one();
                }
                return Some(Sender::Http1(free));
            }
        }
        None
    }

    async fn speak(&self, connected: Connected, place: Place) -> Result<Sender, hyper::Error> {
        #[cfg(feature = "http2")]
        if connected.http2 {
            let mut builder = http2::Builder::new(TokioExecutor::new());
            // Many files at once in one connection: the default windows of 64 KiB would starve them.
            builder.initial_stream_window_size(1 << 20);
            builder.initial_connection_window_size(16 << 20);
            let (sender, connection) = builder.handshake(connected.io).await?;
            tokio::spawn(connection);
            self.lock().shared = Some(sender.clone());
            return Ok(Sender::Http2(sender));
        }
        let (sender, connection) = http1::handshake(connected.io).await?;
        tokio::spawn(async move {
            // What goes wrong is told to whoever waits for an answer.
            let _ = connection.await;
            drop(place);
        });
        self.lock().speaks_http1 = true;
        Ok(Sender::Http1(Http1 {
            sender,
            proxied: connected.proxied,
        }))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one connection among those that may be open at once.
struct Place(Arc<Pool>);

impl Place {
    fn take(pool: &Arc<Pool>, limit: usize) -> Option<Self> {
        let mut state = pool.lock();
        if state.open >= limit {
            return None;
        }
        state.open += 1;
        Some(Self(Arc::clone(pool)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.lock().open -= 1;
        self.0.changed.notify_one();
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({})", self.origin.authority())
    }
}

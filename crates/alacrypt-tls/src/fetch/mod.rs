//! Bulk download: many files at once over HTTP/1.1, and 2 (feature `http2`), each checked while it comes.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | [`Fetcher`]: settings, redirects, repetitions |
//! | `url.rs` | addresses: origin, path, where a redirect leads |
//! | `resolve.rs` | names, each looked up once at a time; addresses tried in turn |
//! | `connect.rs` | TCP, proxies, TLS with its timings |
//! | `pool.rs` | connections of an origin: one probe finds out which protocol it speaks |
//! | `integrity.rs` | Subresource Integrity, over a stream |
//! | `file.rs` | files that are there whole or not at all, and go on where they stopped |
//!
//! # Example
//!
//! ```no_run
//! use alacrypt_tls::fetch::{Fetcher, Integrity, Request};
//! use alacrypt_tls::Client;
//!
//! # async fn example() -> Result<(), alacrypt_tls::Error> {
//! let client = Client::builder().alpn(["h2", "http/1.1"]).build()?;
//! let fetcher = Fetcher::new(client)?;
//! let request = Request::new("https://registry.npmjs.org/ms/-/ms-2.1.3.tgz", "ms-2.1.3.tgz")
//!     .integrity(Integrity::parse(
//!         "sha512-6FlzubTLZG3J2a/NVCAleEhjzq5oxgHyaCU9yYXvcLsvoVaHJq/s5xXI6/XXP6tz7R9xAOtHnSO/tXtF3WRTlA==",
//!     )?);
//! let fetched = fetcher.fetch(&request).await?;
//! println!("{} bytes", fetched.bytes);
//! # Ok(())
//! # }
//! ```

mod connect;
mod file;
mod integrity;
mod pool;
mod resolve;
mod url;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::{Response, StatusCode};
use hyper_util::client::proxy::matcher::Matcher;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::client::Client;
use crate::clock::Clock;
use crate::error::{ContentFault, Error, NetworkFault, Phase};
use crate::timings::HandshakeTimings;
use file::Partial;
pub use integrity::Integrity;
use pool::Pool;
use resolve::Resolver;
use url::{Origin, Url};

/// Downloads files. Shared by reference: connections are kept and used again.
#[derive(Debug)]
pub struct Fetcher {
    shared: Shared,
    pools: Mutex<HashMap<Origin, Arc<Pool>>>,
    at_once: Semaphore,
    repetitions: u32,
}

/// What every connection needs.
#[derive(Debug)]
struct Shared {
    client: Client,
    resolver: Resolver,
    proxies: Matcher,
    patience: Duration,
    /// Connections of one origin.
    at_once: usize,
    clock: Clock,
    handshakes: Mutex<Vec<Handshake>>,
}

/// A handshake that was made.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Handshake {
    /// When things happened, counted from when the [`Fetcher`] was made.
    pub timings: HandshakeTimings,
    /// Whether an earlier session was resumed.
    pub resumed: bool,
    /// Whether it speaks HTTP/2.
    pub http2: bool,
}

/// A file to download.
#[derive(Clone, Debug)]
pub struct Request {
    url: String,
    to: PathBuf,
    integrity: Option<Integrity>,
    authorization: Option<HeaderValue>,
    authorization_path: String,
}

/// A file that was downloaded, or was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fetched {
    /// Its length.
    pub bytes: u64,
    /// How much of it an earlier, broken download had left.
    pub resumed_from: u64,
    /// Whether it was there already, whole and right.
    pub was_there: bool,
}

/// Redirects that are followed one after the other.
const REDIRECTS_MAX: u32 = 10;
const AT_ONCE: usize = 128;

impl Request {
    /// The file at `url` (http or https), to be written to `to`. Folders on the way are made.
    pub fn new(url: impl Into<String>, to: impl Into<PathBuf>) -> Self {
        Self {
            url: url.into(),
            to: to.into(),
            integrity: None,
            authorization: None,
            authorization_path: "/".into(),
        }
    }

    /// What it must be. Only with that can a broken download go on later.
    pub fn integrity(mut self, integrity: Integrity) -> Self {
        self.integrity = Some(integrity);
        self
    }

    /// The value of the header `Authorization`. A redirect to another origin does not get it, nor
    /// does whatever that leads to.
    ///
    /// # Errors
    /// [`Error::Misuse`] if no header can have this value.
    pub fn authorization(mut self, value: &str) -> Result<Self, Error> {
        let mut value = HeaderValue::try_from(value)
            .map_err(|_| Error::Misuse("a credential has characters that no header may".into()))?;
        value.set_sensitive(true);
        self.authorization = Some(value);
        Ok(self)
    }

    /// The path below which that value may be sent, `/` by default: a registry's credentials are not
    /// for its neighbours on the same host.
    pub fn authorization_path(mut self, path: &str) -> Self {
        self.authorization_path = format!("{}/", path.trim_end_matches('/'));
        self
    }

    /// Where it comes from.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where it goes.
    pub fn to(&self) -> &Path {
        &self.to
    }
}

impl Fetcher {
    /// One with 128 connections, proxies from the environment (`HTTPS_PROXY`, `HTTP_PROXY`,
    /// `ALL_PROXY`, `NO_PROXY`), two repetitions, and half a minute of patience.
    ///
    /// HTTP/2 is spoken where the client's ALPN has `h2`, for which the feature `http2` is needed.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the client's ALPN has neither `h2` nor `http/1.1`, but others; or `h2` without
    /// that feature.
    pub fn new(client: Client) -> Result<Self, Error> {
        let mut fetcher = Self::without_environment(client)?;
        fetcher.shared.proxies = Matcher::from_env();
        Ok(fetcher)
    }

    /// As [`Fetcher::new`], without a look at the environment: with no proxies.
    ///
    /// # Errors
    /// As [`Fetcher::new`].
    pub fn without_environment(client: Client) -> Result<Self, Error> {
        let alpn = &client.config().alpn_protocols;
        if !alpn.is_empty() && !alpn.iter().any(|p| p == b"h2" || p == b"http/1.1") {
            return Err(Error::Misuse("ALPN has no protocol of HTTP".into()));
        }
        if cfg!(not(feature = "http2")) && alpn.iter().any(|p| p == b"h2") {
            return Err(Error::Misuse("HTTP/2 needs the feature http2".into()));
        }
        Ok(Self {
            shared: Shared {
                client,
                resolver: Resolver::default(),
                proxies: Matcher::builder().build(),
                patience: Duration::from_secs(30),
                at_once: AT_ONCE,
                clock: Clock::start(),
                handshakes: Mutex::default(),
            },
            pools: Mutex::default(),
            at_once: Semaphore::new(AT_ONCE),
            repetitions: 2,
        })
    }

    /// How many downloads, so at most how many connections, there are at once.
    pub fn at_once(mut self, connections: usize) -> Self {
        self.shared.at_once = connections.clamp(1, Semaphore::MAX_PERMITS);
        self.at_once = Semaphore::new(self.shared.at_once);
        self
    }

    /// Other proxies than those of the environment: for `https` and for `http` addresses, and hosts
    /// to which none is used (a list as in `NO_PROXY`).
    pub fn proxies(mut self, https: Option<&str>, http: Option<&str>, none_for: &str) -> Self {
        let mut builder = Matcher::builder().no(none_for.to_owned());
        if let Some(https) = https {
            builder = builder.https(https.to_owned());
        }
        if let Some(http) = http {
            builder = builder.http(http.to_owned());
        }
        self.shared.proxies = builder.build();
        self
    }

    /// How long each step may take: to connect, to shake hands, to get the next piece of a file.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.shared.patience = patience;
        self
    }

    /// How often a download that broke is tried again.
    pub fn repetitions(mut self, repetitions: u32) -> Self {
        self.repetitions = repetitions;
        self
    }

    /// The handshakes that were made so far.
    pub fn handshakes(&self) -> Vec<Handshake> {
        let handshakes = self.shared.handshakes.lock();
        handshakes.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Downloads a file, unless it is there already and is what it must be.
    ///
    /// # Errors
    /// Whatever kept it from being there whole. Then there is no file; what came of it is kept for
    /// the next time if it can be checked then.
    pub async fn fetch(&self, request: &Request) -> Result<Fetched, Error> {
        let url = Url::parse(&request.url)?;
        // The semaphore is never closed; if it were, nothing would be lost but the limit.
        let _permit = self.at_once.acquire().await;
        if let Some(integrity) = &request.integrity
            && let Some(bytes) = file::matches(&request.to, integrity)
        {
            return Ok(Fetched {
                bytes,
                resumed_from: 0,
                was_there: true,
            });
        }
        let mut repetition = 0;
        loop {
            let error = match self.attempt(request, &url).await {
                Ok(fetched) => return Ok(fetched),
                Err(error) => error,
            };
            if repetition == self.repetitions || !error.is_worth_repeating() {
                return Err(error);
            }
            tokio::time::sleep(Duration::from_millis(100 << repetition.min(6))).await;
            repetition += 1;
        }
    }

    /// Downloads many files; `done` is told of each as it ends, by its place in the list. The results
    /// have the order of the list. Dropped before its end, it stops them all.
    pub async fn fetch_all(
        self: &Arc<Self>,
        requests: Vec<Request>,
        mut done: impl FnMut(usize, &Result<Fetched, Error>),
    ) -> Vec<Result<Fetched, Error>> {
        let mut results: Vec<_> = requests.iter().map(|_| None).collect();
        let mut tasks = JoinSet::new();
        for (number, request) in requests.into_iter().enumerate() {
            let fetcher = Arc::clone(self);
            tasks.spawn(async move { (number, fetcher.fetch(&request).await) });
        }
        while let Some(joined) = tasks.join_next().await {
            // A task that panicked has no number: its place is filled below.
            if let Ok((number, result)) = joined {
                done(number, &result);
                results[number] = Some(result);
            }
        }
        let panicked = || Err(Error::Backend("a download panicked".into()));
        let filled = results
            .into_iter()
            .map(|result| result.unwrap_or_else(panicked));
        filled.collect()
    }

    async fn attempt(&self, request: &Request, url: &Url) -> Result<Fetched, Error> {
        let mut partial = Partial::open(&request.to, request.integrity.as_ref())?;
        let response = self.follow(request, url.clone(), partial.len()).await?;
        let resumed_from = match response.status() {
            StatusCode::PARTIAL_CONTENT if starts_at(&response, partial.len()) => partial.len(),
            StatusCode::OK => {
                partial.restart()?;
                0
            }
            StatusCode::RANGE_NOT_SATISFIABLE | StatusCode::PARTIAL_CONTENT => {
                partial.discard();
                return Err(content(&request.url, ContentFault::Range));
            }
            status => return Err(content(&request.url, ContentFault::Status(status.as_u16()))),
        };
        self.receive(response.into_body(), &mut partial).await?;
        match partial.finish() {
            Ok(bytes) => Ok(Fetched {
                bytes,
                resumed_from,
                was_there: false,
            }),
            Err(fault) => Err(content(&request.url, fault)),
        }
    }

    /// Asks, and asks elsewhere as long as it is sent there.
    async fn follow(
        &self,
        request: &Request,
        mut url: Url,
        from: u64,
    ) -> Result<Response<Incoming>, Error> {
        let first = url.origin().clone();
        let mut is_home = true;
        for _ in 0..=REDIRECTS_MAX {
            let mut headers = hyper::HeaderMap::new();
            headers.insert(header::HOST, url.authority()?);
            headers.insert(header::USER_AGENT, HeaderValue::from_static("alacrypt"));
            headers.insert(header::ACCEPT, HeaderValue::from_static("*/*"));
            if from > 0 {
                headers.insert(
                    header::RANGE,
                    HeaderValue::try_from(format!("bytes={from}-"))
                        .map_err(|error| Error::Misuse(error.to_string()))?,
                );
            }
            if let Some(value) = &request.authorization
                && is_home
                && url.is_below(&request.authorization_path)
            {
                headers.insert(header::AUTHORIZATION, value.clone());
            }
            let pool = self.pool(url.origin());
            let response = pool.ask(&self.shared, &url, headers).await?;
            if !response.status().is_redirection() {
                return Ok(response);
            }
            let place = response.headers().get(header::LOCATION);
            let place = place.and_then(|place| place.to_str().ok());
            let Some(place) = place else {
                let status = response.status().as_u16();
                return Err(content(&request.url, ContentFault::Status(status)));
            };
            let next = url.join(place)?;
            if url.is_https() && !next.is_https() {
                return Err(content(&request.url, ContentFault::Downgrade));
            }
            is_home &= *next.origin() == first;
            url = next;
        }
        Err(content(&request.url, ContentFault::Redirects))
    }

    fn pool(&self, origin: &Origin) -> Arc<Pool> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = pools
            .entry(origin.clone())
            .or_insert_with(|| Arc::new(Pool::new(origin.clone())));
        Arc::clone(pool)
    }

    async fn receive(&self, mut body: Incoming, partial: &mut Partial) -> Result<(), Error> {
        loop {
            let patience = self.shared.patience;
            let frame = match timeout(patience, body.frame()).await {
                Err(_) => {
                    return Err(Error::Network(NetworkFault::Timeout {
                        phase: Phase::Data,
                        after: patience,
                    }));
                }
                Ok(None) => return Ok(()),
                Ok(Some(frame)) => frame.map_err(|error| http_fault(&error))?,
            };
            if let Ok(data) = frame.into_data() {
                partial.write(&data)?;
            }
        }
    }
}

/// Whether the answer goes on where the file stopped.
fn starts_at(response: &Response<Incoming>, from: u64) -> bool {
    let range = response.headers().get(header::CONTENT_RANGE);
    let range = range.and_then(|range| range.to_str().ok());
    let start = range.and_then(|range| {
        range
            .strip_prefix("bytes ")?
            .split('-')
            .next()?
            .parse()
            .ok()
    });
    from > 0 && start == Some(from)
}

fn content(url: &str, fault: ContentFault) -> Error {
    Error::Content {
        // Credentials in an address are no part of what is printed.
        url: url::without_user(url),
        fault,
    }
}

type Body = Empty<Bytes>;

/// What went wrong between two HTTP messages, or within one.
fn http_fault(error: &hyper::Error) -> Error {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(inner) = source {
        if let Some(io) = inner.downcast_ref::<std::io::Error>() {
            let tls = io
                .get_ref()
                .and_then(|inner| inner.downcast_ref::<rustls::Error>());
            return match tls {
                Some(cause) => Error::from_tls(cause.clone(), &[]),
                None => Error::Network(NetworkFault::Io {
                    phase: Phase::Data,
                    cause: std::io::Error::new(io.kind(), io.to_string()),
                }),
            };
        }
        source = inner.source();
    }
    if error.is_parse() {
        return Error::Http(error.to_string());
    }
    Error::Network(NetworkFault::Closed { phase: Phase::Data })
}

//! A registry on loopback that speaks HTTP/1.1 and 2, and a proxy.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test file uses its own part, and what panics here has failed a test"
)]

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use alacrypt_tls::fetch::Integrity;
use base64::Engine;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, header};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::common::chain::Chain;
use crate::common::server;

/// What a file holds: some kilobytes that differ from file to file.
pub fn content(number: usize) -> Vec<u8> {
    let len = 3_000 + number * 7_919 % 200_000;
    (0..len)
        .map(|place| (place * 31 + number * 17 + place / 251) as u8)
        .collect()
}

pub fn integrity(number: usize) -> Integrity {
    Integrity::parse(&integrity_text(number)).unwrap()
}

pub fn integrity_text(number: usize) -> String {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA512, &content(number));
    let text = base64::engine::general_purpose::STANDARD.encode(digest.as_ref());
    format!("sha512-{text}")
}

#[derive(Clone, Debug)]
pub struct Seen {
    pub path: String,
    pub authorization: Option<String>,
    pub range: Option<String>,
}

#[derive(Debug, Default)]
struct State {
    seen: Mutex<Vec<Seen>>,
    connections: AtomicUsize,
}

pub struct Registry {
    address: SocketAddr,
    tls: bool,
    state: Arc<State>,
    _runtime: tokio::runtime::Runtime,
}

impl Registry {
    pub fn start(chain: Option<&Chain>) -> Self {
        let config = chain.map(|chain| {
            let mut config = server::config(chain, server::Options::default());
            config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
            Arc::new(config)
        });
        let state = Arc::new(State::default());
        let runtime = runtime();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (tls, served) = (config.is_some(), state.clone());
        runtime.spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                served.connections.fetch_add(1, Ordering::SeqCst);
                let (config, state) = (config.clone(), served.clone());
                tokio::spawn(connection(tcp, config, state));
            }
        });
        Self {
            address,
            tls,
            state,
            _runtime: runtime,
        }
    }

    pub fn url(&self, path: &str) -> String {
        let scheme = if self.tls { "https" } else { "http" };
        format!("{scheme}://localhost:{}{path}", self.address.port())
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.state.seen.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(1).enable_all().build().unwrap()
}

async fn connection(tcp: TcpStream, config: Option<Arc<rustls::ServerConfig>>, state: Arc<State>) {
    let service = service_fn(move |request| {
        let state = state.clone();
        async move { Ok::<_, Infallible>(answer(request, &state).await) }
    });
    let Some(config) = config else {
        let http = hyper::server::conn::http1::Builder::new();
        let _ = http.serve_connection(TokioIo::new(tcp), service).await;
        return;
    };
    let Ok(tls) = tokio_rustls::TlsAcceptor::from(config).accept(tcp).await else {
        return;
    };
    if tls.get_ref().1.alpn_protocol() == Some(b"h2") {
        let http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
        let _ = http.serve_connection(TokioIo::new(tls), service).await;
    } else {
        let http = hyper::server::conn::http1::Builder::new();
        let _ = http.serve_connection(TokioIo::new(tls), service).await;
    }
}

async fn answer(request: Request<Incoming>, state: &State) -> Response<Data> {
    let text = |name| {
        let value = request
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap());
        value.map(str::to_owned)
    };
    let path = request.uri().path().to_owned();
    let range = text(header::RANGE);
    state.seen.lock().unwrap().push(Seen {
        path: path.clone(),
        authorization: text(header::AUTHORIZATION),
        range: range.clone(),
    });
    let mut parts = path.trim_start_matches('/').splitn(2, '/');
    let (kind, rest) = (parts.next().unwrap(), parts.next().unwrap_or_default());
    // A file's number, or the last one of a tarball's version.
    let number = || {
        let last = rest.trim_end_matches(".tgz").rsplit('.').next();
        last.and_then(|last| last.parse::<usize>().ok()).unwrap()
    };
    let status = |code: u16| {
        let mut response = Response::new(Data::whole(Vec::new()));
        *response.status_mut() = StatusCode::from_u16(code).unwrap();
        response
    };
    match kind {
        "file" => Response::new(Data::whole(content(number()))),
        "cut" => match range {
            None => Response::new(Data::cut(content(number()))),
            Some(range) => {
                let from: usize = range
                    .trim_start_matches("bytes=")
                    .trim_end_matches('-')
                    .parse()
                    .unwrap();
                let whole = content(number());
                let mut response = Response::new(Data::whole(whole[from..].to_vec()));
                *response.status_mut() = StatusCode::PARTIAL_CONTENT;
                let value = format!("bytes {from}-{}/{}", whole.len() - 1, whole.len());
                response
                    .headers_mut()
                    .insert(header::CONTENT_RANGE, value.parse().unwrap());
                response
            }
        },
        "redirect" => {
            let mut response = status(302);
            if let Some(to) = request.uri().query() {
                response
                    .headers_mut()
                    .insert(header::LOCATION, to.parse().unwrap());
            }
            response
        }
        "loop" => {
            let mut response = status(302);
            response
                .headers_mut()
                .insert(header::LOCATION, "/loop".parse().unwrap());
            response
        }
        "private" if text(header::AUTHORIZATION).as_deref() != Some("Bearer secret") => status(401),
        _ if path.ends_with(".tgz") => Response::new(Data::whole(content(number()))),
        "silent" => std::future::pending().await,
        "status" => status(rest.parse().unwrap()),
        _ => status(404),
    }
}

/// A body, or the first half of one that then breaks.
struct Data {
    bytes: Bytes,
    announced: u64,
    breaks: Option<Pin<Box<tokio::time::Sleep>>>,
}

impl Data {
    fn whole(bytes: Vec<u8>) -> Self {
        Self {
            announced: bytes.len() as u64,
            bytes: bytes.into(),
            breaks: None,
        }
    }

    fn cut(bytes: Vec<u8>) -> Self {
        let half = Bytes::copy_from_slice(&bytes[..bytes.len() / 2]);
        // Gives what was sent a moment to leave.
        let moment = tokio::time::sleep(std::time::Duration::from_millis(150));
        Self {
            announced: bytes.len() as u64,
            bytes: half,
            breaks: Some(Box::pin(moment)),
        }
    }
}

impl Body for Data {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        let bytes = std::mem::take(&mut self.bytes);
        if !bytes.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        match &mut self.breaks {
            None => Poll::Ready(None),
            Some(moment) => moment
                .as_mut()
                .poll(context)
                .map(|()| Some(Err(std::io::Error::other("planted")))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.announced == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.announced)
    }
}

/// A proxy that tunnels for whoever has the right credentials, and passes plain requests on.
pub struct Proxy {
    pub address: SocketAddr,
    passed: Arc<AtomicUsize>,
    _runtime: tokio::runtime::Runtime,
}

impl Proxy {
    pub fn start(credentials: &str) -> Self {
        let wanted = base64::engine::general_purpose::STANDARD.encode(credentials);
        let wanted = format!("basic {}", wanted.to_lowercase());
        let runtime = runtime();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let passed = Arc::new(AtomicUsize::new(0));
        let counted = passed.clone();
        runtime.spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                tokio::spawn(relay(tcp, wanted.clone(), counted.clone()));
            }
        });
        Self {
            address,
            passed,
            _runtime: runtime,
        }
    }

    pub fn passed(&self) -> usize {
        self.passed.load(Ordering::SeqCst)
    }
}

async fn relay(mut client: TcpStream, wanted: String, passed: Arc<AtomicUsize>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match client.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let text = String::from_utf8(head).unwrap();
    if !text
        .to_lowercase()
        .contains(&format!("proxy-authorization: {wanted}"))
    {
        let refused = "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
        let _ = client.write_all(refused.as_bytes()).await;
        return;
    }
    passed.fetch_add(1, Ordering::SeqCst);
    let mut words = text.split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let authority = target
        .trim_start_matches("http://")
        .split('/')
        .next()
        .unwrap();
    let mut server = TcpStream::connect(authority).await.unwrap();
    if method == "CONNECT" {
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
    } else {
        assert!(target.starts_with("http://"), "{text}");
        let own: String = text
            .split_inclusive("\r\n")
            .filter(|line| !line.to_lowercase().starts_with("proxy-authorization"))
            .collect();
        server.write_all(own.as_bytes()).await.unwrap();
    }
    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
}

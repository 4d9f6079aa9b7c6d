//! Downloads from a registry on loopback, over HTTP/1.1 and 2, with and without TLS.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod common;
#[path = "common/registry.rs"]
mod registry;

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alacrypt_tls::fetch::{Fetched, Fetcher, Integrity, Request};
use alacrypt_tls::{ClientBuilder, Error, PostQuantum};
use common::chain::{self, Chain, Shape};
use common::trusting;
use registry::{Registry, content, integrity};

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(future)
}

fn fetcher(client: ClientBuilder) -> Arc<Fetcher> {
    let fetcher = Fetcher::new(client.build().unwrap()).unwrap();
    Arc::new(
        fetcher
            .patience(Duration::from_secs(2))
            .proxies(None, None, ""),
    )
}

fn both(chain: &Chain) -> ClientBuilder {
    trusting(&chain.root).alpn(["h2", "http/1.1"])
}

fn files(dir: &Path) -> usize {
    std::fs::read_dir(dir).unwrap().count()
}

fn requests(registry: &Registry, dir: &Path, count: usize) -> Vec<Request> {
    (0..count)
        .map(|number| {
            Request::new(
                registry.url(&format!("/file/{number}")),
                dir.join(number.to_string()),
            )
            .integrity(integrity(number))
        })
        .collect()
}

#[test]
fn three_hundred_files_over_each_protocol() {
    let chain = chain::chain(Shape::P256);
    for (tls, alpn, connections_max) in [
        (true, &["h2", "http/1.1"][..], 1),
        (true, &["http/1.1"][..], 128),
        (false, &[][..], 128),
    ] {
        let registry = Registry::start(tls.then_some(&chain));
        let dir = tempfile::tempdir().unwrap();
        let fetcher = fetcher(trusting(&chain.root).alpn(alpn.iter()));
        let mut told = 0;
        let requests = requests(&registry, dir.path(), 300);
        let results = run(fetcher.fetch_all(requests.clone(), |_, _| told += 1));
        assert_eq!(told, 300);
        for (number, result) in results.iter().enumerate() {
            let Fetched {
                bytes, was_there, ..
            } = *result.as_ref().unwrap();
            assert_eq!((bytes, was_there), (content(number).len() as u64, false));
            let found = std::fs::read(dir.path().join(number.to_string())).unwrap();
            assert!(found == content(number), "file {number}");
        }
        assert_eq!(files(dir.path()), 300);
        let connections = registry.connections();
        assert!(
            (1..=connections_max).contains(&connections),
            "{alpn:?}: {connections}"
        );
        assert_eq!(
            fetcher.handshakes().len(),
            if tls { connections } else { 0 }
        );
        for handshake in fetcher.handshakes() {
            assert_eq!(handshake.http2, connections_max == 1);
            assert!(handshake.timings.think().is_some() && handshake.timings.tcp().is_some());
        }
        // What is there is not asked for again.
        let asked = registry.seen().len();
        let again = run(fetcher.fetch_all(requests, |_, _| ()));
        assert!(
            again
                .iter()
                .all(|result| result.as_ref().unwrap().was_there)
        );
        assert_eq!(registry.seen().len(), asked);
    }
}

#[test]
fn a_wrong_file_is_named_and_leaves_nothing() {
    let chain = chain::chain(Shape::P256);
    let registry = Registry::start(Some(&chain));
    let dir = tempfile::tempdir().unwrap();
    let request =
        Request::new(registry.url("/file/1"), dir.path().join("f")).integrity(integrity(2));
    let error = run(fetcher(both(&chain)).fetch(&request)).unwrap_err();
    assert_eq!(error.code(), "EINTEGRITY");
    assert!(error.to_string().contains("/file/1"), "{error}");
    assert_eq!(files(dir.path()), 0);
    // It is no use to ask for it again.
    assert_eq!(registry.seen().len(), 1);
}

#[test]
fn a_broken_download_goes_on_where_it_stopped() {
    let chain = chain::chain(Shape::P256);
    for alpn in [&["h2"][..], &["http/1.1"]] {
        let registry = Registry::start(Some(&chain));
        let dir = tempfile::tempdir().unwrap();
        let fetcher = fetcher(trusting(&chain.root).alpn(alpn));
        let request =
            Request::new(registry.url("/cut/9"), dir.path().join("f")).integrity(integrity(9));
        let fetched = run(fetcher.fetch(&request)).unwrap();
        assert_eq!(fetched.bytes, content(9).len() as u64);
        assert!(fetched.resumed_from > 0, "{alpn:?}");
        assert_eq!(std::fs::read(dir.path().join("f")).unwrap(), content(9));
        let ranges: Vec<_> = registry.seen().into_iter().map(|seen| seen.range).collect();
        let from = fetched.resumed_from;
        assert_eq!(ranges, [None, Some(format!("bytes={from}-"))]);
        assert_eq!(files(dir.path()), 1);
    }
}

#[test]
fn a_download_that_is_given_up_goes_on_in_another_process() {
    let chain = chain::chain(Shape::P256);
    let registry = Registry::start(Some(&chain));
    let dir = tempfile::tempdir().unwrap();
    let request =
        Request::new(registry.url("/cut/9"), dir.path().join("f")).integrity(integrity(9));
    let once = Fetcher::new(both(&chain).build().unwrap())
        .unwrap()
        .repetitions(0);
    let error = run(once.fetch(&request)).unwrap_err();
    assert!(matches!(error, Error::Network(_)), "{error}");
    // Not under its name, but beside it.
    assert!(!dir.path().join("f").exists());
    assert_eq!(files(dir.path()), 1);
    let fetched = run(fetcher(both(&chain)).fetch(&request)).unwrap();
    assert!(fetched.resumed_from > 0);
    // Without an integrity value nothing is kept and nothing goes on.
    let blind = Request::new(registry.url("/cut/8"), dir.path().join("g"));
    run(once.fetch(&blind)).unwrap_err();
    assert_eq!(files(dir.path()), 1);
}

#[test]
fn credentials_stay_with_their_origin() {
    let chain = chain::chain(Shape::P256);
    let (home, elsewhere) = (Registry::start(Some(&chain)), Registry::start(Some(&chain)));
    let dir = tempfile::tempdir().unwrap();
    let fetcher = fetcher(both(&chain));
    let go = |to: String| {
        let request = Request::new(home.url(&format!("/redirect?{to}")), dir.path().join("f"));
        let request = request
            .integrity(integrity(3))
            .authorization("Bearer secret")
            .unwrap();
        assert!(!format!("{request:?}").contains("secret"));
        let fetched = run(fetcher.fetch(&request));
        let _ = std::fs::remove_file(dir.path().join("f"));
        fetched
    };
    go(elsewhere.url("/file/3")).unwrap();
    assert_eq!(elsewhere.seen()[0].authorization, None);
    assert_eq!(
        home.seen()[0].authorization.as_deref(),
        Some("Bearer secret")
    );
    go("/file/3".into()).unwrap();
    assert_eq!(
        home.seen()[2].authorization.as_deref(),
        Some("Bearer secret")
    );
    // Away and back: whoever was between chose the address.
    go(elsewhere.url(&format!("/redirect?{}", home.url("/file/3")))).unwrap();
    assert_eq!(home.seen().pop().unwrap().authorization, None);
    // A redirect to nowhere, and one to a neighbour of the registry.
    let to_nowhere = Request::new(home.url("/redirect"), dir.path().join("f"));
    assert_eq!(run(fetcher.fetch(&to_nowhere)).unwrap_err().code(), "EHTTP");
    let narrow = Request::new(home.url("/redirect?/file/3"), dir.path().join("g"));
    let narrow = narrow.authorization("Bearer secret").unwrap();
    run(fetcher.fetch(&narrow.authorization_path("/redirect"))).unwrap();
    let mut seen = home.seen().into_iter().rev().map(|seen| seen.authorization);
    assert_eq!(seen.next(), Some(None));
    assert_eq!(seen.next(), Some(Some("Bearer secret".into())));
    let plain = Registry::start(None);
    assert_eq!(go(plain.url("/file/3")).unwrap_err().code(), "EREDIRECT");
    assert!(plain.seen().is_empty());
    assert_eq!(go("/loop".into()).unwrap_err().code(), "EREDIRECT");
}

#[test]
fn errors_of_servers_have_codes_and_passing_ones_are_repeated() {
    let chain = chain::chain(Shape::P256);
    let registry = Registry::start(Some(&chain));
    let dir = tempfile::tempdir().unwrap();
    let fetcher = fetcher(both(&chain));
    let go = |path: &str| {
        let request =
            Request::new(registry.url(path), dir.path().join("f")).integrity(integrity(4));
        run(fetcher.fetch(&request))
    };
    assert_eq!(go("/status/404").unwrap_err().code(), "E404");
    assert_eq!(go("/status/401").unwrap_err().code(), "E401");
    assert_eq!(registry.seen().len(), 2);
    assert_eq!(go("/status/503").unwrap_err().code(), "E500");
    assert_eq!(registry.seen().len(), 5);
    let start = Instant::now();
    let silent = Request::new(registry.url("/silent"), dir.path().join("f"));
    let impatient = Fetcher::new(both(&chain).build().unwrap()).unwrap();
    let impatient = impatient
        .patience(Duration::from_millis(200))
        .repetitions(0);
    assert_eq!(
        run(impatient.fetch(&silent)).unwrap_err().code(),
        "ETIMEDOUT"
    );
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(files(dir.path()), 0);
}

#[test]
fn certificates_are_checked_and_a_burst_fails_at_once() {
    let chain = chain::chain(Shape::P256);
    let registry = Registry::start(Some(&chain));
    let dir = tempfile::tempdir().unwrap();
    let stranger = fetcher(both(&chain::chain(Shape::P256)));
    let results = run(stranger.fetch_all(requests(&registry, dir.path(), 64), |_, _| ()));
    for result in results {
        assert_eq!(result.unwrap_err().code(), "SELF_SIGNED_CERT_IN_CHAIN");
    }
    assert_eq!(files(dir.path()), 0);
    // Nobody there, and a peer that never answers: no request waits for the others' turns.
    let silent = common::server::Server::raw(|tcp| {
        let _ = std::io::Read::read_to_end(&mut &tcp, &mut Vec::new());
    });
    let client = both(&chain).post_quantum(PostQuantum::Off).build().unwrap();
    let fetcher = Fetcher::new(client).unwrap();
    let fetcher = Arc::new(fetcher.patience(Duration::from_millis(300)).repetitions(0));
    let many = (0..32).map(|number| {
        Request::new(
            format!("https://{}/", silent.address),
            dir.path().join(number.to_string()),
        )
    });
    let start = Instant::now();
    for result in run(fetcher.fetch_all(many.collect(), |_, _| ())) {
        assert_eq!(result.unwrap_err().code(), "ETIMEDOUT");
    }
    assert!(
        start.elapsed() < Duration::from_secs(4),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn proxies_tunnel_https_and_see_http_whole() {
    let chain = chain::chain(Shape::P256);
    let (secure, plain) = (Registry::start(Some(&chain)), Registry::start(None));
    let proxy = registry::Proxy::start("user:pass");
    let dir = tempfile::tempdir().unwrap();
    let by = |address: &str, except: &str| {
        let fetcher = Fetcher::new(both(&chain).build().unwrap())
            .unwrap()
            .repetitions(0);
        fetcher.proxies(Some(address), Some(address), except)
    };
    let go = |fetcher: &Fetcher, registry: &Registry| {
        let request =
            Request::new(registry.url("/file/5"), dir.path().join("f")).integrity(integrity(5));
        let fetched = run(fetcher.fetch(&request));
        let _ = std::fs::remove_file(dir.path().join("f"));
        fetched
    };
    let good = format!("http://user:pass@{}", proxy.address);
    for registry in [&secure, &plain] {
        go(&by(&good, ""), registry).unwrap();
        assert_eq!(registry.seen().pop().unwrap().authorization, None);
    }
    assert_eq!(proxy.passed(), 2);
    go(&by(&good, "localhost,127.0.0.1"), &secure).unwrap();
    assert_eq!(proxy.passed(), 2);
    let error = go(
        &by(&format!("http://user:wrong@{}", proxy.address), ""),
        &secure,
    )
    .unwrap_err();
    assert_eq!(error.code(), "E407");
    assert!(!error.to_string().contains("wrong"), "{error}");
    assert_eq!(
        Integrity::parse("sha512-x").unwrap_err().code(),
        "ERR_INVALID_ARG_VALUE"
    );
}

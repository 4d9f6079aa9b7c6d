//! `loop` with the built binary: the built-in server, servers that fail, and the load itself.

#![forbid(unsafe_code)]
// A helper that fails should fail where it stands.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![cfg(target_os = "linux")]
#![allow(missing_docs)]

mod binary;

use alacrypt_lab::measure::event_loop::generator::{Sendings, send};
use binary::{Folder, expect_code, lab, lives, load, stderr};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::time::{Duration, Instant};

const SHORT: [&str; 7] = [
    "--duration",
    "0.6s",
    "--settle",
    "0.1s",
    "--rate",
    "100",
    "--allow-noise",
];

fn looped(more: &[&str]) -> std::process::Output {
    let mut words = vec!["loop"];
    words.extend(SHORT);
    words.extend(more);
    lab(&words)
}

#[test]
fn the_built_in_server_is_loaded_and_watched() {
    let folder = Folder::new();
    let out = folder.at("s");
    let md = folder.at("r.md");
    let output = looped(&[
        "-n",
        "a=node",
        "-n",
        "b=LAB_TEST=1 node --no-warnings",
        "--load",
        "none,fanout:10",
        "--op",
        "digest:100,hmac,aes-gcm,hkdf,pbkdf2,ecdsa-sign,ecdsa-verify,rsa-sign,rsa-verify",
        "--runs",
        "2",
        "--out",
        &out,
        "--md",
        &md,
    ]);
    expect_code(&output, 0);
    let session = load(&out);
    let figures: Vec<_> = session
        .runs
        .iter()
        .filter_map(|run| run.load.clone())
        .collect();
    assert_eq!(figures.len(), 8);
    for found in &figures {
        assert_eq!((found.requests, found.failed, found.timed_out), (60, 0, 0));
        let delay = found.delay.expect("node can be watched");
        assert!(delay.intervals > 50, "{delay:?}");
        assert!(found.runtime.as_deref().unwrap().starts_with("node "));
        assert!(found.latency.p50 >= found.service.p50);
    }
    let computed = figures.iter().filter_map(|found| found.crypto.as_ref());
    assert!(
        computed
            .clone()
            .all(|crypto| crypto.per_second > 10.0 && crypto.failed == 0)
    );
    assert_eq!(computed.count(), 4);
    let text = std::fs::read_to_string(md).unwrap();
    assert!(
        text.contains("| a |") && text.contains("**fanout:10**"),
        "{text}"
    );
    assert!(text.contains("LAB_TEST=1"), "{text}");
    let names: Vec<String> = session
        .measurements()
        .iter()
        .map(|run| run.row_name())
        .collect();
    for row in [
        "none latency p99",
        "fanout:10 loop delay p99",
        "fanout:10 time per operation",
    ] {
        assert!(names.iter().any(|name| name == row), "{row} in {names:?}");
    }
}

#[test]
fn a_server_that_fails_is_named_and_the_others_go_on() {
    let folder = Folder::new();
    let out = folder.at("s");
    let output = looped(&[
        "-n",
        "good=node",
        "-n",
        "bad=node --no-such-flag",
        "--load",
        "none",
        "--runs",
        "2",
        "--out",
        &out,
    ]);
    expect_code(&output, 4);
    let session = load(&out);
    let why: Vec<&str> = session
        .failures()
        .iter()
        .filter_map(|run| run.fail.as_deref())
        .collect();
    assert_eq!(why.len(), 2);
    assert!(
        why[0].contains("ended too early") || why[0].contains("no-such-flag"),
        "{why:?}"
    );
    assert!(session.measurements().iter().all(|run| run.arm == "good"));
    assert!(!session.measurements().is_empty());
}

#[test]
fn servers_that_never_answer_and_ports_in_use_are_told() {
    let folder = Folder::new();
    let never = looped(&[
        "--load",
        "none",
        "--runs",
        "1",
        "--start-timeout",
        "0.3s",
        "--out",
        &folder.at("a"),
        "--",
        "sleep",
        "98762.1",
    ]);
    expect_code(&never, 4);
    assert!(
        stderr(&never).contains("it does not listen"),
        "{}",
        stderr(&never)
    );
    assert!(!lives("98762.1"));
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let used = looped(&[
        "--load",
        "none",
        "--runs",
        "1",
        "--port",
        &port,
        "--out",
        &folder.at("b"),
        "--",
        "sleep",
        "98762.2",
    ]);
    expect_code(&used, 4);
    let told = format!("port {port} is not free");
    assert!(stderr(&used).contains(&told), "{}", stderr(&used));
    let crypto = looped(&[
        "--load",
        "serial",
        "--runs",
        "1",
        "--start-timeout",
        "5s",
        "--out",
        &folder.at("c"),
        "--",
        "sh",
        "-c",
        "exec python3 -m http.server $PORT --bind 127.0.0.1",
    ]);
    expect_code(&crypto, 4);
    assert!(
        stderr(&crypto).contains("needs node or bun"),
        "{}",
        stderr(&crypto)
    );
}

/// A server of one thread per connection that waits before each answer.
fn server(pause: impl Fn(usize) -> Duration + Send + Sync + Clone + 'static) -> SocketAddrV4 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (pause, served) = (pause.clone(), served.clone());
            let Ok(mut stream) = stream else { return };
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while stream.read(&mut buffer).is_ok_and(|n| n > 0) {
                    let number = served.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    std::thread::sleep(pause(number));
                    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
                    if stream.write_all(answer).is_err() {
                        return;
                    }
                }
            });
        }
    });
    SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)
}

fn sent(address: SocketAddrV4, due: &[f64], timeout: f64) -> Sendings {
    send(address, "/", due, timeout, Instant::now(), &mut || true).unwrap()
}

#[test]
fn a_slow_server_does_not_slow_the_load() {
    // Every answer takes 200 ms; 50 requests within 100 ms need as many connections.
    let address = server(|_| Duration::from_millis(200));
    let due: Vec<f64> = (0..50).map(|i| f64::from(i) * 0.002).collect();
    let sendings = sent(address, &due, 5.0);
    assert_eq!(sendings.all.len(), 50);
    assert!(sendings.connections >= 45, "{}", sendings.connections);
    for one in &sendings.all {
        assert!(one.request.intended() >= 0.2 && one.request.end.is_finite());
        assert!(one.request.send_error() >= 0.0);
    }
    let last = sendings.all.last().unwrap().request.start;
    assert!(last < 0.2, "the last one was sent after {last} s");
}

#[test]
fn what_never_comes_is_told_apart_from_what_is_wrong() {
    let address = server(|number| Duration::from_secs(if number == 3 { 60 } else { 0 }));
    let due: Vec<f64> = (0..10).map(|i| f64::from(i) * 0.02).collect();
    let sendings = sent(address, &due, 0.4);
    let late: Vec<bool> = sendings.all.iter().map(|one| one.timed_out).collect();
    assert_eq!(late.iter().filter(|late| **late).count(), 1);
    assert!(
        sendings
            .all
            .iter()
            .all(|one| one.timed_out || one.request.end.is_finite())
    );
    // Nobody listens any more: refused at once, not waited for.
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .unwrap()
        .local_addr()
        .unwrap();
    let nobody = SocketAddrV4::new(Ipv4Addr::LOCALHOST, free.port());
    let begun = Instant::now();
    let sendings = sent(nobody, &[0.0, 0.01], 5.0);
    assert!(
        sendings
            .all
            .iter()
            .all(|one| !one.timed_out && !one.request.end.is_finite())
    );
    assert!(begun.elapsed() < Duration::from_secs(2));
}

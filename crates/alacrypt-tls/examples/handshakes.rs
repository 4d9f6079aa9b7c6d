//! Client CPU per connection of bursts of handshakes, for each shape of chain: this crate against a
//! bare rustls with ring.
//!
//! ```console
//! cargo run --release -p alacrypt-tls --features ring --example handshakes -- [ROUNDS] [CONNECTIONS]
//! ```
//!
//! Each figure is the CPU time of a process of its own (cold: provider, roots and configuration are
//! made in it), from its start to the last answer, by the number of connections. One thread opens all
//! connections, sends every ClientHello before it reads anything, and is the same code for all sides.
//! Sides take turns within a round, in an order that moves on with each; `stock ring` runs twice under
//! two names, and what those two differ by is what the machine cannot tell apart (A/A). The server is
//! in this process. `resumed`: the second burst of a process, alone.
#![forbid(unsafe_code)]
// A benchmark that cannot go on should stop where it stands.
#![allow(clippy::unwrap_used, clippy::panic)]

#[cfg(unix)]
#[path = "../tests/common/mod.rs"]
mod common;

#[cfg(unix)]
fn main() {
    unix::main();
}

#[cfg(not(unix))]
fn main() {
    eprintln!("needs the CPU clock of a process, which is read on Unix only");
}

#[cfg(unix)]
mod unix {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::process::Command;
    use std::sync::Arc;
    use std::time::Duration;

    use alacrypt_tls::rustls::pki_types::CertificateDer;
    use alacrypt_tls::rustls::pki_types::pem::PemObject;
    use alacrypt_tls::rustls::{
        ClientConfig, ClientConnection, HandshakeKind, RootCertStore, crypto,
    };
    use alacrypt_tls::{Client, PostQuantum, Roots};
    use rustix::time::{ClockId, clock_gettime};

    use super::common::chain::{SHAPES, chain};
    use super::common::pem;
    use super::common::server::{Options, Server};

    /// A side: its name, and the configuration that it makes of a file of roots.
    type Side = (&'static str, fn(&str) -> Arc<ClientConfig>);

    const SIDES: [Side; 6] = [
        ("stock ring", |roots| {
            stock(crypto::ring::default_provider(), roots)
        }),
        ("stock ring (A/A)", |roots| {
            stock(crypto::ring::default_provider(), roots)
        }),
        ("stock aws-lc", |roots| {
            stock(crypto::aws_lc_rs::default_provider(), roots)
        }),
        ("alacrypt-tls", |roots| {
            ours(roots, PostQuantum::Preferred, true)
        }),
        ("… without post-quantum", |roots| {
            ours(roots, PostQuantum::Off, true)
        }),
        ("… without kept chains", |roots| {
            ours(roots, PostQuantum::Preferred, false)
        }),
    ];

    /// rustls as it comes, but with one configuration for all connections.
    fn stock(provider: crypto::CryptoProvider, roots: &str) -> Arc<ClientConfig> {
        let mut store = RootCertStore::empty();
        for certificate in CertificateDer::pem_file_iter(roots).unwrap() {
            store.add(certificate.unwrap()).unwrap();
        }
        let config = ClientConfig::builder_with_provider(Arc::new(provider))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(store)
            .with_no_client_auth();
        Arc::new(config)
    }

    fn ours(roots: &str, post_quantum: PostQuantum, keeps: bool) -> Arc<ClientConfig> {
        Client::builder()
            .roots(Roots::from_paths(Some(roots.as_ref()), None))
            .post_quantum(post_quantum)
            .keep_verified_chains(keeps)
            .build()
            .unwrap()
            .config()
    }

    pub(super) fn main() {
        let args: Vec<String> = std::env::args().skip(1).collect();
        if args.first().is_some_and(|first| first == "--client") {
            return client(&args[1..]);
        }
        let number =
            |index: usize, default| args.get(index).map_or(default, |n| n.parse().unwrap());
        let (rounds, connections) = (number(0, 10), number(1, 128));
        println!("client CPU, µs per connection, {connections} at once; median of {rounds} rounds");
        println!("ratio: to `stock ring` of the same round, median [lowest, highest]\n");
        for shape in SHAPES {
            let chain = chain(shape);
            let dir = tempfile::tempdir().unwrap();
            let roots = dir.path().join("roots.pem");
            std::fs::write(&roots, pem(&chain.root)).unwrap();
            let roots = roots.to_str().unwrap();
            for resumed in [false, true] {
                // Without tickets no connection of the burst can resume another.
                let tickets = if resumed { 2 } else { 0 };
                let server = Server::start(
                    &chain,
                    Options {
                        tickets,
                        ..Options::default()
                    },
                );
                let address = server.address.to_string();
                let run = |side: usize| {
                    let kind = if resumed { "resumed" } else { "full" };
                    let out = Command::new(std::env::current_exe().unwrap())
                        .args(["--client", SIDES[side].0, &address, roots, kind])
                        .arg(connections.to_string())
                        .output()
                        .unwrap();
                    assert!(
                        out.status.success(),
                        "{}",
                        String::from_utf8_lossy(&out.stderr)
                    );
                    let text = String::from_utf8(out.stdout).unwrap();
                    let mut words = text.split_ascii_whitespace();
                    let mut next = || words.next().unwrap().parse::<f64>().unwrap();
                    (next(), next())
                };
                report(
                    &format!("{shape:?}, {}", if resumed { "resumed" } else { "full" }),
                    rounds,
                    run,
                );
            }
        }
    }

    fn report(title: &str, rounds: usize, run: impl Fn(usize) -> (f64, f64)) {
        let mut times = vec![Vec::new(); SIDES.len()];
        let mut resumed = vec![0.0; SIDES.len()];
        for round in 0..rounds {
            for turn in 0..SIDES.len() {
                let side = (round + turn) % SIDES.len();
                let (time, count) = run(side);
                times[side].push(time);
                resumed[side] = count;
            }
        }
        println!("{title:<28} {:>8} {:>24} {:>8}", "µs", "ratio", "resumed");
        for (side, (name, _)) in SIDES.iter().enumerate() {
            let pairs = times[side].iter().zip(&times[0]);
            let ratios: Vec<f64> = pairs.map(|(time, stock)| time / stock).collect();
            let (low, mid, high) = spread(ratios);
            let (_, time, _) = spread(times[side].clone());
            let ratio = format!("{mid:.2} [{low:.2}, {high:.2}]");
            println!("  {name:<26} {time:>8.0} {ratio:>24} {:>8}", resumed[side]);
        }
        println!();
    }

    fn spread(mut values: Vec<f64>) -> (f64, f64, f64) {
        values.sort_by(f64::total_cmp);
        (
            values[0],
            values[values.len() / 2],
            values[values.len() - 1],
        )
    }

    /// The process that is measured.
    fn client(args: &[String]) {
        let [side, address, roots, kind, connections] = args else {
            panic!("--client SIDE ADDRESS ROOTS KIND CONNECTIONS");
        };
        let connections: usize = connections.parse().unwrap();
        let before = process_cpu();
        let (_, make) = SIDES.iter().find(|(name, _)| name == side).unwrap();
        let config = make(roots);
        let mut resumed = burst(&config, address, connections);
        let mut cpu = process_cpu() - before;
        if kind == "resumed" {
            let before = process_cpu();
            resumed = burst(&config, address, connections);
            cpu = process_cpu() - before;
        }
        println!("{} {resumed}", cpu.as_secs_f64() * 1e6 / connections as f64);
    }

    /// Opens all connections, sends every ClientHello, then finishes one after the other.
    fn burst(config: &Arc<ClientConfig>, address: &str, connections: usize) -> usize {
        let mut open: Vec<(ClientConnection, TcpStream)> = (0..connections)
            .map(|_| {
                let tls = ClientConnection::new(config.clone(), "localhost".try_into().unwrap());
                let tcp = TcpStream::connect(address).unwrap();
                tcp.set_nodelay(true).unwrap();
                tcp.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
                (tls.unwrap(), tcp)
            })
            .collect();
        for (tls, tcp) in &mut open {
            tls.write_tls(tcp).unwrap();
        }
        for (tls, tcp) in &mut open {
            while tls.is_handshaking() {
                tls.complete_io(tcp).unwrap();
            }
        }
        let mut resumed = 0;
        for (tls, tcp) in &mut open {
            let mut stream = rustls::Stream::new(tls, tcp);
            stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
            stream.read_to_end(&mut Vec::new()).unwrap();
            resumed += usize::from(tls.handshake_kind() == Some(HandshakeKind::Resumed));
        }
        resumed
    }

    fn process_cpu() -> Duration {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        Duration::new(
            time.tv_sec.try_into().unwrap(),
            time.tv_nsec.try_into().unwrap(),
        )
    }
}

//! `tls connect`: handshakes with a real server, timed from inside.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alacrypt_tls::{Client, PostQuantum, Provider, Roots};

use super::outcome::write;
use crate::burst::{self, Plan};
use crate::cli::{TlsConnectArgs, TlsProvider};
use crate::error::{Error, Exit, Result};
use crate::render::{self, TlsBurst};

/// Opens the connections and shows their timings.
pub(super) fn connect(args: &TlsConnectArgs) -> Result<Exit> {
    let to_stdout = |path: &&Option<_>| path.as_deref() == Some(Path::new("-"));
    if [&args.md, &args.json]
        .iter()
        .filter(|p| to_stdout(p))
        .count()
        > 1
    {
        return Err(Error::Usage("only one of --md and --json may be -".into()));
    }
    let timeout = Duration::try_from_secs_f64(args.timeout.0.min(86_400.0))
        .map_err(|error| Error::Usage(format!("--timeout: {error}")))?;
    let client = client(args)?;
    if let Some(warning) = client.warning() {
        eprintln!("warning: {warning}");
    }
    for refused in &client.roots().report().refused {
        eprintln!("note: root left out: {}: {}", refused.what, refused.reason);
    }
    let host = &args.server.host;
    let request = format!(
        "GET / HTTP/1.1\r\nHost: {host}\r\nUser-Agent: alacrypt-lab\r\nConnection: close\r\n\r\n"
    );
    let plan = Plan {
        name: args.servername.clone().unwrap_or_else(|| host.clone()),
        address: address(args, timeout)?,
        parallel: args.parallel.into(),
        rounds: args.rounds.into(),
        request: (!args.no_request).then(|| request.into_bytes()),
        timeout,
    };
    let timed = burst::run(&client, &plan);
    let found = TlsBurst {
        title: format!("{host}:{}", args.server.port),
        provider: client.provider().name(),
        plan: &plan,
        timed: &timed,
    };
    if let Some(path) = &args.md {
        write(path, &render::tls_burst_markdown(&found))?;
    }
    if let Some(path) = &args.json {
        write(path, &render::tls_burst_json(&found))?;
    }
    if ![&args.md, &args.json].iter().any(to_stdout) && !args.quiet {
        write(Path::new("-"), &render::tls_burst_terminal(&found))?;
    }
    let whole = timed.iter().all(|timed| timed.error.is_none());
    Ok(if whole { Exit::Fine } else { Exit::Incomplete })
}

fn client(args: &TlsConnectArgs) -> Result<Client> {
    let mut builder = Client::builder()
        .provider(match args.provider {
            TlsProvider::AwsLc => Provider::AwsLc,
            TlsProvider::Ring => Provider::Ring,
        })
        // A second try would be timed as if it were the first.
        .post_quantum(if args.classical {
            PostQuantum::Off
        } else {
            PostQuantum::Always
        })
        .keep_verified_chains(!args.no_chain_cache);
    if args.insecure {
        builder = builder
            .roots(Roots::from_der([]))
            .danger_accept_any_certificate();
    } else if let Some(path) = &args.ca {
        let pem = std::fs::read(path)
            .map_err(|error| Error::io(format!("read {}", path.display()), error))?;
        let roots: Arc<Roots> =
            Roots::from_pem(&pem).map_err(|error| Error::input(path, None, error.to_string()))?;
        builder = builder.roots(roots);
    }
    builder
        .build()
        .map_err(|error| Error::Usage(error.to_string()))
}

/// The first of the host's addresses that takes a connection; resolved once for all connections.
fn address(args: &TlsConnectArgs, timeout: Duration) -> Result<SocketAddr> {
    let server = &args.server;
    let doing = format!("connect to {}:{}", server.host, server.port);
    let addresses = (server.host.as_str(), server.port)
        .to_socket_addrs()
        .map_err(|error| Error::io(doing.clone(), error))?;
    let mut last = std::io::Error::new(ErrorKind::NotFound, "the name has no address");
    for address in addresses {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(_) => return Ok(address),
            Err(error) => last = error,
        }
    }
    Err(Error::io(doing, last))
}

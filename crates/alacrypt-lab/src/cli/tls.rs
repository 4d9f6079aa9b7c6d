//! The arguments of `tls` and its subcommands.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};

use super::values::Seconds;

/// Times of TLS handshakes, from outside: without keys and without root.
#[derive(Args, Debug)]
pub struct TlsArgs {
    /// Where the handshakes come from.
    #[command(subcommand)]
    pub source: TlsCommand,
}

/// Where handshakes come from.
#[derive(Debug, Subcommand)]
pub enum TlsCommand {
    /// Read a capture: pcap or pcapng
    Pcap(TlsPcapArgs),
    /// Open connections to a server at once
    Connect(TlsConnectArgs),
}

/// Read a capture: pcap (microseconds or nanoseconds) or pcapng.
///
/// Ethernet, VLAN, Linux cooked captures, raw IP and loopback; IPv4 and IPv6; segments that come
/// twice, overlap or come out of order. TLS 1.2 and 1.3, HelloRetryRequest, resumption. Nothing is
/// decrypted. A connection whose beginning is not in the capture, or with a gap before the moment
/// in question, is counted and not guessed at.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
    alacrypt-lab tls pcap capture.pcapng
    alacrypt-lab tls pcap capture.pcap --port 443 --wide --json handshakes.json
    gzip -dc capture.pcap.gz | alacrypt-lab tls pcap -")]
pub struct TlsPcapArgs {
    /// The capture (- is standard input)
    #[arg(value_name = "FILE|-")]
    pub file: PathBuf,
    /// Only connections to this port (repeatable) [default: whatever speaks TLS]
    #[arg(long, value_name = "PORT")]
    pub port: Vec<u16>,
    /// Write Markdown (- is standard output)
    #[arg(long, value_name = "FILE|-")]
    pub md: Option<PathBuf>,
    /// Write every handshake and the sums as JSON
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// List every handshake, however many there are
    #[arg(long)]
    pub wide: bool,
    /// No table on the terminal, only the files asked for
    #[arg(short, long)]
    pub quiet: bool,
}

/// Open connections to a server at once and time their handshakes from inside.
///
/// Each connection has a thread of its own, so that its CPU time, its time in the run queue of this
/// machine and the rest, which is the network and the server, are told apart. All threads start
/// together. After its handshake each connection sends one request and waits for the first byte.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
    alacrypt-lab tls connect registry.npmjs.org:443 -p 128
    alacrypt-lab tls connect localhost:8443 --ca ca.pem --rounds 2    the second round resumes
    alacrypt-lab tls connect localhost:8443 --provider ring --json -")]
pub struct TlsConnectArgs {
    /// The server
    #[arg(value_name = "HOST:PORT")]
    pub server: Authority,
    /// Connections at once
    #[arg(short, long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub parallel: u16,
    /// Rounds, one after the other; from the second on sessions are resumed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub rounds: u16,
    /// Who does the arithmetic
    #[arg(long, value_enum, default_value_t = TlsProvider::AwsLc)]
    pub provider: TlsProvider,
    /// Leave the post-quantum key share out
    #[arg(long)]
    pub classical: bool,
    /// Verify the chain of each connection anew
    #[arg(long)]
    pub no_chain_cache: bool,
    /// Trust the roots in this file (PEM) [default: SSL_CERT_FILE, SSL_CERT_DIR, the system's]
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Accept any certificate; then no chain is verified, which shows in the figures
    #[arg(long, conflicts_with = "ca")]
    pub insecure: bool,
    /// The name to ask for and to verify [default: HOST]
    #[arg(long, value_name = "NAME")]
    pub servername: Option<String>,
    /// Send no request: times end with the handshake
    #[arg(long)]
    pub no_request: bool,
    /// How long each part of a connection may take
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: Seconds,
    /// Write Markdown (- is standard output)
    #[arg(long, value_name = "FILE|-")]
    pub md: Option<PathBuf>,
    /// Write every handshake and the sums as JSON
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// No table on the terminal, only the files asked for
    #[arg(short, long)]
    pub quiet: bool,
}

/// Who does the arithmetic of a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TlsProvider {
    /// AWS-LC
    AwsLc,
    /// ring
    Ring,
}

/// `HOST:PORT`, with an IPv6 address in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// The host, without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl FromStr for Authority {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("expected HOST:PORT or [IPv6]:PORT, found {text:?}");
        let (host, port) = text.rsplit_once(':').ok_or_else(expected)?;
        let bracketed = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let host = match bracketed {
            Some(host) => host,
            None if host.contains(':') => return Err(expected()),
            None => host,
        };
        match port.parse() {
            Ok(port) if port > 0 && !host.is_empty() => Ok(Self {
                host: host.to_owned(),
                port,
            }),
            _ => Err(expected()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_ports() {
        for (text, host, port) in [
            ("a.b:443", "a.b", 443),
            ("[::1]:8443", "::1", 8_443),
            ("127.0.0.1:1", "127.0.0.1", 1),
        ] {
            let host = host.to_owned();
            assert_eq!(text.parse(), Ok(Authority { host, port }), "{text}");
        }
        for text in [
            "a.b", ":443", "::1:443", "a:0", "a:65536", "a:https", "[::1]",
        ] {
            assert!(text.parse::<Authority>().is_err(), "{text}");
        }
    }
}

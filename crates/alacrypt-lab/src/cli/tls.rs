//! The arguments of `tls` and its subcommands.

use std::path::PathBuf;

use clap::{Args, Subcommand};

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

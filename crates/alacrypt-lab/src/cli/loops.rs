//! The arguments of `loop`.

use std::fmt;
use std::str::FromStr;

use clap::Args;

use super::groups::{AnalysisArgs, MeasureArgs, OutputArgs, SelectArgs};
use super::values::{Named, Seconds};

/// Compare servers: latency of requests and delay of the event loop, while they compute.
///
/// Each run starts a server, sends requests at fixed moments whatever it answers, and measures from
/// the intended moment of each, so that a server that stalls cannot hide it. Within Node and Bun a
/// timer of one millisecond shows the delay of the event loop, with the samples that a block loses
/// filled in, and a crypto load by WebCrypto runs in the same process: none, serial (one operation
/// after the other), fanout:K (K at once, then again) or mixed:K (the same, while RSA keys are
/// generated).
///
/// Each -n names a runtime with its flags; the built-in server, or the one behind --, follows it.
/// Each run settles for --settle first, so there is no warm-up round; --warmup 2 or more adds some.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  The built-in server on stock Node, with a preload, and with a preload in another mode:
    alacrypt-lab loop -n stock=node -n ours='node --import alacrypt/register' \\
        -n strict='MODE=strict node --import alacrypt/register' --html loop.html
  One load, one operation, more requests:
    alacrypt-lab loop -n stock=node -n ours='node --import ./fast.mjs' \\
        --load fanout:100 --op digest:65536 --rate 2000 --duration 20s
  A server of one's own, which listens on the port in the variable PORT:
    alacrypt-lab loop -n node22=./node22 -n node24=./node24 --load none -- server.js
  Anything that speaks HTTP on a port of its own:
    alacrypt-lab loop --port 8080 --load none -- ./server --listen 127.0.0.1:8080")]
pub struct LoopArgs {
    /// A runtime with flags: NAME=COMMAND (repeatable; the first is the base)
    #[arg(short = 'n', long = "name", value_name = "NAME=COMMAND")]
    pub commands: Vec<Named>,
    /// The server, behind each command [default: the built-in one]
    #[arg(value_name = "SERVER", last = true)]
    pub server: Vec<String>,
    /// Crypto loads: none, serial, fanout:K, mixed:K; each is measured by itself
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "none,serial,fanout:10,fanout:100,fanout:1000,mixed:100"
    )]
    pub load: Vec<LoadWord>,
    /// Operations of the load, in turns, with the size of their input: digest, hmac, aes-gcm, hkdf,
    /// pbkdf2, ecdsa-sign, ecdsa-verify, rsa-sign, rsa-verify
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "digest:1024,hmac:1024,aes-gcm:1024,hkdf,ecdsa-sign,ecdsa-verify"
    )]
    pub op: Vec<String>,
    /// Requests per second
    #[arg(long, value_name = "N", default_value_t = 500.0, value_parser = rate)]
    pub rate: f64,
    /// Send at random moments (Poisson) instead of evenly spaced ones
    #[arg(long)]
    pub poisson: bool,
    /// How long each run is measured
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub duration: Seconds,
    /// How long the same is done before, unmeasured
    #[arg(long, value_name = "TIME", default_value = "2s")]
    pub settle: Seconds,
    /// An answer that takes longer counts as none
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub answer_timeout: Seconds,
    /// How long a server may take to answer for the first time
    #[arg(long, value_name = "TIME", default_value = "15s")]
    pub start_timeout: Seconds,
    /// What is asked for; of the built-in server, /crypto answers after one operation
    #[arg(long, value_name = "PATH", default_value = "/")]
    pub path: String,
    /// The port that the server listens on [default: a free one, in the variable PORT]
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Once before the first run, and again when a session is resumed
    #[arg(long, value_name = "COMMAND")]
    pub setup: Option<String>,
    /// Once after the last run, also of a session that was interrupted
    #[arg(long, value_name = "COMMAND")]
    pub cleanup: Option<String>,
    /// Which rows.
    #[command(flatten)]
    pub select: SelectArgs,
    /// How it is measured.
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// How it is judged.
    #[command(flatten)]
    pub analysis: AnalysisArgs,
    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// A crypto load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadWord {
    /// The server alone.
    None,
    /// One operation after the other.
    Serial,
    /// So many at once, then again.
    Fanout(u32),
    /// The same, while RSA keys are generated.
    Mixed(u32),
}

impl FromStr for LoadWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let width = |text: &str| match text.parse() {
            Ok(width @ 1..=100_000) => Ok(width),
            _ => Err(format!("{text:?} operations at once: expected 1 to 100000")),
        };
        match text.split_once(':') {
            None if text == "none" => Ok(Self::None),
            None if text == "serial" => Ok(Self::Serial),
            None if text == "mixed" => Ok(Self::Mixed(100)),
            Some(("fanout", text)) => width(text).map(Self::Fanout),
            Some(("mixed", text)) => width(text).map(Self::Mixed),
            _ => Err("expected none, serial, fanout:K or mixed:K".into()),
        }
    }
}

impl fmt::Display for LoadWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Serial => f.write_str("serial"),
            Self::Fanout(width) => write!(f, "fanout:{width}"),
            Self::Mixed(width) => write!(f, "mixed:{width}"),
        }
    }
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if (0.1..=200_000.0).contains(&rate) => Ok(rate),
        _ => Err("expected requests per second, 0.1 to 200000".into()),
    }
}

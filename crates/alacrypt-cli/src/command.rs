//! `alacrypt fetch`.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alacrypt_tls::fetch::{Fetched, Fetcher, Request};
use alacrypt_tls::{Client, Error, Roots};
use clap::{Args, Parser, Subcommand};

use crate::lockfile;
use crate::npmrc::Npmrc;
use crate::plan::plan;
use crate::report::Report;

/// Fast cryptography and TLS for JavaScript projects.
#[derive(Debug, Parser)]
#[command(name = "alacrypt", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Fetch every tarball of a lock file into npm's cache
    Fetch(FetchArgs),
}

/// Fetch every tarball of a lock file into npm's cache.
///
/// Many at once, each checked against its integrity value while it comes. What is there already is not
/// fetched again, and what an earlier run left broken is gone on with. Afterwards `npm ci --offline`
/// (with the same --cache) finds the tarballs of a lock file that has their addresses.
///
/// Registries, credentials, proxies and certificates come from npm's configuration: npm_config_… in
/// the environment, the project's .npmrc, the user's. Credentials are sent only below the path that they
/// are configured for; a redirect elsewhere does not get them.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
    alacrypt fetch
    alacrypt fetch --lockfile app/package-lock.json --cache /tmp/npm-cache --http1 -c 64

Exit codes: 0 all are there · 1 some failed, or could not be fetched · 2 wrong usage or input · \
130 interrupted")]
struct FetchArgs {
    /// The lock file
    #[arg(long, value_name = "FILE", default_value = "package-lock.json")]
    lockfile: PathBuf,
    /// npm's cache [default: that of npm's configuration, else ~/.npm]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Another registry than that of npm's configuration
    #[arg(long, value_name = "URL")]
    registry: Option<String>,
    /// Downloads at once; over HTTP/1.1 each has its own connection
    #[arg(short, long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u16).range(1..=1024))]
    connections: u16,
    /// Speak HTTP/1.1 also with servers that know HTTP/2
    #[arg(long)]
    http1: bool,
    /// Trust Mozilla's roots, as built in, if the system has none
    #[arg(long)]
    bundled_roots: bool,
    /// How long each step may take, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..))]
    timeout: u16,
    /// Print what came of it as JSON
    #[arg(long)]
    json: bool,
    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
}

/// Parses the arguments, does what they say, and turns the outcome into an exit code.
pub fn main() -> ExitCode {
    let Command::Fetch(args) = Cli::parse().command;
    // Roots and the generator's seed are wanted in any case; files are read meanwhile.
    alacrypt_tls::warm_up();
    match fetch(&args) {
        Ok(code) => ExitCode::from(code),
        Err(why) => {
            eprintln!("alacrypt: {why}");
            ExitCode::from(2)
        }
    }
}

fn fetch(args: &FetchArgs) -> Result<u8, String> {
    let text = read(&args.lockfile)?;
    let lock =
        lockfile::parse(&text).map_err(|why| format!("{}: {why}", args.lockfile.display()))?;
    let npmrc = configuration(args)?;
    let cache = match (&args.cache, npmrc.value("cache")) {
        (Some(cache), _) => cache.clone(),
        (None, Some(cache)) => PathBuf::from(cache),
        (None, None) => home()
            .map(|home| home.join(".npm"))
            .ok_or("there is no home folder for a cache: give --cache")?,
    };
    let (planned, left_out) = plan(&lock, &npmrc, &cache);
    for (name, why) in &left_out {
        eprintln!("left out: {name} {why}");
    }
    let fetcher = Arc::new(fetcher(args, &npmrc).map_err(|error| error.to_string())?);
    let requests: Vec<Request> = planned
        .iter()
        .map(|planned| planned.request.clone())
        .collect();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| format!("the runtime does not start: {error}"))?;
    let start = Instant::now();
    let Some(results) = runtime.block_on(all(&fetcher, requests, args)) else {
        eprintln!("alacrypt: interrupted; what was begun goes on the next time");
        return Ok(130);
    };
    let report = Report {
        results: planned
            .iter()
            .map(|planned| &planned.name[..])
            .zip(&results)
            .collect(),
        left_out: &left_out,
        handshakes: &fetcher.handshakes(),
        took: start.elapsed(),
    };
    for (name, error) in report.failed() {
        eprintln!("failed: {name}: {} {error}", error.code());
    }
    if !args.quiet {
        let text = if args.json {
            report.json()
        } else {
            report.text()
        };
        // A reader that has seen enough is no error.
        let _ = std::io::stdout().write_all(text.as_bytes());
    }
    let whole = report.failed().next().is_none() && left_out.is_empty();
    Ok(u8::from(!whole))
}

/// The results, or none after Ctrl-C: then the downloads are dropped, which keeps what came.
async fn all(
    fetcher: &Arc<Fetcher>,
    requests: Vec<Request>,
    args: &FetchArgs,
) -> Option<Vec<Result<Fetched, Error>>> {
    let of = requests.len();
    let shows = !args.quiet && std::io::stderr().is_terminal();
    let (mut done, mut shown) = (0, Instant::now());
    let progress = |_: usize, _: &Result<Fetched, Error>| {
        done += 1;
        if shows && (shown.elapsed() > Duration::from_millis(100) || done == of) {
            shown = Instant::now();
            let end = if done == of { "\n" } else { "" };
            eprint!("\r{done} of {of} files{end}");
        }
    };
    tokio::select! {
        results = fetcher.fetch_all(requests, progress) => Some(results),
        _ = tokio::signal::ctrl_c() => None,
    }
}

fn configuration(args: &FetchArgs) -> Result<Npmrc, String> {
    let variable = |name: &str| std::env::var(name).ok();
    let mut npmrc =
        Npmrc::of_environment(std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }));
    if let Some(registry) = &args.registry {
        npmrc = Npmrc::parse(&format!("registry={registry}"), |_| None).over(npmrc);
    }
    let project = args
        .lockfile
        .parent()
        .unwrap_or(Path::new(""))
        .join(".npmrc");
    let user = npmrc.value("userconfig").map(PathBuf::from);
    let user = user.or_else(|| Some(home()?.join(".npmrc")));
    for path in std::iter::once(project).chain(user) {
        match std::fs::read_to_string(&path) {
            Ok(text) => npmrc = npmrc.over(Npmrc::parse(&text, variable)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{}: {error}", path.display())),
        }
    }
    Ok(npmrc)
}

fn fetcher(args: &FetchArgs, npmrc: &Npmrc) -> Result<Fetcher, Error> {
    let alpn: &[&str] = if args.http1 {
        &["http/1.1"]
    } else {
        &["h2", "http/1.1"]
    };
    let mut builder = Client::builder()
        .alpn(alpn)
        .bundled_roots_if_empty(args.bundled_roots);
    let file = |path: &str| -> Result<Vec<u8>, Error> {
        std::fs::read(path).map_err(|cause| Error::File {
            path: path.into(),
            cause,
        })
    };
    if npmrc.is_false("strict-ssl") {
        eprintln!("warning: strict-ssl=false: certificates are not verified");
        builder = builder.danger_accept_any_certificate();
    } else if let Some(path) = npmrc.value("cafile") {
        builder = builder.roots(Roots::from_pem(&file(path)?)?);
    } else if let Some(pem) = npmrc.value("ca") {
        builder = builder.roots(Roots::from_pem(pem.replace("\\n", "\n").as_bytes())?);
    } else if let Some(path) = std::env::var_os("NODE_EXTRA_CA_CERTS").filter(|p| !p.is_empty()) {
        let extra = Roots::from_paths(Some(path.as_ref()), None);
        builder = builder.roots(Roots::system().and(&extra));
    }
    let client = builder.build()?;
    if let Some(warning) = client.warning() {
        eprintln!("warning: {warning}");
    }
    for refused in &client.roots().report().refused {
        eprintln!("note: root left out: {}: {}", refused.what, refused.reason);
    }
    let fetcher = Fetcher::new(client)?
        .at_once(args.connections.into())
        .patience(Duration::from_secs(args.timeout.into()));
    // Without a word of npm's about proxies, the environment's own variables hold.
    let [https, http, none_for] = ["https-proxy", "proxy", "noproxy"].map(|key| npmrc.value(key));
    if https.or(http).or(none_for).is_none() {
        return Ok(fetcher);
    }
    let variable = |names: [&str; 2]| names.into_iter().find_map(|name| std::env::var(name).ok());
    let of_https = variable(["HTTPS_PROXY", "https_proxy"]);
    let of_http = variable(["HTTP_PROXY", "http_proxy"]);
    let no_proxy = variable(["NO_PROXY", "no_proxy"]).unwrap_or_default();
    let https = https.or(http).or(of_https.as_deref());
    let http = http.or(of_http.as_deref());
    Ok(fetcher.proxies(https, http, none_for.unwrap_or(&no_proxy)))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| !home.as_os_str().is_empty())
}

//! The hidden subcommand of one run: start the server, load it, ask it for its stamps, end it.

use super::figures::{Told, of_loop, of_requests};
use super::generator::{Sendings, send};
use crate::cli::CpuList;
use crate::error::{Error, Result};
use crate::measure::random::Random;
use crate::measure::shim::telling_line;
use crate::session::{Load, LoadFigures};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Its name.
pub const SUBCOMMAND: &str = "__loop";
/// How long a server has to answer the last question, and then to end.
const LAST_ANSWER: Duration = Duration::from_secs(30);
const GRACE: Duration = Duration::from_secs(2);

/// What one run is to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Order {
    /// The same for all runs.
    pub load: Load,
    /// The crypto load: `none`, `serial`, `fanout:K`, `mixed:K`.
    pub crypto: String,
    /// Of the moments of sending, where they are random.
    pub seed: u64,
    /// What watches the loop, and where the figures go.
    pub preload: PathBuf,
    /// See there.
    pub result: PathBuf,
    /// Processors of the server; the generator takes others where there are any.
    pub cpus: Vec<usize>,
}

/// Does one run: `ORDER -- SERVER…`.
pub fn main(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let order = arguments.next().unwrap_or_default();
    let server: Vec<OsString> = arguments.skip_while(|word| word == "--").collect();
    let done = serde_json::from_str(&order.to_string_lossy())
        .map_err(|_| Error::Usage("this is part of alacrypt-lab; see alacrypt-lab loop".into()))
        .and_then(|order: Order| run(&order, &server));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A server that ends with this.
struct Server(Child);

impl Server {
    fn ended(&mut self) -> Option<String> {
        let status = self.0.try_wait().ok().flatten()?;
        let how = format!("the server ended too early ({status})");
        Some(match last_words() {
            Some(line) => format!("{how}: {line}"),
            None => how,
        })
    }
}

/// The line that says most of what the server wrote to its errors, which are this process's too.
fn last_words() -> Option<String> {
    let path = "/proc/self/fd/2";
    // Anything but the file that the launcher gives might never end.
    std::fs::metadata(path)
        .ok()
        .filter(std::fs::Metadata::is_file)?;
    let text = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&text);
    telling_line(&text).map(str::to_owned)
}

impl Drop for Server {
    fn drop(&mut self) {
        let Ok(group) = i32::try_from(self.0.id()) else {
            return;
        };
        let group = Pid::from_raw(group);
        // Gone already where these fail.
        let _ = killpg(group, Signal::SIGTERM);
        let asked = Instant::now();
        while asked.elapsed() < GRACE {
            if !matches!(self.0.try_wait(), Ok(None)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = killpg(group, Signal::SIGKILL);
        let _ = self.0.wait();
    }
}

fn run(order: &Order, words: &[OsString]) -> Result<()> {
    let load = &order.load;
    let port = free_port(load.port)?;
    let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    let socket = order.result.with_extension("sock");
    let _ = std::fs::remove_file(&socket);
    let listener = UnixListener::bind(&socket);
    let listener = listener.map_err(|e| Error::io("listen to the server's event loop", e))?;
    let watched = preloaded(words, order);
    let child = Command::new(&watched.words[0])
        .args(&watched.words[1..])
        .env("PORT", port.to_string())
        .env("LAB_LOOP_CONTROL", &socket)
        .env_remove("NODE_CHANNEL_FD")
        .stdin(Stdio::null())
        .stdout(std::io::stderr())
        .process_group(0)
        .spawn()
        .map_err(|e| Error::io(format!("start {}", words[0].to_string_lossy()), e))?;
    let mut server = Server(child);
    leave_cpus(&order.cpus);
    prepare_this_process();
    await_answer(&mut server, address, load)?;
    let mut control = match watched.known {
        true => Some(Control::accept(&listener, &mut server)?),
        false if order.crypto == "none" => None,
        false => {
            return Err(Error::Usage(format!(
                "a crypto load needs node or bun as the program itself, not {}",
                words[0].to_string_lossy()
            )));
        }
    };
    if let (Some(control), Some(job)) = (&mut control, job(order)?) {
        control.say(&job)?;
        // Keys are made first; the load's own clock begins with it.
        let answer = control.line(&mut server)?;
        if let Some(error) = answer["error"].as_str() {
            return Err(Error::Failed(format!("the crypto load failed: {error}")));
        }
    }
    let due = moments(load, order.seed);
    let started = Instant::now();
    let began_us = unix_us();
    let mut marked = false;
    let mut gone = None;
    let sendings = send(
        address,
        &load.path,
        &due,
        load.timeout_s,
        started,
        &mut || {
            if !marked && started.elapsed().as_secs_f64() >= load.warm_s {
                marked = true;
                if let Some(control) = &mut control {
                    // A server that is gone is seen below.
                    let _ = control.say(&serde_json::json!({ "mark": true }));
                }
            }
            gone = server.ended();
            gone.is_none()
        },
    )?;
    if let Some(why) = gone {
        return Err(Error::Failed(why));
    }
    let mut figures = of_sendings(load, &sendings)?;
    if let Some(mut control) = control {
        let told = control.ask(&mut server)?;
        if told.full {
            return Err(Error::Failed("the run is too long for its stamps".into()));
        }
        let from = began_us + load.warm_s * 1e6;
        let (delay, crypto) = of_loop(&told, from, from + load.duration_s * 1e6);
        if let Some(error) = crypto.error.as_ref().filter(|_| crypto.per_second == 0.0) {
            return Err(Error::Failed(format!("the crypto load failed: {error}")));
        }
        figures.delay = delay;
        figures.crypto = (order.crypto != "none").then_some(crypto);
        figures.utilization = told.utilization;
        figures.runtime = control.runtime;
    }
    drop(server);
    let _ = std::fs::remove_file(&socket);
    if let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) {
        let us = |time: nix::sys::time::TimeVal| {
            u64::try_from(nix::sys::time::TimeValLike::num_microseconds(&time)).unwrap_or(0)
        };
        figures.generator_cpu_us = [us(usage.user_time()), us(usage.system_time())];
    }
    let text = serde_json::to_string(&figures)
        .map_err(|e| Error::Failed(format!("cannot write the figures: {e}")))?;
    std::fs::write(&order.result, text).map_err(|e| Error::io("write the run's figures", e))
}

fn unix_us() -> f64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0.0, |since| since.as_secs_f64() * 1e6)
}

/// When requests are due, seconds after the start.
pub fn moments(load: &Load, seed: u64) -> Vec<f64> {
    let end = load.warm_s + load.duration_s;
    if !load.poisson {
        let n = (end * load.rate).floor() as usize;
        return (0..n).map(|i| i as f64 / load.rate).collect();
    }
    let mut random = Random::stream(seed, 0);
    let mut at = 0.0;
    let mut all = Vec::new();
    loop {
        // Uniform on (0, 1], from 53 bits.
        let uniform = ((random.draw() >> 11) as f64 + 1.0) / (1u64 << 53) as f64;
        at -= uniform.ln() / load.rate;
        if at >= end {
            return all;
        }
        all.push(at);
    }
}

fn of_sendings(load: &Load, sendings: &Sendings) -> Result<LoadFigures> {
    let window = || {
        let all = sendings.all.iter();
        all.filter(|sent| sent.request.due >= load.warm_s)
    };
    let requests = window().count();
    let answered = window().filter(|s| s.request.end.is_finite()).count();
    let timed_out = window().filter(|s| s.timed_out).count();
    if requests == 0 {
        return Err(Error::Failed(
            "no request was due: the rate is too low for the duration".into(),
        ));
    }
    let [latency, service, send_error] = of_requests(sendings, load.warm_s);
    Ok(LoadFigures {
        requests: requests as u64,
        rate: load.rate,
        answered_per_second: answered as f64 / load.duration_s,
        failed: (requests - answered - timed_out) as u64,
        timed_out: timed_out as u64,
        backlog: sendings.backlog as u64,
        connections: sendings.connections,
        latency,
        service,
        send_error,
        ..LoadFigures::default()
    })
}

/// The port asked for, if nothing listens there; else one that is free.
fn free_port(wanted: Option<u16>) -> Result<u16> {
    let at = SocketAddrV4::new(Ipv4Addr::LOCALHOST, wanted.unwrap_or(0));
    let bound = TcpListener::bind(at).and_then(|listener| listener.local_addr());
    match (bound, wanted) {
        (Ok(address), _) => Ok(address.port()),
        (Err(e), Some(port)) => Err(Error::Failed(format!("port {port} is not free: {e}"))),
        (Err(e), None) => Err(Error::io("find a free port", e)),
    }
}

struct Watched {
    words: Vec<OsString>,
    known: bool,
}

/// The server's words with the preload, where the program is a runtime that takes one.
fn preloaded(words: &[OsString], order: &Order) -> Watched {
    let name = std::path::Path::new(&words[0])
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let flag = if name.starts_with("node") {
        "--require"
    } else if name.starts_with("bun") {
        "--preload"
    } else {
        return Watched {
            words: words.to_vec(),
            known: false,
        };
    };
    let mut all = vec![words[0].clone(), flag.into(), order.preload.clone().into()];
    all.extend_from_slice(&words[1..]);
    Watched {
        words: all,
        known: true,
    }
}

/// Leaves the server's processors to the server, where there are others.
fn leave_cpus(servers: &[usize]) {
    if servers.is_empty() {
        return;
    }
    let online = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let Ok(CpuList(known)) = online.trim().parse() else {
        return;
    };
    let mut set = CpuSet::new();
    let mut any = false;
    for cpu in known.into_iter().filter(|cpu| !servers.contains(cpu)) {
        any |= set.set(cpu).is_ok();
    }
    if any {
        // Where it is not allowed, both share; the plan has said so.
        let _ = sched_setaffinity(Pid::from_raw(0), &set);
    }
}

/// Timers of this process to the nanosecond, and as many descriptors as it may have.
fn prepare_this_process() {
    // Both only make the load better; its own error is reported in any case.
    let _ = nix::sys::prctl::set_timerslack(1);
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
}

/// Waits until the server answers.
fn await_answer(server: &mut Server, address: SocketAddrV4, load: &Load) -> Result<()> {
    let begun = Instant::now();
    let limit = Duration::from_secs_f64(load.start_timeout_s);
    let mut last = "it does not listen";
    while begun.elapsed() < limit {
        if let Some(why) = server.ended() {
            return Err(Error::Failed(why));
        }
        let one = send(
            address,
            &load.path,
            &[0.0],
            1.0,
            Instant::now(),
            &mut || true,
        )?;
        match one.all.first() {
            Some(sent) if sent.request.end.is_finite() => return Ok(()),
            Some(sent) if sent.timed_out => last = "it listens and does not answer",
            Some(sent) if sent.request.start.is_finite() => last = "its answer is no success",
            _ => {}
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(Error::Failed(format!(
        "the server gave no answer at {address}{} within {} s: {last}; it has to listen on the \
         port in the variable PORT, or --port says which",
        load.path, load.start_timeout_s
    )))
}

/// The crypto load as the preload takes it.
fn job(order: &Order) -> Result<Option<serde_json::Value>> {
    let (kind, width) = match order.crypto.split_once(':') {
        Some((kind, width)) => (kind, width.parse::<u32>().unwrap_or(0)),
        None => (order.crypto.as_str(), 100),
    };
    match kind {
        "none" => Ok(None),
        "serial" | "fanout" | "mixed" if width > 0 => Ok(Some(serde_json::json!({
            "load": { "kind": kind, "width": width, "operations": order.load.operations }
        }))),
        _ => Err(Error::Usage(format!("{}: no such load", order.crypto))),
    }
}

/// The line to the preload.
struct Control {
    stream: UnixStream,
    reader: BufReader<UnixStream>,
    runtime: Option<String>,
}

impl Control {
    fn accept(listener: &UnixListener, server: &mut Server) -> Result<Self> {
        let failed = |e| Error::io("hear of the server's event loop", e);
        let mut fds = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
        let ready = poll(&mut fds, PollTimeout::from(5000u16)).unwrap_or(0);
        if ready == 0 {
            let why = server.ended();
            return Err(Error::Failed(why.unwrap_or_else(|| {
                "the server's event loop cannot be watched: its preload did not speak".into()
            })));
        }
        let (stream, _) = listener.accept().map_err(failed)?;
        stream.set_read_timeout(Some(LAST_ANSWER)).map_err(failed)?;
        let reader = BufReader::new(stream.try_clone().map_err(failed)?);
        let mut this = Self {
            stream,
            reader,
            runtime: None,
        };
        let hello = this.line(server)?;
        let runtime = hello["hello"]["runtime"].as_str();
        this.runtime = runtime.map(str::to_owned);
        Ok(this)
    }

    fn say(&mut self, message: &serde_json::Value) -> Result<()> {
        writeln!(self.stream, "{message}").map_err(|e| Error::io("speak to the server", e))
    }

    fn line(&mut self, server: &mut Server) -> Result<serde_json::Value> {
        let mut text = String::new();
        let read = self.reader.read_line(&mut text);
        match (read, serde_json::from_str(&text)) {
            (Ok(n), Ok(value)) if n > 0 => Ok(value),
            _ => Err(Error::Failed(server.ended().unwrap_or_else(|| {
                format!(
                    "the server's event loop did not answer within {} s: something blocks it",
                    LAST_ANSWER.as_secs()
                )
            }))),
        }
    }

    fn ask(&mut self, server: &mut Server) -> Result<Told> {
        self.say(&serde_json::json!({ "stop": true }))?;
        let mut line = self.line(server)?;
        serde_json::from_value(line["told"].take())
            .map_err(|e| Error::Failed(format!("the server's stamps cannot be read: {e}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(poisson: bool) -> Load {
        Load {
            rate: 1000.0,
            poisson,
            duration_s: 9.0,
            warm_s: 1.0,
            timeout_s: 1.0,
            start_timeout_s: 1.0,
            path: "/".into(),
            port: None,
            operations: Vec::new(),
        }
    }

    #[test]
    fn moments_have_the_rate_that_was_asked_for() {
        let even = moments(&load(false), 1);
        assert_eq!((even.len(), even[1]), (10_000, 0.001));
        let random = moments(&load(true), 1);
        assert!(random.windows(2).all(|pair| pair[0] < pair[1]));
        // Four standard deviations of a Poisson count.
        assert!((random.len() as f64 - 10_000.0).abs() < 400.0);
        assert_eq!(random, moments(&load(true), 1));
        assert_ne!(random, moments(&load(true), 2));
    }
}

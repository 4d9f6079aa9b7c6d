//! The lab's side: start a shim, collect its report and the benchmark's messages, end it early.

use super::child::SUBCOMMAND;
use super::relay::Relay;
use super::report::Report;
use super::{netns, tree};
use crate::error::{Error, Result};
use crate::measure::interrupt::{Interrupt, Wish};
use crate::measure::machine::NoiseProbe;
use crate::session::{Limit, Net, Noise};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What is the same for all runs of a session.
#[derive(Debug)]
pub struct Launcher {
    /// This program.
    pub program: PathBuf,
    /// Processors that runs may use; all when empty.
    pub cpus: Vec<usize>,
    /// What each process of a run may use.
    pub limits: Vec<Limit>,
    /// `host`, `none` or `private`.
    pub net: String,
    /// The way outside of private namespaces.
    pub relay: Option<Relay>,
    /// Traffic of the machine per second while nothing is measured, to be taken off a run's own
    /// when the whole machine's is counted.
    pub idle: Option<Net>,
    /// Whether the memory of the whole tree is followed.
    pub tree_memory: bool,
    /// Longest time of one run.
    pub timeout: Option<Duration>,
    /// How long descendants may outlive the command.
    pub linger: Duration,
    /// Where the commands' errors go while they run.
    pub errors: File,
    /// Beginning of this stretch of the session.
    pub epoch: Instant,
    /// What the session's clock showed then, ns.
    pub begun_ns: u64,
}

/// One run to be made.
#[derive(Debug, Clone, Default)]
pub struct Spec {
    /// Program and arguments.
    pub argv: Vec<OsString>,
    /// Variables added to the environment.
    pub env: BTreeMap<String, String>,
    /// Length of `LAB_PAD`: it moves the stack, so that no arm is lucky with one layout.
    pub pad: usize,
    /// Whether the command gets Node's message channel.
    pub channel: bool,
    /// Whether the session's limits are left out, as for what only prepares a run.
    pub without_limits: bool,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// By itself, or by its time limit.
    Ended,
    /// Killed because the user wished it; no measurement.
    Killed,
}

/// One run that was made.
#[derive(Debug)]
pub struct Outcome {
    /// What the shim says.
    pub report: Report,
    /// Start on the session's clock, ns.
    pub start_ns: u64,
    /// Lines that came through the channel.
    pub messages: Vec<Vec<u8>>,
    /// What else the machine did.
    pub noise: Noise,
    /// Last line that the command wrote to its errors.
    pub last_error: Option<String>,
    /// Why it ended.
    pub verdict: Verdict,
}

impl Launcher {
    /// Makes one run. `tick` is called about ten times per second.
    ///
    /// # Errors
    /// When no shim can be started or its report cannot be read; a command that fails is an
    /// [`Outcome`], not an error.
    pub fn launch(
        &mut self,
        spec: &Spec,
        interrupt: &Interrupt,
        tick: &mut dyn FnMut(),
    ) -> Result<Outcome> {
        self.errors
            .set_len(0)
            .and_then(|()| self.errors.seek(SeekFrom::Start(0)))
            .map_err(|e| Error::io("empty the file of a run's errors", e))?;
        let (mut command, channel) = self.command(spec)?;
        let host_net = (self.net == "host").then(host_counters).flatten();
        let mut probe = NoiseProbe::begin(&self.cpus);
        let elapsed_ns = u64::try_from(self.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let start_ns = self.begun_ns.saturating_add(elapsed_ns);
        let mut shim = command
            .spawn()
            .map_err(|e| Error::io("start the measuring shim", e))?;
        drop(command);
        let (ours, theirs) = match channel {
            Some((ours, theirs)) => (Some(ours), Some(theirs)),
            None => (None, None),
        };
        drop(theirs);
        let listened = listen(&mut shim, ours, interrupt, tick);
        if listened.is_err() {
            end(&mut shim);
        }
        shim.wait()
            .map_err(|e| Error::io("wait for the measuring shim", e))?;
        let (line, messages, verdict) = listened?;
        let mut report: Report = match serde_json::from_slice(&line) {
            Ok(report) => report,
            Err(_) if verdict == Verdict::Killed => Report {
                exit: 137,
                ..Report::default()
            },
            Err(e) => {
                return Err(Error::Failed(format!(
                    "the measuring shim told nothing: {e}"
                )));
            }
        };
        let cpu_us = report.user_us + report.sys_us;
        let noise = probe.end(cpu_us);
        if report.net.is_none() {
            let seconds = report.tree_ns as f64 / 1e9;
            report.net = host_net
                .zip(host_counters())
                .map(|(before, after)| netns::difference(&before, &after))
                .map(|net| match &self.idle {
                    Some(idle) => netns::less(&net, idle, seconds),
                    None => net,
                });
        }
        let last_error = self.last_error();
        Ok(Outcome {
            report,
            start_ns,
            messages,
            noise,
            last_error,
            verdict,
        })
    }

    fn command(&self, spec: &Spec) -> Result<(Command, Option<(UnixStream, UnixStream)>)> {
        let errors = self.errors.try_clone();
        let errors = errors.map_err(|e| Error::io("share the file of a run's errors", e))?;
        let mut command = Command::new(&self.program);
        command
            .arg(SUBCOMMAND)
            .arg(format!("net={}", self.net))
            .arg(format!("linger-ms={}", self.linger.as_millis()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            // A Ctrl-C on the terminal is the lab's to answer.
            .process_group(0)
            .envs(&spec.env)
            .env("LAB_PAD", "x".repeat(spec.pad))
            .env_remove("NODE_CHANNEL_FD");
        if let Some(relay) = self.relay.as_ref().filter(|_| self.net == "private") {
            let mut word = OsString::from("relay=");
            word.push(relay.socket());
            command.arg(word);
        }
        if self.tree_memory {
            command.arg("tree-memory");
        }
        if !self.cpus.is_empty() {
            let list: Vec<String> = self.cpus.iter().map(usize::to_string).collect();
            command.arg(format!("cpus={}", list.join(",")));
        }
        for limit in self.limits.iter().filter(|_| !spec.without_limits) {
            command.arg(format!("limit={limit}"));
        }
        if let Some(timeout) = self.timeout {
            command.arg(format!("timeout-ms={}", timeout.as_millis()));
        }
        let channel = if spec.channel {
            let refused = |e| Error::io("make the benchmark's message channel", e);
            let (ours, theirs) = UnixStream::pair().map_err(refused)?;
            ours.set_nonblocking(true).map_err(refused)?;
            // The one descriptor that the shim and the benchmark are to inherit.
            fcntl(&theirs, FcntlArg::F_SETFD(FdFlag::empty())).map_err(|e| refused(e.into()))?;
            command
                .env("NODE_CHANNEL_FD", theirs.as_raw_fd().to_string())
                .env("NODE_CHANNEL_SERIALIZATION_MODE", "json");
            Some((ours, theirs))
        } else {
            None
        };
        command.arg("--").args(&spec.argv);
        Ok((command, channel))
    }

    fn last_error(&mut self) -> Option<String> {
        // Only told to a person: unreadable errors are no reason to lose a run.
        let length = self.errors.metadata().ok()?.len();
        self.errors
            .seek(SeekFrom::Start(length.saturating_sub(4096)))
            .ok()?;
        let mut text = Vec::new();
        (&self.errors).take(4096).read_to_end(&mut text).ok()?;
        let text = String::from_utf8_lossy(&text);
        telling_line(&text).map(str::to_owned)
    }
}

/// The line that says most: the first that names an error, else the last that is not empty.
pub(crate) fn telling_line(text: &str) -> Option<&str> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let names_error = |line: &&str| {
        let head = line.split(':').next().unwrap_or_default();
        // With a code, as Node writes it: `Error [ERR_X]`.
        let name = head.split(" [").next().unwrap_or(head);
        head.len() < line.len() && name.ends_with("Error") || line.starts_with("error")
    };
    lines().find(names_error).or_else(|| lines().next_back())
}

/// Reads the report and the messages until the shim closes both.
fn listen(
    shim: &mut Child,
    mut channel: Option<UnixStream>,
    interrupt: &Interrupt,
    tick: &mut dyn FnMut(),
) -> Result<(Vec<u8>, Vec<Vec<u8>>, Verdict)> {
    let failed = |e| Error::io("listen to the measuring shim", e);
    let mut stdout = shim
        .stdout
        .take()
        .ok_or_else(|| Error::Failed("no pipe to the shim".into()))?;
    let mut verdict = Verdict::Ended;
    let (mut line, mut bytes) = (Vec::new(), Vec::new());
    let mut buffer = [0u8; 1 << 14];
    loop {
        let mut fds = vec![PollFd::new(stdout.as_fd(), PollFlags::POLLIN)];
        if let Some(channel) = &channel {
            fds.push(PollFd::new(channel.as_fd(), PollFlags::POLLIN));
        }
        match poll(&mut fds, PollTimeout::from(100u16)) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(failed(error.into())),
        }
        let report_ready = fds[0].any() == Some(true);
        let channel_ready = fds.get(1).and_then(PollFd::any) == Some(true);
        if channel_ready && !drain(&mut channel, &mut bytes, &mut buffer) {
            channel = None;
        }
        if report_ready {
            let n = stdout.read(&mut buffer).map_err(failed)?;
            if n == 0 {
                // All writers are gone, so what the channel still holds is complete.
                drain(&mut channel, &mut bytes, &mut buffer);
                break;
            }
            line.extend_from_slice(&buffer[..n]);
        }
        if verdict == Verdict::Ended && interrupt.wish() == Wish::Kill {
            verdict = Verdict::Killed;
            // The end of its input tells the shim to kill the tree.
            drop(shim.stdin.take());
        }
        tick();
    }
    let messages = bytes
        .split(|&b| b == b'\n')
        .filter(|m| !m.is_empty())
        .map(<[u8]>::to_vec)
        .collect();
    Ok((line, messages, verdict))
}

/// Reads what is there; `false` when the other side is closed.
fn drain(channel: &mut Option<UnixStream>, bytes: &mut Vec<u8>, buffer: &mut [u8]) -> bool {
    let Some(stream) = channel else { return false };
    loop {
        match stream.read(buffer) {
            Ok(0) => return false,
            Ok(n) => bytes.extend_from_slice(&buffer[..n]),
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => return true,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            // A reset by the peer: nothing more will come.
            Err(_) => return false,
        }
    }
}

/// Ends a shim that can no longer be listened to.
fn end(shim: &mut Child) {
    tree::kill_descendants(shim.id() as i32);
    // It may have ended with its last descendant.
    let _ = shim.kill();
}

/// Watches the machine's traffic for `watch`: bytes and packets per second.
pub fn idle_traffic(watch: Duration) -> Option<Net> {
    let before = host_counters()?;
    std::thread::sleep(watch);
    let net = netns::difference(&before, &host_counters()?);
    let per_second = |count: u64| (count as f64 / watch.as_secs_f64()).round() as u64;
    Some(Net {
        rx: per_second(net.rx),
        tx: per_second(net.tx),
        rx_packets: per_second(net.rx_packets),
        tx_packets: per_second(net.tx_packets),
        scope: net.scope,
    })
}

fn host_counters() -> Option<Net> {
    std::fs::read_to_string("/proc/net/dev")
        .ok()
        .map(|text| netns::counters(&text, "host"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_telling_line_of_a_stack_trace() {
        let node = "/x/a.js:3\n  foo();\n  ^\n\nReferenceError: foo is not defined\n    at a\n\nNode.js v20.20.2\n";
        assert_eq!(
            telling_line(node),
            Some("ReferenceError: foo is not defined")
        );
        assert_eq!(
            telling_line("sh: 1: x: not found\n\n"),
            Some("sh: 1: x: not found")
        );
        assert_eq!(telling_line("\n"), None);
    }
}

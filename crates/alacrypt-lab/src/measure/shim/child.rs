//! Inside the shim: start the command, reap its whole tree, report one line on standard output.
//!
//! Standard input is a pipe that the lab holds open. Its end means that the lab is gone or wants
//! the run ended: the tree is then killed, so that nothing survives a lab that was killed itself.

use super::counters::Counters;
use super::memory::TreeMemory;
use super::report::Report;
use super::{netns, private, tree};
use crate::session::{Limit, Resource};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::prctl::set_child_subreaper;
use nix::sys::resource::{Resource as RLimit, UsageWho, getrlimit, getrusage, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::time::{TimeVal, TimeValLike};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// First argument that makes the program a shim.
pub const SUBCOMMAND: &str = "__shim";

/// How a shim is told what to do; the command follows `--`.
#[derive(Default)]
struct Orders {
    cpus: Vec<usize>,
    limits: Vec<Limit>,
    net: String,
    relay: PathBuf,
    tree_memory: bool,
    timeout: Option<Duration>,
    linger: Duration,
    show_output: bool,
    command: Vec<OsString>,
}

/// Entry of the hidden subcommand: `arguments` are those after [`SUBCOMMAND`].
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let report = match parse(arguments) {
        Ok(orders) => run(&orders),
        Err(wrong) => refused(wrong),
    };
    let Ok(mut line) = serde_json::to_vec(&report) else {
        return ExitCode::FAILURE;
    };
    line.push(b'\n');
    match std::io::stdout().write_all(&line) {
        Ok(()) => ExitCode::SUCCESS,
        // The lab is gone; there is nobody to tell.
        Err(_) => ExitCode::FAILURE,
    }
}

fn refused(why: String) -> Report {
    Report {
        not_started: Some(why),
        exit: 127,
        ..Report::default()
    }
}

fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Orders, String> {
    let mut orders = Orders {
        net: "host".into(),
        ..Orders::default()
    };
    while let Some(word) = arguments.next() {
        if word == "--" {
            orders.command = arguments.collect();
            break;
        }
        let text = word.to_str().unwrap_or_default();
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        let wrong = || format!("__shim is for the lab's own use: cannot read {text:?}");
        let millis = || {
            value
                .parse()
                .map(Duration::from_millis)
                .map_err(|_| wrong())
        };
        match key {
            "cpus" => {
                orders.cpus = value
                    .split(',')
                    .map(|n| n.parse().map_err(|_| wrong()))
                    .collect::<Result<_, _>>()?;
            }
            "limit" => orders.limits.push(value.parse().map_err(|_| wrong())?),
            "net" => orders.net = value.to_owned(),
            "relay" => orders.relay = value.into(),
            "tree-memory" => orders.tree_memory = true,
            "timeout-ms" => orders.timeout = Some(millis()?),
            "linger-ms" => orders.linger = millis()?,
            "show-output" => orders.show_output = true,
            _ => return Err(wrong()),
        }
    }
    if orders.command.is_empty() {
        Err("no command after --".into())
    } else {
        Ok(orders)
    }
}

fn run(orders: &Orders) -> Report {
    if let Err(error) = set_child_subreaper(true) {
        return refused(format!(
            "cannot become the reaper of detached children: {error}"
        ));
    }
    if let Err(error) = set_affinity(&orders.cpus) {
        return refused(format!(
            "cannot restrict to processors {:?}: {error}",
            orders.cpus
        ));
    }
    let mut net_refused = None;
    let mut scope = None;
    let entered = match orders.net.as_str() {
        "none" => netns::enter().map(|()| Some("none")),
        "private" => private::enter(&orders.relay).map(|()| Some("proxy")),
        _ => Ok(None),
    };
    match entered {
        Ok(entered) => scope = entered,
        Err(why) => net_refused = Some(why),
    }
    let mut memory = orders.tree_memory.then(TreeMemory::begin);
    let counters = Counters::open();
    let mut command = Command::new(&orders.command[0]);
    command
        .args(&orders.command[1..])
        .stdin(Stdio::null())
        .process_group(0);
    // Standard output carries the report; what the command prints goes nowhere, or to the errors.
    match std::io::stderr().as_fd().try_clone_to_owned() {
        Ok(errors) if orders.show_output => command.stdout(errors),
        _ => command.stdout(Stdio::null()),
    };
    if scope == Some("proxy") {
        command.envs(private::environment());
    }
    if let Some(why) = orders
        .limits
        .iter()
        .find_map(|limit| set_limit(limit).err())
    {
        return Report {
            net_refused,
            ..refused(why)
        };
    }
    let before = scope.and_then(net_counters);
    let started = Instant::now();
    let child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let name = orders.command[0].to_string_lossy();
            return Report {
                net_refused,
                ..refused(format!("cannot start {name}: {error}"))
            };
        }
    };
    if let Some(memory) = &mut memory {
        memory.started();
    }
    let mut report = match reap(child.id() as i32, started, orders) {
        Ok(report) => report,
        Err(error) => {
            tree::kill_descendants(std::process::id() as i32);
            refused(format!("cannot wait for the command: {error}"))
        }
    };
    report.net = before
        .zip(scope.and_then(net_counters))
        .map(|(b, a)| netns::difference(&b, &a));
    report.net_refused = net_refused;
    counters.read_into(&mut report);
    if let Some((peak, source)) = memory.map(TreeMemory::end) {
        report.tree_kib = peak;
        report.tree_source = Some(source.to_owned());
    }
    add_usage(&mut report);
    report
}

fn net_counters(scope: &str) -> Option<crate::session::Net> {
    let text = std::fs::read_to_string("/proc/self/net/dev").ok()?;
    Some(netns::counters(&text, scope))
}

fn set_affinity(cpus: &[usize]) -> nix::Result<()> {
    if cpus.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    for &cpu in cpus {
        set.set(cpu)?;
    }
    sched_setaffinity(Pid::from_raw(0), &set)
}

/// Limits this process and, as they inherit it, all that it starts. The upper limit goes with the
/// usual one, since some programs (Node) raise theirs as far as they may.
fn set_limit(limit: &Limit) -> Result<(), String> {
    let resource = match limit.resource {
        Resource::As => RLimit::RLIMIT_AS,
        Resource::Data => RLimit::RLIMIT_DATA,
        Resource::Stack => RLimit::RLIMIT_STACK,
        Resource::Core => RLimit::RLIMIT_CORE,
        Resource::Fsize => RLimit::RLIMIT_FSIZE,
        Resource::Cpu => RLimit::RLIMIT_CPU,
        Resource::Nofile => RLimit::RLIMIT_NOFILE,
        Resource::Nproc => RLimit::RLIMIT_NPROC,
    };
    // The upper limit of CPU time kills; the usual one, a second before, says why (SIGXCPU).
    let upper = match limit.resource {
        Resource::Cpu => limit.value.saturating_add(1),
        _ => limit.value,
    };
    setrlimit(resource, limit.value, upper).map_err(|error| match getrlimit(resource) {
        Ok((_, allowed)) if allowed < upper => {
            format!("cannot set the limit {limit}: the system allows at most {allowed}")
        }
        _ => format!("cannot set the limit {limit}: {error}"),
    })
}

/// Waits until there is no child left: the direct one, and all that detached from it.
fn reap(direct: i32, started: Instant, orders: &Orders) -> nix::Result<Report> {
    // Blocked only now, so that the command did not inherit a blocked SIGCHLD. A child that ended
    // before is seen by the first look.
    let mut mask = SigSet::empty();
    mask.add(Signal::SIGCHLD);
    mask.thread_block()?;
    let signals = SignalFd::with_flags(&mask, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
    let stdin = std::io::stdin();
    let me = std::process::id() as i32;
    let mut report = Report::default();
    let mut direct_ended: Option<Instant> = None;
    let mut killed = false;
    let mut lab_listens = true;
    loop {
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => break,
                Err(Errno::ECHILD) => {
                    report.tree_ns = nanos(started.elapsed());
                    return Ok(report);
                }
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error),
                Ok(status) => {
                    if status.pid() == Some(Pid::from_raw(direct)) {
                        let now = Instant::now();
                        report.wall_ns = nanos(now.duration_since(started));
                        report.exit = exit_code(&status);
                        direct_ended = Some(now);
                    }
                }
            }
        }
        let limit = match direct_ended {
            Some(ended) => Some(ended + orders.linger),
            None => orders.timeout.map(|timeout| started + timeout),
        };
        let now = Instant::now();
        if limit.is_some_and(|limit| limit <= now) && !killed {
            killed = true;
            report.timed_out = direct_ended.is_none();
            let hit = tree::kill_descendants(me);
            if direct_ended.is_some() {
                report.leftover = hit;
            }
        }
        let wait = match limit {
            Some(limit) if !killed => {
                // Rounded up: waking a millisecond early would only turn the loop once more.
                let ms = limit.saturating_duration_since(now).as_millis() + 1;
                PollTimeout::from(u16::try_from(ms).unwrap_or(u16::MAX))
            }
            _ => PollTimeout::from(100u16),
        };
        let mut fds = vec![PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
        if lab_listens {
            fds.push(PollFd::new(stdin.as_fd(), PollFlags::POLLIN));
        }
        match poll(&mut fds, wait) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error),
        }
        if fds.get(1).and_then(PollFd::any) == Some(true) {
            lab_listens = false;
            killed = true;
            tree::kill_descendants(me);
        } else if killed {
            // Whatever was started while the others were being killed.
            tree::kill_descendants(me);
        }
        // Only to empty it: which children ended is asked of waitpid.
        while let Ok(Some(_)) = signals.read_signal() {}
    }
}

fn exit_code(status: &WaitStatus) -> i32 {
    match status {
        WaitStatus::Exited(_, code) => *code,
        WaitStatus::Signaled(_, signal, _) => 128 + *signal as i32,
        _ => 0,
    }
}

fn add_usage(report: &mut Report) {
    // Cannot fail with a valid `who` (getrusage(2)); without it the fields stay 0.
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else {
        return;
    };
    let count = |n: i64| u64::try_from(n).unwrap_or(0);
    let micros = |t: TimeVal| count(t.num_microseconds());
    report.user_us = micros(usage.user_time());
    report.sys_us = micros(usage.system_time());
    report.maxrss_kib = count(usage.max_rss());
    report.minflt = count(usage.minor_page_faults());
    report.majflt = count(usage.major_page_faults());
    report.nvcsw = count(usage.voluntary_context_switches());
    report.nivcsw = count(usage.involuntary_context_switches());
    report.inblock = count(usage.block_reads());
    report.oublock = count(usage.block_writes());
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Result<Orders, String> {
        parse(text.split(' ').map(OsString::from))
    }

    #[test]
    fn orders_are_read() {
        let orders = words(
            "cpus=0,1 limit=as=1G limit=cpu=5s net=private relay=/r tree-memory timeout-ms=5 linger-ms=7 -- node -e 0",
        )
        .unwrap();
        assert_eq!((orders.cpus, orders.net.as_str()), (vec![0, 1], "private"));
        assert_eq!(
            (orders.relay, orders.tree_memory),
            (PathBuf::from("/r"), true)
        );
        let limits: Vec<String> = orders.limits.iter().map(Limit::to_string).collect();
        assert_eq!(limits, ["as=1073741824", "cpu=5s"]);
        assert_eq!(orders.timeout, Some(Duration::from_millis(5)));
        assert_eq!(orders.linger, Duration::from_millis(7));
        assert_eq!(orders.command, ["node", "-e", "0"]);
    }

    #[test]
    fn a_person_who_calls_it_is_told() {
        assert!(words("--help").is_err_and(|e| e.contains("own use")));
        assert!(words("net=host").is_err_and(|e| e.contains("no command")));
    }
}

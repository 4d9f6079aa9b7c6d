//! `--net private`: a namespace of the run's own with one interface, and a way outside that needs
//! no right.
//!
//! ```text
//! the run's namespace        a second one              the machine's
//! command ── lab0 ═══════════ lab1 ── proxy (thread of ── relay (thread of the lab) ── anywhere
//!           10.203.0.2        10.203.0.1  the shim)    Unix socket
//! ```
//!
//! Everything that the command sends or receives from elsewhere passes `lab0`, whose counters are
//! the run's. The proxy end lies in a namespace of its own, so that no byte is counted twice. There
//! is no route but to the proxy: a program that ignores proxies fails at once instead of waiting.

use super::{netlink, netns, proxy};
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::gettid;
use std::fs;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};

const INSIDE: Ipv4Addr = Ipv4Addr::new(10, 203, 0, 2);
const OUTSIDE: Ipv4Addr = Ipv4Addr::new(10, 203, 0, 1);
const PREFIX_BITS: u8 = 30;
/// The usual port of a proxy.
const PORT: u16 = 3128;
/// Number of both interfaces: kernels make some of their own at the low numbers.
const INDEX: u32 = 1000;
/// Threads of the shim need little, and its memory is the floor of every run's.
const STACK_BYTES: usize = 64 << 10;

/// Variables that tell programs of the proxy.
const VARIABLES: [&str; 6] = [
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
];

/// The variables that the command gets.
pub(super) fn environment() -> impl Iterator<Item = (&'static str, String)> {
    let url = format!("http://{OUTSIDE}:{PORT}");
    let own = "localhost,127.0.0.1,::1".to_owned();
    VARIABLES
        .into_iter()
        .map(move |name| (name, url.clone()))
        .chain([
            ("NO_PROXY", own.clone()),
            ("no_proxy", own),
            // Node asks for this before it looks at the others (from 24 on).
            ("NODE_USE_ENV_PROXY", "1".to_owned()),
        ])
}

/// Moves this process into its own namespace with `lab0`, and serves the proxy at the other end.
///
/// # Errors
/// A sentence that says what the kernel refused.
pub(super) fn enter(relay: &Path) -> Result<(), String> {
    netns::enter()?;
    without_ipv6();
    let (task_out, task) = channel();
    let (joined, wait) = channel();
    let (ready_out, ready) = channel();
    let relay = relay.to_owned();
    std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let listener = other_end(&task_out, &wait);
            // Dropped channels say the same as an error: the main thread has ended.
            match listener {
                Ok(listener) => {
                    let _ = ready_out.send(Ok(()));
                    proxy::serve(&listener, &relay);
                }
                Err(why) => {
                    let _ = ready_out.send(Err(why));
                }
            }
        })
        .map_err(|e| format!("cannot start the proxy's thread ({e})"))?;
    let gone = |_| "the proxy's thread ended early".to_owned();
    if let Ok(task) = task.recv() {
        let task: i32 = task;
        netlink::veth(["lab0", "lab1"], INDEX, task)
            .and_then(|()| netlink::address(INDEX, INSIDE, PREFIX_BITS))
            .and_then(|()| netlink::link_up(INDEX))
            .map_err(|e| format!("cannot make an interface in the namespace ({e})"))?;
        joined
            .send(())
            .map_err(|_| "the proxy's thread ended early".to_owned())?;
    }
    ready.recv().map_err(gone)?
}

/// In the proxy's thread: a second namespace, and the other end of the pair in it.
fn other_end(task_out: &Sender<i32>, wait: &Receiver<()>) -> Result<TcpListener, String> {
    // SIGCHLD must reach the main thread, which waits for it.
    let mut mask = SigSet::empty();
    mask.add(Signal::SIGCHLD);
    mask.thread_block()
        .map_err(|e| format!("cannot block SIGCHLD ({e})"))?;
    // Namespaces belong to threads; only this one moves.
    unshare(CloneFlags::CLONE_NEWNET)
        .map_err(|e| format!("the kernel allows no second network namespace ({e})"))?;
    without_ipv6();
    let gone = "the shim ended early";
    task_out.send(gettid().as_raw()).map_err(|_| gone)?;
    wait.recv().map_err(|_| gone)?;
    netlink::address(INDEX, OUTSIDE, PREFIX_BITS)
        .and_then(|()| netlink::link_up(INDEX))
        .map_err(|e| format!("cannot set up the other end of the interface ({e})"))?;
    TcpListener::bind(SocketAddrV4::new(OUTSIDE, PORT))
        .map_err(|e| format!("cannot listen at the other end of the interface ({e})"))
}

/// Keeps the kernel's own IPv6 greetings out of the counters. Where it is refused they are counted,
/// a few packets per run.
fn without_ipv6() {
    for which in ["all", "default"] {
        let file: PathBuf = format!("/proc/sys/net/ipv6/conf/{which}/disable_ipv6").into();
        let _ = fs::write(file, "1");
    }
}

//! A network namespace for one run, and its traffic counters.
//!
//! With the right to it the namespace is made directly; without, inside a user namespace in which
//! the caller keeps its own numbers (user_namespaces(7)).

use super::netlink;
use crate::session::Net;
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getgid, getuid};
use std::fs;

/// Moves this process, which must have one thread, into a namespace with nothing but loopback.
///
/// # Errors
/// A sentence that says what the kernel refused.
pub(super) fn enter() -> Result<(), String> {
    if unshare(CloneFlags::CLONE_NEWNET).is_err() {
        let (uid, gid) = (getuid(), getgid());
        unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET)
            .map_err(|e| format!("the kernel allows no network namespace here ({e})"))?;
        let write = |file: &str, text: String| {
            fs::write(format!("/proc/self/{file}"), text)
                .map_err(|e| format!("cannot set {file} of the user namespace ({e})"))
        };
        write("setgroups", "deny".into())?;
        write("uid_map", format!("{uid} {uid} 1"))?;
        write("gid_map", format!("{gid} {gid} 1"))?;
    }
    netlink::link_up(netlink::LOOPBACK)
        .map_err(|e| format!("cannot bring loopback up in the namespace ({e})"))
}

/// Sums the counters of `/proc/net/dev`. `scope` `none` counts loopback, where a packet is
/// received and sent once each; every other scope leaves it out.
pub(crate) fn counters(text: &str, scope: &str) -> Net {
    let mut net = Net {
        scope: scope.to_owned(),
        ..Net::default()
    };
    for line in text.lines() {
        let Some((name, numbers)) = line.split_once(':') else {
            continue;
        };
        if (name.trim() == "lo") != (scope == "none") {
            continue;
        }
        let numbers: Vec<u64> = numbers
            .split_ascii_whitespace()
            .map_while(|n| n.parse().ok())
            .collect();
        if let [rx, rx_packets, _, _, _, _, _, _, tx, tx_packets, ..] = numbers[..] {
            net.rx += rx;
            net.rx_packets += rx_packets;
            net.tx += tx;
            net.tx_packets += tx_packets;
        }
    }
    net
}

/// What passed between two readings.
pub(crate) fn difference(before: &Net, after: &Net) -> Net {
    Net {
        scope: after.scope.clone(),
        rx: after.rx.saturating_sub(before.rx),
        tx: after.tx.saturating_sub(before.tx),
        rx_packets: after.rx_packets.saturating_sub(before.rx_packets),
        tx_packets: after.tx_packets.saturating_sub(before.tx_packets),
    }
}

/// Takes off what the machine does per second when it is left alone.
pub(crate) fn less(net: &Net, idle: &Net, seconds: f64) -> Net {
    let rest = |count: u64, per_second: u64| {
        count.saturating_sub((per_second as f64 * seconds).round() as u64)
    };
    Net {
        scope: net.scope.clone(),
        rx: rest(net.rx, idle.rx),
        tx: rest(net.tx, idle.tx),
        rx_packets: rest(net.rx_packets, idle.rx_packets),
        tx_packets: rest(net.tx_packets, idle.tx_packets),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEV: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     100       2    0    0    0     0          0         0      100       2    0    0    0     0       0          0
  eth0: 5000000    4000    0    0    0     0          0         0    70000     900    0    0    0     0       0          0
  eth1:       7       1    0    0    0     0          0         0        9       1    0    0    0     0       0          0
";

    #[test]
    fn scope_says_whether_loopback_counts() {
        let host = counters(DEV, "host");
        assert_eq!(
            (host.rx, host.tx, host.rx_packets),
            (5_000_007, 70_009, 4001)
        );
        let lo = counters(DEV, "none");
        assert_eq!((lo.rx, lo.tx, lo.tx_packets), (100, 100, 2));
    }

    #[test]
    fn idle_traffic_is_taken_off_but_never_below_nothing() {
        let net = counters(DEV, "host");
        let idle = Net {
            rx: 1_000_000,
            tx: 1_000_000,
            ..Net::default()
        };
        let rest = less(&net, &idle, 2.5);
        assert_eq!((rest.rx, rest.tx), (2_500_007, 0));
    }
}

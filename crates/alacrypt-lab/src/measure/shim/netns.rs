//! A network namespace for one run, with loopback up, and its traffic counters.
//!
//! With the right to it the namespace is made directly; without, inside a user namespace in which
//! the caller keeps its own numbers (user_namespaces(7)). Loopback is down in a new namespace, and
//! is brought up with one rtnetlink(7) message.

use crate::session::Net;
use nix::sched::{CloneFlags, unshare};
use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, socket,
};
use nix::unistd::{getgid, getuid};
use std::fs;
use std::os::fd::AsRawFd;

/// Moves this process into a namespace with nothing but loopback.
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
    loopback_up().map_err(|e| format!("cannot bring loopback up in the namespace ({e})"))
}

/// RTM_NEWLINK for interface 1 with IFF_UP set, and the kernel's answer.
fn loopback_up() -> nix::Result<()> {
    let fd = socket(
        AddressFamily::Netlink,
        SockType::Raw,
        SockFlag::SOCK_CLOEXEC,
        SockProtocol::NetlinkRoute,
    )?;
    let message = link_up_message(1);
    sendto(
        fd.as_raw_fd(),
        &message,
        &NetlinkAddr::new(0, 0),
        MsgFlags::empty(),
    )?;
    let mut answer = [0u8; 256];
    let length = recv(fd.as_raw_fd(), &mut answer, MsgFlags::empty())?;
    match answer_code(&answer[..length]) {
        Some(0) => Ok(()),
        Some(code) => Err(nix::Error::from_raw(code)),
        None => Err(nix::Error::EPROTO),
    }
}

/// `nlmsghdr` and `ifinfomsg` of linux/netlink.h and linux/rtnetlink.h.
fn link_up_message(index: i32) -> [u8; 32] {
    const RTM_NEWLINK: u16 = 16;
    const NLM_F_REQUEST_ACK: u16 = 0x1 | 0x4;
    const IFF_UP: u32 = 1;
    let mut message = [0u8; 32];
    message[0..4].copy_from_slice(&32u32.to_ne_bytes());
    message[4..6].copy_from_slice(&RTM_NEWLINK.to_ne_bytes());
    message[6..8].copy_from_slice(&NLM_F_REQUEST_ACK.to_ne_bytes());
    message[8..12].copy_from_slice(&1u32.to_ne_bytes());
    // ifinfomsg: family, padding, type (2 bytes), index, flags, mask of flags to change.
    message[20..24].copy_from_slice(&index.to_ne_bytes());
    message[24..28].copy_from_slice(&IFF_UP.to_ne_bytes());
    message[28..32].copy_from_slice(&IFF_UP.to_ne_bytes());
    message
}

/// Positive errno of an NLMSG_ERROR answer, 0 for an acknowledgement.
fn answer_code(answer: &[u8]) -> Option<i32> {
    const NLMSG_ERROR: u16 = 2;
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    let code = i32::from_ne_bytes(answer.get(16..20)?.try_into().ok()?);
    (kind == NLMSG_ERROR).then_some(-code)
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
    fn an_acknowledgement_is_code_zero() {
        let mut answer = [0u8; 36];
        answer[4..6].copy_from_slice(&2u16.to_ne_bytes());
        assert_eq!(answer_code(&answer), Some(0));
        answer[16..20].copy_from_slice(&(-1i32).to_ne_bytes());
        assert_eq!(answer_code(&answer), Some(1));
        assert_eq!(answer_code(&answer[..10]), None);
    }
}

//! The four rtnetlink(7) requests that a namespace of our own needs, written by hand.
//!
//! Layouts: `nlmsghdr` of linux/netlink.h, `ifinfomsg` of linux/rtnetlink.h, `ifaddrmsg` of
//! linux/if_addr.h, attributes of linux/if_link.h and linux/veth.h. Numbers are in the machine's
//! byte order.

use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, socket,
};
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd;

const RTM_NEWLINK: u16 = 16;
const RTM_NEWADDR: u16 = 20;
const NLM_F_REQUEST: u16 = 0x1;
const NLM_F_ACK: u16 = 0x4;
const NLM_F_EXCL: u16 = 0x200;
const NLM_F_CREATE: u16 = 0x400;
const NLA_F_NESTED: u16 = 1 << 15;
const IFF_UP: u32 = 1;
const IFLA_IFNAME: u16 = 3;
const IFLA_LINKINFO: u16 = 18;
const IFLA_NET_NS_PID: u16 = 19;
const IFLA_INFO_KIND: u16 = 1;
const IFLA_INFO_DATA: u16 = 2;
const VETH_INFO_PEER: u16 = 1;
const IFA_ADDRESS: u16 = 1;
const IFA_LOCAL: u16 = 2;

/// Number of the loopback interface of every namespace.
pub(super) const LOOPBACK: u32 = 1;

/// Sets an interface up.
pub(super) fn link_up(index: u32) -> nix::Result<()> {
    let mut message = Message::new(RTM_NEWLINK, 0);
    message.link(index, IFF_UP);
    message.send()
}

/// Makes a pair of connected interfaces, the other end in the namespace of task `peer_task`. Both
/// get the number `index` in their namespace.
pub(super) fn veth(names: [&str; 2], index: u32, peer_task: i32) -> nix::Result<()> {
    let [near, far] = names.map(|name| [name.as_bytes(), &[0]].concat());
    let mut message = Message::new(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
    message.link(index, 0);
    message.attribute(IFLA_IFNAME, &near);
    message.nested(IFLA_LINKINFO, |info| {
        info.attribute(IFLA_INFO_KIND, b"veth");
        info.nested(IFLA_INFO_DATA, |data| {
            data.nested(VETH_INFO_PEER, |peer| {
                peer.link(index, 0);
                peer.attribute(IFLA_IFNAME, &far);
                peer.attribute(IFLA_NET_NS_PID, &peer_task.to_ne_bytes());
            });
        });
    });
    message.send()
}

/// Gives an interface an address.
pub(super) fn address(index: u32, address: Ipv4Addr, prefix_bits: u8) -> nix::Result<()> {
    const AF_INET: u8 = 2;
    let mut message = Message::new(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL);
    // ifaddrmsg: family, length of the prefix, flags, scope, index.
    message.bytes.extend([AF_INET, prefix_bits, 0, 0]);
    message.bytes.extend(index.to_ne_bytes());
    message.attribute(IFA_LOCAL, &address.octets());
    message.attribute(IFA_ADDRESS, &address.octets());
    message.send()
}

/// A request being written.
struct Message {
    bytes: Vec<u8>,
}

impl Message {
    fn new(kind: u16, flags: u16) -> Self {
        let mut bytes = vec![0; 16];
        bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
        bytes[6..8].copy_from_slice(&(NLM_F_REQUEST | NLM_F_ACK | flags).to_ne_bytes());
        bytes[8..12].copy_from_slice(&1u32.to_ne_bytes());
        Self { bytes }
    }

    /// `ifinfomsg`: family, padding, type (2 bytes), index, flags, mask of flags to change.
    fn link(&mut self, index: u32, flags: u32) {
        self.bytes.extend([0; 4]);
        self.bytes.extend(index.to_ne_bytes());
        self.bytes.extend(flags.to_ne_bytes());
        self.bytes.extend(flags.to_ne_bytes());
    }

    fn attribute(&mut self, kind: u16, value: &[u8]) {
        self.filled(kind, |inner| inner.bytes.extend(value));
    }

    /// An attribute that holds attributes.
    fn nested(&mut self, kind: u16, fill: impl FnOnce(&mut Self)) {
        self.filled(kind | NLA_F_NESTED, fill);
    }

    /// An attribute whose value `fill` writes; its length counts the four bytes of its head, and
    /// what follows begins at a multiple of four.
    fn filled(&mut self, kind: u16, fill: impl FnOnce(&mut Self)) {
        let start = self.bytes.len();
        self.bytes.extend([0; 4]);
        fill(self);
        let length = u16::try_from(self.bytes.len() - start).unwrap_or(u16::MAX);
        self.bytes[start..start + 2].copy_from_slice(&length.to_ne_bytes());
        self.bytes[start + 2..start + 4].copy_from_slice(&kind.to_ne_bytes());
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
    }

    /// Sends it and waits for the kernel's answer.
    fn send(mut self) -> nix::Result<()> {
        let length = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        self.bytes[0..4].copy_from_slice(&length.to_ne_bytes());
        let fd = socket(
            AddressFamily::Netlink,
            SockType::Raw,
            SockFlag::SOCK_CLOEXEC,
            SockProtocol::NetlinkRoute,
        )?;
        sendto(
            fd.as_raw_fd(),
            &self.bytes,
            &NetlinkAddr::new(0, 0),
            MsgFlags::empty(),
        )?;
        let mut answer = [0u8; 1024];
        let length = recv(fd.as_raw_fd(), &mut answer, MsgFlags::empty())?;
        match answer_code(&answer[..length]) {
            Some(0) => Ok(()),
            Some(code) => Err(nix::Error::from_raw(code)),
            None => Err(nix::Error::EPROTO),
        }
    }
}

/// Positive errno of an NLMSG_ERROR answer, 0 for an acknowledgement.
fn answer_code(answer: &[u8]) -> Option<i32> {
    const NLMSG_ERROR: u16 = 2;
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    let code = i32::from_ne_bytes(answer.get(16..20)?.try_into().ok()?);
    (kind == NLMSG_ERROR).then_some(-code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_acknowledgement_is_code_zero() {
        let mut answer = [0u8; 36];
        answer[4..6].copy_from_slice(&2u16.to_ne_bytes());
        assert_eq!(answer_code(&answer), Some(0));
        answer[16..20].copy_from_slice(&(-1i32).to_ne_bytes());
        assert_eq!(answer_code(&answer), Some(1));
        assert_eq!(answer_code(&answer[..10]), None);
    }

    #[test]
    fn attributes_are_padded_to_four_and_say_their_own_length() {
        let mut message = Message::new(RTM_NEWLINK, 0);
        message.nested(IFLA_LINKINFO, |inner| {
            inner.attribute(IFLA_IFNAME, b"lab0\0");
        });
        let bytes = &message.bytes[16..];
        // Head 4, inside it head 4 and value 5, padded to 12.
        assert_eq!(bytes.len(), 16);
        assert_eq!(u16::from_ne_bytes([bytes[0], bytes[1]]), 16);
        assert_eq!(u16::from_ne_bytes([bytes[4], bytes[5]]), 9);
        assert_eq!(&bytes[8..13], b"lab0\0");
    }
}

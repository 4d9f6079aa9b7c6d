//! From a packet to the TCP segment in it: link, VLAN and IP headers.
//!
//! Sources: IEEE 802.3 and 802.1Q; LINKTYPE_LINUX_SLL and SLL2 of the tcpdump registry; RFC 791,
//! RFC 8200, RFC 9293.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::reader::Packet;

/// What the first bytes of a packet are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Ethernet, with or without VLAN tags.
    Ethernet,
    /// Linux "cooked" capture, first version: 16 bytes.
    Cooked,
    /// Linux "cooked" capture, second version: 20 bytes.
    Cooked2,
    /// No link header: IPv4 or IPv6.
    Raw,
    /// BSD loopback: four bytes of address family.
    Loopback,
    /// Any other, by its number in the registry.
    Unknown(u32),
}

impl Link {
    /// By its number in the tcpdump registry of link types.
    pub fn of(number: u32) -> Self {
        match number {
            1 => Self::Ethernet,
            113 => Self::Cooked,
            276 => Self::Cooked2,
            12 | 14 | 101 | 228 | 229 => Self::Raw,
            0 | 108 => Self::Loopback,
            other => Self::Unknown(other),
        }
    }
}

/// Address and port of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Endpoint {
    /// IPv6, or IPv4 as ::ffff:a.b.c.d.
    address: [u8; 16],
    port: u16,
}

impl Endpoint {
    fn v4(bytes: &[u8], port: u16) -> Option<Self> {
        let four: [u8; 4] = bytes.try_into().ok()?;
        let address = Ipv4Addr::from(four).to_ipv6_mapped().octets();
        Some(Self { address, port })
    }

    fn v6(bytes: &[u8], port: u16) -> Option<Self> {
        Some(Self {
            address: bytes.try_into().ok()?,
            port,
        })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// As the standard library has it.
    pub fn address(&self) -> SocketAddr {
        let v6 = Ipv6Addr::from(self.address);
        let ip = v6.to_ipv4_mapped().map_or(IpAddr::V6(v6), IpAddr::V4);
        SocketAddr::new(ip, self.port)
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.address().fmt(f)
    }
}

/// The flags that matter here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// No more data from this side.
    pub fn fin(self) -> bool {
        self.0 & 1 != 0
    }
    /// Begins a connection.
    pub fn syn(self) -> bool {
        self.0 & 2 != 0
    }
    /// Ends it at once.
    pub fn rst(self) -> bool {
        self.0 & 4 != 0
    }
    /// Acknowledges something.
    pub fn ack(self) -> bool {
        self.0 & 16 != 0
    }
}

/// One TCP segment.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    /// Who sent it.
    pub from: Endpoint,
    /// To whom.
    pub to: Endpoint,
    /// Sequence number of its first byte (of the SYN itself, where it is one).
    pub sequence: u32,
    /// Its flags.
    pub flags: Flags,
    /// What was captured of its data.
    pub payload: &'a [u8],
    /// Bytes of data that were sent but not captured: a short snap length.
    pub missing: u32,
}

/// Why a packet is no segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// UDP, ARP and whatever else is no TCP.
    NotTcp,
    /// A link type that is not read here.
    UnknownLink(u32),
    /// A fragment of an IP packet.
    Fragment,
    /// Captured too short for its own headers, or with headers that cannot be.
    TooShort,
}

/// The segment in a packet.
///
/// # Errors
/// Why there is none.
pub fn segment<'a>(packet: &Packet<'a>) -> Result<Segment<'a>, Other> {
    let data = packet.data;
    let wire = packet.wire_bytes as usize;
    let at = match packet.link {
        Link::Raw => 0,
        Link::Ethernet => ip_after_ethertype(data, 12)?,
        Link::Cooked => ip_after_ethertype(data, 14)?,
        Link::Cooked2 => match be16(data, 0)? {
            0x0800 | 0x86dd => 20,
            _ => return Err(Other::NotTcp),
        },
        Link::Loopback => 4,
        Link::Unknown(number) => return Err(Other::UnknownLink(number)),
    };
    let ip = data.get(at..).ok_or(Other::TooShort)?;
    let wire = wire.max(data.len()) - at;
    match ip.first().ok_or(Other::TooShort)? >> 4 {
        4 => ipv4(ip, wire),
        6 => ipv6(ip, wire),
        _ => Err(Other::NotTcp),
    }
}

fn be16(data: &[u8], at: usize) -> Result<u16, Other> {
    match data.get(at..at + 2) {
        Some(&[a, b]) => Ok(u16::from_be_bytes([a, b])),
        _ => Err(Other::TooShort),
    }
}

/// Where the IP header begins, after an EtherType at `at` and any VLAN tags.
fn ip_after_ethertype(data: &[u8], mut at: usize) -> Result<usize, Other> {
    loop {
        match be16(data, at)? {
            0x0800 | 0x86dd => return Ok(at + 2),
            0x8100 | 0x88a8 | 0x9100 => at += 4,
            _ => return Err(Other::NotTcp),
        }
    }
}

fn ipv4(ip: &[u8], wire: usize) -> Result<Segment<'_>, Other> {
    let head = ip.get(..20).ok_or(Other::TooShort)?;
    let header_bytes = usize::from(head[0] & 0x0f) * 4;
    if head[9] != 6 {
        return Err(Other::NotTcp);
    }
    if be16(head, 6)? & 0x3fff != 0 {
        return Err(Other::Fragment);
    }
    // Zero where the network card cuts the packet later (segmentation offload).
    let total = match usize::from(be16(head, 2)?) {
        0 => wire,
        total => total,
    };
    let body = total.checked_sub(header_bytes).ok_or(Other::TooShort)?;
    let tcp = ip.get(header_bytes..).ok_or(Other::TooShort)?;
    tcp_segment(tcp, body, |ports| {
        Some((
            Endpoint::v4(&head[12..16], ports.0)?,
            Endpoint::v4(&head[16..20], ports.1)?,
        ))
    })
}

fn ipv6(ip: &[u8], wire: usize) -> Result<Segment<'_>, Other> {
    let head = ip.get(..40).ok_or(Other::TooShort)?;
    let total = match usize::from(be16(head, 4)?) {
        0 => wire.saturating_sub(40),
        total => total,
    };
    let (mut next, mut at) = (head[6], 40);
    loop {
        let extension = match next {
            6 => break,
            0 | 43 | 60 => 8,
            51 => 4,
            44 => return Err(Other::Fragment),
            _ => return Err(Other::NotTcp),
        };
        let &[following, length, ..] = ip.get(at..).ok_or(Other::TooShort)? else {
            return Err(Other::TooShort);
        };
        // RFC 4302 counts in units of four bytes, less two; the others of eight, less one.
        at += if extension == 4 {
            (usize::from(length) + 2) * 4
        } else {
            (usize::from(length) + 1) * 8
        };
        next = following;
    }
    let body = (total + 40).checked_sub(at).ok_or(Other::TooShort)?;
    let tcp = ip.get(at..).ok_or(Other::TooShort)?;
    tcp_segment(tcp, body, |ports| {
        Some((
            Endpoint::v6(&head[8..24], ports.0)?,
            Endpoint::v6(&head[24..40], ports.1)?,
        ))
    })
}

/// `length`: bytes of header and data by the IP header, which may be more than was captured and
/// less than follows (short frames are padded).
fn tcp_segment(
    tcp: &[u8],
    length: usize,
    ends: impl FnOnce((u16, u16)) -> Option<(Endpoint, Endpoint)>,
) -> Result<Segment<'_>, Other> {
    let head = tcp.get(..20).ok_or(Other::TooShort)?;
    let header_bytes = usize::from(head[12] >> 4) * 4;
    if header_bytes < 20 {
        return Err(Other::TooShort);
    }
    let sent = length.checked_sub(header_bytes).ok_or(Other::TooShort)?;
    let captured = tcp.get(header_bytes..).unwrap_or_default();
    let payload = &captured[..captured.len().min(sent)];
    let ports = (be16(head, 0)?, be16(head, 2)?);
    let (from, to) = ends(ports).ok_or(Other::TooShort)?;
    Ok(Segment {
        from,
        to,
        sequence: u32::from_be_bytes([head[4], head[5], head[6], head[7]]),
        flags: Flags(head[13]),
        payload,
        missing: u32::try_from(sent - payload.len()).map_err(|_| Other::TooShort)?,
    })
}

//! Packets of a capture file, one after the other.
//!
//! Sources: draft-ietf-opsawg-pcap (pcap) and draft-ietf-opsawg-pcapng (pcapng).

use std::io::Read;

use super::link::Link;

/// A packet or block that claims to be longer than this is damage, not data.
const LONGEST: usize = 16 << 20;
/// Read at once.
const CHUNK: usize = 1 << 20;

/// One packet as it was captured.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// Nanoseconds since 1970.
    pub time_ns: u64,
    /// What its first bytes are.
    pub link: Link,
    /// What was captured of it.
    pub data: &'a [u8],
    /// Its length on the wire, bytes.
    pub wire_bytes: u32,
}

/// Why reading stopped before the file's own end. What was read until there stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It is no capture.
    Unknown(String),
    /// It ends within a packet.
    Cut {
        /// Where the unfinished packet begins, bytes.
        at: u64,
    },
    /// Something in it cannot be.
    Damaged {
        /// Where, bytes.
        at: u64,
        /// What.
        what: String,
    },
    /// The system refused to go on.
    Io(String),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown(what) => write!(f, "expected a pcap or pcapng capture, found {what}"),
            Self::Cut { at } => write!(f, "the capture is cut within the packet at byte {at}"),
            Self::Damaged { at, what } => write!(f, "the capture is damaged at byte {at}: {what}"),
            Self::Io(why) => write!(f, "the capture could not be read on: {why}"),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Order {
    big: bool,
}

impl Order {
    fn u16(self, bytes: &[u8], at: usize) -> u16 {
        let b = take::<2>(bytes, at);
        if self.big {
            u16::from_be_bytes(b)
        } else {
            u16::from_le_bytes(b)
        }
    }

    fn u32(self, bytes: &[u8], at: usize) -> u32 {
        let b = take::<4>(bytes, at);
        if self.big {
            u32::from_be_bytes(b)
        } else {
            u32::from_le_bytes(b)
        }
    }

    fn u64(self, bytes: &[u8], at: usize) -> u64 {
        let b = take::<8>(bytes, at);
        if self.big {
            u64::from_be_bytes(b)
        } else {
            u64::from_le_bytes(b)
        }
    }
}

/// `N` bytes at `at`; zeros where there are none.
fn take<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut out = [0; N];
    if let Some(found) = bytes.get(at..at + N) {
        out.copy_from_slice(found);
    }
    out
}

/// An interface of a pcapng section.
#[derive(Clone, Copy, Debug)]
struct Interface {
    link: Link,
    /// Units of a time stamp per second.
    per_second: u64,
    offset_s: i64,
}

impl Interface {
    fn nanoseconds(&self, stamp: u64) -> u64 {
        let whole = stamp / self.per_second;
        let rest = stamp % self.per_second;
        let part = u128::from(rest) * 1_000_000_000 / u128::from(self.per_second);
        let seconds = whole.saturating_add_signed(self.offset_s);
        // The rest is below one second, so it fits.
        seconds
            .saturating_mul(1_000_000_000)
            .saturating_add(u64::try_from(part).unwrap_or(0))
    }
}

#[derive(Debug)]
enum Format {
    Unread,
    Pcap {
        order: Order,
        nanoseconds: bool,
        link: Link,
    },
    Pcapng {
        order: Order,
        interfaces: Vec<Interface>,
    },
}

/// What the next packet's place in the buffer is.
struct Found {
    time_ns: u64,
    link: Link,
    start: usize,
    captured: usize,
    wire_bytes: u32,
}

/// Packets of a capture, read as a stream: memory is one buffer, whatever the file's size.
#[derive(Debug)]
pub struct Packets<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Place of `start` in the file.
    at: u64,
    format: Format,
    /// Bytes to forget before the next packet: those of the last one.
    used: usize,
    /// Packets without a time stamp (pcapng's simple packets), which are left out.
    pub untimed: u64,
}

impl<R: Read> Packets<R> {
    /// Begins to read.
    pub fn new(source: R) -> Self {
        Self {
            source,
            buffer: vec![0; 2 * CHUNK],
            start: 0,
            end: 0,
            at: 0,
            format: Format::Unread,
            used: 0,
            untimed: 0,
        }
    }

    /// Bytes read so far.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// The next packet; `None` at the end of the file.
    ///
    /// # Errors
    /// Why reading cannot go on.
    pub fn next_packet(&mut self) -> Result<Option<Packet<'_>>, Stop> {
        let Some(found) = self.find()? else {
            return Ok(None);
        };
        Ok(Some(Packet {
            time_ns: found.time_ns,
            link: found.link,
            data: &self.buffer[found.start..found.start + found.captured],
            wire_bytes: found.wire_bytes,
        }))
    }

    fn find(&mut self) -> Result<Option<Found>, Stop> {
        let used = std::mem::take(&mut self.used);
        self.forget(used);
        loop {
            match &self.format {
                Format::Unread => self.open()?,
                Format::Pcap {
                    order,
                    nanoseconds,
                    link,
                } => {
                    let (order, nanoseconds, link) = (*order, *nanoseconds, *link);
                    return self.pcap_packet(order, nanoseconds, link);
                }
                Format::Pcapng { .. } => {
                    if !self.have(1)? {
                        return Ok(None);
                    }
                    if let Some(found) = self.block()? {
                        return Ok(Some(found));
                    }
                }
            }
        }
    }

    fn open(&mut self) -> Result<(), Stop> {
        if !self.have(4)? {
            let what = if self.end == self.start {
                "nothing"
            } else {
                "less than four bytes"
            };
            return Err(Stop::Unknown(what.into()));
        }
        let magic = take::<4>(&self.buffer, self.start);
        let big = match magic {
            [0x0a, 0x0d, 0x0d, 0x0a] => {
                let order = Order { big: false };
                self.format = Format::Pcapng {
                    order,
                    interfaces: Vec::new(),
                };
                return Ok(());
            }
            [0xa1, 0xb2, 0xc3, 0xd4] | [0xa1, 0xb2, 0x3c, 0x4d] => true,
            [0xd4, 0xc3, 0xb2, 0xa1] | [0x4d, 0x3c, 0xb2, 0xa1] => false,
            [0x1f, 0x8b, ..] => {
                let hint = "gzip; unpack it first: gzip -dc FILE | alacrypt-lab tls pcap -";
                return Err(Stop::Unknown(hint.into()));
            }
            other => {
                let [a, b, c, d] = other;
                return Err(Stop::Unknown(format!(
                    "the bytes {a:02x} {b:02x} {c:02x} {d:02x}"
                )));
            }
        };
        if !self.have(24)? {
            return Err(Stop::Cut { at: self.at });
        }
        let order = Order { big };
        let head = &self.buffer[self.start..self.start + 24];
        let nanoseconds = magic.contains(&0x3c);
        // The upper bits of the link type say how frames end.
        let link = Link::of(order.u32(head, 20) & 0xffff);
        self.format = Format::Pcap {
            order,
            nanoseconds,
            link,
        };
        self.forget(24);
        Ok(())
    }

    fn pcap_packet(
        &mut self,
        order: Order,
        nanoseconds: bool,
        link: Link,
    ) -> Result<Option<Found>, Stop> {
        if !self.have(1)? {
            return Ok(None);
        }
        if !self.have(16)? {
            return Err(Stop::Cut { at: self.at });
        }
        let head = &self.buffer[self.start..self.start + 16];
        let (seconds, part) = (u64::from(order.u32(head, 0)), u64::from(order.u32(head, 4)));
        let (captured, wire_bytes) = (order.u32(head, 8), order.u32(head, 12));
        let captured = self.plausible(captured)?;
        if !self.have(16 + captured)? {
            return Err(Stop::Cut { at: self.at });
        }
        self.used = 16 + captured;
        Ok(Some(Found {
            time_ns: seconds * 1_000_000_000 + if nanoseconds { part } else { part * 1000 },
            link,
            start: self.start + 16,
            captured,
            wire_bytes,
        }))
    }

    /// One block of a pcapng file; a packet where it holds one.
    fn block(&mut self) -> Result<Option<Found>, Stop> {
        if !self.have(12)? {
            return Err(Stop::Cut { at: self.at });
        }
        let head = take::<12>(&self.buffer, self.start);
        if head[..4] == [0x0a, 0x0d, 0x0d, 0x0a] {
            let big = match head[8..] {
                [0x1a, 0x2b, 0x3c, 0x4d] => true,
                [0x4d, 0x3c, 0x2b, 0x1a] => false,
                _ => return Err(self.damaged("a section without byte order".into())),
            };
            self.format = Format::Pcapng {
                order: Order { big },
                interfaces: Vec::new(),
            };
        }
        let Format::Pcapng { order, .. } = &self.format else {
            return Ok(None);
        };
        let order = *order;
        let total = self.plausible(order.u32(&head, 4))?;
        if total < 12 || total % 4 != 0 {
            return Err(self.damaged(format!("a block of {total} bytes")));
        }
        if !self.have(total)? {
            return Err(Stop::Cut { at: self.at });
        }
        let body_start = self.start + 8;
        let body = &self.buffer[body_start..self.start + total - 4];
        let kind = order.u32(&head, 0);
        let (at, mut found, mut untimed) = (self.at, None, false);
        let Format::Pcapng { interfaces, .. } = &mut self.format else {
            return Ok(None);
        };
        match kind {
            1 if body.len() >= 8 => interfaces.push(interface(order, body)),
            // Enhanced packet, and the old packet block, whose interface is 16 bits wide.
            2 | 6 if body.len() >= 20 => {
                let number = if kind == 6 {
                    order.u32(body, 0) as usize
                } else {
                    usize::from(order.u16(body, 0))
                };
                let Some(interface) = interfaces.get(number) else {
                    let what = format!("a packet of interface {number}, which nothing describes");
                    return Err(Stop::Damaged { at, what });
                };
                let stamp = u64::from(order.u32(body, 4)) << 32 | u64::from(order.u32(body, 8));
                let captured = order.u32(body, 12) as usize;
                if captured > body.len() - 20 {
                    let what = format!("a packet of {captured} bytes in a block of {total}");
                    return Err(Stop::Damaged { at, what });
                }
                found = Some(Found {
                    time_ns: interface.nanoseconds(stamp),
                    link: interface.link,
                    start: body_start + 20,
                    captured,
                    wire_bytes: order.u32(body, 16),
                });
            }
            3 => untimed = true,
            _ => {}
        }
        self.untimed += u64::from(untimed);
        if found.is_some() {
            self.used = total;
        } else {
            self.forget(total);
        }
        Ok(found)
    }

    fn plausible(&self, length: u32) -> Result<usize, Stop> {
        match usize::try_from(length) {
            Ok(length) if length <= LONGEST => Ok(length),
            _ => Err(self.damaged(format!("a packet or block of {length} bytes"))),
        }
    }

    fn damaged(&self, what: String) -> Stop {
        Stop::Damaged { at: self.at, what }
    }

    fn forget(&mut self, bytes: usize) {
        self.start += bytes;
        self.at += bytes as u64;
    }

    /// Whether `wanted` bytes are there, after reading on if need be.
    fn have(&mut self, wanted: usize) -> Result<bool, Stop> {
        while self.end - self.start < wanted {
            if self.buffer.len() - self.start < wanted.max(CHUNK) {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
                if self.buffer.len() < wanted {
                    self.buffer.resize(wanted + CHUNK, 0);
                }
            }
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => return Ok(false),
                Ok(n) => self.end += n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Stop::Io(e.to_string())),
            }
        }
        Ok(true)
    }
}

fn interface(order: Order, body: &[u8]) -> Interface {
    let mut found = Interface {
        link: Link::of(u32::from(order.u16(body, 0))),
        per_second: 1_000_000,
        offset_s: 0,
    };
    let mut options = &body[8..];
    while options.len() >= 4 {
        let (code, length) = (order.u16(options, 0), usize::from(order.u16(options, 2)));
        let Some(value) = options.get(4..4 + length) else {
            break;
        };
        match (code, value) {
            (0, _) => break,
            (9, [resolution, ..]) => {
                let power = u32::from(resolution & 0x7f);
                let base: u64 = if resolution & 0x80 == 0 { 10 } else { 2 };
                found.per_second = base.checked_pow(power).unwrap_or(1_000_000);
            }
            (14, [..]) if length == 8 => {
                found.offset_s = order.u64(value, 0).cast_signed();
            }
            _ => {}
        }
        options = options
            .get(4 + length.next_multiple_of(4)..)
            .unwrap_or_default();
    }
    found
}

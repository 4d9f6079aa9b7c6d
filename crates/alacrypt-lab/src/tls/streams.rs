//! All connections of a capture: memory is bounded by those that are open at once.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::Read;

use super::half::{Half, Lost};
use super::handshake::Handshake;
use super::records::{Event, Sink};
use crate::capture::{Endpoint, Other, Packets, Segment, Stop, segment};
use serde::Serialize;

/// Closed connections that are remembered, so that a late repetition is not taken for a new one.
const REMEMBERED: usize = 4096;

/// What was read, and what could not be used; nothing is left out uncounted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Packets.
    pub packets: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// TCP segments.
    pub segments: u64,
    /// Packets that are no TCP.
    pub not_tcp: u64,
    /// IP fragments, which are not put together.
    pub fragments: u64,
    /// Packets captured too short for their own headers.
    pub too_short: u64,
    /// Packets without a time.
    pub untimed: u64,
    /// Packets of link types that are not read, by number.
    pub unknown_links: BTreeMap<u32, u64>,
    /// Segments with data that was not captured (snap length).
    pub cut_segments: u64,
    /// Packets whose time is before that of the one they follow.
    pub backwards: u64,
    /// TCP connections whose beginning was seen.
    pub connections: u64,
    /// Of these, without a byte of TLS.
    pub not_tls: u64,
    /// Of these, where only one direction was captured.
    pub one_sided: u64,
    /// Connections that were there before the capture began: unusable.
    pub without_start: u64,
}

/// A capture read to its end.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    /// Handshakes in the order of their SYNs.
    pub handshakes: Vec<Handshake>,
    /// What was counted.
    pub counts: Counts,
    /// Why reading stopped before the end, if so.
    pub stopped: Option<Stop>,
}

/// Reads a capture to its end, or to where it is damaged. `ports`: only connections to these
/// server ports, all when empty. `tick` is told the position now and then; `false` ends the reading.
pub fn read_capture(
    source: impl Read,
    ports: &[u16],
    tick: &mut dyn FnMut(u64) -> bool,
) -> Capture {
    let mut packets = Packets::new(source);
    let mut table = Table {
        ports: ports.to_vec(),
        ..Table::default()
    };
    let mut stopped = None;
    let mut last_time = 0;
    loop {
        let packet = match packets.next_packet() {
            Ok(Some(packet)) => packet,
            Ok(None) => break,
            Err(why) => {
                stopped = Some(why);
                break;
            }
        };
        table.counts.packets += 1;
        table.counts.backwards += u64::from(packet.time_ns < last_time);
        last_time = packet.time_ns;
        let time = packet.time_ns;
        match segment(&packet) {
            Ok(segment) => table.take(time, &segment),
            Err(why) => table.leave_out(why),
        }
        if table.counts.packets.is_multiple_of(8192) && !tick(packets.position()) {
            break;
        }
    }
    table.counts.untimed = packets.untimed;
    table.counts.bytes = packets.position();
    table.finish(stopped)
}

/// Two endpoints, the lower one first, so that both directions find the same connection.
type Pair = (Endpoint, Endpoint);

fn pair(segment: &Segment<'_>) -> Pair {
    if segment.from <= segment.to {
        (segment.from, segment.to)
    } else {
        (segment.to, segment.from)
    }
}

/// An open connection.
#[derive(Debug)]
struct Stream {
    client: Endpoint,
    handshake: Handshake,
    from_client: Half,
    from_server: Half,
    client_fin: bool,
    server_fin: bool,
    closed: Option<&'static str>,
}

/// One direction's events with their time.
struct Side<'a> {
    handshake: &'a mut Handshake,
    from_client: bool,
    time: u64,
}

impl Sink for Side<'_> {
    fn is_clear(&self) -> bool {
        self.handshake.is_clear(self.from_client)
    }

    fn event(&mut self, event: Event) {
        self.handshake.event(self.from_client, self.time, event);
    }
}

#[derive(Debug, Default)]
struct Table {
    ports: Vec<u16>,
    open: HashMap<Pair, Stream>,
    /// Connections whose beginning is not in the capture.
    startless: HashMap<Pair, ()>,
    /// Connections that ended not long ago.
    closed: HashMap<Pair, ()>,
    closed_order: VecDeque<Pair>,
    done: Vec<Handshake>,
    counts: Counts,
}

impl Table {
    fn leave_out(&mut self, why: Other) {
        let counts = &mut self.counts;
        match why {
            Other::NotTcp => counts.not_tcp += 1,
            Other::Fragment => counts.fragments += 1,
            Other::TooShort => counts.too_short += 1,
            Other::UnknownLink(number) => *counts.unknown_links.entry(number).or_default() += 1,
        }
    }

    fn take(&mut self, time: u64, segment: &Segment<'_>) {
        self.counts.segments += 1;
        let wanted = |end: &Endpoint| self.ports.is_empty() || self.ports.contains(&end.port());
        if !wanted(&segment.from) && !wanted(&segment.to) {
            return;
        }
        self.counts.cut_segments += u64::from(segment.missing > 0);
        let key = pair(segment);
        let opens = segment.flags.syn() && !segment.flags.ack();
        if opens {
            self.open(time, key, segment);
        }
        let Some(stream) = self.open.get_mut(&key) else {
            let data = !segment.payload.is_empty() || segment.missing > 0;
            if data && !self.closed.contains_key(&key) {
                self.startless.insert(key, ());
            }
            return;
        };
        stream.take(time, segment);
        if stream.closed.is_some()
            && let Some(stream) = self.open.remove(&key)
        {
            self.remember(key);
            self.end(stream);
        }
    }

    fn open(&mut self, time: u64, key: Pair, segment: &Segment<'_>) {
        let first = segment.sequence.wrapping_add(1);
        if let Some(known) = self.open.get(&key) {
            // A repeated SYN, unless the ports are used anew.
            if known.from_client.has_begun() && known.moment_of_use(segment) {
                return;
            }
            if let Some(mut old) = self.open.remove(&key) {
                old.closed = Some("its ports were used anew");
                self.end(old);
            }
        }
        self.startless.remove(&key);
        let number = self.counts.connections;
        self.counts.connections += 1;
        let (client, server) = (segment.from, segment.to);
        let mut handshake = Handshake::new(number, client.to_string(), server.to_string());
        handshake.moments.syn = Some(time);
        let mut stream = Stream {
            client,
            handshake,
            from_client: Half::default(),
            from_server: Half::default(),
            client_fin: false,
            server_fin: false,
            closed: None,
        };
        stream.from_client.begin(first);
        self.open.insert(key, stream);
    }

    fn remember(&mut self, key: Pair) {
        if self.closed.insert(key, ()).is_none() {
            self.closed_order.push_back(key);
        }
        while self.closed_order.len() > REMEMBERED {
            if let Some(oldest) = self.closed_order.pop_front() {
                self.closed.remove(&oldest);
            }
        }
    }

    /// Takes what a connection was into the results.
    fn end(&mut self, stream: Stream) {
        let Stream {
            mut handshake,
            from_client,
            from_server,
            closed,
            ..
        } = stream;
        handshake.repeated_segments = from_client.repeated + from_server.repeated;
        handshake.early_segments = from_client.early + from_server.early;
        let lost = from_client.lost().or(from_server.lost());
        let begun = handshake.moments.client_hello.is_some();
        if !begun && matches!(lost, None | Some(Lost::NotTls)) && !from_client.has_gap() {
            self.counts.not_tls += 1;
            return;
        }
        if !from_server.has_begun() {
            self.counts.one_sided += 1;
            handshake.close(
                Some("the server never answered, or was not captured"),
                None,
                false,
            );
        } else {
            let gap = from_client.has_gap() || from_server.has_gap();
            handshake.close(closed, lost, gap);
        }
        self.done.push(handshake);
    }

    fn finish(mut self, stopped: Option<Stop>) -> Capture {
        for (_, stream) in std::mem::take(&mut self.open) {
            self.end(stream);
        }
        self.counts.without_start = self.startless.len() as u64;
        self.done.sort_by_key(|handshake| handshake.stream);
        Capture {
            handshakes: self.done,
            counts: self.counts,
            stopped,
        }
    }
}

impl Stream {
    /// Whether a SYN is that of this connection, come again.
    fn moment_of_use(&self, segment: &Segment<'_>) -> bool {
        segment.from == self.client
            && self
                .from_client
                .begins_with(segment.sequence.wrapping_add(1))
    }

    fn take(&mut self, time: u64, segment: &Segment<'_>) {
        let from_client = segment.from == self.client;
        let flags = segment.flags;
        if !from_client && flags.syn() {
            self.from_server.begin(segment.sequence.wrapping_add(1));
            self.handshake.moments.syn_ack.get_or_insert(time);
        }
        let half = if from_client {
            &mut self.from_client
        } else {
            &mut self.from_server
        };
        self.handshake.begin_segment();
        let mut side = Side {
            handshake: &mut self.handshake,
            from_client,
            time,
        };
        // Data of a SYN (fast open) begin after the number that the SYN itself takes.
        let sequence = segment.sequence.wrapping_add(u32::from(flags.syn()));
        half.take(sequence, segment.payload, segment.missing, &mut side);
        if flags.rst() {
            self.closed = Some("reset before it was complete");
        }
        if flags.fin() {
            *(if from_client {
                &mut self.client_fin
            } else {
                &mut self.server_fin
            }) = true;
            // With a gap before it, what the FIN followed may still come.
            let gap = self.from_client.has_gap() || self.from_server.has_gap();
            if self.client_fin && self.server_fin && !gap {
                self.closed = Some("closed before it was complete");
            }
        }
    }
}

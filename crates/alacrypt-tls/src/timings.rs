//! When things happened in one handshake, told from the records that pass by.
//!
//! [`Observer`] does no input or output and reads no clock: it is given bytes and times, so it serves
//! a blocking socket, an asynchronous one and a test alike. Times are counted from any moment that
//! the caller chooses, such as the start of a burst.

use std::time::Duration;

/// The moments of one handshake, and the intervals between them.
///
/// ```
/// use alacrypt_tls::HandshakeTimings;
/// use std::time::Duration;
///
/// let ms = Duration::from_millis;
/// let mut timings = HandshakeTimings::default();
/// timings.client_hello = Some(ms(5));
/// timings.server_hello = Some(ms(9));
/// assert_eq!(timings.hello(), Some(ms(4)));
/// assert_eq!(timings.think(), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandshakeTimings {
    /// The TCP connection was asked for.
    pub connect: Option<Duration>,
    /// It was there.
    pub connected: Option<Duration>,
    /// The first ClientHello was sent.
    pub client_hello: Option<Duration>,
    /// The first ServerHello came, or HelloRetryRequest.
    pub server_hello: Option<Duration>,
    /// The ServerHello that decides: the same, unless there was a HelloRetryRequest.
    pub final_server_hello: Option<Duration>,
    /// The last record of the server's flight came.
    pub flight_end: Option<Duration>,
    /// Our answer was sent: in TLS 1.3 the first protected record, in TLS 1.2 ClientKeyExchange.
    pub answer: Option<Duration>,
    /// The first byte of data came.
    pub first_data: Option<Duration>,
    /// CPU time of the handshake, of the thread that did it.
    pub cpu: Option<Duration>,
    /// The part of that which went into the ClientHello, before it was sent.
    pub hello_cpu: Option<Duration>,
    /// Time in which that thread could have run and had no CPU. Known only where a thread does one
    /// handshake at a time (see [`crate::blocking`]).
    pub run_queue: Option<Duration>,
    /// Whether the server asked for a second ClientHello.
    pub retried: bool,
}

impl HandshakeTimings {
    /// TCP: asked for → there.
    pub fn tcp(&self) -> Option<Duration> {
        between(self.connect, self.connected)
    }

    /// ClientHello → ServerHello: the round trip, and the server's queue and work.
    pub fn hello(&self) -> Option<Duration> {
        between(self.client_hello, self.server_hello)
    }

    /// ServerHello → the flight's last record.
    pub fn flight(&self) -> Option<Duration> {
        between(self.final_server_hello, self.flight_end)
    }

    /// The server's flight complete → our first protected record: this side's CPU and queue.
    pub fn think(&self) -> Option<Duration> {
        between(self.flight_end, self.answer)
    }

    /// Our first protected record → the first byte of data.
    pub fn first_byte(&self) -> Option<Duration> {
        between(self.answer, self.first_data)
    }

    /// ClientHello → our first protected record.
    pub fn handshake(&self) -> Option<Duration> {
        between(self.client_hello, self.answer)
    }

    /// What of [`HandshakeTimings::handshake`] was not CPU time.
    pub fn waiting(&self) -> Option<Duration> {
        let cpu = self.cpu?.saturating_sub(self.hello_cpu.unwrap_or_default());
        Some(self.handshake()?.saturating_sub(cpu))
    }

    /// What of it was neither CPU time nor waiting for a CPU: the network and the server.
    pub fn network(&self) -> Option<Duration> {
        Some(self.waiting()?.saturating_sub(self.run_queue?))
    }
}

fn between(from: Option<Duration>, to: Option<Duration>) -> Option<Duration> {
    to?.checked_sub(from?)
}

/// Sees the records of a connection pass by, in both directions.
#[derive(Clone, Debug, Default)]
pub struct Observer {
    timings: HandshakeTimings,
    sent: Records,
    received: Records,
    /// When the last record of the server was complete.
    last_received: Option<Duration>,
    failed: bool,
}

const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const APPLICATION_DATA: u8 = 23;

/// The random number of a ServerHello that is a HelloRetryRequest (RFC 8446, section 4.1.3).
const RETRY: [u8; 32] = [
    0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
    0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
];

impl Observer {
    /// One that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The TCP connection is asked for.
    pub fn connecting(&mut self, at: Duration) {
        self.timings.connect = Some(at);
    }

    /// The TCP connection is there.
    pub fn connected(&mut self, at: Duration) {
        self.timings.connected = Some(at);
    }

    /// These bytes are sent.
    pub fn sent(&mut self, bytes: &[u8], at: Duration) {
        if self.is_done() {
            return;
        }
        let (timings, last_received) = (&mut self.timings, self.last_received);
        self.sent.read(bytes, |record| {
            if timings.answer.is_some() {
                return;
            }
            match record.kind {
                HANDSHAKE if timings.client_hello.is_none() => timings.client_hello = Some(at),
                // After the ServerHello that decides; before that it is the second ClientHello.
                HANDSHAKE | APPLICATION_DATA if timings.final_server_hello.is_some() => {
                    timings.flight_end = last_received;
                    timings.answer = Some(at);
                }
                _ => (),
            }
        });
    }

    /// These bytes came.
    pub fn received(&mut self, bytes: &[u8], at: Duration) {
        if self.is_done() {
            return;
        }
        let (timings, last_received) = (&mut self.timings, &mut self.last_received);
        self.received.read(bytes, |record| {
            *last_received = Some(at);
            let is_hello = record.kind == HANDSHAKE && record.start.first() == Some(&2);
            if !is_hello || timings.final_server_hello.is_some() {
                return;
            }
            timings.server_hello.get_or_insert(at);
            // A handshake message: type, 3 bytes of length, 2 of version, then the random number.
            if record.start.get(6..38) == Some(&RETRY) {
                timings.retried = true;
            } else {
                timings.final_server_hello = Some(at);
            }
        });
    }

    /// Data came, after decryption.
    pub fn data(&mut self, at: Duration) {
        self.timings.first_data.get_or_insert(at);
    }

    /// The handshake took this much CPU time more.
    pub fn worked(&mut self, cpu: Duration) {
        if !self.failed {
            *self.timings.cpu.get_or_insert_default() += cpu;
            if self.timings.client_hello.is_none() {
                *self.timings.hello_cpu.get_or_insert_default() += cpu;
            }
        }
    }

    /// The thread waited for a CPU for this long.
    pub fn queued(&mut self, run_queue: Duration) {
        self.timings.run_queue = Some(run_queue);
    }

    /// The handshake failed: what was sent last was an alert and no answer. In TLS 1.3 the two look
    /// the same from outside.
    pub fn failed(&mut self) {
        self.failed = true;
        self.timings.answer = None;
        self.timings.flight_end = None;
    }

    /// Whether our answer was sent, or never will be.
    pub fn is_done(&self) -> bool {
        self.failed || self.timings.answer.is_some()
    }

    /// What was seen so far.
    pub fn timings(&self) -> HandshakeTimings {
        self.timings
    }
}

/// Takes a stream of bytes apart into records, of which it keeps the start only.
#[derive(Clone, Debug, Default)]
struct Records {
    /// The header of the record that is being read, as far as it came.
    header: [u8; 5],
    header_len: usize,
    /// Bytes of it that are still to come.
    left: usize,
    start: Vec<u8>,
}

struct Record<'a> {
    kind: u8,
    start: &'a [u8],
}

/// As much of a record as is looked at: up to the end of a ServerHello's random number.
const START_LEN: usize = 38;

impl Records {
    fn read(&mut self, mut bytes: &[u8], mut complete: impl FnMut(&Record<'_>)) {
        while !bytes.is_empty() {
            if self.header_len < self.header.len() {
                self.header[self.header_len] = bytes[0];
                self.header_len += 1;
                bytes = &bytes[1..];
                if self.header_len == self.header.len() {
                    self.left = usize::from(u16::from_be_bytes([self.header[3], self.header[4]]));
                    self.start.clear();
                }
            } else {
                let taken = self.left.min(bytes.len());
                let wanted = (START_LEN - self.start.len()).min(taken);
                self.start.extend_from_slice(&bytes[..wanted]);
                self.left -= taken;
                bytes = &bytes[taken..];
            }
            if self.header_len == self.header.len() && self.left == 0 {
                let kind = self.header[0];
                if kind != ALERT {
                    complete(&Record {
                        kind,
                        start: &self.start,
                    });
                }
                self.header_len = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    fn record(kind: u8, body: &[u8]) -> Vec<u8> {
        let len = u16::try_from(body.len()).unwrap().to_be_bytes();
        [&[kind, 3, 3], &len[..], body].concat()
    }

    fn hello(random: [u8; 32]) -> Vec<u8> {
        let body = [&[2, 0, 0, 80, 3, 3][..], &random, &[0; 40]].concat();
        record(HANDSHAKE, &body)
    }

    #[test]
    fn tls13_with_a_flight_in_pieces() {
        for piece in [1, 7, 1_000] {
            let mut observer = Observer::new();
            observer.connecting(ms(1));
            observer.connected(ms(3));
            observer.sent(&record(HANDSHAKE, &[1; 300]), ms(4));
            let flight = [
                hello([9; 32]),
                record(20, &[1]),
                record(APPLICATION_DATA, &[5; 900]),
            ]
            .concat();
            observer.received(&flight[..20], ms(9));
            for bytes in flight[20..].chunks(piece) {
                observer.received(bytes, ms(10));
            }
            // ChangeCipherSpec is no answer.
            observer.sent(&record(20, &[1]), ms(11));
            observer.sent(&record(APPLICATION_DATA, &[6; 53]), ms(12));
            observer.received(&record(APPLICATION_DATA, &[6; 53]), ms(15));
            observer.data(ms(20));
            observer.data(ms(21));
            let timings = observer.timings();
            assert_eq!(timings.tcp(), Some(ms(2)));
            assert_eq!(timings.hello(), Some(ms(6)));
            assert_eq!(timings.flight(), Some(ms(0)));
            assert_eq!(timings.think(), Some(ms(2)));
            assert_eq!(timings.handshake(), Some(ms(8)));
            assert_eq!(timings.first_byte(), Some(ms(8)));
            assert!(!timings.retried);
        }
    }

    #[test]
    fn a_second_client_hello_is_no_answer() {
        let mut observer = Observer::new();
        observer.sent(&record(HANDSHAKE, &[1; 300]), ms(0));
        observer.received(&hello(RETRY), ms(5));
        observer.sent(&record(20, &[1]), ms(6));
        observer.sent(&record(HANDSHAKE, &[1; 300]), ms(6));
        assert!(!observer.is_done());
        observer.received(&hello([1; 32]), ms(9));
        observer.received(&record(APPLICATION_DATA, &[1; 90]), ms(11));
        observer.sent(&record(APPLICATION_DATA, &[1; 53]), ms(12));
        let timings = observer.timings();
        assert!(timings.retried);
        assert_eq!(timings.hello(), Some(ms(5)));
        assert_eq!(timings.flight(), Some(ms(2)));
        assert_eq!(timings.think(), Some(ms(1)));
    }

    #[test]
    fn tls12_answers_in_the_clear() {
        let mut observer = Observer::new();
        observer.sent(&record(HANDSHAKE, &[1; 300]), ms(0));
        observer.received(&hello([1; 32]), ms(2));
        observer.received(&record(HANDSHAKE, &[11; 900]), ms(3));
        observer.sent(&record(HANDSHAKE, &[16; 60]), ms(5));
        assert_eq!(observer.timings().think(), Some(ms(2)));
    }

    #[test]
    fn a_failed_handshake_has_no_answer() {
        let mut observer = Observer::new();
        observer.sent(&record(HANDSHAKE, &[1; 300]), ms(0));
        observer.received(&hello([1; 32]), ms(2));
        observer.sent(&record(APPLICATION_DATA, &[1; 19]), ms(5));
        observer.failed();
        assert_eq!(observer.timings().think(), None);
        assert_eq!(observer.timings().handshake(), None);
        assert!(observer.is_done());
    }

    #[test]
    fn waiting_is_what_was_neither_cpu_nor_queue() {
        let mut timings = HandshakeTimings {
            client_hello: Some(ms(10)),
            answer: Some(ms(40)),
            ..HandshakeTimings::default()
        };
        assert_eq!((timings.waiting(), timings.network()), (None, None));
        timings.cpu = Some(ms(5));
        assert_eq!((timings.waiting(), timings.network()), (Some(ms(25)), None));
        timings.hello_cpu = Some(ms(1));
        assert_eq!(timings.waiting(), Some(ms(26)));
        timings.hello_cpu = None;
        timings.run_queue = Some(ms(20));
        assert_eq!(timings.network(), Some(ms(5)));
    }

    #[test]
    fn work_before_the_hello_is_counted_apart() {
        let mut observer = Observer::new();
        observer.worked(ms(3));
        observer.sent(&record(HANDSHAKE, &[1; 300]), ms(0));
        observer.worked(ms(4));
        assert_eq!(observer.timings().cpu, Some(ms(7)));
        assert_eq!(observer.timings().hello_cpu, Some(ms(3)));
    }

    #[test]
    fn any_bytes_are_fine() {
        let mut observer = Observer::new();
        for seed in 0..2_000u32 {
            let bytes: Vec<u8> = (0..seed % 97)
                .map(|i| (seed.wrapping_mul(2_654_435_761).wrapping_add(i * 40_503) >> 11) as u8)
                .collect();
            observer.sent(&bytes, ms(1));
            observer.received(&bytes, ms(1));
        }
    }
}

//! Records of one direction, read as a stream: five bytes of header each, and the headers of clear
//! handshake messages. Bodies are stepped over, not kept, except those of the two hellos.

use super::hello::{ClientHello, ServerHello, client_hello, server_hello};

/// Longest record body: 2^14 and room for expansion (RFC 5246 section 6.2.3).
const LONGEST_RECORD: u32 = (1 << 14) + 2048;
/// A hello that is longer than this is damage.
const LONGEST_HELLO: u32 = 1 << 18;

/// Content types (RFC 8446 section 5.1).
pub const CHANGE_CIPHER_SPEC: u8 = 20;
/// See there.
pub const ALERT: u8 = 21;
/// See there.
pub const HANDSHAKE: u8 = 22;
/// See there.
pub const APPLICATION_DATA: u8 = 23;

/// One thing that was complete with the bytes just read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A clear ClientHello.
    ClientHello(ClientHello),
    /// A clear ServerHello or HelloRetryRequest.
    ServerHello(ServerHello),
    /// Another clear handshake message, by its type.
    Message(u8),
    /// A record, by its content type; after the messages in it. Whether its body was clear.
    Record(u8, bool),
}

/// Who is told, and who knows whether a handshake record can be read.
pub trait Sink {
    /// Whether handshake records of this direction are clear now.
    fn is_clear(&self) -> bool;
    /// Something is complete.
    fn event(&mut self, event: Event);
}

/// The handshake message being read: it may begin in one record and end in another.
#[derive(Debug, Default)]
struct Message {
    header: [u8; 4],
    have: u8,
    left: u32,
    keep: Vec<u8>,
}

/// Reads one direction.
#[derive(Debug, Default)]
pub struct Records {
    header: [u8; 5],
    have: u8,
    left: u32,
    clear: bool,
    message: Message,
    /// Messages of the record being read: their time is that of its end.
    ready: Vec<Event>,
}

/// Why a direction cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The bytes are no TLS record.
    NotTls,
    /// Bytes that had to be read were not captured.
    Cut,
}

impl Records {
    /// Takes in the next bytes, and `missing` more that were not captured.
    ///
    /// # Errors
    /// Why the direction cannot be read on.
    pub fn feed(
        &mut self,
        mut bytes: &[u8],
        missing: u32,
        sink: &mut impl Sink,
    ) -> Result<(), Broken> {
        while !bytes.is_empty() {
            if self.have < 5 {
                let n = bytes.len().min(usize::from(5 - self.have));
                let have = usize::from(self.have);
                self.header[have..have + n].copy_from_slice(&bytes[..n]);
                self.have += n as u8;
                bytes = &bytes[n..];
                if self.have == 5 {
                    self.begin(sink)?;
                    self.end(sink);
                }
                continue;
            }
            let n = bytes.len().min(self.left as usize);
            if self.clear {
                self.message(&bytes[..n])?;
            }
            self.left -= n as u32;
            bytes = &bytes[n..];
            self.end(sink);
        }
        if missing > 0 {
            self.skip(missing, sink)
        } else {
            Ok(())
        }
    }

    fn begin(&mut self, sink: &impl Sink) -> Result<(), Broken> {
        let [kind, major, _, high, low] = self.header;
        self.left = u32::from(high) << 8 | u32::from(low);
        let empty = self.left == 0 && kind != APPLICATION_DATA;
        if !(20..=24).contains(&kind) || major != 3 || self.left > LONGEST_RECORD || empty {
            return Err(Broken::NotTls);
        }
        self.clear = kind == HANDSHAKE && sink.is_clear();
        Ok(())
    }

    fn end(&mut self, sink: &mut impl Sink) {
        if self.left > 0 || self.have < 5 {
            return;
        }
        for event in self.ready.drain(..) {
            sink.event(event);
        }
        self.have = 0;
        sink.event(Event::Record(
            self.header[0],
            self.clear || self.header[0] != HANDSHAKE,
        ));
    }

    /// Steps over bytes that were not captured, as long as nothing has to be read in them.
    fn skip(&mut self, mut missing: u32, sink: &mut impl Sink) -> Result<(), Broken> {
        while missing > 0 {
            if self.have < 5 {
                return Err(Broken::Cut);
            }
            let mut n = missing.min(self.left);
            if self.clear {
                let message = &mut self.message;
                if message.have < 4 || !message.keep.is_empty() || keeps(message.header[0]) {
                    return Err(Broken::Cut);
                }
                n = n.min(message.left);
                message.left -= n;
                if message.left == 0 {
                    self.ready.push(Event::Message(message.header[0]));
                    *message = Message::default();
                }
            }
            self.left -= n;
            missing -= n;
            self.end(sink);
        }
        Ok(())
    }

    fn message(&mut self, mut bytes: &[u8]) -> Result<(), Broken> {
        let message = &mut self.message;
        loop {
            if message.have < 4 {
                let n = bytes.len().min(usize::from(4 - message.have));
                let have = usize::from(message.have);
                message.header[have..have + n].copy_from_slice(&bytes[..n]);
                message.have += n as u8;
                bytes = &bytes[n..];
                if message.have < 4 {
                    return Ok(());
                }
                let [kind, a, b, c] = message.header;
                message.left = u32::from_be_bytes([0, a, b, c]);
                if keeps(kind) && message.left > LONGEST_HELLO {
                    return Err(Broken::NotTls);
                }
            }
            let n = bytes.len().min(message.left as usize);
            if keeps(message.header[0]) {
                message.keep.extend_from_slice(&bytes[..n]);
            }
            message.left -= n as u32;
            bytes = &bytes[n..];
            if message.left > 0 {
                return Ok(());
            }
            let event = match message.header[0] {
                1 => client_hello(&message.keep).map(Event::ClientHello),
                2 => server_hello(&message.keep).map(Event::ServerHello),
                kind => Some(Event::Message(kind)),
            };
            self.ready.push(event.ok_or(Broken::NotTls)?);
            *message = Message::default();
            if bytes.is_empty() {
                return Ok(());
            }
        }
    }
}

/// Whether the body of a message is read: those of the hellos.
fn keeps(kind: u8) -> bool {
    matches!(kind, 1 | 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen(Vec<Event>, bool);

    impl Sink for Seen {
        fn is_clear(&self) -> bool {
            !self.1
        }
        fn event(&mut self, event: Event) {
            self.0.push(event);
        }
    }

    /// Two messages of one record, a message over two records, an empty record, data.
    fn stream() -> Vec<u8> {
        let mut bytes = vec![22, 3, 3, 0, 9, 14, 0, 0, 0, 11, 0, 0, 1, 7];
        bytes.extend([22, 3, 3, 0, 6, 16, 0, 0, 4, 1, 2, 22, 3, 3, 0, 2, 3, 4]);
        bytes.extend([23, 3, 3, 0, 0, 23, 3, 3, 0, 3, 1, 2, 3]);
        bytes
    }

    fn want() -> Vec<Event> {
        vec![
            Event::Message(14),
            Event::Message(11),
            Event::Record(22, true),
            Event::Record(22, true),
            Event::Message(16),
            Event::Record(22, true),
            Event::Record(23, true),
            Event::Record(23, true),
        ]
    }

    #[test]
    fn any_cut_of_the_stream_gives_the_same_events() {
        let bytes = stream();
        for size in 1..=bytes.len() {
            let (mut records, mut seen) = (Records::default(), Seen::default());
            for part in bytes.chunks(size) {
                records.feed(part, 0, &mut seen).unwrap();
            }
            assert_eq!(seen.0, want(), "parts of {size}");
        }
    }

    #[test]
    fn what_was_not_captured_is_stepped_over_where_nothing_is_read() {
        let (mut records, mut seen) = (Records::default(), Seen::default());
        records
            .feed(&[22, 3, 3, 1, 0, 11, 0, 0, 252, 9], 251, &mut seen)
            .unwrap();
        records.feed(&[23, 3, 3, 4, 0], 1024, &mut seen).unwrap();
        assert_eq!(
            seen.0,
            [
                Event::Message(11),
                Event::Record(22, true),
                Event::Record(23, true)
            ]
        );
        assert_eq!(records.feed(&[23, 3], 3, &mut seen), Err(Broken::Cut));
    }

    #[test]
    fn what_is_no_record_is_refused() {
        for bytes in [
            &b"HTTP/1.1 200 OK\r\n"[..],
            &[22, 3, 1, 255, 255],
            &[22, 3, 1, 0, 0],
        ] {
            let refused = Records::default().feed(bytes, 0, &mut Seen::default());
            assert_eq!(refused, Err(Broken::NotTls));
        }
    }
}

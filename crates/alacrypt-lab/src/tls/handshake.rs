//! The moments of one handshake, and the intervals between them.

use super::half::Lost;
use super::hello::{ClientHello, ServerHello};
use super::records::{ALERT, APPLICATION_DATA, CHANGE_CIPHER_SPEC, Event};
use serde::Serialize;

/// When things happened, ns. Of a record: when the segment came that completes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Moments {
    /// The client's first SYN.
    pub syn: Option<u64>,
    /// The server's first SYN and ACK.
    pub syn_ack: Option<u64>,
    /// First ClientHello.
    pub client_hello: Option<u64>,
    /// First ServerHello, or HelloRetryRequest.
    pub server_hello: Option<u64>,
    /// Second ClientHello, after a HelloRetryRequest.
    pub client_hello_2: Option<u64>,
    /// The ServerHello that decides.
    pub final_server_hello: Option<u64>,
    /// Last server record before the client answers.
    pub flight_end: Option<u64>,
    /// TLS 1.2: ServerHelloDone.
    pub server_hello_done: Option<u64>,
    /// TLS 1.2: ClientKeyExchange.
    pub client_key_exchange: Option<u64>,
    /// First ChangeCipherSpec of the client.
    pub client_ccs: Option<u64>,
    /// First ChangeCipherSpec of the server.
    pub server_ccs: Option<u64>,
    /// First application data record of the client after the deciding ServerHello: in TLS 1.3 its
    /// Finished.
    pub client_app: Option<u64>,
    /// The client's next one: its request.
    pub client_app_2: Option<u64>,
    /// First application data record of the server after its ChangeCipherSpec.
    pub server_app: Option<u64>,
    /// The same, after the client's first.
    pub server_app_after: Option<u64>,
    /// The same, after the client's second.
    pub server_app_after_2: Option<u64>,
}

/// How a handshake ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The client sent its first protected record after the server's hello.
    Complete,
    /// An alert or the end of the connection came first.
    Failed(&'static str),
    /// The capture ended first.
    Unfinished,
    /// It cannot be known, because the capture is not whole.
    Lost(&'static str),
}

/// One handshake as it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Handshake {
    /// Number of the connection, in the order of their SYNs.
    pub stream: u64,
    /// Address and port of the client.
    pub client: String,
    /// Address and port of the server.
    pub server: String,
    /// The name that the client asked for.
    pub server_name: Option<String>,
    /// 0x0304 is TLS 1.3, 0x0303 TLS 1.2.
    pub version: Option<u16>,
    /// The cipher suite's number.
    pub cipher: Option<u16>,
    /// Whether the server asked for a second ClientHello.
    pub retry: bool,
    /// Whether an earlier session was resumed.
    pub resumed: bool,
    /// Whether the client sent data with its first flight.
    pub early_data: bool,
    /// When things happened.
    pub moments: Moments,
    /// Application data records of the client, its encrypted Finished among them.
    pub client_app_records: u64,
    /// Application data records of the server.
    pub server_app_records: u64,
    /// Segments with which application data records of the client were complete.
    pub client_app_segments: u64,
    /// The same, of the server.
    pub server_app_segments: u64,
    /// Segments that came again.
    pub repeated_segments: u32,
    /// Segments that came out of order.
    pub early_segments: u32,
    /// How it ended.
    pub ending: Ending,
    #[serde(skip)]
    session_id: Vec<u8>,
    /// Whether the segment being read completed an application data record already.
    #[serde(skip)]
    counted: bool,
}

/// An interval: its name, from where to where, and how it is computed.
pub struct Interval {
    /// Short name, as in tables and files.
    pub name: &'static str,
    /// From what to what.
    pub meaning: &'static str,
    /// Its length, ns; none where one of the ends is missing.
    pub of: fn(&Handshake) -> Option<u64>,
}

fn between(from: Option<u64>, to: Option<u64>) -> Option<u64> {
    to?.checked_sub(from?)
}

/// All intervals, in the order of tables.
pub const INTERVALS: [Interval; 10] = [
    Interval {
        name: "tcp",
        meaning: "SYN → SYN/ACK: the round trip's floor",
        of: |h| between(h.moments.syn, h.moments.syn_ack),
    },
    Interval {
        name: "ch_sh",
        meaning: "first ClientHello → ServerHello or HelloRetryRequest: round trip and server queue",
        of: |h| between(h.moments.client_hello, h.moments.server_hello),
    },
    Interval {
        name: "flight",
        meaning: "deciding ServerHello → last server record before the client answers",
        of: |h| between(h.moments.final_server_hello, h.moments.flight_end),
    },
    Interval {
        name: "think",
        meaning: "server's flight complete → client's first protected record (TLS 1.2: \
                  ServerHelloDone → ClientKeyExchange): the client's CPU and queue",
        of: Handshake::think,
    },
    Interval {
        name: "ccs_app.cc",
        meaning: "client's ChangeCipherSpec → client's first application data: 0 where both leave \
                  in one segment",
        of: |h| between(h.moments.client_ccs, h.moments.client_app),
    },
    Interval {
        name: "ccs_app.cs",
        meaning: "client's ChangeCipherSpec → server's first application data after the client's; \
                  may be a session ticket",
        of: |h| between(h.moments.client_ccs, h.moments.server_app_after),
    },
    Interval {
        name: "ccs_app.sc",
        meaning: "server's ChangeCipherSpec → client's first application data",
        of: |h| between(h.moments.server_ccs, h.moments.client_app),
    },
    Interval {
        name: "ccs_app.ss",
        meaning: "server's ChangeCipherSpec → server's first application data",
        of: |h| between(h.moments.server_ccs, h.moments.server_app),
    },
    Interval {
        name: "total",
        meaning: "first ClientHello → client's first protected record",
        of: |h| between(h.moments.client_hello, h.moments.client_app),
    },
    Interval {
        name: "ttfb",
        meaning: "client's first request record (TLS 1.3: its second application data) → server's \
                  next; without keys that may be a session ticket",
        of: Handshake::first_byte,
    },
];

impl Handshake {
    /// One that has not begun.
    pub fn new(stream: u64, client: String, server: String) -> Self {
        Self {
            stream,
            client,
            server,
            server_name: None,
            version: None,
            cipher: None,
            retry: false,
            resumed: false,
            early_data: false,
            moments: Moments::default(),
            client_app_records: 0,
            server_app_records: 0,
            client_app_segments: 0,
            server_app_segments: 0,
            repeated_segments: 0,
            early_segments: 0,
            ending: Ending::Unfinished,
            session_id: Vec::new(),
            counted: false,
        }
    }

    /// Whether it runs TLS 1.3.
    pub fn is_13(&self) -> bool {
        self.version == Some(0x0304)
    }

    /// The version as people write it.
    pub fn version_text(&self) -> String {
        match self.version {
            Some(0x0304) => "1.3".into(),
            Some(0x0303) => "1.2".into(),
            Some(0x0302) => "1.1".into(),
            Some(0x0301) => "1.0".into(),
            Some(other) => format!("{other:04x}"),
            None => "-".into(),
        }
    }

    fn think(&self) -> Option<u64> {
        let m = &self.moments;
        if self.is_13() {
            between(m.flight_end, m.client_app)
        } else if m.server_hello_done.is_some() {
            between(m.server_hello_done, m.client_key_exchange)
        } else {
            between(m.flight_end, m.client_ccs)
        }
    }

    fn first_byte(&self) -> Option<u64> {
        let m = &self.moments;
        if self.is_13() {
            between(m.client_app_2, m.server_app_after_2)
        } else {
            between(m.client_app, m.server_app_after)
        }
    }

    /// Whether handshake records of one side can be read now.
    pub(super) fn is_clear(&self, from_client: bool) -> bool {
        let ccs = if from_client {
            self.moments.client_ccs
        } else {
            self.moments.server_ccs
        };
        ccs.is_none() || self.retry || self.is_13()
    }

    /// Another segment begins.
    pub(super) fn begin_segment(&mut self) {
        self.counted = false;
    }

    /// Takes in what was complete at `time`.
    pub fn event(&mut self, from_client: bool, time: u64, event: Event) {
        match event {
            Event::ClientHello(hello) if from_client => self.client_hello(time, hello),
            Event::ServerHello(hello) if !from_client => self.server_hello(time, &hello),
            Event::Message(kind) => self.message(from_client, time, kind),
            Event::Record(kind, clear) => self.record(from_client, time, kind, clear),
            Event::ClientHello(_) | Event::ServerHello(_) => {}
        }
    }

    fn client_hello(&mut self, time: u64, hello: ClientHello) {
        if self.moments.client_hello.is_none() {
            self.moments.client_hello = Some(time);
            self.server_name = hello.server_name;
            self.early_data = hello.early_data;
            self.session_id = hello.session_id;
        } else if self.retry && self.moments.client_hello_2.is_none() {
            self.moments.client_hello_2 = Some(time);
        }
    }

    fn server_hello(&mut self, time: u64, hello: &ServerHello) {
        self.moments.server_hello.get_or_insert(time);
        if hello.retry {
            self.retry = true;
            return;
        }
        if self.moments.final_server_hello.is_some() {
            return;
        }
        self.moments.final_server_hello = Some(time);
        self.version = Some(hello.version);
        self.cipher = Some(hello.cipher);
        let echoed = !self.session_id.is_empty() && hello.session_id == self.session_id;
        self.resumed = if self.is_13() {
            hello.pre_shared_key
        } else {
            echoed
        };
    }

    fn message(&mut self, from_client: bool, time: u64, kind: u8) {
        let m = &mut self.moments;
        match (from_client, kind) {
            (false, 14) => {
                m.server_hello_done.get_or_insert(time);
            }
            (true, 16) => {
                m.client_key_exchange.get_or_insert(time);
            }
            _ => {}
        }
    }

    fn record(&mut self, from_client: bool, time: u64, kind: u8, clear: bool) {
        let m = &mut self.moments;
        let decided = m.final_server_hello.is_some();
        if kind == ALERT && m.client_app.is_none() && clear {
            let who = if from_client {
                "alert of the client"
            } else {
                "alert of the server"
            };
            if self.ending == Ending::Unfinished {
                self.ending = Ending::Failed(who);
            }
        }
        if from_client {
            match kind {
                CHANGE_CIPHER_SPEC => {
                    m.client_ccs.get_or_insert(time);
                }
                APPLICATION_DATA => {
                    self.client_app_records += 1;
                    self.client_app_segments +=
                        u64::from(!std::mem::replace(&mut self.counted, true));
                    if m.client_app.is_some() {
                        m.client_app_2.get_or_insert(time);
                    } else if decided {
                        m.client_app = Some(time);
                        self.ending = Ending::Complete;
                    }
                }
                _ => {}
            }
            return;
        }
        if kind == CHANGE_CIPHER_SPEC {
            m.server_ccs.get_or_insert(time);
        }
        if decided && m.client_app.is_none() {
            m.flight_end = Some(time);
        }
        if kind == APPLICATION_DATA {
            self.server_app_records += 1;
            self.server_app_segments += u64::from(!std::mem::replace(&mut self.counted, true));
            if m.server_ccs.is_some() {
                m.server_app.get_or_insert(time);
            }
            if m.client_app.is_some() {
                m.server_app_after.get_or_insert(time);
            }
            if m.client_app_2.is_some() {
                m.server_app_after_2.get_or_insert(time);
            }
        }
    }

    /// The connection was closed, or one side of it given up.
    pub(super) fn close(&mut self, closed: Option<&'static str>, lost: Option<Lost>, gap: bool) {
        if self.ending != Ending::Unfinished {
            return;
        }
        self.ending = match (lost, gap, closed) {
            (Some(Lost::Cut), ..) => Ending::Lost("the snap length cut it"),
            (Some(Lost::Gap), ..) | (None, true, _) => Ending::Lost("a segment is missing"),
            (Some(Lost::NotTls), ..) => Ending::Lost("what follows is no TLS"),
            (None, false, Some(how)) => Ending::Failed(how),
            (None, false, None) => Ending::Unfinished,
        };
    }
}

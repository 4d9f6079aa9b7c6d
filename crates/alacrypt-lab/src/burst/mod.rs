//! TLS connections opened at once to a real server, and their timings in the form in which captures
//! have them, so that the same tables show both.
//!
//! A thread for each connection: only so can the kernel tell how long it could have run and had no
//! processor. What remains of a handshake is the network and the server.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use alacrypt_tls::rustls::ProtocolVersion;
use alacrypt_tls::{Client, Clock, Error, HandshakeTimings, blocking};
use serde::Serialize;

use crate::tls::{Ending, Handshake, Moments, Spread, batch::spread};

/// What to do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The name to ask for and to verify.
    pub name: String,
    /// Where the server is.
    pub address: SocketAddr,
    /// Connections at once.
    pub parallel: u64,
    /// Rounds, one after the other.
    pub rounds: u64,
    /// What is sent after a handshake, if anything.
    pub request: Option<Vec<u8>>,
    /// How long each part of a connection may take.
    pub timeout: Duration,
}

/// One connection.
#[derive(Clone, Debug, Serialize)]
pub struct Timed {
    /// Its round, from 1.
    pub round: u64,
    /// As a capture would have it.
    pub handshake: Handshake,
    /// CPU time of the handshake, ns.
    pub cpu: Option<u64>,
    /// Time in the run queue, ns.
    pub run_queue: Option<u64>,
    /// The rest: the network and the server, ns.
    pub network: Option<u64>,
    /// What went wrong: a code and a sentence.
    pub error: Option<(&'static str, String)>,
}

/// A part of a handshake's time: its name, what it means, and where it stands.
pub struct Part {
    /// Short name, as in tables and files.
    pub name: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// Its length, ns.
    pub of: fn(&Timed) -> Option<u64>,
}

/// The parts of `total`.
pub const PARTS: [Part; 3] = [
    Part {
        name: "cpu",
        meaning: "CPU time of this side; the ClientHello, made before total begins, included",
        of: |timed| timed.cpu,
    },
    Part {
        name: "run queue",
        meaning: "this side could have run and had no processor",
        of: |timed| timed.run_queue,
    },
    Part {
        name: "network",
        meaning: "the rest of total: the network and the server",
        of: |timed| timed.network,
    },
];

/// Spreads of the parts, over those of `timed` that are complete.
pub fn parts<'a>(timed: impl Iterator<Item = &'a Timed> + Clone) -> Vec<Spread> {
    let of = |part: &Part| {
        let complete = timed
            .clone()
            .filter(|t| t.handshake.ending == Ending::Complete);
        spread(part.name, complete.filter_map(part.of).collect())
    };
    PARTS.iter().filter_map(of).collect()
}

/// Opens the connections.
pub fn run(client: &Client, plan: &Plan) -> Vec<Timed> {
    let clock = Clock::start();
    (1..=plan.rounds)
        .flat_map(|round| one_round(client, plan, clock, round))
        .collect()
}

fn one_round(client: &Client, plan: &Plan, clock: Clock, round: u64) -> Vec<Timed> {
    let gate = Gate::default();
    std::thread::scope(|scope| {
        let first = (round - 1) * plan.parallel;
        let start = |number| {
            let gate = &gate;
            let connection = move || {
                gate.pass();
                connection(client, plan, clock, round, number)
            };
            let thread = std::thread::Builder::new().stack_size(512 * 1_024);
            (number, thread.spawn_scoped(scope, connection))
        };
        let threads: Vec<_> = (first..first + plan.parallel).map(start).collect();
        gate.open();
        let finish = |(number, thread): (u64, std::io::Result<_>)| {
            let joined = thread.map_err(|error| error.to_string());
            let timed = joined.and_then(|thread: std::thread::ScopedJoinHandle<'_, Timed>| {
                thread.join().map_err(|_| "its thread panicked".to_owned())
            });
            timed.unwrap_or_else(|why| failed(plan, round, number, "EAGAIN", why))
        };
        threads.into_iter().map(finish).collect()
    })
}

/// Holds the threads until all are there.
#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_open {
            is_open = self
                .opened
                .wait(is_open)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn open(&self) {
        *self.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.opened.notify_all();
    }
}

fn failed(plan: &Plan, round: u64, number: u64, code: &'static str, why: String) -> Timed {
    let mut handshake = Handshake::new(number, String::new(), plan.address.to_string());
    handshake.server_name = Some(plan.name.clone());
    handshake.ending = Ending::Failed(code);
    Timed {
        round,
        handshake,
        cpu: None,
        run_queue: None,
        network: None,
        error: Some((code, why)),
    }
}

fn connection(client: &Client, plan: &Plan, clock: Clock, round: u64, number: u64) -> Timed {
    match connect(client, plan, clock, round, number) {
        Ok(timed) => timed,
        Err(error) => failed(plan, round, number, error.code(), error.to_string()),
    }
}

fn connect(
    client: &Client,
    plan: &Plan,
    clock: Clock,
    round: u64,
    number: u64,
) -> Result<Timed, Error> {
    let options = blocking::Options {
        timeout: plan.timeout,
        clock: Some(clock),
    };
    let mut stream = blocking::connect(client, &plan.name, plan.address, options)?;
    let mut handshake = Handshake::new(number, String::new(), plan.address.to_string());
    handshake.server_name = Some(plan.name.clone());
    handshake.ending = Ending::Complete;
    let connection = stream.connection();
    handshake.version = connection.version().map(|version| match version {
        ProtocolVersion::TLSv1_2 => 0x0303,
        _ => 0x0304,
    });
    handshake.cipher = connection.cipher_suite().map(u16::from);
    handshake.resumed = connection.is_resumed();
    let (mut asked, mut error) = (None, None);
    if let Some(request) = &plan.request {
        asked = Some(clock.now());
        let answered = stream
            .write_all(request)
            .and_then(|()| stream.read(&mut [0; 4_096]));
        // The handshake stands; that no answer came is told beside it.
        if let Err(fault) = answered {
            let code = fault
                .get_ref()
                .and_then(|inner| inner.downcast_ref::<Error>());
            let code = code.map_or("EIO", Error::code);
            error = Some((code, format!("no answer to the request: {fault}")));
        }
    }
    let timings = stream.timings();
    handshake.retry = timings.retried;
    handshake.moments = moments(&timings, asked, handshake.is_13());
    Ok(Timed {
        round,
        handshake,
        cpu: timings.cpu.map(nanos),
        run_queue: timings.run_queue.map(nanos),
        network: timings.network().map(nanos),
        error,
    })
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The moments by the names that captures have for them. From inside, the first byte of data is not
/// taken for a ticket, nor a ticket for it.
fn moments(timings: &HandshakeTimings, asked: Option<Duration>, is_13: bool) -> Moments {
    let at = |moment: Option<Duration>| moment.map(nanos);
    let mut moments = Moments {
        syn: at(timings.connect),
        syn_ack: at(timings.connected),
        client_hello: at(timings.client_hello),
        server_hello: at(timings.server_hello),
        final_server_hello: at(timings.final_server_hello),
        flight_end: at(timings.flight_end),
        client_app: at(timings.answer),
        ..Moments::default()
    };
    let first_data = at(timings.first_data).filter(|_| asked.is_some());
    if is_13 {
        moments.client_app_2 = at(asked);
        moments.server_app_after_2 = first_data;
    } else {
        moments.server_hello_done = at(timings.flight_end);
        moments.client_key_exchange = at(timings.answer);
        // The first protected record that is seen from inside is the request.
        moments.client_app = at(asked).or(at(timings.answer));
        moments.server_app_after = first_data;
    }
    moments
}

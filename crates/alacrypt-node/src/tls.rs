//! TLS clients and connections, by number.
//!
//! Script has the socket: it brings what came and takes what is to be sent. The steps of a handshake
//! are jobs, so that keys and signatures never hold the event loop; what comes after it is decrypted
//! and encrypted in the call that brings it.

pub(crate) mod fetch;
mod items;
mod settings;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use alacrypt::digest::{Algorithm, Hasher};
use alacrypt_tls::{Clock, Data, Error};

use crate::job::{Answer, Job};
use crate::scratch::{INPUT_CAPACITY_BYTES, NO_ID, OUTPUT_CAPACITY_BYTES, Status, Word};
use crate::sys::{Call, Outcome};
use settings::Settings;

/// The handshake is not done.
const HANDSHAKING: u8 = 1;
/// There is something to send.
const TRANSMIT: u8 = 2;
/// There is more data than there was room for, or input that was not looked at.
const MORE: u8 = 4;
/// The peer said goodbye.
const END: u8 = 8;
/// It failed; `tlsDescribe` says why.
const FAULT: u8 = 16;
/// There are lines of a key log; `tlsCopy` gives them.
const KEY_LOG: u8 = 32;
/// The certificate was refused, and the connection made all the same; `tlsDescribe` says why.
const REFUSED: u8 = 64;

/// What a step of a handshake says: flags, the digest of the server's certificate (SHA-256; zeros until
/// the handshake is done), the protocol that was agreed on.
const STEP_LEN_BYTES: usize = 1 + DIGEST_LEN_BYTES + 255;
const DIGEST_LEN_BYTES: usize = 32;

/// A client: made from its settings by the first handshake, on the pool.
pub(crate) struct Client {
    settings: Mutex<Option<Settings>>,
    made: OnceLock<Result<alacrypt_tls::Client, Fault>>,
    settings_len_bytes: usize,
    /// Whether it compares names itself; if not, whoever uses it has to.
    checks_names: bool,
}

/// Why a connection is of no more use.
#[derive(Clone)]
struct Fault {
    code: &'static str,
    message: String,
}

/// A connection, which at most one thread at a time works on.
pub(crate) struct Connection {
    client: Arc<Client>,
    host: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    connection: Option<alacrypt_tls::Connection>,
    /// Input that could not be taken before data is read.
    input: Vec<u8>,
    key_log: Vec<u8>,
    ended: bool,
    fault: Option<Fault>,
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self {
            code: error.code(),
            message: error.to_string(),
        }
    }
}

impl Client {
    fn get(&self) -> Result<&alacrypt_tls::Client, Fault> {
        let made = self.made.get_or_init(|| {
            let mut settings = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
            match settings.take() {
                Some(settings) => settings.into_client().map_err(Fault::from),
                // A panic on the way: it will not be better the second time.
                None => Err(Error::Misuse("the settings are gone".into()).into()),
            }
        });
        made.as_ref().map_err(Clone::clone)
    }

    /// What it takes of the heap, about: roots and the like stay as large as the text of them.
    pub(crate) fn heap_len_bytes(&self) -> usize {
        size_of::<Self>() + self.settings_len_bytes
    }
}

impl Connection {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic leaves a connection that fails from then on.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of the heap, about; a job that has it keeps it from being counted.
    pub(crate) fn heap_len_bytes(&self) -> usize {
        /// What rustls takes for a connection without data under way.
        const CONNECTION_LEN_BYTES: usize = 12 * 1024;
        let own = size_of::<Self>() + self.host.capacity();
        match self.state.try_lock() {
            Ok(state) if state.connection.is_some() => {
                own + CONNECTION_LEN_BYTES + state.input.capacity() + state.key_log.capacity()
            }
            _ => own,
        }
    }

    /// One step of a handshake: takes what came, makes what is to be sent. Writes what became of it, and
    /// says how many bytes that is.
    fn step(&self, input: &[u8], logs_keys: bool, output: &mut [u8]) -> Option<usize> {
        let mut state = self.lock();
        if state.connection.is_none() && state.fault.is_none() {
            let connection = self
                .client
                .get()
                .and_then(|client| Ok(alacrypt_tls::Connection::new(client, &self.host)?));
            match connection {
                Ok(connection) => state.connection = Some(connection),
                Err(fault) => state.fault = Some(fault),
            }
        }
        if let Some(connection) = &mut state.connection {
            connection.log_keys(logs_keys);
        }
        state.input.extend_from_slice(input);
        let (taken, _) = state.receive(&[], &mut []);
        debug_assert_eq!(taken, 0);
        let flags = state.flags();
        let (first, rest) = output.split_first_mut()?;
        *first = flags;
        let (digest, protocol) = rest.split_at_mut_checked(DIGEST_LEN_BYTES)?;
        digest.fill(0);
        let connection = match &state.connection {
            Some(connection) if flags & (HANDSHAKING | FAULT) == 0 => connection,
            _ => return Some(1 + DIGEST_LEN_BYTES),
        };
        if let Some(leaf) = connection.peer_certificates().and_then(<[_]>::first) {
            let mut hasher = Hasher::new(Algorithm::Sha256).ok()?;
            hasher.update(leaf).ok()?;
            hasher.finish(digest).ok()?;
        }
        let alpn = connection.alpn().unwrap_or_default();
        protocol.get_mut(..alpn.len())?.copy_from_slice(alpn);
        Some(1 + DIGEST_LEN_BYTES + alpn.len())
    }
}

impl State {
    /// Takes what waits and then `data`, decrypts into `out`. Says how much was taken and written.
    fn receive(&mut self, data: &[u8], out: &mut [u8]) -> (usize, usize) {
        let Some(connection) = &mut self.connection else {
            return (0, 0);
        };
        let (mut taken, mut written, mut waited) = (0, 0, 0);
        while self.fault.is_none() && !self.ended {
            // Reading frees the room without which nothing is taken.
            match connection.read(&mut out[written..]) {
                Ok(Data::Bytes(more)) if more > 0 => {
                    written += more;
                    continue;
                }
                Ok(Data::End) => {
                    self.ended = true;
                    break;
                }
                Ok(_) => {}
                Err(error) => {
                    self.fault = Some(error.into());
                    break;
                }
            }
            let input = match &self.input[waited..] {
                [] => &data[taken..],
                waiting => waiting,
            };
            if input.is_empty() {
                break;
            }
            match connection.receive(input, now()) {
                // Data is in the way, and there is no room for it.
                Ok(0) => break,
                Ok(more) if waited < self.input.len() => waited += more,
                Ok(more) => taken += more,
                Err(error) => self.fault = Some(error.into()),
            }
            if written == out.len() && !out.is_empty() {
                break;
            }
        }
        self.input.drain(..waited);
        self.key_log.append(&mut connection.take_key_log());
        (taken, written)
    }

    fn flags(&self) -> u8 {
        let Some(connection) = &self.connection else {
            return FAULT;
        };
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        flag(connection.is_handshaking(), HANDSHAKING)
            | flag(connection.wants_transmit(), TRANSMIT)
            | flag(connection.has_data() || !self.input.is_empty(), MORE)
            | flag(self.ended, END)
            | flag(self.fault.is_some(), FAULT)
            | flag(!self.key_log.is_empty(), KEY_LOG)
            | flag(connection.refused_as().is_some(), REFUSED)
    }

    /// The lines that `tlsDescribe` gives: a name, a tab, a value.
    fn describe(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: &dyn std::fmt::Display| {
            text += &format!("{name}\t{value}\n");
        };
        if let Some(Fault { code, message }) = &self.fault {
            line("code", code);
            line("message", &message.replace(['\n', '\t'], " "));
        }
        if let Some(connection) = &self.connection {
            if let Some(version) = connection.version() {
                line("version", &format_args!("{version:?}"));
            }
            if let Some(suite) = connection.cipher_suite() {
                line("suite", &format_args!("{suite:?}"));
            }
            if let Some(group) = connection.group() {
                line("group", &format_args!("{group:?}"));
            }
            if let Some(code) = connection.refused_as() {
                line("refused", &code);
            }
            line("resumed", &u8::from(connection.is_resumed()));
            let certificates = connection.peer_certificates().map_or(0, <[_]>::len);
            line("certificates", &certificates);
            let timings = connection.timings();
            let moments = [
                ("clientHello", timings.client_hello),
                ("serverHello", timings.final_server_hello),
                ("flightEnd", timings.flight_end),
                ("answer", timings.answer),
                ("firstData", timings.first_data),
                ("cpu", timings.cpu),
            ];
            for (name, moment) in moments {
                if let Some(moment) = moment {
                    line(name, &moment.as_micros());
                }
            }
            line("now", &now().as_micros());
        }
        text
    }
}

/// Time since the first use; of one process all are comparable.
fn now() -> std::time::Duration {
    static CLOCK: OnceLock<Clock> = OnceLock::new();
    CLOCK.get_or_init(Clock::start).now()
}

fn done(is_done: bool) -> Outcome {
    Outcome::Status(if is_done {
        Status::Done
    } else {
        Status::Refused
    })
}

/// The connection of number `Id`.
fn connection_of(call: &Call<'_>) -> Option<Arc<Connection>> {
    let id = call.scratch.word(Word::Id);
    call.environment.tls_connections.get(id).map(Arc::clone)
}

/// `tlsClientNew(settings)`: a client; its number in `Id`.
pub(crate) fn client_new(call: &mut Call<'_>) -> Outcome {
    let settings = call
        .take_data_and_room()
        .and_then(|(bytes, _)| Some((Settings::parse(bytes)?, bytes.len())));
    let id = settings.and_then(|(settings, settings_len_bytes)| {
        call.environment.tls_clients.insert(Arc::new(Client {
            checks_names: settings.checks_names(),
            settings: Mutex::new(Some(settings)),
            made: OnceLock::new(),
            settings_len_bytes,
        }))
    });
    call.scratch.set_word(Word::Id, id.unwrap_or(NO_ID));
    done(id.is_some())
}

/// `tlsClientRelease()`: drops the client of number `Id`; its connections keep what they need of it.
pub(crate) fn client_release(call: &mut Call<'_>) -> Outcome {
    let id = call.scratch.word(Word::Id);
    done(call.environment.tls_clients.remove(id).is_some())
}

/// `tlsNew(host)`: a connection of the client of number `Id` to a name or an IP address, in UTF-8; its
/// number in `Id`. Refuses what is neither.
pub(crate) fn connection_new(call: &mut Call<'_>) -> Outcome {
    let client = call
        .environment
        .tls_clients
        .get(call.scratch.word(Word::Id))
        .filter(|client| !client.checks_names)
        .map(Arc::clone);
    let host = call
        .take_data_and_room()
        .and_then(|(bytes, _)| core::str::from_utf8(bytes).ok())
        .filter(|host| alacrypt_tls::Connection::is_host(host));
    let id = client.zip(host).and_then(|(client, host)| {
        call.environment
            .tls_connections
            .insert(Arc::new(Connection {
                client,
                host: host.to_owned(),
                state: Mutex::default(),
            }))
    });
    call.scratch.set_word(Word::Id, id.unwrap_or(NO_ID));
    done(id.is_some())
}

/// `tlsStepJob`: a step of the handshake of connection `Id` with `DataLen` bytes of input, which is
/// none at first; a `Scheme` that is not zero asks for its key log. See [`STEP_LEN_BYTES`] for the
/// output, whose length is in `OutputLen`.
pub(crate) fn step_job(call: &mut Call<'_>) -> Option<Job> {
    let data_len = call.scratch.len(Word::DataLen, INPUT_CAPACITY_BYTES)?;
    let connection = connection_of(call)?;
    let logs_keys = call.scratch.word(Word::Scheme) != 0;
    Job::new(&mut call.scratch.input[..data_len], move |input| {
        Answer::written(STEP_LEN_BYTES, |output| {
            connection.step(input, logs_keys, output)
        })
    })
}

/// `tlsReceive(data, out)`: decrypts. Out: `DataLen` bytes of data taken, `OutputLen` bytes of `out`
/// written, flags in `Kind`.
pub(crate) fn receive(call: &mut Call<'_>) -> Outcome {
    let (Some(connection), Some((data, out))) = (connection_of(call), call.take_data_and_room())
    else {
        return done(false);
    };
    let mut state = connection.lock();
    let (taken, written) = state.receive(data, out);
    set_result(call, taken, written, state.flags());
    done(true)
}

/// `tlsSend(data, out)`: encrypts, and gives whatever else is to be sent. Out: `DataLen` bytes of data
/// taken, `OutputLen` bytes of `out` written, flags in `Kind`.
pub(crate) fn send(call: &mut Call<'_>) -> Outcome {
    let (Some(connection), Some((data, out))) = (connection_of(call), call.take_data_and_room())
    else {
        return done(false);
    };
    let mut state = connection.lock();
    let Some(tls) = &mut state.connection else {
        return done(false);
    };
    let (mut taken, mut written) = (0, 0);
    loop {
        written += tls.transmit_into(&mut out[written..], now());
        // What is encrypted must have room: it waits in memory otherwise.
        if tls.wants_transmit() || taken == data.len() {
            break;
        }
        match tls.write(&data[taken..]) {
            0 => break,
            more => taken += more,
        }
    }
    set_result(call, taken, written, state.flags());
    done(true)
}

fn set_result(call: &mut Call<'_>, taken: usize, written: usize, flags: u8) {
    let number = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
    call.scratch.set_word(Word::DataLen, number(taken));
    call.scratch.set_word(Word::OutputLen, number(written));
    call.scratch.set_word(Word::Kind, u32::from(flags));
}

/// `tlsClose()`: says goodbye; `tlsSend` then gives the bytes for it.
pub(crate) fn close(call: &mut Call<'_>) -> Outcome {
    let closed = connection_of(call).is_some_and(|connection| {
        let mut state = connection.lock();
        match &mut state.connection {
            Some(tls) => {
                tls.close();
                true
            }
            None => false,
        }
    });
    done(closed)
}

/// `tlsDescribe()`: what is known of connection `Id`, as lines; reads `Encoding`.
pub(crate) fn describe(call: &mut Call<'_>) -> Outcome {
    let Some(connection) = connection_of(call) else {
        return done(false);
    };
    let text = connection.lock().describe();
    let len = text.len().min(OUTPUT_CAPACITY_BYTES);
    call.scratch.output[..len].copy_from_slice(&text.as_bytes()[..len]);
    Outcome::Output(len)
}

/// `tlsCopy(undefined, out)`: as much of something as there is room for; its length in `OutputLen`.
/// `Scheme` says of what: of the peer's certificate of that number in the chain (DER), or
/// [`NO_ID`] for the key log, which is then forgotten.
pub(crate) fn copy(call: &mut Call<'_>) -> Outcome {
    let (Some(connection), Some((label, out))) = (connection_of(call), call.take_data_and_room())
    else {
        return done(false);
    };
    let mut state = connection.lock();
    let number = call.scratch.word(Word::Scheme);
    let copied = if number == NO_ID {
        let key_log = std::mem::take(&mut state.key_log);
        Some(copy_start(&key_log, out))
    } else if let Some(tls) = &state.connection {
        if label.is_empty() {
            let chain = tls.peer_certificates().unwrap_or_default();
            chain.get(number as usize).map(|der| copy_start(der, out))
        } else {
            exported(tls, label, call.scratch.word(Word::ContextLen), out)
        }
    } else {
        None
    };
    let len = u32::try_from(copied.unwrap_or(0)).unwrap_or(u32::MAX);
    call.scratch.set_word(Word::OutputLen, len);
    done(copied.is_some())
}

/// Key material, if `label` is there: the context is behind it, unless it is of length [`NO_ID`].
fn exported(
    tls: &alacrypt_tls::Connection,
    label: &[u8],
    context_len: u32,
    out: &mut [u8],
) -> Option<usize> {
    let (label, context) = if context_len == NO_ID {
        (label, None)
    } else {
        let at = label.len().checked_sub(context_len as usize)?;
        let (label, context) = label.split_at(at);
        (label, Some(context))
    };
    tls.export_keying_material(out, label, context).ok()?;
    Some(out.len())
}

/// Copies what there is room for; says how much there is.
fn copy_start(from: &[u8], out: &mut [u8]) -> usize {
    let len = from.len().min(out.len());
    out[..len].copy_from_slice(&from[..len]);
    from.len()
}

/// `tlsRelease()`: drops the connection of number `Id`, unless a job still has it: then that does.
pub(crate) fn release(call: &mut Call<'_>) -> Outcome {
    let id = call.scratch.word(Word::Id);
    done(call.environment.tls_connections.remove(id).is_some())
}

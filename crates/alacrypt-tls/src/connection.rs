//! One TLS connection without input and output: bytes and times go in, bytes come out.
//!
//! Whoever has the socket (a thread, a runtime, a script) moves the bytes. So the same connection
//! serves them all, and can be handed from one thread to another between two steps.

use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, HandshakeKind, NamedGroup, ProtocolVersion};

use crate::client::Client;
use crate::clock::thread_cpu;
use crate::error::{Error, NetworkFault, Phase, RefusedChain};
use crate::key_log;
use crate::timings::{HandshakeTimings, Observer};

/// A connection of a client to a server.
///
/// ```
/// use alacrypt_tls::{Client, Connection, Roots};
/// use std::time::Duration;
///
/// # fn main() -> Result<(), alacrypt_tls::Error> {
/// let client = Client::builder().roots(Roots::from_der([])).build()?;
/// let mut connection = Connection::new(&client, "example.org")?;
/// let mut to_send = Vec::new();
/// connection.transmit(&mut to_send, Duration::ZERO);
/// assert_eq!(to_send[0], 22); // a handshake record: the ClientHello
/// assert!(connection.is_handshaking());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Connection {
    tls: ClientConnection,
    observer: Observer,
    closed_by_peer: bool,
    has_data: bool,
    refused_as: Option<&'static str>,
    logs_keys: bool,
    key_log: Vec<u8>,
}

/// What [`Connection::read`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// So many bytes.
    Bytes(usize),
    /// None now; feed it more.
    Later,
    /// None any more: the peer said goodbye.
    End,
}

impl Connection {
    /// A connection to `host`, a name or an IP address, that has sent nothing yet.
    ///
    /// # Errors
    /// [`Error::Misuse`] if `host` is neither.
    pub fn new(client: &Client, host: &str) -> Result<Self, Error> {
        Self::with_config(client.config_for(host), host)
    }

    /// The same with a configuration of the client's (see [`Client::config_after`]).
    ///
    /// # Errors
    /// [`Error::Misuse`] if `host` is neither a name nor an IP address.
    pub fn with_config(config: Arc<ClientConfig>, host: &str) -> Result<Self, Error> {
        let before = thread_cpu();
        let tls = ClientConnection::new(config, server_name(host)?)
            .map_err(|error| Error::from_tls(error, &[]))?;
        let mut connection = Self {
            tls,
            observer: Observer::new(),
            closed_by_peer: false,
            has_data: false,
            refused_as: None,
            logs_keys: false,
            key_log: Vec::new(),
        };
        connection.count_cpu(before);
        Ok(connection)
    }

    /// Tells the timings about what happened below: when TCP was asked for, and was there.
    pub fn observer(&mut self) -> &mut Observer {
        &mut self.observer
    }

    /// Takes bytes that came from the peer; says how many. Fewer than all are taken while there is
    /// data to [`Connection::read`]. Afterwards there may be something to [`Connection::transmit`],
    /// also after an error: the alert that tells the peer.
    ///
    /// # Errors
    /// The handshake failed, or the peer broke the protocol. The connection is of no more use.
    pub fn receive(&mut self, bytes: &[u8], at: Duration) -> Result<usize, Error> {
        let before = self.tls.is_handshaking().then(thread_cpu).flatten();
        if self.logs_keys {
            key_log::start();
        }
        let mut rest = bytes;
        let mut result = Ok(());
        while !rest.is_empty() {
            let seen = rest;
            match self.tls.read_tls(&mut rest) {
                Ok(0) => break,
                Ok(taken) => self.observer.received(&seen[..taken], at),
                // The only reason for which a slice cannot be read: plaintext has to be read first.
                Err(_) => break,
            }
            let refused = RefusedChain::watch();
            match self.tls.process_new_packets() {
                Ok(state) => {
                    if let Some(code) = refused.accepted() {
                        self.refused_as = Some(code);
                    }
                    self.closed_by_peer |= state.peer_has_closed();
                    if state.plaintext_bytes_to_read() > 0 {
                        self.has_data = true;
                        self.observer.data(at);
                        break;
                    }
                }
                Err(error) => {
                    result = Err(refused.explain(error));
                    self.observer.failed();
                    break;
                }
            }
        }
        if self.logs_keys {
            self.key_log.append(&mut key_log::stop());
        }
        self.count_cpu(before);
        result.map(|()| bytes.len() - rest.len())
    }

    /// The peer's side of the socket ended.
    ///
    /// # Errors
    /// [`NetworkFault::Closed`] if it did not say goodbye: then what came may be only a part.
    pub fn receive_end(&mut self) -> Result<(), Error> {
        if self.closed_by_peer {
            return Ok(());
        }
        let phase = self.phase();
        if self.tls.is_handshaking() {
            self.observer.failed();
        }
        Err(Error::Network(NetworkFault::Closed { phase }))
    }

    /// Appends what must be sent to the peer now.
    pub fn transmit(&mut self, out: &mut Vec<u8>, at: Duration) {
        let start = out.len();
        while self.tls.wants_write() {
            // Writing to a Vec does not fail; if it did, nothing would have been taken.
            if !matches!(self.tls.write_tls(out), Ok(written) if written > 0) {
                break;
            }
        }
        self.observer.sent(&out[start..], at);
    }

    /// As [`Connection::transmit`], as much as there is room for; says how much. Once the handshake is
    /// done, this takes no copy.
    pub fn transmit_into(&mut self, out: &mut [u8], at: Duration) -> usize {
        let mut written = 0;
        while self.tls.wants_write() && written < out.len() {
            let mut room = &mut out[written..];
            // A slice takes what it has room for, and never fails.
            match self.tls.write_tls(&mut room) {
                Ok(more) if more > 0 => written += more,
                _ => break,
            }
        }
        self.observer.sent(&out[..written], at);
        written
    }

    /// Whether `host` is a name or an IP address, so that there can be a connection to it.
    pub fn is_host(host: &str) -> bool {
        server_name(host).is_ok()
    }

    /// Whether there is data to [`Connection::read`].
    pub fn has_data(&self) -> bool {
        self.has_data
    }

    /// Whether there is something to [`Connection::transmit`].
    pub fn wants_transmit(&self) -> bool {
        self.tls.wants_write()
    }

    /// Takes data for the peer, as much as there is room for; says how much. It may be given before
    /// the handshake is done.
    pub fn write(&mut self, data: &[u8]) -> usize {
        self.tls.writer().write(data).unwrap_or(0)
    }

    /// Gives data of the peer.
    ///
    /// # Errors
    /// [`NetworkFault::Closed`] as [`Connection::receive_end`].
    pub fn read(&mut self, out: &mut [u8]) -> Result<Data, Error> {
        match self.tls.reader().read(out) {
            Ok(0) if !out.is_empty() => Ok(Data::End),
            Ok(read) => Ok(Data::Bytes(read)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                self.has_data = false;
                Ok(Data::Later)
            }
            Err(_) => Err(Error::Network(NetworkFault::Closed { phase: Phase::Data })),
        }
    }

    /// Says goodbye: nothing is sent after that.
    pub fn close(&mut self) {
        self.tls.send_close_notify();
    }

    /// Whether the handshake is still under way.
    pub fn is_handshaking(&self) -> bool {
        self.tls.is_handshaking()
    }

    /// What is going on.
    pub fn phase(&self) -> Phase {
        if !self.tls.is_handshaking() {
            Phase::Data
        } else if self.observer.timings().server_hello.is_none() {
            Phase::Hello
        } else {
            Phase::Flight
        }
    }

    /// When things happened.
    pub fn timings(&self) -> HandshakeTimings {
        self.observer.timings()
    }

    /// The protocol that was agreed on (ALPN), if any.
    pub fn alpn(&self) -> Option<&[u8]> {
        self.tls.alpn_protocol()
    }

    /// The version of TLS.
    pub fn version(&self) -> Option<ProtocolVersion> {
        self.tls.protocol_version()
    }

    /// The cipher suite.
    pub fn cipher_suite(&self) -> Option<rustls::CipherSuite> {
        self.tls
            .negotiated_cipher_suite()
            .map(|suite| suite.suite())
    }

    /// The group of the key exchange.
    pub fn group(&self) -> Option<NamedGroup> {
        self.tls
            .negotiated_key_exchange_group()
            .map(|group| group.name())
    }

    /// Whether an earlier session was resumed.
    pub fn is_resumed(&self) -> bool {
        self.tls.handshake_kind() == Some(HandshakeKind::Resumed)
    }

    /// Why the server's certificate was refused and then accepted all the same (see
    /// [`ClientBuilder::danger_accept_refused_certificates`](crate::ClientBuilder::danger_accept_refused_certificates)):
    /// a code of [`Error::code`].
    pub fn refused_as(&self) -> Option<&'static str> {
        self.refused_as
    }

    /// Whether what is needed to decrypt a capture of this connection is collected from now on; it is
    /// not by default. Who has it can read all that the connection carries.
    pub fn log_keys(&mut self, yes: bool) {
        self.logs_keys = yes;
    }

    /// Lines of the NSS key log that came up since this was last asked.
    pub fn take_key_log(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.key_log)
    }

    /// Key material that only both ends know (RFC 5705; RFC 8446, section 7.5).
    ///
    /// # Errors
    /// [`Error::Misuse`] before the end of the handshake.
    pub fn export_keying_material(
        &self,
        out: &mut [u8],
        label: &[u8],
        context: Option<&[u8]>,
    ) -> Result<(), Error> {
        self.tls
            .export_keying_material(out, label, context)
            .map(|_| ())
            .map_err(|error| Error::from_tls(error, &[]))
    }

    /// The certificates that the server sent, leaf first.
    pub fn peer_certificates(&self) -> Option<&[CertificateDer<'static>]> {
        self.tls.peer_certificates()
    }

    fn count_cpu(&mut self, before: Option<Duration>) {
        if let Some(before) = before
            && let Some(after) = thread_cpu()
        {
            self.observer.worked(after.saturating_sub(before));
        }
    }
}

/// A host as rustls wants it: a DNS name or an IP address, also one in brackets.
pub(crate) fn server_name(host: &str) -> Result<ServerName<'static>, Error> {
    let bare = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(host);
    ServerName::try_from(bare.to_owned())
        .map_err(|_| Error::Misuse(format!("{host:?} is neither a host name nor an IP address")))
}

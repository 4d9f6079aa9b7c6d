//! Connections on blocking sockets, one thread each: the simplest driver of [`Connection`], and the
//! one that can tell CPU time, time in the run queue and time on the network apart.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::ClientConfig;

use crate::client::Client;
use crate::clock::{Clock, thread_run_queue};
use crate::connection::{Connection, Data};
use crate::error::{Error, NetworkFault, Phase};
use crate::timings::HandshakeTimings;

/// How a connection is made.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How long the TCP connection may take, how long the whole handshake may, and how long a later
    /// read may wait.
    pub timeout: Duration,
    /// What moments are counted from; by default from when the connection is asked for.
    pub clock: Option<Clock>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            clock: None,
        }
    }
}

/// A connection after its handshake.
#[derive(Debug)]
pub struct Stream {
    tcp: TcpStream,
    tls: Connection,
    clock: Clock,
    timeout: Duration,
    /// Bytes of the socket that the connection did not take yet.
    pending: Vec<u8>,
    buffer: Vec<u8>,
}

/// Connects and shakes hands.
///
/// A host that does not answer to the hybrid key share is tried once more without it, if the
/// client's settings allow that; see [`crate::PostQuantum::Preferred`].
///
/// # Errors
/// Whatever keeps the handshake from succeeding.
pub fn connect(
    client: &Client,
    host: &str,
    address: SocketAddr,
    options: Options,
) -> Result<Stream, Error> {
    let first = connect_with(client.config_for(host), host, address, options);
    let Err(error) = first else {
        return first;
    };
    let Some(smaller) = client.config_after(host, &error) else {
        return Err(error);
    };
    // Whatever keeps the second one from succeeding was not the hello's size: the first error stays.
    match connect_with(smaller, host, address, options) {
        Ok(stream) => {
            client.answered_without_hybrid(host);
            Ok(stream)
        }
        Err(_) => Err(error),
    }
}

fn connect_with(
    config: Arc<ClientConfig>,
    host: &str,
    address: SocketAddr,
    options: Options,
) -> Result<Stream, Error> {
    let clock = options.clock.unwrap_or_else(Clock::start);
    let mut tls = Connection::with_config(config, host)?;
    let connecting = clock.now();
    let tcp = TcpStream::connect_timeout(&address, options.timeout)
        .map_err(|cause| fault(Phase::Tcp, cause, options.timeout))?;
    let connected = clock.now();
    let deadline = Instant::now() + options.timeout;
    // Small records must not wait for acknowledgements.
    tcp.set_nodelay(true)
        .map_err(|cause| fault(Phase::Tcp, cause, options.timeout))?;
    let queued = thread_run_queue();
    tls.observer().connecting(connecting);
    tls.observer().connected(connected);
    let mut stream = Stream {
        tcp,
        tls,
        clock,
        timeout: options.timeout,
        pending: Vec::new(),
        buffer: vec![0; 16 * 1_024],
    };
    while stream.tls.is_handshaking() {
        stream.send()?;
        if stream.tls.is_handshaking() {
            stream.receive(Some(deadline))?;
        }
    }
    stream.send()?;
    if let (Some(before), Some(after)) = (queued, thread_run_queue()) {
        let observer = stream.tls.observer();
        observer.queued(after.saturating_sub(before));
    }
    Ok(stream)
}

/// Sorts an error of a socket.
fn fault(phase: Phase, cause: std::io::Error, after: Duration) -> Error {
    Error::Network(match cause.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => NetworkFault::Timeout { phase, after },
        _ => NetworkFault::Io { phase, cause },
    })
}

impl Stream {
    /// When things happened.
    pub fn timings(&self) -> HandshakeTimings {
        self.tls.timings()
    }

    /// The connection: what was agreed on.
    pub fn connection(&self) -> &Connection {
        &self.tls
    }

    fn send(&mut self) -> Result<(), Error> {
        let mut out = Vec::new();
        self.tls.transmit(&mut out, self.clock.now());
        if out.is_empty() {
            return Ok(());
        }
        let phase = self.tls.phase();
        self.tcp
            .set_write_timeout(Some(self.timeout))
            .and_then(|()| self.tcp.write_all(&out))
            .map_err(|cause| fault(phase, cause, self.timeout))
    }

    /// One read of the socket, or of what is left of the last one.
    fn receive(&mut self, deadline: Option<Instant>) -> Result<(), Error> {
        if self.pending.is_empty() {
            let phase = self.tls.phase();
            let wait = deadline.map_or(self.timeout, |deadline| {
                deadline.saturating_duration_since(Instant::now())
            });
            // A socket cannot be told to wait for no time at all.
            let wait = wait.max(Duration::from_millis(1));
            let read = self
                .tcp
                .set_read_timeout(Some(wait))
                .and_then(|()| self.tcp.read(&mut self.buffer));
            match read {
                Ok(0) => return self.tls.receive_end(),
                Ok(read) => self.pending.extend_from_slice(&self.buffer[..read]),
                Err(cause) if cause.kind() == ErrorKind::Interrupted => return Ok(()),
                Err(cause) => return Err(fault(phase, cause, self.timeout)),
            }
        }
        let at = self.clock.now();
        match self.tls.receive(&self.pending, at) {
            Ok(taken) => {
                self.pending.drain(..taken);
                Ok(())
            }
            Err(error) => {
                // The alert tells the peer why; if it cannot be sent, that changes nothing.
                let _ = self.send();
                Err(error)
            }
        }
    }
}

impl Read for Stream {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match self.tls.read(out).map_err(std::io::Error::other)? {
                Data::Bytes(read) => return Ok(read),
                Data::End => return Ok(0),
                Data::Later => {
                    self.receive(None).map_err(std::io::Error::other)?;
                    // A ticket or a key update may ask for an answer.
                    self.send().map_err(std::io::Error::other)?;
                }
            }
        }
    }
}

impl Write for Stream {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        let written = self.tls.write(data);
        self.send().map_err(std::io::Error::other)?;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.send().map_err(std::io::Error::other)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.tls.close();
        // Nobody is left to be told that the goodbye could not be said.
        let _ = self.send();
    }
}

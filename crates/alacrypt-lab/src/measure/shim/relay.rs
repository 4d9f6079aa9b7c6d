//! The way from a run's own namespace to the machine's network: a Unix socket, which namespaces
//! do not separate. The proxy in the shim asks `host:port`, the lab's thread connects and hands
//! bytes on.

use super::proxy::HalfClose;
use crate::error::{Error, Result};
use std::fs;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Longest wait for a server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest line of the two sides, bytes: a host name has at most 253.
const LINE_LIMIT: usize = 1024;

/// The lab's side: it serves until the program ends; the socket is removed when this is dropped.
#[derive(Debug)]
pub struct Relay {
    dir: PathBuf,
}

impl Relay {
    /// Begins to serve at a fresh socket that only this user can reach.
    ///
    /// # Errors
    /// When the socket cannot be made.
    pub fn start() -> Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let dir = std::env::temp_dir().join(format!(
            "alacrypt-lab-relay-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        ));
        let refused = |e| Error::io(format!("make the relay's socket in {}", dir.display()), e);
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&dir)
            .map_err(refused)?;
        let relay = Self { dir: dir.clone() };
        let listener = UnixListener::bind(relay.socket()).map_err(refused)?;
        std::thread::Builder::new()
            .spawn(move || {
                for asked in listener.incoming().flatten() {
                    // Without a thread the connection is dropped, which the other side sees.
                    let _ = std::thread::Builder::new().spawn(move || serve(asked));
                }
            })
            .map_err(refused)?;
        Ok(relay)
    }

    /// Where the proxy finds it.
    pub fn socket(&self) -> PathBuf {
        self.dir.join("s")
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        // A left-over folder in the temporary one does no harm.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// One connection, on the lab's side.
fn serve(mut asked: UnixStream) -> io::Result<()> {
    let address = line(&mut asked)?;
    match connect(&address) {
        Ok(server) => {
            asked.write_all(b"+\n")?;
            join(server, asked)
        }
        Err(why) => asked.write_all(format!("-cannot reach {address}: {why}\n").as_bytes()),
    }
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for place in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&place, CONNECT_TIMEOUT) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(why) => last = why,
        }
    }
    Err(last)
}

/// The proxy's side: a connection to `host:port`, or why there is none.
pub(super) fn dial(
    relay: &Path,
    address: &str,
) -> io::Result<std::result::Result<UnixStream, String>> {
    let mut stream = UnixStream::connect(relay)?;
    stream.write_all(format!("{address}\n").as_bytes())?;
    let answer = line(&mut stream)?;
    Ok(match answer.strip_prefix('-') {
        Some(why) => Err(why.to_owned()),
        None => Ok(stream),
    })
}

/// A line, read byte by byte so that nothing behind it is taken.
fn line(stream: &mut UnixStream) -> io::Result<String> {
    let mut text = Vec::new();
    let mut byte = [0u8; 1];
    while text.len() < LINE_LIMIT {
        stream.read_exact(&mut byte)?;
        if byte[0] == b'\n' {
            break;
        }
        text.push(byte[0]);
    }
    String::from_utf8(text).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
}

/// Hands bytes on in both directions until both have ended.
pub(super) fn join<A: HalfClose, B: HalfClose>(a: A, b: B) -> io::Result<()> {
    let (mut from_a, mut to_b) = (a.again()?, b.again()?);
    let there = std::thread::Builder::new()
        .stack_size(128 << 10)
        .spawn(move || {
            let copied = io::copy(&mut from_a, &mut to_b);
            to_b.end_sending()?;
            copied
        })?;
    let (mut from_b, mut to_a) = (b, a);
    let copied = io::copy(&mut from_b, &mut to_a);
    // Whoever has closed its end already needs no telling.
    let _ = to_a.end_sending();
    // A thread that panicked has closed its side.
    let _ = there.join();
    copied.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn bytes_pass_both_ways_and_a_closed_port_is_told() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = server.accept().unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            stream.write_all(text.to_uppercase().as_bytes()).unwrap();
        });
        let relay = Relay::start().unwrap();
        let mut stream = dial(&relay.socket(), &address.to_string())
            .unwrap()
            .unwrap();
        stream.write_all(b"hello").unwrap();
        stream.end_sending().unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert_eq!(text, "HELLO");
        let closed = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = closed.local_addr().unwrap();
        drop(closed);
        let why = dial(&relay.socket(), &address.to_string())
            .unwrap()
            .unwrap_err();
        assert!(why.starts_with("cannot reach 127.0.0.1"), "{why}");
    }
}

//! The proxy at the other end of a run's own interface: HTTP (CONNECT and absolute addresses) and
//! SOCKS 5. It speaks to the lab's relay over a Unix socket and knows no network itself.
//!
//! Sources: RFC 9110 sections 7.1 and 9.3.6; RFC 1928.

use super::relay::{dial, join};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// Longest head of a request, bytes.
const HEAD_LIMIT: usize = 64 << 10;
const STACK_BYTES: usize = 128 << 10;

/// Serves until the process ends.
pub(super) fn serve(listener: &TcpListener, relay: &Path) {
    for client in listener.incoming().flatten() {
        let relay = relay.to_owned();
        // Without a thread the connection is dropped, which the client sees.
        let _ = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(move || {
                // A connection that breaks off is between the command and its server.
                let _ = answer(client, &relay);
            });
    }
}

fn answer(mut client: TcpStream, relay: &Path) -> io::Result<()> {
    client.set_nodelay(true)?;
    let mut first = [0u8; 1];
    client.read_exact(&mut first)?;
    match first[0] {
        5 => socks(client, relay),
        byte => http(client, byte, relay),
    }
}

fn http(mut client: TcpStream, first: u8, relay: &Path) -> io::Result<()> {
    let mut bytes = vec![first];
    let length = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        let mut more = [0u8; 4096];
        let n = client.read(&mut more)?;
        if n == 0 || bytes.len() > HEAD_LIMIT {
            return refuse(&mut client, "400 Bad Request", "no whole request");
        }
        bytes.extend_from_slice(&more[..n]);
    };
    let rest = bytes.split_off(length);
    let request = std::str::from_utf8(&bytes).ok().and_then(Request::parse);
    let Some(request) = request else {
        let why = "expected CONNECT host:port, or an address that begins with http://";
        return refuse(&mut client, "400 Bad Request", why);
    };
    let mut server = match dial(relay, &request.to)? {
        Ok(server) => server,
        Err(why) => return refuse(&mut client, "502 Bad Gateway", &why),
    };
    match &request.head {
        None => client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?,
        Some(head) => server.write_all(head.as_bytes())?,
    }
    server.write_all(&rest)?;
    join(client, server)
}

fn refuse(client: &mut TcpStream, status: &str, why: &str) -> io::Result<()> {
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{why}",
        why.len()
    );
    client.write_all(text.as_bytes())
}

/// What an HTTP client asks of a proxy.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    /// `host:port`.
    to: String,
    /// The head to send on; none for CONNECT.
    head: Option<String>,
}

impl Request {
    fn parse(head: &str) -> Option<Self> {
        let (line, fields) = head.split_once("\r\n")?;
        let mut words = line.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if method == "CONNECT" {
            return target.contains(':').then(|| Self {
                to: target.to_owned(),
                head: None,
            });
        }
        let address = target.strip_prefix("http://")?;
        let at = address.find(['/', '?']).unwrap_or(address.len());
        let (authority, path) = address.split_at(at);
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        let has_port = host
            .rsplit_once(':')
            .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let to = if has_port {
            host.to_owned()
        } else {
            format!("{host}:80")
        };
        let slash = if path.starts_with('/') { "" } else { "/" };
        let mut text = format!("{method} {slash}{path} {version}\r\n");
        for field in fields.split("\r\n").filter(|field| !field.is_empty()) {
            let name = field.split(':').next().unwrap_or_default();
            let hop = ["connection", "proxy-connection", "proxy-authorization"];
            if !hop.iter().any(|own| name.eq_ignore_ascii_case(own)) {
                text += field;
                text += "\r\n";
            }
        }
        // One request per connection: the next may be for another host.
        text += "Connection: close\r\n\r\n";
        Some(Self {
            to,
            head: Some(text),
        })
    }
}

fn socks(mut client: TcpStream, relay: &Path) -> io::Result<()> {
    let mut count = [0u8; 1];
    client.read_exact(&mut count)?;
    client.read_exact(&mut vec![0u8; usize::from(count[0])])?;
    // Version 5, no authentication.
    client.write_all(&[5, 0])?;
    let mut head = [0u8; 4];
    client.read_exact(&mut head)?;
    let host = match head[3] {
        1 => Ipv4Addr::from(exactly::<4>(&mut client)?).to_string(),
        3 => {
            let [length] = exactly::<1>(&mut client)?;
            let mut name = vec![0u8; usize::from(length)];
            client.read_exact(&mut name)?;
            String::from_utf8_lossy(&name).into_owned()
        }
        4 => format!("[{}]", Ipv6Addr::from(exactly::<16>(&mut client)?)),
        _ => return client.write_all(&reply(8)),
    };
    let port = u16::from_be_bytes(exactly::<2>(&mut client)?);
    if head[1] != 1 {
        return client.write_all(&reply(7));
    }
    match dial(relay, &format!("{host}:{port}"))? {
        Ok(server) => {
            client.write_all(&reply(0))?;
            join(client, server)
        }
        Err(_) => client.write_all(&reply(4)),
    }
}

fn exactly<const N: usize>(client: &mut TcpStream) -> io::Result<[u8; N]> {
    let mut bytes = [0u8; N];
    client.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A reply whose bound address, which nobody uses, is 0.0.0.0:0.
fn reply(code: u8) -> [u8; 10] {
    [5, code, 0, 1, 0, 0, 0, 0, 0, 0]
}

/// Lets the type of both ends be told apart in [`join`].
pub(super) trait HalfClose: Read + Write + Send + Sized + 'static {
    /// Says that nothing more will be sent.
    fn end_sending(&self) -> io::Result<()>;
    /// A second handle.
    fn again(&self) -> io::Result<Self>;
}

impl HalfClose for TcpStream {
    fn end_sending(&self) -> io::Result<()> {
        self.shutdown(std::net::Shutdown::Write)
    }
    fn again(&self) -> io::Result<Self> {
        self.try_clone()
    }
}

impl HalfClose for UnixStream {
    fn end_sending(&self) -> io::Result<()> {
        self.shutdown(std::net::Shutdown::Write)
    }
    fn again(&self) -> io::Result<Self> {
        self.try_clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tunnels_and_absolute_addresses_are_read() {
        let tunnel = Request::parse("CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_eq!(
            tunnel,
            Some(Request {
                to: "example.org:443".into(),
                head: None
            })
        );
        let plain = Request::parse(
            "GET http://example.org/a?b HTTP/1.1\r\nHost: example.org\r\nProxy-Connection: keep-alive\r\n\r\n",
        )
        .unwrap();
        assert_eq!(plain.to, "example.org:80");
        assert_eq!(
            plain.head.as_deref(),
            Some("GET /a?b HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n")
        );
        let bare = Request::parse("GET http://h:8080 HTTP/1.1\r\n\r\n").unwrap();
        assert_eq!(bare.to, "h:8080");
        assert!(bare.head.unwrap().starts_with("GET / HTTP/1.1\r\n"));
    }

    #[test]
    fn anything_else_is_refused() {
        for head in [
            "GET / HTTP/1.1\r\n\r\n",
            "CONNECT nowhere HTTP/1.1\r\n\r\n",
            "GET ftp://x/ HTTP/1.1\r\n\r\n",
            "\r\n\r\n",
        ] {
            assert_eq!(Request::parse(head), None, "{head:?}");
        }
    }
}

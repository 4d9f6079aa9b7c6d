//! Certificate chains and servers for the tests and the benchmark. Everything is on loopback.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each test file uses its own part, and what panics here has failed a test"
)]

pub mod chain;
pub mod server;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use alacrypt_tls::rustls::pki_types::{CertificateDer, ServerName};
use alacrypt_tls::rustls::{ClientConfig, ClientConnection, HandshakeKind, NamedGroup, Stream};
use alacrypt_tls::{Client, ClientBuilder, Error, Roots};

/// What a connection was like.
#[derive(Debug)]
pub struct Talk {
    pub kind: HandshakeKind,
    pub group: Option<NamedGroup>,
    pub answer: Vec<u8>,
}

pub fn trusting(root: &CertificateDer<'static>) -> ClientBuilder {
    Client::builder().roots(Roots::from_der([root.clone()]))
}

/// One connection with rustls's own blocking stream: a request, and everything until the end.
pub fn talk(config: Arc<ClientConfig>, address: SocketAddr, name: &str) -> Result<Talk, Error> {
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let mut tls = ClientConnection::new(config, name).unwrap();
    let mut tcp = TcpStream::connect(address).unwrap();
    tcp.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut answer = Vec::new();
    let mut stream = Stream::new(&mut tls, &mut tcp);
    let talked = stream
        .write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .and_then(|()| stream.read_to_end(&mut answer));
    if let Err(error) = talked {
        let tls_error = error.get_ref().and_then(|inner| inner.downcast_ref());
        let Some(cause) = tls_error.cloned() else {
            panic!("no error of TLS: {error}");
        };
        return Err(Error::from_tls(cause, &[]));
    }
    Ok(Talk {
        kind: tls.handshake_kind().unwrap(),
        group: tls
            .negotiated_key_exchange_group()
            .map(|group| group.name()),
        answer,
    })
}

pub fn pem(der: &[u8]) -> String {
    pem::encode(&pem::Pem::new("CERTIFICATE", der))
}

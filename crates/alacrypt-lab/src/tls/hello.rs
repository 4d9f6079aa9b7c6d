//! What is read of ClientHello and ServerHello (RFC 8446 section 4.1, RFC 5246 section 7.4.1).

/// The random value by which a ServerHello is a HelloRetryRequest (RFC 8446 section 4.1.3).
const RETRY: [u8; 32] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
];

const SERVER_NAME: u16 = 0;
const PRE_SHARED_KEY: u16 = 41;
const EARLY_DATA: u16 = 42;
const SUPPORTED_VERSIONS: u16 = 43;

/// A ClientHello.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientHello {
    /// Legacy session id; a server that echoes it in TLS 1.2 resumes.
    pub session_id: Vec<u8>,
    /// The name asked for.
    pub server_name: Option<String>,
    /// Whether data follow before the server's answer.
    pub early_data: bool,
}

/// A ServerHello or HelloRetryRequest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerHello {
    /// The version in use: 0x0304 is TLS 1.3.
    pub version: u16,
    /// The cipher suite.
    pub cipher: u16,
    /// Whether it asks for another ClientHello.
    pub retry: bool,
    /// Whether it chose a pre-shared key.
    pub pre_shared_key: bool,
    /// Legacy session id.
    pub session_id: Vec<u8>,
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(head)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|b| b[0])
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2).map(|b| u16::from_be_bytes([b[0], b[1]]))
    }

    /// A field behind its length of one byte.
    fn short(&mut self) -> Option<&'a [u8]> {
        let n = self.u8()?;
        self.take(n.into())
    }

    /// A field behind its length of two bytes.
    fn long(&mut self) -> Option<&'a [u8]> {
        let n = self.u16()?;
        self.take(n.into())
    }

    /// Each extension; a block that is cut ends the walk.
    fn extensions(&mut self, mut each: impl FnMut(u16, &'a [u8])) {
        let mut block = Reader(self.long().unwrap_or_default());
        while let (Some(kind), Some(body)) = (block.u16(), block.long()) {
            each(kind, body);
        }
    }
}

/// Reads the body of a ClientHello; `None` when it is none.
pub fn client_hello(body: &[u8]) -> Option<ClientHello> {
    let mut reader = Reader(body);
    reader.take(34)?;
    let mut hello = ClientHello {
        session_id: reader.short()?.to_vec(),
        ..ClientHello::default()
    };
    reader.long()?;
    reader.short()?;
    reader.extensions(|kind, body| match kind {
        SERVER_NAME => {
            let mut names = Reader(body);
            let first = (names.u16(), names.u8(), names.long());
            if let (_, Some(0), Some(name)) = first {
                hello.server_name = std::str::from_utf8(name).ok().map(str::to_owned);
            }
        }
        EARLY_DATA => hello.early_data = true,
        _ => {}
    });
    Some(hello)
}

/// Reads the body of a ServerHello; `None` when it is none.
pub fn server_hello(body: &[u8]) -> Option<ServerHello> {
    let mut reader = Reader(body);
    let mut hello = ServerHello {
        version: reader.u16()?,
        ..ServerHello::default()
    };
    hello.retry = reader.take(32)? == RETRY;
    hello.session_id = reader.short()?.to_vec();
    hello.cipher = reader.u16()?;
    reader.u8()?;
    reader.extensions(|kind, body| match (kind, body) {
        (SUPPORTED_VERSIONS, &[a, b]) => hello.version = u16::from_be_bytes([a, b]),
        (PRE_SHARED_KEY, _) => hello.pre_shared_key = true,
        _ => {}
    });
    Some(hello)
}

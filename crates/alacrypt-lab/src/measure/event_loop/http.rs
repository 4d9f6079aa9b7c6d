//! The answer to a GET over HTTP/1.1, as a stream of bytes (RFC 9112).

/// A head longer than this is none.
const LONGEST_HEAD: usize = 64 << 10;

/// How far an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// More bytes are needed.
    More,
    /// It is complete.
    Done {
        /// Its status.
        status: u16,
        /// Whether the connection may carry another request.
        reusable: bool,
    },
    /// It is no HTTP.
    Malformed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    Head,
    Sized(u64),
    /// In the line with a chunk's size.
    Size,
    /// In a chunk, with its line end.
    Chunk(u64),
    Trailer,
    UntilClose,
}

/// Reads one answer after the other.
#[derive(Debug)]
pub struct Answer {
    body: Body,
    line: Vec<u8>,
    status: u16,
    close: bool,
}

impl Default for Answer {
    fn default() -> Self {
        Self {
            body: Body::Head,
            line: Vec::new(),
            status: 0,
            close: false,
        }
    }
}

impl Answer {
    /// Takes in bytes of one answer.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Progress {
        loop {
            match self.body {
                Body::Head => {
                    let Some(rest) = self.collect(bytes, b"\r\n\r\n") else {
                        let too_long = self.line.len() > LONGEST_HEAD;
                        return if too_long {
                            Progress::Malformed
                        } else {
                            Progress::More
                        };
                    };
                    bytes = rest;
                    let head = std::mem::take(&mut self.line);
                    if !self.read_head(&head) {
                        return Progress::Malformed;
                    }
                }
                Body::Sized(0) => return self.done(),
                Body::Sized(left) => {
                    let n = left.min(bytes.len() as u64);
                    if n == 0 {
                        return Progress::More;
                    }
                    self.body = Body::Sized(left - n);
                    bytes = &bytes[n as usize..];
                }
                Body::Size => {
                    let Some(rest) = self.collect(bytes, b"\r\n") else {
                        return Progress::More;
                    };
                    bytes = rest;
                    let line = std::mem::take(&mut self.line);
                    let digits = line
                        .split(|b| matches!(b, b';' | b'\r' | b' '))
                        .next()
                        .unwrap_or_default();
                    let size = std::str::from_utf8(digits).ok();
                    match size.and_then(|text| u64::from_str_radix(text, 16).ok()) {
                        Some(0) => self.body = Body::Trailer,
                        Some(size) => self.body = Body::Chunk(size.saturating_add(2)),
                        None => return Progress::Malformed,
                    }
                }
                Body::Chunk(0) => self.body = Body::Size,
                Body::Chunk(left) => {
                    let n = left.min(bytes.len() as u64);
                    if n == 0 {
                        return Progress::More;
                    }
                    self.body = Body::Chunk(left - n);
                    bytes = &bytes[n as usize..];
                }
                Body::Trailer => {
                    let Some(rest) = self.collect(bytes, b"\r\n") else {
                        return Progress::More;
                    };
                    bytes = rest;
                    if std::mem::take(&mut self.line).len() == 2 {
                        return self.done();
                    }
                }
                Body::UntilClose => return Progress::More,
            }
        }
    }

    /// The connection was closed by the server.
    pub fn closed(&mut self) -> Progress {
        if self.body == Body::UntilClose {
            self.close = true;
            self.done()
        } else {
            Progress::Malformed
        }
    }

    fn done(&mut self) -> Progress {
        let found = Progress::Done {
            status: self.status,
            reusable: !self.close,
        };
        *self = Self::default();
        found
    }

    /// Collects up to `end`; what follows it, or `None` when it has not come.
    fn collect<'a>(&mut self, bytes: &'a [u8], end: &[u8]) -> Option<&'a [u8]> {
        for (i, byte) in bytes.iter().enumerate() {
            self.line.push(*byte);
            if self.line.ends_with(end) {
                return Some(&bytes[i + 1..]);
            }
        }
        None
    }

    fn read_head(&mut self, head: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(head) else {
            return false;
        };
        let mut lines = text.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let version = words.next().unwrap_or_default();
        let Some(status) = words.next().and_then(|word| word.parse().ok()) else {
            return false;
        };
        if !version.starts_with("HTTP/1.") {
            return false;
        }
        self.status = status;
        self.close = version == "HTTP/1.0";
        let (mut length, mut chunked) = (None, false);
        for line in lines {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.parse().ok();
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                chunked = value.to_ascii_lowercase().ends_with("chunked");
            } else if name.eq_ignore_ascii_case("connection") {
                self.close = value.eq_ignore_ascii_case("close");
            }
        }
        self.body = match (status, chunked, length) {
            // An interim answer; the real one follows.
            (100..=199, ..) => Body::Head,
            (204 | 304, ..) => Body::Sized(0),
            (_, true, _) => Body::Size,
            (_, false, Some(length)) => Body::Sized(length),
            (_, false, None) => Body::UntilClose,
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: Progress = Progress::Done {
        status: 200,
        reusable: true,
    };

    #[test]
    fn any_cut_of_the_bytes_gives_the_same_answer() {
        let answers = [
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nok\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nA;x=1\r\n0123456789\r\n0\r\nx: y\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
        ];
        for text in answers {
            for size in 1..=text.len() {
                let mut answer = Answer::default();
                let mut found: Vec<Progress> = text
                    .as_bytes()
                    .chunks(size)
                    .map(|part| answer.feed(part))
                    .collect();
                assert_eq!(found.pop(), Some(DONE), "{text:?} by {size}");
                assert!(found.iter().all(|progress| *progress == Progress::More));
            }
        }
    }

    #[test]
    fn closing_ends_what_has_no_length_and_nothing_else() {
        let mut answer = Answer::default();
        assert_eq!(answer.feed(b"HTTP/1.0 200 OK\r\n\r\nabc"), Progress::More);
        let done = Progress::Done {
            status: 200,
            reusable: false,
        };
        assert_eq!(answer.closed(), done);
        answer.feed(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc");
        assert_eq!(answer.closed(), Progress::Malformed);
        assert_eq!(
            Answer::default().feed(b"SSH-2.0\r\n\r\n"),
            Progress::Malformed
        );
    }
}

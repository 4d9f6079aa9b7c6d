//! Secrets of a connection, for whoever wants to decrypt a capture of it.
//!
//! rustls gives them to the configuration, which all connections share, and does not say whose they
//! are. Each step of a handshake is done by one thread, so what arrives on it during a step is the
//! connection's.

use std::cell::RefCell;

use rustls::KeyLog;

thread_local! {
    /// None while nobody asks for it.
    static LINES: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

#[derive(Debug)]
pub(crate) struct ThreadKeyLog;

impl KeyLog for ThreadKeyLog {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        LINES.with_borrow_mut(|lines| {
            let Some(lines) = lines else {
                return;
            };
            lines.extend_from_slice(label.as_bytes());
            for bytes in [client_random, secret] {
                lines.push(b' ');
                lines.extend(bytes.iter().flat_map(|byte| hex(*byte)));
            }
            lines.push(b'\n');
        });
    }

    fn will_log(&self, _: &str) -> bool {
        LINES.with_borrow(Option::is_some)
    }
}

/// Before a step of a connection whose secrets are asked for.
pub(crate) fn start() {
    LINES.set(Some(Vec::new()));
}

/// After it: what was logged.
pub(crate) fn stop() -> Vec<u8> {
    LINES.take().unwrap_or_default()
}

fn hex(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_nss_key_log() {
        ThreadKeyLog.log("CLIENT_RANDOM", &[9], &[9]);
        assert!(!ThreadKeyLog.will_log("CLIENT_RANDOM"));
        start();
        assert!(ThreadKeyLog.will_log("CLIENT_RANDOM"));
        ThreadKeyLog.log("CLIENT_RANDOM", &[0x0a, 0xff], &[0x10]);
        assert_eq!(stop(), b"CLIENT_RANDOM 0aff 10\n");
        assert!(stop().is_empty());
    }
}

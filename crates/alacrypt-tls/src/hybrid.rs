//! The hybrid post-quantum key share: the switch, and the hosts that cannot take it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a host counts as one that cannot take the hybrid share: long enough for a burst, short
/// enough that a host which was only down for a moment gets it again.
const REMEMBERED_FOR: Duration = Duration::from_secs(3_600);
const HOSTS_MAX: usize = 1_024;

/// Whether the key exchange also resists a quantum computer (X25519MLKEM768).
///
/// The share makes the ClientHello 1.2 KB larger and takes some 50 µs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PostQuantum {
    /// Wanted, with X25519 beside it, as browsers do. A host to which connections fail before its
    /// first byte is tried again without it, and that is remembered for an hour. So somebody who
    /// can drop packets can have it left out; they cannot read anything today.
    #[default]
    Preferred,
    /// Wanted, with X25519 beside it; never left out.
    Always,
    /// Nothing else is accepted.
    Required,
    /// Left out.
    Off,
}

/// Hosts that answered without the hybrid share after they had not with it.
#[derive(Debug, Default)]
pub(crate) struct ClassicalHosts {
    hosts: Mutex<HashMap<String, Instant>>,
}

impl ClassicalHosts {
    pub(crate) fn contains(&self, host: &str, now: Instant) -> bool {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.get(host).is_some_and(|until| now < *until)
    }

    pub(crate) fn remember(&self, host: &str, now: Instant) {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= HOSTS_MAX {
            hosts.retain(|_, until| now < *until);
        }
        if hosts.len() >= HOSTS_MAX
            && let Some(oldest) = hosts.iter().min_by_key(|(_, until)| **until)
        {
            let oldest = oldest.0.clone();
            hosts.remove(&oldest);
        }
        hosts.insert(host.to_owned(), now + REMEMBERED_FOR);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_remembered_for_an_hour() {
        let (hosts, now) = (ClassicalHosts::default(), Instant::now());
        assert!(!hosts.contains("a", now));
        hosts.remember("a", now);
        assert!(hosts.contains("a", now + Duration::from_secs(3_599)));
        assert!(!hosts.contains("b", now));
        assert!(!hosts.contains("a", now + Duration::from_secs(3_600)));
    }

    #[test]
    fn no_more_hosts_than_there_is_room_for() {
        let (hosts, now) = (ClassicalHosts::default(), Instant::now());
        for number in 0..=HOSTS_MAX {
            hosts.remember(
                &number.to_string(),
                now + Duration::from_nanos(number as u64),
            );
        }
        assert!(!hosts.contains("0", now));
        assert!(hosts.contains("1", now));
        assert!(hosts.contains(&HOSTS_MAX.to_string(), now));
    }
}

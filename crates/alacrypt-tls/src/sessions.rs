//! Tickets: as many as a burst of connections needs, each used once.
//!
//! rustls's own store keeps 8 per host, so that 8 of 128 connections are resumed. RFC 8446, appendix
//! C.4: a client should not use a ticket twice, as that lets an observer join the connections.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;

/// Servers remembered; the one that was used longest ago is forgotten first.
const SERVERS_MAX: usize = 256;
/// Tickets of one server; the oldest is forgotten first.
const TICKETS_MAX: usize = 512;

/// Sessions that can be resumed, by server name.
#[derive(Default)]
pub struct Sessions {
    servers: Mutex<Servers>,
}

#[derive(Default)]
struct Servers {
    known: HashMap<ServerName<'static>, Server>,
    /// Counts uses: a clock for who was used longest ago.
    uses: u64,
}

#[derive(Default)]
struct Server {
    last_use: u64,
    group: Option<NamedGroup>,
    tls12: Option<Tls12ClientSessionValue>,
    tickets: VecDeque<Tls13ClientSessionValue>,
}

impl Sessions {
    /// TLS 1.3 tickets that are there for a server.
    pub fn tickets_of(&self, name: &ServerName<'_>) -> usize {
        self.look_at(name, |server| server.tickets.len())
            .unwrap_or(0)
    }

    /// Forgets everything.
    pub fn clear(&self) {
        *self.servers.lock().unwrap_or_else(PoisonError::into_inner) = Servers::default();
    }

    fn look_at<T>(&self, name: &ServerName<'_>, look: impl FnOnce(&mut Server) -> T) -> Option<T> {
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        let Servers { known, uses } = &mut *servers;
        // A lookup borrows for as long as the keys live, so the name is made one of them.
        let server = known.get_mut(&name.to_owned())?;
        *uses += 1;
        server.last_use = *uses;
        Some(look(server))
    }

    fn change(&self, name: ServerName<'static>, change: impl FnOnce(&mut Server)) {
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        let Servers { known, uses } = &mut *servers;
        *uses += 1;
        if known.len() >= SERVERS_MAX && !known.contains_key(&name) {
            let oldest = known.iter().min_by_key(|(_, server)| server.last_use);
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                known.remove(&oldest);
            }
        }
        let server = known.entry(name).or_default();
        server.last_use = *uses;
        change(server);
    }
}

impl ClientSessionStore for Sessions {
    fn set_kx_hint(&self, server_name: ServerName<'static>, group: NamedGroup) {
        self.change(server_name, |server| server.group = Some(group));
    }

    fn kx_hint(&self, server_name: &ServerName<'_>) -> Option<NamedGroup> {
        self.look_at(server_name, |server| server.group)?
    }

    fn set_tls12_session(&self, server_name: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.change(server_name, |server| server.tls12 = Some(value));
    }

    fn tls12_session(&self, server_name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.look_at(server_name, |server| server.tls12.clone())?
    }

    fn remove_tls12_session(&self, server_name: &ServerName<'static>) {
        self.look_at(server_name, |server| server.tls12 = None);
    }

    fn insert_tls13_ticket(
        &self,
        server_name: ServerName<'static>,
        value: Tls13ClientSessionValue,
    ) {
        self.change(server_name, |server| {
            if server.tickets.len() >= TICKETS_MAX {
                server.tickets.pop_front();
            }
            server.tickets.push_back(value);
        });
    }

    fn take_tls13_ticket(
        &self,
        server_name: &ServerName<'static>,
    ) -> Option<Tls13ClientSessionValue> {
        // The newest: it is good for longest.
        self.look_at(server_name, |server| server.tickets.pop_back())?
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        write!(f, "Sessions({} servers)", servers.known.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: String) -> ServerName<'static> {
        ServerName::try_from(text).unwrap()
    }

    #[test]
    fn the_server_used_longest_ago_is_forgotten_first() {
        let sessions = Sessions::default();
        for number in 0..SERVERS_MAX {
            sessions.set_kx_hint(name(format!("host{number}")), NamedGroup::X25519);
        }
        // The first is used again, so the second is the oldest.
        assert!(sessions.kx_hint(&name("host0".into())).is_some());
        sessions.set_kx_hint(name("new".into()), NamedGroup::X25519);
        assert!(sessions.kx_hint(&name("host0".into())).is_some());
        assert!(sessions.kx_hint(&name("host1".into())).is_none());
        assert!(sessions.kx_hint(&name("new".into())).is_some());
    }

    #[test]
    fn nothing_is_left_after_clear() {
        let sessions = Sessions::default();
        sessions.set_kx_hint(name("host".into()), NamedGroup::X25519);
        sessions.clear();
        assert_eq!(sessions.kx_hint(&name("host".into())), None);
    }
}

//! Names, each looked up once at a time, and addresses tried in turn.
//!
//! 128 connections to one host would ask the resolver 128 times, on 128 threads; and a host whose
//! IPv6 address leads nowhere would hold each of them up (RFC 8305: "happy eyeballs").

use std::collections::HashMap;
use std::future::Future;
use std::io::{Error as IoError, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use tokio::sync::OnceCell;

/// How long an answer is used again.
const KEPT_FOR: Duration = Duration::from_secs(60);
/// After which the next address is tried beside the one before (RFC 8305, section 8).
const STAGGER: Duration = Duration::from_millis(250);

#[derive(Debug, Default)]
pub(super) struct Resolver {
    names: Mutex<HashMap<String, Lookup>>,
}

#[derive(Clone, Debug)]
struct Lookup {
    since: Instant,
    addresses: Arc<OnceCell<Vec<IpAddr>>>,
}

impl Resolver {
    /// The addresses of a host, in the order in which they should be tried.
    pub(super) async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, IoError> {
        if let Ok(address) = host.parse() {
            return Ok(vec![address]);
        }
        let lookup = {
            let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            names.retain(|_, lookup| lookup.since.elapsed() < KEPT_FOR);
            let lookup = names.entry(host.to_owned()).or_insert_with(|| Lookup {
                since: Instant::now(),
                addresses: Arc::default(),
            });
            Arc::clone(&lookup.addresses)
        };
        // A failure is not kept: whoever waited for it asks again, one at a time.
        let ask = || async {
            let found = tokio::net::lookup_host((host, 0)).await?;
            let found: Vec<IpAddr> = found.map(|address| address.ip()).collect();
            if found.is_empty() {
                return Err(IoError::new(ErrorKind::NotFound, "the name has no address"));
            }
            Ok(in_turns(found))
        };
        lookup.get_or_try_init(ask).await.cloned()
    }
}

/// The two families in turns, beginning with that of the first (RFC 8305, section 4).
fn in_turns(addresses: Vec<IpAddr>) -> Vec<IpAddr> {
    let first_is_v6 = addresses.first().is_some_and(IpAddr::is_ipv6);
    let (one, other): (Vec<_>, Vec<_>) = addresses
        .into_iter()
        .partition(|address| address.is_ipv6() == first_is_v6);
    let mut other = other.into_iter();
    let mut sorted = Vec::new();
    for address in one {
        sorted.push(address);
        sorted.extend(other.next());
    }
    sorted.extend(other);
    sorted
}

type Attempt = Pin<Box<dyn Future<Output = Result<TcpStream, IoError>> + Send>>;

/// Connects to whichever address answers first. Each later one is tried when the one before it has
/// failed, or has not answered for a quarter of a second.
pub(super) async fn connect(addresses: &[IpAddr], port: u16) -> Result<TcpStream, IoError> {
    let mut waiting = addresses.iter();
    let mut attempts: Vec<Attempt> = Vec::new();
    let mut stagger = Box::pin(tokio::time::sleep(Duration::ZERO));
    let mut last = IoError::new(ErrorKind::NotFound, "there is no address");
    std::future::poll_fn(move |context| {
        loop {
            let mut failed = false;
            let mut number = 0;
            while let Some(attempt) = attempts.get_mut(number) {
                match attempt.as_mut().poll(context) {
                    Poll::Ready(Ok(stream)) => return Poll::Ready(Ok(stream)),
                    Poll::Ready(Err(error)) => {
                        last = error;
                        failed = true;
                        drop(attempts.swap_remove(number));
                    }
                    Poll::Pending => number += 1,
                }
            }
            let due = stagger.as_mut().poll(context).is_ready();
            if !(due || failed || attempts.is_empty()) {
                return Poll::Pending;
            }
            let Some(address) = waiting.next() else {
                if attempts.is_empty() {
                    let error = std::mem::replace(&mut last, IoError::other("asked again"));
                    return Poll::Ready(Err(error));
                }
                return Poll::Pending;
            };
            let address = SocketAddr::new(*address, port);
            attempts.push(Box::pin(TcpStream::connect(address)));
            stagger = Box::pin(tokio::time::sleep(STAGGER));
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_take_turns() {
        let list = |text: &str| {
            text.split(' ')
                .map(|a| a.parse().unwrap())
                .collect::<Vec<IpAddr>>()
        };
        assert_eq!(
            in_turns(list("::1 ::2 1.1.1.1 ::3")),
            list("::1 1.1.1.1 ::2 ::3")
        );
        assert_eq!(in_turns(list("1.1.1.1 ::1 ::2")), list("1.1.1.1 ::1 ::2"));
    }

    fn run<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(future)
    }

    #[test]
    fn an_address_that_refuses_or_is_silent_does_not_hold_up_the_next() {
        run(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let port = listener.local_addr().unwrap().port();
            // 127.0.0.2 refuses; 192.0.2.1 (documentation) is silent or unreachable.
            let addresses = ["127.0.0.2", "192.0.2.1", "127.0.0.1"].map(|a| a.parse().unwrap());
            let start = Instant::now();
            let stream = connect(&addresses, port).await.unwrap();
            assert_eq!(stream.peer_addr().unwrap().ip(), addresses[2]);
            assert!(start.elapsed() < Duration::from_secs(3));
            assert!(connect(&addresses[..1], port).await.is_err());
            assert!(connect(&[], port).await.is_err());
        });
    }

    #[test]
    fn a_name_is_looked_up_once() {
        run(async {
            let resolver = Resolver::default();
            let found = resolver.resolve("localhost").await.unwrap();
            assert!(found.iter().all(IpAddr::is_loopback));
            assert_eq!(resolver.names.lock().unwrap().len(), 1);
            assert_eq!(resolver.resolve("127.0.0.1").await.unwrap().len(), 1);
            assert_eq!(resolver.names.lock().unwrap().len(), 1);
            assert!(resolver.resolve("no-such-host.invalid").await.is_err());
        });
    }
}

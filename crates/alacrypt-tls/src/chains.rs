//! The cache of verified chains: of 128 connections to one host, one verifies the chain.
//!
//! What is kept is success only, for a short time and never past the earliest `notAfter` of what the
//! server sent. The key is a digest of who verifies, for whom, and every byte that was sent. Each
//! connection still proves that it has the private key: the handshake's signature is always checked.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use rustls::pki_types::{CertificateDer, UnixTime};
use x509_cert::Certificate;
use x509_cert::der::{Decode, Encode};

/// Chrome keeps such results for 30 minutes, and TNG for one.
const KEPT_FOR: Duration = Duration::from_secs(300);
const CHAINS_MAX: usize = 1_024;

pub(crate) type Key = [u8; 32];

/// Chains that were verified a short time ago.
#[derive(Debug, Default)]
pub struct VerifiedChains {
    inner: Mutex<Inner>,
    hits: AtomicU64,
    verified: AtomicU64,
    joined: AtomicU64,
}

#[derive(Debug, Default)]
struct Inner {
    kept: HashMap<Key, Kept>,
    flights: HashMap<Key, Arc<Flight>>,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    since: u64,
    until: u64,
}

/// One verification that others wait for.
#[derive(Debug, Default)]
struct Flight {
    succeeded: Mutex<Option<bool>>,
    landed: Condvar,
}

/// What the cache did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainCacheStats {
    /// Chains that were found.
    pub hits: u64,
    /// Chains that were verified.
    pub verified: u64,
    /// Connections that waited for another's verification of the same chain.
    pub joined: u64,
    /// Chains that are kept.
    pub kept: usize,
}

impl VerifiedChains {
    /// What it did so far.
    pub fn stats(&self) -> ChainCacheStats {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        ChainCacheStats {
            hits: self.hits.load(Ordering::Relaxed),
            verified: self.verified.load(Ordering::Relaxed),
            joined: self.joined.load(Ordering::Relaxed),
            kept: inner.kept.len(),
        }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.kept.clear();
    }

    /// Verifies unless that was done before. `expiry` says until when a success may be kept; with
    /// none it is not kept at all.
    pub(crate) fn verify<E>(
        &self,
        key: Key,
        now: UnixTime,
        verify: impl FnOnce() -> Result<(), E>,
        expiry: impl FnOnce() -> Option<u64>,
    ) -> Result<(), E> {
        let flight = {
            let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            // A clock that was set back must not make a chain good for longer.
            let fresh = |kept: &Kept| kept.since <= now.as_secs() && now.as_secs() < kept.until;
            if inner.kept.get(&key).is_some_and(fresh) {
                self.hits.fetch_add(1, Ordering::Relaxed);
                return Ok(());
            }
            match inner.flights.get(&key) {
                Some(flight) => Some(Arc::clone(flight)),
                None => {
                    inner.flights.insert(key, Arc::default());
                    None
                }
            }
        };
        match flight {
            Some(flight) if flight.wait() => {
                self.joined.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            // The other's failure is not ours: each connection finds its own reason.
            Some(_) => {
                self.verified.fetch_add(1, Ordering::Relaxed);
                verify()
            }
            None => {
                let mut lead = Lead {
                    cache: self,
                    key,
                    kept: None,
                    succeeded: false,
                };
                self.verified.fetch_add(1, Ordering::Relaxed);
                verify()?;
                lead.succeeded = true;
                let since = now.as_secs();
                lead.kept = expiry().map(|not_after| Kept {
                    since,
                    until: not_after.min(since + KEPT_FOR.as_secs()),
                });
                Ok(())
            }
        }
    }
}

impl Flight {
    fn wait(&self) -> bool {
        let mut succeeded = self
            .succeeded
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(succeeded) = *succeeded {
                return succeeded;
            }
            succeeded = self
                .landed
                .wait(succeeded)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Whoever verifies for others. Those are woken when it is dropped, so also when a verifier panics.
struct Lead<'a> {
    cache: &'a VerifiedChains,
    key: Key,
    kept: Option<Kept>,
    succeeded: bool,
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        let mut inner = self
            .cache
            .inner
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = self.kept.filter(|kept| kept.since < kept.until) {
            inner.make_room(kept.since);
            inner.kept.insert(self.key, kept);
        }
        let flight = inner.flights.remove(&self.key);
        drop(inner);
        if let Some(flight) = flight {
            let mut succeeded = flight
                .succeeded
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *succeeded = Some(self.succeeded);
            flight.landed.notify_all();
        }
    }
}

impl Inner {
    fn make_room(&mut self, now: u64) {
        if self.kept.len() < CHAINS_MAX {
            return;
        }
        self.kept.retain(|_, kept| now < kept.until);
        if self.kept.len() >= CHAINS_MAX
            && let Some(first) = self.kept.iter().min_by_key(|(_, kept)| kept.until)
        {
            let first = *first.0;
            self.kept.remove(&first);
        }
    }
}

/// The earliest `notAfter` of some certificates, in seconds since 1970; none if one cannot be read.
pub(crate) fn earliest_not_after<'a>(
    chain: impl IntoIterator<Item = &'a CertificateDer<'a>>,
) -> Option<u64> {
    let mut earliest = None;
    for der in chain {
        let certificate = Certificate::from_der(der).ok()?;
        let validity = certificate.tbs_certificate().validity();
        let not_after = validity.not_after.to_unix_duration().as_secs();
        earliest = Some(earliest.map_or(not_after, |other: u64| other.min(not_after)));
    }
    earliest
}

/// Issuer and subject of a certificate, as DER.
pub(crate) fn names_of(der: &CertificateDer<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
    let certificate = Certificate::from_der(der).ok()?;
    let tbs = certificate.tbs_certificate();
    Some((tbs.issuer().to_der().ok()?, tbs.subject().to_der().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    const KEY: Key = [7; 32];

    fn at(secs: u64) -> UnixTime {
        UnixTime::since_unix_epoch(Duration::from_secs(secs))
    }

    fn verify(cache: &VerifiedChains, key: Key, now: u64, not_after: Option<u64>) -> bool {
        let mut asked = false;
        let verify = || {
            asked = true;
            Ok::<(), ()>(())
        };
        cache.verify(key, at(now), verify, || not_after).unwrap();
        asked
    }

    #[test]
    fn success_is_kept_for_five_minutes() {
        let cache = VerifiedChains::default();
        assert!(verify(&cache, KEY, 1_000, Some(9_999)));
        assert!(!verify(&cache, KEY, 1_000, Some(9_999)));
        assert!(!verify(&cache, KEY, 1_299, Some(9_999)));
        assert!(verify(&cache, KEY, 1_300, Some(9_999)));
        assert!(verify(&cache, [8; 32], 1_300, Some(9_999)));
    }

    #[test]
    fn never_past_not_after_and_never_with_a_clock_set_back() {
        let cache = VerifiedChains::default();
        assert!(verify(&cache, KEY, 1_000, Some(1_010)));
        assert!(!verify(&cache, KEY, 1_009, Some(1_010)));
        assert!(verify(&cache, KEY, 1_010, Some(1_010)));
        assert!(verify(&cache, [8; 32], 1_000, Some(2_000)));
        assert!(verify(&cache, [8; 32], 999, Some(2_000)));
    }

    #[test]
    fn what_has_no_known_end_is_not_kept() {
        let cache = VerifiedChains::default();
        assert!(verify(&cache, KEY, 1_000, None));
        assert!(verify(&cache, KEY, 1_000, None));
        assert_eq!(cache.stats().kept, 0);
    }

    #[test]
    fn failure_is_not_kept() {
        let cache = VerifiedChains::default();
        for _ in 0..2 {
            let refused = cache.verify(KEY, at(1), || Err("no"), || Some(9_999));
            assert_eq!(refused, Err("no"));
        }
        assert!(verify(&cache, KEY, 1, Some(9_999)));
        assert_eq!(cache.stats().verified, 3);
    }

    #[test]
    fn no_more_chains_than_there_is_room_for() {
        let cache = VerifiedChains::default();
        for number in 0..CHAINS_MAX as u64 + 10 {
            let mut key = KEY;
            key[..8].copy_from_slice(&number.to_be_bytes());
            verify(&cache, key, 1_000, Some(1_050 + number));
        }
        assert_eq!(cache.stats().kept, CHAINS_MAX);
    }

    #[test]
    fn many_at_once_verify_once_and_each_failure_is_its_own() {
        for succeeds in [true, false] {
            let (cache, asked) = (VerifiedChains::default(), AtomicUsize::new(0));
            let started = std::sync::Barrier::new(8);
            let run = || {
                started.wait();
                let verify = || {
                    asked.fetch_add(1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(100));
                    if succeeds { Ok(()) } else { Err(()) }
                };
                cache.verify(KEY, at(1), verify, || Some(9)).is_ok()
            };
            let results: Vec<bool> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(run)).collect();
                threads.into_iter().map(|t| t.join().unwrap()).collect()
            });
            assert_eq!(results, vec![succeeds; 8]);
            let times = if succeeds { 1 } else { 8 };
            assert_eq!(asked.load(Ordering::SeqCst), times);
        }
    }

    #[test]
    fn a_verifier_that_panics_leaves_nobody_waiting() {
        let cache = VerifiedChains::default();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            cache.verify(
                KEY,
                at(1),
                || -> Result<(), ()> { panic!("planted") },
                || None,
            )
        }));
        assert!(panicked.is_err());
        assert!(verify(&cache, KEY, 1, Some(9)));
    }
}

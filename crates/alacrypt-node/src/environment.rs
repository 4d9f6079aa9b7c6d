//! What belongs to one environment: the main thread's, or a worker's.

use std::sync::{Arc, OnceLock};

use alacrypt::mac::Hmac;
use alacrypt::random::Pool;

use crate::cipher;
use crate::ecdh::Pair;
use crate::key::Key;
use crate::schedule::Scheduler;
use crate::stream::Stream;
use crate::sys::HostPolicy;
use crate::table::Table;
use crate::tls;

/// Keyed states at most. Each takes about 1.3 KB; beyond the bound keys are keyed per use.
const KEYS: u32 = 8192;
/// Public and private keys at most; beyond the bound the host's are used.
const PKEYS: u32 = 8192;
/// Key pairs of `ECDH` objects at most; beyond the bound the host's are used.
const PAIRS: u32 = 8192;
/// Keys of ciphers at most; beyond the bound the host is asked for their bytes at each use.
const CIPHER_KEYS: u32 = 8192;
/// Encryptions and decryptions in pieces at most, of some 1.2 KB each; beyond the bound the host's are
/// used. Those that script abandons within one turn of its loop are given back only after it.
const CIPHERS: u32 = 4096;
/// Streams at most (see [`crate::stream`]).
const STREAMS: u32 = 65_536;
/// TLS clients at most; the TypeScript side keeps fewer.
const TLS_CLIENTS: u32 = 1024;
/// TLS connections at most; beyond the bound the host's are used.
const TLS_CONNECTIONS: u32 = 65_536;
/// Lists of downloads at most.
const FETCHES: u32 = 1024;

/// The state of one environment; dropped, and so wiped, with it.
pub(crate) struct Environment {
    pub(crate) keys: Table<Hmac>,
    /// Jobs share them, so that none is freed while one runs.
    pub(crate) pkeys: Table<Arc<Key>>,
    pub(crate) pairs: Table<Pair>,
    pub(crate) cipher_keys: Table<cipher::Key>,
    pub(crate) ciphers: Table<cipher::Stream>,
    pub(crate) streams: Table<Stream>,
    pub(crate) tls_clients: Table<Arc<tls::Client>>,
    /// Handshakes are jobs, which share them.
    pub(crate) tls_connections: Table<Arc<tls::Connection>>,
    pub(crate) fetches: Table<Arc<tls::fetch::Fetch>>,
    pub(crate) pool: Option<Pool>,
    pub(crate) scheduler: Scheduler,
}

impl Environment {
    pub(crate) const fn new() -> Self {
        Self {
            keys: Table::new(KEYS),
            pkeys: Table::new(PKEYS),
            pairs: Table::new(PAIRS),
            cipher_keys: Table::new(CIPHER_KEYS),
            ciphers: Table::new(CIPHERS),
            streams: Table::new(STREAMS),
            tls_clients: Table::new(TLS_CLIENTS),
            tls_connections: Table::new(TLS_CONNECTIONS),
            fetches: Table::new(FETCHES),
            pool: None,
            scheduler: Scheduler::new(),
        }
    }
}

/// Whether the host has FIPS switched on, now.
///
/// The function is looked up once per process; its answer is asked for at every call, because
/// any thread can switch.
pub(crate) fn host_fips() -> bool {
    static HOST: OnceLock<HostPolicy> = OnceLock::new();
    HOST.get_or_init(HostPolicy::find).fips()
}

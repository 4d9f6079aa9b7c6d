//! A TLS client for programs that open many connections at once, on rustls and AWS-LC.
//!
//! [`Client`] gives a shared [`rustls::ClientConfig`] in which what a burst of connections needs is
//! right by default: one store of roots per process, a cache of verified chains, room for as many
//! tickets as there are connections, a hybrid post-quantum key share. Nothing is installed
//! process-wide: the provider is given to rustls explicitly.
//!
//! | room | holds |
//! |---|---|
//! | [`Client`], [`ClientBuilder`] | settings, and one configuration for each security identity |
//! | [`Roots`], [`RootReport`] | whom to trust, from where it came, and what was refused |
//! | [`VerifiedChains`] | the cache of verified chains |
//! | [`Sessions`] | tickets |
//! | [`Connection`] | one connection without input and output; [`blocking`] drives it on a socket |
//! | [`HandshakeTimings`], [`Observer`] | when things happened in a handshake |
//! | `fetch` (feature) | bulk download over HTTP/1.1, with feature `http2` also over HTTP/2 |
//! | [`Error`] | what went wrong and whose fault it is, with Node's code |
//!
//! # Example
//!
//! ```
//! use alacrypt_tls::{Client, Roots};
//!
//! # fn main() -> Result<(), alacrypt_tls::Error> {
//! let client = Client::builder().roots(Roots::system()).alpn(["h2", "http/1.1"]).build()?;
//! // For tokio-rustls, hyper-rustls (`with_tls_config`) and reqwest (`tls_backend_preconfigured`):
//! let config: std::sync::Arc<rustls::ClientConfig> = client.config();
//! assert_eq!(config.alpn_protocols[0], b"h2");
//! # Ok(())
//! # }
//! ```
//!
//! # The first random byte
//!
//! AWS-LC seeds its generator from CPU jitter by default, which takes 29 ms of CPU at the first
//! handshake of a process. Built with the environment variable `AWS_LC_SYS_NO_JITTER_ENTROPY=1`, it
//! is seeded by the operating system in 29 µs. What that trades: jitter is a source of entropy that
//! does not depend on the kernel, which FIPS builds must have and keep. It is a setting of the final
//! program's build; a library cannot set it. Where it is not set, [`warm_up`] starts the work early,
//! on a thread of its own.
#![forbid(unsafe_code)]

pub mod blocking;
mod chains;
mod client;
mod clock;
mod connection;
mod error;
#[cfg(feature = "fetch")]
pub mod fetch;
mod hybrid;
mod identity;
mod key_log;
mod provider;
mod roots;
mod sessions;
mod timings;
mod trusted_leaf;
mod verifier;

pub use chains::{ChainCacheStats, VerifiedChains};
pub use client::{Client, ClientBuilder, warm_up};
pub use clock::Clock;
pub use connection::{Connection, Data};
pub use error::{CertificateFault, ContentFault, Error, NetworkFault, PeerFault, Phase};
pub use hybrid::PostQuantum;
pub use identity::Identity;
pub use provider::Provider;
pub use roots::{RefusedRoot, RootReport, Roots};
pub use sessions::Sessions;
pub use timings::{HandshakeTimings, Observer};

pub use rustls;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

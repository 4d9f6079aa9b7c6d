//! TLS handshakes, timed from outside: no keys, no decryption. Pure: segments or bytes with their
//! times go in, intervals come out.
//!
//! | file | holds |
//! |---|---|
//! | [`records`] | record and handshake headers of one direction, as a stream |
//! | [`hello`] | what is read of ClientHello and ServerHello |
//! | [`half`] | one direction of a connection, put together by sequence number |
//! | [`handshake`] | the moments of one handshake, and the intervals between them |
//! | [`streams`] | all connections of a capture |
//! | [`mod@batch`] | many handshakes together: percentiles, spreads, concurrency |

pub mod batch;
pub mod half;
pub mod handshake;
pub mod hello;
pub mod records;
pub mod streams;

pub use batch::{Batch, Spread, batch};
pub use handshake::{Ending, Handshake, INTERVALS, Moments};
pub use streams::{Capture, Counts, read_capture};

//! Captured packets: from the bytes of a file to TCP segments. Pure: no TLS, no files of its own.
//!
//! | file | holds |
//! |---|---|
//! | [`reader`] | pcap (µs, ns, both byte orders) and pcapng, one packet at a time from any `Read` |
//! | [`link`] | link and IP headers down to one TCP segment |
//!
//! By hand and not by a crate: a packet is a slice of the one buffer that is read into, so that a
//! capture of any size takes one buffer of memory, and each way in which a file can be cut or
//! damaged is told with its place.

pub mod link;
pub mod reader;

pub use link::{Endpoint, Flags, Link, Other, Segment, segment};
pub use reader::{Packet, Packets, Stop};

//! The shape of the project, enforced: one file per rule, each a pure function over its input.
//!
//! A rule returns one sentence per violation; an empty list means that it holds.

pub(crate) mod arrows;
pub(crate) mod bench_files;
pub(crate) mod locks;
pub(crate) mod rust_tokens;
pub(crate) mod sizes;
pub(crate) mod unsafe_rooms;
pub(crate) mod vectors;

/// One violation of a rule: a sentence that starts with the place.
pub(crate) type Violation = String;

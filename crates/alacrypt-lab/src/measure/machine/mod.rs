//! The machine as `/proc` and `/sys` show it: what it is, and what else it does during a run.

mod describe;
mod noise;
mod siblings;
mod stat;
mod stretch;

pub use describe::{cpus_allowed, describe};
pub use noise::NoiseProbe;
pub use siblings::Siblings;
pub use stat::{CpuTimes, Pressure};
pub use stretch::Stretch;

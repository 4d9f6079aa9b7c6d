//! Statistics without input or output. Each function names its source.
//!
//! Conventions: standard deviations divide by n−1; a *rate* is better when higher, a *time* when
//! lower; ratios are new over old; `Option` is `None` where the data cannot answer (one run,
//! no spread), never a made-up number.

pub mod bootstrap;
pub mod control;
pub mod distribution;
pub mod geometric;
pub mod latency;
pub mod loop_delay;
pub mod multiple;
pub mod outlier;
pub mod paired;
pub mod percentile;
pub mod power;
pub mod probe;
pub mod rank;
pub mod sequential;
pub mod series;
pub mod summary;
pub mod welch;

//! What `loop` plans, and what one of its runs found.

use serde::{Deserialize, Serialize};

/// How a server is loaded and watched; the same for every arm and round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Requests per second.
    pub rate: f64,
    /// Whether the moments of sending are random (Poisson) instead of evenly spaced.
    pub poisson: bool,
    /// How long is measured, seconds.
    pub duration_s: f64,
    /// How long the same is done before, unmeasured, seconds.
    pub warm_s: f64,
    /// An answer that takes longer counts as none, seconds.
    pub timeout_s: f64,
    /// How long a server may take to answer for the first time, seconds.
    pub start_timeout_s: f64,
    /// What is asked for.
    pub path: String,
    /// The port that the server listens on; one that is free, in `PORT`, when none is given.
    pub port: Option<u16>,
    /// Operations of the crypto load, in turns.
    pub operations: Vec<String>,
}

/// Percentiles of one run, seconds. None where too many requests have no answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    /// Median.
    pub p50: Option<f64>,
    /// 90 %.
    pub p90: Option<f64>,
    /// 99 %.
    pub p99: Option<f64>,
    /// 99.9 %.
    pub p999: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
}

/// Event-loop delay of one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopDelay {
    /// Intervals of the timer in the window.
    pub intervals: u64,
    /// The timer's period, seconds.
    pub period_s: f64,
    /// With the samples that a blocked loop lost.
    pub filled: Percentiles,
    /// As the timer shows it.
    pub raw: Percentiles,
    /// Share of the time in which a due timer waited.
    pub blocked_share: f64,
}

/// What the crypto load did in one run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CryptoLoad {
    /// Operations per second in the window.
    pub per_second: f64,
    /// Operations that failed, of the whole run.
    pub failed: u64,
    /// The first failure.
    pub error: Option<String>,
}

/// One run of `loop`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadFigures {
    /// Requests due in the window.
    pub requests: u64,
    /// Requests per second that were planned.
    pub rate: f64,
    /// Answers per second that came.
    pub answered_per_second: f64,
    /// Requests with a wrong answer or a broken connection.
    pub failed: u64,
    /// Requests without an answer in time.
    pub timed_out: u64,
    /// Most requests that waited for a connection at once.
    pub backlog: u64,
    /// Connections that were opened.
    pub connections: u64,
    /// From the intended moment of sending to the end of the answer.
    pub latency: Percentiles,
    /// From the actual one.
    pub service: Percentiles,
    /// How late the generator itself sent.
    pub send_error: Percentiles,
    /// Event-loop delay, where the runtime could be watched.
    #[serde(default)]
    pub delay: Option<LoopDelay>,
    /// The crypto load, where there was one.
    #[serde(default)]
    pub crypto: Option<CryptoLoad>,
    /// Share of the time in which the event loop did something, where the runtime says so.
    #[serde(default)]
    pub utilization: Option<f64>,
    /// The runtime.
    #[serde(default)]
    pub runtime: Option<String>,
    /// CPU time of the generator itself, µs; it is not in the run's.
    #[serde(default)]
    pub generator_cpu_us: [u64; 2],
}

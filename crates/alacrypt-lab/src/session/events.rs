//! `events.jsonl`: what happened to the session as a whole.

use serde::{Deserialize, Serialize};

/// One line of `events.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Measuring began or went on; runs from `from_seq` belong to this stretch.
    Begin {
        /// First run number of the stretch.
        from_seq: u64,
        /// Seconds since 1970.
        unix_s: u64,
        /// The machine, 1 for `env.json`, n for `env-n.json`: runs of different ones are
        /// different strata.
        environment: u32,
    },
    /// What else the machine did in a stretch of measuring, from its first run to its last.
    Machine {
        /// Length, seconds.
        seconds: f64,
        /// Number of the machine, as in `begin`.
        environment: u32,
        /// Share of the CPU time that the hypervisor took.
        #[serde(default)]
        steal_share: Option<f64>,
        /// Share of the CPU time that programs used which are neither the lab nor its runs.
        #[serde(default)]
        other_cpu_share: Option<f64>,
        /// Share of the time in which something waited for a CPU.
        #[serde(default)]
        pressure_share: Option<f64>,
        /// Share of the time in which the other thread of a core was busy that runs were kept to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sibling_busy_share: Option<f64>,
    },
    /// Measuring ended before the plan did.
    Interrupted {
        /// First run number that was not made.
        next_seq: u64,
    },
    /// A cell stopped by its rule before all planned rounds.
    Stopped {
        /// The benchmark.
        bench: String,
        /// The rule in words: `width`, `decided: look 2 of 4`, `equivalent`.
        rule: String,
        /// Last round that counts.
        round: u32,
    },
    /// A cell was given up because runs of it failed.
    Skipped {
        /// The benchmark.
        bench: String,
        /// The arm, where the others go on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arm: Option<String>,
        /// Why.
        why: String,
    },
    /// All that was planned is done.
    Finished {
        /// Number of runs made.
        runs: u64,
        /// How many of them failed.
        failed: u64,
    },
}

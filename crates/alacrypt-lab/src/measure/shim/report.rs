//! What a shim tells the lab, as one line of JSON.

use crate::session::Net;
use serde::{Deserialize, Serialize};

/// One run as the shim saw it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Report {
    /// Why the command could not be started; everything else is then empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_started: Option<String>,
    /// From spawn to the end of the direct child, ns.
    pub wall_ns: u64,
    /// From spawn to the end of the last descendant, ns.
    pub tree_ns: u64,
    /// User CPU time of the whole tree, µs.
    pub user_us: u64,
    /// System CPU time of the whole tree, µs.
    pub sys_us: u64,
    /// Peak memory of the largest single process, KiB.
    pub maxrss_kib: u64,
    /// Page faults served without I/O.
    pub minflt: u64,
    /// Page faults that needed I/O.
    pub majflt: u64,
    /// Voluntary context switches.
    pub nvcsw: u64,
    /// Involuntary context switches.
    pub nivcsw: u64,
    /// Blocks read.
    pub inblock: u64,
    /// Blocks written.
    pub oublock: u64,
    /// Exit code; 128 + n when signal n ended the command.
    pub exit: i32,
    /// Whether the time limit ended it.
    pub timed_out: bool,
    /// Descendants that outlived the command for too long and were ended.
    pub leftover: u32,
    /// Traffic, when there is a namespace of its own.
    #[serde(default)]
    pub net: Option<Net>,
    /// Peak memory of the whole tree at once, KiB, when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_kib: Option<u64>,
    /// How that was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_source: Option<String>,
    /// CPU time by the scheduler's clock, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_clock_us: Option<u64>,
    /// Moves from one processor to another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migrations: Option<u64>,
    /// Instructions, where the processor counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// Clock cycles, where the processor counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// Why the kernel's counters could not be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perf_refused: Option<String>,
    /// Why the wished network could not be had; the run then used the machine's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net_refused: Option<String>,
}

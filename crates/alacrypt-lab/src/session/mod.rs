//! A saved set of measurements: a folder that is written while the runs go on and read back later.
//!
//! | file | holds | written |
//! | --- | --- | --- |
//! | `plan.json` | what is to be run, in which order, from which binaries ([`Plan`]) | once, before the first run |
//! | `env.json` | the machine ([`Environment`]); `env-2.json` … after a forced resume elsewhere | once |
//! | `runs.jsonl` | one line per run or per reported rate ([`Run`]) | appended and flushed after each run |
//! | `events.jsonl` | starts, interruptions, early stops ([`Event`]) | appended and flushed |
//! | `report.json` | what the analysis made of it | last, again by each `report` |
//!
//! Nothing here measures or computes: these are the types, the reader and the append-only writer.

use crate::error::Error;
use std::path::Path;

mod environment;
mod events;
mod identity;
mod limit;
mod load;
mod moment;
mod phases;
mod plan;
mod probe;
mod runs;
mod store;

pub use environment::Environment;
pub use events::Event;
pub use identity::{Binary, sha256_file, sha256_hex};
pub use limit::{Limit, Resource};
pub use load::{CryptoLoad, Load, LoadFigures, LoopDelay, Percentiles};
pub use moment::Moment;
pub use phases::{Expect, Phase, Phases, Subject};
pub use plan::{Arm, Block, Cell, Kind, Metric, Options, OrderRule, Plan, Shard, Until};
pub use probe::Probe;
pub use runs::{Net, Noise, Run, RunWriter, read_runs};
pub use store::{Session, SessionWriter};

/// Version of the files in a session folder; a reader refuses a higher one.
pub const SCHEMA_VERSION: u32 = 1;

/// The system's refusal to read or write `path`.
fn io_at(path: &Path, source: std::io::Error) -> Error {
    Error::io(format!("read or write {}", path.display()), source)
}

fn too_new(path: &Path, found: u32) -> Error {
    Error::input(
        path,
        None,
        format!("written as version {found}; this alacrypt-lab reads up to {SCHEMA_VERSION}"),
    )
}

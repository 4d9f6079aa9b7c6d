//! What measures, where measuring is not possible: the analysis works on every system.

use crate::cli::{AaArgs, CompareArgs, DoctorArgs, LoopArgs, PhasesArgs, ProbeArgs, RunArgs};
use crate::error::{Error, Exit, Result};

fn refuse() -> Result<Exit> {
    Err(Error::Usage(
        "measuring needs Linux; report, compare --csv and run --import-hyperfine work here".into(),
    ))
}

/// Benchmark files.
pub(super) fn compare(_: &CompareArgs) -> Result<Exit> {
    refuse()
}

/// Whole commands.
pub(super) fn run(_: &RunArgs) -> Result<Exit> {
    refuse()
}

/// The control alone.
pub(super) fn aa(_: &AaArgs) -> Result<Exit> {
    refuse()
}

/// Servers under load.
pub(super) fn looped(_: &LoopArgs) -> Result<Exit> {
    refuse()
}

/// Phases.
pub(super) fn phases(_: &PhasesArgs) -> Result<Exit> {
    refuse()
}

/// A bundle of changes.
pub(super) fn probe(_: &ProbeArgs) -> Result<Exit> {
    refuse()
}

/// The machine.
pub(super) fn doctor(_: &DoctorArgs) -> Result<Exit> {
    refuse()
}

//! `compare`, `run` and `aa` with something to run: measure first, then analyse what was saved.

use crate::cli::{AaArgs, CompareArgs, RunArgs};
use crate::error::{Exit, Result};
use crate::measure::session_run::Measured;
use crate::measure::setup;

/// Benchmark files.
pub(super) fn compare(args: &CompareArgs) -> Result<Exit> {
    setup::compare(args).map(exit)
}

/// Whole commands.
pub(super) fn run(args: &RunArgs) -> Result<Exit> {
    setup::run(args).map(exit)
}

/// The control alone.
pub(super) fn aa(args: &AaArgs) -> Result<Exit> {
    setup::aa(args).map(exit)
}

/// What the measuring alone says; the analysis may find worse.
pub(super) fn exit(measured: Option<Measured>) -> Exit {
    match measured {
        Some(m) if m.interrupted => Exit::Interrupted,
        Some(m) if m.failed > 0 || m.skipped > 0 || m.stopped_by_failure => Exit::Incomplete,
        _ => Exit::Fine,
    }
}

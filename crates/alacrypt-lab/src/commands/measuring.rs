//! `compare`, `run` and `aa` with something to run: measure first, then analyse what was saved.

use super::outcome::{self, Wishes};
use crate::cli::{AaArgs, AnalysisArgs, CompareArgs, RunArgs};
use crate::error::{Error, Exit, Result};
use crate::measure::session_run::Measured;
use crate::measure::setup;

/// Benchmark files.
pub(super) fn compare(args: &CompareArgs) -> Result<Exit> {
    if args.csv.len() > 1 {
        return Err(Error::Usage(
            "with binaries, --csv names the one file that the samples go to".into(),
        ));
    }
    let wishes = Wishes {
        analysis: &args.analysis,
        select: &args.select,
        output: &args.output,
        csv: args.csv.first().map(std::path::PathBuf::as_path),
    };
    finish(setup::compare(args)?, wishes)
}

/// Whole commands.
pub(super) fn run(args: &RunArgs) -> Result<Exit> {
    let wishes = Wishes {
        analysis: &args.analysis,
        select: &args.select,
        output: &args.output,
        csv: args.csv.as_deref(),
    };
    finish(setup::run(args)?, wishes)
}

/// The control alone.
pub(super) fn aa(args: &AaArgs) -> Result<Exit> {
    // The base is the program itself; --base would have nothing to choose from.
    let analysis = AnalysisArgs {
        base: None,
        ..args.analysis.clone()
    };
    let wishes = Wishes {
        analysis: &analysis,
        select: &args.select,
        output: &args.output,
        csv: args.csv.as_deref(),
    };
    finish(setup::aa(args)?, wishes)
}

/// Analyses what was measured; a dry run has nothing to analyse.
fn finish(measured: Option<Measured>, wishes: Wishes<'_>) -> Result<Exit> {
    let Some(measured) = measured else {
        return Ok(Exit::Fine);
    };
    let exit = if measured.interrupted {
        Exit::Interrupted
    } else if measured.failed > 0 || measured.skipped > 0 || measured.stopped_by_failure {
        Exit::Incomplete
    } else {
        Exit::Fine
    };
    outcome::session(&measured.dir, exit, wishes)
}

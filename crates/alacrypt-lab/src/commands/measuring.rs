//! `compare`, `run` and `aa` with something to run: measure first, then analyse what was saved.

use std::path::Path;

use super::outcome::{self, Wishes};
use crate::cli::{AaArgs, AnalysisArgs, CompareArgs, LoopArgs, PhasesArgs, ProbeArgs, RunArgs};
use crate::error::{Error, Exit, Result};
use crate::measure::session_run::Measured;
use crate::measure::{phased, probed, setup};

/// Benchmark files.
pub(super) fn compare(args: &CompareArgs) -> Result<Exit> {
    if let (Some(old), None, false) = (&args.old, &args.new, args.csv.is_empty()) {
        return Err(Error::Usage(format!(
            "{} stands where OLD does, and there is no NEW; to analyse several files, give each \
             its own --csv",
            old.display()
        )));
    }
    let csv = match args.csv.as_slice() {
        [] => None,
        [path] => Some(path.as_path()),
        _ => {
            return Err(Error::Usage(
                "with OLD and NEW, --csv names the one file to write".into(),
            ));
        }
    };
    if let Some(path) = csv.filter(|_| !args.measure.force) {
        keep_existing(path)?;
    }
    let wishes = Wishes {
        analysis: &args.analysis,
        select: &args.select,
        output: &args.output,
        csv,
    };
    wishes.check()?;
    analysed(setup::compare(args)?, wishes)
}

/// Whole commands.
pub(super) fn run(args: &RunArgs) -> Result<Exit> {
    let wishes = Wishes {
        analysis: &args.analysis,
        select: &args.select,
        output: &args.output,
        csv: args.csv.as_deref(),
    };
    wishes.check()?;
    analysed(setup::run(args)?, wishes)
}

/// Servers under load.
pub(super) fn looped(args: &LoopArgs) -> Result<Exit> {
    let wishes = Wishes {
        analysis: &args.analysis,
        select: &args.select,
        output: &args.output,
        csv: None,
    };
    wishes.check()?;
    analysed(setup::looped(args)?, wishes)
}

/// Subjects in phases.
pub(super) fn phases(args: &PhasesArgs) -> Result<Exit> {
    let wishes = Wishes {
        analysis: &args.analysis,
        select: &args.select,
        output: &args.output,
        csv: None,
    };
    wishes.check()?;
    analysed(phased::phases(args)?, wishes)
}

/// A bundle of changes.
pub(super) fn probe(args: &ProbeArgs) -> Result<Exit> {
    let wishes = Wishes {
        analysis: &args.analysis,
        select: &args.select,
        output: &args.output,
        csv: None,
    };
    wishes.check()?;
    analysed(probed::probe(args)?, wishes)
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
    wishes.check()?;
    analysed(setup::aa(args)?, wishes)
}

/// Analyses what was measured; nothing was after `--dry-run`.
fn analysed(measured: Option<Measured>, wishes: Wishes<'_>) -> Result<Exit> {
    match measured {
        Some(measured) => outcome::session(&measured.dir, exit(&measured), wishes),
        None => Ok(Exit::Fine),
    }
}

/// What the measuring alone says; the analysis may find worse.
fn exit(measured: &Measured) -> Exit {
    if measured.interrupted {
        return Exit::Interrupted;
    }
    let lost = measured.failed > 0 || measured.skipped > 0 || measured.stopped_by_failure;
    if lost || measured.left_unclean {
        return Exit::Incomplete;
    }
    Exit::Fine
}

/// `--csv` reads without binaries and writes with them; hours of measurements must not vanish
/// because one was meant and the other said.
fn keep_existing(path: &Path) -> Result<()> {
    let holds_something =
        std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
    if holds_something {
        return Err(Error::Usage(format!(
            "{} exists; with OLD and NEW, --csv writes. Leave OLD and NEW out to analyse it, or \
             add --force to replace it",
            path.display()
        )));
    }
    Ok(())
}

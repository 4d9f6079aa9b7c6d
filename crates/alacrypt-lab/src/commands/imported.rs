//! `compare --csv FILE` and `run --import-hyperfine FILE`: analyse what others measured.

use std::path::{Path, PathBuf};

use super::outcome::{self, Wishes};
use crate::analysis::Dataset;
use crate::cli::{CompareArgs, Given, RunArgs};
use crate::error::{Error, Exit, Result};
use crate::import::{from_hyperfine, from_node_csv};

/// Analyses results of Node's compare.js.
pub(super) fn compare(args: &CompareArgs, given: &Given) -> Result<Exit> {
    if args.csv.is_empty() {
        return Err(Error::Usage(
            "compare needs two binaries (OLD NEW --bench-dir DIR) or an existing result \
             (--csv FILE); see compare --help"
                .into(),
        ));
    }
    refuse_measuring("--csv without OLD and NEW", given)?;
    let files = contents(&args.csv)?;
    let mut data = from_node_csv(&borrowed(&files), args.analysis.base.as_deref())?;
    if let Some(name) = &args.control {
        set_control(&mut data, name)?;
    }
    let wishes = Wishes {
        analysis: &args.analysis,
        select: &args.select,
        output: &args.output,
        csv: None,
    };
    outcome::finish(data, wishes, None)
}

/// Nothing is measured, so what says how to measure was meant for something else.
fn refuse_measuring(what: &str, given: &Given) -> Result<()> {
    match given.without_measuring().as_slice() {
        [] => Ok(()),
        stray => Err(Error::Usage(format!(
            "{what} analyses what was measured before; there is no use for {}",
            stray.join(", ")
        ))),
    }
}

/// Marks the arm of that name as the base's copy.
fn set_control(data: &mut Dataset, name: &str) -> Result<()> {
    let refused = |why: String| Err(Error::Usage(format!("--control {name}: {why}")));
    let Some(arm) = data.arm(name) else {
        let known: Vec<&str> = data.arms.iter().map(|arm| arm.name.as_str()).collect();
        return refused(format!("the file knows only {}", known.join(", ")));
    };
    if arm == data.base {
        return refused("this is the base itself; --base names another".into());
    }
    data.arms[arm].copy_of = Some(data.base);
    Ok(())
}

/// Analyses results of hyperfine.
pub(super) fn run(args: &RunArgs, given: &Given) -> Result<Exit> {
    refuse_measuring("--import-hyperfine", given)?;
    let files = contents(&args.import_hyperfine)?;
    let data = from_hyperfine(&borrowed(&files), args.analysis.base.as_deref())?;
    let wishes = Wishes {
        analysis: &args.analysis,
        select: &args.select,
        output: &args.output,
        csv: args.csv.as_deref(),
    };
    outcome::finish(data, wishes, None)
}

fn contents(paths: &[PathBuf]) -> Result<Vec<(&Path, Vec<u8>)>> {
    paths
        .iter()
        .map(|path| Ok((path.as_path(), outcome::read(path)?)))
        .collect()
}

fn borrowed<'a>(files: &'a [(&'a Path, Vec<u8>)]) -> Vec<(&'a Path, &'a [u8])> {
    files
        .iter()
        .map(|(path, bytes)| (*path, bytes.as_slice()))
        .collect()
}

//! `compare --csv FILE` and `run --import-hyperfine FILE`: analyse what others measured.

use std::path::{Path, PathBuf};

use super::outcome::{self, Wishes};
use crate::cli::{CompareArgs, RunArgs};
use crate::error::{Error, Exit, Result};
use crate::import::{from_hyperfine, from_node_csv};

/// Analyses results of Node's compare.js.
pub(super) fn compare(args: &CompareArgs) -> Result<Exit> {
    if args.csv.is_empty() {
        return Err(Error::Usage(
            "compare needs two binaries (OLD NEW --bench-dir DIR) or an existing result \
             (--csv FILE); see compare --help"
                .into(),
        ));
    }
    let files = contents(&args.csv)?;
    let data = from_node_csv(&borrowed(&files), args.analysis.base.as_deref())?;
    let wishes = Wishes {
        analysis: &args.analysis,
        select: &args.select,
        output: &args.output,
        csv: None,
    };
    outcome::finish(data, wishes, None)
}

/// Analyses results of hyperfine.
pub(super) fn run(args: &RunArgs) -> Result<Exit> {
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

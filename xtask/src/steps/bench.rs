//! `cargo xtask bench`: stock Node against Node with the flag, measured by `alacrypt-lab`, and
//! what it printed in `docs/BENCHMARKS.md`.

mod comparisons;
mod document;
mod in_process;
mod options;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use self::comparisons::KEPT;
use self::options::{HELP, Options};
use super::{build, lab};
use crate::failure::{Failure, Result};
use crate::runtimes::{Runtime, Runtimes};
use crate::tree::Tree;

/// Exit code of a lab session that was interrupted.
const INTERRUPTED: u8 = 130;
/// In a kept folder: the name of the runtime that it was measured on.
const LINE_FILE: &str = "line";

pub(crate) fn run(tree: &Tree, args: &[String]) -> Result<ExitCode> {
    let Some(options) = Options::parse(args)? else {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    };
    let lab = lab::build(tree)?;
    let (folder, code) = match &options.from {
        Some(folder) => (folder.canonicalize().map_err(Failure::at(folder))?, 0),
        None => measure(tree, &lab, &options)?,
    };
    if code == INTERRUPTED {
        println!(
            "bench: interrupted; what was measured is in {}",
            folder.display()
        );
    } else if options.document {
        write_document(tree, &lab, &folder)?;
    }
    Ok(ExitCode::from(code))
}

/// Measures everything into a new folder; the folder, and the first exit code that was not 0.
fn measure(tree: &Tree, lab: &Path, options: &Options) -> Result<(PathBuf, u8)> {
    build::build(tree)?;
    let runtimes = Runtimes::installed(tree)?;
    let folder = new_folder(tree, options.node)?;
    println!("bench: the measurements are kept in {}", folder.display());
    let mut first = 0;
    for comparison in comparisons::all(tree, &runtimes, options)? {
        let code = comparison.run(tree, lab, &folder)?;
        if code == INTERRUPTED {
            return Ok((folder, code));
        }
        if first == 0 {
            first = code;
        }
    }
    if let Some(words) = &options.in_process {
        in_process::run(tree, &runtimes, options.node, words, &folder)?;
    }
    Ok((folder, first))
}

fn new_folder(tree: &Tree, node: Runtime) -> Result<PathBuf> {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let folder = tree
        .target_dir()?
        .join("bench")
        .join(format!("node{}-{seconds}", node.name()));
    std::fs::create_dir_all(&folder).map_err(Failure::at(&folder))?;
    let line = folder.join(LINE_FILE);
    std::fs::write(&line, node.name()).map_err(Failure::at(&line))?;
    Ok(folder)
}

fn write_document(tree: &Tree, lab: &Path, folder: &Path) -> Result<()> {
    let document = tree.root().join("docs/BENCHMARKS.md");
    let line = folder.join(LINE_FILE);
    let line = std::fs::read_to_string(&line).map_err(Failure::at(&line))?;
    let node = Runtime::from_name(line.trim())?;
    let mut part = format!("## {}\n\n", node.title());
    for kept in KEPT {
        part.push_str(&kept.text(tree, lab, folder)?);
        part.push_str("\n\n");
    }
    let part = document::without_root(&part, tree.root());
    document::write_part(&document, &format!("node{}", node.name()), &part)?;
    if let Some(part) = in_process::text(node, folder)? {
        let part = document::without_root(&part, tree.root());
        document::write_part(&document, &format!("node{} in process", node.name()), &part)?;
    }
    println!("bench: wrote {}", document.display());
    Ok(())
}

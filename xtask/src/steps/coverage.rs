//! `cargo xtask coverage`: `docs/COVERAGE.md`, from what the built package does on each line of Node.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::failure::{Failure, Result};
use crate::process::{self, timed};
use crate::runtimes::{Runtime, Runtimes};
use crate::steps::build;
use crate::tree::Tree;

const LINES: [Runtime; 4] = [
    Runtime::Node20,
    Runtime::Node22,
    Runtime::Node24,
    Runtime::Node26,
];

pub(crate) fn run(tree: &Tree) -> Result<ExitCode> {
    let text = timed("coverage", || text(tree))?;
    let document = document(tree);
    std::fs::write(&document, text).map_err(Failure::at(&document))?;
    Ok(ExitCode::SUCCESS)
}

/// The first line in which the committed document is not what the package does, if there is one.
pub(crate) fn first_difference(tree: &Tree) -> Result<Option<String>> {
    let document = document(tree);
    let committed = std::fs::read_to_string(&document).map_err(Failure::at(&document))?;
    Ok(differing_line(&committed, &text(tree)?))
}

fn document(tree: &Tree) -> PathBuf {
    tree.root().join("docs/COVERAGE.md")
}

fn text(tree: &Tree) -> Result<String> {
    build::build(tree)?;
    let runtimes = Runtimes::installed(tree)?;
    let programs = tree.npm_package().join("coverage");
    let folder = tree.target_dir()?.join("coverage");
    std::fs::create_dir_all(&folder).map_err(Failure::at(&folder))?;
    let mut table = runtimes.command(Runtime::Node26)?;
    table.arg(programs.join("table.mjs"));
    for line in LINES {
        let mut observe = without_settings(runtimes.command(line)?);
        let observed = process::output_of(observe.arg(programs.join("observe.mjs")))?;
        let file = folder.join(format!("{}.json", line.name()));
        write(&file, &observed)?;
        table.arg(file);
    }
    process::output_of(&mut table)
}

/// What is set for other runs of Node must not show in the table.
fn without_settings(mut node: Command) -> Command {
    for name in [
        "NODE_OPTIONS",
        "ALACRYPT",
        "ALACRYPT_KEY_CACHE",
        "ALACRYPT_NATIVE",
        "ALACRYPT_STATS",
    ] {
        node.env_remove(name);
    }
    node
}

fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).map_err(Failure::at(file))
}

fn differing_line(committed: &str, made: &str) -> Option<String> {
    if committed == made {
        return None;
    }
    let (mut old, mut new) = (committed.lines(), made.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (old.next(), new.next()) {
            (None, None) => return Some("the ends of lines differ".to_owned()),
            (old, new) if old == new => {}
            (old, new) => {
                let shown = |line: Option<&str>| line.unwrap_or("(no line)").to_owned();
                return Some(format!(
                    "line {number} is\n{}\nand should be\n{}",
                    shown(old),
                    shown(new)
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::differing_line;

    #[test]
    fn equal_texts_do_not_differ() {
        assert_eq!(differing_line("a\nb\n", "a\nb\n"), None);
    }

    #[test]
    fn the_first_differing_line_is_shown_from_both() {
        let difference = differing_line("a\nb\nc\n", "a\nx\nc\n");
        assert_eq!(
            difference.as_deref(),
            Some("line 2 is\nb\nand should be\nx")
        );
        let shorter = differing_line("a\n", "a\nb\n");
        assert_eq!(
            shorter.as_deref(),
            Some("line 2 is\n(no line)\nand should be\nb")
        );
    }

    #[test]
    fn a_missing_end_of_line_is_a_difference() {
        assert!(differing_line("a", "a\n").is_some());
    }
}

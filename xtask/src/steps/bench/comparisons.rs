//! The comparisons that `alacrypt-lab` makes: their command lines, and their text afterwards.

use std::path::Path;

use super::document::fenced;
use super::options::Options;
use crate::failure::{Failure, Result};
use crate::process;
use crate::runtimes::Runtimes;
use crate::steps::lab;
use crate::tree::Tree;

const REGISTER: &str = "./npm/alacrypt/lib/register.cjs";
const EMPTY: &str = "./bench/node/fixtures/empty.mjs";
const FIRST_HASH: &str = "./bench/node/fixtures/first-hash.cjs";

/// One session of the lab: a folder of that name, and what the document says above it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    name: &'static str,
    title: &'static str,
}

const CALLS: Kept = Kept {
    name: "calls",
    title: "### Calls: `old` is stock, `new` has the flag",
};
const START_UP: Kept = Kept {
    name: "start-up",
    title: "### Start-up of an empty program",
};
const FIRST_DIGEST: Kept = Kept {
    name: "first-digest",
    title: "### Start-up and a first `createHash`",
};

/// All sessions, in the order of the document.
pub(super) const KEPT: [Kept; 3] = [CALLS, START_UP, FIRST_DIGEST];

/// A session to be measured.
pub(super) struct Comparison {
    kept: Kept,
    words: Vec<String>,
}

/// Every comparison for these options.
pub(super) fn all(tree: &Tree, runtimes: &Runtimes, options: &Options) -> Result<[Comparison; 3]> {
    let node = runtimes.binary(options.node)?;
    let node = node.strip_prefix(tree.root()).unwrap_or(&node);
    let node = node
        .to_str()
        .ok_or_else(|| Failure::new(format!("{} is no UTF-8", node.display())))?;
    let calls = [
        "compare".to_owned(),
        node.to_owned(),
        node.to_owned(),
        format!("--new-args=--import {REGISTER}"),
        "--bench-dir=bench/node".to_owned(),
        "--aa".to_owned(),
        format!("--runs={}", options.runs),
        format!("--max-time={}", options.max_time),
    ];
    let start_up = |script: &str| {
        vec![
            "run".to_owned(),
            format!("--name=stock={node} --import {EMPTY} {script}"),
            format!("--name=alacrypt={node} --import {REGISTER} {script}"),
            "--aa".to_owned(),
            format!("--runs={}", options.startup_runs),
        ]
    };
    Ok([
        Comparison {
            kept: CALLS,
            words: calls.into(),
        },
        Comparison {
            kept: START_UP,
            words: start_up("-e 0"),
        },
        Comparison {
            kept: FIRST_DIGEST,
            words: start_up(FIRST_HASH),
        },
    ])
}

impl Comparison {
    /// Measures into the folder; the lab's exit code.
    pub(super) fn run(&self, tree: &Tree, lab: &Path, folder: &Path) -> Result<u8> {
        println!("── {}", line(&self.words));
        let command = folder.join(format!("{}.command", self.kept.name));
        std::fs::write(&command, line(&self.words)).map_err(Failure::at(&command))?;
        let mut session = lab::command(tree, lab);
        session
            .args(&self.words)
            .arg("--out")
            .arg(folder.join(self.kept.name));
        let status = process::status_of(&mut session)?;
        // 2 is wrong usage: nothing was measured. The others are findings, kept with the session.
        match status.code().map(u8::try_from) {
            Some(Ok(code)) if code != 2 => Ok(code),
            _ => Err(Failure::new(format!(
                "{} ended with {status}",
                process::line(&session)
            ))),
        }
    }
}

impl Kept {
    /// What the document says of the session in this folder: the command, and the lab's Markdown.
    pub(super) fn text(self, tree: &Tree, lab: &Path, folder: &Path) -> Result<String> {
        let command = folder.join(format!("{}.command", self.name));
        let command = std::fs::read_to_string(&command).map_err(Failure::at(&command))?;
        let page = folder.join(format!("{}.md", self.name));
        let mut report = lab::command(tree, lab);
        report
            .arg("report")
            .arg(folder.join(self.name))
            .arg("--quiet")
            .arg("--md")
            .arg(&page);
        // Its exit code repeats the finding of the session; the page says it in words.
        let status = process::status_of(&mut report)?;
        let markdown = std::fs::read_to_string(&page)
            .map_err(|error| Failure::new(format!("{}: {error} ({status})", page.display())))?;
        Ok(format!(
            "{}\n\n{}\n\n{}",
            self.title,
            fenced("console", &format!("$ {command}")),
            markdown.trim()
        ))
    }
}

/// The command as a person types it.
fn line(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        if word.contains(' ') {
            match word.split_once('=') {
                Some((option, value)) => format!("{option}='{value}'"),
                None => format!("'{word}'"),
            }
        } else {
            word.clone()
        }
    });
    let words: Vec<String> = std::iter::once("alacrypt-lab".to_owned())
        .chain(quoted)
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_typed_again() {
        let words = ["run", "--name=a=node -e 0", "--aa"].map(str::to_owned);
        assert_eq!(line(&words), "alacrypt-lab run --name='a=node -e 0' --aa");
    }
}

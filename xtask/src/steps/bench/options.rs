//! The command line of `cargo xtask bench`.

use std::path::PathBuf;

use crate::failure::{Failure, Result};
use crate::runtimes::Runtime;

pub(super) const HELP: &str = "\
Usage: cargo xtask bench [OPTIONS] [-- ARGS]

Compares stock Node with Node and the flag by alacrypt-lab, on bench/node and on start-up, and
writes what it printed into docs/BENCHMARKS.md. Takes about 10 minutes.

  --runs N          rounds of the comparison (default 15); 40 or more show smaller differences
  --max-time T      plan no new round after this time: 8m (default), 2h
  --startup-runs N  rounds of the start-up comparisons (default 60)
  --node LINE       Node 26 (default), 24, 22 or 20: each has its part of the document
  --in-process      also `npm run bench -- ARGS`: Bun's own calls, the floor, the bars
  --from DIR        measure nothing: write the document from a folder that an earlier run kept
  --no-document     leave docs/BENCHMARKS.md as it is
";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) runs: u32,
    pub(super) startup_runs: u32,
    pub(super) max_time: String,
    pub(super) node: Runtime,
    /// The words for `npm run bench`, if it is to run.
    pub(super) in_process: Option<Vec<String>>,
    pub(super) from: Option<PathBuf>,
    pub(super) document: bool,
}

impl Options {
    /// `None`: the help was asked for.
    pub(super) fn parse(args: &[String]) -> Result<Option<Self>> {
        let mut options = Self {
            runs: 15,
            startup_runs: 60,
            max_time: "8m".to_owned(),
            node: Runtime::Node26,
            in_process: None,
            from: None,
            document: true,
        };
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .ok_or_else(|| Failure::new(format!("{word} needs a value")))
            };
            match word.as_str() {
                "--help" | "-h" => return Ok(None),
                "--runs" => options.runs = count(word, value()?)?,
                "--startup-runs" => options.startup_runs = count(word, value()?)?,
                "--max-time" => options.max_time = value()?.clone(),
                "--node" => options.node = node_line(value()?)?,
                "--in-process" => options.in_process = Some(Vec::new()),
                "--from" => options.from = Some(value()?.into()),
                "--no-document" => options.document = false,
                "--" => {
                    let Some(rest) = &mut options.in_process else {
                        return Err(Failure::new("words after `--` are for --in-process"));
                    };
                    rest.extend(words.by_ref().cloned());
                }
                _ => {
                    return Err(Failure::new(format!(
                        "bench has no option {word}; `cargo xtask bench --help` lists them"
                    )));
                }
            }
        }
        Ok(Some(options))
    }
}

/// Fewer than 6 rounds never give a verdict.
fn count(option: &str, word: &str) -> Result<u32> {
    match word.parse() {
        Ok(count) if count >= 6 => Ok(count),
        _ => Err(Failure::new(format!(
            "{option} needs a whole number from 6, got {word}"
        ))),
    }
}

fn node_line(name: &str) -> Result<Runtime> {
    match Runtime::from_name(name)? {
        Runtime::Bun | Runtime::Deno => Err(Failure::new(
            "bench/node runs on Node only: 20, 22, 24 or 26",
        )),
        node => Ok(node),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Option<Options>> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words)
    }

    #[test]
    fn defaults_and_every_option() -> Result<()> {
        let Some(plain) = parse("")? else {
            return Err(Failure::new("nothing asked for the help"));
        };
        assert_eq!((plain.runs, plain.node), (15, Runtime::Node26));
        assert!(plain.document && plain.in_process.is_none());
        let line = "--runs 40 --max-time 2h --startup-runs 9 --node 24 --from d --no-document \
                    --in-process -- --ms 5";
        let Some(all) = parse(line)? else {
            return Err(Failure::new("nothing asked for the help"));
        };
        let expected = Options {
            runs: 40,
            startup_runs: 9,
            max_time: "2h".to_owned(),
            node: Runtime::Node24,
            in_process: Some(vec!["--ms".to_owned(), "5".to_owned()]),
            from: Some("d".into()),
            document: false,
        };
        assert_eq!(all, expected);
        assert_eq!(parse("--runs 9 --help")?, None);
        Ok(())
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "--runs",
            "--runs 5",
            "--runs many",
            "--node bun",
            "--node 18",
            "--quick",
            "-- --ms 5",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}

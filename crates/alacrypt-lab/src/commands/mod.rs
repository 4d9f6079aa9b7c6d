//! Subcommands: each file joins arguments, measurement, analysis and output; no logic of its own.

mod imported;
mod outcome;
mod report;
mod shell;

use crate::cli::{Cli, Command};
use crate::error::{Error, Exit, Result};

/// Runs the subcommand that was asked for.
pub fn dispatch(cli: Cli) -> Result<Exit> {
    match cli.command {
        Command::Completions(args) => shell::completions(&args),
        Command::Man => shell::man(),
        Command::Compare(args) if args.old.is_none() => imported::compare(&args),
        Command::Run(args) if !args.import_hyperfine.is_empty() => imported::run(&args),
        Command::Report(args) => report::report(&args),
        Command::Compare(_) | Command::Run(_) | Command::Aa(_) | Command::Doctor(_) => {
            Err(Error::Failed("this part is not built in yet".into()))
        }
    }
}

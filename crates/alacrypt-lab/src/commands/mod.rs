//! Subcommands: each file joins arguments, measurement, analysis and output; no logic of its own.

mod doctor;
mod measuring;
mod shell;

use crate::cli::{Cli, Command};
use crate::error::{Error, Exit, Result};

/// Runs the subcommand that was asked for.
pub fn dispatch(cli: Cli) -> Result<Exit> {
    match cli.command {
        Command::Completions(args) => shell::completions(&args),
        Command::Man => shell::man(),
        Command::Compare(args) => measuring::compare(&args),
        Command::Run(args) => measuring::run(&args),
        Command::Aa(args) => measuring::aa(&args),
        Command::Doctor(args) => doctor::doctor(&args),
        Command::Report(_) => Err(Error::Failed("this part is not built in yet".into())),
    }
}

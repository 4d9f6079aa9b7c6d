//! Subcommands: each file joins arguments, measurement, analysis and output; no logic of its own.

#[cfg(target_os = "linux")]
mod doctor;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
mod imported;
#[cfg(target_os = "linux")]
mod measuring;
mod outcome;
mod report;
mod shell;

#[cfg(not(target_os = "linux"))]
use elsewhere as doctor;
#[cfg(not(target_os = "linux"))]
use elsewhere as measuring;

use crate::cli::{Cli, Command};
use crate::error::{Exit, Result};

/// Runs the subcommand that was asked for.
pub fn dispatch(cli: Cli) -> Result<Exit> {
    match cli.command {
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
        Command::Compare(args) if args.old.is_none() && args.measure.resume.is_none() => {
            imported::compare(&args)
        }
        Command::Compare(args) => measuring::compare(&args),
        Command::Run(args) if !args.import_hyperfine.is_empty() => imported::run(&args),
        Command::Run(args) => measuring::run(&args),
        Command::Aa(args) => measuring::aa(&args),
        Command::Doctor(args) => doctor::doctor(&args),
        Command::Report(args) => report::report(&args),
    }
}

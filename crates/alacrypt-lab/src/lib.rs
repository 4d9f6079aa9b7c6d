//! `alacrypt-lab` proves or refutes a speed claim about a runtime, an addon or any command.
//!
//! It is one binary; this library exists so that its parts can be tested and documented apart.
//!
//! | room | holds |
//! |---|---|
//! | [`cli`] | the command line: arguments, help, exit codes |
//! | [`commands`] | one file per subcommand: glue only |
#![forbid(unsafe_code)]

pub mod cli;
pub mod commands;
pub mod error;

use std::process::ExitCode;

/// Parses the arguments, runs the subcommand and turns its outcome into an exit code.
pub fn main() -> ExitCode {
    let cli = cli::parse();
    match commands::dispatch(cli) {
        Ok(exit) => exit.into(),
        Err(error) => {
            eprintln!("alacrypt-lab: {error}");
            error.exit().into()
        }
    }
}

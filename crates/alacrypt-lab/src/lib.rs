//! `alacrypt-lab` proves or refutes a speed claim about a runtime, an addon or any command.
//!
//! It is one binary; this library exists so that its parts can be tested and documented apart.
//!
//! | room | holds |
//! |---|---|
//! | [`cli`] | the command line: arguments, help, exit codes |
//! | [`measure`] | carries a plan out: order, shim, protocol, interrupts |
//! | [`stats`] | statistics: pure functions, no input or output, a source cited on each |
//! | [`capture`] | captured packets: from the bytes of a file to TCP segments |
//! | [`tls`] | handshakes in them, and the intervals between their moments |
//! | [`burst`] | TLS connections opened at once, and their timings |
//! | [`import`] | foreign files: both dialects of Node's benchmark CSV, hyperfine's JSON |
//! | [`session`] | saved measurements: plan, machine, runs |
//! | [`analysis`] | samples in, effects, intervals and verdict words out |
//! | [`render`] | terminal, Markdown, JSON, CSV, HTML |
//! | [`commands`] | one file per subcommand: glue only |
#![forbid(unsafe_code)]

pub mod analysis;
pub mod burst;
pub mod capture;
pub mod cli;
pub mod commands;
pub mod error;
pub mod import;
#[cfg(target_os = "linux")]
pub mod measure;
pub mod render;
pub mod session;
pub mod stats;
pub mod tls;

use std::process::ExitCode;

/// Parses the arguments, runs the subcommand and turns its outcome into an exit code.
pub fn main() -> ExitCode {
    // A run's small process must do nothing more than its work: before anything else.
    #[cfg(target_os = "linux")]
    if let Some(exit) = measure::small_process(std::env::args_os().skip(1)) {
        return exit;
    }
    let (cli, given) = cli::parse();
    match commands::dispatch(cli, &given) {
        Ok(exit) => exit.into(),
        Err(error) => {
            eprintln!("alacrypt-lab: {error}");
            error.exit().into()
        }
    }
}

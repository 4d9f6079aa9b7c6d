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
mod tls_connect;
mod tls_pcap;

#[cfg(not(target_os = "linux"))]
use elsewhere as doctor;
#[cfg(not(target_os = "linux"))]
use elsewhere as measuring;

use crate::cli::{Cli, Command, Given, TlsCommand};
use crate::error::{Exit, Result};
use std::path::Path;

/// Runs the subcommand that was asked for.
///
/// # Errors
/// What the subcommand found, or that something given would have no effect.
pub fn dispatch(cli: Cli, given: &Given) -> Result<Exit> {
    if let Some(dir) = resumed(&cli.command) {
        let stray = given.without_planning();
        if !stray.is_empty() {
            eprintln!(
                "note: {} goes on as it was planned; not looked at: {}",
                dir.display(),
                stray.join(", ")
            );
        }
    }
    match cli.command {
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
        Command::Compare(args) if args.old.is_none() && args.measure.resume.is_none() => {
            imported::compare(&args, given)
        }
        Command::Compare(args) => measuring::compare(&args),
        Command::Run(args) if !args.import_hyperfine.is_empty() => imported::run(&args, given),
        Command::Run(args) => measuring::run(&args),
        Command::Aa(args) => measuring::aa(&args),
        Command::Loop(args) => measuring::looped(&args),
        Command::Phases(args) => measuring::phases(&args),
        Command::Probe(args) => measuring::probe(&args),
        Command::Doctor(args) => doctor::doctor(&args),
        Command::Report(args) => report::report(&args),
        Command::Tls(args) => match args.source {
            TlsCommand::Pcap(args) => tls_pcap::pcap(&args),
            TlsCommand::Connect(args) => tls_connect::connect(&args),
        },
    }
}

/// The session that a subcommand goes on with.
fn resumed(command: &Command) -> Option<&Path> {
    let measure = match command {
        Command::Compare(args) => &args.measure,
        Command::Run(args) => &args.measure,
        Command::Aa(args) => &args.measure,
        Command::Loop(args) => &args.measure,
        Command::Phases(args) => &args.measure,
        Command::Probe(args) => &args.measure,
        _ => return None,
    };
    measure.resume.as_deref()
}

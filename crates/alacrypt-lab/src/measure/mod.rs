//! The measuring half: from a plan to a session folder full of runs. Linux only: it rests on
//! subreapers, `/proc`, namespaces and `signalfd`.
//!
//! | file | holds |
//! | --- | --- |
//! | [`schedule`] | the order of runs: pure, from a seed |
//! | [`setup`] | from the command line to a plan; `arms` finds the programs, `dry_run` prints it |
//! | [`copies`] | byte copies of binaries for the A/A control |
//! | [`runner`] | one run: prepare, shim, benchmark messages, lines of the log |
//! | [`benchfiles`] | which files of a benchmark folder are run |
//! | [`protocol`] | what Node-style benchmark files report, and how configurations are written |
//! | [`shim`] | the small process that starts each run and accounts for its whole tree |
//! | [`machine`] | what the machine is, and what else it does during a run |
//! | [`session_run`] | carries a plan out: interrupts, failures, resuming |
//! | [`stopping`] | when a cell has enough rounds |
//! | [`event_loop`] | one run of `loop`: a server under load, watched from within |
//! | [`phased`] | `phases`: `phase_file` reads its file, `workspace` keeps its folders |
//! | [`probed`] | `probe`: `probe_file` reads its file, `trees` builds its sources |
//! | [`progress`] | the bar on a terminal, a line every 30 s elsewhere |
//! | [`doctor`] | what this machine can decide, and why not more |

mod arms;
pub mod benchfiles;
pub mod copies;
pub mod doctor;
mod dry_run;
pub mod event_loop;
pub mod interrupt;
pub mod machine;
mod phase_file;
pub mod phased;
mod probe_file;
pub mod probed;
pub mod progress;
pub mod protocol;
pub mod random;
pub mod runner;
pub mod schedule;
pub mod session_run;
pub mod setup;
pub mod shim;
pub mod stopping;
mod trees;
pub mod words;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

/// Does the work of one of the hidden subcommands, if the first argument names one.
pub fn small_process(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let first = arguments.next()?;
    if first == shim::SUBCOMMAND {
        Some(shim::main(arguments))
    } else if first == event_loop::SUBCOMMAND {
        Some(event_loop::main(arguments))
    } else if first == doctor::WORK {
        Some(doctor::work(arguments))
    } else {
        None
    }
}

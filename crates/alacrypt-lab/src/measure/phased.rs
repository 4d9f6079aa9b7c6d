//! `phases`: from its file to a plan.

use super::arms::program_of;
use super::phase_file;
use super::session_run::Measured;
use super::setup::{Draft, go_on, measure, options};
use crate::cli::PhasesArgs;
use crate::error::{Error, Result};
use crate::session::{Arm, Cell, Kind, Metric, Options, Subject};
use std::collections::BTreeMap;

/// Default rounds: a cold install takes minutes, not milliseconds.
const ROUNDS: u32 = 5;

/// Measures subjects in phases. `None` after `--dry-run`.
///
/// # Errors
/// When the file or the arguments are wrong, or measuring cannot start.
pub fn phases(args: &PhasesArgs) -> Result<Option<Measured>> {
    if let Some(dir) = &args.measure.resume {
        return go_on(dir, &args.measure).map(Some);
    }
    let Some(file) = &args.file else {
        return Err(Error::Usage("phases needs a FILE.toml".into()));
    };
    let mut found = phase_file::read(file)?;
    found
        .phases
        .retain(|phase| args.select.accepts(&phase.name));
    if found.phases.is_empty() {
        return Err(Error::Usage("--filter and --exclude leave no phase".into()));
    }
    let names: Vec<&String> = found.phases.iter().map(|phase| &phase.name).collect();
    found.controls.retain(|control| names.contains(&control));
    let cells = found.phases.iter().map(|phase| Cell {
        bench: phase.name.clone(),
        file: None,
        metric: Metric::Wall,
    });
    let mut options = options(&args.measure)?;
    let limited =
        |expect: crate::session::Expect| expect.net_rx_max.is_some() || expect.net_rx_min.is_some();
    // What is limited must be counted, and the whole machine's traffic is not the subject's.
    if options.net.is_empty() && found.phases.iter().any(|phase| limited(phase.expect)) {
        options.net = "private".into();
    }
    let draft = Draft {
        kind: Kind::Phases,
        arms: found.subjects.iter().map(arm).collect(),
        cells: cells.collect(),
        base: args.analysis.base.clone(),
        delta: args.analysis.delta.map(|d| d.0),
        options: Options { ..options },
        load: None,
        phases: Some(found),
        probe: None,
    };
    // A warm-up would be a whole round of cold installs; each phase makes its own beginning.
    let mut measuring = args.measure.clone();
    if measuring.warmup == 1 {
        measuring.warmup = 0;
    }
    measuring.runs.get_or_insert(ROUNDS);
    measure(draft, &measuring)
}

/// The arm of a subject: its commands as one text, with the program that they start.
fn arm(subject: &Subject) -> Arm {
    let commands: Vec<String> = subject
        .cmd
        .iter()
        .map(|(name, command)| format!("{name}: {command}"))
        .collect();
    let first = subject.cmd.values().next();
    Arm {
        name: subject.name.clone(),
        argv: Vec::new(),
        shell: Some(commands.join("; ")),
        binary: first.and_then(|command| program_of(command)),
        env: BTreeMap::new(),
        copy_of: None,
    }
}

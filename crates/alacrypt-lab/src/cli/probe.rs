//! The arguments of `probe`.

use std::path::PathBuf;

use clap::Args;

use super::groups::{AnalysisArgs, MeasureArgs, OutputArgs, SelectArgs};

/// Find out which of several changes drives the effect of all of them.
///
/// The file names a command and 2 to 8 changes: variables of the environment, flags, git refs or
/// patches. The base, each change alone, all of them and all without each are measured, interleaved,
/// with an A/A control. A combination that does not apply or build is named; the others go on.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
    alacrypt-lab probe switches.toml --runs 20 --html probe.html
  All combinations, for exact shares:
    alacrypt-lab probe switches.toml --full --md -")]
pub struct ProbeArgs {
    /// The command and its changes
    #[arg(value_name = "FILE.toml", required_unless_present = "resume")]
    pub file: Option<PathBuf>,
    /// Measure all combinations of up to 4 changes
    #[arg(long)]
    pub full: bool,
    /// Which rows.
    #[command(flatten)]
    pub select: SelectArgs,
    /// How it is measured.
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// How it is judged.
    #[command(flatten)]
    pub analysis: AnalysisArgs,
    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

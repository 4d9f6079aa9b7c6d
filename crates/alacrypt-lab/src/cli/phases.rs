//! The arguments of `phases`.

use std::path::PathBuf;

use clap::Args;

use super::groups::{AnalysisArgs, MeasureArgs, OutputArgs, SelectArgs};

/// Compare programs phase by phase, each from a state of its own: cold, with a lock file, warm.
///
/// The file names subjects with their commands, and phases with what is taken away and put back
/// before each run. Each subject works in its own copy of the project, with a store of its own,
/// below the session's folder. A run that fails, or whose traffic contradicts its phase, does not
/// count; the others go on.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  Package managers on a project, from the file pm.toml with: preset = \"pm\", project.dir = \"app\":
    alacrypt-lab phases pm.toml --runs 5 --md - --html phases.html
  What it would do:
    alacrypt-lab phases pm.toml --dry-run")]
pub struct PhasesArgs {
    /// Subjects and phases
    #[arg(value_name = "FILE.toml", required_unless_present = "resume")]
    pub file: Option<PathBuf>,
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

//! What `phases` plans: subjects, phases, and what each phase begins with.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Subjects and phases of one plan; the arms are the subjects, the cells the phases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// The project that each subject gets a copy of; an empty folder when none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// The subjects, in the order of the arms.
    pub subjects: Vec<Subject>,
    /// The phases, in the order of the cells.
    pub phases: Vec<Phase>,
    /// Phases in which no difference is expected.
    #[serde(default)]
    pub controls: Vec<String>,
}

/// One thing that is compared, such as a package manager.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its commands by name, as the shell reads them; they start in the subject's own project.
    #[serde(default)]
    pub cmd: BTreeMap<String, String>,
    /// Variables of its environment; `{cache}` and `{project}` stand for its own folders.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Its lock file, within the project.
    #[serde(default)]
    pub lockfile: Option<String>,
    /// What it installs into, within the project.
    #[serde(default)]
    pub modules: Option<String>,
}

impl Subject {
    /// The command of that name; a phase may ask for `locked` of a subject that only installs.
    pub fn command(&self, name: &str) -> Option<&str> {
        let found = self.cmd.get(name);
        let found = found.or_else(|| self.cmd.get("install").filter(|_| name == "locked"));
        found.map(String::as_str)
    }
}

/// One phase: from which state which command runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// The name of the subjects' command.
    pub cmd: String,
    /// What is taken away before: `cache`, `modules`, `lock`, or a path within the project.
    #[serde(default)]
    pub wipe: Vec<String>,
    /// What is there before, from an untimed run of `install`: `lock`, `cache`.
    #[serde(default)]
    pub restore: Vec<String>,
    /// A shell command before each run, untimed, in the subject's project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare: Option<String>,
    /// What must hold for a run to count.
    #[serde(default)]
    pub expect: Expect,
}

/// Limits of a run that counts, bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expect {
    /// It received at most this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net_rx_max: Option<u64>,
    /// It received at least this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net_rx_min: Option<u64>,
}

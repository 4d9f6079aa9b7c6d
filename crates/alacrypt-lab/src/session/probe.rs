//! What `probe` plans: changes, and which of them are in each arm.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The changes of a plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Their names.
    pub changes: Vec<String>,
    /// Of each arm, by its name, the changes in it.
    pub arms: BTreeMap<String, Vec<String>>,
    /// What could not be measured, and why.
    #[serde(default)]
    pub remarks: Vec<String>,
}

//! `env.json`: the machine on which a session was measured.

use serde::{Deserialize, Serialize};

/// The machine and the settings of it that change timings. A field is absent where the system
/// does not say.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Environment {
    /// Version of the file.
    pub v: u32,
    /// Name of the machine.
    pub hostname: Option<String>,
    /// `Linux 6.1.0 x86_64`.
    pub kernel: Option<String>,
    /// Model name of the first CPU.
    pub cpu_model: Option<String>,
    /// CPUs that this process may use.
    pub cpus: Option<usize>,
    /// CPUs that are online.
    pub cpus_online: Option<usize>,
    /// Whether two of them share a core.
    pub smt_active: Option<bool>,
    /// Frequency governor of the CPUs in use.
    pub governor: Option<String>,
    /// Lowest frequency that the governor may choose, kHz.
    pub khz_min: Option<u64>,
    /// Highest frequency that the governor may choose, kHz.
    pub khz_max: Option<u64>,
    /// Whether the CPU may run faster than its nominal frequency.
    pub turbo: Option<bool>,
    /// Clock source of the kernel.
    pub clocksource: Option<String>,
    /// Transparent huge pages: `always`, `madvise`, `never`.
    pub thp: Option<String>,
    /// Memory, KiB.
    pub mem_total_kib: Option<u64>,
    /// Memory available at the start, KiB.
    pub mem_available_kib: Option<u64>,
    /// Swap in use at the start, KiB.
    pub swap_used_kib: Option<u64>,
    /// One-minute load average before the first run.
    pub load1_before: Option<f64>,
    /// Whether the CPU says that it is a virtual one.
    pub virtualized: Option<bool>,
    /// Whether it runs on battery.
    pub on_battery: Option<bool>,
    /// Scope of the network figures and, where it is not the wished one, why.
    pub net_scope: Option<String>,
    /// How the memory of a whole tree was counted, where that was asked for.
    #[serde(default)]
    pub rss_scope: Option<String>,
    /// Why the kernel's counters (task clock, migrations) could not be had.
    #[serde(default)]
    pub perf_refused: Option<String>,
    /// What is doubtful about the machine, in sentences.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl Environment {
    /// What must be equal before a session may go on here: the differences to `other`, as
    /// sentences.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let show = |v: &Option<String>| v.as_deref().unwrap_or("unknown").to_owned();
        [
            ("hostname", &self.hostname, &other.hostname),
            ("kernel", &self.kernel, &other.kernel),
            ("CPU model", &self.cpu_model, &other.cpu_model),
            ("governor", &self.governor, &other.governor),
            ("network", &self.net_kind(), &other.net_kind()),
            ("memory of a tree", &self.rss_scope, &other.rss_scope),
        ]
        .into_iter()
        .filter(|(_, a, b)| a != b)
        .map(|(name, a, b)| format!("{name} was {}, is {}", show(a), show(b)))
        .collect()
    }
}

impl Environment {
    /// The word that begins the scope of the network figures; idle rates may differ.
    fn net_kind(&self) -> Option<String> {
        let scope = self.net_scope.as_deref()?;
        scope.split(':').next().map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_timings_differs() {
        let here = Environment {
            hostname: Some("a".into()),
            ..Environment::default()
        };
        let mut later = here.clone();
        later.load1_before = Some(3.0);
        assert!(here.differences(&later).is_empty());
        later.governor = Some("powersave".into());
        assert_eq!(
            here.differences(&later),
            ["governor was unknown, is powersave"]
        );
    }
}

//! The noise gate: what the machine did besides, over the whole session. A session that shared its
//! processors with much else is not to be trusted, unless an A/A control in the same rounds shows
//! that it did no harm.

use serde::Serialize;

use super::report::ControlSummary;
use super::verdict::percent;
use super::{Dataset, Settings};

/// Above this share of CPU time taken by the hypervisor, comparisons are not trusted.
pub const STEAL_LIMIT: f64 = 0.05;
/// Above this share of CPU time used by other programs, comparisons are not trusted.
pub const OTHERS_LIMIT: f64 = 0.25;

/// What the machine did besides, and what follows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NoiseSummary {
    /// Share of the CPU time that the hypervisor took, in the worst stretch of measuring.
    pub steal_share: Option<f64>,
    /// Share that other programs used, in the worst stretch.
    pub other_cpu_share: Option<f64>,
    /// Share of the time in which something waited for a CPU, in the worst stretch.
    pub pressure_share: Option<f64>,
    /// Share of the time in which the other thread of a core was busy that runs were kept to, in
    /// the worst stretch; `None` where runs had whole cores.
    pub sibling_busy_share: Option<f64>,
    /// What is beyond its limit; empty when the gate passes.
    pub failures: Vec<String>,
    /// Why failures do not condemn the session.
    pub waived: Option<String>,
}

impl NoiseSummary {
    /// Whether the session can be trusted.
    pub fn passes(&self) -> bool {
        self.failures.is_empty() || self.waived.is_some()
    }

    /// One line for a reader.
    pub fn line(&self) -> String {
        let share = |share: Option<f64>| share.map_or("unknown".into(), percent);
        let state = match (self.failures.is_empty(), &self.waived) {
            (true, _) => "passes".to_owned(),
            (false, Some(why)) => format!("would fail, but {why}"),
            (false, None) => "FAILS".to_owned(),
        };
        let sibling = self.sibling_busy_share.map_or(String::new(), |share| {
            format!(
                ", the other thread of a core that runs used was busy in {}",
                percent(share)
            )
        });
        format!(
            "Noise gate {state}: other programs used {} of the CPU time, the hypervisor took {}, \
             something waited for a CPU in {} of the time{sibling}",
            share(self.other_cpu_share),
            share(self.steal_share),
            share(self.pressure_share)
        )
    }
}

/// Judges the stretches; `None` where nothing was watched, as in imported files.
pub(super) fn noise(
    data: &Dataset,
    control: Option<&ControlSummary>,
    settings: &Settings,
) -> Option<NoiseSummary> {
    let worst = |read: fn(&super::Stretch) -> Option<f64>| {
        data.stretches
            .iter()
            .filter_map(read)
            .max_by(f64::total_cmp)
    };
    let (steal, others) = (worst(|s| s.steal_share), worst(|s| s.other_cpu_share));
    if steal.is_none() && others.is_none() {
        return None;
    }
    let mut failures = Vec::new();
    for (share, limit, who) in [
        (others, OTHERS_LIMIT, "other programs used"),
        (steal, STEAL_LIMIT, "the hypervisor took"),
    ] {
        if let Some(share) = share.filter(|share| *share > limit) {
            failures.push(format!(
                "{who} {} of the CPU time while this was measured (limit {})",
                percent(share),
                percent(limit)
            ));
        }
    }
    let waived = if control.is_some_and(ControlSummary::passes) {
        Some("the A/A control, measured in the same rounds, passes".to_owned())
    } else if settings.allow_noise {
        Some("--allow-noise was given".to_owned())
    } else {
        None
    };
    Some(NoiseSummary {
        steal_share: steal,
        other_cpu_share: others,
        pressure_share: worst(|s| s.pressure_share),
        sibling_busy_share: worst(|s| s.sibling_busy_share),
        waived: waived.filter(|_| !failures.is_empty()),
        failures,
    })
}

//! The table of a probe, and the sentences around it.

use super::format::{interval, p_value, ratio};
use crate::analysis::{ProbeEffect, ProbeReport};

/// Head of [`probe_rows`].
pub(crate) const PROBE_HEADER: [&str; 8] = [
    "change",
    "alone",
    "95 %",
    "p",
    "in the bundle",
    "95 %",
    "p",
    "share",
];

/// A line per change, and one for the bundle; the verdict stands last.
pub(crate) fn probe_rows(probe: &ProbeReport) -> Vec<Vec<String>> {
    let effect = |effect: Option<ProbeEffect>| match effect {
        Some(found) => [
            ratio(found.ratio),
            interval(Some(found.interval95)),
            p_value(found.p),
        ],
        None => ["-", "-", "-"].map(str::to_owned),
    };
    let mut rows: Vec<Vec<String>> = probe
        .changes
        .iter()
        .map(|change| {
            let share = change.share.map_or("-".into(), |share| {
                let ends = change.share95.map_or(String::new(), |[low, high]| {
                    format!(" [{:.0}, {:.0}]", low * 100.0, high * 100.0)
                });
                format!("{:.0} %{ends}", share * 100.0)
            });
            let mut row = vec![format!("{} ({})", change.name, change.verdict)];
            row.extend(effect(change.alone));
            row.extend(effect(change.in_bundle));
            row.push(share);
            row
        })
        .collect();
    let mut bundle = vec!["all of them".to_owned()];
    bundle.extend(effect(probe.bundle));
    rows.push(bundle);
    rows
}

/// What the figures are, and what is missing.
pub(crate) fn probe_remarks(probe: &ProbeReport) -> Vec<String> {
    let mut lines = vec![format!(
        "ratios of time, below 1 is faster; p corrected by Holm over all effects; share of the log \
         effect by {}",
        if probe.exact {
            "Shapley over all combinations"
        } else {
            "the mean of alone and in the bundle (approximate; --full is exact)"
        }
    )];
    if let Some((found, ends)) = probe.interaction {
        lines.push(format!(
            "together against the product of each alone: {} {}",
            ratio(found),
            interval(ends)
        ));
    }
    lines.extend(probe.remarks.iter().cloned());
    lines
}

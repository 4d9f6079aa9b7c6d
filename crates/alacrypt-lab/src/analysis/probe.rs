//! What drives a bundle of changes: effects, shares and a sentence.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Dataset;
use crate::stats::paired::LogEffect;
use crate::stats::probe::{ChangeEffect, SetRuns, shares};

/// A change that brings at least this share of the bundle drives it.
const DRIVER: f64 = 0.25;
const ALPHA: f64 = 0.05;

/// An effect as a ratios: below 1 is faster.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ProbeEffect {
    /// New over old.
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval95: [f64; 2],
    /// p-value, corrected for all effects of the probe.
    pub p: f64,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProbeChange {
    /// Its name.
    pub name: String,
    /// The base with it against the base.
    pub alone: Option<ProbeEffect>,
    /// The bundle against the bundle without it.
    pub in_bundle: Option<ProbeEffect>,
    /// Its part of the bundle's effect, on the log scale.
    pub value_log: Option<f64>,
    /// That part as a share, 1 for all of it.
    pub share: Option<f64>,
    /// 95 % interval of the share, with the bundle's effect taken as it was found.
    pub share95: Option<[f64; 2]>,
    /// What it is, in words.
    pub verdict: &'static str,
}

/// What drives the bundle.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProbeReport {
    /// The answer in one sentence.
    pub sentence: String,
    /// The changes.
    pub changes: Vec<ProbeChange>,
    /// All of them against the base.
    pub bundle: Option<ProbeEffect>,
    /// What the bundle does beyond the product of each alone, as a ratio, with its 95 % interval.
    pub interaction: Option<(f64, Option<[f64; 2]>)>,
    /// Whether the shares rest on all combinations.
    pub exact: bool,
    /// What could not be measured, and why.
    pub remarks: Vec<String>,
}

/// Judges the probe in the data, if there is one.
pub(super) fn probe(data: &Dataset, delta: f64) -> Option<ProbeReport> {
    let plan = data.probe.as_ref()?;
    let row = data.rows.first()?;
    let bit = |name: &String| plan.changes.iter().position(|change| change == name);
    let mut runs: BTreeMap<u32, SetRuns> = BTreeMap::new();
    for (index, arm) in data.arms.iter().enumerate() {
        let Some(inside) = plan.arms.get(&arm.name) else {
            continue;
        };
        let set = inside.iter().filter_map(bit).fold(0, |set, i| set | 1 << i);
        for sample in row.of(index) {
            let Some(round) = sample.round else { continue };
            // Rounds of several machines are rounds of their own.
            let machine = u32::try_from(sample.machine).unwrap_or(0);
            let key = machine.saturating_mul(1_000_000).saturating_add(round);
            runs.entry(set)
                .or_default()
                .insert(key, (sample.value, sample.slot));
        }
    }
    let found = shares(&runs, plan.changes.len());
    let told = |effect: Option<LogEffect>, p: Option<f64>| {
        effect.zip(p).map(|(effect, p)| ProbeEffect {
            ratio: effect.ratio(),
            interval95: effect.ratio_interval(0.95),
            p,
        })
    };
    let change = |(name, effect): (&String, &ChangeEffect)| {
        let alone = told(effect.alone, effect.p[0]);
        let in_bundle = told(effect.removal, effect.p[1]);
        ProbeChange {
            name: name.clone(),
            alone,
            in_bundle,
            value_log: effect.value.map(|(value, _)| value),
            share: effect.share.map(|(share, _)| share),
            share95: effect.share.and_then(|(_, ends)| ends),
            verdict: word(
                alone,
                in_bundle,
                effect.share.map(|(share, _)| share),
                delta,
            ),
        }
    };
    let changes: Vec<ProbeChange> = plan
        .changes
        .iter()
        .zip(&found.changes)
        .map(change)
        .collect();
    let bundle = found
        .bundle
        .and_then(|(effect, p)| told(Some(effect), Some(p)));
    let to_ratio =
        |(log, ends): (f64, Option<[f64; 2]>)| (log.exp(), ends.map(|ends| ends.map(f64::exp)));
    Some(ProbeReport {
        sentence: sentence(&changes, bundle),
        changes,
        bundle,
        interaction: found.interaction.map(to_ratio),
        exact: found.exact,
        remarks: plan.remarks.clone(),
    })
}

fn word(
    alone: Option<ProbeEffect>,
    in_bundle: Option<ProbeEffect>,
    share: Option<f64>,
    delta: f64,
) -> &'static str {
    let (Some(alone), Some(in_bundle)) = (alone, in_bundle) else {
        return "not measured on its own";
    };
    let small = |effect: ProbeEffect| {
        let [low, high] = effect.interval95;
        low > 1.0 / (1.0 + delta) && high < 1.0 + delta
    };
    match (alone.p < ALPHA, in_bundle.p < ALPHA) {
        (true, true) if (alone.ratio < 1.0) != (in_bundle.ratio < 1.0) => "works both ways",
        (true, true) if share.is_some_and(|share| share < 0.0) => "works against the bundle",
        (true, true) if share.is_some_and(|share| share >= DRIVER) => "driver",
        (true, true) => "contributes",
        (false, true) if share.is_some_and(|share| share < 0.0) => "hurts with others",
        (false, true) => "helps only with others",
        (true, false) => "redundant",
        (false, false) if small(alone) && small(in_bundle) => "no effect within δ",
        (false, false) => "cannot tell",
    }
}

fn sentence(changes: &[ProbeChange], bundle: Option<ProbeEffect>) -> String {
    let Some(bundle) = bundle else {
        return "The bundle could not be measured, so nothing can be shared out.".into();
    };
    let whole = format!("{:+.1} %", (bundle.ratio - 1.0) * 100.0).replace('-', "−");
    if bundle.p >= ALPHA {
        return format!(
            "The bundle shows no certain effect ({whole}), so there is nothing to share out."
        );
    }
    let mut order: Vec<&ProbeChange> = changes.iter().collect();
    let size = |change: &ProbeChange| change.share.unwrap_or(0.0);
    order.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let mut carried = false;
    let parts: Vec<String> = order
        .iter()
        .map(|change| {
            let share = change
                .share
                .map(|share| format!("{:.0} %", share * 100.0).replace('-', "−"));
            match (change.verdict, share) {
                ("driver" | "contributes", Some(share)) if !carried => {
                    carried = true;
                    format!("{} carries {share} of {whole}", change.name)
                }
                ("driver" | "contributes", Some(share)) => format!("{} {share}", change.name),
                (word, Some(share)) if !word.starts_with("no effect") => {
                    format!("{}: {word} ({share})", change.name)
                }
                (word, _) => format!("{}: {word}", change.name),
            }
        })
        .collect();
    if carried {
        format!("{}.", parts.join("; "))
    } else {
        format!("The bundle makes {whole}; {}.", parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_follow_from_both_effects() {
        let effect = |ratio: f64, p: f64| {
            let interval95 = [ratio * 0.995, ratio * 1.005];
            Some(ProbeEffect {
                ratio,
                interval95,
                p,
            })
        };
        let (yes, no) = (effect(0.5, 0.001), effect(1.0, 0.6));
        for (alone, in_bundle, share, expected) in [
            (yes, yes, 0.9, "driver"),
            (yes, yes, 0.1, "contributes"),
            (no, yes, 0.1, "helps only with others"),
            (yes, no, 0.2, "redundant"),
            (no, no, 0.0, "no effect within δ"),
            (effect(0.9, 0.2), no, 0.1, "cannot tell"),
            (effect(1.2, 0.01), yes, 0.1, "works both ways"),
            (None, yes, 0.1, "not measured on its own"),
        ] {
            assert_eq!(word(alone, in_bundle, Some(share), 0.02), expected);
        }
    }
}

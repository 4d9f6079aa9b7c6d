//! What is said of the data as a whole: geometric mean, warnings, the control's line.

use super::effect::Pair;
use super::report::{ControlSummary, GeometricRow, Row};
use super::verdict::percent;
use super::{Dataset, Origin, RowData};
use crate::stats::geometric::{LogRatio, geometric_mean};
use std::collections::BTreeMap;

/// The rule's name in `events.jsonl` when the time limit ended a benchmark.
const MAX_TIME: &str = "max-time";

/// Only rows with a known spread: one run says nothing about its own noise, and a row without
/// noise would make the interval of this set look sharper than it is.
pub(super) fn geometric(data: &Dataset, rows: &[Row]) -> Vec<GeometricRow> {
    // Latencies, delays and times per operation have no common mean.
    // Neither have phases.
    if matches!(data.origin, Origin::Loop | Origin::Phases) {
        return Vec::new();
    }
    (0..data.arms.len())
        .filter_map(|arm| {
            let list: Vec<LogRatio> = rows
                .iter()
                .filter(|row| row.arm == arm)
                .filter_map(|row| row.effect.as_ref())
                .map(|effect| LogRatio {
                    estimate: effect.ratio.ln(),
                    variance: Some(effect.log_se.powi(2)),
                    df: effect.df,
                })
                .collect();
            let mean = geometric_mean(&list).filter(|mean| mean.rows >= 2)?;
            Some(GeometricRow {
                arm_name: data.arms[arm].name.clone(),
                ratio: mean.ratio,
                this_set95: mean.this_set,
                across95: mean.across,
                rows: mean.rows,
            })
        })
        .collect()
}

pub(super) fn warnings(data: &Dataset, rows: &[Row], pairs: &[Pair], delta: f64) -> Vec<String> {
    let mut list = data.warnings.clone();
    if !data.finished {
        list.push("the session is not complete: these are the runs so far".into());
    }
    if data
        .rows
        .iter()
        .all(|row| row.samples.is_empty() && row.summaries.is_empty())
    {
        list.push("nothing was measured: there is no figure to judge".into());
    }
    if !data.failures.is_empty() {
        list.push(format!(
            "{} gave no value and {} in no figure (listed below)",
            if data.failures.len() == 1 {
                "1 run".to_owned()
            } else {
                format!("{} runs", data.failures.len())
            },
            if data.failures.len() == 1 {
                "is"
            } else {
                "are"
            }
        ));
    }
    let several = |arm: usize, row: &RowData| row.of(arm).take(2).count() > 1;
    let imported = matches!(data.origin, Origin::NodeCsv | Origin::Hyperfine);
    if imported {
        let mut blocked = 0;
        let mut fixed = 0;
        for (row, pair) in rows.iter().zip(pairs) {
            let source = &data.rows[row.row];
            if !(several(data.base, source) && several(row.arm, source)) {
                continue;
            }
            if !pair.has_rounds() {
                blocked += 1;
            } else if !pair.both_orders() {
                fixed += 1;
            }
        }
        if blocked > 0 {
            list.push(format!(
                "blocked order in {blocked} of {} comparisons: all runs of one side before the \
                 other's, so a drift of the machine looks like a change",
                rows.len()
            ));
        }
        if fixed > 0 {
            list.push(format!(
                "fixed order in {fixed} of {} comparisons: the same side always ran first, so an \
                 effect of the place cannot be told from the change",
                rows.len()
            ));
        }
    }
    let moved = |row: &&Row| {
        let control = data.controls.contains(&row.name);
        control && row.p_corrected.is_some_and(|p| p < 0.05)
    };
    for row in rows.iter().filter(moved) {
        list.push(format!(
            "the control phase {} moved for {}: something besides what the phases tell apart \
             differs, so read the other phases with that in mind",
            row.name, row.arm_name
        ));
    }
    let position = rows
        .iter()
        .filter(|row| notable_position(row, delta))
        .count();
    if position > 0 {
        list.push(format!(
            "running second in a round matters in {position} of {} comparisons; the verdicts are \
             corrected for it",
            rows.len()
        ));
    }
    let machines = rows
        .iter()
        .filter(|row| {
            row.effect
                .as_ref()
                .and_then(|e| e.machines_p)
                .is_some_and(|p| p < 0.01)
        })
        .count();
    if machines > 0 {
        list.push(format!(
            "the machines disagree about the effect in {machines} of {} comparisons",
            rows.len()
        ));
    }
    list.extend(stopped_early(data));
    list.extend(out_of_time(data, rows));
    list
}

/// Which rule ended how many benchmarks, and at which look.
fn stopped_early(data: &Dataset) -> Vec<String> {
    let mut rules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (bench, rule) in data.stopped.iter().filter(|(_, rule)| rule != MAX_TIME) {
        rules.entry(rule).or_default().push(bench);
    }
    let told = rules.iter().map(|(rule, benches)| {
        let which = match benches.as_slice() {
            [one] => format!("{one} was"),
            [one, other] => format!("{one} and {other} were"),
            many => format!("{} benchmarks were", many.len()),
        };
        let caution = if rule.contains("decided") {
            ": the effect is likely a little large"
        } else {
            ""
        };
        format!("{which} ended early, {rule}{caution}")
    });
    told.collect()
}

/// A time limit must not pass for the planned number of rounds.
fn out_of_time(data: &Dataset, rows: &[Row]) -> Option<String> {
    let stopped = data.stopped.iter().filter(|(_, rule)| rule == MAX_TIME);
    let stopped = stopped.count();
    let fewest = rows.iter().map(|row| row.old.n.min(row.new.n)).min()?;
    let most = rows.iter().map(|row| row.old.n.max(row.new.n)).max()?;
    let rounds = if fewest == most {
        format!("{most} rounds")
    } else {
        format!("{fewest} to {most} rounds")
    };
    let planned = data.plan.iter().find(|(name, _)| name == "rounds");
    let planned = planned.map_or(String::new(), |(_, count)| format!(" of {count}"));
    (stopped > 0).then(|| {
        format!(
            "the time limit ended {stopped} benchmark{} early: rows have {rounds}{planned}",
            if stopped == 1 { "" } else { "s" }
        )
    })
}

/// Whether the effect of the position is worth a word: certain, or as large as half of δ.
pub(crate) fn notable_position(row: &Row, delta: f64) -> bool {
    let position = row.effect.as_ref().and_then(|effect| effect.position);
    position.is_some_and(|position| {
        position.p < 0.01 || (position.p < 0.05 && position.ratio.ln().abs() > delta / 2.0)
    })
}

/// The line that says what the control found.
pub(crate) fn control_line(control: &ControlSummary) -> String {
    let state = if control.passes() { "passes" } else { "FAILS" };
    let able = control
        .detectable
        .map(|share| {
            format!(
                "; differences from about {} on show in 4 of 5 such sessions",
                percent(share)
            )
        })
        .unwrap_or_default();
    format!(
        "A/A control {state}: {} row{}, {} with p < .05 (chance explains up to {}); identical code \
         differs by up to {}{able}",
        control.rows,
        if control.rows == 1 { "" } else { "s" },
        control.small,
        if control.rows == 1 {
            1
        } else {
            control.small_limit
        },
        percent(control.floor),
    )
}

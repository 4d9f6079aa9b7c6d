//! Servers under load: a table for each crypto load, one line per arm.

use super::format::{percent, rate};
use crate::analysis::Dataset;
use crate::session::{LoadFigures, LoopDelay, Percentiles};
use crate::stats::summary;

/// Head of [`load_tables`].
pub(crate) const LOAD_HEADER: [&str; 15] = [
    "ms",
    "p50",
    "p90",
    "p99",
    "p99.9",
    "max",
    "service p99",
    "delay p50",
    "p99",
    "max",
    "blocked",
    "crypto",
    "ELU",
    "send error p99",
    "no answer",
];

/// Milliseconds with three or four digits.
fn ms(seconds: f64) -> String {
    let ms = seconds * 1e3;
    match ms {
        ms if ms >= 100.0 => format!("{ms:.0}"),
        ms if ms >= 10.0 => format!("{ms:.1}"),
        ms if ms >= 1.0 => format!("{ms:.2}"),
        ms => format!("{ms:.3}"),
    }
}

/// The median over the rounds of a figure that every run has. Where some run has none, none.
fn typical(runs: &[&LoadFigures], of: impl Fn(&LoadFigures) -> Option<f64>) -> Option<f64> {
    let values: Option<Vec<f64>> = runs.iter().map(|run| of(run)).collect();
    values
        .filter(|values| !values.is_empty())
        .map(|values| summary::median(&values))
}

/// For each crypto load its name and a row per arm: medians over the rounds.
pub(crate) fn load_tables(data: &Dataset) -> Vec<(String, Vec<Vec<String>>)> {
    let mut cells: Vec<&str> = Vec::new();
    for run in &data.loads {
        if !cells.contains(&run.cell.as_str()) {
            cells.push(&run.cell);
        }
    }
    let table = |cell: &&str| {
        let rows = data.arms.iter().enumerate().filter_map(|(arm, info)| {
            let of_arm = data
                .loads
                .iter()
                .filter(|run| run.arm == arm && run.cell == *cell);
            let runs: Vec<&LoadFigures> = of_arm.map(|run| &run.figures).collect();
            (!runs.is_empty()).then(|| row(&info.name, &runs))
        });
        ((*cell).to_owned(), rows.collect())
    };
    cells.iter().map(table).collect()
}

fn row(name: &str, runs: &[&LoadFigures]) -> Vec<String> {
    let time = |of: &dyn Fn(&LoadFigures) -> Option<f64>| typical(runs, of).map_or("-".into(), ms);
    let latency = |of: fn(&Percentiles) -> Option<f64>| time(&move |run| of(&run.latency));
    let delay = |of: fn(&LoopDelay) -> Option<f64>| {
        time(&move |run: &LoadFigures| run.delay.as_ref().and_then(of))
    };
    let share =
        |of: &dyn Fn(&LoadFigures) -> Option<f64>| typical(runs, of).map_or("-".into(), percent);
    let lost: u64 = runs.iter().map(|run| run.failed + run.timed_out).sum();
    let crypto = typical(runs, |run| {
        run.crypto.as_ref().map(|crypto| crypto.per_second)
    });
    vec![
        name.to_owned(),
        latency(|p| p.p50),
        latency(|p| p.p90),
        latency(|p| p.p99),
        latency(|p| p.p999),
        latency(|p| p.max),
        time(&|run| run.service.p99),
        delay(|d| d.filled.p50),
        delay(|d| d.filled.p99),
        delay(|d| d.filled.max),
        share(&|run| run.delay.as_ref().map(|delay| delay.blocked_share)),
        crypto.map_or("-".into(), rate),
        share(&|run| run.utilization),
        time(&|run| run.send_error.p99),
        lost.to_string(),
    ]
}

/// What the tables' figures are, and what is doubtful about them.
pub(crate) fn load_remarks(data: &Dataset) -> Vec<String> {
    let Some(first) = data.loads.first() else {
        return Vec::new();
    };
    let mut lines = vec![format!(
        "{} requests/s, {} in each run; latency from the intended moment of sending, service from \
         the actual one; delay of a timer of 1 ms beyond its period, lost samples filled in; \
         medians over the rounds",
        first.figures.rate, first.figures.requests
    )];
    let late = data
        .loads
        .iter()
        .filter_map(|run| run.figures.send_error.p99);
    let late = late.fold(0.0, f64::max);
    if late > 1e-3 {
        lines.push(format!(
            "warning: the generator itself was late by up to {} ms (p99 of a run), which is in \
             every latency; give it a processor of its own (--cpu for the server)",
            ms(late)
        ));
    }
    let enough = first.figures.requests >= 3700;
    if !enough {
        lines.push(
            "note: a bound of p99.9 takes 3700 requests in a run; it is shown and not compared"
                .into(),
        );
    }
    lines
}

//! `--dry-run`: the plan in words; nothing is run.

use super::progress::duration;
use crate::session::Plan;
use crate::stats::power::{POWER, detectable};
use std::ops::RangeInclusive;
use std::time::Duration;

/// `--dry-run`: what would be run, and what it could show.
pub(super) fn print(plan: &Plan, by_time: Option<RangeInclusive<u32>>) {
    let runs = plan.schedule.len() * plan.arms.len();
    println!("arms:");
    for arm in &plan.arms {
        let what = arm.shell.clone().unwrap_or_else(|| arm.argv.join(" "));
        let version = arm
            .binary
            .as_ref()
            .and_then(|b| b.version.as_deref())
            .unwrap_or("-");
        let copy = arm
            .copy_of
            .as_ref()
            .map_or(String::new(), |of| format!(" (copy of {of})"));
        println!("  {}{copy}: {what} [{version}]", arm.name);
    }
    println!("benchmarks: {}", plan.cells.len());
    for cell in &plan.cells {
        println!("  {}", cell.bench);
    }
    if let Some(range) = &by_time {
        println!(
            "rounds: as many as take about 3 s per command, {} to {}; the warm-up decides",
            range.start(),
            range.end()
        );
    } else {
        println!(
            "rounds: {} and {} for warm-up; {runs} runs",
            plan.rounds, plan.warmup_rounds
        );
    }
    println!(
        "order: {:?}, seed {}, plan {}",
        plan.order, plan.seed, plan.id
    );
    if by_time.is_none() {
        println!(
            "time: {runs} times one run; at 1 s each that is {}",
            duration(Duration::from_secs(runs as u64))
        );
    }
    println!("smallest difference shown in 4 of 5 such sessions, by the spread of single runs:");
    let rounds = by_time.map_or(vec![plan.rounds], |range| {
        vec![*range.start(), *range.end()]
    });
    for n in rounds {
        let cells: Vec<String> = [0.5, 1.0, 2.0, 5.0]
            .iter()
            .map(|cv| {
                format!(
                    "{cv} % → {:.2} %",
                    detectable(f64::from(n), *cv, 0.05, POWER)
                )
            })
            .collect();
        println!("  {n} rounds: {}", cells.join(", "));
    }
}

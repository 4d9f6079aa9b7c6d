//! When a cell has enough rounds.
//!
//! Stopping as soon as a difference looks significant finds differences between identical code in
//! a quarter of all comparisons. Two rules do not: stopping on the width of the interval, which
//! does not look at the effect, and looking at four planned moments with limits made for that
//! ([`crate::stats::sequential`]).

use crate::session::{Arm, Metric, Run, Until};
use crate::stats::paired::{LogEffect, Round, crossover, paired};
use crate::stats::sequential::{LOOKS, nominal_p};
use std::collections::BTreeMap;

/// Value and slot of each arm in one round of one row.
type RoundOfRow = Vec<Option<(f64, u32)>>;

/// What has been measured in one cell.
#[derive(Debug, Clone, Default)]
pub struct CellSamples {
    rows: BTreeMap<String, BTreeMap<u32, RoundOfRow>>,
}

/// The row whose ratio is known worst.
#[derive(Debug, Clone, PartialEq)]
pub struct Widest {
    /// Its configuration; empty for a cell without.
    pub config: String,
    /// Estimated ratio to the base.
    pub ratio: f64,
    /// Half of its 95 % interval.
    pub half_width: f64,
}

impl CellSamples {
    /// Takes in the lines of one run.
    pub fn add(&mut self, metric: Metric, arms: &[Arm], lines: &[Run]) {
        for run in lines.iter().filter(|run| run.fail.is_none() && !run.warm) {
            let value = run.value(metric);
            let arm = arms.iter().position(|arm| arm.name == run.arm);
            if let Some((value, arm)) = value.zip(arm) {
                let row = self
                    .rows
                    .entry(run.config.clone().unwrap_or_default())
                    .or_default();
                row.entry(run.round)
                    .or_insert_with(|| vec![None; arms.len()])[arm] = Some((value, run.slot));
            }
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Effect of each compared arm in each row; `None` where there is too little for one.
    fn effects(&self, base: usize, compared: &[usize]) -> Vec<(&str, Option<LogEffect>)> {
        let mut effects = Vec::new();
        for (config, rounds) in &self.rows {
            for &arm in compared {
                let pairs: Vec<Round> = rounds
                    .values()
                    .filter_map(|round| {
                        let (old, old_slot) = round[base]?;
                        let (new, new_slot) = round[arm]?;
                        Round::of(old, new, old_slot < new_slot)
                    })
                    .collect();
                let effect = if pairs.len() >= 6 {
                    crossover(&pairs)
                        .map(|fit| fit.subject)
                        .or_else(|| paired(&pairs))
                } else {
                    paired(&pairs)
                };
                effects.push((config.as_str(), effect));
            }
        }
        effects
    }

    /// The row that is known worst, for the progress line.
    pub fn widest(&self, base: usize, compared: &[usize]) -> Option<Widest> {
        let rows = self
            .effects(base, compared)
            .into_iter()
            .filter_map(|(config, effect)| {
                let effect = effect?;
                let [low, high] = effect.ratio_interval(0.95);
                Some(Widest {
                    config: config.into(),
                    ratio: effect.ratio(),
                    half_width: (high - low) / 2.0,
                })
            });
        rows.max_by(|a, b| a.half_width.total_cmp(&b.half_width))
    }
}

/// What a rule needs to know besides the samples of the cell.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The rule.
    pub until: Until,
    /// Smallest difference that matters.
    pub delta: f64,
    /// Planned rounds.
    pub planned: u32,
    /// No stop before this round.
    pub min_rounds: u32,
    /// Index of the base.
    pub base: usize,
    /// Indices of the arms that are compared with it; no A/A copies.
    pub compared: Vec<usize>,
    /// Rows times compared arms of the whole session: what α is divided by.
    pub tests: usize,
}

impl Rule {
    /// Why the cell may stop after `done` rounds, or `None`.
    pub fn stop(&self, done: u32, samples: &CellSamples) -> Option<String> {
        if done >= self.planned || done < self.min_rounds || samples.rows() == 0 {
            return None;
        }
        match self.until {
            Until::Fixed => None,
            Until::Width { width } => {
                if done < 10 || !done.is_multiple_of(5) {
                    return None;
                }
                let narrow =
                    samples
                        .effects(self.base, &self.compared)
                        .iter()
                        .all(|(_, effect)| {
                            effect.is_some_and(|effect| {
                                let [low, high] = effect.ratio_interval(0.95);
                                (high - low) / 2.0 <= width
                            })
                        });
                narrow.then(|| format!("width: the 95 % interval is within ±{} %", width * 100.0))
            }
            Until::Decided => {
                let look = LOOKS
                    .iter()
                    .position(|share| done == (share * f64::from(self.planned)).ceil() as u32)?;
                let alpha = 0.05 / self.tests.max(1) as f64;
                let limit = nominal_p(&LOOKS, alpha)[look];
                let inside = |effect: &LogEffect| {
                    let [low, high] = effect.ratio_interval(0.90);
                    low > 1.0 - self.delta && high < 1.0 + self.delta
                };
                let effects = samples.effects(self.base, &self.compared);
                let decided = effects.iter().all(|(_, effect)| {
                    effect.as_ref().is_some_and(|e| e.p() <= limit || inside(e))
                });
                decided.then(|| format!("decided at look {} of {}", look + 1, LOOKS.len()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arms() -> Vec<Arm> {
        ["old", "new"]
            .map(|name| Arm {
                name: name.into(),
                argv: Vec::new(),
                shell: None,
                binary: None,
                env: BTreeMap::new(),
                copy_of: None,
            })
            .into()
    }

    /// `rounds` rounds with a true ratio and a fixed saw-tooth of the given size.
    fn samples(rounds: u32, ratio: f64, noise: f64) -> CellSamples {
        let mut samples = CellSamples::default();
        for round in 1..=rounds {
            let saw = [0.0, 1.0, -1.0, 0.5, -0.5][round as usize % 5] * noise;
            let line = |arm: &str, slot, rate| Run {
                round,
                slot,
                arm: arm.into(),
                config: Some("n=1".into()),
                rate: Some(rate),
                ..Run::default()
            };
            let new_first = round % 2;
            let lines = [
                line("old", new_first, 1000.0),
                line("new", 1 - new_first, 1000.0 * ratio * (1.0 + saw)),
            ];
            samples.add(Metric::Rate, &arms(), &lines);
        }
        samples
    }

    fn rule(until: Until) -> Rule {
        Rule {
            until,
            delta: 0.01,
            planned: 40,
            min_rounds: 6,
            base: 0,
            compared: vec![1],
            tests: 1,
        }
    }

    #[test]
    fn width_looks_at_every_fifth_round_from_the_tenth_and_not_at_the_effect() {
        let until = Until::Width { width: 0.01 };
        for ratio in [1.0, 1.5] {
            let quiet = |n| rule(until).stop(n, &samples(n, ratio, 0.001));
            assert!(quiet(5).is_none() && quiet(11).is_none());
            assert!(quiet(10).is_some_and(|why| why.contains("width")));
        }
        assert_eq!(rule(until).stop(10, &samples(10, 1.0, 0.2)), None);
    }

    #[test]
    fn decided_looks_at_quarters_only() {
        let clear = |n| rule(Until::Decided).stop(n, &samples(n, 1.3, 0.01));
        assert_eq!(clear(9), None);
        assert!(clear(10).is_some_and(|why| why.contains("look 1 of 4")));
        assert_eq!(clear(40), None, "the last look is the planned end");
        // No difference within δ also is a decision; a wide interval around 1 is not.
        assert!(
            rule(Until::Decided)
                .stop(20, &samples(20, 1.0, 0.001))
                .is_some()
        );
        assert_eq!(rule(Until::Decided).stop(20, &samples(20, 1.0, 0.1)), None);
    }

    #[test]
    fn more_tests_need_more_evidence() {
        // p = 2e-5 or so: below the first limit for one test, above it for a thousand.
        let many = Rule {
            tests: 1000,
            ..rule(Until::Decided)
        };
        let weak = samples(10, 1.05, 0.018);
        assert!(rule(Until::Decided).stop(10, &weak).is_some());
        assert_eq!(many.stop(10, &weak), None);
    }

    #[test]
    fn nothing_stops_before_the_minimum_or_without_samples() {
        let late = Rule {
            min_rounds: 20,
            ..rule(Until::Width { width: 0.5 })
        };
        assert_eq!(late.stop(15, &samples(15, 1.0, 0.001)), None);
        assert_eq!(rule(Until::Decided).stop(10, &CellSamples::default()), None);
    }

    #[test]
    fn failed_and_warm_up_runs_are_no_samples() {
        let mut samples = CellSamples::default();
        let line = |fail: Option<&str>, warm| Run {
            arm: "old".into(),
            rate: Some(1.0),
            fail: fail.map(str::to_owned),
            warm,
            ..Run::default()
        };
        samples.add(
            Metric::Rate,
            &arms(),
            &[line(Some("x"), false), line(None, true)],
        );
        assert_eq!(samples.rows(), 0);
    }
}

//! Which of several changes drives the effect of all of them together.
//!
//! A set of changes is a bit mask: bit i is change i, 0 is the base, all bits are the bundle.

use std::collections::BTreeMap;

use super::distribution::{t_quantile, t_two_sided};
use super::multiple::holm;
use super::paired::{LogEffect, Round, crossover, paired};
use super::summary;

/// Values of one set by round, each with its place in the order of time.
pub type SetRuns = BTreeMap<u32, (f64, u32)>;

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeEffect {
    /// The base with it against the base.
    pub alone: Option<LogEffect>,
    /// The bundle against the bundle without it.
    pub removal: Option<LogEffect>,
    /// Corrected p-values of the two.
    pub p: [Option<f64>; 2],
    /// Its Shapley value on the log scale with a 95 % interval.
    pub value: Option<(f64, Option<[f64; 2]>)>,
    /// That value as a share of the bundle's, likewise.
    pub share: Option<(f64, Option<[f64; 2]>)>,
}

/// One term of the full factorial model.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The changes in it.
    pub set: u32,
    /// Estimate on the log scale.
    pub estimate: f64,
    /// Its standard error.
    pub se: f64,
    /// p-value of "none".
    pub p: f64,
}

/// What the sets say together.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    /// The changes, in the order of the bits.
    pub changes: Vec<ChangeEffect>,
    /// All changes against none, with its corrected p-value.
    pub bundle: Option<(LogEffect, f64)>,
    /// The bundle's log effect less the sum of those alone, with a 95 % interval.
    pub interaction: Option<(f64, Option<[f64; 2]>)>,
    /// Whether the values rest on all combinations; else on alone and removal only.
    pub exact: bool,
    /// The full factorial model, where all combinations ran.
    pub terms: Vec<Term>,
}

fn effect(runs: &BTreeMap<u32, SetRuns>, old: u32, new: u32) -> Option<LogEffect> {
    let (old, new) = (runs.get(&old)?, runs.get(&new)?);
    let rounds: Vec<Round> = old
        .iter()
        .filter_map(|(round, (was, slot))| {
            let (is, later) = new.get(round)?;
            Round::of(*was, *is, slot < later)
        })
        .collect();
    let found = crossover(&rounds).filter(|_| rounds.len() >= 6);
    found.map(|found| found.subject).or_else(|| paired(&rounds))
}

/// Mean and 95 % interval of per-round values.
fn mean_interval(values: &[f64]) -> Option<(f64, Option<[f64; 2]>)> {
    if values.is_empty() {
        return None;
    }
    let (mean, n) = (summary::mean(values), summary::count(values));
    let interval = summary::variance(values).map(|variance| {
        let half = t_quantile(0.975, n - 1.0) * (variance / n).sqrt();
        [mean - half, mean + half]
    });
    Some((mean, interval))
}

/// Logarithms of the rounds in which all of these sets ran, one row for each round.
fn logs(runs: &BTreeMap<u32, SetRuns>, sets: &[u32]) -> Vec<Vec<f64>> {
    let Some(first) = sets.first().and_then(|set| runs.get(set)) else {
        return Vec::new();
    };
    let row = |round: &u32| {
        let of = |set: &u32| Some(runs.get(set)?.get(round)?.0.ln());
        sets.iter().map(of).collect::<Option<Vec<f64>>>()
    };
    first.keys().filter_map(row).collect()
}

/// Effects, shares and interaction of `k` changes (at most 16).
///
/// Source of the shares: L. S. Shapley, "A value for n-person games" (1953); of the correction:
/// S. Holm (1979), over each change alone, each removal and the bundle.
pub fn shares(runs: &BTreeMap<u32, SetRuns>, k: usize) -> Shares {
    let full: u32 = (1 << k) - 1;
    let bit = |change: usize| 1u32 << change;
    let alone: Vec<_> = (0..k).map(|i| effect(runs, 0, bit(i))).collect();
    let removal: Vec<_> = (0..k).map(|i| effect(runs, full & !bit(i), full)).collect();
    let bundle = effect(runs, 0, full);
    let all: Vec<&Option<LogEffect>> = alone.iter().chain(&removal).chain([&bundle]).collect();
    let raw: Vec<f64> = all.iter().filter_map(|e| e.map(|e| e.p())).collect();
    let mut corrected = holm(&raw).into_iter();
    let p: Vec<Option<f64>> = all
        .iter()
        .map(|e| e.and_then(|_| corrected.next()))
        .collect();
    let every: Vec<u32> = (0..=full).collect();
    let exact = every.iter().all(|set| runs.contains_key(set));
    let sets: Vec<u32> = if exact {
        every
    } else {
        let singles = (0..k).flat_map(|i| [bit(i), full & !bit(i)]);
        let mut sets: Vec<u32> = singles.chain([0, full]).collect();
        sets.sort_unstable();
        sets.dedup();
        sets.retain(|set| runs.contains_key(set));
        sets
    };
    let rows = logs(runs, &sets);
    let at = |row: &[f64], set: u32| sets.binary_search(&set).ok().map(|i| row[i]);
    let values = |i: usize| -> Vec<f64> {
        let of_row = |row: &Vec<f64>| {
            if exact {
                shapley(i, k, &|set| at(row, set).unwrap_or(f64::NAN))
            } else {
                let alone = Some(at(row, bit(i))? - at(row, 0)?);
                let removal = Some(at(row, full)? - at(row, full & !bit(i))?);
                alone.zip(removal).map(|(a, b)| (a + b) / 2.0)
            }
        };
        rows.iter().filter_map(of_row).collect()
    };
    let bundle_log = {
        let per_round = rows
            .iter()
            .filter_map(|row| Some(at(row, full)? - at(row, 0)?));
        mean_interval(&per_round.collect::<Vec<f64>>()).map(|(mean, _)| mean)
    };
    let changes = (0..k)
        .map(|i| {
            let value = mean_interval(&values(i));
            let share = value.zip(bundle_log).map(|((mean, interval), bundle)| {
                let ends = interval.map(|[low, high]| {
                    let (a, b) = (low / bundle, high / bundle);
                    [a.min(b), a.max(b)]
                });
                (mean / bundle, ends)
            });
            ChangeEffect {
                alone: alone[i],
                removal: removal[i],
                p: [p[i], p[k + i]],
                value,
                share,
            }
        })
        .collect();
    let interaction = {
        let of_row = |row: &Vec<f64>| {
            let base = at(row, 0)?;
            let single = (0..k).map(|i| Some(at(row, bit(i))? - base));
            let sum: f64 = single.collect::<Option<Vec<f64>>>()?.iter().sum();
            Some(at(row, full)? - base - sum)
        };
        mean_interval(&rows.iter().filter_map(of_row).collect::<Vec<f64>>())
    };
    Shares {
        changes,
        bundle: bundle.zip(p[2 * k]),
        interaction,
        exact,
        terms: if exact {
            factorial(&rows, full)
        } else {
            Vec::new()
        },
    }
}

/// The mean of what a change adds, over all orders in which the changes may come.
fn shapley(change: usize, k: usize, log: &dyn Fn(u32) -> f64) -> Option<f64> {
    let bit = 1u32 << change;
    let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
    let players = u32::try_from(k).ok()?;
    let value: f64 = (0..1u32 << k)
        .filter(|set| set & bit == 0)
        .map(|set| {
            let size = set.count_ones();
            let weight = factorial(size) * factorial(players - size - 1) / factorial(players);
            weight * (log(set | bit) - log(set))
        })
        .sum();
    value.is_finite().then_some(value)
}

/// Least squares of log t on all changes, their products and the round: R's
/// `lm(log(t) ~ A * B * C + round)` with a factor for the round.
fn factorial(rows: &[Vec<f64>], full: u32) -> Vec<Term> {
    let (n, sets) = (rows.len(), full as usize + 1);
    if n < 2 {
        return Vec::new();
    }
    let column = |set: usize| rows.iter().map(|row| row[set]).collect::<Vec<f64>>();
    let means: Vec<f64> = (0..sets).map(|set| summary::mean(&column(set))).collect();
    let grand = summary::mean(&means);
    let left: f64 = rows
        .iter()
        .map(|row| {
            let of_round = summary::mean(row);
            let residuals = row.iter().zip(&means);
            residuals
                .map(|(y, mean)| (y - mean - of_round + grand).powi(2))
                .sum::<f64>()
        })
        .sum();
    let df = ((sets - 1) * (n - 1)) as f64;
    let variance = left / df;
    (1..=full)
        .map(|set| {
            let parts = (0..=full).filter(|part| part & set == *part);
            let estimate: f64 = parts
                .map(|part| {
                    let sign = if (set & !part).count_ones() % 2 == 0 {
                        1.0
                    } else {
                        -1.0
                    };
                    sign * means[part as usize]
                })
                .sum();
            let se = (variance * f64::from(1u32 << set.count_ones()) / n as f64).sqrt();
            let p = t_two_sided(estimate / se, df);
            Term {
                set,
                estimate,
                se,
                p,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_all_combinations_a_value_is_the_mean_of_alone_and_removal() {
        // A halves the time, B does nothing; three changes, so that sets are missing.
        let time = |set: u32, round: u32| {
            let noise = 1.0 + 0.001 * f64::from((set * 7 + round * 3) % 5);
            noise * if set & 1 == 1 { 1.0 } else { 2.0 }
        };
        let runs: BTreeMap<u32, SetRuns> = [0, 1, 2, 4, 7, 6, 5, 3]
            .into_iter()
            .filter(|set| *set != 3)
            .map(|set| (set, (1..=6).map(|r| (r, (time(set, r), set))).collect()))
            .collect();
        let found = shares(&runs, 3);
        assert!(!found.exact && found.terms.is_empty());
        assert!((found.changes[0].share.unwrap().0 - 1.0).abs() < 0.01);
        assert!(found.changes[1].share.unwrap().0.abs() < 0.01);
        // Without the set AB there is no removal of C, and so no value.
        assert!(found.changes[2].removal.is_none() && found.changes[2].share.is_none());
        assert!(shares(&BTreeMap::new(), 2).bundle.is_none());
    }
}

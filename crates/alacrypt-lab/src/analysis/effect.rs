//! The effect of one arm against the base on one row, by the test that the data allow.

use serde::Serialize;

use super::{Dataset, RowData};
use crate::cli::{Method, Stat};
use crate::stats::paired::{self, LogEffect, Round};
use crate::stats::welch::{self, Moments, RatioInterval};
use crate::stats::{distribution, rank, summary};

/// Fewest complete rounds for the crossover model and for any verdict.
pub(super) const ENOUGH_ROUNDS: usize = 6;

/// What the effect rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Rounds with a position term.
    Crossover,
    /// Rounds without one.
    Paired,
    /// Independent samples.
    Welch,
    /// Independent samples per machine, pooled.
    WelchByMachine,
    /// Ranks.
    MannWhitney,
}

impl Basis {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crossover => "crossover",
            Self::Paired => "paired",
            Self::Welch => "Welch",
            Self::WelchByMachine => "Welch by machine",
            Self::MannWhitney => "Mann-Whitney",
        }
    }
}

/// What it costs or gains to run second in a round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Position {
    /// Second over first, in the data's own unit.
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval95: [f64; 2],
    /// p-value of "no effect of the position".
    pub p: f64,
}

/// The effect of one arm on one row, in the data's own unit (new over old).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// What it rests on.
    pub basis: Basis,
    /// New over old.
    pub ratio: f64,
    /// 95 % interval; `None` when unbounded.
    pub interval95: Option<[f64; 2]>,
    /// 90 % interval: the two one-sided tests of "no difference within δ".
    pub interval90: Option<[f64; 2]>,
    /// p-value of "no difference".
    pub p: f64,
    /// Standard error of the log ratio.
    pub log_se: f64,
    /// Degrees of freedom.
    pub df: f64,
    /// Rounds or runs a side that it rests on.
    pub n: f64,
    /// Effect of the position, where it can be told apart.
    pub position: Option<Position>,
    /// p-value of "all machines show the same effect", with more than one machine.
    pub machines_p: Option<f64>,
    /// Complete rounds that could not be used, or the like, in sentences.
    pub remarks: Vec<String>,
}

/// Samples of the base and of one other arm on one row.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) old: Vec<f64>,
    pub(super) new: Vec<f64>,
    /// Machine and round of the complete rounds.
    rounds: Vec<(usize, Round)>,
    /// Per machine, the values of both arms.
    machines: Vec<(Vec<f64>, Vec<f64>)>,
    old_moments: Option<Moments>,
    new_moments: Option<Moments>,
    /// Samples that have a round whose partner is missing.
    unpaired: usize,
}

impl Pair {
    /// Of a row, leaving out samples for which `keep` is false.
    pub(super) fn of(
        data: &Dataset,
        row: &RowData,
        arm: usize,
        keep: impl Fn(&super::Sample) -> bool,
    ) -> Self {
        let base = data.base;
        let side = |arm: usize| row.of(arm).filter(|sample| keep(sample));
        let old: Vec<f64> = side(base).map(|sample| sample.value).collect();
        let new: Vec<f64> = side(arm).map(|sample| sample.value).collect();
        let mut olds: std::collections::BTreeMap<(usize, u32), &super::Sample> = side(base)
            .filter_map(|sample| Some(((sample.machine, sample.round?), sample)))
            .collect();
        let (mut rounds, mut unpaired) = (Vec::new(), 0);
        for sample in side(arm) {
            let Some(number) = sample.round else { continue };
            let partner = olds.remove(&(sample.machine, number));
            let round = partner.and_then(|old| {
                Round::of(
                    old.value,
                    sample.value,
                    (old.slot, old.run) < (sample.slot, sample.run),
                )
            });
            match round {
                Some(round) => rounds.push((sample.machine, round)),
                None => unpaired += 1,
            }
        }
        unpaired += olds.len();
        let mut numbers: Vec<usize> = side(base).chain(side(arm)).map(|s| s.machine).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let on = |arm: usize, machine: usize| {
            side(arm)
                .filter(|s| s.machine == machine)
                .map(|s| s.value)
                .collect()
        };
        let machines = numbers
            .iter()
            .map(|m| (on(base, *m), on(arm, *m)))
            .collect();
        Self {
            old_moments: moments(row, base, &old),
            new_moments: moments(row, arm, &new),
            old,
            new,
            rounds,
            machines,
            unpaired,
        }
    }

    pub(super) fn moments(&self) -> Option<(Moments, Moments)> {
        Some((self.old_moments?, self.new_moments?))
    }

    /// Whether both orders occur among the rounds.
    pub(super) fn both_orders(&self) -> bool {
        let first = self
            .rounds
            .iter()
            .filter(|(_, round)| round.old_first)
            .count();
        first > 0 && first < self.rounds.len()
    }

    pub(super) fn has_rounds(&self) -> bool {
        !self.rounds.is_empty()
    }

    fn plain_rounds(&self) -> Vec<Round> {
        self.rounds.iter().map(|(_, round)| *round).collect()
    }
}

fn moments(row: &RowData, arm: usize, values: &[f64]) -> Option<Moments> {
    if !values.is_empty() {
        return Moments::of(values);
    }
    let summary = row.summary(arm)?;
    let n = summary.n.filter(|n| *n >= 2)?;
    Some(Moments {
        #[allow(clippy::cast_precision_loss)] // Numbers of runs are far below 2^53.
        n: n as f64,
        mean: summary.mean,
        variance: summary.sd?.powi(2),
    })
}

/// Estimates the effect by the method asked for, or by the one that fits; `None` when the data
/// cannot answer.
pub(super) fn estimate(pair: &Pair, method: Method, stat: Stat, planned: bool) -> Option<Effect> {
    match method {
        Method::Mwu => ranks(pair),
        Method::Welch => independent(pair),
        Method::Paired => paired_rounds(pair).or_else(|| independent(pair)),
        Method::Crossover => crossover(pair).or_else(|| independent(pair)),
        Method::Auto if stat == Stat::Median => ranks(pair),
        // A file with one fixed order cannot tell the arm from its place: the pairs would only
        // make the error sharper.
        Method::Auto if !planned && !pair.both_orders() => independent(pair),
        Method::Auto if pair.rounds.len() >= ENOUGH_ROUNDS => crossover(pair)
            .or_else(|| paired_rounds(pair))
            .or_else(|| independent(pair)),
        Method::Auto => paired_rounds(pair).or_else(|| independent(pair)),
    }
}

fn crossover(pair: &Pair) -> Option<Effect> {
    let fit = paired::crossover(&pair.plain_rounds())?;
    let mut effect = from_log(Basis::Crossover, &fit.subject, pair);
    effect.position = Some(Position {
        ratio: fit.position.ratio(),
        interval95: fit.position.ratio_interval(0.95),
        p: fit.position.p(),
    });
    Some(effect)
}

fn paired_rounds(pair: &Pair) -> Option<Effect> {
    let fit = paired::paired(&pair.plain_rounds())?;
    let mut effect = from_log(Basis::Paired, &fit, pair);
    if pair.rounds.len() < ENOUGH_ROUNDS {
        effect.remarks.push("few rounds".into());
    } else if !pair.both_orders() {
        effect
            .remarks
            .push("one order only: the position cannot be told from the arm".into());
    }
    Some(effect)
}

fn from_log(basis: Basis, fit: &LogEffect, pair: &Pair) -> Effect {
    let mut remarks = Vec::new();
    if pair.unpaired > 0 {
        remarks.push(format!(
            "{} runs without a partner in their round are not in it",
            pair.unpaired
        ));
    }
    Effect {
        basis,
        ratio: fit.ratio(),
        interval95: Some(fit.ratio_interval(0.95)),
        interval90: Some(fit.ratio_interval(0.90)),
        p: fit.p(),
        log_se: fit.se,
        df: fit.df,
        n: summary::count(
            &pair
                .plain_rounds()
                .iter()
                .map(|r| r.log_ratio)
                .collect::<Vec<_>>(),
        ),
        position: None,
        machines_p: machines_p(pair),
        remarks,
    }
}

fn independent(pair: &Pair) -> Option<Effect> {
    if pair.machines.len() > 1 {
        return by_machine(pair);
    }
    let (old, new) = pair.moments()?;
    let test = welch::welch(&old, &new)?;
    // Noise so large that the interval reaches below nothing bounds no ratio.
    let fieller = |level| {
        let ends = welch::fieller(&old, &new, level).and_then(RatioInterval::bounds);
        ends.filter(|[low, _]| *low > 0.0)
    };
    Some(Effect {
        basis: Basis::Welch,
        ratio: new.mean / old.mean,
        interval95: fieller(0.95),
        interval90: fieller(0.90),
        p: test.p,
        log_se: delta_log_se(&old, &new),
        df: test.df,
        n: old.n.min(new.n),
        position: None,
        machines_p: None,
        remarks: Vec::new(),
    })
}

/// Standard error of ln(w̄/ō) by the delta method.
fn delta_log_se(old: &Moments, new: &Moments) -> f64 {
    let part = |m: &Moments| m.mean_variance() / (m.mean * m.mean);
    (part(old) + part(new)).sqrt()
}

fn by_machine(pair: &Pair) -> Option<Effect> {
    let strata: Vec<LogEffect> = pair
        .machines
        .iter()
        .filter_map(|(old, new)| {
            let (old, new) = (Moments::of(old)?, Moments::of(new)?);
            Some(LogEffect {
                estimate: (new.mean / old.mean).ln(),
                se: delta_log_se(&old, &new),
                df: welch::welch(&old, &new)?.df,
            })
        })
        .collect();
    let pooled = paired::pool(&strata)?;
    let mut effect = from_log(Basis::WelchByMachine, &pooled, pair);
    effect.machines_p = heterogeneity(&strata);
    effect.n = summary::count(&pair.old).min(summary::count(&pair.new));
    Some(effect)
}

fn machines_p(pair: &Pair) -> Option<f64> {
    let mut numbers: Vec<usize> = pair.rounds.iter().map(|(machine, _)| *machine).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let strata: Vec<LogEffect> = numbers
        .iter()
        .filter_map(|number| {
            let rounds = pair.rounds.iter().filter(|(machine, _)| machine == number);
            let rounds: Vec<Round> = rounds.map(|(_, round)| *round).collect();
            match paired::crossover(&rounds) {
                Some(fit) => Some(fit.subject),
                None => paired::paired(&rounds),
            }
        })
        .collect();
    heterogeneity(&strata)
}

/// Cochran's Q over strata: p-value of "all the same". Source: Biometrics 10 (1954) 101–129.
fn heterogeneity(strata: &[LogEffect]) -> Option<f64> {
    if strata.len() < 2 {
        return None;
    }
    let pooled = paired::pool(strata)?;
    let q: f64 = strata
        .iter()
        .map(|s| ((s.estimate - pooled.estimate) / s.se).powi(2))
        .sum();
    let df = summary::count(&strata.iter().map(|s| s.se).collect::<Vec<_>>()) - 1.0;
    Some(distribution::chi_squared_sf(q, df))
}

fn ranks(pair: &Pair) -> Option<Effect> {
    let logs = |values: &[f64]| values.iter().map(|x| x.ln()).collect::<Vec<f64>>();
    let (old, new) = (logs(&pair.old), logs(&pair.new));
    let test = rank::mann_whitney(&old, &new)?;
    let (shift, wide) = rank::hodges_lehmann(&old, &new, 0.95)?;
    let (_, narrow) = rank::hodges_lehmann(&old, &new, 0.90)?;
    let half = (wide[1] - wide[0]) / 2.0;
    Some(Effect {
        basis: Basis::MannWhitney,
        ratio: shift.exp(),
        interval95: Some(wide.map(f64::exp)),
        interval90: Some(narrow.map(f64::exp)),
        p: test.p,
        log_se: half / distribution::normal_quantile(0.975),
        df: summary::count(&old) + summary::count(&new) - 2.0,
        n: summary::count(&old).min(summary::count(&new)),
        position: None,
        machines_p: None,
        remarks: Vec::new(),
    })
}

/// One-sided p-value that the new arm's speed is below `factor` times the old one's.
///
/// `gain` is +1 for rates and −1 for times. Welch's effects use the scaled old sample, as Node's
/// own tool does; the others shift the log ratio.
pub(super) fn regression_p(effect: &Effect, pair: &Pair, gain: f64, factor: f64) -> f64 {
    if effect.basis == Basis::Welch
        && let Some((old, new)) = pair.moments()
    {
        let scaled = if gain > 0.0 { factor } else { factor.recip() };
        let below = welch::below_threshold(&old, &new, scaled);
        return below.map_or(1.0, |p| if gain > 0.0 { p } else { 1.0 - p });
    }
    let distance = (gain * effect.ratio.ln() - factor.ln()) / effect.log_se;
    distribution::t_cdf(distance, effect.df)
}

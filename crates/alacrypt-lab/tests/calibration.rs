//! Simulations of the faults that the methods are chosen against: how often an interval covers
//! the truth, and how often identical code is called different. Seeds are fixed.

#![forbid(unsafe_code)]

use alacrypt_lab::stats::bootstrap::SplitMix64;
use alacrypt_lab::stats::control::{ControlRow, control};
use alacrypt_lab::stats::paired::{Round, crossover, paired};
use alacrypt_lab::stats::welch::{Moments, fieller, welch};

struct Normal(SplitMix64);

impl Normal {
    fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Box and Muller, Ann. Math. Statist. 29 (1958) 610–611.
    fn next(&mut self) -> f64 {
        let (u, v) = (self.uniform(), self.uniform());
        (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
    }

    fn sample(&mut self, n: usize, mean: f64, cv: f64) -> Vec<f64> {
        (0..n).map(|_| mean * (1.0 + cv * self.next())).collect()
    }
}

/// Share of `trials` in which `event` happens.
fn share(trials: u32, mut event: impl FnMut() -> bool) -> f64 {
    let hits = (0..trials).filter(|_| event()).count();
    hits as f64 / f64::from(trials)
}

#[test]
fn the_ratio_interval_covers_the_truth_where_the_accuracy_column_does_not() {
    let mut random = Normal::new(11);
    let (mut honest, mut column) = (0_u32, 0_u32);
    let trials = 4000;
    for _ in 0..trials {
        let old = Moments::of(&random.sample(30, 100.0, 0.1)).unwrap();
        let new = Moments::of(&random.sample(30, 150.0, 0.1)).unwrap();
        let [low, high] = fieller(&old, &new, 0.95).unwrap().bounds().unwrap();
        honest += u32::from(low <= 1.5 && 1.5 <= high);
        let test = welch(&old, &new).unwrap();
        let (centre, half) = (
            test.difference / old.mean,
            test.accuracy_pct(old.mean, 0.95) / 100.0,
        );
        column += u32::from((centre - 0.5).abs() <= half);
    }
    let [honest, column] = [honest, column].map(|hits| f64::from(hits) / f64::from(trials));
    assert!((0.94..0.96).contains(&honest), "{honest}");
    assert!((0.885..0.925).contains(&column), "{column}");
}

/// Thirty rounds of identical code in which running second costs 1 %, with 1 % noise.
fn rounds(random: &mut Normal, balanced: bool) -> Vec<Round> {
    (0..30)
        .map(|round| {
            let old_first = !balanced || round % 2 == 0;
            let place = if old_first { 0.01 } else { -0.01 };
            let log_ratio = place + 0.01 * (random.next() - random.next());
            Round {
                log_ratio,
                old_first,
            }
        })
        .collect()
}

#[test]
fn a_fixed_order_turns_its_place_into_a_change_and_a_balanced_one_does_not() {
    let mut random = Normal::new(12);
    let fixed = share(1000, || {
        paired(&rounds(&mut random, false)).unwrap().p() < 0.05
    });
    assert!(fixed > 0.9, "{fixed}");
    let balanced = share(4000, || {
        crossover(&rounds(&mut random, true)).unwrap().subject.p() < 0.05
    });
    assert!((0.04..0.06).contains(&balanced), "{balanced}");
}

#[test]
fn rounds_see_through_drift_that_hides_a_change_from_welch() {
    let mut random = Normal::new(13);
    let (mut by_rounds, mut by_samples) = (0, 0);
    for _ in 0..500 {
        let (mut level, mut list) = (0.0, Vec::new());
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for round in 0..30 {
            level += 0.01 * random.next();
            let a = f64::exp(level + 0.005 * random.next());
            let b = f64::exp(level + 0.005 + 0.005 * random.next());
            old.push(a);
            new.push(b);
            list.push(Round::of(a, b, round % 2 == 0).unwrap());
        }
        by_rounds += u32::from(crossover(&list).unwrap().subject.p() < 0.05);
        let moments = [&old, &new].map(|values| Moments::of(values).unwrap());
        by_samples += u32::from(welch(&moments[0], &moments[1]).unwrap().p < 0.05);
    }
    assert!(
        by_rounds > 400 && by_samples < 25,
        "{by_rounds} {by_samples}"
    );
}

#[test]
fn the_control_rarely_alarms_without_a_cause() {
    let mut random = Normal::new(14);
    let alarms = share(1000, || {
        let rows: Vec<ControlRow> = (0..40)
            .map(|group| {
                let rounds: Vec<Round> = (0..30)
                    .map(|round| Round {
                        log_ratio: 0.02 * random.next(),
                        old_first: round % 2 == 0,
                    })
                    .collect();
                let effect = crossover(&rounds).unwrap().subject;
                ControlRow {
                    group,
                    log_ratio: effect.estimate,
                    p: effect.p(),
                    interval: effect.ratio_interval(0.95),
                }
            })
            .collect();
        !control(&rows).unwrap().passes()
    });
    // Three tests, each at about .01.
    assert!(alarms < 0.04, "{alarms}");
}

/// Forty rows of eight files, each file's runs disturbed as a whole: rows are no witnesses for one
/// another, and the control knows.
#[test]
fn the_control_rarely_alarms_at_noise_that_rows_share() {
    let mut random = Normal::new(15);
    let mut rows = || -> Vec<ControlRow> {
        (0..8)
            .flat_map(|group| {
                let shared: Vec<f64> = (0..30).map(|_| 0.02 * random.next()).collect();
                let each: Vec<ControlRow> = (0..5)
                    .map(|_| {
                        let rounds: Vec<Round> = shared
                            .iter()
                            .enumerate()
                            .map(|(round, disturbed)| Round {
                                log_ratio: disturbed + 0.005 * random.next(),
                                old_first: round % 2 == 0,
                            })
                            .collect();
                        let effect = crossover(&rounds).unwrap().subject;
                        ControlRow {
                            group,
                            log_ratio: effect.estimate,
                            p: effect.p(),
                            interval: effect.ratio_interval(0.95),
                        }
                    })
                    .collect();
                each
            })
            .collect()
    };
    let leans = |rows: &[ControlRow]| {
        let failures = control(rows).unwrap().failures;
        failures.iter().any(|why| why.contains("leans"))
    };
    let (mut known, mut unknown) = (0, 0);
    for _ in 0..1000 {
        let mut rows = rows();
        known += u32::from(leans(&rows));
        for (group, row) in rows.iter_mut().enumerate() {
            row.group = group;
        }
        unknown += u32::from(leans(&rows));
    }
    assert!(known < 30, "{known} alarms");
    assert!(
        unknown > 200,
        "{unknown} alarms where the files are not known"
    );
}

//! The A/A control: the same code on both sides must look the same.

use std::collections::BTreeMap;

use super::distribution::{binomial_quantile, t_two_sided};
use super::{rank, summary};

/// One row of the control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlRow {
    /// ln(A′ / A).
    pub log_ratio: f64,
    /// p-value of that row.
    pub p: f64,
    /// Interval of the ratio A′ / A.
    pub interval: [f64; 2],
    /// Rows of one group were measured by the same processes, one after the other: what disturbs
    /// one of them disturbs all.
    pub group: usize,
}

/// What the control says about the session.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// Rows of the control.
    pub rows: usize,
    /// How many of them have p < .05, uncorrected.
    pub small: u64,
    /// How many may have, before it is no longer chance (99 %).
    pub small_limit: u64,
    /// p of the sign test over rows: a common bias. `None` below six rows, where it cannot speak.
    pub sign_p: Option<f64>,
    /// p of the t test over rows: a common bias.
    pub bias_p: Option<f64>,
    /// p of the Kolmogorov–Smirnov test that the p-values are uniform. `None` below five rows.
    pub uniform_p: Option<f64>,
    /// Differences up to this share (0.01 is 1 %) appear between identical code here.
    pub floor: f64,
    /// Why the gate fails; empty when it passes.
    pub failures: Vec<String>,
}

impl Control {
    /// Whether the session can be trusted.
    pub fn passes(&self) -> bool {
        self.failures.is_empty()
    }
}

/// Judges the control rows; `None` when there are none.
///
/// Gate: (a) no more small p-values than the 99 % quantile of the binomial; (b) no bias common to
/// the rows, sign test and t test at .01 over the groups' means; (c) for a single row, its interval
/// holds 1. Floor: the 95th percentile of the differences from 20 rows on, below that the far end of
/// the widest interval.
///
/// Source: binomial limit as in W. J. Conover, Practical Nonparametric Statistics, section 3.1.
pub fn control(rows: &[ControlRow]) -> Option<Control> {
    if rows.is_empty() {
        return None;
    }
    let k = rows.len() as u64;
    let small = rows.iter().filter(|row| row.p < 0.05).count() as u64;
    let small_limit = binomial_quantile(0.99, k, 0.05);
    let logs = group_means(rows);
    let bias_p = (logs.len() >= 3).then(|| bias(&logs)).flatten();
    let decided = logs.iter().filter(|log| **log != 0.0).count() as u64;
    let sign_p = (decided >= 6).then(|| {
        let positive = logs.iter().filter(|log| **log > 0.0).count() as u64;
        rank::sign_test(positive, decided)
    });
    let p_values: Vec<f64> = rows.iter().map(|row| row.p).collect();

    let mut failures = Vec::new();
    if rows.len() == 1 {
        let [low, high] = rows[0].interval;
        if low > 1.0 || high < 1.0 {
            failures.push(format!(
                "identical code differs: interval {low:.4} to {high:.4} does not hold 1"
            ));
        }
    } else if small > small_limit {
        failures.push(format!(
            "{small} of {k} rows of identical code have p < .05; chance explains at most {small_limit}"
        ));
    }
    if sign_p.is_some_and(|p| p <= 0.01) || bias_p.is_some_and(|p| p <= 0.01) {
        let centre = (summary::mean(&logs).exp() - 1.0) * 100.0;
        failures.push(format!(
            "identical code leans one way over all rows ({centre:+.2} % on average)"
        ));
    }
    Some(Control {
        rows: rows.len(),
        small,
        small_limit,
        sign_p,
        bias_p,
        uniform_p: (rows.len() >= 5).then(|| uniform_p(&p_values)),
        floor: floor(rows),
        failures,
    })
}

/// The mean log ratio of each group. Within a group the rows are no independent witnesses.
fn group_means(rows: &[ControlRow]) -> Vec<f64> {
    let mut groups: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for row in rows {
        groups.entry(row.group).or_default().push(row.log_ratio);
    }
    groups.values().map(|logs| summary::mean(logs)).collect()
}

/// Kolmogorov–Smirnov test of uniformity on [0, 1]: its asymptotic p-value.
///
/// Source: M. A. Stephens, J. R. Statist. Soc. B 32 (1970) 115–122.
pub fn uniform_p(values: &[f64]) -> f64 {
    let sorted = summary::sorted(values);
    let n = summary::count(&sorted);
    let mut distance = 0.0_f64;
    let mut before = 0.0;
    for value in &sorted {
        distance = distance
            .max(value - before / n)
            .max((before + 1.0) / n - value);
        before += 1.0;
    }
    let lambda = (n.sqrt() + 0.12 + 0.11 / n.sqrt()) * distance;
    let series: f64 = (1..=100_i32)
        .map(|j| {
            let sign = if j % 2 == 1 { 1.0 } else { -1.0 };
            sign * (-2.0 * f64::from(j * j) * lambda * lambda).exp()
        })
        .sum();
    if lambda < 0.2 {
        // The series does not converge there, and the answer is 1 to twelve digits.
        return 1.0;
    }
    (2.0 * series).clamp(0.0, 1.0)
}

fn bias(logs: &[f64]) -> Option<f64> {
    let n = summary::count(logs);
    let se = summary::sd(logs)? / n.sqrt();
    (se > 0.0).then(|| t_two_sided(summary::mean(logs) / se, n - 1.0))
}

fn floor(rows: &[ControlRow]) -> f64 {
    if rows.len() >= 20 {
        let sizes: Vec<f64> = rows
            .iter()
            .map(|row| (row.log_ratio.exp() - 1.0).abs())
            .collect();
        return summary::quantile7(&summary::sorted(&sizes), 0.95);
    }
    rows.iter()
        .flat_map(|row| row.interval)
        .map(|end| (end - 1.0).abs())
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(percent: f64, p: f64) -> ControlRow {
        let ratio = 1.0 + percent / 100.0;
        ControlRow {
            log_ratio: ratio.ln(),
            p,
            interval: [ratio - 0.01, ratio + 0.01],
            group: 0,
        }
    }

    /// Rows that have nothing to do with one another.
    fn apart(rows: impl IntoIterator<Item = ControlRow>) -> Vec<ControlRow> {
        let numbered = rows.into_iter().enumerate();
        numbered
            .map(|(group, row)| ControlRow { group, ..row })
            .collect()
    }

    #[test]
    fn forty_quiet_rows_pass() {
        let rows = apart((0..40).map(|i| {
            row(
                if i % 2 == 0 { 0.3 } else { -0.3 },
                (f64::from(i) + 0.5) / 40.0,
            )
        }));
        let control = control(&rows).expect("rows");
        assert!(control.passes(), "{:?}", control.failures);
        assert_eq!((control.small, control.small_limit), (2, 6));
        assert!((control.floor - 0.003).abs() < 1e-4);
        assert!(control.uniform_p.expect("enough rows") > 0.9);
    }

    #[test]
    fn a_common_lean_fails() {
        let rows = apart((0..20).map(|i| row(0.5 + f64::from(i) / 100.0, 0.3)));
        let control = control(&rows).expect("rows");
        assert!(!control.passes());
        assert!(
            control.failures[0].contains("leans one way"),
            "{:?}",
            control.failures
        );
    }

    /// Twenty rows of four files, each file disturbed as a whole: four witnesses, two for each side.
    #[test]
    fn rows_of_one_group_lean_together() {
        let lean = [2.0, 1.5, -0.5, 1.0];
        let rows: Vec<ControlRow> = (0..20)
            .map(|i| ControlRow {
                group: i % 4,
                ..row(lean[i % 4] + i as f64 / 100.0, 0.3)
            })
            .collect();
        assert!(control(&rows).expect("rows").passes());
        assert!(!control(&apart(rows)).expect("rows").passes());
    }

    #[test]
    fn many_small_p_values_fail() {
        let rows: Vec<ControlRow> = (0..40)
            .map(|i| {
                row(
                    if i % 2 == 0 { 2.0 } else { -2.0 },
                    if i < 10 { 0.001 } else { 0.5 },
                )
            })
            .collect();
        assert!(!control(&rows).expect("rows").passes());
    }

    #[test]
    fn one_row_rests_on_its_interval() {
        assert!(control(&[row(0.5, 0.2)]).expect("row").passes());
        assert!(!control(&[row(2.0, 0.001)]).expect("row").passes());
        assert_eq!(control(&[]), None);
    }
}

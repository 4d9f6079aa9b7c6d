//! A sample in the order of its runs: drift, dependence, a slow start, two modes.

use super::distribution::{chi_squared_sf, normal_sf};
use super::{outlier, summary};

/// Autocorrelation at `lag`; `None` without spread or when too short.
///
/// Source: G. E. P. Box and G. M. Jenkins, Time Series Analysis (1970), section 2.1.5; as R's
/// `acf`.
pub fn autocorrelation(values: &[f64], lag: usize) -> Option<f64> {
    if lag >= values.len() {
        return None;
    }
    let centre = summary::mean(values);
    let square: f64 = values.iter().map(|x| (x - centre).powi(2)).sum();
    let shifted = values.iter().zip(&values[lag..]);
    let product: f64 = shifted.map(|(a, b)| (a - centre) * (b - centre)).sum();
    (square > 0.0).then(|| product / square)
}

/// How many independent runs the sample is worth, for first-order dependence: n(1−r)/(1+r).
/// Never more than n.
///
/// Source: C. R. Thiébaux and F. W. Zwiers, J. Climate Appl. Meteor. 23 (1984) 800–811.
pub fn effective_size(values: &[f64]) -> f64 {
    let n = summary::count(values);
    match autocorrelation(values, 1) {
        Some(r) if r > 0.0 => (n * (1.0 - r) / (1.0 + r)).max(1.0),
        _ => n,
    }
}

/// A trend over the runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Kendall's tau-b between run number and value.
    pub tau: f64,
    /// Two-sided p-value, normal approximation with correction for ties and continuity.
    pub p: f64,
}

/// Mann–Kendall trend test; `None` below four runs or when all are equal.
///
/// Source: M. G. Kendall, Rank Correlation Methods (4th ed.), sections 3 and 5; pairs counted by
/// merge sort (W. R. Knight, J. Amer. Statist. Assoc. 61 (1966) 436–439).
pub fn kendall_trend(values: &[f64]) -> Option<Trend> {
    if values.len() < 4 {
        return None;
    }
    let n = summary::count(values);
    let pairs = n * (n - 1.0) / 2.0;
    let sorted = summary::sorted(values);
    let mut group_sizes: Vec<f64> = Vec::new();
    for group in sorted.chunk_by(|a, b| a == b) {
        group_sizes.push(summary::count(group));
    }
    let tied: f64 = group_sizes.iter().map(|t| t * (t - 1.0) / 2.0).sum();
    let falling = inversions(&mut values.to_vec());
    let score = pairs - tied - 2.0 * falling;
    let tie_term: f64 = group_sizes
        .iter()
        .map(|t| t * (t - 1.0) * (2.0 * t + 5.0))
        .sum();
    let variance = (n * (n - 1.0) * (2.0 * n + 5.0) - tie_term) / 18.0;
    if variance <= 0.0 || pairs <= tied {
        return None;
    }
    let distance = (score.abs() - 1.0).max(0.0);
    Some(Trend {
        tau: score / (pairs * (pairs - tied)).sqrt(),
        p: (2.0 * normal_sf(distance / variance.sqrt())).min(1.0),
    })
}

/// Ljung–Box test of independence over the first `lags` lags: its p-value.
///
/// Source: G. M. Ljung and G. E. P. Box, Biometrika 65 (1978) 297–303.
pub fn ljung_box(values: &[f64], lags: usize) -> Option<f64> {
    if values.len() <= lags + 1 || lags == 0 {
        return None;
    }
    let n = summary::count(values);
    let mut statistic = 0.0;
    let mut degrees = 0.0;
    for lag in 1..=lags {
        degrees += 1.0;
        statistic += autocorrelation(values, lag)?.powi(2) / (n - degrees);
    }
    Some(chi_squared_sf(n * (n + 2.0) * statistic, degrees))
}

/// Whether the first run stands out on its own (a cold start that no warm-up took away).
pub fn first_run_stands_out(values: &[f64]) -> bool {
    outlier::modified_z(values, outlier::MODIFIED_Z_LIMIT).first() == Some(&0)
}

/// Two groups of runs with a gap between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// Highest run of the lower group.
    pub low_end: f64,
    /// Lowest run of the upper group.
    pub high_start: f64,
    /// Share of runs in the upper group.
    pub upper_share: f64,
}

/// Looks for a gap between neighbouring sorted runs of more than 4 raw MADs *of the narrower
/// side* with at least 20 % of the runs, and three of them, on each side. `None` below ten runs.
///
/// The spread is taken within the sides: around one median of two groups the MAD measures the
/// gap itself. Source: own rule; the idea is the dip between order statistics of J. A. Hartigan
/// and P. M. Hartigan, Ann. Statist. 13 (1985) 70–84.
pub fn two_modes(values: &[f64]) -> Option<Modes> {
    if values.len() < 10 {
        return None;
    }
    let sorted = summary::sorted(values);
    let edge = values.len().div_ceil(5).max(3);
    let (split, gap) = (edge..=sorted.len() - edge)
        .map(|split| (split, sorted[split] - sorted[split - 1]))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (low, high) = sorted.split_at(split);
    let spread = summary::mad(low).max(summary::mad(high));
    (gap > 4.0 * spread && gap > 0.0).then(|| Modes {
        low_end: low[low.len() - 1],
        high_start: high[0],
        upper_share: summary::count(high) / summary::count(&sorted),
    })
}

/// Counts pairs out of order while sorting.
fn inversions(values: &mut [f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    let mut found = inversions(left) + inversions(right);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if right[j] < left[i] {
            found += summary::count(&left[i..]);
            merged.push(right[j]);
            j += 1;
        } else {
            merged.push(left[i]);
            i += 1;
        }
    }
    merged.extend_from_slice(&left[i..]);
    merged.extend_from_slice(&right[j..]);
    values.copy_from_slice(&merged);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rising_series_has_a_trend_and_few_independent_runs() {
        let rising: Vec<f64> = (0..30).map(f64::from).collect();
        let trend = kendall_trend(&rising).expect("30 runs");
        assert!((trend.tau - 1.0).abs() < 1e-12 && trend.p < 1e-9);
        assert!(effective_size(&rising) < 3.0);
        assert!(ljung_box(&rising, 5).expect("long enough") < 1e-9);
    }

    #[test]
    fn an_alternating_series_is_worth_its_size() {
        let zigzag: Vec<f64> = (0..30).map(|i| f64::from(i % 2)).collect();
        assert!(autocorrelation(&zigzag, 1).expect("spread") < -0.9);
        assert_eq!(effective_size(&zigzag), 30.0);
        assert!(kendall_trend(&zigzag).expect("30 runs").p > 0.5);
    }

    #[test]
    fn known_answers() {
        let values = [2.0, 1.0, 4.0, 3.0, 7.0, 5.0, 6.0, 9.0, 8.0, 10.0];
        let trend = kendall_trend(&values).expect("ten runs");
        // 45 pairs, 5 of them falling (counted by hand).
        assert!((trend.tau - 35.0 / 45.0).abs() < 1e-12, "{}", trend.tau);
        let box_p = ljung_box(&values, 3).expect("ten runs");
        // The formula in numpy, its tail from scipy's chi2.sf.
        assert!((box_p - 0.111_490_724_779_236_69).abs() < 1e-9, "{box_p}");
    }

    #[test]
    fn equal_runs_have_no_trend_and_no_modes() {
        assert_eq!(kendall_trend(&[5.0; 10]), None);
        assert_eq!(autocorrelation(&[5.0; 10], 1), None);
        assert_eq!(two_modes(&[5.0; 10]), None);
        assert!(!first_run_stands_out(&[5.0; 10]));
    }

    #[test]
    fn two_groups_are_seen_and_one_is_not() {
        let two: Vec<f64> = (0..20)
            .map(|i| f64::from(i % 7) + if i % 2 == 0 { 0.0 } else { 100.0 })
            .collect();
        let modes = two_modes(&two).expect("a gap of 94");
        assert!((modes.upper_share - 0.5).abs() < 1e-12);
        let one: Vec<f64> = (0..20).map(|i| f64::from((i * 7) % 20)).collect();
        assert_eq!(two_modes(&one), None);
    }
}

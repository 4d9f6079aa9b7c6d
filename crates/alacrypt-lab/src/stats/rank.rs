//! Rank tests: Mann-Whitney with Hodges-Lehmann, Wilcoxon's signed ranks.

use super::distribution::{normal_quantile, normal_sf};
use super::summary;

/// Largest sample on each side for which the exact distribution is used, as in R.
const EXACT_BELOW: usize = 50;

/// Result of a rank test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankTest {
    /// R's statistic W (two samples) or V (signed ranks).
    pub statistic: f64,
    /// Two-sided p-value.
    pub p: f64,
    /// Whether `p` is exact; otherwise a normal approximation with correction for ties.
    pub exact: bool,
}

/// Mann–Whitney test of `new` against `old`; W counts pairs in which new is larger.
/// `None` when a sample is empty or all values are equal.
///
/// Source: H. B. Mann and D. R. Whitney, Ann. Math. Statist. 18 (1947) 50–60; choices as in R's
/// `wilcox.test`.
pub fn mann_whitney(old: &[f64], new: &[f64]) -> Option<RankTest> {
    if old.is_empty() || new.is_empty() {
        return None;
    }
    let pooled: Vec<f64> = new.iter().chain(old).copied().collect();
    let (ranks, ties) = midranks(&pooled);
    let (m, n) = (summary::count(new), summary::count(old));
    let w = ranks.iter().take(new.len()).sum::<f64>() - m * (m + 1.0) / 2.0;
    let exact = ties.is_empty() && old.len() < EXACT_BELOW && new.len() < EXACT_BELOW;
    if exact {
        let counts = mann_whitney_counts(new.len(), old.len());
        return Some(RankTest {
            statistic: w,
            p: two_sided_exact(&counts, w),
            exact,
        });
    }
    let total = m + n;
    let tie_term: f64 = ties.iter().map(|t| t * t * t - t).sum();
    let variance = m * n / 12.0 * (total + 1.0 - tie_term / (total * (total - 1.0)));
    normal_test(w, m * n / 2.0, variance)
}

/// Hodges–Lehmann estimate of the shift from `old` to `new`, with its interval.
///
/// On logarithms, its exponential is a ratio. The interval inverts the Mann–Whitney test (exact
/// counts below 50 values a side, normal approximation above). `None` when a sample is empty.
///
/// Source: J. L. Hodges and E. L. Lehmann, Ann. Math. Statist. 34 (1963) 598–611; M. Hollander
/// and D. A. Wolfe, Nonparametric Statistical Methods, section 4.2–4.3.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn hodges_lehmann(old: &[f64], new: &[f64], confidence: f64) -> Option<(f64, [f64; 2])> {
    if old.is_empty() || new.is_empty() {
        return None;
    }
    let mut shifts: Vec<f64> = new
        .iter()
        .flat_map(|x| old.iter().map(move |y| x - y))
        .collect();
    shifts.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    let skipped = if old.len() < EXACT_BELOW && new.len() < EXACT_BELOW {
        let counts = mann_whitney_counts(new.len(), old.len());
        let total: f64 = counts.iter().sum();
        let mut cumulated = 0.0;
        counts
            .iter()
            .position(|count| {
                cumulated += count;
                cumulated / total >= tail
            })
            .unwrap_or(0)
    } else {
        let (m, n) = (summary::count(new), summary::count(old));
        let sd = (m * n * (m + n + 1.0) / 12.0).sqrt();
        (m * n / 2.0 + normal_quantile(tail) * sd).max(0.0) as usize
    };
    let skipped = skipped.clamp(1, shifts.len().div_ceil(2));
    let ends = [shifts[skipped - 1], shifts[shifts.len() - skipped]];
    Some((summary::quantile7(&shifts, 0.5), ends))
}

/// Wilcoxon's signed-rank test of differences; V sums the ranks of the positive ones. Zeros are
/// left out, as in R. `None` when none is left.
///
/// Source: F. Wilcoxon, Biometrics Bulletin 1 (1945) 80–83.
pub fn signed_rank(differences: &[f64]) -> Option<RankTest> {
    let kept: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    if kept.is_empty() {
        return None;
    }
    let sizes: Vec<f64> = kept.iter().map(|d| d.abs()).collect();
    let (ranks, ties) = midranks(&sizes);
    let v: f64 = kept
        .iter()
        .zip(&ranks)
        .filter(|(d, _)| **d > 0.0)
        .map(|(_, r)| r)
        .sum();
    let exact = ties.is_empty() && kept.len() == differences.len() && kept.len() < EXACT_BELOW;
    if exact {
        return Some(RankTest {
            statistic: v,
            p: two_sided_exact(&signed_rank_counts(kept.len()), v),
            exact,
        });
    }
    let n = summary::count(&kept);
    let tie_term: f64 = ties.iter().map(|t| t * t * t - t).sum();
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - tie_term / 48.0;
    normal_test(v, n * (n + 1.0) / 4.0, variance)
}

/// Two-sided sign test: the p-value of `positive` among `n` fair coin tosses.
///
/// Source: J. Arbuthnot (1710); as R's `binom.test(positive, n)` at one half.
#[allow(clippy::cast_possible_wrap)] // Sizes are far below 2^63.
pub fn sign_test(positive: u64, n: u64) -> f64 {
    let smaller = positive.min(n - positive) as i64;
    (2.0 * super::distribution::binomial_cdf(smaller, n, 0.5)).min(1.0)
}

fn normal_test(statistic: f64, centre: f64, variance: f64) -> Option<RankTest> {
    if variance <= 0.0 {
        return None;
    }
    let distance = ((statistic - centre).abs() - 0.5).max(0.0);
    Some(RankTest {
        statistic,
        p: (2.0 * normal_sf(distance / variance.sqrt())).min(1.0),
        exact: false,
    })
}

/// Ranks from 1, equal values sharing their mean rank, and the sizes of the groups of equals.
fn midranks(values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut ties = Vec::new();
    let mut before = 0.0;
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let mut size = 0.0;
        group.iter().for_each(|_| size += 1.0);
        for &index in group {
            ranks[index] = before + (size + 1.0) / 2.0;
        }
        if size > 1.0 {
            ties.push(size);
        }
        before += size;
    }
    (ranks, ties)
}

/// How many arrangements give each W, for `m` new and `n` old values without ties.
fn mann_whitney_counts(m: usize, n: usize) -> Vec<f64> {
    // The generating function is the Gaussian binomial: the product of (1−x^(n+i))/(1−x^i).
    let top = m * n;
    let mut counts = vec![0.0; top + 1];
    counts[0] = 1.0;
    for i in 1..=m {
        for w in (n + i..=top).rev() {
            counts[w] -= counts[w - n - i];
        }
        for w in i..=top {
            counts[w] += counts[w - i];
        }
    }
    counts
}

/// How many sign patterns give each V, for `n` differences without ties.
fn signed_rank_counts(n: usize) -> Vec<f64> {
    let mut counts = vec![0.0; n * (n + 1) / 2 + 1];
    counts[0] = 1.0;
    for rank in 1..=n {
        for v in (rank..counts.len()).rev() {
            counts[v] += counts[v - rank];
        }
    }
    counts
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Exact statistics are whole.
fn two_sided_exact(counts: &[f64], statistic: f64) -> f64 {
    let index = (statistic as usize).min(counts.len() - 1);
    let total: f64 = counts.iter().sum();
    // The distributions are symmetric, so the nearer tail decides.
    let nearer = index.min(counts.len() - 1 - index);
    let tail: f64 = counts.iter().take(nearer + 1).sum();
    (2.0 * tail / total).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smallest_two_sided_p_of_few_rounds() {
        // With five rounds no rank test reaches .05, with six it does.
        let five = signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("differences");
        let six = signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).expect("differences");
        assert_eq!((five.p, six.p), (0.0625, 0.03125));
        assert!(five.exact && six.exact);
    }

    #[test]
    fn exact_counts_sum_to_the_binomial_coefficient() {
        let counts = mann_whitney_counts(4, 3);
        assert_eq!(counts.iter().sum::<f64>(), 35.0);
        assert_eq!(
            counts,
            vec![
                1.0, 1.0, 2.0, 3.0, 4.0, 4.0, 5.0, 4.0, 4.0, 3.0, 2.0, 1.0, 1.0
            ]
        );
    }

    #[test]
    fn mann_whitney_of_separated_samples() {
        let test = mann_whitney(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0, 7.0]).expect("samples");
        assert_eq!(test.statistic, 12.0);
        assert!((test.p - 2.0 / 35.0).abs() < 1e-15);
        assert_eq!(mann_whitney(&[1.0, 1.0], &[1.0, 1.0]), None);
        assert_eq!(mann_whitney(&[], &[1.0]), None);
    }

    #[test]
    fn ties_use_the_normal_approximation() {
        let test = mann_whitney(&[1.0, 2.0, 2.0, 3.0], &[2.0, 3.0, 4.0, 4.0]).expect("samples");
        // scipy 1.17: mannwhitneyu(new, old, use_continuity=True, method="asymptotic").
        assert!(!test.exact);
        assert_eq!(test.statistic, 13.5);
        assert!(
            (test.p - 0.134_169_180_128_125_84).abs() < 1e-9,
            "{}",
            test.p
        );
    }

    #[test]
    fn hodges_lehmann_shift() {
        let old = [1.0, 2.0, 3.0, 4.0, 5.0];
        let new = [11.0, 12.5, 13.0, 14.0, 15.5];
        let (shift, [low, high]) = hodges_lehmann(&old, &new, 0.95).expect("samples");
        assert_eq!(shift, 10.0);
        assert!(
            low < 10.0 && high > 10.0 && low > 6.0 && high < 14.0,
            "{low} {high}"
        );
    }

    #[test]
    fn sign_test_is_two_sided() {
        assert!((sign_test(0, 6) - 0.03125).abs() < 1e-12);
        assert!((sign_test(3, 6) - 1.0).abs() < 1e-12);
    }
}

//! Percentiles of latencies and the ranks that bound them.

use super::distribution::{binomial_cdf, binomial_quantile};

/// Percentile by nearest rank: the smallest value with at least a share `p` at or below it.
/// NaN for no values; `sorted` ascending.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn nearest_rank(sorted: &[f64], p: f64) -> f64 {
    let n = super::summary::count(sorted);
    // p·n such as 0.9 × 10 may end a rounding error above its integer.
    let rank = (p * n * (1.0 - 4.0 * f64::EPSILON)).ceil().max(1.0) as usize;
    sorted
        .get(rank.min(sorted.len()).wrapping_sub(1))
        .copied()
        .unwrap_or(f64::NAN)
}

/// Ranks, from 1, of the order statistics that enclose a percentile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankInterval {
    /// Lower rank; 0 means that there is no lower bound at this size.
    pub lower: u64,
    /// Upper rank; n + 1 means that there is no upper bound at this size.
    pub upper: u64,
    /// The probability that the interval covers the percentile.
    pub coverage: f64,
}

/// Distribution-free interval of the `p` percentile of `n` values.
///
/// Source: W. J. Conover, Practical Nonparametric Statistics (3rd ed.), section 3.2.
#[allow(clippy::cast_possible_wrap)] // Sizes are far below 2^63.
pub fn rank_interval(n: u64, p: f64, confidence: f64) -> RankInterval {
    let tail = (1.0 - confidence) / 2.0;
    let lower = binomial_quantile(tail, n, p);
    let upper = binomial_quantile(1.0 - tail, n, p) + 1;
    let below = binomial_cdf(lower as i64 - 1, n, p);
    RankInterval {
        lower,
        upper,
        coverage: binomial_cdf(upper as i64 - 1, n, p) - below,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_at_the_ends() {
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(nearest_rank(&ten, 0.9), 9.0);
        assert_eq!(nearest_rank(&ten, 0.91), 10.0);
        assert_eq!(nearest_rank(&ten, 0.0), 1.0);
        assert_eq!(nearest_rank(&ten, 1.0), 10.0);
        assert!(nearest_rank(&[], 0.5).is_nan());
    }
}

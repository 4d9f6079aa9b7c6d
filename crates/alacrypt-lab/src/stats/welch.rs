//! Two independent samples with unequal variances: Welch's test, the "accuracy" columns of
//! Node's compare.R, and Fieller's interval of the ratio of means.

use super::distribution::{t_quantile, t_two_sided};
use super::summary;

/// Mean, variance and size of one sample: all that these tests need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Number of values.
    pub n: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Variance with n−1.
    pub variance: f64,
}

impl Moments {
    /// Of a sample; `None` below two values.
    pub fn of(values: &[f64]) -> Option<Self> {
        Some(Self {
            n: summary::count(values),
            mean: summary::mean(values),
            variance: summary::variance(values)?,
        })
    }

    /// Squared standard error of the mean.
    pub fn mean_variance(&self) -> f64 {
        self.variance / self.n
    }
}

/// Welch's comparison of `new` with `old`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Welch {
    /// Difference of means over its standard error, new minus old.
    pub t: f64,
    /// Degrees of freedom (Welch–Satterthwaite).
    pub df: f64,
    /// Two-sided p-value.
    pub p: f64,
    /// Standard error of the difference.
    pub se: f64,
    /// Difference of means, new minus old.
    pub difference: f64,
}

/// Welch's t test; `None` when neither sample varies.
///
/// Source: B. L. Welch, Biometrika 34 (1947) 28–35; F. E. Satterthwaite, Biometrics Bulletin 2
/// (1946) 110–114.
pub fn welch(old: &Moments, new: &Moments) -> Option<Welch> {
    let (v_old, v_new) = (old.mean_variance(), new.mean_variance());
    let variance = v_old + v_new;
    let scale = old.mean.abs().max(new.mean.abs());
    // As in R's t.test: rounding of constant data is not a spread.
    if variance.sqrt() <= 10.0 * f64::EPSILON * scale {
        return None;
    }
    let df = satterthwaite(&[(v_old, old.n - 1.0), (v_new, new.n - 1.0)]);
    let (se, difference) = (variance.sqrt(), new.mean - old.mean);
    let t = difference / se;
    Some(Welch {
        t,
        df,
        p: t_two_sided(t, df),
        se,
        difference,
    })
}

impl Welch {
    /// Interval of the difference of means at `confidence`.
    pub fn difference_interval(&self, confidence: f64) -> [f64; 2] {
        let half = t_quantile(0.5 + confidence / 2.0, self.df) * self.se;
        [self.difference - half, self.difference + half]
    }

    /// The "accuracy" of compare.R in percent: half-width of the interval of the difference over
    /// the old mean. It takes that mean as exactly known; see [`fieller`] for the honest interval.
    ///
    /// Source: nodejs/node `benchmark/compare.R`.
    pub fn accuracy_pct(&self, old_mean: f64, confidence: f64) -> f64 {
        t_quantile(0.5 + confidence / 2.0, self.df) * self.se / old_mean * 100.0
    }
}

/// Degrees of freedom of a sum of variances, each with its own.
pub fn satterthwaite(parts: &[(f64, f64)]) -> f64 {
    let total: f64 = parts.iter().map(|(variance, _)| variance).sum();
    let inner: f64 = parts
        .iter()
        .map(|(variance, df)| variance * variance / df)
        .sum();
    total * total / inner
}

/// The interval of a ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RatioInterval {
    /// From … to.
    Bounded([f64; 2]),
    /// The old mean is not distinguishable from zero, so the ratio has no finite interval.
    Unbounded,
}

impl RatioInterval {
    /// The two ends, when there are two.
    pub fn bounds(self) -> Option<[f64; 2]> {
        match self {
            Self::Bounded(ends) => Some(ends),
            Self::Unbounded => None,
        }
    }
}

/// Fieller's interval of mean(new) / mean(old) for independent samples; `None` without spread.
///
/// The roots of (ō²−q²v₁)R² − 2ōw̄R + (w̄²−q²v₂) = 0 with v = s²/n and q the t quantile at the
/// Satterthwaite degrees of freedom of w̄ − R̂ō.
///
/// Source: E. C. Fieller, J. R. Statist. Soc. B 16 (1954) 175–185.
pub fn fieller(old: &Moments, new: &Moments, confidence: f64) -> Option<RatioInterval> {
    welch(old, new)?;
    let df = fieller_df(old, new);
    let q2 = t_quantile(0.5 + confidence / 2.0, df).powi(2);
    let (v_old, v_new) = (old.mean_variance(), new.mean_variance());
    let a = old.mean * old.mean - q2 * v_old;
    let b = old.mean * new.mean;
    let c = new.mean * new.mean - q2 * v_new;
    let root = b * b - a * c;
    if !(a > 0.0 && root >= 0.0) {
        return Some(RatioInterval::Unbounded);
    }
    let ends = [(b - root.sqrt()) / a, (b + root.sqrt()) / a];
    Some(RatioInterval::Bounded(ends))
}

/// Degrees of freedom of Fieller's interval, at the estimated ratio.
pub fn fieller_df(old: &Moments, new: &Moments) -> f64 {
    let ratio2 = (new.mean / old.mean).powi(2);
    satterthwaite(&[
        (new.mean_variance(), new.n - 1.0),
        (ratio2 * old.mean_variance(), old.n - 1.0),
    ])
}

/// One-sided p-value against a threshold: is mean(new) below `factor` × mean(old)?
///
/// Small when the regression is certainly beyond the threshold. `None` without spread.
pub fn below_threshold(old: &Moments, new: &Moments, factor: f64) -> Option<f64> {
    let scaled = Moments {
        n: old.n,
        mean: old.mean * factor,
        variance: old.variance * factor * factor,
    };
    let test = welch(&scaled, new)?;
    Some(super::distribution::t_cdf(test.t, test.df))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_data_have_no_answer() {
        let five = Moments::of(&[5.0; 3]).expect("three values");
        assert_eq!(welch(&five, &five), None);
        assert_eq!(fieller(&five, &five, 0.95), None);
        assert_eq!(Moments::of(&[5.0]), None);
    }

    #[test]
    fn a_mean_near_zero_has_an_unbounded_ratio() {
        let old = Moments::of(&[-1.0, 1.0, 0.1]).expect("three values");
        let new = Moments::of(&[5.0, 6.0, 7.0]).expect("three values");
        assert_eq!(fieller(&old, &new, 0.95), Some(RatioInterval::Unbounded));
    }

    #[test]
    fn the_threshold_test_is_one_sided() {
        let old = Moments::of(&[100.0, 101.0, 99.0, 100.5]).expect("four values");
        let worse = Moments::of(&[90.0, 91.0, 89.0, 90.5]).expect("four values");
        assert!(below_threshold(&old, &worse, 0.95).expect("spread") < 0.01);
        assert!(below_threshold(&old, &old, 0.95).expect("spread") > 0.99);
    }
}

//! Quantiles and tails. Thin wrappers over statrs (checked against R 4.2.2 to 1e-12), so that
//! the rest of the room deals in plain numbers; the noncentral t is by hand.

use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, DiscreteCDF, Normal, StudentsT};
use statrs::function::beta::beta_reg;
use statrs::function::gamma::ln_gamma;

/// Quantile of Student's t: the x with P(T ≤ x) = `p`. NaN when `df` ≤ 0.
pub fn t_quantile(p: f64, df: f64) -> f64 {
    StudentsT::new(0.0, 1.0, df).map_or(f64::NAN, |t| t.inverse_cdf(p))
}

/// P(T ≤ x) of Student's t.
pub fn t_cdf(x: f64, df: f64) -> f64 {
    StudentsT::new(0.0, 1.0, df).map_or(f64::NAN, |t| t.cdf(x))
}

/// Two-sided p-value of a t statistic.
pub fn t_two_sided(t: f64, df: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    StudentsT::new(0.0, 1.0, df).map_or(f64::NAN, |dist| (2.0 * dist.sf(t.abs())).min(1.0))
}

/// Quantile of the standard normal distribution.
pub fn normal_quantile(p: f64) -> f64 {
    Normal::standard().inverse_cdf(p)
}

/// P(Z ≤ x) of the standard normal distribution.
pub fn normal_cdf(x: f64) -> f64 {
    Normal::standard().cdf(x)
}

/// P(Z > x) of the standard normal distribution; precise far out.
pub fn normal_sf(x: f64) -> f64 {
    Normal::standard().sf(x)
}

/// P(X > x) of chi-squared with `df` degrees of freedom.
pub fn chi_squared_sf(x: f64, df: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    ChiSquared::new(df).map_or(f64::NAN, |dist| dist.sf(x))
}

/// P(X ≤ k) of a binomial variable; `k` may be negative.
pub fn binomial_cdf(k: i64, n: u64, p: f64) -> f64 {
    match u64::try_from(k) {
        Err(_) => 0.0,
        Ok(k) if k >= n => 1.0,
        Ok(k) => Binomial::new(p, n).map_or(f64::NAN, |dist| dist.cdf(k)),
    }
}

/// Smallest k with P(X ≤ k) ≥ `q`, as R's `qbinom`.
pub fn binomial_quantile(q: f64, n: u64, p: f64) -> u64 {
    // R's own tolerance: without it a tail that equals q up to rounding would give k + 1.
    let target = q * (1.0 - 64.0 * f64::EPSILON);
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        let at_middle = i64::try_from(middle).map_or(1.0, |k| binomial_cdf(k, n, p));
        if at_middle >= target {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// P(T ≤ t) of the noncentral t distribution with `df` degrees of freedom and centre `ncp`.
///
/// Source: R. V. Lenth, Algorithm AS 243, Applied Statistics 38 (1989) 185–189.
pub fn noncentral_t_cdf(t: f64, df: f64, ncp: f64) -> f64 {
    if t < 0.0 {
        return 1.0 - noncentral_t_cdf(-t, df, -ncp);
    }
    let base = normal_cdf(-ncp);
    let x = t * t / (t * t + df);
    if x <= 0.0 {
        return base;
    }
    let half = ncp * ncp / 2.0;
    let mut sum = 0.0;
    for j in 0..2000 {
        let j = f64::from(j);
        let log_even = if j == 0.0 { 0.0 } else { j * half.ln() };
        let even = (log_even - half - ln_gamma(j + 1.0)).exp();
        let odd = ncp / std::f64::consts::SQRT_2 * (log_even - half - ln_gamma(j + 1.5)).exp();
        let term = even * beta_reg(j + 0.5, df / 2.0, x) + odd * beta_reg(j + 1.0, df / 2.0, x);
        sum += term;
        if j > half && term.abs() < 1e-13 {
            break;
        }
    }
    (base + sum / 2.0).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64, rel: f64) {
        assert!(
            (found / expected - 1.0).abs() < rel,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn quantiles_of_the_tables() {
        // R 4.2: qt(.975, 10), qt(.9995, 38.13), qnorm(.975), pbinom(6, 40, .05).
        near(t_quantile(0.975, 10.0), 2.228_138_851_986_27, 1e-12);
        near(normal_quantile(0.975), 1.959_963_984_540_05, 1e-12);
        near(
            t_two_sided(63.035_200_794_386_7, 16.475_473_417_409_5),
            4.445_685_816_109_85e-21,
            1e-9,
        );
        assert_eq!(binomial_quantile(0.99, 40, 0.05), 6);
        assert_eq!(binomial_quantile(0.5, 10, 0.5), 5);
        assert_eq!(binomial_cdf(-1, 5, 0.5), 0.0);
        assert_eq!(binomial_cdf(5, 5, 0.5), 1.0);
    }

    #[test]
    fn noncentral_t_reduces_to_the_central_one() {
        near(noncentral_t_cdf(1.3, 7.0, 0.0), t_cdf(1.3, 7.0), 1e-11);
        near(noncentral_t_cdf(-1.3, 7.0, 0.0), t_cdf(-1.3, 7.0), 1e-11);
    }
}

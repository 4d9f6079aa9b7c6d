//! How small a difference a plan can show, and how many runs a difference needs.

use super::distribution::{noncentral_t_cdf, normal_quantile, t_quantile};

/// Power that plans are made for: a real difference is found 4 times of 5.
pub const POWER: f64 = 0.8;

/// Smallest difference of two means, in units of `sd`'s unit, that a two-sided test at `alpha`
/// finds with probability `power` with `n` runs a side. NaN below two runs.
///
/// Source: as R's `power.t.test(n, sd, sig.level, power)`; J. Cohen, Statistical Power Analysis
/// (2nd ed.), section 2.4.
pub fn detectable(n: f64, sd: f64, alpha: f64, power: f64) -> f64 {
    if n < 2.0 || sd.is_nan() {
        return f64::NAN;
    }
    let unit = bisect(0.0, 100.0, |delta| {
        two_sample_power(n, delta, alpha) >= power
    });
    unit * sd
}

/// Runs a side that a difference `delta` needs at spread `sd`; at least 2.
pub fn runs_needed(delta: f64, sd: f64, alpha: f64, power: f64) -> f64 {
    if !(delta > 0.0 && sd >= 0.0 && delta.is_finite() && sd.is_finite()) {
        return f64::NAN;
    }
    let unit = delta / sd;
    let guess =
        2.0 * ((normal_quantile(1.0 - alpha / 2.0) + normal_quantile(power)) / unit).powi(2);
    if guess > 1e6 {
        return guess.ceil();
    }
    bisect(2.0, guess.max(2.0) * 2.0 + 10.0, |n| {
        two_sample_power(n, unit, alpha) >= power
    })
    .ceil()
}

/// Rounds needed until an effect of size `target` (log scale) is found with probability
/// [`POWER`], when `rounds` rounds gave the standard error `se`.
pub fn rounds_needed(rounds: f64, se: f64, target: f64, alpha: f64) -> f64 {
    let reach = normal_quantile(1.0 - alpha / 2.0) + normal_quantile(POWER);
    (rounds * (se * reach / target).powi(2)).ceil()
}

/// Power of the two-sided two-sample t test for a standardised difference.
fn two_sample_power(n: f64, delta: f64, alpha: f64) -> f64 {
    let df = 2.0 * (n - 1.0);
    let limit = t_quantile(1.0 - alpha / 2.0, df);
    1.0 - noncentral_t_cdf(limit, df, delta * (n / 2.0).sqrt())
}

fn bisect(mut low: f64, mut high: f64, enough: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_of_a_two_percent_spread() {
        // power.t.test(n = 30, sd = 2, power = .8)$delta = 1.4719…; (delta = 1, sd = 2)$n = 63.77.
        let delta = detectable(30.0, 2.0, 0.05, POWER);
        assert_eq!(format!("{delta:.2}"), "1.47");
        assert_eq!(runs_needed(1.0, 2.0, 0.05, POWER), 64.0);
    }

    #[test]
    fn nonsense_in_is_nan_out() {
        assert!(detectable(1.0, 2.0, 0.05, POWER).is_nan());
        assert!(runs_needed(0.0, 2.0, 0.05, POWER).is_nan());
        assert!(runs_needed(f64::NAN, 2.0, 0.05, POWER).is_nan());
    }

    #[test]
    fn four_times_the_rounds_halve_the_effect() {
        let whole = rounds_needed(30.0, 0.01, 0.02, 0.05);
        let half = rounds_needed(30.0, 0.01, 0.01, 0.05);
        assert!((half / whole - 4.0).abs() < 0.1);
    }
}

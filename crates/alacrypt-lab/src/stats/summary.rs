//! Mean, spread and order statistics of one sample.

/// Sum with Neumaier's compensation, so that long samples lose no digits.
///
/// Source: A. Neumaier, ZAMM 54 (1974) 39–51.
pub fn sum(values: &[f64]) -> f64 {
    let (mut total, mut lost) = (0.0_f64, 0.0_f64);
    for &value in values {
        let next = total + value;
        lost += if total.abs() >= value.abs() {
            (total - next) + value
        } else {
            (value - next) + total
        };
        total = next;
    }
    total + lost
}

/// Number of values as a float.
#[allow(clippy::cast_precision_loss)] // Samples have far fewer than 2^53 values.
pub fn count(values: &[f64]) -> f64 {
    values.len() as f64
}

/// Arithmetic mean; NaN for no values.
pub fn mean(values: &[f64]) -> f64 {
    sum(values) / count(values)
}

/// Variance with n−1; `None` below two values.
pub fn variance(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let centre = mean(values);
    let squares: Vec<f64> = values.iter().map(|x| (x - centre).powi(2)).collect();
    Some(sum(&squares) / (count(values) - 1.0))
}

/// Standard deviation with n−1; `None` below two values.
pub fn sd(values: &[f64]) -> Option<f64> {
    variance(values).map(f64::sqrt)
}

/// Coefficient of variation: standard deviation over mean.
pub fn cv(values: &[f64]) -> Option<f64> {
    let centre = mean(values);
    sd(values)
        .map(|sd| sd / centre.abs())
        .filter(|cv| cv.is_finite())
}

/// A sorted copy; NaN sorts last.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut copy = values.to_vec();
    copy.sort_unstable_by(f64::total_cmp);
    copy
}

/// Quantile of sorted values, linear between order statistics: type 7 of R. NaN for no values.
///
/// Source: R. J. Hyndman and Y. Fan, The American Statistician 50 (1996) 361–365.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss
)]
pub fn quantile7(sorted: &[f64], p: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let place = p.clamp(0.0, 1.0) * last as f64;
    let below = place.floor();
    let index = below as usize;
    match (sorted.get(index), sorted.get(index + 1)) {
        (Some(low), Some(high)) => low + (place - below) * (high - low),
        _ => sorted[last],
    }
}

/// Median of unsorted values; NaN for none.
pub fn median(values: &[f64]) -> f64 {
    quantile7(&sorted(values), 0.5)
}

/// Median absolute deviation from the median, raw (not scaled to a standard deviation).
pub fn mad(values: &[f64]) -> f64 {
    let centre = median(values);
    let distances: Vec<f64> = values.iter().map(|x| (x - centre).abs()).collect();
    median(&distances)
}

/// Sample skewness, adjusted Fisher-Pearson (type 2); `None` below three values or no spread.
///
/// Source: D. N. Joanes and C. A. Gill, The Statistician 47 (1998) 183–189.
pub fn skewness(values: &[f64]) -> Option<f64> {
    if values.len() < 3 {
        return None;
    }
    let (n, centre) = (count(values), mean(values));
    let moment = |power: i32| values.iter().map(|x| (x - centre).powi(power)).sum::<f64>() / n;
    let second = moment(2);
    if second <= 0.0 {
        return None;
    }
    let raw = moment(3) / second.powf(1.5);
    Some(raw * (n * (n - 1.0)).sqrt() / (n - 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_samples_have_no_spread() {
        assert_eq!(variance(&[1.0]), None);
        assert_eq!(sd(&[2.0, 2.0]), Some(0.0));
        assert!(mean(&[]).is_nan() && median(&[]).is_nan());
        assert_eq!(skewness(&[1.0, 1.0, 1.0]), None);
    }

    #[test]
    fn compensation_keeps_small_addends() {
        assert_eq!(sum(&[1e16, 1.0, -1e16]), 1.0);
    }

    #[test]
    fn quantiles_between_order_statistics() {
        assert_eq!(quantile7(&[1.0, 2.0, 3.0, 4.0], 0.5), 2.5);
        assert_eq!(quantile7(&[1.0, 2.0, 3.0, 4.0], 1.0), 4.0);
        assert_eq!(quantile7(&[7.0], 0.3), 7.0);
    }

    #[test]
    fn skewness_of_a_known_sample() {
        // e1071::skewness(c(1, 2, 3, 10), type = 2) in R.
        let found = skewness(&[1.0, 2.0, 3.0, 10.0]).expect("has spread");
        assert!((found - 1.763_632_614_803_888).abs() < 1e-9, "{found}");
    }
}

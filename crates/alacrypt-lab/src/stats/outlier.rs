//! Which runs stand out. Nothing here removes a run; callers list them.

use super::summary;

/// hyperfine's limit: 14.826 raw median absolute deviations (ten standard deviations of a normal
/// distribution).
///
/// Source: sharkdp/hyperfine `src/outlier_detection.rs`; B. Iglewicz and D. C. Hoaglin, How to
/// Detect and Handle Outliers (1993).
pub const MODIFIED_Z_LIMIT: f64 = 14.826;

/// Indices, from 0, of values further than `limit` raw MADs from the median.
pub fn modified_z(values: &[f64], limit: f64) -> Vec<usize> {
    let centre = summary::median(values);
    // When more than half of the values are equal any other value stands out infinitely;
    // hyperfine puts the smallest positive spread there too.
    let mad = summary::mad(values)
        .max(f64::EPSILON * centre.abs())
        .max(f64::MIN_POSITIVE);
    indices(values, |x| (x - centre).abs() / mad > limit)
}

/// Indices of values beyond Tukey's fences: `k` interquartile ranges outside the quartiles
/// (1.5: mild, 3: extreme).
///
/// Source: J. W. Tukey, Exploratory Data Analysis (1977), section 2D.
pub fn tukey(values: &[f64], k: f64) -> Vec<usize> {
    let sorted = summary::sorted(values);
    let (low, high) = (
        summary::quantile7(&sorted, 0.25),
        summary::quantile7(&sorted, 0.75),
    );
    let reach = k * (high - low);
    indices(values, |x| x < low - reach || x > high + reach)
}

fn indices(values: &[f64], stands_out: impl Fn(f64) -> bool) -> Vec<usize> {
    let marked = values.iter().enumerate().filter(|(_, x)| stands_out(**x));
    marked.map(|(index, _)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_no_outlier_and_one_other_value_is_one() {
        assert!(modified_z(&[5.0; 8], MODIFIED_Z_LIMIT).is_empty());
        assert!(tukey(&[5.0; 8], 3.0).is_empty());
        assert_eq!(modified_z(&[5.0, 5.0, 5.0, 6.0], MODIFIED_Z_LIMIT), vec![3]);
    }
}

//! The geometric mean of ratios, with the two intervals that are so often taken for each other.

use super::distribution::t_quantile;
use super::summary;
use super::welch::satterthwaite;

/// One row's contribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogRatio {
    /// ln(new / old).
    pub estimate: f64,
    /// Its squared standard error; `None` when unknown (one run a side).
    pub variance: Option<f64>,
    /// Degrees of freedom of that error.
    pub df: f64,
}

/// Geometric mean of the ratios of several rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeometricMean {
    /// exp of the mean log ratio.
    pub ratio: f64,
    /// 95 % interval for *this set* of benchmarks: run noise only. `None` when a row's error is
    /// unknown.
    pub this_set: Option<[f64; 2]>,
    /// 95 % interval *across benchmarks*: the rows as a sample of all that might be written.
    /// `None` below two rows.
    pub across: Option<[f64; 2]>,
    /// Rows that took part.
    pub rows: usize,
}

/// Geometric mean with both intervals; `None` for no rows.
///
/// Source: P. J. Fleming and J. J. Wallace, CACM 29 (1986) 218–221 for the mean; delta method for
/// *this set*; Student's t over the log ratios for *across*.
pub fn geometric_mean(rows: &[LogRatio]) -> Option<GeometricMean> {
    if rows.is_empty() {
        return None;
    }
    let logs: Vec<f64> = rows.iter().map(|row| row.estimate).collect();
    let (centre, n) = (summary::mean(&logs), summary::count(&logs));
    let around = |half: f64| [(centre - half).exp(), (centre + half).exp()];
    let this_set = rows
        .iter()
        .map(|row| row.variance.map(|variance| (variance / (n * n), row.df)))
        .collect::<Option<Vec<_>>>()
        .map(|parts| {
            let variance: f64 = parts.iter().map(|(variance, _)| variance).sum();
            if variance > 0.0 {
                around(t_quantile(0.975, satterthwaite(&parts)) * variance.sqrt())
            } else {
                around(0.0)
            }
        });
    let across = summary::sd(&logs).map(|sd| around(t_quantile(0.975, n - 1.0) * sd / n.sqrt()));
    Some(GeometricMean {
        ratio: centre.exp(),
        this_set,
        across,
        rows: rows.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_intervals_answer_different_questions() {
        let row = |ratio: f64| LogRatio {
            estimate: ratio.ln(),
            variance: Some(1e-6),
            df: 40.0,
        };
        let mean = geometric_mean(&[row(0.8), row(1.25), row(1.5)]).expect("three rows");
        assert!((mean.ratio - 1.5_f64.powf(1.0 / 3.0)).abs() < 1e-12);
        let [set_low, set_high] = mean.this_set.expect("errors known");
        let [low, high] = mean.across.expect("three rows");
        assert!(set_high - set_low < 0.01 && high - low > 0.5);
    }

    #[test]
    fn missing_parts_are_named_as_such() {
        assert_eq!(geometric_mean(&[]), None);
        let unknown = LogRatio {
            estimate: 0.1,
            variance: None,
            df: 0.0,
        };
        let mean = geometric_mean(&[unknown]).expect("one row");
        assert_eq!((mean.this_set, mean.across, mean.rows), (None, None, 1));
    }
}

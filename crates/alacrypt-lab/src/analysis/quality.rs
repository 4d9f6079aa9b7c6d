//! What is doubtful about one arm's runs on one row: outliers with their likely causes, drift,
//! dependence, skew, two modes.

use serde::Serialize;

use super::{RowData, Sample};
use crate::session::Noise;
use crate::stats::{outlier, series, summary};

/// A run that stands out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outlier {
    /// Number of the run.
    pub run: u64,
    /// Its distance from the median, as a share of the median.
    pub deviation: f64,
    /// Which rules flag it.
    pub rules: Vec<&'static str>,
    /// What the machine did in that run and not in the others, in words.
    pub causes: Vec<String>,
}

/// The state of one arm's runs on one row.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ArmQuality {
    /// Lag-1 autocorrelation.
    pub lag1: Option<f64>,
    /// Independent runs that the sample is worth.
    pub effective_n: f64,
    /// p-value of "no trend".
    pub trend_p: Option<f64>,
    /// Kendall's tau of the trend.
    pub trend_tau: Option<f64>,
    /// p-value of "runs do not depend on those before" (Ljung–Box, up to five lags).
    pub dependence_p: Option<f64>,
    /// Skewness.
    pub skewness: Option<f64>,
    /// Whether the first run stands out.
    pub slow_start: bool,
    /// Share of runs in the upper of two groups, when there are two.
    pub upper_mode_share: Option<f64>,
    /// Runs that stand out.
    pub outliers: Vec<Outlier>,
}

/// Beyond this skewness means are pulled by few runs and the ordinary interval is doubtful.
pub(super) const STRONG_SKEW: f64 = 2.0;

/// Looks at the runs of one arm.
pub(super) fn inspect(row: &RowData, arm: usize) -> ArmQuality {
    let samples: Vec<&Sample> = row.of(arm).collect();
    let values: Vec<f64> = samples.iter().map(|sample| sample.value).collect();
    let trend = series::kendall_trend(&values);
    let lags = (values.len() / 5).clamp(1, 5);
    ArmQuality {
        lag1: series::autocorrelation(&values, 1),
        effective_n: series::effective_size(&values),
        trend_p: trend.map(|trend| trend.p),
        trend_tau: trend.map(|trend| trend.tau),
        dependence_p: (values.len() >= 10)
            .then(|| series::ljung_box(&values, lags))
            .flatten(),
        skewness: summary::skewness(&values),
        slow_start: values.len() >= 5 && series::first_run_stands_out(&values),
        upper_mode_share: series::two_modes(&values).map(|modes| modes.upper_share),
        outliers: outliers(&samples, &values),
    }
}

fn outliers(samples: &[&Sample], values: &[f64]) -> Vec<Outlier> {
    if values.len() < 5 {
        return Vec::new();
    }
    let far = outlier::modified_z(values, outlier::MODIFIED_Z_LIMIT);
    let fenced = outlier::tukey(values, 3.0);
    let centre = summary::median(values);
    let mut indices: Vec<usize> = far.iter().chain(&fenced).copied().collect();
    indices.sort_unstable();
    indices.dedup();
    // Where more than half of the runs are equal, every other value is infinitely far in MADs;
    // a deviation that nobody could measure is not worth a line.
    indices.retain(|index| (values[*index] / centre - 1.0).abs() > 1e-3);
    indices
        .into_iter()
        .map(|index| Outlier {
            run: samples[index].run,
            deviation: values[index] / centre - 1.0,
            rules: [("modified z", &far), ("Tukey", &fenced)]
                .iter()
                .filter(|(_, list)| list.contains(&index))
                .map(|(name, _)| *name)
                .collect(),
            causes: causes(samples, index),
        })
        .collect()
}

/// A figure of the noise record with how to print it.
type Figure = (&'static str, fn(&Noise) -> Option<f64>, fn(f64) -> String);

const FIGURES: [Figure; 8] = [
    (
        "steal",
        |n| n.steal_ticks.map(|v| v as f64),
        |v| format!("{v:.0} ticks"),
    ),
    ("PSI cpu", |n| n.psi_cpu_us.map(|v| v as f64), milliseconds),
    ("PSI io", |n| n.psi_io_us.map(|v| v as f64), milliseconds),
    ("PSI mem", |n| n.psi_mem_us.map(|v| v as f64), milliseconds),
    (
        "other CPU use",
        |n| n.other_cpu_share.map(|v| v * 100.0),
        |v| format!("{v:.0} %"),
    ),
    (
        "the core's other thread busy",
        |n| n.sibling_busy_share.map(|v| v * 100.0),
        |v| format!("{v:.0} %"),
    ),
    ("load", |n| n.load1, |v| format!("{v:.1}")),
    (
        "temperature",
        |n| n.temp_milli_c.map(|v| v as f64 / 1000.0),
        |v| format!("{v:.0} °C"),
    ),
];

fn milliseconds(microseconds: f64) -> String {
    format!("{:.0} ms", microseconds / 1000.0)
}

fn causes(samples: &[&Sample], index: usize) -> Vec<String> {
    let Some(this) = &samples[index].noise else {
        return Vec::new();
    };
    let others = |read: &dyn Fn(&Noise) -> Option<f64>| -> Vec<f64> {
        let noise = samples.iter().filter_map(|sample| sample.noise.as_ref());
        noise.filter_map(read).collect()
    };
    let unusual = FIGURES.iter().filter_map(|(name, read, print)| {
        let value = read(this)?;
        let others = others(read);
        let (centre, spread) = (summary::median(&others), summary::mad(&others));
        // Twice the usual and clearly outside its spread.
        let stands_out = value > 2.0 * centre && value > centre + 5.0 * spread;
        // What prints as zero explains nothing.
        let text = print(value);
        (stands_out && text != print(0.0)).then(|| format!("{name} {text}"))
    });
    // The fastest processor is the one that ran; those that idle may clock down as they like.
    let ghz = |n: &Noise| n.khz_max.map(|khz| khz as f64 / 1e6);
    let slow = ghz(this).and_then(|value| {
        let usual = summary::median(&others(&ghz));
        (value < 0.9 * usual).then(|| format!("clock {value:.2} GHz, else {usual:.2}"))
    });
    unusual.chain(slow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[f64], steal: &[u64]) -> RowData {
        let samples = values
            .iter()
            .zip(steal)
            .enumerate()
            .map(|(run, (value, steal))| Sample {
                arm: 0,
                value: *value,
                run: run as u64,
                round: None,
                slot: 0,
                machine: 0,
                time_s: None,
                user_s: None,
                sys_s: None,
                rss_bytes: None,
                noise: Some(Noise {
                    steal_ticks: Some(*steal),
                    psi_cpu_us: Some(1000),
                    ..Noise::default()
                }),
            });
        RowData {
            name: "x".into(),
            samples: samples.collect(),
            summaries: Vec::new(),
        }
    }

    #[test]
    fn an_outlier_carries_what_was_unusual_in_its_run() {
        let values = [1.0, 1.01, 0.99, 1.02, 1.62, 1.0, 0.98, 1.01];
        let steal = [0, 1, 0, 0, 11, 0, 1, 0];
        let quality = inspect(&row(&values, &steal), 0);
        assert_eq!(quality.outliers.len(), 1);
        let found = &quality.outliers[0];
        assert_eq!(
            (found.run, found.causes.clone()),
            (4, vec!["steal 11 ticks".to_owned()])
        );
        assert!((found.deviation - 0.612).abs() < 0.01);
        assert!(!quality.slow_start);
    }

    #[test]
    fn a_clock_that_was_slower_than_else_is_a_cause() {
        let mut row = row(&[1.0, 1.01, 0.99, 1.62, 1.0, 0.98, 1.01], &[0; 7]);
        for (sample, khz) in row.samples.iter_mut().zip([0, 0, 5, 1_000, 0, 0, 9]) {
            if let Some(noise) = &mut sample.noise {
                noise.khz_max = Some(3_000_000 - khz * 1_000);
            }
        }
        let quality = inspect(&row, 0);
        assert_eq!(quality.outliers[0].causes, ["clock 2.00 GHz, else 3.00"]);
    }

    #[test]
    fn equal_runs_raise_nothing() {
        let quality = inspect(&row(&[1.0; 12], &[0; 12]), 0);
        assert!(quality.outliers.is_empty() && quality.trend_p.is_none());
        assert_eq!(quality.upper_mode_share, None);
    }
}

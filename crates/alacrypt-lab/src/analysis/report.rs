//! The result of an analysis: what every output shows, in its own shape.

use serde::Serialize;

use super::settings::Applied;
use super::{ArmQuality, Effect, FigureRow, NoiseSummary, Unit, Verdict};
use crate::stats::control::Control;

/// Mean, spread and size of one arm on one row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArmStats {
    /// Index of the arm.
    pub arm: usize,
    /// Number of runs.
    pub n: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: Option<f64>,
    /// Coefficient of variation.
    pub cv: Option<f64>,
    /// Median.
    pub median: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Mean user CPU seconds.
    pub user_s: Option<f64>,
    /// Mean system CPU seconds.
    pub sys_s: Option<f64>,
    /// Median peak memory, bytes.
    pub rss_bytes: Option<f64>,
    /// What is doubtful about its runs.
    pub quality: ArmQuality,
}

/// The columns of compare.R for one row; every one uncorrected, as in Node's pull requests.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableCells {
    /// Stars at .05, .01 and .001.
    pub stars: &'static str,
    /// Improvement of the mean in percent; for times, the change.
    pub improvement_pct: f64,
    /// Half-widths at 95, 99 and 99.9 %.
    pub accuracy_pct: Option<[f64; 3]>,
    /// Welch's t.
    pub t: Option<f64>,
    /// Its degrees of freedom.
    pub df: Option<f64>,
    /// Its p-value.
    pub p: Option<f64>,
}

/// One arm against the base on one row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Name of the row.
    pub name: String,
    /// Index of the row in the data.
    pub row: usize,
    /// Index of the arm compared with the base.
    pub arm: usize,
    /// Name of that arm.
    pub arm_name: String,
    /// The base's runs.
    pub old: ArmStats,
    /// The arm's runs.
    pub new: ArmStats,
    /// compare.R's columns.
    pub table: TableCells,
    /// The effect that the verdict rests on.
    pub effect: Option<Effect>,
    /// Bootstrap interval (BCa, 95 %) of the ratio of means, when the runs are strongly skewed.
    pub bootstrap95: Option<[f64; 2]>,
    /// p-value corrected for the number of rows.
    pub p_corrected: Option<f64>,
    /// Stars of the corrected p-value.
    pub stars_corrected: &'static str,
    /// The word.
    pub verdict: Verdict,
    /// The word without outliers (`--robust`).
    pub verdict_robust: Option<Verdict>,
    /// Test against `--max-regression`.
    pub regression: Option<RegressionCheck>,
    /// What the reader should know, in sentences.
    pub notes: Vec<String>,
}

/// One row against `--max-regression`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RegressionCheck {
    /// One-sided p-value that it is slower than allowed.
    pub p: f64,
    /// Holm-corrected, over the rows.
    pub p_holm: f64,
    /// Whether the row certainly exceeds the threshold: corrected p below .05 and the whole
    /// interval beyond it.
    pub exceeded: bool,
}

/// Geometric mean of one arm over the rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GeometricRow {
    /// Name of the arm.
    pub arm_name: String,
    /// New over old.
    pub ratio: f64,
    /// Run noise only.
    pub this_set95: Option<[f64; 2]>,
    /// Rows as a sample of benchmarks.
    pub across95: Option<[f64; 2]>,
    /// Rows on both sides.
    pub rows: usize,
}

/// The A/A control.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ControlSummary {
    /// Name of the copy.
    pub arm_name: String,
    /// Rows of the control.
    pub rows: usize,
    /// Rows with p < .05.
    pub small: u64,
    /// How many of those chance explains.
    pub small_limit: u64,
    /// Sign test of a common lean.
    pub sign_p: Option<f64>,
    /// t test of a common lean.
    pub bias_p: Option<f64>,
    /// Kolmogorov–Smirnov test that p-values are uniform.
    pub uniform_p: Option<f64>,
    /// Differences up to this share appear between identical code.
    pub floor: f64,
    /// Smallest difference that a row of median noise shows 4 times of 5.
    pub detectable: Option<f64>,
    /// Why it failed; empty when it passed.
    pub failures: Vec<String>,
}

impl ControlSummary {
    pub(super) fn of(arm_name: &str, control: Control, detectable: Option<f64>) -> Self {
        Self {
            arm_name: arm_name.to_owned(),
            rows: control.rows,
            small: control.small,
            small_limit: control.small_limit,
            sign_p: control.sign_p,
            bias_p: control.bias_p,
            uniform_p: control.uniform_p,
            floor: control.floor,
            detectable,
            failures: control.failures,
        }
    }

    /// Whether the session can be trusted.
    pub fn passes(&self) -> bool {
        self.failures.is_empty()
    }
}

/// A row that only one arm ran: figures without a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AloneRow {
    /// Name of the row.
    pub name: String,
    /// Its runs.
    pub stats: ArmStats,
    /// What the reader should know, in sentences.
    pub notes: Vec<String>,
}

/// The numbers below the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Footer {
    /// Comparisons with a test.
    pub tested: usize,
    /// Comparisons without one.
    pub untested: usize,
    /// Expected false stars at .05, .01 and .001.
    pub expected_false: [f64; 3],
    /// Rows with at least one star.
    pub starred: usize,
    /// Rows that survive Holm at .05.
    pub survive_holm: usize,
    /// The correction behind the verdicts.
    pub correction: Applied,
    /// Rows that survive it at .05.
    pub survive_correction: usize,
}

impl Report {
    /// Why the session cannot be trusted; empty when it can.
    pub fn distrust(&self) -> Vec<&str> {
        let control = self.control.iter().flat_map(|control| &control.failures);
        let noise = self.noise.iter().filter(|noise| !noise.passes());
        control
            .chain(noise.flat_map(|noise| &noise.failures))
            .map(String::as_str)
            .collect()
    }
}

/// The whole result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// One line: what is compared.
    pub title: String,
    /// What the values are.
    pub unit: Unit,
    /// Name of the base.
    pub base: String,
    /// The smallest difference that matters.
    pub delta: f64,
    /// The largest slowdown tolerated.
    pub max_regression: Option<f64>,
    /// Comparisons, without the control's.
    pub rows: Vec<Row>,
    /// The control's comparisons.
    pub control_rows: Vec<Row>,
    /// What the control says.
    pub control: Option<ControlSummary>,
    /// What drives a bundle of changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<super::ProbeReport>,
    /// What the machine did besides.
    pub noise: Option<NoiseSummary>,
    /// Rows when there is one arm and nothing to compare it with.
    pub alone: Vec<AloneRow>,
    /// CPU time, memory, faults, traffic.
    pub figures: Vec<FigureRow>,
    /// Geometric mean per arm, from two rows on.
    pub geometric: Vec<GeometricRow>,
    /// The numbers below the table.
    pub footer: Footer,
    /// What is doubtful as a whole, in sentences.
    pub warnings: Vec<String>,
    /// Rows whose verdict changes without outliers.
    pub flips: Vec<String>,
}

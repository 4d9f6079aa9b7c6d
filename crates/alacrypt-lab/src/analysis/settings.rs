//! The choices under which data are judged.

use serde::Serialize;

use super::{Dataset, Origin, Unit};
use crate::cli::{AnalysisArgs, Correction, Method, Stat};

/// Rows from which on the automatic correction is Benjamini–Hochberg.
const MANY_ROWS: usize = 200;

/// The choices under which data are judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The smallest difference that matters, as a share; `None` takes the plan's or the default.
    pub delta: Option<f64>,
    /// Which test.
    pub method: Method,
    /// Means or medians.
    pub stat: Stat,
    /// Which correction for many rows.
    pub correction: Correction,
    /// The largest slowdown that is tolerated, as a share.
    pub max_regression: Option<f64>,
    /// Whether to judge once more without outliers.
    pub robust: bool,
    /// Whether a noisy machine is only warned about.
    pub allow_noise: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            delta: None,
            method: Method::Auto,
            stat: Stat::Mean,
            correction: Correction::Auto,
            max_regression: None,
            robust: false,
            allow_noise: false,
        }
    }
}

impl From<&AnalysisArgs> for Settings {
    fn from(args: &AnalysisArgs) -> Self {
        Self {
            delta: args.delta.map(|share| share.0),
            method: args.method,
            stat: args.stat,
            correction: args.correction,
            max_regression: args.max_regression.map(|share| share.0),
            robust: args.robust,
            allow_noise: args.allow_noise,
        }
    }
}

/// The correction that was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Applied {
    /// Holm.
    Holm,
    /// Benjamini–Hochberg.
    BenjaminiHochberg,
    /// None.
    None,
}

impl Applied {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holm => "Holm",
            Self::BenjaminiHochberg => "BH",
            Self::None => "uncorrected",
        }
    }
}

impl Settings {
    /// The δ that applies to these data.
    pub fn delta_for(&self, data: &Dataset) -> f64 {
        let default = match (data.unit, data.origin) {
            (Unit::Rate, _) => 0.01,
            (Unit::Seconds, Origin::Compare | Origin::NodeCsv) => 0.01,
            (Unit::Seconds, _) => 0.02,
        };
        self.delta.or(data.delta).unwrap_or(default)
    }

    /// The correction that applies to this number of rows.
    pub fn correction_for(&self, rows: usize) -> Applied {
        match self.correction {
            Correction::Holm => Applied::Holm,
            Correction::Bh => Applied::BenjaminiHochberg,
            Correction::None => Applied::None,
            Correction::Auto if rows > MANY_ROWS => Applied::BenjaminiHochberg,
            Correction::Auto => Applied::Holm,
        }
    }
}

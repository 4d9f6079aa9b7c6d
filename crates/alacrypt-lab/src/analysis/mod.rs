//! From samples to effects, intervals and words.
//!
//! A [`Dataset`] is what was measured, whichever way it came in; [`analyse`] turns it into a
//! [`Report`] under some [`Settings`]. Nothing here reads or writes files.

mod assemble;
mod dataset;
mod differences;
mod effect;
mod figures;
mod merge;
mod noise;
mod overview;
mod probe;
mod quality;
mod report;
mod session;
mod settings;
mod verdict;

pub use assemble::analyse;
pub use dataset::{
    ArmInfo, Dataset, Failure, LoadRun, Origin, RowData, Sample, Stretch, Summary, Unit, Usage,
};
pub use differences::{Difference, differences};
pub use effect::{Basis, Effect, Position};
pub use figures::{FigureArm, FigureRow, FigureUnit};
pub use merge::merge;
pub(crate) use merge::same_plan;
pub use noise::{NoiseSummary, OTHERS_LIMIT, STEAL_LIMIT};
pub(crate) use overview::{control_line, notable_position};
pub use probe::{ProbeChange, ProbeEffect, ProbeReport};
pub use quality::{ArmQuality, Outlier};
pub use report::{
    AloneRow, ArmStats, ControlSummary, Footer, GeometricRow, RegressionCheck, Report, Row,
    TableCells,
};
pub use session::from_session;
pub use settings::Settings;
pub use verdict::Verdict;
pub(crate) use verdict::percent;

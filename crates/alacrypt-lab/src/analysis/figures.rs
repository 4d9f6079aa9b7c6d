//! Secondary figures of the runs: CPU time, memory, faults, switches, traffic. They form a family
//! of their own for the correction, so that looking at them costs the main question nothing.

use serde::Serialize;

use super::effect::{self, Effect, Pair};
use super::{Dataset, RowData, Sample};
use crate::cli::{Method, Stat};
use crate::stats::{multiple, summary};

/// What a figure's number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FigureUnit {
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// A number of things.
    Count,
}

/// One kind of figure.
struct Kind {
    key: &'static str,
    title: &'static str,
    unit: FigureUnit,
    /// Whether it is told without being asked for.
    first: bool,
}

const fn kind(key: &'static str, title: &'static str, unit: FigureUnit, first: bool) -> Kind {
    Kind {
        key,
        title,
        unit,
        first,
    }
}

/// In the order in which they are shown.
const KINDS: [Kind; 18] = [
    kind("user_s", "user", FigureUnit::Seconds, true),
    kind("sys_s", "system", FigureUnit::Seconds, true),
    kind("task_clock_s", "task clock", FigureUnit::Seconds, false),
    kind("rss_bytes", "RSS, largest process", FigureUnit::Bytes, true),
    kind("tree_bytes", "RSS, whole tree", FigureUnit::Bytes, true),
    kind("minflt", "pgMinor", FigureUnit::Count, false),
    kind("majflt", "pgMajor", FigureUnit::Count, false),
    kind("nvcsw", "vCtx", FigureUnit::Count, false),
    kind("nivcsw", "iCtx", FigureUnit::Count, false),
    kind("migrations", "migrations", FigureUnit::Count, false),
    kind("instructions", "instructions", FigureUnit::Count, false),
    kind("cycles", "cycles", FigureUnit::Count, false),
    kind("inblock", "blocks read", FigureUnit::Count, false),
    kind("oublock", "blocks written", FigureUnit::Count, false),
    kind("net_rx", "netRX", FigureUnit::Bytes, true),
    kind("net_tx", "netTX", FigureUnit::Bytes, true),
    kind("net_rx_packets", "netRX packets", FigureUnit::Count, false),
    kind("net_tx_packets", "netTX packets", FigureUnit::Count, false),
];

/// One figure of one cell, for all arms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureRow {
    /// The benchmark file or command whose runs it sums up.
    pub cell: String,
    /// Its name in files.
    pub key: &'static str,
    /// Its name in tables, with the scope where there is one.
    pub title: String,
    /// What the number is.
    pub unit: FigureUnit,
    /// Whether it is told without being asked for.
    pub first: bool,
    /// Mean of the base.
    pub base_mean: f64,
    /// The other arms.
    pub arms: Vec<FigureArm>,
}

/// One arm's figure against the base's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureArm {
    /// Name of the arm.
    pub arm_name: String,
    /// Whether it is the A/A copy, whose figures test nothing.
    pub control: bool,
    /// Mean over its runs.
    pub mean: f64,
    /// New over old; none where one side has nothing, or all runs are equal.
    pub effect: Option<Effect>,
    /// p-value, Holm-corrected over all figures of the report.
    pub p_holm: Option<f64>,
}

/// All figures that the runs have.
pub(super) fn figures(data: &Dataset) -> Vec<FigureRow> {
    let mut cells: Vec<&str> = data.usage.iter().map(|usage| usage.cell.as_str()).collect();
    cells.sort_unstable();
    cells.dedup();
    let mut rows: Vec<FigureRow> = cells
        .into_iter()
        .flat_map(|cell| KINDS.iter().filter_map(|kind| figure(data, cell, kind)))
        .collect();
    let p: Vec<f64> = rows
        .iter()
        .flat_map(|row| &row.arms)
        .filter(|arm| !arm.control)
        .filter_map(|arm| arm.effect.as_ref().map(|effect| effect.p))
        .collect();
    let tested = rows
        .iter_mut()
        .flat_map(|row| &mut row.arms)
        .filter(|arm| arm.effect.is_some() && !arm.control);
    for (arm, p_holm) in tested.zip(multiple::holm(&p)) {
        arm.p_holm = Some(p_holm);
    }
    rows
}

fn figure(data: &Dataset, cell: &str, kind: &Kind) -> Option<FigureRow> {
    let samples: Vec<Sample> = data
        .usage
        .iter()
        .filter(|usage| usage.cell == cell)
        .filter_map(|usage| {
            Some(Sample {
                arm: usage.arm,
                value: *usage.figures.get(kind.key)?,
                run: usage.run,
                round: usage.round,
                slot: usage.slot,
                machine: usage.machine,
                time_s: None,
                user_s: None,
                sys_s: None,
                rss_bytes: None,
                noise: None,
            })
        })
        .collect();
    let row = RowData {
        name: cell.to_owned(),
        samples,
        summaries: Vec::new(),
    };
    let base = row.values(data.base);
    if base.is_empty() {
        return None;
    }
    let arms = (0..data.arms.len())
        .filter(|arm| *arm != data.base)
        .filter_map(|arm| {
            let values = row.values(arm);
            if values.is_empty() {
                return None;
            }
            let pair = Pair::of(data, &row, arm, |_| true);
            // A round in which one side has nothing has no ratio; means still do.
            let positive = row.samples.iter().all(|sample| sample.value > 0.0);
            let method = if positive {
                Method::Auto
            } else {
                Method::Welch
            };
            let effect = (summary::mean(&base) > 0.0 && summary::mean(&values) > 0.0)
                .then(|| effect::estimate(&pair, method, Stat::Mean, true))
                .flatten();
            Some(FigureArm {
                arm_name: data.arms[arm].name.clone(),
                control: data.arms[arm].copy_of.is_some(),
                mean: summary::mean(&values),
                effect,
                p_holm: None,
            })
        })
        .collect();
    let scope = data.scopes.iter().find(|(key, _)| key == kind.key);
    Some(FigureRow {
        cell: cell.to_owned(),
        key: kind.key,
        title: match scope {
            Some((_, scope)) => format!("{} ({scope})", kind.title),
            None => kind.title.to_owned(),
        },
        unit: kind.unit,
        first: kind.first,
        base_mean: summary::mean(&base),
        arms,
    })
}

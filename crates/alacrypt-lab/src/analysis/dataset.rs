//! What was measured, whichever way it came in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::session::{LoadFigures, Noise, Probe};

/// Where samples come from; it decides which warnings and which default δ apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A result of Node's compare.js.
    NodeCsv,
    /// hyperfine's --export-json.
    Hyperfine,
    /// A session of `compare`.
    Compare,
    /// A session of `run`.
    Run,
    /// A session of `aa`.
    Aa,
    /// A session of `loop`.
    Loop,
    /// A session of `phases`.
    Phases,
    /// A session of `probe`.
    Probe,
}

/// What a value is, and so which direction is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Operations per second: higher is better.
    Rate,
    /// Seconds: lower is better.
    Seconds,
}

impl Unit {
    /// +1 where a growing value is a gain, −1 where it is a loss.
    pub fn sign(self) -> f64 {
        match self {
            Self::Rate => 1.0,
            Self::Seconds => -1.0,
        }
    }
}

/// One of the things compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmInfo {
    /// Its name in tables.
    pub name: String,
    /// What was run, as one line of text; empty when the file does not say.
    #[serde(default)]
    pub command: String,
    /// What the program says of itself.
    #[serde(default)]
    pub version: Option<String>,
    /// SHA-256 of the program.
    #[serde(default)]
    pub sha256: Option<String>,
    /// For an A/A control: index of the arm that it is a copy of.
    #[serde(default)]
    pub copy_of: Option<usize>,
}

/// What a file says of a sample whose values it does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of runs, if known.
    pub n: Option<u64>,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation with n−1.
    pub sd: Option<f64>,
    /// Median.
    pub median: Option<f64>,
    /// Smallest.
    pub min: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
}

/// One measured value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Index into [`Dataset::arms`].
    pub arm: usize,
    /// The value, positive and finite.
    pub value: f64,
    /// Number of the run in its session or file, in the order of time.
    pub run: u64,
    /// The round, where runs were interleaved; every arm once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Place within the round, from 0.
    #[serde(default, skip_serializing_if = "is_zero_u32")]
    pub slot: u32,
    /// Machine, index into [`Dataset::machines`].
    #[serde(default, skip_serializing_if = "is_zero_usize")]
    pub machine: usize,
    /// Seconds that the benchmark itself measured (Node's `time` column).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_s: Option<f64>,
    /// User CPU seconds of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_s: Option<f64>,
    /// System CPU seconds of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sys_s: Option<f64>,
    /// Peak memory of its largest process, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_bytes: Option<u64>,
    /// What else the machine did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<Noise>,
}

/// What one run used besides: CPU time, memory, faults, traffic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// The benchmark file, or the name of the commands' row.
    pub cell: String,
    /// Index into [`Dataset::arms`].
    pub arm: usize,
    /// Number of the run in its session.
    pub run: u64,
    /// The round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Place within the round, from 0.
    #[serde(default, skip_serializing_if = "is_zero_u32")]
    pub slot: u32,
    /// Machine, index into [`Dataset::machines`].
    #[serde(default, skip_serializing_if = "is_zero_usize")]
    pub machine: usize,
    /// Figures by their name in files: seconds, bytes or counts.
    pub figures: BTreeMap<String, f64>,
}

/// What one server did under load in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadRun {
    /// The crypto load.
    pub cell: String,
    /// Index into [`Dataset::arms`].
    pub arm: usize,
    /// The round.
    pub round: u32,
    /// What was found.
    pub figures: LoadFigures,
}

/// What else the machine did in one stretch of measuring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stretch {
    /// Length, seconds.
    pub seconds: f64,
    /// Share of the CPU time that the hypervisor took.
    pub steal_share: Option<f64>,
    /// Share of the CPU time that other programs used.
    pub other_cpu_share: Option<f64>,
    /// Share of the time in which something waited for a CPU.
    pub pressure_share: Option<f64>,
    /// Share of the time in which the other thread of a core was busy that runs were kept to.
    #[serde(default)]
    pub sibling_busy_share: Option<f64>,
}

/// One row: a benchmark with its configuration, or a command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowData {
    /// Its name.
    pub name: String,
    /// The values in the order in which they were measured.
    pub samples: Vec<Sample>,
    /// For arms without samples: index of the arm and its summary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<(usize, Summary)>,
}

impl RowData {
    /// The values of one arm, in the order of time.
    pub fn values(&self, arm: usize) -> Vec<f64> {
        self.of(arm).map(|sample| sample.value).collect()
    }

    /// The samples of one arm, in the order of time.
    pub fn of(&self, arm: usize) -> impl Iterator<Item = &Sample> {
        self.samples.iter().filter(move |sample| sample.arm == arm)
    }

    /// The summary of an arm that has no values.
    pub fn summary(&self, arm: usize) -> Option<&Summary> {
        self.summaries
            .iter()
            .find(|(index, _)| *index == arm)
            .map(|(_, summary)| summary)
    }
}

/// A run that gave no value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The row or benchmark.
    pub row: String,
    /// Name of the arm.
    pub arm: String,
    /// Which run: `line 57`, `run 12`.
    pub place: String,
    /// What was wrong.
    pub why: String,
}

/// Everything measured, with what is needed to judge it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dataset {
    /// One line: what is compared.
    pub title: String,
    /// Where it comes from.
    pub origin: Origin,
    /// What the values are.
    pub unit: Unit,
    /// The things compared.
    pub arms: Vec<ArmInfo>,
    /// Index of the arm that the others are compared with.
    pub base: usize,
    /// Rows, sorted by name.
    pub rows: Vec<RowData>,
    /// The smallest difference that matters, if the plan said so.
    #[serde(default)]
    pub delta: Option<f64>,
    /// Stopping rule and seed, as text; empty when unknown.
    #[serde(default)]
    pub plan: Vec<(String, String)>,
    /// The machines, one line each; at least one where they are known.
    #[serde(default)]
    pub machines: Vec<String>,
    /// Hash of the plan, equal for the parts of one plan.
    #[serde(default)]
    pub plan_id: Option<String>,
    /// Runs that gave no value; they are counted and shown, never dropped in silence.
    #[serde(default)]
    pub failures: Vec<Failure>,
    /// What is doubtful about the data as a whole, in sentences.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Rows that stopped before the planned number of rounds: name and rule.
    #[serde(default)]
    pub stopped: Vec<(String, String)>,
    /// What each run used besides; empty for imported files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<Usage>,
    /// What servers did under load; empty for everything else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<LoadRun>,
    /// Names of the phases in their order; empty for everything else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<String>,
    /// Phases in which no difference is expected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<String>,
    /// Which changes are in each arm; none for everything but a probe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Probe>,
    /// How some of these figures were counted: their name in files, and the scope in a few words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<(String, String)>,
    /// What else the machine did while it was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stretches: Vec<Stretch>,
    /// Whether all that was planned was done; true for imported files.
    #[serde(default = "yes")]
    pub finished: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // The shape that serde asks for.
fn is_zero_u32(n: &u32) -> bool {
    *n == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero_usize(n: &usize) -> bool {
    *n == 0
}

fn yes() -> bool {
    true
}

impl Dataset {
    /// Index of the arm of that name.
    pub fn arm(&self, name: &str) -> Option<usize> {
        self.arms.iter().position(|arm| arm.name == name)
    }

    /// Drops the arms whose name is not wanted, with their samples. The base moves to the first
    /// arm that is left when it is dropped itself.
    pub fn keep_arms(&mut self, wanted: impl Fn(&str) -> bool) {
        let kept: Vec<bool> = self.arms.iter().map(|arm| wanted(&arm.name)).collect();
        let place = |arm: usize| {
            let alive = kept.get(arm).copied().unwrap_or(false);
            alive.then(|| kept.iter().take(arm).filter(|kept| **kept).count())
        };
        for row in &mut self.rows {
            row.samples.retain_mut(|sample| match place(sample.arm) {
                Some(arm) => {
                    sample.arm = arm;
                    true
                }
                None => false,
            });
            row.summaries.retain_mut(|(arm, _)| match place(*arm) {
                Some(moved) => {
                    *arm = moved;
                    true
                }
                None => false,
            });
        }
        self.usage.retain_mut(|usage| match place(usage.arm) {
            Some(arm) => {
                usage.arm = arm;
                true
            }
            None => false,
        });
        self.loads.retain_mut(|run| match place(run.arm) {
            Some(arm) => {
                run.arm = arm;
                true
            }
            None => false,
        });
        self.base = place(self.base).unwrap_or(0);
        let mut index = 0;
        self.arms.retain(|_| {
            index += 1;
            kept[index - 1]
        });
        for arm in &mut self.arms {
            arm.copy_of = arm.copy_of.and_then(place);
        }
    }

    /// Gives every row its rounds, from the order of its samples alone: as long as each arm
    /// comes once before any comes again, that is a round. A row that does not follow this
    /// pattern to its end (up to one last incomplete round) gets none.
    pub fn infer_rounds(&mut self) {
        for row in &mut self.rows {
            let mut arms: Vec<usize> = row.samples.iter().map(|sample| sample.arm).collect();
            arms.sort_unstable();
            arms.dedup();
            let width = arms.len();
            let interleaved = width > 1
                && row.samples.chunks(width).all(|round| {
                    let mut seen: Vec<usize> = round.iter().map(|sample| sample.arm).collect();
                    seen.sort_unstable();
                    seen.dedup();
                    seen.len() == round.len()
                });
            let mut number = 0;
            for round in row.samples.chunks_mut(width.max(1)) {
                number += 1;
                for (slot, sample) in (0..).zip(round) {
                    sample.round = interleaved.then_some(number);
                    sample.slot = slot;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dataset(order: &[usize]) -> Dataset {
        let samples = order.iter().enumerate().map(|(run, arm)| Sample {
            arm: *arm,
            value: 1.0,
            run: run as u64,
            round: None,
            slot: 0,
            machine: 0,
            time_s: None,
            user_s: None,
            sys_s: None,
            rss_bytes: None,
            noise: None,
        });
        Dataset {
            title: String::new(),
            origin: Origin::NodeCsv,
            unit: Unit::Rate,
            arms: Vec::new(),
            base: 0,
            rows: vec![RowData {
                name: "x".into(),
                samples: samples.collect(),
                summaries: Vec::new(),
            }],
            delta: None,
            plan: Vec::new(),
            machines: Vec::new(),
            plan_id: None,
            failures: Vec::new(),
            warnings: Vec::new(),
            stopped: Vec::new(),
            usage: Vec::new(),
            loads: Vec::new(),
            phases: Vec::new(),
            controls: Vec::new(),
            probe: None,
            scopes: Vec::new(),
            stretches: Vec::new(),
            finished: true,
        }
    }

    fn rounds(order: &[usize]) -> Vec<Option<u32>> {
        let mut data = dataset(order);
        data.infer_rounds();
        data.rows[0].samples.iter().map(|s| s.round).collect()
    }

    #[test]
    fn adjacent_runs_of_all_arms_are_a_round() {
        assert_eq!(rounds(&[0, 1, 1, 0, 0]), [1, 1, 2, 2, 3].map(Some));
        assert_eq!(rounds(&[0, 2, 1, 1, 2, 0]), [1, 1, 1, 2, 2, 2].map(Some));
    }

    #[test]
    fn dropped_arms_take_their_samples_along() {
        let mut data = dataset(&[0, 1, 2, 2, 1, 0]);
        let arm = |name: &str, copy_of| ArmInfo {
            name: name.into(),
            command: String::new(),
            version: None,
            sha256: None,
            copy_of,
        };
        data.arms = vec![arm("a", None), arm("b", None), arm("b2", Some(1))];
        data.keep_arms(|name| name.starts_with('b'));
        assert_eq!(data.arms.len(), 2);
        assert_eq!((data.base, data.arms[1].copy_of), (0, Some(0)));
        let arms: Vec<usize> = data.rows[0].samples.iter().map(|s| s.arm).collect();
        assert_eq!(arms, [0, 1, 1, 0]);
    }

    #[test]
    fn blocks_are_no_rounds() {
        assert_eq!(rounds(&[0, 0, 1, 1]), [None; 4]);
        assert_eq!(rounds(&[0, 0]), [None; 2]);
        assert_eq!(rounds(&[0, 1, 0, 0, 1]), [None; 5]);
    }
}

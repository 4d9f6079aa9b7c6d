//! `plan.json`: what is run, from which binaries, and in which order.

use super::{Binary, Load, Phases, Probe, SCHEMA_VERSION, sha256_hex};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Which subcommand made the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Node-style benchmark files.
    Compare,
    /// Whole commands.
    Run,
    /// One binary or command against a copy of itself.
    Aa,
    /// Servers under load.
    Loop,
    /// Subjects in phases.
    Phases,
    /// A bundle of changes.
    Probe,
}

/// What is compared in a cell; it says which direction is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Operations per second as the benchmark reports them: higher is better.
    Rate,
    /// Wall time of the command: lower is better.
    Wall,
    /// Times that a run found, one per configuration: lower is better.
    Time,
}

/// How the arms are ordered within the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OrderRule {
    /// Exactly balanced random order: AB/BA for two arms, a shuffled Williams square for more.
    Balanced,
    /// The order turns round in each round: AB BA AB BA.
    Abba,
    /// The order in which the arms were given, always.
    Fixed,
}

/// When a cell has enough rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "lowercase")]
pub enum Until {
    /// All planned rounds.
    Fixed,
    /// As soon as the half-width of the 95 % interval is at most `width` (0.01 = 1 %).
    Width {
        /// Half-width as a fraction of the base.
        width: f64,
    },
    /// At one of the planned looks, or when "no difference within δ" is shown.
    Decided,
}

/// One of the things compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// Short and unique: `old`, `new`, or what `-n NAME=` said.
    pub name: String,
    /// The words run: program first. Empty when `shell` is set.
    #[serde(default)]
    pub argv: Vec<String>,
    /// The text given to `sh -c`, for a command that needs a shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
    /// The program, where it is a file that could be found.
    #[serde(default)]
    pub binary: Option<Binary>,
    /// Environment variables that differ from the lab's own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// For the A/A control: the name of the arm that this one is a copy of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_of: Option<String>,
}

/// One thing that every arm runs: a benchmark file, or the command itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Name in tables: the benchmark file relative to its folder, or the name of the run.
    pub bench: String,
    /// The benchmark file, absolute; none when the arm's own command is the benchmark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// What is compared first.
    pub metric: Metric,
}

/// One round of one cell: every arm once, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Index into [`Plan::cells`].
    pub cell: usize,
    /// Round, counted from 1; 0 is the warm-up round, which is kept but not analysed.
    pub round: u32,
    /// Indices into [`Plan::arms`] in the order of the slots.
    pub order: Vec<usize>,
}

/// Which part of a plan this machine runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// From 1 to `of`.
    pub index: u32,
    /// Number of parts.
    pub of: u32,
}

/// How each run is made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Processors that runs may use; all when empty.
    pub cpus: Vec<usize>,
    /// `host`, `none` for a namespace with loopback only, `private` for one with an interface;
    /// empty when nothing was asked for, which is `host`.
    pub net: String,
    /// What a run may use at most, each as [`Limit`](super::Limit) prints it.
    pub limits: Vec<String>,
    /// `tree` when the memory of whole trees is followed.
    pub rss: String,
    /// Policy after a failed run, as on the command line; empty: keep it, count it, go on.
    pub on_fail: String,
    /// Longest time of one run, seconds.
    pub run_timeout_s: Option<f64>,
    /// No new round after this time, seconds.
    pub max_time_s: Option<f64>,
    /// No stopping rule before this round.
    pub min_runs: u32,
    /// `KEY=VALUE` arguments of every benchmark file.
    pub set: Vec<String>,
    /// Shell of the `prepare` and `conclude` commands and of arms with [`Arm::shell`].
    pub shell: String,
    /// Before each run: nothing, one command for all arms, or one for each.
    pub prepare: Vec<String>,
    /// After each run.
    pub conclude: Vec<String>,
    /// Once before the first run.
    pub setup: Option<String>,
    /// Once after the last.
    pub cleanup: Option<String>,
}

impl Options {
    /// What differs from the defaults, as names and values for a report.
    pub fn lines(&self) -> Vec<(String, String)> {
        let joined = |words: Vec<String>| (!words.is_empty()).then(|| words.join(", "));
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let seconds = |time: Option<f64>| time.map(|s| format!("{s} s"));
        let all = [
            (
                "processors",
                joined(self.cpus.iter().map(usize::to_string).collect()),
            ),
            ("network", text(&self.net).filter(|net| net != "host")),
            ("memory", text(&self.rss)),
            ("limits", joined(self.limits.clone())),
            ("after a failure", text(&self.on_fail)),
            ("time limit of a run", seconds(self.run_timeout_s)),
            ("time limit", seconds(self.max_time_s)),
            ("set", joined(self.set.clone())),
            ("shell", text(&self.shell)),
            ("prepare", joined(self.prepare.clone())),
            ("conclude", joined(self.conclude.clone())),
            ("setup", self.setup.clone()),
            ("cleanup", self.cleanup.clone()),
        ];
        let given = all
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        given.collect()
    }
}

/// The whole plan of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Version of the file.
    pub v: u32,
    /// Name and version of the tool that wrote it.
    pub tool: String,
    /// Which subcommand.
    pub kind: Kind,
    /// The same for all shards of one plan, and for a resumed session: see [`Plan::seal`].
    #[serde(default)]
    pub id: String,
    /// Seed of everything random in the plan.
    pub seed: u64,
    /// How rounds are ordered.
    pub order: OrderRule,
    /// Planned rounds, without the warm-up, over all shards.
    pub rounds: u32,
    /// Warm-up rounds.
    pub warmup_rounds: u32,
    /// When a cell stops.
    pub until: Until,
    /// Smallest difference that matters, as a fraction (0.01 = 1 %).
    pub delta: f64,
    /// Name of the arm that the others are compared with.
    pub base: String,
    /// The arms.
    pub arms: Vec<Arm>,
    /// The cells.
    pub cells: Vec<Cell>,
    /// The blocks in the order in which they are run, of this shard only.
    pub schedule: Vec<Block>,
    /// The part of the plan that this is; none when it is the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// How each run is made; a resumed session takes these, not the command line's.
    #[serde(default)]
    pub options: Options,
    /// How servers are loaded, where servers are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// What each phase begins with, where phases are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Phases>,
    /// Which changes are in each arm, where a bundle is taken apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Probe>,
}

impl Plan {
    /// Fills in [`Plan::id`]: a hash of everything that must be equal for two parts to belong
    /// together, so neither the shard's own number nor where the binaries lie.
    pub fn seal(&mut self) {
        let mut text = format!(
            "v{} {:?} {} {:?} {} {} {:?} {}\n",
            self.v,
            self.kind,
            self.seed,
            self.order,
            self.rounds,
            self.warmup_rounds,
            self.shard.map_or(1, |s| s.of),
            self.base
        );
        for arm in &self.arms {
            let who = match &arm.binary {
                Some(binary) => &binary.sha256,
                None => "-",
            };
            // With a known binary the first word is only where it lies.
            let words = if arm.binary.is_some() {
                arm.argv.get(1..)
            } else {
                Some(&arm.argv[..])
            };
            text += &format!(
                "arm {:?} {who} {words:?} {:?} {:?} {:?}\n",
                arm.name, arm.shell, arm.env, arm.copy_of
            );
        }
        for cell in &self.cells {
            text += &format!("cell {:?} {:?}\n", cell.bench, cell.metric);
        }
        text += &format!("{:?}\n", self.options);
        if let Some(load) = &self.load {
            text += &format!("{load:?}\n");
        }
        if let Some(probe) = &self.probe {
            text += &format!("{:?} {:?}\n", probe.changes, probe.arms);
        }
        if let Some(phases) = &self.phases {
            // Where the project lies does not matter.
            let phases = Phases {
                project: None,
                ..phases.clone()
            };
            text += &format!("{phases:?}\n");
        }
        self.id = sha256_hex(text.as_bytes())[..16].to_owned();
    }

    /// Whether it still is what [`Plan::seal`] hashed.
    pub fn is_as_sealed(&self) -> bool {
        let mut again = self.clone();
        again.seal();
        again.id == self.id
    }

    /// Index of the arm of that name.
    pub fn arm(&self, name: &str) -> Option<usize> {
        self.arms.iter().position(|arm| arm.name == name)
    }

    /// Reads and checks `plan.json`.
    ///
    /// # Errors
    /// When it cannot be read, is not JSON of this schema, or its indices point nowhere.
    pub fn read(path: &Path) -> Result<Self> {
        let plan: Self = super::store::read_json(path)?;
        if plan.v > SCHEMA_VERSION {
            return Err(super::too_new(path, plan.v));
        }
        let malformed = |what: String| Err(Error::input(path, None, what));
        if plan.arm(&plan.base).is_none() {
            return malformed(format!("the base {:?} is none of the arms", plan.base));
        }
        for (i, block) in plan.schedule.iter().enumerate() {
            let mut seen = block.order.clone();
            seen.sort_unstable();
            if block.cell >= plan.cells.len() || seen.iter().copied().ne(0..plan.arms.len()) {
                return malformed(format!(
                    "schedule[{i}]: expected a cell below {} and each of {} arms once",
                    plan.cells.len(),
                    plan.arms.len()
                ));
            }
        }
        Ok(plan)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn example() -> Plan {
        let arm = |name: &str| Arm {
            name: name.into(),
            argv: vec!["/bin/true".into(), "--flag".into()],
            shell: None,
            binary: None,
            env: BTreeMap::new(),
            copy_of: None,
        };
        let mut plan = Plan {
            v: SCHEMA_VERSION,
            tool: "alacrypt-lab test".into(),
            kind: Kind::Run,
            id: String::new(),
            seed: 42,
            order: OrderRule::Balanced,
            rounds: 2,
            warmup_rounds: 0,
            until: Until::Width { width: 0.01 },
            delta: 0.02,
            base: "old".into(),
            arms: vec![arm("old"), arm("new")],
            cells: vec![Cell {
                bench: "true".into(),
                file: None,
                metric: Metric::Wall,
            }],
            schedule: vec![
                Block {
                    cell: 0,
                    round: 1,
                    order: vec![0, 1],
                },
                Block {
                    cell: 0,
                    round: 2,
                    order: vec![1, 0],
                },
            ],
            shard: None,
            options: Options::default(),
            load: None,
            phases: None,
            probe: None,
        };
        plan.seal();
        plan
    }

    #[test]
    fn id_ignores_the_shards_number_and_sees_the_seed() {
        let shard = |index| {
            let mut plan = example();
            plan.shard = Some(Shard { index, of: 3 });
            plan.seal();
            plan.id
        };
        assert_eq!(shard(1), shard(2));
        let mut other = example();
        other.seed = 43;
        other.seal();
        assert_ne!(other.id, example().id);
    }

    #[test]
    fn a_block_that_misses_an_arm_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("plan.json");
        let mut plan = example();
        plan.schedule[1].order = vec![1, 1];
        std::fs::write(&path, serde_json::to_vec(&plan).unwrap()).unwrap();
        let error = Plan::read(&path).unwrap_err().to_string();
        assert!(error.contains("schedule[1]"), "{error}");
    }
}

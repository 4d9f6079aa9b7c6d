//! Flags that several subcommands share, in the groups that `--help` shows.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::session::Limit;

use super::values::{CpuList, Named, OnFail, Percent, Seconds, Shard, Until};

/// How runs are planned and carried out.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Measuring")]
pub struct MeasureArgs {
    /// Rounds; each round runs every arm once [default: compare 30; run: 3 s worth, 10 to 200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub runs: Option<u32>,
    /// Never stop before this many rounds
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub min_runs: u32,
    /// Stop planning new rounds after this time: 90s, 15m, 2h
    #[arg(long, value_name = "TIME")]
    pub max_time: Option<Seconds>,
    /// Stopping rule: fixed, width=1% (interval half-width) or decided (four planned looks)
    #[arg(long, value_name = "RULE", default_value = "fixed")]
    pub until: Until,
    /// Untimed rounds before the first measured one
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub warmup: u32,
    /// Add a control arm: the first arm once more, which must show no difference
    #[arg(long)]
    pub aa: bool,
    /// Order of the arms within a round
    #[arg(long, value_enum, default_value_t = Order::Balanced)]
    pub order: Order,
    /// Seed of the order of runs; printed and stored
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Processors that measured runs may use: 0,2 or 0-3
    #[arg(long, value_name = "LIST")]
    pub cpu: Option<CpuList>,
    /// Network of measured runs [default: host, without figures]
    #[arg(long, value_enum)]
    pub net: Option<Net>,
    /// Memory that is told: of the largest process, or of the whole tree at once
    #[arg(long, value_enum, default_value_t = Rss::Largest)]
    pub rss: Rss,
    /// What each process of a run may use at most (repeatable): as=2G, cpu=30s, nofile=256; also
    /// data, stack, core, fsize, nproc (getrlimit(2))
    #[arg(long, value_name = "NAME=VALUE")]
    pub limit: Vec<Limit>,
    /// After a failed run: stop, skip-cell, or ignore=CODES [default: keep it, count it, go on]
    #[arg(long, value_name = "POLICY")]
    pub on_fail: Option<OnFail>,
    /// Kill one run after this time and count it as failed
    #[arg(long, value_name = "TIME")]
    pub run_timeout: Option<Seconds>,
    /// Folder of the session [default: alacrypt-lab-DATE-TIME]
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub out: Option<PathBuf>,
    /// Go on with an interrupted session
    #[arg(long, value_name = "DIR")]
    pub resume: Option<PathBuf>,
    /// Resume although the machine or a binary changed; the session is then marked
    #[arg(long)]
    pub force: bool,
    /// Run part I of N only; `report` merges the parts
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Print the plan, its time and the smallest effect that it can show; run nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Commands around the runs; none of them is timed.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Around the runs")]
pub struct AroundArgs {
    /// Before each run, untimed: one for all arms, or one for each, in order
    #[arg(long, value_name = "COMMAND")]
    pub prepare: Vec<String>,
    /// After each run, untimed; as often as --prepare
    #[arg(long, value_name = "COMMAND")]
    pub conclude: Vec<String>,
    /// Once before the first run, and again when a session is resumed
    #[arg(long, value_name = "COMMAND")]
    pub setup: Option<String>,
    /// Once after the last run, also of a session that was interrupted
    #[arg(long, value_name = "COMMAND")]
    pub cleanup: Option<String>,
}

/// How samples become verdicts.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Analysis")]
pub struct AnalysisArgs {
    /// The smallest difference that matters in practice [default: rates 1%, commands 2%]
    #[arg(long, value_name = "P%")]
    pub delta: Option<Percent>,
    /// The arm that the others are compared with [default: old, else the first]
    #[arg(long, value_name = "NAME")]
    pub base: Option<String>,
    /// Which test the verdict rests on
    #[arg(long, value_enum, default_value_t = Method::Auto)]
    pub method: Method,
    /// Compare totals (mean) or typical runs (median: Hodges-Lehmann and Mann-Whitney)
    #[arg(long, value_enum, default_value_t = Stat::Mean)]
    pub stat: Stat,
    /// Correction for many rows [auto: Holm up to 200 rows, Benjamini-Hochberg above]
    #[arg(long, value_enum, default_value_t = Correction::Auto)]
    pub correction: Correction,
    /// Exit 1 when a row is certainly more than this much slower
    #[arg(long, value_name = "P%")]
    pub max_regression: Option<Percent>,
    /// Also say what the verdicts are without outliers, and which of them flip
    #[arg(long)]
    pub robust: bool,
    /// Only warn when other programs or the hypervisor took much of the CPU time, instead of
    /// exit 3
    #[arg(long)]
    pub allow_noise: bool,
}

/// Which rows are measured or shown.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Selection")]
pub struct SelectArgs {
    /// Keep rows whose name contains this text (repeatable: any of them)
    #[arg(long, value_name = "TEXT")]
    pub filter: Vec<String>,
    /// Leave out rows whose name contains this text (repeatable)
    #[arg(long, value_name = "TEXT")]
    pub exclude: Vec<String>,
}

impl SelectArgs {
    /// Whether every row is wanted.
    pub fn is_empty(&self) -> bool {
        self.filter.is_empty() && self.exclude.is_empty()
    }

    /// Whether a row of this name is wanted.
    pub fn accepts(&self, name: &str) -> bool {
        (self.filter.is_empty() || self.filter.iter().any(|text| name.contains(text)))
            && !self.exclude.iter().any(|text| name.contains(text))
    }
}

/// Where results go besides the terminal.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Write Markdown in the shape of the pull-request tables (- is standard output)
    #[arg(long, value_name = "FILE|-")]
    pub md: Option<PathBuf>,
    /// Write the whole report with all samples as JSON
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Write one self-contained HTML page
    #[arg(long, value_name = "FILE|-")]
    pub html: Option<PathBuf>,
    /// Add columns: corrected p, ratio and interval, n, CV, position, verdict
    #[arg(long)]
    pub wide: bool,
    /// When to colour the terminal's table
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
    /// No table on the terminal, only the files asked for
    #[arg(short, long)]
    pub quiet: bool,
}

/// Everything of Node's benchmark runner that chooses configurations.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Benchmarks")]
pub struct NodeArgs {
    /// Folder of Node-style benchmark files (as `benchmark/` of Node itself)
    #[arg(long, value_name = "DIR")]
    pub bench_dir: Option<PathBuf>,
    /// Fix a parameter of the benchmarks: --set n=1000 (repeatable)
    #[arg(long, value_name = "K=V")]
    pub set: Vec<Named>,
}

/// Order of arms within a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// Balanced and shuffled: every arm equally often in each place
    Balanced,
    /// AB BA AB BA …
    Abba,
    /// Always as given; shows position effects instead of cancelling them
    Fixed,
}

/// Network that a measured run sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Net {
    /// A namespace of each run's own with loopback only
    None,
    /// A namespace of each run's own with one interface, whose bytes are counted; the way outside
    /// is a proxy (HTTP_PROXY and the like are set)
    Private,
    /// The machine's own; figures are the whole machine's, less its idle traffic
    Host,
}

/// Memory of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Rss {
    /// Peak of the largest single process
    Largest,
    /// Also the peak of all processes of the run together
    Tree,
}

/// Which test the verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// crossover for interleaved rounds, paired below 6 of them, Welch for other data
    Auto,
    /// Two independent samples, unequal variances
    Welch,
    /// Log ratios per round
    Paired,
    /// Log ratios per round with a term for the position
    Crossover,
    /// Mann-Whitney ranks
    Mwu,
}

/// Which summary is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stat {
    /// Arithmetic means: totals
    Mean,
    /// Medians: typical runs
    Median,
}

/// Correction of p-values for the number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Correction {
    /// Holm up to 200 rows, Benjamini-Hochberg above
    Auto,
    /// Holm: no false claim at all, 95 % of the time
    Holm,
    /// Benjamini-Hochberg: at most 5 % of the claims false, on average
    Bh,
    /// None
    None,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

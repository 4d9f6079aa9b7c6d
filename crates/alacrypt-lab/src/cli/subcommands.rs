//! One struct per subcommand.

use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use super::given::Given;
use super::groups::{AnalysisArgs, AroundArgs, MeasureArgs, NodeArgs, OutputArgs, SelectArgs};
use super::loops::LoopArgs;
use super::phases::PhasesArgs;
use super::probe::ProbeArgs;
use super::tls::TlsArgs;
use super::values::{CpuList, Named, Seconds};

const EXIT_CODES: &str = "\
Exit codes: 0 fine · 1 slower than --max-regression allows · 2 wrong usage or input · \
3 the session cannot be trusted (A/A or noise gate) · 4 incomplete or failed cells · \
130 interrupted, partial report written";

/// Proves or refutes a speed claim: interleaved runs, honest intervals, a verdict in words.
#[derive(Debug, Parser)]
#[command(name = "alacrypt-lab", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compare two binaries, or two sets of flags, on Node-style benchmark files
    Compare(Box<CompareArgs>),
    /// Compare whole commands: start-up and run times
    Run(Box<RunArgs>),
    /// Run identical code on both sides: what can this machine decide now?
    Aa(Box<AaArgs>),
    /// Compare servers under load: latency and event-loop delay while they compute
    Loop(Box<LoopArgs>),
    /// Compare programs phase by phase: cold, with a lock file, warm
    Phases(Box<PhasesArgs>),
    /// Find out which of several changes drives the effect of all of them
    Probe(Box<ProbeArgs>),
    /// Look at this machine for 20 s and say what disturbs measurements
    Doctor(DoctorArgs),
    /// Times of TLS handshakes, from outside
    Tls(Box<TlsArgs>),
    /// Show, merge or compare saved measurements
    Report(Box<ReportArgs>),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print a manual page (roff)
    Man(ManArgs),
}

/// Compare two binaries, or two sets of flags, on Node-style benchmark files.
///
/// Runs are interleaved in balanced random order. The first table is the one that Node's pull
/// requests show; the verdicts below it come from intervals, corrected for the number of rows.
///
/// With --csv and no binaries, analyses an existing result of Node's compare.js instead.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  Two builds of Node on its own crypto benchmarks, with a control:
    alacrypt-lab compare ./node-main ./node-pr --bench-dir node/benchmark --aa crypto
  One binary, with and without a flag:
    alacrypt-lab compare node node --new-args='--import alacrypt/register' \\
        --bench-dir bench/js digest.js --html report.html
  An existing file of compare.js, both dialects:
    alacrypt-lab compare --csv compare-pr-123.csv --wide
  In CI: fail when something is certainly more than 3 % slower:
    alacrypt-lab compare --csv compare.csv --max-regression 3%")]
pub struct CompareArgs {
    /// The old binary
    #[arg(value_name = "OLD")]
    pub old: Option<PathBuf>,
    /// The new binary; may be the same with --new-args
    #[arg(value_name = "NEW", requires = "old")]
    pub new: Option<PathBuf>,
    /// Benchmark files or category folders below --bench-dir [default: all]
    #[arg(value_name = "FILES")]
    pub files: Vec<String>,
    /// Without OLD and NEW: analyse this result of Node's compare.js (- is standard input;
    /// repeatable). With them: also write the samples there, in Node's own format
    #[arg(long, value_name = "FILE|-")]
    pub csv: Vec<PathBuf>,
    /// With --csv and without binaries: the label that ran the base's code once more, as an A/A
    /// control (a CSV does not say which one it is)
    #[arg(long, value_name = "NAME", requires = "csv", conflicts_with_all = ["old", "aa"])]
    pub control: Option<String>,
    /// Flags for the old binary, split like a shell would
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub old_args: Option<String>,
    /// Flags for the new binary
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub new_args: Option<String>,
    /// A further arm: NAME=BINARY (repeatable)
    #[arg(long, value_name = "NAME=BINARY")]
    pub arm: Vec<Named>,
    /// Flags of a further arm: NAME=FLAGS
    #[arg(long, value_name = "NAME=FLAGS")]
    pub arm_args: Vec<Named>,
    /// Which benchmarks and configurations.
    #[command(flatten)]
    pub node: NodeArgs,
    /// Which rows.
    #[command(flatten)]
    pub select: SelectArgs,
    /// How it is measured.
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// How it is judged.
    #[command(flatten)]
    pub analysis: AnalysisArgs,
    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Compare whole commands: start-up and run times.
///
/// Prints hyperfine's lines, then the ratio of the means with its 95 % interval and a verdict.
/// Commands are started directly; use --shell for pipes and variables.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  Start-up time with and without a preload:
    alacrypt-lab run -n stock='node -e 0' -n ours='node --import alacrypt/register -e 0'
  What hyperfine measured earlier, with an honest interval:
    alacrypt-lab run --import-hyperfine before.json --import-hyperfine after.json")]
pub struct RunArgs {
    /// A command to measure: NAME=COMMAND (repeatable; the first is the base)
    #[arg(short = 'n', long = "name", value_name = "NAME=COMMAND")]
    pub commands: Vec<Named>,
    /// Analyse results of hyperfine --export-json instead of running anything (repeatable)
    #[arg(long, value_name = "FILE", conflicts_with = "commands", num_args = 1..)]
    pub import_hyperfine: Vec<PathBuf>,
    /// Start commands through this shell (as `sh -c`)
    #[arg(long, value_name = "SHELL", num_args = 0..=1, default_missing_value = "sh")]
    pub shell: Option<String>,
    /// Write the samples as CSV in Node's own format
    #[arg(long, value_name = "FILE|-")]
    pub csv: Option<PathBuf>,
    /// What belongs around the runs.
    #[command(flatten)]
    pub around: AroundArgs,
    /// Which rows.
    #[command(flatten)]
    pub select: SelectArgs,
    /// How it is measured.
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// How it is judged.
    #[command(flatten)]
    pub analysis: AnalysisArgs,
    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Run identical code on both sides: what can this machine decide now?
///
/// Any difference found here is a fault of the machine or the method. The answer is the smallest
/// difference that a comparison of the same length could show.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
    alacrypt-lab aa -n node='node -e 0'
    alacrypt-lab aa node --bench-dir node/benchmark crypto/hash-stream-creation.js")]
pub struct AaArgs {
    /// The binary that runs the benchmark files
    #[arg(value_name = "BINARY", conflicts_with = "command")]
    pub binary: Option<PathBuf>,
    /// Benchmark files or category folders below --bench-dir
    #[arg(value_name = "FILES")]
    pub files: Vec<String>,
    /// A whole command instead: NAME=COMMAND
    #[arg(short = 'n', long = "name", value_name = "NAME=COMMAND")]
    pub command: Option<Named>,
    /// Flags for the binary
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub args: Option<String>,
    /// Start the command through this shell
    #[arg(long, value_name = "SHELL", num_args = 0..=1, default_missing_value = "sh")]
    pub shell: Option<String>,
    /// Write the samples as CSV in Node's own format
    #[arg(long, value_name = "FILE|-")]
    pub csv: Option<PathBuf>,
    /// What belongs around the runs.
    #[command(flatten)]
    pub around: AroundArgs,
    /// Which benchmarks and configurations.
    #[command(flatten)]
    pub node: NodeArgs,
    /// Which rows.
    #[command(flatten)]
    pub select: SelectArgs,
    /// How it is measured.
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// How it is judged.
    #[command(flatten)]
    pub analysis: AnalysisArgs,
    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Look at this machine and say what disturbs measurements, and how much.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
    alacrypt-lab doctor
    alacrypt-lab doctor --seconds 5 --json -")]
pub struct DoctorArgs {
    /// How long to watch
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pub seconds: Seconds,
    /// Processors that comparisons will use: 0,2 or 0-3 [default: all]
    #[arg(long, value_name = "LIST")]
    pub cpu: Option<CpuList>,
    /// Write what was found as JSON
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
}

/// Show, merge or compare saved measurements.
///
/// Each PATH is the folder of a session, a report.json or an HTML page that this program wrote.
/// Parts of one plan (--shard) are merged, with the machine as a block. Sessions of different
/// plans are shown one after the other.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
    alacrypt-lab report alacrypt-lab-20260801-101500 --html report.html
    alacrypt-lab report shard-1 shard-2 shard-3 --md -
    alacrypt-lab report old.html --wide")]
pub struct ReportArgs {
    /// Session folders, report.json files or HTML pages of this program
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Write the samples as CSV in Node's own format
    #[arg(long, value_name = "FILE|-")]
    pub csv: Option<PathBuf>,
    /// Which rows.
    #[command(flatten)]
    pub select: SelectArgs,
    /// How it is judged.
    #[command(flatten)]
    pub analysis: AnalysisArgs,
    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Print a completion script for a shell.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
    alacrypt-lab completions bash > ~/.local/share/bash-completion/completions/alacrypt-lab")]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// Print a manual page (roff): of the whole program, or of one subcommand.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
    alacrypt-lab man | man -l -
    alacrypt-lab man compare > alacrypt-lab-compare.1")]
pub struct ManArgs {
    /// The subcommand
    #[arg(value_name = "SUBCOMMAND")]
    pub subcommand: Option<String>,
}

/// Parses the process's arguments; wrong ones end the process with exit code 2 and a message.
pub fn parse() -> (Cli, Given) {
    let matches = definition().get_matches();
    let given = Given::of(&matches);
    match Cli::from_arg_matches(&matches) {
        Ok(cli) => (cli, given),
        Err(error) => error.exit(),
    }
}

/// The definition of the whole command line, for completions and the manual page.
pub fn definition() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        definition().debug_assert();
    }

    #[test]
    fn the_examples_of_the_help_texts_parse() {
        for line in [
            "compare ./a ./b --bench-dir d --aa crypto",
            "compare node node --new-args=--import=x --bench-dir b digest.js --html r.html",
            "compare --csv c.csv --wide",
            "compare --csv c.csv --max-regression 3%",
            "compare --csv c.csv --base stock --control again",
            "run -n stock=a -n ours=b",
            "run --import-hyperfine before.json --import-hyperfine after.json",
            "aa -n node=a",
            "aa node --bench-dir b crypto/x.js",
            "doctor --seconds 5 --json -",
            "report s --html report.html",
            "report s1 s2 --md -",
            "loop -n stock=node -n ours=node --html loop.html",
            "loop -n a=node -n b=node --load fanout:100 --op digest:65536 --rate 2000 --duration 20s",
            "loop -n a=node --load none,mixed -- server.js",
            "loop --port 8080 --load none -- ./server --listen x",
            "phases pm.toml --runs 5 --md - --html phases.html",
            "phases pm.toml --dry-run",
            "phases --resume s",
            "probe switches.toml --runs 20 --html probe.html",
            "probe switches.toml --full --md -",
            "tls pcap c.pcapng",
            "tls pcap c.pcap --port 443 --wide --json h.json",
            "tls pcap -",
            "tls connect example.org:443",
            "tls connect [::1]:8443 -p 128 --provider ring --rounds 2 --ca ca.pem --json -",
            "completions bash",
            "man",
            "man compare",
        ] {
            let words = std::iter::once("alacrypt-lab").chain(line.split(' '));
            if let Err(error) = Cli::try_parse_from(words) {
                panic!("{line}: {error}");
            }
        }
    }

    #[test]
    fn contradictions_are_refused() {
        for line in [
            "compare a b --out x --resume y",
            "compare a b --csv c.csv --control old",
            "compare --csv c.csv --aa --control old",
            "run -n a=b --import-hyperfine f.json",
            "report",
            "compare a b --delta 0",
            "compare a b --until significant",
            "compare a b --runs 0",
            "loop -n a=node --load fanout",
            "loop -n a=node --load fanout:0",
            "loop -n a=node --rate 0",
        ] {
            let words = std::iter::once("alacrypt-lab").chain(line.split(' '));
            assert!(Cli::try_parse_from(words).is_err(), "{line}");
        }
    }
}

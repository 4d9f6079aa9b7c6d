//! From the command line to a plan, and from there to a measured session.

use super::arms::{add_copy, binary_arm, check_names, command_arm, server_arms};
use super::benchfiles;
use super::dry_run;
use super::interrupt::Wish;
use super::machine;
use super::progress::counted;
use super::runner::{Place, Runner};
use super::schedule::{Request, blocks};
use super::session_run::{Measured, THIS_TOOL, begin, cleaned_up, closing_line, resume};
use crate::cli::{
    AaArgs, AroundArgs, CompareArgs, CpuList, LoopArgs, MeasureArgs, Named, Net, NodeArgs, Order,
    Rss, RunArgs, Until,
};
use crate::error::{Error, Result};
use crate::session::{
    Arm, Cell, Environment, Kind, Load, Metric, Moment, Options, OrderRule, Phases, Plan, Probe,
    Run, SCHEMA_VERSION, Session, Shard,
};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Default rounds of benchmark files, as Node's `compare.js`.
const COMPARE_ROUNDS: u32 = 30;
/// A command without `--runs` gets this much time per arm, within the limits.
const RUN_SECONDS: f64 = 3.0;
const RUN_ROUNDS: std::ops::RangeInclusive<u32> = 10..=200;
/// Default rounds of servers under load.
const LOOP_ROUNDS: u32 = 6;
/// Smallest difference that matters by default: rates, commands, servers.
const DELTA_RATE: f64 = 0.01;
const DELTA_COMMAND: f64 = 0.02;
const DELTA_LOOP: f64 = 0.05;

/// What is known before a plan is sealed.
pub(super) struct Draft {
    pub(super) kind: Kind,
    pub(super) arms: Vec<Arm>,
    pub(super) cells: Vec<Cell>,
    pub(super) base: Option<String>,
    pub(super) delta: Option<f64>,
    pub(super) options: Options,
    pub(super) load: Option<Load>,
    pub(super) phases: Option<Phases>,
    pub(super) probe: Option<Probe>,
}

/// Measures benchmark files with several binaries. `None` after `--dry-run`.
///
/// # Errors
/// When the arguments or the benchmark folder are wrong, or measuring cannot start.
pub fn compare(args: &CompareArgs) -> Result<Option<Measured>> {
    if let Some(dir) = &args.measure.resume {
        return go_on(dir, &args.measure).map(Some);
    }
    let (Some(old), Some(new)) = (&args.old, &args.new) else {
        return Err(Error::Usage(
            "compare needs two binaries, OLD and NEW (the same one twice with --new-args), \
             or --csv FILE to analyse"
                .into(),
        ));
    };
    let mut arms = vec![
        binary_arm("old", old, args.old_args.as_deref())?,
        binary_arm("new", new, args.new_args.as_deref())?,
    ];
    for Named { name, value } in &args.arm {
        let flags = args
            .arm_args
            .iter()
            .find(|a| a.name == *name)
            .map(|a| a.value.as_str());
        arms.push(binary_arm(name, Path::new(value), flags)?);
    }
    if let Some(stray) = args
        .arm_args
        .iter()
        .find(|a| !arms.iter().any(|arm| arm.name == a.name))
    {
        return Err(Error::Usage(format!(
            "--arm-args {}: there is no such --arm",
            stray.name
        )));
    }
    let cells = bench_cells(&args.node, &args.files, &|name| args.select.accepts(name))?;
    measure(
        Draft {
            kind: Kind::Compare,
            arms,
            cells,
            base: args.analysis.base.clone(),
            delta: args.analysis.delta.map(|d| d.0),
            options: Options {
                set: pairs(&args.node.set),
                ..options(&args.measure)?
            },
            load: None,
            phases: None,
            probe: None,
        },
        &args.measure,
    )
}

/// Measures whole commands. `None` after `--dry-run`.
///
/// # Errors
/// When the arguments are wrong, or measuring cannot start.
pub fn run(args: &RunArgs) -> Result<Option<Measured>> {
    if let Some(dir) = &args.measure.resume {
        return go_on(dir, &args.measure).map(Some);
    }
    if args.commands.is_empty() {
        return Err(Error::Usage(
            "run needs commands: -n NAME=COMMAND, twice or more to compare them".into(),
        ));
    }
    let arms: Vec<Arm> = args
        .commands
        .iter()
        .map(|named| command_arm(named, args.shell.is_some()))
        .collect::<Result<_>>()?;
    let draft = Draft {
        kind: Kind::Run,
        arms,
        cells: vec![Cell {
            bench: "wall time".into(),
            file: None,
            metric: Metric::Wall,
        }],
        base: args.analysis.base.clone(),
        delta: args.analysis.delta.map(|d| d.0),
        options: Options {
            shell: args.shell.clone().unwrap_or_default(),
            ..around(&args.around, options(&args.measure)?)
        },
        load: None,
        phases: None,
        probe: None,
    };
    measure(draft, &args.measure)
}

/// Measures identical code on both sides. `None` after `--dry-run`.
///
/// # Errors
/// When the arguments are wrong, or measuring cannot start.
pub fn aa(args: &AaArgs) -> Result<Option<Measured>> {
    if let Some(dir) = &args.measure.resume {
        return go_on(dir, &args.measure).map(Some);
    }
    let (arm, cells, set, shell) = match (&args.binary, &args.command) {
        (_, Some(command)) => {
            let cell = Cell {
                bench: "wall time".into(),
                file: None,
                metric: Metric::Wall,
            };
            let shell = args.shell.clone().unwrap_or_default();
            (
                command_arm(command, args.shell.is_some())?,
                vec![cell],
                Vec::new(),
                shell,
            )
        }
        (Some(binary), None) => {
            let name = binary
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let arm = binary_arm(&name, binary, args.args.as_deref())?;
            let cells = bench_cells(&args.node, &args.files, &|name| args.select.accepts(name))?;
            (arm, cells, pairs(&args.node.set), String::new())
        }
        (None, None) => {
            return Err(Error::Usage(
                "aa needs something to run: BINARY with --bench-dir, or -n NAME=COMMAND".into(),
            ));
        }
    };
    let draft = Draft {
        kind: Kind::Aa,
        base: Some(arm.name.clone()),
        arms: vec![arm],
        cells,
        delta: args.analysis.delta.map(|d| d.0),
        options: Options {
            set,
            shell,
            ..around(&args.around, options(&args.measure)?)
        },
        load: None,
        phases: None,
        probe: None,
    };
    measure(draft, &args.measure)
}

/// Measures servers under load. `None` after `--dry-run`.
///
/// # Errors
/// When the arguments are wrong, or measuring cannot start.
pub fn looped(args: &LoopArgs) -> Result<Option<Measured>> {
    if let Some(dir) = &args.measure.resume {
        return go_on(dir, &args.measure).map(Some);
    }
    let cells = args.load.iter().map(|load| Cell {
        bench: load.to_string(),
        file: None,
        metric: Metric::Time,
    });
    let draft = Draft {
        kind: Kind::Loop,
        arms: server_arms(&args.commands, &args.server)?,
        cells: cells.collect(),
        base: args.analysis.base.clone(),
        delta: args.analysis.delta.map(|d| d.0),
        options: Options {
            setup: args.setup.clone(),
            cleanup: args.cleanup.clone(),
            ..options(&args.measure)?
        },
        load: Some(Load {
            rate: args.rate,
            poisson: args.poisson,
            duration_s: args.duration.0,
            warm_s: args.settle.0,
            timeout_s: args.answer_timeout.0,
            start_timeout_s: args.start_timeout.0,
            path: args.path.clone(),
            port: args.port,
            operations: args.op.clone(),
        }),
        phases: None,
        probe: None,
    };
    // Each run settles before it is measured, so that no round is needed for that.
    let mut measuring = args.measure.clone();
    if measuring.warmup == 1 {
        measuring.warmup = 0;
    }
    measuring.runs.get_or_insert(LOOP_ROUNDS);
    measure(draft, &measuring)
}

pub(super) fn go_on(dir: &Path, measure: &MeasureArgs) -> Result<Measured> {
    let started = Instant::now();
    let measured = resume(dir, measure.force)?;
    eprintln!("{}", closing_line(&measured, started.elapsed()));
    Ok(measured)
}

pub(super) fn measure(mut draft: Draft, args: &MeasureArgs) -> Result<Option<Measured>> {
    check_names(&draft.arms)?;
    let Options {
        prepare, conclude, ..
    } = &draft.options;
    for (flag, list) in [("prepare", prepare), ("conclude", conclude)] {
        if list.len() > 1 && list.len() != draft.arms.len() {
            return Err(Error::Usage(format!(
                "--{flag} is given {} times for {} commands: once for all, or once for each",
                list.len(),
                draft.arms.len()
            )));
        }
    }
    let rule = until(args.until);
    if args.shard.is_some() && rule != crate::session::Until::Fixed {
        return Err(Error::Usage(
            "--shard needs --until fixed: a part alone cannot tell when the whole is decided"
                .into(),
        ));
    }
    let base = match draft.base.take() {
        Some(name) if draft.arms.iter().any(|arm| arm.name == name) => name,
        Some(name) => {
            let names: Vec<&str> = draft.arms.iter().map(|arm| arm.name.as_str()).collect();
            return Err(Error::Usage(format!(
                "--base {name}: there is no such arm; there are {}",
                names.join(", ")
            )));
        }
        None => draft.arms[0].name.clone(),
    };
    if args.aa || draft.kind == Kind::Aa {
        add_copy(&mut draft.arms, &base)?;
    }
    let dir = args
        .out
        .clone()
        .unwrap_or_else(|| default_dir(SystemTime::now()));
    if Session::is_session(&dir) {
        return Err(Error::Usage(format!(
            "{} holds a session already; go on with --resume, or choose another --out",
            dir.display()
        )));
    }
    let wall = draft.cells.iter().all(|cell| cell.metric == Metric::Wall);
    let mut plan = Plan {
        v: SCHEMA_VERSION,
        tool: THIS_TOOL.into(),
        kind: draft.kind,
        id: String::new(),
        seed: args.seed.unwrap_or_else(fresh_seed),
        order: match args.order {
            Order::Balanced => OrderRule::Balanced,
            Order::Abba => OrderRule::Abba,
            Order::Fixed => OrderRule::Fixed,
        },
        rounds: args.runs.unwrap_or(COMPARE_ROUNDS),
        warmup_rounds: args.warmup,
        until: rule,
        delta: draft.delta.unwrap_or(match draft.kind {
            Kind::Loop => DELTA_LOOP,
            _ if wall => DELTA_COMMAND,
            _ => DELTA_RATE,
        }),
        base,
        arms: draft.arms,
        cells: draft.cells,
        schedule: Vec::new(),
        shard: args.shard.map(|s| Shard {
            index: s.index,
            of: s.count,
        }),
        options: draft.options,
        load: draft.load,
        phases: draft.phases,
        probe: draft.probe,
    };
    let by_time = wall && args.runs.is_none();
    if args.dry_run {
        plan.schedule = blocks(&request(&plan));
        plan.seal();
        dry_run::print(&plan, by_time.then_some(RUN_ROUNDS));
        return Ok(None);
    }
    let started = Instant::now();
    let (arms, cells) = (plan.arms.clone(), plan.cells.clone());
    let mut runner =
        Runner::new(arms, cells, plan.options.clone(), plan.seed)?.with_load(plan.load.as_ref())?;
    runner.with_phases(plan.phases.as_ref(), &dir)?;
    let env = runner.environment()?;
    runner.set_up()?;
    let measured = measure_set_up(&mut runner, &mut plan, &env, &dir, by_time);
    let measured = cleaned_up(&mut runner, measured)?;
    eprintln!("{}", closing_line(&measured, started.elapsed()));
    Ok(Some(measured))
}

/// Between `--setup` and `--cleanup`. `by_time`: the warm-up round says how many rounds fit.
fn measure_set_up(
    runner: &mut Runner,
    plan: &mut Plan,
    env: &Environment,
    dir: &Path,
    by_time: bool,
) -> Result<Measured> {
    let mut warm = Vec::new();
    if by_time {
        let Some(first) = first_round(runner, plan)? else {
            return Err(Error::Interrupted);
        };
        plan.rounds = rounds_for(&first);
        if plan.warmup_rounds > 0 {
            warm = first;
        }
    }
    plan.schedule = blocks(&request(plan));
    plan.seal();
    eprintln!("{}", opening_line(plan, dir));
    begin(runner, plan, env, dir, warm)
}

/// The warm-up round, made before the plan because it says how many rounds fit. `None` when the
/// user ended it.
fn first_round(runner: &mut Runner, plan: &Plan) -> Result<Option<Vec<Vec<Run>>>> {
    let mut rounds = Vec::new();
    for arm in 0..plan.arms.len() {
        if runner.interrupt.wish() != Wish::GoOn {
            return Ok(None);
        }
        let slot = arm as u32;
        let place = Place {
            seq: u64::from(slot),
            cell: 0,
            arm,
            round: 0,
            slot,
            attempt: 0,
        };
        match runner.run(place, &mut || {})? {
            Some(lines) => rounds.push(lines),
            None => return Ok(None),
        }
    }
    Ok(Some(rounds))
}

/// Rounds that give the slowest command [`RUN_SECONDS`], within [`RUN_ROUNDS`].
fn rounds_for(first: &[Vec<Run>]) -> u32 {
    let walls = first.iter().filter_map(|lines| lines.first()?.wall_ns);
    let slowest = walls.max().unwrap_or(0) as f64 / 1e9;
    let fit = if slowest > 0.0 {
        (RUN_SECONDS / slowest).ceil()
    } else {
        f64::from(u32::MAX)
    };
    // A float beyond the range saturates.
    (fit as u32).clamp(*RUN_ROUNDS.start(), *RUN_ROUNDS.end())
}

fn request(plan: &Plan) -> Request {
    Request {
        arms: plan.arms.len(),
        cells: plan.cells.len(),
        rounds: plan.rounds,
        warmup_rounds: plan.warmup_rounds,
        order: plan.order,
        seed: plan.seed,
        shard: plan.shard,
    }
}

fn opening_line(plan: &Plan, dir: &Path) -> String {
    let names: Vec<&str> = plan.arms.iter().map(|arm| arm.name.as_str()).collect();
    let shard = plan
        .shard
        .map_or(String::new(), |s| format!(", part {} of {}", s.index, s.of));
    format!(
        "{}: {}, {}{shard}, order {:?}, seed {}, into {}",
        names.join(" against "),
        counted(plan.cells.len() as u64, "benchmark"),
        counted(plan.rounds.into(), "round"),
        plan.order,
        plan.seed,
        dir.display()
    )
}

fn bench_cells(
    node: &NodeArgs,
    files: &[String],
    accepts: &dyn Fn(&str) -> bool,
) -> Result<Vec<Cell>> {
    let Some(dir) = &node.bench_dir else {
        return Err(Error::Usage(
            "--bench-dir DIR is missing: the folder of the benchmark files".into(),
        ));
    };
    benchfiles::find(dir, files, accepts)
}

pub(super) fn options(args: &MeasureArgs) -> Result<Options> {
    Ok(Options {
        cpus: usable(args.cpu.as_ref())?,
        net: match args.net {
            None => String::new(),
            Some(Net::Host) => "host".into(),
            Some(Net::None) => "none".into(),
            Some(Net::Private) => "private".into(),
        },
        rss: match args.rss {
            Rss::Largest => String::new(),
            Rss::Tree => "tree".into(),
        },
        limits: args.limit.iter().map(ToString::to_string).collect(),
        on_fail: args
            .on_fail
            .as_ref()
            .map_or(String::new(), ToString::to_string),
        run_timeout_s: args.run_timeout.map(|t| t.0),
        max_time_s: args.max_time.map(|t| t.0),
        min_runs: args.min_runs,
        ..Options::default()
    })
}

/// The processors that were chosen, if this program may use them.
///
/// # Errors
/// When it may not use one of them.
pub fn usable(chosen: Option<&CpuList>) -> Result<Vec<usize>> {
    let Some(CpuList(cpus)) = chosen else {
        return Ok(Vec::new());
    };
    let allowed = machine::cpus_allowed();
    match cpus.iter().find(|cpu| !allowed.contains(cpu)) {
        None => Ok(cpus.clone()),
        Some(cpu) => {
            let allowed: Vec<String> = allowed.iter().map(usize::to_string).collect();
            Err(Error::Usage(format!(
                "--cpu: there is no processor {cpu} here that may be used; there are {}",
                allowed.join(", ")
            )))
        }
    }
}

fn around(args: &AroundArgs, options: Options) -> Options {
    Options {
        prepare: args.prepare.clone(),
        conclude: args.conclude.clone(),
        setup: args.setup.clone(),
        cleanup: args.cleanup.clone(),
        ..options
    }
}

fn pairs(set: &[Named]) -> Vec<String> {
    set.iter()
        .map(|Named { name, value }| format!("{name}={value}"))
        .collect()
}

fn until(until: Until) -> crate::session::Until {
    match until {
        Until::Fixed => crate::session::Until::Fixed,
        Until::Width(width) => crate::session::Until::Width { width },
        Until::Decided => crate::session::Until::Decided,
    }
}

/// A seed short enough to type again.
fn fresh_seed() -> u64 {
    use std::hash::BuildHasher;
    std::collections::hash_map::RandomState::new().hash_one(std::process::id()) % 1_000_000
}

/// `alacrypt-lab-20260801-101500`, in UTC.
pub(super) fn default_dir(now: SystemTime) -> PathBuf {
    let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    format!("alacrypt-lab-{}", Moment::of_unix(seconds).compact()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_fit_three_seconds_within_limits() {
        let round = |ms: u64| {
            vec![vec![Run {
                wall_ns: Some(ms * 1_000_000),
                ..Run::default()
            }]]
        };
        assert_eq!(rounds_for(&round(50)), 60);
        assert_eq!(rounds_for(&round(1)), 200);
        assert_eq!(rounds_for(&round(60_000)), 10);
        assert_eq!(rounds_for(&[]), 200);
    }
}

//! A saved session as a dataset.

use std::collections::BTreeMap;

use super::{ArmInfo, Dataset, Failure, LoadRun, Origin, RowData, Sample, Stretch, Unit, Usage};
use crate::session::{Environment, Event, Kind, Metric, Moment, Run, Session, Until};

/// Turns a session, complete or not, into rows of samples. Warm-ups, failed runs and attempts
/// that a later one replaced are not samples; failures are listed.
pub fn from_session(session: &Session) -> Dataset {
    let plan = &session.plan;
    let arms: Vec<ArmInfo> = plan.arms.iter().map(|arm| arm_info(session, arm)).collect();
    let unit = match plan.cells.first().map(|cell| cell.metric) {
        Some(Metric::Rate) => Unit::Rate,
        _ => Unit::Seconds,
    };
    let mut rows: BTreeMap<String, RowData> = BTreeMap::new();
    for run in session.measurements() {
        let Some(arm) = plan.arm(&run.arm) else {
            continue;
        };
        let Some(sample) = sample(session, run, arm, unit) else {
            continue;
        };
        let name = run.row_name();
        let row = rows.entry(name.clone()).or_insert_with(|| RowData {
            name,
            ..RowData::default()
        });
        row.samples.push(sample);
    }
    let failures = session
        .failures()
        .into_iter()
        .map(|run| Failure {
            row: run.row_name(),
            arm: run.arm.clone(),
            place: format!(
                "run {}{}",
                run.seq,
                if run.warm { " (warm-up)" } else { "" }
            ),
            why: run.fail.clone().unwrap_or_default(),
        })
        .collect();
    let mut warnings = session.warnings.clone();
    warnings.extend(
        session
            .environments
            .iter()
            .flat_map(|env| env.warnings.clone()),
    );
    if session.environments.len() > 1 {
        warnings.push("two environments: the session was resumed on a changed machine".into());
    }
    let (mut stopped, mut origin) = (Vec::new(), Origin::Compare);
    let mut stretches = Vec::new();
    for event in &session.events {
        match event {
            Event::Stopped { bench, rule, .. } => stopped.push((bench.clone(), rule.clone())),
            Event::Machine {
                seconds,
                steal_share,
                other_cpu_share,
                pressure_share,
                sibling_busy_share,
                ..
            } => stretches.push(Stretch {
                seconds: *seconds,
                steal_share: *steal_share,
                other_cpu_share: *other_cpu_share,
                pressure_share: *pressure_share,
                sibling_busy_share: *sibling_busy_share,
            }),
            Event::Skipped { bench, arm, why } => {
                let arm = arm
                    .as_ref()
                    .map_or(String::new(), |arm| format!("{arm} in "));
                warnings.push(format!("{arm}{bench} was given up: {why}"));
            }
            _ => {}
        }
    }
    if plan.kind == Kind::Run {
        origin = Origin::Run;
    } else if plan.kind == Kind::Aa {
        origin = Origin::Aa;
    } else if plan.kind == Kind::Loop {
        origin = Origin::Loop;
    } else if plan.kind == Kind::Phases {
        origin = Origin::Phases;
    } else if plan.kind == Kind::Probe {
        origin = Origin::Probe;
    }
    Dataset {
        title: title(plan.kind, &arms),
        origin,
        unit,
        base: plan.arm(&plan.base).unwrap_or(0),
        arms,
        rows: rows.into_values().collect(),
        delta: Some(plan.delta),
        plan: plan_lines(session),
        machines: session.environments.iter().map(machine_line).collect(),
        plan_id: Some(plan.id.clone()),
        failures,
        warnings,
        stopped,
        usage: usage(session),
        loads: loads(session),
        phases: plan.phases.as_ref().map_or(Vec::new(), |found| {
            found
                .phases
                .iter()
                .map(|phase| phase.name.clone())
                .collect()
        }),
        controls: plan
            .phases
            .as_ref()
            .map_or(Vec::new(), |found| found.controls.clone()),
        probe: plan.probe.clone(),
        scopes: scopes(session),
        stretches,
        finished: session.is_finished(),
    }
}

fn arm_info(session: &Session, arm: &crate::session::Arm) -> ArmInfo {
    ArmInfo {
        name: arm.name.clone(),
        command: command_line(arm),
        version: arm
            .binary
            .as_ref()
            .and_then(|binary| binary.version.clone()),
        sha256: arm.binary.as_ref().map(|binary| binary.sha256.clone()),
        copy_of: arm
            .copy_of
            .as_deref()
            .and_then(|name| session.plan.arm(name)),
    }
}

/// What is run, as one line: variables first, as in a shell.
fn command_line(arm: &crate::session::Arm) -> String {
    let variables = arm
        .env
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    let words = match &arm.shell {
        Some(text) => vec![text.clone()],
        None => arm.argv.clone(),
    };
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

fn sample(session: &Session, run: &Run, arm: usize, unit: Unit) -> Option<Sample> {
    let value = match unit {
        Unit::Rate => run.rate?,
        Unit::Seconds if run.config.is_some() => run.time_s?,
        Unit::Seconds => nanoseconds(run.wall_ns?),
    };
    (value.is_finite() && value > 0.0).then(|| Sample {
        arm,
        value,
        run: run.seq,
        round: Some(run.round),
        slot: run.slot,
        machine: machine(session, run),
        time_s: run.time_s,
        user_s: run.user_us.map(microseconds),
        sys_s: run.sys_us.map(microseconds),
        rss_bytes: run.maxrss_kib.map(|kib| kib * 1024),
        noise: run.noise.clone(),
    })
}

fn machine(session: &Session, run: &Run) -> usize {
    usize::try_from(session.stratum(run.seq))
        .unwrap_or(1)
        .saturating_sub(1)
}

/// What servers did under load.
fn loads(session: &Session) -> Vec<LoadRun> {
    let latest = session.latest();
    let of = |run: &Run| {
        Some(LoadRun {
            cell: run.bench.clone(),
            arm: session.plan.arm(&run.arm)?,
            round: run.round,
            figures: run.load.clone()?,
        })
    };
    latest.filter_map(of).collect()
}

/// What each measured run used: the lines with the accounting of a whole tree.
fn usage(session: &Session) -> Vec<Usage> {
    let traffic = !session.plan.options.net.is_empty();
    let accounts = session.latest().filter(|run| run.wall_ns.is_some());
    accounts
        .filter_map(|run| {
            Some(Usage {
                cell: run.bench.clone(),
                arm: session.plan.arm(&run.arm)?,
                run: run.seq,
                round: Some(run.round),
                slot: run.slot,
                machine: machine(session, run),
                figures: figures(run, traffic),
            })
        })
        .collect()
}

fn figures(run: &Run, traffic: bool) -> BTreeMap<String, f64> {
    #[allow(clippy::cast_precision_loss)] // Counters of one run are far below 2^53.
    let count = |n: Option<u64>| n.map(|n| n as f64);
    let kib = |n: Option<u64>| count(n).map(|n| n * 1024.0);
    let net = run.net.as_ref().filter(|_| traffic);
    let all = [
        ("user_s", run.user_us.map(microseconds)),
        ("sys_s", run.sys_us.map(microseconds)),
        ("task_clock_s", run.task_clock_us.map(microseconds)),
        ("rss_bytes", kib(run.maxrss_kib)),
        ("tree_bytes", kib(run.tree_kib)),
        ("minflt", count(run.minflt)),
        ("majflt", count(run.majflt)),
        ("nvcsw", count(run.nvcsw)),
        ("nivcsw", count(run.nivcsw)),
        ("migrations", count(run.migrations)),
        ("instructions", count(run.instructions)),
        ("cycles", count(run.cycles)),
        ("inblock", count(run.inblock)),
        ("oublock", count(run.oublock)),
        ("net_rx", count(net.map(|net| net.rx))),
        ("net_tx", count(net.map(|net| net.tx))),
        ("net_rx_packets", count(net.map(|net| net.rx_packets))),
        ("net_tx_packets", count(net.map(|net| net.tx_packets))),
    ];
    let sizes = run.foot.iter().flatten();
    let sizes = sizes.map(|(name, bytes)| (format!("size_{name}"), count(Some(*bytes))));
    let known = all.map(|(key, value)| (key.to_owned(), value));
    known
        .into_iter()
        .chain(sizes)
        .filter_map(|(key, value)| Some((key, value?)))
        .collect()
}

/// How figures were counted that can be counted in several ways.
fn scopes(session: &Session) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for env in &session.environments {
        if let Some(scope) = env.rss_scope.as_deref() {
            found.push(("tree_bytes".to_owned(), scope.to_owned()));
        }
        if let Some(scope) = env
            .net_scope
            .as_deref()
            .filter(|_| !session.plan.options.net.is_empty())
        {
            let word = scope.split(':').next().unwrap_or(scope);
            found.extend(["net_rx", "net_tx"].map(|key| (key.to_owned(), word.to_owned())));
        }
    }
    found
}

#[allow(clippy::cast_precision_loss)] // Runs are far shorter than 2^53 ns (104 days).
fn nanoseconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

#[allow(clippy::cast_precision_loss)]
fn microseconds(us: u64) -> f64 {
    us as f64 / 1e6
}

fn title(kind: Kind, arms: &[ArmInfo]) -> String {
    let names: Vec<&str> = arms
        .iter()
        .filter(|arm| arm.copy_of.is_none())
        .map(|arm| arm.name.as_str())
        .collect();
    match kind {
        Kind::Aa => format!("{} against itself", names.join(", ")),
        Kind::Compare | Kind::Run | Kind::Loop | Kind::Phases | Kind::Probe => names.join(" / "),
    }
}

fn plan_lines(session: &Session) -> Vec<(String, String)> {
    let plan = &session.plan;
    let mut lines = vec![
        ("tool".to_owned(), plan.tool.clone()),
        ("plan".to_owned(), plan.id.clone()),
        ("seed".to_owned(), plan.seed.to_string()),
        (
            "order".to_owned(),
            format!("{:?}", plan.order).to_lowercase(),
        ),
        ("rounds".to_owned(), plan.rounds.to_string()),
        ("warm-up rounds".to_owned(), plan.warmup_rounds.to_string()),
        ("until".to_owned(), until_text(plan.until)),
    ];
    lines.extend(plan.options.lines());
    for env in &session.environments {
        let asked = |given: &str| !given.is_empty();
        let scopes = [
            (
                "network figures",
                env.net_scope.as_ref().filter(|_| asked(&plan.options.net)),
            ),
            ("memory of a tree", env.rss_scope.as_ref()),
            ("kernel counters refused", env.perf_refused.as_ref()),
        ];
        for (name, scope) in scopes {
            lines.extend(scope.map(|scope| (name.to_owned(), scope.clone())));
        }
    }
    let begun = session.events.iter().find_map(|event| match event {
        Event::Begin { unix_s, .. } => Some(Moment::of_unix(*unix_s).readable()),
        _ => None,
    });
    lines.extend(begun.map(|begun| ("begun".to_owned(), begun)));
    lines
}

/// The stopping rule as it is given on the command line.
fn until_text(until: Until) -> String {
    match until {
        Until::Fixed => "fixed".into(),
        Until::Width { width } => format!("width={}%", width * 100.0),
        Until::Decided => "decided".into(),
    }
}

/// A machine in one line.
fn machine_line(env: &Environment) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(env.cpu_model.clone());
    parts.extend(env.cpus.map(|cpus| format!("{cpus} CPUs")));
    parts.extend(env.kernel.clone());
    parts.extend(
        env.governor
            .as_ref()
            .map(|governor| format!("governor {governor}")),
    );
    if env.virtualized == Some(true) {
        parts.push("virtual".into());
    }
    if parts.is_empty() {
        "unknown machine".into()
    } else {
        parts.join(", ")
    }
}

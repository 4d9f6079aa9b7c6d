//! Carries a plan out: round after round into the session folder, through interrupts and failures.

use super::interrupt::Wish;
use super::machine::Stretch;
use super::progress::{Progress, counted, duration};
use super::runner::{Place, Runner};
use super::stopping::{CellSamples, Rule};
use crate::cli::OnFail;
use crate::error::{Error, Result};
use crate::session::{Binary, Environment, Event, Plan, Run, Session, SessionWriter, Until};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What plans of this program say of their maker: another version may hash more, or less.
pub(super) const THIS_TOOL: &str = concat!("alacrypt-lab ", env!("CARGO_PKG_VERSION"));

/// Failures in a row, without a single success before them, after which a cell is given up.
const HOPELESS: u32 = 3;

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// The session folder.
    pub dir: PathBuf,
    /// Whether the user or a signal ended it.
    pub interrupted: bool,
    /// Whether a failed run ended it, by `--on-fail stop`.
    pub stopped_by_failure: bool,
    /// Whether `--cleanup` failed.
    pub left_unclean: bool,
    /// Runs made, over all stretches of the session.
    pub runs: u64,
    /// Lines that are no measurement.
    pub failed: u64,
    /// Cells that were given up.
    pub skipped: u64,
}

/// What was measured before: empty for a new session.
#[derive(Debug, Default)]
struct State {
    seq: u64,
    failed: u64,
    samples: Vec<CellSamples>,
    /// Arms that ran in each (cell, round), in the latest attempt, and that attempt.
    rounds: BTreeMap<(usize, u32), (u32, BTreeSet<usize>)>,
    stopped: BTreeSet<usize>,
    skipped: BTreeSet<usize>,
    /// Arms that were given up in a cell, where the others go on.
    given_up: BTreeSet<(usize, usize)>,
    times: Vec<Vec<Duration>>,
    /// Median of `times` of each cell.
    typical: Vec<Option<Duration>>,
    failures_in_a_row: BTreeMap<(usize, usize), Option<u32>>,
}

impl State {
    fn new(plan: &Plan) -> Self {
        Self {
            samples: vec![CellSamples::default(); plan.cells.len()],
            times: vec![Vec::new(); plan.cells.len()],
            typical: vec![None; plan.cells.len()],
            ..Self::default()
        }
    }

    fn take(&mut self, plan: &Plan, place: Place, lines: &[Run]) {
        self.seq = self.seq.max(place.seq + 1);
        self.failed += lines.iter().filter(|run| run.fail.is_some()).count() as u64;
        self.samples[place.cell].add(plan.cells[place.cell].metric, &plan.arms, lines);
        let round = self.rounds.entry((place.cell, place.round)).or_default();
        if place.attempt > round.0 {
            *round = (place.attempt, BTreeSet::new());
        }
        round.1.insert(place.arm);
        if let Some(ns) = lines.first().and_then(|run| run.tree_ns.or(run.wall_ns)) {
            self.times[place.cell].push(Duration::from_nanos(ns));
            self.typical[place.cell] = median(&self.times[place.cell]);
        }
        let row = self
            .failures_in_a_row
            .entry((place.cell, place.arm))
            .or_insert(Some(0));
        let metric = plan.cells[place.cell].metric;
        let worked = lines
            .iter()
            .any(|run| run.fail.is_none() && run.value(metric).is_some());
        *row = match (*row, !worked) {
            // One success, and the cell is not hopeless any more.
            (_, false) | (None, _) => None,
            (Some(n), true) => Some(n + 1),
        };
    }

    /// Whether a block needs no running, or which attempt it is.
    fn attempt(&self, cell: usize, round: u32, arms: usize) -> Option<u32> {
        match self.rounds.get(&(cell, round)) {
            None => Some(0),
            Some((_, done))
                if (0..arms)
                    .all(|arm| done.contains(&arm) || self.given_up.contains(&(cell, arm))) =>
            {
                None
            }
            Some((attempt, _)) => Some(attempt + 1),
        }
    }

    /// Time that `runs` more runs of each cell take; unknown before the first run.
    fn time_for(&self, runs: &[u64]) -> Option<Duration> {
        let known: Vec<Duration> = self.typical.iter().flatten().copied().collect();
        let elsewhere = median(&known)?;
        let of_cell = |(&runs, typical): (&u64, &Option<Duration>)| {
            typical.unwrap_or(elsewhere).as_secs_f64() * runs as f64
        };
        Some(Duration::from_secs_f64(
            runs.iter().zip(&self.typical).map(of_cell).sum(),
        ))
    }
}

fn median(times: &[Duration]) -> Option<Duration> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied()
}

/// Measures a new plan into `dir`, on the machine that `env` describes. `warm` are lines of a round 0 that was made to find out how
/// many rounds to plan.
///
/// # Errors
/// When the folder cannot be written or no shim started.
pub fn begin(
    runner: &mut Runner,
    plan: &Plan,
    env: &Environment,
    dir: &Path,
    warm: Vec<Vec<Run>>,
) -> Result<Measured> {
    for warning in &env.warnings {
        eprintln!("note: {warning}");
    }
    let mut writer = SessionWriter::create(dir, plan, env)?;
    writer.event(&Event::Begin {
        from_seq: 0,
        unix_s: unix_now(),
        environment: 1,
    })?;
    let mut state = State::new(plan);
    for lines in warm {
        writer.append(&lines)?;
        take_lines(&mut state, plan, &lines);
    }
    carry_on(runner, plan, &mut writer, state, 1)
}

/// Goes on with the session in `dir`.
///
/// # Errors
/// When it cannot be read, is finished, or was measured on another machine or with other binaries
/// and `force` is not set.
pub fn resume(dir: &Path, force: bool) -> Result<Measured> {
    let session = Session::load(dir)?;
    if session.is_finished() {
        return Err(Error::Usage(format!(
            "{} is finished; show it with: alacrypt-lab report {}",
            dir.display(),
            dir.display()
        )));
    }
    let plan = session.plan.clone();
    let mut runner = Runner::new(
        plan.arms.clone(),
        plan.cells.clone(),
        plan.options.clone(),
        plan.seed,
    )?
    .with_load(plan.load.as_ref())?;
    runner.with_phases(plan.phases.as_ref(), dir)?;
    let env = runner.environment()?;
    let mut differences = session
        .environments
        .last()
        .map_or(Vec::new(), |e| e.differences(&env));
    if plan.tool == THIS_TOOL && !plan.is_as_sealed() {
        differences.push("plan.json was changed since".into());
    }
    for arm in &plan.arms {
        if let Some(was) = &arm.binary {
            let is = Binary::identify(&was.path, false)?;
            if is.sha256 != was.sha256 {
                differences.push(format!(
                    "{} has other bytes than before",
                    was.path.display()
                ));
            }
        }
    }
    let (mut writer, torn) = SessionWriter::open(dir)?;
    let mut environment = session.environments.len() as u32;
    if !differences.is_empty() {
        if !force {
            return Err(Error::Usage(format!(
                "{} was measured elsewhere: {}. --force goes on, and the report then treats the \
                 two parts as two machines",
                dir.display(),
                differences.join("; ")
            )));
        }
        environment = writer.add_environment(&env)?;
    }
    if torn {
        eprintln!("note: the last line of runs.jsonl was cut short and is measured again");
    }
    let first = session.events.iter().find_map(|event| match event {
        Event::Begin { unix_s, .. } => Some(*unix_s),
        _ => None,
    });
    let gone = unix_now().saturating_sub(first.unwrap_or_else(unix_now));
    runner.shift_clock(Duration::from_secs(gone));
    let mut state = State::new(&plan);
    let mut lines: Vec<Run> = Vec::new();
    for run in &session.runs {
        if lines.first().is_some_and(|first| first.seq != run.seq) {
            take_lines(&mut state, &plan, &lines);
            lines.clear();
        }
        lines.push(run.clone());
    }
    take_lines(&mut state, &plan, &lines);
    for event in &session.events {
        let of = |name: &str| plan.cells.iter().position(|cell| cell.bench == name);
        match event {
            // Time is counted per stretch, so what only time ended goes on.
            Event::Stopped { rule, .. } if rule == MAX_TIME => {}
            Event::Stopped { bench, .. } => state.stopped.extend(of(bench)),
            Event::Skipped {
                bench,
                arm: Some(arm),
                ..
            } => state.given_up.extend(of(bench).zip(plan.arm(arm))),
            Event::Skipped { bench, .. } => state.skipped.extend(of(bench)),
            _ => {}
        }
    }
    // What an earlier stretch set up was taken away at its end.
    runner.set_up()?;
    let begins = Event::Begin {
        from_seq: state.seq,
        unix_s: unix_now(),
        environment,
    };
    let measured = writer
        .event(&begins)
        .and_then(|()| carry_on(&mut runner, &plan, &mut writer, state, environment));
    cleaned_up(&mut runner, measured)
}

/// Takes away what `--setup` made, however the measuring ended. What was measured is not lost to a
/// failure here.
pub(super) fn cleaned_up(runner: &mut Runner, measured: Result<Measured>) -> Result<Measured> {
    let cleaned = runner.clean_up();
    let mut measured = measured?;
    if let Err(why) = cleaned {
        eprintln!("error: {why}");
        measured.left_unclean = true;
    }
    Ok(measured)
}

/// Takes in lines of one run as they stand in the log.
fn take_lines(state: &mut State, plan: &Plan, lines: &[Run]) {
    let Some(first) = lines.first() else { return };
    let cell = plan.cells.iter().position(|cell| cell.bench == first.bench);
    if let Some((cell, arm)) = cell.zip(plan.arm(&first.arm)) {
        let place = Place {
            seq: first.seq,
            cell,
            arm,
            round: first.round,
            slot: first.slot,
            attempt: first.attempt,
        };
        state.take(plan, place, lines);
    }
}

const MAX_TIME: &str = "max-time";

fn carry_on(
    runner: &mut Runner,
    plan: &Plan,
    writer: &mut SessionWriter,
    mut state: State,
    environment: u32,
) -> Result<Measured> {
    let started = Instant::now();
    let stretch = Stretch::begin(&plan.options.cpus);
    let max_time = plan.options.max_time_s.map(Duration::from_secs_f64);
    let base = plan.arm(&plan.base).unwrap_or(0);
    let compared: Vec<usize> = (0..plan.arms.len())
        .filter(|&arm| arm != base && (plan.arms[arm].copy_of.is_none() || plan.arms.len() == 2))
        .collect();
    let stop_at_once: bool = plan.options.on_fail == OnFail::Stop.to_string();
    let skip_at_once: bool = plan.options.on_fail == OnFail::SkipCell.to_string();
    let total = (plan.schedule.len() * plan.arms.len()) as u64;
    let mut progress = Progress::new("runs", total, state.seq.min(total));
    // Runs left of each cell, for the remaining time.
    let mut left = vec![0u64; plan.cells.len()];
    for block in &plan.schedule {
        let gone = state.stopped.contains(&block.cell) || state.skipped.contains(&block.cell);
        if !gone
            && state
                .attempt(block.cell, block.round, plan.arms.len())
                .is_some()
        {
            left[block.cell] += plan.arms.len() as u64;
        }
    }
    let mut told = BTreeSet::new();
    let interrupt = Rc::clone(&runner.interrupt);
    let mut heard = false;
    let mut interrupted = false;
    let mut stopped_by_failure = false;
    'blocks: for block in &plan.schedule {
        let (cell, round) = (block.cell, block.round);
        if state.stopped.contains(&cell) || state.skipped.contains(&cell) {
            continue;
        }
        let Some(attempt) = state.attempt(cell, round, plan.arms.len()) else {
            continue;
        };
        if max_time.is_some_and(|limit| started.elapsed() >= limit) {
            let ends = Event::Stopped {
                bench: plan.cells[cell].bench.clone(),
                rule: MAX_TIME.into(),
                round: round.saturating_sub(1),
            };
            writer.event(&ends)?;
            state.stopped.insert(cell);
            progress.shorten(std::mem::take(&mut left[cell]));
            continue;
        }
        for (slot, &arm) in block.order.iter().enumerate() {
            if runner.interrupt.wish() != Wish::GoOn {
                interrupted = true;
                break 'blocks;
            }
            if state.given_up.contains(&(cell, arm)) {
                progress.shorten(1);
                left[cell] = left[cell].saturating_sub(1);
                continue;
            }
            let place = Place {
                seq: state.seq,
                cell,
                arm,
                round,
                slot: slot as u32,
                attempt,
            };
            progress.now(
                what_now(plan, &state, place, base, &compared),
                state.time_for(&left),
            );
            let Some(lines) = runner.run(place, &mut || {
                if !heard && interrupt.wish() == Wish::EndSoon {
                    heard = true;
                    progress.say("ending after this run; Ctrl-C again kills it");
                }
                progress.tick();
            })?
            else {
                interrupted = true;
                break 'blocks;
            };
            writer.append(&lines)?;
            state.take(plan, place, &lines);
            progress.step();
            left[cell] = left[cell].saturating_sub(1);
            if let Some(why) = lines.iter().find_map(|run| run.fail.as_deref()) {
                let arm = &plan.arms[arm].name;
                let bench = &plan.cells[cell].bench;
                // Each kind of failure is told once; the log holds all, the last line their number.
                if told.insert((arm, cell, why.to_owned())) {
                    progress.say(&format!("failed: {arm}, {bench}, round {round}: {why}"));
                }
                if stop_at_once {
                    stopped_by_failure = true;
                    break 'blocks;
                }
                let hopeless =
                    state.failures_in_a_row.get(&(cell, place.arm)) == Some(&Some(HOPELESS));
                if skip_at_once || hopeless {
                    let why = if hopeless {
                        format!("{arm} failed {HOPELESS} times in a row: {why}")
                    } else {
                        format!("{arm} failed: {why}")
                    };
                    progress.say(&format!("giving up {bench}: {why}"));
                    // In a phase each subject stands for itself.
                    let alone = plan.phases.is_some();
                    writer.event(&Event::Skipped {
                        bench: bench.clone(),
                        arm: alone.then(|| arm.clone()),
                        why,
                    })?;
                    if alone {
                        state.given_up.insert((cell, place.arm));
                        continue;
                    }
                    state.skipped.insert(cell);
                    progress.shorten(std::mem::take(&mut left[cell]));
                    continue 'blocks;
                }
            }
        }
        if round > 0 && plan.until != Until::Fixed {
            let rule = rule(plan, &state, base, &compared);
            let done = rounds_done(plan, &state, cell);
            if let Some(why) = rule.stop(done, &state.samples[cell]) {
                progress.shorten(std::mem::take(&mut left[cell]));
                let bench = plan.cells[cell].bench.clone();
                writer.event(&Event::Stopped {
                    bench,
                    rule: why,
                    round,
                })?;
                state.stopped.insert(cell);
            }
        }
    }
    drop(progress);
    writer.event(&stretch.end(environment))?;
    if interrupted || stopped_by_failure {
        writer.event(&Event::Interrupted {
            next_seq: state.seq,
        })?;
    } else {
        writer.event(&Event::Finished {
            runs: state.seq,
            failed: state.failed,
        })?;
    }
    Ok(Measured {
        dir: writer.dir().to_owned(),
        interrupted,
        stopped_by_failure,
        left_unclean: false,
        runs: state.seq,
        failed: state.failed,
        skipped: (state.skipped.len() + state.given_up.len()) as u64,
    })
}

fn rule(plan: &Plan, state: &State, base: usize, compared: &[usize]) -> Rule {
    let rows: usize = state.samples.iter().map(CellSamples::rows).sum();
    Rule {
        until: plan.until,
        delta: plan.delta,
        planned: plan.rounds,
        min_rounds: plan.options.min_runs,
        base,
        compared: compared.to_vec(),
        tests: rows * compared.len(),
    }
}

/// Measured rounds of a cell in which every arm ran.
fn rounds_done(plan: &Plan, state: &State, cell: usize) -> u32 {
    let rounds = state.rounds.range((cell, 1)..=(cell, u32::MAX));
    rounds
        .filter(|(_, (_, arms))| arms.len() == plan.arms.len())
        .count() as u32
}

fn what_now(plan: &Plan, state: &State, place: Place, base: usize, compared: &[usize]) -> String {
    let mut text = format!(
        "{} · {}",
        plan.cells[place.cell].bench, plan.arms[place.arm].name
    );
    if let Some(widest) = state.samples[place.cell].widest(base, compared) {
        // The first rounds bound next to nothing.
        let half = match widest.half_width {
            half if half < 10.0 => format!("{half:.3}"),
            _ => "more than 10".into(),
        };
        text += &format!(" · widest {} {:.3} ± {half}", widest.config, widest.ratio);
    }
    text
}

fn unix_now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs())
}

/// The last line on standard error: what was done, where it is and how to go on.
pub fn closing_line(measured: &Measured, took: Duration) -> String {
    let dir = measured.dir.display();
    let mut text = format!(
        "{} in {}, kept in {dir}",
        counted(measured.runs, "run"),
        duration(took)
    );
    if measured.failed > 0 {
        text += &format!("; {} failed", measured.failed);
    }
    if measured.skipped > 0 {
        text += &format!("; {} given up", measured.skipped);
    }
    if measured.interrupted {
        text += &format!("; interrupted: go on with --resume {dir}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_nothing_is_nothing() {
        let ms = Duration::from_millis;
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[ms(5), ms(1), ms(100)]), Some(ms(5)));
    }

    #[test]
    fn the_closing_line_says_how_to_go_on() {
        let measured = Measured {
            dir: "s".into(),
            interrupted: true,
            stopped_by_failure: false,
            left_unclean: false,
            runs: 7,
            failed: 2,
            skipped: 0,
        };
        let line = closing_line(&measured, Duration::from_secs(3));
        assert!(
            line.contains("--resume s") && line.contains("2 failed"),
            "{line}"
        );
    }
}

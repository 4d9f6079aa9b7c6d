//! What can this machine decide now, and why not more?
//!
//! For some seconds the same small piece of work is run in balanced pairs, each run a process of
//! its own through the shim, as a real comparison does. Any difference between the two sides is
//! the machine's; its spread says how small a difference of code would show.

use super::interrupt::{Interrupt, Wish};
use super::machine::{self, CpuTimes, Pressure, Siblings};
use super::progress::Progress;
use super::runner::launcher;
use super::schedule::{Request, blocks};
use super::shim::Spec;
use crate::analysis::{OTHERS_LIMIT, STEAL_LIMIT};
use crate::error::{Error, Result};
use crate::session::{Environment, Noise, Options, OrderRule, sha256_hex};
use crate::stats::distribution::normal_quantile;
use crate::stats::paired::{Round, crossover};
use crate::stats::power::POWER;
use crate::stats::{series, summary};
use serde::Serialize;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// First argument that makes the program do the doctor's piece of work.
pub const WORK: &str = "__work";
/// Aim for the length of one piece, ms: long against starting a process, short enough for many.
const PIECE_MS: f64 = 25.0;
/// Rounds of an ordinary comparison, for which the smallest difference is told.
const ROUNDS: f64 = 30.0;
/// A position effect below this is not worth a warning.
const POSITION_MATTERS: f64 = 0.005;

/// What the doctor found.
#[derive(Debug, Clone, Serialize)]
pub struct Findings {
    /// Whether a comparison here can be trusted.
    pub trustworthy: bool,
    /// Pairs of runs.
    pub rounds: usize,
    /// Spread of single runs, a fraction.
    pub cv: f64,
    /// Smallest difference that 30 rounds show in 4 of 5 cases, a fraction.
    pub smallest_30: f64,
    /// The same for 200 rounds.
    pub smallest_200: f64,
    /// Difference between the two identical sides, a fraction, with its 95 % interval and p.
    pub control: f64,
    /// Interval of `control`.
    pub control_interval: [f64; 2],
    /// p-value of `control`.
    pub control_p: f64,
    /// What running second costs, a fraction.
    pub position: f64,
    /// p-value of `position`.
    pub position_p: f64,
    /// Change of the run time over the watch, a fraction.
    pub drift: f64,
    /// p-value of a trend (Kendall).
    pub drift_p: f64,
    /// Correlation of each run with the next.
    pub autocorrelation: f64,
    /// Share of CPU time that the hypervisor took.
    pub steal_share: Option<f64>,
    /// Share of CPU time that other programs used.
    pub other_cpu_share: Option<f64>,
    /// Share of the time in which something waited for a CPU.
    pub pressure_share: Option<f64>,
    /// Share of the time in which the other thread of a used core (SMT) was busy, at least; `None`
    /// where no core has two, or the system does not say.
    pub sibling_busy_share: Option<f64>,
    /// Lowest and highest frequency seen, kHz.
    pub khz: Option<[u64; 2]>,
    /// What disturbs, worst first, in sentences.
    pub causes: Vec<String>,
    /// Whether it was ended early.
    pub interrupted: bool,
    /// The machine.
    pub environment: Environment,
}

/// Does the piece of work `count` times: the hidden subcommand [`WORK`].
pub fn work(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let count = arguments
        .next()
        .and_then(|word| word.to_str()?.parse::<u32>().ok());
    let Some(count) = count else {
        return ExitCode::FAILURE;
    };
    let mut text = vec![b'x'; 4096];
    for _ in 0..count {
        let digest = sha256_hex(&text);
        text[..64].copy_from_slice(digest.as_bytes());
    }
    // The result is looked at, so that the work cannot be left out.
    if text[..64].iter().all(|&byte| byte == 0) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// Watches the machine for about `watch`, on the processors `cpus` or, when empty, on all.
///
/// # Errors
/// When no process can be started, or the watch was too short for six pairs.
pub fn examine(watch: Duration, cpus: &[usize]) -> Result<Findings> {
    let environment = machine::describe(cpus);
    let mut launcher = launcher(&Options {
        cpus: cpus.to_vec(),
        ..Options::default()
    })?;
    let interrupt = Interrupt::listen()?;
    let program = launcher.program.clone().into_os_string();
    let mut once = |count: u32| -> Result<(f64, u64, Noise)> {
        let argv = vec![program.clone(), WORK.into(), count.to_string().into()];
        let outcome = launcher.launch(
            &Spec {
                argv,
                ..Spec::default()
            },
            &Interrupt::deaf(),
            &mut || {},
        )?;
        match outcome.report.not_started {
            Some(why) => Err(Error::Failed(why)),
            None => {
                let report = &outcome.report;
                Ok((
                    report.wall_ns as f64,
                    report.user_us + report.sys_us,
                    outcome.noise,
                ))
            }
        }
    };
    let started = Instant::now();
    // The least of several, so that a disturbed one does not count; the first also reads the
    // program from the disk.
    let mut least = |count: u32| -> Result<f64> {
        let mut walls = (0..4).map(|_| Ok(once(count)?.0));
        walls.try_fold(f64::INFINITY, |least, wall: Result<f64>| {
            Ok(least.min(wall?))
        })
    };
    let (empty_ns, thousand_ns) = (least(0)?, least(1000)?);
    let each_ns = ((thousand_ns - empty_ns) / 1000.0).max(100.0);
    let count = (PIECE_MS * 1e6 / each_ns).clamp(10.0, 1e6) as u32;
    let order = blocks(&Request {
        arms: 2,
        cells: 1,
        rounds: 4096,
        warmup_rounds: 0,
        order: OrderRule::Balanced,
        seed: 1,
        shard: None,
    });
    let (times, pressure) = (CpuTimes::now(), Pressure::now());
    let all = machine::cpus_allowed();
    let siblings = Siblings::begin(if cpus.is_empty() { &all } else { cpus });
    let mut progress = Progress::new("s", watch.as_secs(), 0);
    let mut measured = Measured::default();
    let watched = Instant::now();
    for block in &order {
        if started.elapsed() >= watch || interrupt.wish() != Wish::GoOn {
            break;
        }
        let mut pair = [0.0; 2];
        for &arm in &block.order {
            let (wall_ns, cpu_us, noise) = once(count)?;
            pair[arm] = wall_ns;
            measured.series.push(wall_ns);
            measured.cpu_us += cpu_us;
            measured.see(&noise);
        }
        measured
            .rounds
            .extend(Round::of(pair[0], pair[1], block.order[0] == 0));
        while progress.done() < started.elapsed().as_secs() {
            progress.step();
        }
        progress.now(
            "watching this machine".into(),
            watch.checked_sub(started.elapsed()),
        );
        progress.tick();
    }
    drop(progress);
    measured.times = times
        .zip(CpuTimes::now())
        .map(|(before, now)| now.since(before));
    let waited = Pressure::now().since(pressure).cpu_us;
    measured.pressure = waited.map(|us| us as f64 / watched.elapsed().as_micros().max(1) as f64);
    // Where whole cores may be used, the piece of work itself keeps one thread busy at a time.
    measured.sibling = siblings.and_then(|siblings| siblings.busy().or_else(|| siblings.shared()));
    measured.findings(environment, interrupt.wish() != Wish::GoOn)
}

/// Raw figures of the watch.
#[derive(Debug, Default)]
struct Measured {
    rounds: Vec<Round>,
    series: Vec<f64>,
    cpu_us: u64,
    khz: Option<[u64; 2]>,
    times: Option<CpuTimes>,
    pressure: Option<f64>,
    sibling: Option<f64>,
}

impl Measured {
    fn see(&mut self, noise: &Noise) {
        if let Some((low, high)) = noise.khz_min.zip(noise.khz_max) {
            let [min, max] = self.khz.unwrap_or([low, high]);
            self.khz = Some([min.min(low), max.max(high)]);
        }
    }

    fn findings(&self, environment: Environment, interrupted: bool) -> Result<Findings> {
        let fit = if self.rounds.len() < 6 {
            None
        } else {
            crossover(&self.rounds)
        };
        let Some(fit) = fit else {
            return Err(Error::Failed(format!(
                "only {} pairs of runs were made; 6 are needed: watch for longer",
                self.rounds.len()
            )));
        };
        let n = self.rounds.len() as f64;
        let reach = normal_quantile(0.975) + normal_quantile(POWER);
        let smallest = |rounds: f64| (reach * fit.subject.se * (n / rounds).sqrt()).exp_m1();
        let [low, high] = fit.subject.ratio_interval(0.95);
        // A slope in time order: half of the runs against the other half.
        let (first, second) = self.series.split_at(self.series.len() / 2);
        let drift = summary::median(second) / summary::median(first) - 1.0;
        let share = |part: f64| {
            self.times
                .filter(|t| t.total() > 0)
                .map(|t| part / t.total() as f64)
        };
        let own_ticks = self.cpu_us as f64 / 1e4;
        let mut findings = Findings {
            trustworthy: true,
            rounds: self.rounds.len(),
            cv: summary::cv(&self.series).unwrap_or(f64::NAN),
            smallest_30: smallest(ROUNDS),
            smallest_200: smallest(200.0),
            control: fit.subject.ratio() - 1.0,
            control_interval: [low - 1.0, high - 1.0],
            control_p: fit.subject.p(),
            position: fit.position.estimate.exp_m1(),
            position_p: fit.position.p(),
            drift,
            drift_p: series::kendall_trend(&self.series).map_or(1.0, |trend| trend.p),
            autocorrelation: series::autocorrelation(&self.series, 1).unwrap_or(0.0),
            steal_share: share(self.times.map_or(0.0, |t| t.steal as f64)),
            other_cpu_share: share(
                self.times
                    .map_or(0.0, |t| (t.busy as f64 - own_ticks).max(0.0)),
            ),
            pressure_share: self.pressure,
            sibling_busy_share: self.sibling,
            khz: self.khz,
            causes: Vec::new(),
            interrupted,
            environment,
        };
        findings.judge();
        Ok(findings)
    }
}

impl Findings {
    /// Finds the causes, and whether they are bad enough to distrust comparisons.
    fn judge(&mut self) {
        let mut bad = Vec::new();
        let mut mild = Vec::new();
        if self.control_p < 0.01 {
            bad.push(format!(
                "identical code differed by {} (p = {:.4}): a comparison here can be wrong by that",
                percent(self.control),
                self.control_p
            ));
        }
        if self.position_p < 0.01 && self.position.abs() > POSITION_MATTERS {
            mild.push(format!(
                "running second changes the time by {} (p = {:.4}): keep --order balanced",
                percent(self.position),
                self.position_p
            ));
        }
        if self.drift_p < 0.01 && self.drift.abs() > 0.02 {
            mild.push(format!(
                "the speed drifted by {} during the watch: only interleaved runs are comparable",
                percent(self.drift)
            ));
        }
        if let Some(share) = self.steal_share.filter(|&share| share > 0.01) {
            let list = if share > STEAL_LIMIT {
                &mut bad
            } else {
                &mut mild
            };
            list.push(format!(
                "the hypervisor took {} of the CPU time",
                percent(share)
            ));
        }
        if let Some(share) = self.other_cpu_share.filter(|&share| share > 0.05) {
            let list = if share > OTHERS_LIMIT {
                &mut bad
            } else {
                &mut mild
            };
            list.push(format!(
                "other programs used {} of the CPU time",
                percent(share)
            ));
        }
        if let Some(share) = self.pressure_share.filter(|&share| share > 0.05) {
            mild.push(format!(
                "something waited for a CPU in {} of the time",
                percent(share)
            ));
        }
        if let Some(share) = self.sibling_busy_share.filter(|&share| share > 0.05) {
            mild.push(format!(
                "the other thread of a core (SMT) was busy in {} of the time or more: it slows \
                 runs down by far more than its share of the CPU time",
                percent(share)
            ));
        }
        if let Some([low, high]) = self.khz.filter(|[low, high]| *low * 100 < *high * 95) {
            mild.push(format!(
                "the clock moved between {:.2} and {:.2} GHz",
                low as f64 / 1e6,
                high as f64 / 1e6
            ));
        }
        if self.autocorrelation > 0.5 {
            mild.push(format!(
                "a run resembles the one before (correlation {:.2}): slow phases last longer than \
                 a run, so runs in a row count less than their number",
                self.autocorrelation
            ));
        }
        self.trustworthy = bad.is_empty();
        bad.append(&mut mild);
        bad.append(&mut self.environment.warnings.clone());
        self.causes = bad;
    }

    /// The answer for a person.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}\n\n  30 rounds show a difference of {} or more in 4 of 5 cases, 200 rounds {}\n",
            if self.trustworthy {
                "This machine can tell."
            } else {
                "Do not trust comparisons on this machine now."
            },
            percent(self.smallest_30),
            percent(self.smallest_200)
        );
        text += &format!(
            "  identical code, {} pairs: {} [{}, {}], spread of single runs {}\n",
            self.rounds,
            percent(self.control),
            percent(self.control_interval[0]),
            percent(self.control_interval[1]),
            percent(self.cv)
        );
        text += &format!(
            "  position {} (p = {:.2}), drift {} (p = {:.2}), correlation {:.2}\n",
            percent(self.position),
            self.position_p,
            percent(self.drift),
            self.drift_p,
            self.autocorrelation
        );
        let share = |share: Option<f64>| share.map_or("unknown".into(), percent);
        text += &format!(
            "  steal {}, other programs {}, waiting for a CPU {}, other thread of a core {}, clock {}\n",
            share(self.steal_share),
            share(self.other_cpu_share),
            share(self.pressure_share),
            match (self.sibling_busy_share, self.environment.smt_active) {
                (None, Some(false)) => "none".into(),
                (busy, _) => share(busy),
            },
            self.khz.map_or("unknown".into(), |[low, high]| {
                format!("{:.2} to {:.2} GHz", low as f64 / 1e6, high as f64 / 1e6)
            })
        );
        if !self.causes.is_empty() {
            text += "\nWhat disturbs, worst first:\n";
            for cause in &self.causes {
                text += &format!("  - {cause}\n");
            }
        }
        text += "\nAdd --aa to a comparison: it measures identical code in the same rounds, and \
                 nothing smaller than its difference is claimed.\n";
        text
    }
}

fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A watch of 60 pairs with a regular noise, a difference and a position effect.
    fn watch(difference: f64, position: f64, noise: f64) -> Measured {
        let mut measured = Measured::default();
        for i in 0..60usize {
            let old_first = (i / 2) % 2 == 0;
            let wobble = [0.3, -1.0, 0.8, -0.6, 0.5, 0.0, -0.2][i % 7] * noise;
            let old = 1e7 * (1.0 + if old_first { 0.0 } else { position });
            let new = 1e7 * (1.0 + difference + wobble + if old_first { position } else { 0.0 });
            measured.rounds.extend(Round::of(old, new, old_first));
            measured.series.extend([old, new]);
        }
        measured
    }

    fn quiet() -> Environment {
        Environment::default()
    }

    #[test]
    fn a_quiet_machine_can_tell_small_differences() {
        let findings = watch(0.0, 0.0, 0.01).findings(quiet(), false).unwrap();
        assert!(findings.trustworthy, "{:?}", findings.causes);
        assert!(findings.smallest_30 < 0.01 && findings.smallest_200 < findings.smallest_30);
        assert!(findings.text().contains("This machine can tell"));
    }

    #[test]
    fn a_difference_of_identical_code_is_not_trusted() {
        let findings = watch(0.05, 0.0, 0.01).findings(quiet(), false).unwrap();
        assert!(!findings.trustworthy);
        assert!(
            findings.causes[0].contains("identical code differed"),
            "{:?}",
            findings.causes
        );
    }

    #[test]
    fn position_steal_and_others_are_named() {
        let mut measured = watch(0.0, 0.03, 0.01);
        measured.times = Some(CpuTimes {
            busy: 500,
            idle: 400,
            steal: 100,
        });
        measured.pressure = Some(0.3);
        measured.sibling = Some(0.25);
        measured.khz = Some([2_000_000, 3_000_000]);
        let findings = measured.findings(quiet(), false).unwrap();
        let all = findings.causes.join("\n");
        for word in [
            "running second",
            "hypervisor took 10.00 %",
            "other programs used",
            "other thread of a core (SMT) was busy in 25.00 %",
            "GHz",
        ] {
            assert!(all.contains(word), "{word}: {all}");
        }
        assert!(
            !findings.trustworthy,
            "a tenth of the time stolen is too much"
        );
    }

    #[test]
    fn a_watch_too_short_is_told() {
        let mut measured = watch(0.0, 0.0, 0.01);
        measured.rounds.truncate(5);
        let error = measured.findings(quiet(), false).unwrap_err().to_string();
        assert!(error.contains("6 are needed"), "{error}");
    }
}

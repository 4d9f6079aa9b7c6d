//! One run after the other: a command or benchmark file through the shim, into lines of the log.

use super::copies::{Copy, is_movable};
use super::event_loop::assets::SERVER_WORD;
use super::event_loop::{Assets, Order, SUBCOMMAND};
use super::interrupt::{Interrupt, Wish};
use super::machine;
use super::protocol::Message;
use super::random::Random;
use super::shim::{Launcher, Outcome, Relay, Spec, Verdict, idle_traffic};
use super::workspace::{Workspace, invalid};
use crate::cli::OnFail;
use crate::error::{Error, Result};
use crate::session::{
    Arm, Cell, Environment, Load, LoadFigures, Metric, Options, Phases, Run, SCHEMA_VERSION,
};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How long descendants may outlive a command before they are ended.
const LINGER: Duration = Duration::from_secs(10);
/// How long the machine's idle traffic is watched.
const IDLE_WATCH: Duration = Duration::from_secs(1);
/// The environment's padding is shorter than this, bytes (a page, the unit of the stack's start).
const PAD_LIMIT: usize = 4096;

/// Makes runs.
#[derive(Debug)]
pub struct Runner {
    /// The arms.
    pub arms: Vec<Arm>,
    /// The cells.
    pub cells: Vec<Cell>,
    /// How runs are made.
    pub options: Options,
    /// Listens to Ctrl-C.
    pub interrupt: Rc<Interrupt>,
    /// What was found while it was set up, in sentences.
    pub notes: Vec<String>,
    seed: u64,
    on_fail: Option<OnFail>,
    launcher: Launcher,
    /// How servers are loaded, and the scripts for it.
    load: Option<(Load, Assets)>,
    /// The folders of phases.
    workspace: Option<Workspace>,
    /// Copied programs by arm.
    copies: BTreeMap<usize, Copy>,
}

/// Where in the plan a run stands.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Number in the session.
    pub seq: u64,
    /// Index of the cell.
    pub cell: usize,
    /// Index of the arm.
    pub arm: usize,
    /// Round.
    pub round: u32,
    /// Slot in the round.
    pub slot: u32,
    /// Attempt at the round.
    pub attempt: u32,
}

impl Runner {
    /// Prepares to run: listens to Ctrl-C, makes the copies of the A/A control.
    ///
    /// # Errors
    /// When the system refuses, or a stored policy cannot be read.
    pub fn new(arms: Vec<Arm>, cells: Vec<Cell>, options: Options, seed: u64) -> Result<Self> {
        let on_fail = match options.on_fail.as_str() {
            "" => None,
            text => Some(text.parse().map_err(Error::Usage)?),
        };
        let launcher = launcher(&options)?;
        let mut runner = Self {
            arms,
            cells,
            options,
            interrupt: Rc::new(Interrupt::listen()?),
            notes: Vec::new(),
            seed,
            on_fail,
            launcher,
            load: None,
            workspace: None,
            copies: BTreeMap::new(),
        };
        runner.make_copies()?;
        Ok(runner)
    }

    fn make_copies(&mut self) -> Result<()> {
        for (index, arm) in self
            .arms
            .iter()
            .enumerate()
            .filter(|(_, arm)| arm.copy_of.is_some())
        {
            match &arm.binary {
                Some(binary) if arm.shell.is_none() && is_movable(&binary.path) => {
                    let copy = Copy::of(binary)?;
                    if !copy.same_length {
                        self.notes.push(format!(
                            "the A/A copy of {} could not get a path of equal length",
                            binary.path.display()
                        ));
                    }
                    self.copies.insert(index, copy);
                }
                _ => self.notes.push(format!(
                    "{} is no program that can be copied; the A/A control runs the same file",
                    arm.name
                )),
            }
        }
        Ok(())
    }

    /// Loads servers instead of only running them.
    ///
    /// # Errors
    /// When the scripts for it cannot be written.
    pub fn with_load(mut self, load: Option<&Load>) -> Result<Self> {
        if let Some(load) = load {
            self.load = Some((load.clone(), Assets::write()?));
            let cpus = std::thread::available_parallelism().map_or(1, usize::from);
            if self.options.cpus.is_empty() || self.options.cpus.len() >= cpus {
                self.notes.push(
                    "the load generator and the server share processors; --cpu keeps the server \
                     to some of them"
                        .into(),
                );
            }
        }
        Ok(self)
    }

    /// Runs phases, in folders below the session's.
    ///
    /// # Errors
    /// When the folders cannot be made.
    pub fn with_phases(&mut self, phases: Option<&Phases>, session: &Path) -> Result<()> {
        self.workspace = phases
            .map(|phases| Workspace::open(phases, session))
            .transpose()?;
        Ok(())
    }

    /// Brings a subject into the state in which a phase begins; says why that failed.
    fn enter_phase(&mut self, place: Place, subject: usize) -> Result<Option<String>> {
        let interrupt = Rc::clone(&self.interrupt);
        let Some(work) = &self.workspace else {
            return Ok(None);
        };
        let (phase, of) = (work.plan.phases[place.cell].clone(), work.of(subject));
        let install = work.plan.subjects[subject].command("install");
        let mut scripts = Vec::new();
        if of.needs_seed(&phase) {
            if let Err(why) = of.wipe(["cache", "modules", "lock"]) {
                return Ok(Some(why));
            }
            let install = install.map(|command| ("its untimed install", of.script(command)));
            scripts.extend(install);
        }
        let env = of.env();
        for (what, script) in scripts {
            if let Some(why) = self.helper_in(&script, env.clone(), &interrupt)? {
                return Ok(Some(format!("{what}: {why}")));
            }
            let seeded = self
                .workspace
                .as_ref()
                .map(|work| work.of(subject).seeded());
            if let Some(Err(why)) = seeded {
                return Ok(Some(why));
            }
        }
        let Some(work) = &self.workspace else {
            return Ok(None);
        };
        let of = work.of(subject);
        let entered = of.wipe(phase.wipe.iter().map(String::as_str));
        if let Err(why) = entered.and_then(|()| of.restore(&phase)) {
            return Ok(Some(why));
        }
        match &phase.prepare {
            None => Ok(None),
            Some(command) => {
                let script = of.script(command);
                let why = self.helper_in(&script, env, &interrupt)?;
                Ok(why.map(|why| format!("prepare: {why}")))
            }
        }
    }

    /// Takes in what a run left, and whether it counts.
    fn leave_phase(&self, place: Place, subject: usize, whole: &mut Run) {
        let Some(work) = &self.workspace else { return };
        let (phase, of) = (&work.plan.phases[place.cell], work.of(subject));
        whole.phase = Some(phase.name.clone());
        whole.foot = Some(of.sizes());
        if whole.fail.is_none() {
            whole.fail = invalid(phase.expect, whole.net.as_ref());
        }
        // A whole install from nothing is as good as one that was made for that.
        let whole_install = phase.cmd == "install" && phase.wipe.iter().any(|word| word == "cache");
        if whole.exit == 0 && whole_install {
            let _ = of.seeded();
        }
    }

    /// The machine, with the scope that network figures will have.
    ///
    /// # Errors
    /// When the shim cannot be started.
    pub fn environment(&mut self) -> Result<Environment> {
        let mut env = machine::describe(&self.options.cpus);
        let probe = Spec {
            argv: vec!["true".into()],
            ..Spec::default()
        };
        let outcome = self
            .launcher
            .launch(&probe, &Interrupt::deaf(), &mut || {})?;
        if let Some(why) = outcome.report.not_started {
            return Err(Error::Failed(why));
        }
        let report = &outcome.report;
        env.net_scope = Some(match (&report.net_refused, self.options.net.as_str()) {
            (Some(why), _) => {
                env.warnings.push(format!(
                    "runs share the machine's network, and its figures are the whole machine's: {why}"
                ));
                self.launcher.net = "host".into();
                format!("host: {}; {why}", self.watch_idle())
            }
            (None, "none") => "none: a namespace with loopback only".into(),
            (None, "private") => {
                "proxy: a namespace of each run's own with one interface; outside \
                                  only by the lab's proxy (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and \
                                  NODE_USE_ENV_PROXY are set), whose heads are in the figures"
                    .into()
            }
            (None, "host") => format!("host: {}", self.watch_idle()),
            (None, _) => "host: the whole machine's traffic".into(),
        });
        env.rss_scope = report.tree_source.clone();
        env.perf_refused = report.perf_refused.clone();
        env.warnings.append(&mut self.notes.clone());
        Ok(env)
    }

    /// Measures the machine's idle traffic, and says so.
    fn watch_idle(&mut self) -> String {
        self.launcher.idle = idle_traffic(IDLE_WATCH);
        match &self.launcher.idle {
            Some(idle) => format!(
                "the whole machine's traffic, less its idle rate of {} B/s received and {} B/s sent",
                idle.rx, idle.tx
            ),
            None => "the whole machine's traffic".into(),
        }
    }

    /// Lets the session's clock begin earlier, for a session that goes on.
    pub fn shift_clock(&mut self, by: Duration) {
        self.launcher.begun_ns = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
    }

    /// Runs `--setup`, where there is one.
    ///
    /// # Errors
    /// When it fails.
    pub fn set_up(&mut self) -> Result<()> {
        let interrupt = Rc::clone(&self.interrupt);
        self.once("setup", self.options.setup.clone(), &interrupt)
    }

    /// Runs `--cleanup`, where there is one: also after a Ctrl-C that killed the last run.
    ///
    /// # Errors
    /// When it fails.
    pub fn clean_up(&mut self) -> Result<()> {
        self.once("cleanup", self.options.cleanup.clone(), &Interrupt::deaf())
    }

    fn once(&mut self, flag: &str, command: Option<String>, interrupt: &Interrupt) -> Result<()> {
        match command.map_or(Ok(None), |command| self.helper(&command, interrupt))? {
            None => Ok(()),
            Some(_) if interrupt.wish() == Wish::Kill => Err(Error::Interrupted),
            Some(why) => Err(Error::Failed(format!("--{flag}: {why}"))),
        }
    }

    /// Runs a helper command untimed; says why it failed.
    fn helper(&mut self, command: &str, interrupt: &Interrupt) -> Result<Option<String>> {
        self.helper_in(command, BTreeMap::new(), interrupt)
    }

    fn helper_in(
        &mut self,
        command: &str,
        env: BTreeMap<String, String>,
        interrupt: &Interrupt,
    ) -> Result<Option<String>> {
        let argv = vec![self.shell(), "-c".into(), command.into()];
        let spec = Spec {
            argv,
            env,
            without_limits: true,
            ..Spec::default()
        };
        let outcome = self.launcher.launch(&spec, interrupt, &mut || {})?;
        Ok(why_failed(&outcome, None).map(|why| format!("{command:?} failed: {why}")))
    }

    fn shell(&self) -> OsString {
        if self.options.shell.is_empty() {
            "sh".into()
        } else {
            (&self.options.shell).into()
        }
    }

    /// Makes one run with what belongs before and after it. `None` when the user killed it.
    ///
    /// # Errors
    /// When the shim cannot be started; a run that fails is a line with its reason.
    pub fn run(&mut self, place: Place, tick: &mut dyn FnMut()) -> Result<Option<Vec<Run>>> {
        // The control is prepared like what it is a copy of.
        let like = self.arms[place.arm].copy_of.clone();
        let like = like.and_then(|name| self.arms.iter().position(|arm| arm.name == name));
        let like = like.unwrap_or(place.arm);
        let of_arm = |list: &[String]| match list {
            [] => None,
            [one] => Some(one.clone()),
            many => many.get(like).cloned(),
        };
        let (prepare, conclude) = (
            of_arm(&self.options.prepare),
            of_arm(&self.options.conclude),
        );
        let interrupt = Rc::clone(&self.interrupt);
        let prepared = prepare.map_or(Ok(None), |command| self.helper(&command, &interrupt))?;
        if let Some(why) = prepared {
            if self.interrupt.wish() == Wish::Kill {
                return Ok(None);
            }
            let fail = format!("--prepare: {why}");
            return Ok(Some(vec![Run {
                fail: Some(fail),
                exit: 1,
                ..self.line(place)
            }]));
        }
        if let Some(why) = self.enter_phase(place, like)? {
            if self.interrupt.wish() == Wish::Kill {
                return Ok(None);
            }
            return Ok(Some(vec![Run {
                fail: Some(why),
                exit: 1,
                ..self.line(place)
            }]));
        }
        let spec = self.spec(place, like);
        let outcome = self.launcher.launch(&spec, &self.interrupt, tick)?;
        if outcome.verdict == Verdict::Killed {
            return Ok(None);
        }
        let mut lines = self.lines(place, &outcome);
        self.leave_phase(place, like, &mut lines[0]);
        let concluded = conclude.map_or(Ok(None), |command| self.helper(&command, &interrupt))?;
        if let Some(why) = concluded {
            lines[0].fail.get_or_insert(format!("--conclude: {why}"));
        }
        Ok(Some(lines))
    }

    fn spec(&self, place: Place, like: usize) -> Spec {
        let arm = &self.arms[place.arm];
        let mut argv: Vec<OsString> = match &arm.shell {
            Some(text) => vec![self.shell(), "-c".into(), text.into()],
            None => arm.argv.iter().map(OsString::from).collect(),
        };
        if let (Some(copy), Some(program)) = (self.copies.get(&place.arm), argv.first_mut()) {
            *program = copy.path.clone().into_os_string();
        }
        let file = self.cells[place.cell].file.as_ref();
        if let Some(file) = file {
            argv.push(file.into());
            argv.extend(self.options.set.iter().map(OsString::from));
        }
        if let Some((load, assets)) = &self.load {
            argv = self.under_load(place, load, assets, argv);
        }
        let mut env = arm.env.clone();
        if let Some(work) = &self.workspace {
            let (phase, of) = (&work.plan.phases[place.cell], work.of(like));
            let command = work.plan.subjects[like].command(&phase.cmd);
            let script = of.script(command.unwrap_or("false"));
            argv = vec![self.shell(), "-c".into(), script.into()];
            env = of.env();
            env.insert("LAB_PHASE".into(), phase.name.clone());
        }
        let pad = Random::stream(self.seed, place.seq.wrapping_add(1 << 32)).below(PAD_LIMIT);
        Spec {
            argv,
            env,
            pad,
            channel: file.is_some(),
            without_limits: false,
        }
    }

    /// The words of a run that loads the server of these words.
    fn under_load(
        &self,
        place: Place,
        load: &Load,
        assets: &Assets,
        server: Vec<OsString>,
    ) -> Vec<OsString> {
        let order = Order {
            load: load.clone(),
            crypto: self.cells[place.cell].bench.clone(),
            // The same moments for every arm of a round.
            seed: self.seed.wrapping_add(u64::from(place.round)),
            preload: assets.preload(),
            result: assets.result(),
            cpus: self.options.cpus.clone(),
        };
        // What an earlier run left must not be taken for this one's.
        let _ = std::fs::remove_file(assets.result());
        let program = self.launcher.program.clone().into_os_string();
        let order = serde_json::to_string(&order).unwrap_or_default();
        let mut argv = vec![program, SUBCOMMAND.into(), order.into(), "--".into()];
        argv.extend(server.into_iter().map(|word| {
            if word == SERVER_WORD {
                assets.server().into_os_string()
            } else {
                word
            }
        }));
        argv
    }

    /// Takes in what a run found under load: figures of the whole run, and a line for each time
    /// that is compared.
    fn load_lines(&self, place: Place, assets: &Assets, whole: &mut Run) -> Vec<Run> {
        let text = std::fs::read(assets.result()).ok();
        let figures: Option<LoadFigures> = text.and_then(|text| serde_json::from_slice(&text).ok());
        let Some(figures) = figures else {
            whole
                .fail
                .get_or_insert_with(|| "the run left no figures".into());
            return Vec::new();
        };
        // The generator is no part of what is measured.
        let less = |us: Option<u64>, own: u64| us.map(|us| us.saturating_sub(own));
        whole.user_us = less(whole.user_us, figures.generator_cpu_us[0]);
        whole.sys_us = less(whole.sys_us, figures.generator_cpu_us[1]);
        let times = compared(&figures);
        whole.load = Some(figures);
        let line = |(name, time): (&str, Option<f64>)| {
            let line = Run {
                start_ns: whole.start_ns,
                config: Some(name.to_owned()),
                noise: whole.noise.clone(),
                ..self.line(place)
            };
            match time {
                // Below the clock's own step nothing is known, and nothing has a logarithm.
                Some(time) => Run {
                    time_s: Some(time.max(1e-6)),
                    ..line
                },
                None => Run {
                    fail: Some("too many requests have no answer".into()),
                    ..line
                },
            }
        };
        times.into_iter().map(line).collect()
    }

    fn line(&self, place: Place) -> Run {
        Run {
            v: SCHEMA_VERSION,
            seq: place.seq,
            round: place.round,
            slot: place.slot,
            arm: self.arms[place.arm].name.clone(),
            bench: self.cells[place.cell].bench.clone(),
            warm: place.round == 0,
            attempt: place.attempt,
            ..Run::default()
        }
    }

    /// The accounting first, then a line for each report.
    fn lines(&self, place: Place, outcome: &Outcome) -> Vec<Run> {
        let report = &outcome.report;
        let mut whole = Run {
            start_ns: outcome.start_ns,
            wall_ns: Some(report.wall_ns),
            tree_ns: Some(report.tree_ns),
            user_us: Some(report.user_us),
            sys_us: Some(report.sys_us),
            maxrss_kib: Some(report.maxrss_kib),
            tree_kib: report.tree_kib,
            task_clock_us: report.task_clock_us,
            migrations: report.migrations,
            instructions: report.instructions,
            cycles: report.cycles,
            minflt: Some(report.minflt),
            majflt: Some(report.majflt),
            nvcsw: Some(report.nvcsw),
            nivcsw: Some(report.nivcsw),
            inblock: Some(report.inblock),
            oublock: Some(report.oublock),
            net: report.net.clone(),
            exit: report.exit,
            fail: why_failed(outcome, self.on_fail.as_ref()),
            noise: Some(outcome.noise.clone()),
            ..self.line(place)
        };
        let mut reports = Vec::new();
        if let Some((_, assets)) = &self.load
            && whole.fail.is_none()
        {
            reports = self.load_lines(place, assets, &mut whole);
        }
        if self.cells[place.cell].metric == Metric::Rate {
            for message in &outcome.messages {
                match Message::parse(message) {
                    Ok(Message::Report(reported)) => {
                        let line = Run {
                            start_ns: outcome.start_ns,
                            config: Some(reported.config),
                            time_s: reported.time_s,
                            noise: Some(outcome.noise.clone()),
                            ..self.line(place)
                        };
                        reports.push(match reported.rate {
                            Ok(rate) => Run {
                                rate: Some(rate),
                                ..line
                            },
                            Err(why) => Run {
                                fail: Some(why),
                                ..line
                            },
                        });
                    }
                    Ok(Message::Config { .. } | Message::Other) => {}
                    Err(why) => {
                        whole.fail.get_or_insert(why);
                    }
                }
            }
            if reports.is_empty() {
                whole
                    .fail
                    .get_or_insert_with(|| "the benchmark reported nothing".into());
            }
        }
        let mut lines = vec![whole];
        lines.append(&mut reports);
        lines
    }
}

/// Requests that a bound of the 99.9th percentile takes: ln .025 / ln .999.
const ENOUGH_FOR_P999: u64 = 3700;

/// The times of a run that are compared, by name.
fn compared(figures: &LoadFigures) -> Vec<(&'static str, Option<f64>)> {
    let latency = &figures.latency;
    let mut times = vec![("latency p50", latency.p50), ("latency p99", latency.p99)];
    if figures.requests >= ENOUGH_FOR_P999 {
        times.push(("latency p99.9", latency.p999));
    }
    if let Some(delay) = &figures.delay {
        times.push(("loop delay p99", delay.filled.p99));
        times.push(("loop delay max", delay.filled.max));
    }
    if let Some(crypto) = figures.crypto.as_ref().filter(|c| c.per_second > 0.0) {
        times.push(("time per operation", Some(crypto.per_second.recip())));
    }
    times
}

/// Why a run is no measurement, if so.
fn why_failed(outcome: &Outcome, on_fail: Option<&OnFail>) -> Option<String> {
    let report = &outcome.report;
    if let Some(why) = &report.not_started {
        return Some(why.clone());
    }
    if let Some(why) = &report.net_refused {
        return Some(format!("no network of its own: {why}"));
    }
    if report.timed_out {
        return Some("ended by the time limit".into());
    }
    let ignored = matches!(on_fail, Some(OnFail::Ignore(codes)) if codes.contains(&report.exit));
    if report.exit == 0 || ignored {
        return None;
    }
    let how = match report.exit {
        152 => "ended by signal 24: a limit of CPU time".into(),
        153 => "ended by signal 25: a limit of file size".into(),
        code @ 129..=192 => format!("ended by signal {}", code - 128),
        code => format!("exit code {code}"),
    };
    Some(match &outcome.last_error {
        Some(line) => format!("{how}: {}", line.chars().take(200).collect::<String>()),
        None => how,
    })
}

/// A launcher for these options.
///
/// # Errors
/// When this program cannot find itself or no temporary file can be made.
pub fn launcher(options: &Options) -> Result<Launcher> {
    let limit = |text: &String| text.parse().map_err(Error::Usage);
    let limits = options.limits.iter().map(limit).collect::<Result<_>>()?;
    let program = std::env::current_exe().map_err(|e| Error::io("find this program's file", e))?;
    Ok(Launcher {
        program,
        cpus: options.cpus.clone(),
        limits,
        net: if options.net.is_empty() {
            "host".into()
        } else {
            options.net.clone()
        },
        relay: (options.net == "private").then(Relay::start).transpose()?,
        idle: None,
        tree_memory: options.rss == "tree",
        timeout: options.run_timeout_s.map(Duration::from_secs_f64),
        linger: LINGER,
        errors: unnamed_file()?,
        epoch: Instant::now(),
        begun_ns: 0,
    })
}

/// A file for the errors of runs that has no name any more.
fn unnamed_file() -> Result<File> {
    let name = format!(
        "alacrypt-lab-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    );
    let path = std::env::temp_dir().join(name);
    let refused = |e| Error::io(format!("make the temporary file {}", path.display()), e);
    let file = OpenOptions::new()
        .create_new(true)
        .read(true)
        .write(true)
        .open(&path);
    let file = file.map_err(refused)?;
    std::fs::remove_file(&path).map_err(refused)?;
    Ok(file)
}

//! The session folder as a whole: created, appended to, read back.

use super::io_at;
use super::runs::{read_lines, read_runs};
use super::{Environment, Event, Plan, Run, RunWriter, SCHEMA_VERSION, too_new};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A session read back.
#[derive(Debug, Clone)]
pub struct Session {
    /// Where it lies.
    pub dir: PathBuf,
    /// What was planned.
    pub plan: Plan,
    /// The machines, in the order in which they took part; one unless a resume was forced.
    pub environments: Vec<Environment>,
    /// All lines of `runs.jsonl`: warm-ups, failures and superseded attempts included.
    pub runs: Vec<Run>,
    /// What happened.
    pub events: Vec<Event>,
    /// What the reader had to leave out, as sentences.
    pub warnings: Vec<String>,
}

impl Session {
    /// Reads the folder.
    ///
    /// # Errors
    /// When a file is missing, unreadable or not of this schema.
    pub fn load(dir: &Path) -> Result<Self> {
        let plan = Plan::read(&dir.join("plan.json"))?;
        let mut environments = vec![read_env(&env_path(dir, 1))?];
        while env_path(dir, environments.len() as u32 + 1).exists() {
            environments.push(read_env(&env_path(dir, environments.len() as u32 + 1))?);
        }
        let mut warnings = Vec::new();
        let runs_path = dir.join("runs.jsonl");
        let (runs, torn) = if runs_path.exists() {
            read_runs(&runs_path)?
        } else {
            (Vec::new(), None)
        };
        if let Some(line) = torn {
            warnings.push(format!(
                "{}:{line}: the last line is cut short and was left out",
                runs_path.display()
            ));
        }
        let events_path = dir.join("events.jsonl");
        let events = if events_path.exists() {
            // Events carry no version of their own; the plan's counts.
            read_lines(&events_path, |_: &Event| SCHEMA_VERSION)?.0
        } else {
            Vec::new()
        };
        Ok(Self {
            dir: dir.to_owned(),
            plan,
            environments,
            runs,
            events,
            warnings,
        })
    }

    /// Whether `dir` looks like a session folder.
    pub fn is_session(dir: &Path) -> bool {
        dir.join("plan.json").is_file()
    }

    /// The runs that are measurements: no warm-up, no failure, no attempt that a later one
    /// replaced. For benchmark files these are the lines with a rate, for commands those with a
    /// wall time.
    pub fn measurements(&self) -> Vec<&Run> {
        let metrics: BTreeMap<&str, super::Metric> = self
            .plan
            .cells
            .iter()
            .map(|cell| (cell.bench.as_str(), cell.metric))
            .collect();
        let metric = |run: &Run| {
            let found = metrics.get(run.bench.as_str());
            found.copied().unwrap_or(super::Metric::Wall)
        };
        self.latest()
            .filter(|run| run.value(metric(run)).is_some())
            .collect()
    }

    /// All lines of the latest attempt at each round, without warm-ups and failures.
    pub fn latest(&self) -> impl Iterator<Item = &Run> {
        let mut last: BTreeMap<(&str, u32), u32> = BTreeMap::new();
        for run in &self.runs {
            let attempt = last.entry((&run.bench, run.round)).or_default();
            *attempt = (*attempt).max(run.attempt);
        }
        self.runs
            .iter()
            .filter(|run| !run.warm && run.fail.is_none())
            .filter(move |run| last.get(&(run.bench.as_str(), run.round)) == Some(&run.attempt))
    }

    /// The lines that count as failed: each is told in the report.
    pub fn failures(&self) -> Vec<&Run> {
        self.runs.iter().filter(|run| run.fail.is_some()).collect()
    }

    /// Number of the machine on which run `seq` was made, from 1.
    pub fn stratum(&self, seq: u64) -> u32 {
        let mut stratum = 1;
        for event in &self.events {
            if let Event::Begin {
                from_seq,
                environment,
                ..
            } = event
                && *from_seq <= seq
            {
                stratum = *environment;
            }
        }
        stratum
    }

    /// Whether all that was planned was done.
    pub fn is_finished(&self) -> bool {
        matches!(self.events.last(), Some(Event::Finished { .. }))
    }
}

/// A session being measured.
#[derive(Debug)]
pub struct SessionWriter {
    dir: PathBuf,
    runs: RunWriter,
}

impl SessionWriter {
    /// Creates the folder with its plan and machine.
    ///
    /// # Errors
    /// When the folder already holds a session, or the disk refuses.
    pub fn create(dir: &Path, plan: &Plan, env: &Environment) -> Result<Self> {
        if Session::is_session(dir) {
            let exists = std::io::Error::new(
                std::io::ErrorKind::AlreadyExists,
                "holds a session already; go on with --resume, or choose another --out",
            );
            return Err(io_at(dir, exists));
        }
        fs::create_dir_all(dir).map_err(|e| io_at(dir, e))?;
        write_json(&env_path(dir, 1), env)?;
        // The plan comes last: its presence makes the folder a session.
        write_json(&dir.join("plan.json"), plan)?;
        Self::open(dir).map(|(writer, _)| writer)
    }

    /// Opens an existing folder to go on; the second value says whether a torn line was cut.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn open(dir: &Path) -> Result<(Self, bool)> {
        let (runs, torn) = RunWriter::open(&dir.join("runs.jsonl"))?;
        Ok((
            Self {
                dir: dir.to_owned(),
                runs,
            },
            torn,
        ))
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Adds a machine, after a forced resume, and gives its number.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn add_environment(&self, env: &Environment) -> Result<u32> {
        let mut number = 1;
        while env_path(&self.dir, number).exists() {
            number += 1;
        }
        write_json(&env_path(&self.dir, number), env)?;
        Ok(number)
    }

    /// Appends the lines of one run.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn append(&mut self, lines: &[Run]) -> Result<()> {
        self.runs.append(lines)
    }

    /// Appends an event.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn event(&self, event: &Event) -> Result<()> {
        let path = self.dir.join("events.jsonl");
        let mut line = to_json(&path, event, false)?;
        line.push(b'\n');
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(&line))
            .map_err(|e| io_at(&path, e))
    }
}

fn env_path(dir: &Path, number: u32) -> PathBuf {
    if number == 1 {
        dir.join("env.json")
    } else {
        dir.join(format!("env-{number}.json"))
    }
}

fn read_env(path: &Path) -> Result<Environment> {
    let env: Environment = read_json(path)?;
    if env.v > SCHEMA_VERSION {
        return Err(too_new(path, env.v));
    }
    Ok(env)
}

/// Reads one JSON file; an error names its line.
pub(crate) fn read_json<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<T> {
    let text = fs::read(path).map_err(|e| io_at(path, e))?;
    serde_json::from_slice(&text).map_err(|e| Error::input(path, Some(e.line()), e.to_string()))
}

fn to_json<T: Serialize>(path: &Path, value: &T, pretty: bool) -> Result<Vec<u8>> {
    let text = if pretty {
        serde_json::to_vec_pretty(value)
    } else {
        serde_json::to_vec(value)
    };
    text.map_err(|e| Error::input(path, None, e.to_string()))
}

/// Writes beside the target first, so that a reader never sees half of it.
fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<()> {
    let io = |e| io_at(path, e);
    let mut text = to_json(path, value, true)?;
    text.push(b'\n');
    let beside = path.with_extension("json.part");
    fs::write(&beside, text).map_err(io)?;
    fs::rename(&beside, path).map_err(io)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::plan::tests::example;

    fn run(seq: u64, round: u32, arm: &str, attempt: u32) -> Run {
        Run {
            v: 1,
            seq,
            round,
            arm: arm.into(),
            bench: "true".into(),
            wall_ns: Some(1),
            attempt,
            ..Run::default()
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("s");
        let env = Environment {
            v: 1,
            hostname: Some("here".into()),
            ..Environment::default()
        };
        let mut writer = SessionWriter::create(&at, &example(), &env).unwrap();
        writer
            .event(&Event::Begin {
                from_seq: 0,
                unix_s: 1,
                environment: 1,
            })
            .unwrap();
        writer.append(&[run(0, 1, "old", 0)]).unwrap();
        assert_eq!(writer.add_environment(&env).unwrap(), 2);
        writer
            .event(&Event::Begin {
                from_seq: 1,
                unix_s: 2,
                environment: 2,
            })
            .unwrap();
        writer
            .append(&[run(1, 1, "old", 1), run(2, 1, "new", 1)])
            .unwrap();
        let session = Session::load(&at).unwrap();
        assert_eq!(session.plan, example());
        assert_eq!(session.environments.len(), 2);
        assert_eq!((session.stratum(0), session.stratum(1)), (1, 2));
        // The first attempt at round 1 was left incomplete and is replaced by the second.
        assert_eq!(
            session
                .measurements()
                .iter()
                .map(|r| r.seq)
                .collect::<Vec<_>>(),
            [1, 2]
        );
        assert!(!session.is_finished());
        let again = SessionWriter::create(&at, &example(), &env)
            .unwrap_err()
            .to_string();
        assert!(again.contains("--resume"), "{again}");
    }

    #[test]
    fn a_plan_that_is_no_json_is_named_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("plan.json"), "{\n  \"v\": 1,\n  oops\n").unwrap();
        let error = Session::load(dir.path()).unwrap_err().to_string();
        assert!(error.contains("plan.json:3:"), "{error}");
    }
}

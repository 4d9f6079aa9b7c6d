//! `runs.jsonl`: one line per run, and one per rate that a run of a benchmark file reported.
//!
//! A benchmark file reports many configurations in one process tree. Its run is then several
//! lines of one `seq`: a line without `config` with the accounting of the whole tree, and a line
//! with `config`, `rate` and `time_s` for each report (accounting empty, so that summing a column
//! counts nothing twice).

use super::SCHEMA_VERSION;
use super::io_at;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes and packets that a run sent and received.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Net {
    /// What was counted: `proxy` (a namespace of the run's own, whose only way outside is the lab's
    /// proxy), `netns` (a namespace of its own), `none` (only loopback existed), `host` (the whole
    /// machine, less its idle traffic where that was measured).
    pub scope: String,
    /// Bytes received, Ethernet headers included.
    pub rx: u64,
    /// Bytes sent, Ethernet headers included.
    pub tx: u64,
    /// Packets received.
    #[serde(default)]
    pub rx_packets: u64,
    /// Packets sent.
    #[serde(default)]
    pub tx_packets: u64,
}

/// What else the machine did while the run went on. A field is absent where the kernel has no
/// such figure.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Noise {
    /// Time that the hypervisor took away, in clock ticks over all CPUs.
    #[serde(default)]
    pub steal_ticks: Option<u64>,
    /// Time in which some task waited for a CPU, µs.
    #[serde(default)]
    pub psi_cpu_us: Option<u64>,
    /// Time in which some task waited for I/O, µs.
    #[serde(default)]
    pub psi_io_us: Option<u64>,
    /// Time in which some task waited for memory, µs.
    #[serde(default)]
    pub psi_mem_us: Option<u64>,
    /// One-minute load average at the end of the run.
    #[serde(default)]
    pub load1: Option<f64>,
    /// Lowest current frequency of a CPU that may be used, kHz.
    #[serde(default)]
    pub khz_min: Option<u64>,
    /// Highest current frequency of a CPU that may be used, kHz.
    #[serde(default)]
    pub khz_max: Option<u64>,
    /// Share of the machine's CPU time that went to others than the run, 0 to 1.
    #[serde(default)]
    pub other_cpu_share: Option<f64>,
    /// Share of the time in which the other thread of a core was busy that only runs should use,
    /// 0 to 1, where runs are kept to some threads (SMT).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sibling_busy_share: Option<f64>,
    /// Hottest thermal zone at the end, m°C.
    #[serde(default, rename = "temp_mC")]
    pub temp_milli_c: Option<i64>,
}

/// One line of `runs.jsonl`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Run {
    /// Version of the line.
    pub v: u32,
    /// Number of the run in the session, from 0, in the order of time.
    pub seq: u64,
    /// Round, from 1; 0 is the warm-up.
    pub round: u32,
    /// Slot within the round, from 0.
    pub slot: u32,
    /// Name of the arm.
    pub arm: String,
    /// The benchmark: [`super::Cell::bench`].
    pub bench: String,
    /// Configuration that a benchmark reported, as Node's `compare.js` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// Phase of a multi-phase measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Start on the monotonic clock of the session's first run, ns.
    pub start_ns: u64,
    /// From spawn to the end of the direct child, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ns: Option<u64>,
    /// From spawn to the end of its last descendant, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_ns: Option<u64>,
    /// User CPU time of the whole tree, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_us: Option<u64>,
    /// System CPU time of the whole tree, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sys_us: Option<u64>,
    /// Peak memory of the largest single process, KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maxrss_kib: Option<u64>,
    /// Peak memory of the whole tree at once, KiB; [`super::Environment::rss_scope`] says how it
    /// was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_kib: Option<u64>,
    /// CPU time by the scheduler's clock, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_clock_us: Option<u64>,
    /// Moves from one processor to another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migrations: Option<u64>,
    /// Instructions, where the processor counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// Clock cycles, where the processor counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// Page faults served without I/O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minflt: Option<u64>,
    /// Page faults that needed I/O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub majflt: Option<u64>,
    /// Voluntary context switches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvcsw: Option<u64>,
    /// Involuntary context switches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nivcsw: Option<u64>,
    /// Blocks read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inblock: Option<u64>,
    /// Blocks written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oublock: Option<u64>,
    /// Network traffic, where it was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net: Option<Net>,
    /// Sizes of directories after the run, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foot: Option<BTreeMap<String, u64>>,
    /// Exit code; 128 + n for a process that signal n ended.
    pub exit: i32,
    /// Why this run is no measurement: a bad exit, a missing or impossible rate, a timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail: Option<String>,
    /// Operations per second, as reported.
    #[serde(default)]
    pub rate: Option<f64>,
    /// Seconds that the benchmark measured, as reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_s: Option<f64>,
    /// What a server did under load, in the line of the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<super::LoadFigures>,
    /// What else the machine did.
    #[serde(default)]
    pub noise: Option<Noise>,
    /// Whether this run is the warm-up, which is kept but not analysed.
    #[serde(default)]
    pub warm: bool,
    /// How often this round was begun before (after an interruption rounds are repeated whole).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempt: u32,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl Run {
    /// What is compared in this line, if it holds it: the rate, or the wall time in ns.
    pub fn value(&self, metric: super::Metric) -> Option<f64> {
        match metric {
            super::Metric::Rate => self.rate,
            super::Metric::Wall => self.wall_ns.map(|ns| ns as f64),
            super::Metric::Time => self.config.as_ref().and(self.time_s),
        }
    }

    /// Name of the row in tables, as Node makes it: file and configuration.
    pub fn row_name(&self) -> String {
        match &self.config {
            Some(config) if !config.is_empty() => format!("{} {config}", self.bench),
            _ => self.bench.clone(),
        }
    }
}

/// Appends lines to `runs.jsonl`; each is on its way to the disk when [`RunWriter::append`]
/// returns.
#[derive(Debug)]
pub struct RunWriter {
    path: PathBuf,
    file: File,
}

impl RunWriter {
    /// Opens the file for appending and creates it if need be. A last line without its end, left
    /// by a crash, is cut off; the second value says whether that was done.
    ///
    /// # Errors
    /// When the file cannot be opened or cut.
    pub fn open(path: &Path) -> Result<(Self, bool)> {
        let io = |e| io_at(path, e);
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(path)
            .map_err(io)?;
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(0)).map_err(io)?;
        file.read_to_end(&mut text).map_err(io)?;
        let whole = text.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let torn = whole < text.len();
        if torn {
            file.set_len(whole as u64).map_err(io)?;
        }
        Ok((
            Self {
                path: path.to_owned(),
                file,
            },
            torn,
        ))
    }

    /// Writes the lines of one run with a single write, so that a crash tears at most the last.
    ///
    /// # Errors
    /// When the disk does not take them.
    pub fn append(&mut self, lines: &[Run]) -> Result<()> {
        let mut text = Vec::new();
        for run in lines {
            serde_json::to_writer(&mut text, run)
                .map_err(|e| Error::input(&self.path, None, e.to_string()))?;
            text.push(b'\n');
        }
        self.file
            .write_all(&text)
            .and_then(|()| self.file.flush())
            .map_err(|e| io_at(&self.path, e))
    }
}

/// Reads `runs.jsonl`. The second value is the number of a torn last line, if there is one: such
/// a line is left out and should be mentioned.
///
/// # Errors
/// When the file cannot be read or a whole line is not what the schema says.
pub fn read_runs(path: &Path) -> Result<(Vec<Run>, Option<usize>)> {
    read_lines(path, |run: &Run| run.v)
}

/// Reads a file of JSON lines, each with a version.
pub(crate) fn read_lines<T: for<'a> Deserialize<'a>>(
    path: &Path,
    version: impl Fn(&T) -> u32,
) -> Result<(Vec<T>, Option<usize>)> {
    let mut reader = BufReader::new(File::open(path).map_err(|e| io_at(path, e))?);
    let mut values = Vec::new();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if reader
            .read_until(b'\n', &mut line)
            .map_err(|e| io_at(path, e))?
            == 0
        {
            break;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<T>(&line) {
            Ok(value) if version(&value) > SCHEMA_VERSION => {
                return Err(super::too_new(path, version(&value)));
            }
            Ok(value) => values.push(value),
            Err(_) if line.last() != Some(&b'\n') => return Ok((values, Some(number))),
            Err(e) => {
                return Err(Error::input(
                    path,
                    Some(number),
                    format!("expected a JSON object of this schema: {e}"),
                ));
            }
        }
    }
    Ok((values, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seq: u64) -> Run {
        Run {
            v: 1,
            seq,
            round: 1,
            arm: "old".into(),
            bench: "b.js".into(),
            ..Run::default()
        }
    }

    #[test]
    fn the_line_of_the_specification_reads() {
        let line = r#"{"v":1,"seq":57,"round":14,"slot":1,"arm":"B","bench":"x","phase":"p1_resolve","start_ns":1,"wall_ns":2,"user_us":3,"sys_us":4,"maxrss_kib":5,"minflt":6,"majflt":7,"nvcsw":8,"nivcsw":9,"inblock":10,"oublock":11,"net":{"scope":"netns","rx":1,"tx":2},"foot":{"cache":1,"node_modules":2,"lock":3},"exit":0,"rate":null,"noise":{"steal_ticks":0,"psi_cpu_us":1,"psi_io_us":2,"psi_mem_us":3,"load1":0.5,"khz_min":1,"khz_max":2,"other_cpu_share":0.1,"temp_mC":null},"warm":false}"#;
        let run: Run = serde_json::from_str(line).unwrap();
        assert_eq!(
            (run.seq, run.round, run.slot, run.wall_ns),
            (57, 14, 1, Some(2))
        );
        assert_eq!(run.foot.as_ref().unwrap()["lock"], 3);
        assert_eq!(run.noise.as_ref().unwrap().other_cpu_share, Some(0.1));
        let again: Run = serde_json::from_str(&serde_json::to_string(&run).unwrap()).unwrap();
        assert_eq!(again, run);
    }

    #[test]
    fn a_torn_last_line_is_told_and_cut_before_appending() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("runs.jsonl");
        let (mut writer, torn) = RunWriter::open(&path).unwrap();
        assert!(!torn);
        writer.append(&[run(0), run(1)]).unwrap();
        let mut text = std::fs::read(&path).unwrap();
        text.extend_from_slice(b"{\"v\":1,\"seq\":2,");
        std::fs::write(&path, &text).unwrap();
        let (runs, torn) = read_runs(&path).unwrap();
        assert_eq!((runs.len(), torn), (2, Some(3)));
        let (mut writer, torn) = RunWriter::open(&path).unwrap();
        assert!(torn);
        writer.append(&[run(2)]).unwrap();
        let (runs, torn) = read_runs(&path).unwrap();
        assert_eq!(
            (runs.iter().map(|r| r.seq).collect::<Vec<_>>(), torn),
            (vec![0, 1, 2], None)
        );
    }

    #[test]
    fn a_bad_line_in_the_middle_is_an_error_with_its_number() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("runs.jsonl");
        std::fs::write(&path, "{\"v\":1}\nnot json\n").unwrap();
        let error = read_runs(&path).unwrap_err().to_string();
        assert!(error.contains("runs.jsonl:1:"), "{error}");
        std::fs::write(&path, "{\"v\":9,\"seq\":0,\"round\":1,\"slot\":0,\"arm\":\"a\",\"bench\":\"\",\"start_ns\":0,\"exit\":0}\n").unwrap();
        let error = read_runs(&path).unwrap_err().to_string();
        assert!(error.contains("version 9"), "{error}");
    }
}

//! Results of hyperfine's `--export-json`.

use std::path::Path;

use serde::Deserialize;

use crate::analysis::{ArmInfo, Dataset, Failure, Origin, RowData, Sample, Summary, Unit};
use crate::error::{Error, Result};

#[derive(Deserialize)]
struct File {
    results: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    command: String,
    mean: f64,
    #[serde(default)]
    stddev: Option<f64>,
    #[serde(default)]
    median: Option<f64>,
    #[serde(default)]
    user: Option<f64>,
    #[serde(default)]
    system: Option<f64>,
    #[serde(default)]
    min: Option<f64>,
    #[serde(default)]
    max: Option<f64>,
    #[serde(default)]
    times: Option<Vec<f64>>,
    #[serde(default)]
    memory_usage_byte: Option<Vec<u64>>,
    #[serde(default)]
    exit_codes: Option<Vec<Option<i32>>>,
}

/// Reads one or more files as one dataset with a single row. The base is `base`, else the
/// command with the smallest mean, as in hyperfine's own summary.
///
/// # Errors
/// File, line and what was expected.
pub fn from_hyperfine(files: &[(&Path, &[u8])], base: Option<&str>) -> Result<Dataset> {
    let mut row = RowData {
        name: "wall time".into(),
        ..RowData::default()
    };
    let (mut arms, mut failures, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    let mut means: Vec<f64> = Vec::new();
    for (path, bytes) in files {
        let file: File = serde_json::from_slice(bytes).map_err(|fault| {
            Error::input(
                path,
                (fault.line() > 0).then_some(fault.line()),
                format!("expected hyperfine's JSON ({{\"results\": [...]}}): {fault}"),
            )
        })?;
        for (number, entry) in file.results.into_iter().enumerate() {
            let name = unique(&arms, &entry.command, path);
            check(path, number, &entry)?;
            let arm = arms.len();
            means.push(entry.mean);
            add_samples(&mut row, arm, &entry, |place, why| {
                failures.push(Failure {
                    row: "wall time".into(),
                    arm: name.clone(),
                    place: format!("{} {place}", path.display()),
                    why,
                });
            });
            let bad = entry
                .exit_codes
                .iter()
                .flatten()
                .filter(|code| **code != Some(0))
                .count();
            match bad {
                0 => {}
                1 => warnings.push(format!("{name}: 1 run ended with an error and is counted")),
                _ => warnings.push(format!(
                    "{name}: {bad} runs ended with an error and are counted"
                )),
            }
            arms.push(ArmInfo {
                name,
                command: entry.command,
                version: None,
                sha256: None,
                copy_of: None,
            });
        }
    }
    let fastest = (0..means.len()).min_by(|a, b| means[*a].total_cmp(&means[*b]));
    let Some(fastest) = fastest.filter(|_| arms.len() > 1) else {
        return Err(Error::input(
            files.first().map_or(Path::new("-"), |(path, _)| path),
            None,
            format!(
                "expected at least two results to compare, found {}",
                arms.len()
            ),
        ));
    };
    let names: Vec<&str> = arms.iter().map(|arm: &ArmInfo| arm.name.as_str()).collect();
    let base = match base {
        Some(name) => names
            .iter()
            .position(|known| *known == name)
            .ok_or_else(|| {
                Error::Usage(format!(
                    "--base {name}: the files know only {}",
                    names.join(", ")
                ))
            })?,
        None => fastest,
    };
    let title: Vec<String> = files
        .iter()
        .map(|(path, _)| super::file_name(path))
        .collect();
    Ok(Dataset {
        title: title.join(", "),
        origin: Origin::Hyperfine,
        unit: Unit::Seconds,
        arms,
        base,
        rows: vec![row],
        delta: None,
        plan: Vec::new(),
        machines: Vec::new(),
        plan_id: None,
        failures,
        warnings,
        stopped: Vec::new(),
        usage: Vec::new(),
        loads: Vec::new(),
        phases: Vec::new(),
        controls: Vec::new(),
        probe: None,
        scopes: Vec::new(),
        stretches: Vec::new(),
        finished: true,
    })
}

/// The same command in two files is two arms.
fn unique(arms: &[ArmInfo], command: &str, path: &Path) -> String {
    let taken = |name: &str| arms.iter().any(|arm| arm.name == name);
    if !taken(command) {
        return command.to_owned();
    }
    let stem = path
        .file_stem()
        .map_or_else(|| "2".into(), |stem| stem.to_string_lossy());
    let mut name = format!("{command} ({stem})");
    let mut number = 2;
    while taken(&name) {
        name = format!("{command} ({stem} {number})");
        number += 1;
    }
    name
}

fn check(path: &Path, number: usize, entry: &Entry) -> Result<()> {
    let wrong = |what: &str, value: f64| {
        Err(Error::input(
            path,
            None,
            format!(
                "results[{number}] ({:?}): expected a {what}, found {value}",
                entry.command
            ),
        ))
    };
    if !(entry.mean.is_finite() && entry.mean > 0.0) {
        return wrong("positive mean", entry.mean);
    }
    match entry.stddev {
        Some(sd) if sd < 0.0 => wrong("standard deviation of at least 0", sd),
        _ => Ok(()),
    }
}

fn add_samples(row: &mut RowData, arm: usize, entry: &Entry, mut fail: impl FnMut(String, String)) {
    let times = entry.times.as_deref().unwrap_or(&[]);
    if times.is_empty() {
        // Without single runs, the number of exit codes is the number of runs.
        let n = entry.exit_codes.as_ref().map(|codes| codes.len() as u64);
        let summary = Summary {
            n: n.filter(|n| *n > 0),
            mean: entry.mean,
            sd: entry.stddev,
            median: entry.median,
            min: entry.min,
            max: entry.max,
        };
        row.summaries.push((arm, summary));
        return;
    }
    for (number, value) in times.iter().enumerate() {
        if !(value.is_finite() && *value > 0.0) {
            fail(
                format!("times[{number}]"),
                format!("{value} is not a positive time"),
            );
            continue;
        }
        let memory = entry
            .memory_usage_byte
            .as_ref()
            .and_then(|list| list.get(number));
        row.samples.push(Sample {
            arm,
            value: *value,
            run: number as u64 + 1,
            round: None,
            slot: 0,
            machine: 0,
            time_s: None,
            // hyperfine keeps the means only; every run then carries them.
            user_s: entry.user,
            sys_s: entry.system,
            rss_bytes: memory.copied(),
            noise: None,
        });
    }
}

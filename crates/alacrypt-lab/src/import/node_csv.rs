//! Results of Node's `benchmark/compare.js`: `binary, filename, configuration, rate, time`.

use std::collections::HashMap;
use std::path::Path;

use super::csv::{Record, read_records};
use crate::analysis::{ArmInfo, Dataset, Failure, Origin, RowData, Sample, Unit};
use crate::error::{Error, Result};

const HEADER: [&str; 5] = ["binary", "filename", "configuration", "rate", "time"];

/// Reads one or more files, given with their text, as one dataset. The order of lines is the
/// order of runs. The base is `base`, else `old`, else the first label.
///
/// # Errors
/// File, line and what was expected.
pub fn from_node_csv(files: &[(&Path, &[u8])], base: Option<&str>) -> Result<Dataset> {
    let mut reader = Reader::default();
    for (path, bytes) in files {
        reader.read(path, bytes)?;
    }
    reader.finish(files, base)
}

#[derive(Default)]
struct Reader {
    arms: Vec<ArmInfo>,
    rows: Vec<RowData>,
    index: HashMap<String, usize>,
    /// The name being read; one buffer for all lines.
    name: String,
    failures: Vec<Failure>,
    /// Lines of the files before this one: run numbers are line numbers.
    lines_before: u64,
}

impl Reader {
    fn read(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        let text = std::str::from_utf8(bytes).map_err(|fault| {
            let good = &bytes[..fault.valid_up_to()];
            let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
            Error::input(path, line, "expected UTF-8 text, found other bytes")
        })?;
        let records =
            read_records(text).map_err(|(line, message)| Error::input(path, line, message))?;
        let header = records.first().ok_or_else(|| {
            Error::input(
                path,
                1,
                format!("expected the header {}, found nothing", HEADER.join(", ")),
            )
        })?;
        if header.fields != HEADER {
            return Err(Error::input(
                path,
                header.line,
                format!(
                    "expected the header {}, found {}",
                    HEADER.join(", "),
                    shortened(&header.fields.join(", "))
                ),
            ));
        }
        if records.len() == 1 {
            return Err(Error::input(
                path,
                None,
                "expected runs after the header, found none",
            ));
        }
        for record in &records[1..] {
            // Files put together with `cat` repeat the header.
            if record.fields != HEADER {
                self.record(path, record)?;
            }
        }
        self.lines_before += records.last().map_or(0, |record| record.line as u64);
        Ok(())
    }

    fn record(&mut self, path: &Path, record: &Record<'_>) -> Result<()> {
        let line = record.line;
        let [binary, file, configuration, rate, time] = record.fields.as_slice() else {
            return Err(Error::input(
                path,
                line,
                format!(
                    "expected 5 fields ({}), found {}",
                    HEADER.join(", "),
                    record.fields.len()
                ),
            ));
        };
        self.name.clear();
        self.name
            .extend([file.as_ref(), " ", configuration.as_ref()]);
        self.name.truncate(self.name.trim_end().len());
        let value = number(rate).ok_or_else(|| {
            Error::input(
                path,
                line,
                format!("expected a number as rate, found {}", shortened(rate)),
            )
        })?;
        let time_s = if time.is_empty() {
            None
        } else {
            let seconds = number(time).ok_or_else(|| {
                Error::input(
                    path,
                    line,
                    format!("expected a number as time, found {}", shortened(time)),
                )
            })?;
            Some(seconds).filter(|seconds| seconds.is_finite())
        };
        let arm = self.arm(binary);
        let row = match self.index.get(&self.name) {
            Some(row) => *row,
            None => {
                self.rows.push(RowData {
                    name: self.name.clone(),
                    ..RowData::default()
                });
                self.index.insert(self.name.clone(), self.rows.len() - 1);
                self.rows.len() - 1
            }
        };
        if !(value.is_finite() && value > 0.0) {
            self.failures.push(Failure {
                row: self.name.clone(),
                arm: binary.to_string(),
                place: format!("{} line {line}", path.display()),
                why: format!("rate {} is not a positive number", shortened(rate)),
            });
            return Ok(());
        }
        self.rows[row].samples.push(Sample {
            arm,
            value,
            run: self.lines_before + line as u64,
            round: None,
            slot: 0,
            machine: 0,
            time_s,
            user_s: None,
            sys_s: None,
            rss_bytes: None,
            noise: None,
        });
        Ok(())
    }

    fn arm(&mut self, name: &str) -> usize {
        if let Some(known) = self.arms.iter().position(|arm| arm.name == name) {
            return known;
        }
        self.arms.push(ArmInfo {
            name: name.to_owned(),
            command: String::new(),
            version: None,
            sha256: None,
            copy_of: None,
        });
        self.arms.len() - 1
    }

    fn finish(mut self, files: &[(&Path, &[u8])], base: Option<&str>) -> Result<Dataset> {
        let position = |name: &str| self.arms.iter().position(|arm| arm.name == name);
        let names: Vec<&str> = self.arms.iter().map(|arm| arm.name.as_str()).collect();
        let base = match base {
            Some(name) => position(name).ok_or_else(|| {
                Error::Usage(format!(
                    "--base {name}: the file knows only {}",
                    names.join(", ")
                ))
            })?,
            None => position("old").unwrap_or(0),
        };
        let title: Vec<String> = files
            .iter()
            .map(|(path, _)| super::file_name(path))
            .collect();
        if self.arms.len() < 2 {
            return Err(Error::input(
                files.first().map_or(Path::new("-"), |(path, _)| path),
                None,
                format!(
                    "expected runs of two binaries to compare, found only {}",
                    names.join(", ")
                ),
            ));
        }
        self.rows.sort_by(|a, b| a.name.cmp(&b.name));
        let mut data = Dataset {
            title: title.join(", "),
            origin: Origin::NodeCsv,
            unit: Unit::Rate,
            arms: self.arms,
            base,
            rows: self.rows,
            delta: None,
            plan: Vec::new(),
            machines: Vec::new(),
            plan_id: None,
            failures: self.failures,
            warnings: Vec::new(),
            stopped: Vec::new(),
            usage: Vec::new(),
            loads: Vec::new(),
            phases: Vec::new(),
            controls: Vec::new(),
            probe: None,
            scopes: Vec::new(),
            stretches: Vec::new(),
            finished: true,
        };
        data.infer_rounds();
        Ok(data)
    }
}

/// A number as R reads it: also NA, NaN and Inf, which are no rates but no garbage either.
fn number(text: &str) -> Option<f64> {
    match text {
        "NA" => Some(f64::NAN),
        _ => text.parse().ok(),
    }
}

fn shortened(text: &str) -> String {
    if text.is_empty() {
        return "nothing".into();
    }
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("{short:?}")
}

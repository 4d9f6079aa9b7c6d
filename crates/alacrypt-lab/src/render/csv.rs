//! Samples in Node's own format, so that compare.R reads them.

use std::fmt::Write;

use crate::analysis::{Dataset, Unit};

/// All samples in the order of their runs. Times become rates (runs per second), with the
/// seconds in the last column.
pub fn node_csv(data: &Dataset) -> String {
    let mut out = String::from("\"binary\",\"filename\",\"configuration\",\"rate\",\"time\"\n");
    let mut all: Vec<_> = data
        .rows
        .iter()
        .flat_map(|row| row.samples.iter().map(move |sample| (row, sample)))
        .collect();
    all.sort_by_key(|(_, sample)| (sample.machine, sample.run));
    for (row, sample) in all {
        let (file, configuration) = row.name.split_once(' ').unwrap_or((row.name.as_str(), ""));
        let (rate, time) = match data.unit {
            Unit::Rate => (sample.value, sample.time_s.unwrap_or(1.0 / sample.value)),
            Unit::Seconds => (1.0 / sample.value, sample.value),
        };
        let arm = data
            .arms
            .get(sample.arm)
            .map_or("", |arm| arm.name.as_str());
        let _ = writeln!(
            out,
            "{},{},{},{rate},{time}",
            quoted(arm),
            quoted(file),
            quoted(configuration)
        );
    }
    out
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

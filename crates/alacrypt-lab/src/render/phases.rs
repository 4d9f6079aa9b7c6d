//! Phases: two tables for each, in the shape that package managers' pull requests show.

use super::format::width;
use crate::analysis::{Dataset, Origin};
use crate::stats::summary;

/// One subject in one phase. None where it is not known, or nothing is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhaseLine {
    /// The subject.
    pub name: String,
    /// Wall time and its standard deviation, user and system time, seconds.
    pub times: [Option<f64>; 4],
    /// Memory of the largest process, bytes.
    pub rss: Option<f64>,
    /// Page faults without I/O, voluntary and involuntary context switches.
    pub counts: [Option<f64>; 3],
    /// Bytes received and sent.
    pub net: [Option<f64>; 2],
    /// Bytes of the store, of what was installed, and of the lock file.
    pub sizes: [Option<f64>; 3],
}

const FIRST: [&str; 7] = ["PM", "wall", "±σ", "user", "sys", "RSS", "pgMinor"];
const SECOND: [&str; 8] = [
    "PM", "vCtx", "iCtx", "netRX", "netTX", "cache", "node_mod", "lock",
];
/// Least widths of the columns after the first.
const FIRST_WIDTHS: [usize; 6] = [7, 8, 10, 8, 9, 11];
const SECOND_WIDTHS: [usize; 7] = [7, 9, 11, 9, 11, 10, 8];
const NAME_WIDTH: usize = 8;

/// A number with so many places as JavaScript's toFixed writes it: an exact tie goes away from
/// zero.
pub fn to_fixed(value: f64, places: usize) -> String {
    // Thirty further places tell a tie from its neighbours.
    let exact = format!("{value:.*}", places + 30);
    let point = exact.find('.').unwrap_or(exact.len());
    let rest = exact.get(point + 1 + places..).unwrap_or_default();
    let tie = rest
        .strip_prefix('5')
        .is_some_and(|rest| rest.bytes().all(|b| b == b'0'));
    let value = match tie {
        true if value > 0.0 => value.next_up(),
        true => value.next_down(),
        false => value,
    };
    format!("{value:.places$}")
}

/// Seconds.
pub fn phase_seconds(value: f64) -> String {
    format!("{}s", to_fixed(value, 2))
}

/// Bytes, in steps of 1024.
pub fn phase_bytes(value: f64) -> String {
    const K: f64 = 1024.0;
    match value {
        v if v >= K * K * K => format!("{}G", to_fixed(v / (K * K * K), 2)),
        v if v >= K * K => format!("{}M", to_fixed(v / (K * K), 0)),
        v if v >= K => format!("{}K", to_fixed(v / K, 0)),
        v => format!("{}B", to_fixed(v, 0)),
    }
}

/// A number of things, in steps of 1000.
pub fn phase_count(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{}M", to_fixed(v / 1e6, 2)),
        v if v >= 1e3 => format!("{}K", to_fixed(v / 1e3, 1)),
        v => to_fixed(v, 0),
    }
}

fn cells(line: &PhaseLine) -> (Vec<String>, Vec<String>) {
    let told = |value: Option<f64>, form: fn(f64) -> String| value.map_or("-".into(), form);
    let mut first = vec![line.name.clone()];
    first.extend(line.times.map(|time| told(time, phase_seconds)));
    first.push(told(line.rss, phase_bytes));
    first.push(told(line.counts[0], phase_count));
    let mut second = vec![line.name.clone()];
    second.extend([1, 2].map(|i| told(line.counts[i], phase_count)));
    second.extend(line.net.map(|bytes| told(bytes, phase_bytes)));
    // An empty folder is none.
    second.extend(
        line.sizes
            .map(|size| told(size.filter(|size| *size > 0.0), phase_bytes)),
    );
    (first, second)
}

/// The two tables of one phase as plain text, with its name above.
pub fn phase_plain(phase: &str, lines: &[PhaseLine]) -> String {
    let longest = lines.iter().map(|line| width(&line.name) + 1).max();
    let name = longest.unwrap_or(0).max(NAME_WIDTH);
    let row = |cells: &[String], widths: &[usize]| {
        let mut text = format!("{:<name$}", cells[0]);
        for (cell, width) in cells[1..].iter().zip(widths) {
            text += &format!("{cell:>width$}");
        }
        text
    };
    let head = |titles: &[&str]| titles.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
    let rows: Vec<_> = lines.iter().map(cells).collect();
    let mut text = vec![format!("## {phase}"), row(&head(&FIRST), &FIRST_WIDTHS)];
    text.extend(rows.iter().map(|(first, _)| row(first, &FIRST_WIDTHS)));
    text.push(row(&head(&SECOND), &SECOND_WIDTHS));
    text.extend(rows.iter().map(|(_, second)| row(second, &SECOND_WIDTHS)));
    text.join("\n")
}

/// The two tables of one phase as Markdown.
pub fn phase_markdown(lines: &[PhaseLine]) -> String {
    let row = |cells: &[String]| format!("| {} |", cells.join(" | ").replace('\n', " "));
    let head = |titles: &[&str]| {
        let rule = "---:|".repeat(titles.len() - 1);
        format!("| {} |\n|---|{rule}", titles.join(" | "))
    };
    let rows: Vec<_> = lines.iter().map(cells).collect();
    let first: Vec<String> = rows.iter().map(|(first, _)| row(first)).collect();
    let second: Vec<String> = rows.iter().map(|(_, second)| row(second)).collect();
    format!(
        "{}\n{}\n\n{}\n{}",
        head(&FIRST),
        first.join("\n"),
        head(&SECOND),
        second.join("\n")
    )
}

/// For each phase its name and a line per subject: means over the runs that count.
pub(crate) fn phase_lines(data: &Dataset) -> Vec<(String, Vec<PhaseLine>)> {
    if data.origin != Origin::Phases {
        return Vec::new();
    }
    let line = |phase: &str, arm: usize| {
        let row = data.rows.iter().find(|row| row.name == phase);
        let walls = row.map_or(Vec::new(), |row| row.values(arm));
        let mean = |key: &str| {
            let of_arm = data
                .usage
                .iter()
                .filter(|u| u.arm == arm && u.cell == phase);
            let values: Vec<f64> = of_arm.filter_map(|u| u.figures.get(key).copied()).collect();
            (!values.is_empty() && !walls.is_empty()).then(|| summary::mean(&values))
        };
        PhaseLine {
            name: data.arms[arm].name.clone(),
            times: [
                (!walls.is_empty()).then(|| summary::mean(&walls)),
                summary::sd(&walls),
                mean("user_s"),
                mean("sys_s"),
            ],
            rss: mean("rss_bytes"),
            counts: ["minflt", "nvcsw", "nivcsw"].map(mean),
            net: ["net_rx", "net_tx"].map(mean),
            sizes: ["size_cache", "size_modules", "size_lock"].map(mean),
        }
    };
    let of_phase = |phase: &String| {
        let lines = (0..data.arms.len()).map(|arm| line(phase, arm)).collect();
        (phase.clone(), lines)
    };
    data.phases.iter().map(of_phase).collect()
}

/// The cells that do not count, each with its number of lost runs and the first reason.
pub(crate) fn invalid_cells(data: &Dataset) -> Vec<String> {
    let mut lines = Vec::new();
    for phase in &data.phases {
        for arm in &data.arms {
            let mut lost = data
                .failures
                .iter()
                .filter(|f| f.row == *phase && f.arm == arm.name);
            let Some(first) = lost.next() else { continue };
            let index = data.arm(&arm.name);
            let row = data.rows.iter().find(|row| row.name == *phase);
            let left = row.zip(index).map_or(0, |(row, arm)| row.of(arm).count());
            let word = if left == 0 { "invalid" } else { "incomplete" };
            lines.push(format!(
                "{word}: {}, {phase}: {} of {} runs do not count: {}",
                arm.name,
                lost.count() + 1,
                data.failures
                    .iter()
                    .filter(|f| f.row == *phase && f.arm == arm.name)
                    .count()
                    + left,
                first.why
            ));
        }
    }
    lines
}

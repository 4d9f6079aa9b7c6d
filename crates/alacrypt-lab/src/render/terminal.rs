//! The report on a terminal.

use std::fmt::Write;

use super::figures::{caption, figure_table};
use super::format::{self, interval, p_value, ratio, seconds, seconds_like};
use super::loads::{LOAD_HEADER, load_remarks, load_tables};
use super::phases::{invalid_cells, phase_lines, phase_plain};
use super::probe::{PROBE_HEADER, probe_remarks, probe_rows};
use super::table::{COMPARE_HEADER, arms_of, compare_cells, compare_table, plain, rows_of};
use super::text;
use crate::analysis::{ArmStats, Dataset, Report, Row, Unit, Verdict, notable_position, percent};

/// More rows than this are counted instead of listed, unless `wide` is set.
const LISTED: usize = 60;
/// More notes than this are counted.
const NOTED: usize = 20;

/// How the terminal's text looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Whether to use colours.
    pub color: bool,
    /// Whether to add the wide columns.
    pub wide: bool,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        if self.color {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    fn verdict(self, verdict: &Verdict, text: &str) -> String {
        match verdict {
            Verdict::Faster { .. } => self.paint("32", text),
            Verdict::Slower { .. } => self.paint("31", text),
            Verdict::Same { .. } => self.paint("36", text),
            Verdict::CannotTell { .. } | Verdict::NotTested { .. } => self.paint("2", text),
        }
    }
}

/// The whole report as text.
pub fn terminal(data: &Dataset, report: &Report, style: Style) -> String {
    let mut out = String::new();
    if let Some(probe) = &report.probe {
        line(&mut out, &style.paint("1", &probe.sentence));
        line(&mut out, "");
        line(&mut out, &plain(&PROBE_HEADER, &probe_rows(probe)));
        for remark in probe_remarks(probe) {
            line(&mut out, &remark);
        }
        line(&mut out, "");
    }
    if !data.loads.is_empty() {
        load_blocks(&mut out, data, style);
    } else if !data.phases.is_empty() {
        phase_blocks(&mut out, data, style);
    } else if report.unit == Unit::Rate {
        rate_tables(&mut out, data, report, style);
    } else {
        time_blocks(&mut out, data, report, style);
    }
    figures(&mut out, report, style);
    for mean in &report.geometric {
        line(&mut out, &text::geometric(mean));
    }
    gates(&mut out, report, style);
    for warning in &report.warnings {
        line(&mut out, &style.paint("33", &format!("warning: {warning}")));
    }
    notes(&mut out, data, report);
    verdicts(&mut out, data, report, style);
    for found in text::regressions(report) {
        line(&mut out, &found);
    }
    for flip in &report.flips {
        line(&mut out, &format!("flips without outliers: {flip}"));
    }
    for sentence in text::footer(report) {
        line(&mut out, &sentence);
    }
    out
}

/// Phases, and below them what does not count.
fn phase_blocks(out: &mut String, data: &Dataset, style: Style) {
    for (phase, lines) in phase_lines(data) {
        line(out, &phase_plain(&phase, &lines));
        line(out, "");
    }
    for cell in invalid_cells(data) {
        line(out, &style.paint("31", &cell));
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// What the control and the machine say of the session as a whole.
fn gates(out: &mut String, report: &Report, style: Style) {
    let state = |passes: bool| if passes { "32" } else { "1;31" };
    if let Some(control) = &report.control {
        let found = text::control(control);
        line(out, &style.paint(state(control.passes()), &found));
    }
    if let Some(noise) = &report.noise {
        line(out, &style.paint(state(noise.passes()), &noise.line()));
    }
    for failure in report.distrust() {
        let failure = format!("  {failure}; do not trust this session");
        line(out, &style.paint("1;31", &failure));
    }
}

/// CPU time, memory and traffic: short where one cell ran, else only when asked for.
fn figures(out: &mut String, report: &Report, style: Style) {
    let mut cells = report.figures.iter().map(|row| row.cell.as_str());
    let first = cells.next();
    if !style.wide && cells.any(|cell| Some(cell) != first) {
        return;
    }
    if let Some((header, rows)) = figure_table(report, style.wide) {
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        line(out, &plain(&header, &rows));
        line(out, &format!("{}\n", caption(report)));
    }
}

fn rate_tables(out: &mut String, data: &Dataset, report: &Report, style: Style) {
    for row in &report.alone {
        let stats = &row.stats;
        let spread = stats
            .cv
            .map_or(String::new(), |cv| format!(" ± {}", percent(cv)));
        let mean = format::rate(stats.mean);
        line(
            out,
            &format!("{}  {mean}{spread}, {}", row.name, format::runs(stats.n)),
        );
    }
    let mut arms = arms_of(&report.rows);
    if arms.is_empty() {
        arms = arms_of(&report.control_rows);
    }
    for (arm, name) in &arms {
        if arms.len() > 1 || data.arms.len() > 2 {
            line(out, &format!("{name} against {}", report.base));
        }
        if style.wide {
            line(out, &wide_table(report, *arm));
        } else {
            line(out, &compare_table(report, *arm));
        }
        out.push('\n');
    }
}

fn load_blocks(out: &mut String, data: &Dataset, style: Style) {
    for (cell, rows) in load_tables(data) {
        line(out, &style.paint("1", &cell));
        line(out, &format!("{}\n", plain(&LOAD_HEADER, &rows)));
    }
    for remark in load_remarks(data) {
        line(out, &remark);
    }
}

fn wide_table(report: &Report, arm: usize) -> String {
    let p_name = format!("p {}", report.footer.correction.name());
    let mut header: Vec<&str> = COMPARE_HEADER.to_vec();
    header.extend([
        p_name.as_str(),
        "",
        "ratio",
        "95 % interval",
        "n",
        "CV",
        "position",
        "A/A floor",
        "verdict",
    ]);
    let floor = report
        .control
        .as_ref()
        .map_or("-".into(), |c| percent(c.floor));
    let rows: Vec<Vec<String>> = rows_of(report, arm)
        .map(|row| {
            let mut cells = vec![row.name.clone()];
            cells.extend(compare_cells(row));
            cells.extend(wide_cells(row, report));
            cells.push(floor.clone());
            cells.push(row.verdict.text());
            cells
        })
        .collect();
    plain(&header, &rows)
}

/// p, stars, ratio, interval, n, CV and position of one row.
pub(crate) fn wide_cells(row: &Row, report: &Report) -> [String; 7] {
    let cv = |stats: &ArmStats| {
        stats
            .cv
            .map_or("NA".into(), |cv| format!("{:.1}", cv * 100.0))
    };
    let position = row.effect.as_ref().and_then(|effect| effect.position);
    let mark = if notable_position(row, report.delta) {
        "!"
    } else {
        ""
    };
    [
        row.p_corrected.map_or("NA".into(), p_value),
        row.p_corrected
            .map_or(String::new(), |_| row.stars_corrected.to_owned()),
        row.effect
            .as_ref()
            .map_or("NA".into(), |effect| ratio(effect.ratio)),
        row.effect
            .as_ref()
            .map_or("NA".into(), |effect| interval(effect.interval95)),
        format!("{}+{}", row.old.n, row.new.n),
        match (row.old.cv, row.new.cv) {
            (None, None) => "NA".into(),
            _ => format!("{}/{} %", cv(&row.old), cv(&row.new)),
        },
        position.map_or("-".into(), |position| {
            format!("{:+.2} %{mark}", (position.ratio - 1.0) * 100.0)
        }),
    ]
}

fn time_blocks(out: &mut String, data: &Dataset, report: &Report, style: Style) {
    for row in &report.alone {
        if report.alone.len() > 1 {
            line(out, &style.paint("1", &row.name));
        }
        arm_block(out, &report.base, &row.stats, style);
        line(out, "  (one command: nothing to compare it with)\n");
    }
    for row in 0..data.rows.len() {
        let of_row: Vec<&Row> = report
            .rows
            .iter()
            .chain(&report.control_rows)
            .filter(|found| found.row == row)
            .collect();
        let Some(first) = of_row.first() else {
            continue;
        };
        if data.rows.len() > 1 {
            line(out, &style.paint("1", &first.name));
        }
        let mut all: Vec<(&str, &ArmStats)> = vec![(report.base.as_str(), &first.old)];
        all.extend(of_row.iter().map(|row| (row.arm_name.as_str(), &row.new)));
        for (name, stats) in all {
            arm_block(out, name, stats, style);
        }
        for found in of_row {
            line(
                out,
                &format!(
                    "{} against {}",
                    style.paint("1", &found.arm_name),
                    report.base
                ),
            );
            if let Some(relative) = text::hyperfine_relative(found) {
                line(
                    out,
                    &format!(
                        "  as hyperfine has it: {relative} (spread of single runs, no interval)"
                    ),
                );
            }
            line(
                out,
                &format!("  ratio of times:      {}", text::effect(found)),
            );
            let word = format!("{} than {}", found.verdict.text(), report.base);
            let word = match found.verdict {
                Verdict::Faster { .. } | Verdict::Slower { .. } => word,
                _ => found.verdict.text(),
            };
            line(
                out,
                &format!(
                    "  verdict:             {}",
                    style.verdict(&found.verdict, &word)
                ),
            );
            if style.wide {
                let [p, stars, _, _, n, cv, position] = wide_cells(found, report);
                line(
                    out,
                    &format!("  p corrected {p} {stars}, n {n}, CV {cv}, position {position}"),
                );
            }
        }
        out.push('\n');
    }
}

fn arm_block(out: &mut String, name: &str, stats: &ArmStats, style: Style) {
    line(out, &style.paint("1", name));
    if stats.n == 0 && stats.mean.is_nan() {
        line(out, "  no values");
        return;
    }
    let mut text = format!("  Time (mean ± σ):    {}", seconds(stats.mean));
    if let Some(sd) = stats.sd {
        let _ = write!(text, " ± {}", seconds_like(sd, stats.mean));
    }
    if let (Some(user), Some(sys)) = (stats.user_s, stats.sys_s) {
        let _ = write!(
            text,
            "    [User: {}, System: {}]",
            seconds_like(user, stats.mean),
            seconds_like(sys, stats.mean)
        );
    }
    if let Some(memory) = stats.rss_bytes {
        let _ = write!(text, "    RSS {}", format::bytes(memory));
    }
    line(out, &text);
    let runs = if stats.n == 0 {
        "unknown number of runs".into()
    } else {
        format::runs(stats.n)
    };
    line(
        out,
        &format!(
            "  Range (min … max):  {} … {}    {runs}",
            seconds_like(stats.min, stats.mean),
            seconds_like(stats.max, stats.mean)
        ),
    );
}

fn verdicts(out: &mut String, data: &Dataset, report: &Report, style: Style) {
    let Some(counts) = text::word_line(report) else {
        return;
    };
    line(out, &counts);
    if report.unit == Unit::Seconds && data.loads.is_empty() {
        return;
    }
    let short = report.rows.len() > LISTED && !style.wide;
    for row in &report.rows {
        if short && !matches!(row.verdict, Verdict::Faster { .. } | Verdict::Slower { .. }) {
            continue;
        }
        let word = style.verdict(&row.verdict, &row.verdict.text());
        line(
            out,
            &format!(
                "  {word}: {}  {}",
                text::label(report, row),
                text::effect(row)
            ),
        );
    }
    if short {
        line(
            out,
            "  (rows that are neither faster nor slower: --wide lists them)",
        );
    }
}

fn notes(out: &mut String, data: &Dataset, report: &Report) {
    let mut all: Vec<String> = text::notes(report)
        .iter()
        .map(|note| format!("note: {note}"))
        .collect();
    all.extend(
        text::failures(data)
            .into_iter()
            .map(|failure| format!("failed: {failure}")),
    );
    for note in all.iter().take(NOTED) {
        line(out, note);
    }
    if all.len() > NOTED {
        line(
            out,
            &format!(
                "… and {} more; --json and --html list all",
                all.len() - NOTED
            ),
        );
    }
}

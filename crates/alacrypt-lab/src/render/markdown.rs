//! Markdown in the shapes that pull requests already know.

use super::figures::{caption, figure_table};
use super::format::{p_value, time_unit};
use super::loads::{LOAD_HEADER, load_remarks, load_tables};
use super::phases::{invalid_cells, phase_lines, phase_markdown};
use super::probe::{PROBE_HEADER, probe_remarks, probe_rows};
use super::table::{arms_of, compare_table};
use super::text;
use crate::analysis::{ArmStats, Dataset, Report, Row, Unit};

/// The whole report as Markdown. It begins with a marker comment, by which a bot finds and
/// replaces its own earlier comment.
pub fn markdown(data: &Dataset, report: &Report) -> String {
    let mut parts = vec![format!("<!-- alacrypt-lab: {} -->", marker(&report.title))];
    for failure in report.distrust() {
        parts.push(format!("> **Do not trust this session:** {failure}."));
    }
    if let Some(probe) = &report.probe {
        parts.push(format!("**{}**", escape(&probe.sentence)));
        let row = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
            format!("| {} |", cells.join(" | "))
        };
        let mut lines = vec![
            format!("| {} |", PROBE_HEADER.join(" | ")),
            format!("|:---|{}", "---:|".repeat(PROBE_HEADER.len() - 1)),
        ];
        lines.extend(probe_rows(probe).iter().map(|cells| row(cells)));
        parts.push(lines.join("\n"));
        parts.push(list(probe_remarks(probe)));
    }
    match report.unit {
        _ if !data.loads.is_empty() => parts.extend(load_parts(data)),
        _ if !data.phases.is_empty() => parts.extend(phase_parts(data)),
        Unit::Rate => parts.extend(rate_tables(data, report)),
        Unit::Seconds => parts.extend(time_tables(data, report)),
    }
    parts.extend(
        report
            .geometric
            .iter()
            .map(|mean| format!("- {}", text::geometric(mean))),
    );
    if let Some(control) = &report.control {
        parts.push(format!("- {}", text::control(control)));
    }
    if let Some(noise) = &report.noise {
        parts.push(format!("- {}", noise.line()));
    }
    parts.push(list(
        report
            .warnings
            .iter()
            .map(|w| format!("warning: {w}"))
            .collect(),
    ));
    parts.push(verdict_table(report));
    parts.push(list(text::regressions(report)));
    parts.extend(figures(report));
    let mut details: Vec<String> = text::notes(report);
    details.extend(
        text::failures(data)
            .into_iter()
            .map(|failure| format!("failed: {failure}")),
    );
    if !details.is_empty() {
        parts.push(format!(
            "<details><summary>{}</summary>\n\n{}\n\n</details>",
            text::count(details.len(), "note"),
            list(details)
        ));
    }
    parts.push(text::footer(report).join(" "));
    parts.push(measured(data));
    parts.retain(|part| !part.is_empty());
    let mut page = parts.join("\n\n");
    page.push('\n');
    page
}

/// Servers under load.
fn load_parts(data: &Dataset) -> Vec<String> {
    let table = |(cell, rows): (String, Vec<Vec<String>>)| {
        let mut lines = vec![
            format!("| {} |", LOAD_HEADER.join(" | ")),
            format!("|:---|{}", "---:|".repeat(LOAD_HEADER.len() - 1)),
        ];
        lines.extend(rows.iter().map(|row| {
            let cells: Vec<String> = row.iter().map(|cell| escape(cell)).collect();
            format!("| {} |", cells.join(" | "))
        }));
        format!("**{}**\n\n{}", escape(&cell), lines.join("\n"))
    };
    let mut parts: Vec<String> = load_tables(data).into_iter().map(table).collect();
    parts.push(list(load_remarks(data)));
    parts
}

/// Phases.
fn phase_parts(data: &Dataset) -> Vec<String> {
    let part = |(phase, lines)| format!("### {}\n\n{}", escape(phase), phase_markdown(lines));
    let lines = phase_lines(data);
    let mut parts: Vec<String> = lines
        .iter()
        .map(|(phase, lines)| part((phase, lines)))
        .collect();
    parts.push(list(invalid_cells(data)));
    parts
}

/// CPU time, memory and traffic.
fn figures(report: &Report) -> Option<String> {
    let (header, rows) = figure_table(report, true)?;
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        format!("| {} |", cells.join(" | "))
    };
    let mut lines = vec![line(&header)];
    lines.push(format!("|:---|{}", "---:|".repeat(header.len() - 1)));
    lines.extend(rows.iter().map(|row| line(row)));
    Some(format!(
        "<details><summary>CPU time, memory, traffic</summary>\n\n{}\n\n{}.\n\n</details>",
        lines.join("\n"),
        caption(report)
    ))
}

/// What was run, on which machine and by which plan; without it, figures cannot be checked.
fn measured(data: &Dataset) -> String {
    let mut lines: Vec<String> = data
        .arms
        .iter()
        .filter(|arm| !arm.command.is_empty())
        .map(|arm| {
            let version = arm
                .version
                .as_deref()
                .map(|text| format!(", {}", escape(text)));
            let copy = if arm.copy_of.is_some() {
                ", A/A copy"
            } else {
                ""
            };
            let version = version.unwrap_or_default();
            format!(
                "- {}{copy}{version}: {}",
                code(&arm.name),
                code(&arm.command)
            )
        })
        .collect();
    lines.extend(
        data.machines
            .iter()
            .map(|machine| format!("- {}", escape(machine))),
    );
    lines.extend(
        data.plan
            .iter()
            .map(|(name, value)| format!("- {name}: {}", escape(value))),
    );
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "<details><summary>how it was measured</summary>\n\n{}\n\n</details>",
        lines.join("\n")
    )
}

/// A comment must not hold what would end it.
fn marker(title: &str) -> String {
    title.replace("--", "-\u{2010}").replace('>', "")
}

fn list(lines: Vec<String>) -> String {
    let items: Vec<String> = lines
        .iter()
        .map(|line| format!("- {}", escape(line)))
        .collect();
    items.join("\n")
}

fn rate_tables(data: &Dataset, report: &Report) -> Vec<String> {
    let mut arms = arms_of(&report.rows);
    if arms.is_empty() {
        arms = arms_of(&report.control_rows);
    }
    arms.iter()
        .map(|(arm, name)| {
            let table = format!("```\n{}\n```", compare_table(report, *arm));
            if data.arms.len() > 2 {
                format!("{} against {}\n\n{table}", code(name), code(&report.base))
            } else {
                table
            }
        })
        .collect()
}

/// hyperfine's own table, one per row.
fn time_tables(data: &Dataset, report: &Report) -> Vec<String> {
    let several = data.rows.len() > 1;
    let alone = report.alone.iter().map(|row| {
        let (factor, unit) = time_unit(row.stats.mean);
        let head = time_head(unit);
        format!(
            "{head}\n{}",
            time_line(&report.base, &row.stats, factor, "1.00")
        )
    });
    let compared = (0..data.rows.len()).filter_map(|index| {
        let rows: Vec<&Row> = report
            .rows
            .iter()
            .chain(&report.control_rows)
            .filter(|row| row.row == index)
            .collect();
        let base = &rows.first()?.old;
        let (factor, unit) = time_unit(base.mean);
        let mut lines = vec![
            time_head(unit),
            time_line(&report.base, base, factor, "1.00"),
        ];
        for row in &rows {
            let relative = text::hyperfine_relative(row)
                .unwrap_or_else(|| format!("{:.2}", row.new.mean / row.old.mean));
            lines.push(time_line(&row.arm_name, &row.new, factor, &relative));
        }
        let table = lines.join("\n");
        Some(if several {
            format!("{}\n\n{table}", code(&rows.first()?.name))
        } else {
            table
        })
    });
    alone.chain(compared).collect()
}

/// The head of hyperfine's table.
fn time_head(unit: &str) -> String {
    format!(
        "| Command | Mean [{unit}] | Min [{unit}] | Max [{unit}] | Relative |\n\
         |:---|---:|---:|---:|---:|"
    )
}

fn time_line(name: &str, stats: &ArmStats, factor: f64, relative: &str) -> String {
    let mean = match stats.sd {
        Some(sd) => format!("{:.1} ± {:.1}", stats.mean * factor, sd * factor),
        None => format!("{:.1}", stats.mean * factor),
    };
    format!(
        "| {} | {mean} | {:.1} | {:.1} | {relative} |",
        code(name),
        stats.min * factor,
        stats.max * factor
    )
}

fn verdict_table(report: &Report) -> String {
    if report.rows.is_empty() {
        return String::new();
    }
    let mut lines = vec![
        format!(
            "| verdict | row | {} | 95 % interval | p ({}) |",
            text::ratio_name(report.unit),
            report.footer.correction.name()
        ),
        "|:---|:---|---:|---:|---:|".to_owned(),
    ];
    for row in &report.rows {
        let effect = row.effect.as_ref();
        lines.push(format!(
            "| {} | {} | {} | {} | {} |",
            escape(&row.verdict.text()),
            code(&text::label(report, row)),
            effect.map_or("NA".into(), |e| super::format::ratio(e.ratio)),
            effect.map_or("NA".into(), |e| super::format::interval(e.interval95)),
            row.p_corrected.map_or("NA".into(), p_value)
        ));
    }
    lines.join("\n")
}

/// Code in a table cell: no pipe may end the cell, no backtick the code.
fn code(text: &str) -> String {
    let text = text.replace('|', "\\|").replace('\n', " ");
    if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}

fn escape(text: &str) -> String {
    text.replace('|', "\\|")
        .replace('<', "&lt;")
        .replace('\n', " ")
}

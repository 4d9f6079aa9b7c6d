//! The page as a whole, and the way back from it to the data.

use std::fmt::Write;

use super::detail::{Arm, detail};
use super::forest::{forest, verdict_class};
use super::phase_bars::phase_bars;
use super::svg::escape;
use super::waterfall::waterfall;
use crate::analysis::{Dataset, Report, Row, Unit};
use crate::render::figures::{caption, figure_table};
use crate::render::format::{self, interval, p_value};
use crate::render::table::{arms_of, compare_table};
use crate::render::terminal::wide_cells;
use crate::render::{json, read_json, text};

const CSS: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const DATA_OPEN: &str = "<script type=\"application/json\" id=\"alacrypt-lab-data\">";
const DATA_CLOSE: &str = "</script>";
/// Rows whose single runs are drawn; a page with thousands of plots opens nowhere.
const DRAWN: usize = 100;

/// One self-contained page.
pub fn html(data: &Dataset, report: &Report) -> String {
    let mut page = String::new();
    let title = escape(&report.title);
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{CSS}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    summary(&mut page, report);
    page.push_str(&report.probe.as_ref().map_or(String::new(), waterfall));
    page.push_str(&phase_bars(data));
    page.push_str(
        "<div class=\"tools\" hidden><label for=\"filter\">Filter rows</label>\
         <input id=\"filter\" type=\"search\" placeholder=\"words of a row's name\">\
         <span id=\"matches\" class=\"dim\" role=\"status\"></span></div>\n",
    );
    let rows: Vec<&Row> = report.rows.iter().collect();
    if !rows.is_empty() {
        page.push_str("<h2>Effects</h2>\n");
        page.push_str(&forest(report, &rows).unwrap_or_default());
        page.push_str(&effect_table(report, &rows));
    }
    control(&mut page, report);
    tables(&mut page, data, report);
    figures(&mut page, report);
    notes(&mut page, data, report);
    details(&mut page, data, report);
    measured(&mut page, data);
    let _ = write!(
        page,
        "{DATA_OPEN}{}{DATA_CLOSE}\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        embedded(data)
    );
    page
}

/// The samples that a page of ours carries.
///
/// # Errors
/// The line, if known, and what was expected.
pub fn read_back(page: &str) -> Result<Dataset, (Option<usize>, String)> {
    let missing = || {
        (
            None,
            "expected an HTML page of alacrypt-lab with its data".to_owned(),
        )
    };
    let start = page.find(DATA_OPEN).ok_or_else(missing)? + DATA_OPEN.len();
    let length = page[start..].find(DATA_CLOSE).ok_or_else(missing)?;
    let lines_before = page[..start].matches('\n').count();
    read_json(&page[start..start + length])
        .map_err(|(line, message)| (line.map(|line| line + lines_before), message))
}

/// JSON that cannot end its element: `<` is written as an escape, which JSON reads back.
fn embedded(data: &Dataset) -> String {
    json::samples(data).replace('<', "\\u003c")
}

fn summary(page: &mut String, report: &Report) {
    for failure in report.distrust() {
        let _ = writeln!(
            page,
            "<p class=\"alarm\"><strong>Do not trust this session:</strong> {}.</p>",
            escape(failure)
        );
    }
    if !report.rows.is_empty() {
        let counts: Vec<String> = text::word_counts(&report.rows)
            .iter()
            .map(|(word, count)| format!("{count} {word}"))
            .collect();
        let _ = writeln!(
            page,
            "<p>Against <strong>{}</strong>: {}. δ = {}, corrected by {}.</p>",
            escape(&report.base),
            counts.join(", "),
            crate::analysis::percent(report.delta),
            report.footer.correction.name()
        );
    }
    for mean in &report.geometric {
        let _ = writeln!(page, "<p>{}</p>", escape(&text::geometric(mean)));
    }
    if let Some(control) = &report.control {
        let _ = writeln!(page, "<p>{}</p>", escape(&text::control(control)));
    }
    if let Some(noise) = &report.noise {
        let _ = writeln!(page, "<p>{}</p>", escape(&noise.line()));
    }
    for line in text::regressions(report) {
        let _ = writeln!(page, "<p>{}</p>", escape(&line));
    }
    for warning in &report.warnings {
        let _ = writeln!(page, "<p class=\"warn\">{}</p>", escape(warning));
    }
}

fn effect_table(report: &Report, rows: &[&Row]) -> String {
    let mut body = String::new();
    for row in rows {
        let label = escape(&text::label(report, row));
        let [p, stars, ratio, ends, n, cv, position] = wide_cells(row, report);
        let basis = row
            .effect
            .as_ref()
            .map_or("-", |effect| effect.basis.name());
        let skewed = row.bootstrap95.map_or(String::new(), |ends| {
            format!(
                "<br><span class=\"dim\">bootstrap {}</span>",
                interval(Some(ends))
            )
        });
        let _ = write!(
            body,
            "<tr data-name=\"{label}\" data-row><td class=\"name\">{label}</td><td class=\"{}\">{}</td>\
             <td>{ratio}</td><td>{ends}{skewed}</td><td>{p} {stars}</td><td>{n}</td><td>{cv}</td><td>{position}</td>\
             <td class=\"left\">{basis}</td></tr>",
            verdict_class(&row.verdict),
            escape(&row.verdict.text())
        );
    }
    format!(
        "<div class=\"scroll\"><table><thead><tr><th class=\"left\">row</th><th class=\"left\">verdict</th>\
         <th>{}</th><th>95 % interval</th><th>p ({})</th><th>n</th><th>CV old/new</th>\
         <th>second place</th><th class=\"left\">test</th></tr></thead><tbody>{body}</tbody></table></div>\n",
        text::ratio_name(report.unit),
        report.footer.correction.name()
    )
}

fn control(page: &mut String, report: &Report) {
    let Some(found) = &report.control else { return };
    page.push_str("<h2>A/A control</h2>\n");
    let rows: Vec<&Row> = report.control_rows.iter().collect();
    if report.rows.is_empty() {
        page.push_str(&forest(report, &rows).unwrap_or_default());
    }
    let p = |p: Option<f64>| p.map_or("NA".into(), p_value);
    let _ = writeln!(
        page,
        "<div class=\"scroll\"><table><thead><tr><th>rows</th><th>p &lt; .05</th><th>chance explains</th><th>sign test p</th>\
         <th>lean p</th><th>uniform p</th><th>floor</th><th>one row can show</th></tr></thead><tbody>\
         <tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr></tbody></table></div>",
        found.rows,
        found.small,
        found.small_limit,
        p(found.sign_p),
        p(found.bias_p),
        p(found.uniform_p),
        crate::analysis::percent(found.floor),
        found.detectable.map_or("NA".into(), format::percent)
    );
    if report.rows.is_empty() {
        page.push_str(&effect_table(report, &rows));
    }
}

fn tables(page: &mut String, data: &Dataset, report: &Report) {
    if report.unit != Unit::Rate {
        return;
    }
    for (arm, name) in arms_of(&report.rows) {
        page.push_str("<h2>Table for pull requests</h2>\n");
        if data.arms.len() > 2 {
            let _ = writeln!(
                page,
                "<p>{} against {}</p>",
                escape(&name),
                escape(&report.base)
            );
        }
        let _ = writeln!(page, "<pre>{}</pre>", escape(&compare_table(report, arm)));
    }
    for line in text::footer(report) {
        let _ = writeln!(page, "<p class=\"dim\">{}</p>", escape(&line));
    }
}

/// CPU time, memory and traffic.
fn figures(page: &mut String, report: &Report) {
    let Some((header, rows)) = figure_table(report, true) else {
        return;
    };
    let first = report.figures.first().map(|row| row.cell.as_str());
    let several = report
        .figures
        .iter()
        .any(|row| Some(row.cell.as_str()) != first);
    page.push_str("<h2>CPU time, memory, traffic</h2>\n<div class=\"scroll\"><table><thead><tr>");
    for cell in &header {
        let _ = write!(page, "<th>{}</th>", escape(cell));
    }
    page.push_str("</tr></thead><tbody>");
    for row in &rows {
        let mut cells = row.iter();
        let name = escape(cells.next().map_or("", String::as_str));
        // Where one benchmark ran there is nothing to choose between.
        let found = if several {
            format!(" data-name=\"{name}\"")
        } else {
            String::new()
        };
        let _ = write!(page, "<tr{found}><td class=\"name\">{name}</td>");
        for cell in cells {
            let _ = write!(page, "<td>{}</td>", escape(cell));
        }
        page.push_str("</tr>");
    }
    let _ = writeln!(
        page,
        "</tbody></table></div>\n<p class=\"dim\">{}.</p>",
        caption(report)
    );
}

fn notes(page: &mut String, data: &Dataset, report: &Report) {
    let failures = text::failures(data);
    let notes = text::notes(report);
    if failures.is_empty() && notes.is_empty() && report.flips.is_empty() {
        return;
    }
    page.push_str("<h2>Notes</h2>\n<ul>\n");
    for failure in failures {
        let _ = writeln!(page, "<li>failed: {}</li>", escape(&failure));
    }
    for flip in &report.flips {
        let _ = writeln!(page, "<li>flips without outliers: {}</li>", escape(flip));
    }
    for note in notes {
        let _ = writeln!(page, "<li>{}</li>", escape(&note));
    }
    page.push_str("</ul>\n");
}

fn details(page: &mut String, data: &Dataset, report: &Report) {
    let mut order: Vec<usize> = (0..data.rows.len()).collect();
    let all: Vec<&Row> = report.rows.iter().chain(&report.control_rows).collect();
    let decided = |index: &usize| {
        !all.iter()
            .any(|row| row.row == *index && row.verdict.decided())
    };
    let drawn = order.len() > DRAWN;
    if drawn {
        order.sort_by_key(decided);
        order.truncate(DRAWN);
        order.sort_unstable();
    }
    page.push_str("<h2>Runs</h2>\n");
    if drawn {
        let _ = writeln!(
            page,
            "<p class=\"dim\">Drawn for {DRAWN} of {} rows, decided ones first; the data of all are in this page.</p>",
            data.rows.len()
        );
    }
    for index in order {
        let row = &data.rows[index];
        let found: Vec<&&Row> = all.iter().filter(|found| found.row == index).collect();
        let alone = report.alone.iter().find(|alone| alone.name == row.name);
        let base = found.first().map(|first| &first.old);
        let Some(base) = base.or(alone.map(|alone| &alone.stats)) else {
            continue;
        };
        let mut arms = vec![Arm {
            index: base.arm,
            name: report.base.as_str(),
            stats: base,
        }];
        let mut effects = vec![None];
        effects.extend(found.iter().map(|row| row.effect.as_ref()));
        arms.extend(found.iter().map(|row| Arm {
            index: row.arm,
            name: row.arm_name.as_str(),
            stats: &row.new,
        }));
        let name = escape(&row.name);
        let open = if data.rows.len() == 1 { " open" } else { "" };
        let _ = writeln!(
            page,
            "<details data-name=\"{name}\"{open}><summary class=\"name\">{name}</summary>{}</details>",
            detail(data, row, &arms, &effects, report.delta)
        );
    }
}

fn measured(page: &mut String, data: &Dataset) {
    page.push_str("<h2>What was measured</h2>\n");
    for arm in &data.arms {
        let version = arm
            .version
            .as_deref()
            .map_or(String::new(), |v| format!(", {v}"));
        let hash = arm.sha256.as_deref().map_or(String::new(), |hash| {
            format!(", SHA-256 {}", hash.get(..16).unwrap_or(hash))
        });
        let copy = if arm.copy_of.is_some() {
            ", A/A copy"
        } else {
            ""
        };
        let _ = writeln!(
            page,
            "<p><strong>{}</strong>{copy}{}{}</p>",
            escape(&arm.name),
            escape(&version),
            escape(&hash)
        );
        if !arm.command.is_empty() {
            let _ = writeln!(page, "<pre>{}</pre>", escape(&arm.command));
        }
    }
    for machine in &data.machines {
        let _ = writeln!(page, "<p class=\"dim\">{}</p>", escape(machine));
    }
    if !data.plan.is_empty() {
        page.push_str("<table><tbody>");
        for (name, value) in &data.plan {
            let _ = write!(
                page,
                "<tr><th scope=\"row\">{}</th><td class=\"left\">{}</td></tr>",
                escape(name),
                escape(value)
            );
        }
        page.push_str("</tbody></table>\n");
    }
}

//! The sentences around the tables, shared by terminal, Markdown and HTML.

use super::format::{interval, p_value, ratio};
use super::table::arms_of;
use crate::analysis::{
    ControlSummary, Dataset, GeometricRow, NoiseSummary, Report, Row, Unit, Verdict,
};

/// `ratio of rates` or `ratio of times`.
pub(crate) fn ratio_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Rate => "rate, new/old",
        Unit::Seconds => "time, new/old",
    }
}

/// What a row is called where several arms share it.
pub(crate) fn label(report: &Report, row: &Row) -> String {
    let arms = arms_of(&report.rows).len();
    let all = || report.rows.iter().chain(&report.control_rows);
    let one_row = all().all(|other| other.row == row.row);
    let control = report
        .control
        .as_ref()
        .is_some_and(|c| c.arm_name == row.arm_name);
    let several = arms > 1 || (control && !report.rows.is_empty());
    match (report.unit, one_row, several) {
        (Unit::Seconds, true, _) => row.arm_name.clone(),
        (_, _, true) => format!("{} [{}]", row.name, row.arm_name),
        _ => row.name.clone(),
    }
}

/// The effect in numbers: `1.0144 [1.0004, 1.0285], p = 0.0442 (Welch)`.
pub(crate) fn effect(row: &Row) -> String {
    match &row.effect {
        Some(effect) => format!(
            "{} {}, p = {} ({})",
            ratio(effect.ratio),
            interval(effect.interval95),
            p_value(effect.p),
            effect.basis.name()
        ),
        None => "NA".into(),
    }
}

/// The two intervals of the geometric mean, named.
pub(crate) fn geometric(mean: &GeometricRow) -> String {
    let or_na = |ends: Option<[f64; 2]>| ends.map_or("NA".into(), |ends| interval(Some(ends)));
    format!(
        "geometric mean of {} rows, {}: {}; this set {} (run noise only), across benchmarks {}",
        mean.rows,
        mean.arm_name,
        ratio(mean.ratio),
        or_na(mean.this_set95),
        or_na(mean.across95)
    )
}

/// What the control found, in one line.
pub(crate) fn control(control: &ControlSummary) -> String {
    crate::analysis::control_line(control)
}

/// Everything that is said of the comparison as a whole, a sentence each.
pub(crate) fn sentences(report: &Report) -> Vec<String> {
    let mut all: Vec<String> = report.geometric.iter().map(geometric).collect();
    if let Some(found) = &report.control {
        all.push(control(found));
    }
    all.extend(report.noise.as_ref().map(NoiseSummary::line));
    let distrust = report.distrust().into_iter();
    all.extend(distrust.map(|failure| format!("{failure}; do not trust this session")));
    all.extend(
        report
            .warnings
            .iter()
            .map(|warning| format!("warning: {warning}")),
    );
    all.extend(word_line(report));
    all.extend(regressions(report));
    all
}

/// How many rows have which verdict, and by which rule.
pub(crate) fn word_line(report: &Report) -> Option<String> {
    if report.rows.is_empty() {
        return None;
    }
    let counts: Vec<String> = word_counts(&report.rows)
        .iter()
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    Some(format!(
        "Verdicts (δ = {}, {}): {}",
        crate::analysis::percent(report.delta),
        report.footer.correction.name(),
        counts.join(", ")
    ))
}

/// The figures below the table.
pub(crate) fn footer(report: &Report) -> Vec<String> {
    let footer = &report.footer;
    // One comparison needs no warning about many, and a control has its own line.
    let few = if report.unit == Unit::Seconds { 2 } else { 1 };
    if footer.tested + footer.untested < few {
        return Vec::new();
    }
    let [one, two, three] = footer.expected_false;
    let untested = if footer.untested > 0 {
        format!(", {} not testable (NA)", footer.untested)
    } else {
        String::new()
    };
    let mut lines = vec![
        format!(
            "{}{untested}. If nothing had changed, expect {one:.2} false stars at * or more, \
             {two:.2} at ** or more, {three:.2} at ***.",
            count(footer.tested, "comparison")
        ),
        format!(
            "Stars (uncorrected, as in Node's tables): {}; {} by Holm.",
            count(footer.starred, "row"),
            count(footer.survive_holm, "row")
        ),
    ];
    if footer.correction.name() != "Holm" {
        lines.push(format!(
            "Verdicts use {}: {}.",
            footer.correction.name(),
            count(footer.survive_correction, "row")
        ));
    }
    if report.unit == Unit::Rate {
        lines.push(
            "accuracy: half-width of the difference over the old mean, which it takes as exact; \
             the interval of the ratio does not."
                .into(),
        );
    }
    lines
}

/// A number with its noun: `1 row`, `2 rows`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Counts of the words, in the order in which a reader wants them.
pub(crate) fn word_counts(rows: &[Row]) -> Vec<(&'static str, usize)> {
    let kind = |row: &Row| match row.verdict {
        Verdict::Slower { .. } => 0,
        Verdict::Faster { .. } => 1,
        Verdict::Same { .. } => 2,
        Verdict::CannotTell { .. } => 3,
        Verdict::NotTested { .. } => 4,
    };
    ["slower", "faster", "no difference", "cannot tell", "NA"]
        .into_iter()
        .enumerate()
        .map(|(index, word)| (word, rows.iter().filter(|row| kind(row) == index).count()))
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// The rows that exceed `--max-regression`.
pub(crate) fn regressions(report: &Report) -> Vec<String> {
    let Some(allowed) = report.max_regression else {
        return Vec::new();
    };
    let limit = crate::analysis::percent(allowed);
    let mut lines: Vec<String> = report
        .rows
        .iter()
        .filter_map(|row| {
            let check = row.regression.filter(|check| check.exceeded)?;
            Some(format!(
                "more than {limit} slower: {} {} (corrected p = {})",
                label(report, row),
                effect(row),
                p_value(check.p_holm)
            ))
        })
        .collect();
    if lines.is_empty() {
        lines.push(format!("no row is certainly more than {limit} slower"));
    }
    lines
}

/// The figure that hyperfine prints for an arm: ratio of the means and the propagated standard
/// deviation of single runs, as `1.23 ± 0.38`.
pub(crate) fn hyperfine_relative(row: &Row) -> Option<String> {
    let ratio = row.new.mean / row.old.mean;
    let spread = ratio * (row.new.cv?.powi(2) + row.old.cv?.powi(2)).sqrt();
    Some(format!("{ratio:.2} ± {spread:.2}"))
}

/// Everything to say about single rows, a line for each thing: with the names of the rows that it is
/// about where there are several, and none where it is about all of them.
pub(crate) fn notes(report: &Report) -> Vec<String> {
    let compared = || report.rows.iter().chain(&report.control_rows);
    let one_row = compared().all(|row| row.row == 0);
    let mut lines = said_once(
        compared().map(|row| (label(report, row), &row.notes)),
        one_row,
    );
    let alone = report
        .alone
        .iter()
        .map(|row| (row.name.clone(), &row.notes));
    lines.extend(said_once(alone, report.alone.len() == 1));
    lines
}

/// More rows are not listed behind one note; which they are, the JSON form says.
const NAMES_MAX: usize = 12;

/// Each note of named rows once, in the order in which they first come.
fn said_once<'notes>(
    rows: impl Iterator<Item = (String, &'notes Vec<String>)>,
    is_one: bool,
) -> Vec<String> {
    let mut count_of_rows = 0;
    let mut said: Vec<(&str, Vec<String>)> = Vec::new();
    for (name, notes) in rows {
        count_of_rows += 1;
        for note in notes {
            match said.iter_mut().find(|(other, _)| other == note) {
                Some((_, names)) if names.contains(&name) => {}
                Some((_, names)) => names.push(name.clone()),
                None => said.push((note, vec![name.clone()])),
            }
        }
    }
    said.into_iter()
        .map(|(note, names)| match names.as_slice() {
            _ if is_one => note.to_owned(),
            [name] => format!("{name}: {note}"),
            names if names.len() == count_of_rows => format!("all {count_of_rows} rows: {note}"),
            names if names.len() > NAMES_MAX => {
                format!("{} of {count_of_rows} rows: {note}", names.len())
            }
            names => format!("{}: {note}", names.join("; ")),
        })
        .collect()
}

/// Failed runs, one line each.
pub(crate) fn failures(data: &Dataset) -> Vec<String> {
    let line =
        |f: &crate::analysis::Failure| format!("{} [{}] {}: {}", f.row, f.arm, f.place, f.why);
    data.failures.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::said_once;

    fn said(rows: &[(&str, &[&str])], is_one: bool) -> Vec<String> {
        let rows: Vec<(String, Vec<String>)> = rows
            .iter()
            .map(|(name, notes)| {
                let notes = notes.iter().map(|note| (*note).to_owned()).collect();
                ((*name).to_owned(), notes)
            })
            .collect();
        said_once(
            rows.iter().map(|(name, notes)| (name.clone(), notes)),
            is_one,
        )
    }

    #[test]
    fn a_note_is_said_once() {
        let rows: [(&str, &[&str]); 4] = [
            ("a", &["few rounds", "an outlier"]),
            ("b", &["few rounds"]),
            ("c", &["few rounds", "noisy"]),
            ("d", &["few rounds", "noisy"]),
        ];
        assert_eq!(
            said(&rows, false),
            ["all 4 rows: few rounds", "a: an outlier", "c; d: noisy"]
        );
    }

    #[test]
    fn the_only_row_needs_no_name() {
        let rows: [(&str, &[&str]); 2] = [("a", &["few rounds"]), ("a [copy]", &["few rounds"])];
        assert_eq!(said(&rows, true), ["few rounds"]);
    }

    #[test]
    fn many_names_are_a_number() {
        let names: Vec<String> = (0..20).map(|at| at.to_string()).collect();
        let rows: Vec<(&str, &[&str])> = names
            .iter()
            .enumerate()
            .map(|(at, name)| (name.as_str(), if at < 13 { &["noisy"][..] } else { &[] }))
            .collect();
        assert_eq!(said(&rows, false), ["13 of 20 rows: noisy"]);
        assert_eq!(said(&rows[1..], false).len(), 1);
    }
}

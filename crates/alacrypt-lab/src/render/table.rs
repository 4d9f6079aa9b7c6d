//! Plain tables, and the one that Node's pull requests show.

use super::format::width;
use crate::analysis::{Report, Row};

/// Lays out cells: first column to the left, others to the right, one space between, no spaces
/// at line ends. Rows may be shorter than the header.
pub(crate) fn plain(header: &[&str], rows: &[Vec<String>]) -> String {
    let columns = header.len();
    let mut widths: Vec<usize> = header.iter().map(|cell| width(cell)).collect();
    for row in rows {
        for (column, cell) in row.iter().enumerate().take(columns) {
            widths[column] = widths[column].max(width(cell));
        }
    }
    let line = |cells: &[String]| {
        let mut text = String::new();
        for (column, cell) in cells.iter().enumerate() {
            let padding = " ".repeat(widths[column].saturating_sub(width(cell)));
            if column == 0 {
                text.push_str(cell);
                text.push_str(&padding);
            } else {
                text.push(' ');
                text.push_str(&padding);
                text.push_str(cell);
            }
        }
        text.trim_end().to_owned()
    };
    let head: Vec<String> = header.iter().map(|cell| (*cell).to_owned()).collect();
    let mut lines = vec![line(&head)];
    lines.extend(rows.iter().map(|row| line(row)));
    lines.join("\n")
}

/// The five cells of compare.R for one row.
pub(crate) fn compare_cells(row: &Row) -> [String; 5] {
    let cells = &row.table;
    let improvement = if cells.improvement_pct.is_finite() {
        format!("{:.2} %", cells.improvement_pct)
    } else {
        "NA".into()
    };
    let accuracy = |level: usize| match cells.accuracy_pct {
        Some(widths) => format!("±{:.2}%", widths[level]),
        None => "NA".into(),
    };
    [
        cells.stars.to_owned(),
        improvement,
        accuracy(0),
        accuracy(1),
        accuracy(2),
    ]
}

/// Header of compare.R's table, after the empty first cell.
pub(crate) const COMPARE_HEADER: [&str; 6] = [
    "",
    "confidence",
    "improvement",
    "accuracy (*)",
    "(**)",
    "(***)",
];

/// The table of Node's compare.R for one arm, as pull requests show it.
pub fn compare_table(report: &Report, arm: usize) -> String {
    let rows: Vec<Vec<String>> = rows_of(report, arm)
        .map(|row| {
            let mut cells = vec![row.name.clone()];
            cells.extend(compare_cells(row));
            cells
        })
        .collect();
    plain(&COMPARE_HEADER, &rows)
}

/// The rows of one arm: comparisons, or the control's when the arm is a copy.
pub(crate) fn rows_of(report: &Report, arm: usize) -> impl Iterator<Item = &Row> {
    report
        .rows
        .iter()
        .chain(&report.control_rows)
        .filter(move |row| row.arm == arm)
}

/// The arms that have rows, in their order: index and name.
pub(crate) fn arms_of(rows: &[Row]) -> Vec<(usize, String)> {
    let mut arms: Vec<(usize, String)> = rows
        .iter()
        .map(|row| (row.arm, row.arm_name.clone()))
        .collect();
    arms.sort_unstable();
    arms.dedup();
    arms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_column_left_others_right_no_trailing_spaces() {
        let rows = vec![
            vec!["aa".into(), "1".into(), String::new()],
            vec!["b".into(), "22".into(), "x".into()],
        ];
        assert_eq!(plain(&["", "n", ""], &rows), "    n\naa  1\nb  22 x");
    }
}

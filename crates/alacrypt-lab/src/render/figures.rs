//! The table of secondary figures: CPU time, memory, faults, traffic, each with its scope.

use super::format::{bytes, interval, ratio, seconds};
use crate::analysis::{FigureArm, FigureRow, FigureUnit, Report};

/// What stands below the table.
pub(crate) fn caption(report: &Report) -> &'static str {
    if report.figures.iter().all(|row| row.arms.is_empty()) {
        "Mean per run"
    } else {
        "Mean per run; ratio with its 95 % interval, stars after Holm over these figures alone"
    }
}

/// Header and rows; `None` when there is nothing to show. `all` adds what is not told unasked.
pub(crate) fn figure_table(report: &Report, all: bool) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let shown: Vec<&FigureRow> = report
        .figures
        .iter()
        .filter(|row| (all || row.first) && !zero(row))
        .collect();
    let first = shown.first()?;
    let several = shown.iter().any(|row| row.cell != first.cell);
    // Every arm that ran anywhere has a column, so that a missing cell shows as missing.
    let mut arms: Vec<&FigureArm> = Vec::new();
    for arm in shown.iter().flat_map(|row| &row.arms) {
        if !arms.iter().any(|known| known.arm_name == arm.arm_name) {
            arms.push(arm);
        }
    }
    let mut header = vec![String::new(), report.base.clone()];
    for arm in &arms {
        header.push(arm.arm_name.clone());
        header.push(format!("{}/{}", arm.arm_name, report.base));
    }
    let rows = shown
        .iter()
        .map(|row| {
            let name = if several {
                format!("{}: {}", row.cell, row.title)
            } else {
                row.title.clone()
            };
            let mut cells = vec![name, value(row.unit, row.base_mean)];
            for arm in &arms {
                let found = row.arms.iter().find(|a| a.arm_name == arm.arm_name);
                cells.push(found.map_or("-".into(), |arm| value(row.unit, arm.mean)));
                cells.push(found.map_or("-".into(), against));
            }
            cells
        })
        .collect();
    Some((header, rows))
}

/// Whether nothing of the kind happened in any run. Traffic is counted only where that was asked
/// for, and then "none" is an answer.
fn zero(row: &FigureRow) -> bool {
    let asked_for = matches!(row.key, "net_rx" | "net_tx");
    !asked_for && row.base_mean == 0.0 && row.arms.iter().all(|arm| arm.mean == 0.0)
}

fn against(arm: &FigureArm) -> String {
    let Some(effect) = &arm.effect else {
        return "-".into();
    };
    let stars = match arm.p_holm {
        Some(p) if p < 0.001 => " ***",
        Some(p) if p < 0.01 => " **",
        Some(p) if p < 0.05 => " *",
        _ => "",
    };
    format!(
        "{} {}{stars}",
        ratio(effect.ratio),
        interval(effect.interval95)
    )
}

fn value(unit: FigureUnit, value: f64) -> String {
    match unit {
        FigureUnit::Seconds => seconds(value),
        FigureUnit::Bytes => bytes(value),
        FigureUnit::Count => count(value),
    }
}

/// A mean number of things: `610`, `1.42 M`.
fn count(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{:.2} G", v / 1e9),
        v if v >= 1e6 => format!("{:.2} M", v / 1e6),
        v if v >= 1e4 => format!("{:.1} k", v / 1e3),
        v if v >= 10.0 => format!("{v:.0}"),
        v => format!("{v:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_well() {
        assert_eq!(count(0.25), "0.2");
        assert_eq!(count(612.4), "612");
        assert_eq!(count(12_345.0), "12.3 k");
        assert_eq!(count(4.2e9), "4.20 G");
    }
}

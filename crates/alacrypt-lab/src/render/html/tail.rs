//! The slow tail: how slow the slowest tenth, hundredth and thousandth of the runs are, on a scale
//! that gives each of them the same room. Drawn only where there are runs enough for a tail.

use std::fmt::Write;

use super::detail::{Arm, color, value_axis_left, value_text};
use super::scale::Scale;
use super::svg::{Svg, escape};
use crate::analysis::{Dataset, RowData, Unit};
use crate::stats::summary;

const LEFT: f64 = 120.0;
const RIGHT: f64 = 860.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 220.0;
/// Fewest runs of an arm: below, the slowest hundredth is no run at all.
const ENOUGH: usize = 100;
/// Shares of slower runs that are labelled, in percent.
const SHARES: [f64; 4] = [50.0, 10.0, 1.0, 0.1];

/// The plot with its table.
pub(super) fn tail(data: &Dataset, row: &RowData, arms: &[Arm<'_>]) -> Option<String> {
    let curves: Vec<(&Arm<'_>, Vec<f64>)> = arms
        .iter()
        .map(|arm| (arm, from_fast_to_slow(data, row.values(arm.index))))
        .filter(|(_, values)| values.len() >= ENOUGH)
        .collect();
    let longest = curves.iter().map(|(_, values)| values.len()).max()?;
    let all = || curves.iter().flat_map(|(_, values)| values.iter().copied());
    let y = Scale::over(all(), BOTTOM, TOP);
    #[allow(clippy::cast_precision_loss)] // Numbers of runs are far below 2^53.
    let end = (longest as f64).log10();
    let x = Scale::over([0.3, end].into_iter(), LEFT, RIGHT);
    let mut svg = Svg::new(RIGHT + 20.0, BOTTOM + 56.0, "The slowest runs, per arm");
    value_axis_left(&mut svg, data, row, &y, (LEFT, RIGHT));
    for share in SHARES {
        let place = (100.0 / share).log10();
        if x.holds(place) {
            svg.line("grid", (x.at(place), TOP), (x.at(place), BOTTOM));
            svg.text(
                "middle",
                (x.at(place), BOTTOM + 16.0),
                &format!("{share} %"),
            );
        }
    }
    svg.text(
        "middle dim",
        (f64::midpoint(LEFT, RIGHT), BOTTOM + 36.0),
        "share of runs that are slower still (log scale)",
    );
    let mut rows = String::new();
    for (arm, values) in &curves {
        let n = summary::count(values);
        let points: Vec<(f64, f64)> = (0_u32..)
            .map(f64::from)
            .zip(values)
            .map(|(rank, value)| ((n / (n - rank)).log10(), *value))
            .filter(|(place, _)| *place >= 0.3)
            .map(|(place, value)| (x.at(place), y.at(value)))
            .collect();
        svg.polyline(&format!("step {}", color(arm.index)), &points);
        let cells: String = SHARES
            .iter()
            .map(|share| match beyond(values, *share / 100.0) {
                Some(value) => format!("<td>{}</td>", value_text(data, value)),
                None => "<td>-</td>".to_owned(),
            })
            .collect();
        let _ = write!(
            rows,
            "<tr><th scope=\"row\"><span class=\"key {}\"></span>{}</th>{cells}</tr>",
            color(arm.index),
            escape(arm.name)
        );
    }
    let head: String = SHARES
        .iter()
        .map(|share| format!("<th>slowest {share} %</th>"))
        .collect();
    Some(format!(
        "<h4>Slow tail</h4>{}<table><thead><tr><th>arm</th>{head}</tr></thead><tbody>{rows}</tbody></table>",
        svg.finish()
    ))
}

fn from_fast_to_slow(data: &Dataset, values: Vec<f64>) -> Vec<f64> {
    let mut sorted = summary::sorted(&values);
    if data.unit == Unit::Rate {
        sorted.reverse();
    }
    sorted
}

/// The value that this share of the runs reaches or exceeds in slowness, where that is at least
/// one run.
fn beyond(values: &[f64], share: f64) -> Option<f64> {
    let slower = (summary::count(values) * share).round();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // At most the count.
    let slower = slower as usize;
    (slower >= 1)
        .then(|| values.get(values.len().checked_sub(slower)?).copied())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_share_is_counted_from_the_end() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(beyond(&values, 0.5), Some(51.0));
        assert_eq!(beyond(&values, 0.01), Some(100.0));
        assert_eq!(beyond(&values, 0.001), None);
        assert_eq!(beyond(&[], 0.5), None);
    }
}

//! The forest plot: every ratio with its interval, over the band that identical code shows.

use super::scale::Scale;
use super::svg::Svg;
use crate::analysis::{Report, Row, Unit, Verdict, percent};
use crate::render::format::{interval, ratio};
use crate::render::text;

const LABELS: f64 = 400.0;
const PLOT: f64 = 470.0;
const LINE: f64 = 20.0;
const TOP: f64 = 44.0;

/// Draws the rows; `None` when no row has an effect.
pub(super) fn forest(report: &Report, rows: &[&Row]) -> Option<String> {
    let shown: Vec<&&Row> = rows.iter().filter(|row| row.effect.is_some()).collect();
    if shown.is_empty() {
        return None;
    }
    let floor = report
        .control
        .as_ref()
        .map_or(0.0, |control| control.floor)
        .ln_1p();
    let delta = report.delta.ln_1p();
    let ends = shown
        .iter()
        .filter_map(|row| row.effect.as_ref())
        .flat_map(|effect| {
            let [low, high] = effect.interval95.unwrap_or([effect.ratio; 2]);
            [low.ln(), high.ln()]
        });
    let scale = Scale::over(
        ends.chain([-delta, delta, -floor, floor]),
        LABELS,
        LABELS + PLOT,
    );
    let mut height = TOP;
    shown.iter().for_each(|_| height += LINE);
    let bottom = height;
    let mut svg = Svg::new(
        LABELS + PLOT + 190.0,
        height + 40.0,
        "Ratios with 95 % intervals",
    );
    if floor > 0.0 {
        let (left, right) = (scale.at(-floor), scale.at(floor));
        svg.rect(
            "band",
            (left, TOP - 6.0),
            (right - left, bottom - TOP + 6.0),
        );
    }
    axis(&mut svg, &scale, bottom);
    for edge in [-delta, delta] {
        svg.line(
            "delta",
            (scale.at(edge), TOP - 6.0),
            (scale.at(edge), bottom),
        );
    }
    svg.line("one", (scale.at(0.0), TOP - 6.0), (scale.at(0.0), bottom));
    let (left, right) = match report.unit {
        Unit::Rate => ("← slower", "faster →"),
        Unit::Seconds => ("← faster", "slower →"),
    };
    svg.text("middle dim", (scale.at(0.0) - 60.0, TOP - 14.0), left);
    svg.text("middle dim", (scale.at(0.0) + 60.0, TOP - 14.0), right);
    let mut y = TOP + LINE / 2.0;
    for row in shown {
        let Some(effect) = &row.effect else { continue };
        let class = verdict_class(&row.verdict);
        let name = text::label(report, row);
        svg.open_group(&name);
        svg.text("end", (LABELS - 10.0, y + 4.0), &middle_cut(&name, 52));
        if let Some([low, high]) = effect.interval95 {
            svg.line(
                &format!("whisker {class}"),
                (scale.at(low.ln()), y),
                (scale.at(high.ln()), y),
            );
        }
        let words = format!("{name}: {}", text::effect(row));
        svg.dot(class, (scale.at(effect.ratio.ln()), y), 4.0, &words);
        let numbers = format!("{} {}", ratio(effect.ratio), interval(effect.interval95));
        svg.text("start dim", (LABELS + PLOT + 8.0, y + 4.0), &numbers);
        svg.close_group();
        y += LINE;
    }
    let band = if floor > 0.0 {
        ", band: what identical code shows here (A/A)"
    } else {
        ""
    };
    svg.text(
        "middle dim",
        (LABELS + PLOT / 2.0, bottom + 34.0),
        &format!(
            "{} (log scale), 95 % interval; dashed: ±{}{band}",
            text::ratio_name(report.unit),
            percent(report.delta)
        ),
    );
    Some(svg.finish())
}

fn axis(svg: &mut Svg, scale: &Scale, bottom: f64) {
    let candidates = [
        0.1, 0.2, 0.25, 0.33, 0.5, 0.67, 0.75, 0.8, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 1.0,
        1.005, 1.01, 1.02, 1.03, 1.05, 1.1, 1.15, 1.2, 1.25, 1.33, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0,
        5.0, 7.0, 10.0, 20.0, 50.0, 100.0,
    ];
    let mut last: f64 = f64::NEG_INFINITY;
    // The middle is always labelled; others where there is room.
    let one = scale.at(0.0);
    for value in candidates
        .iter()
        .filter(|value: &&f64| scale.holds(value.ln()))
    {
        let x = scale.at(value.ln());
        let crowds_one = *value != 1.0 && (x - one).abs() < 42.0;
        if x - last < 42.0 || crowds_one {
            continue;
        }
        svg.line("grid", (x, TOP - 6.0), (x, bottom));
        svg.text("middle", (x, bottom + 16.0), &format!("{value}"));
        last = x;
    }
}

/// The class of a verdict's colour.
pub(super) fn verdict_class(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Faster { .. } => "v-faster",
        Verdict::Slower { .. } => "v-slower",
        Verdict::Same { .. } => "v-same",
        Verdict::CannotTell { .. } | Verdict::NotTested { .. } => "v-unknown",
    }
}

/// Cuts the middle out of a long name: its two ends tell most.
fn middle_cut(text: &str, limit: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= limit {
        return text.to_owned();
    }
    let half = limit / 2;
    let head: String = chars[..half].iter().collect();
    let tail: String = chars[chars.len() - half + 1..].iter().collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(middle_cut("short", 10), "short");
        let cut = middle_cut("abcdefghijklmnopqrstuvwxyz", 10);
        assert_eq!(cut, "abcde…wxyz");
    }
}

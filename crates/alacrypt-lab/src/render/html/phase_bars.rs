//! Phases as bars: wall time with one standard deviation, and the tables as text below.

use std::fmt::Write;

use super::scale::Scale;
use super::svg::{Svg, escape};
use crate::analysis::Dataset;
use crate::render::phases::{PhaseLine, invalid_cells, phase_lines, phase_plain, phase_seconds};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 130.0;
/// Room for the figure behind a bar.
const RIGHT: f64 = 100.0;
const STEP: f64 = 24.0;

/// A drawing and the tables of each phase; nothing without phases.
pub(super) fn phase_bars(data: &Dataset) -> String {
    let mut page = String::new();
    for (phase, lines) in phase_lines(data) {
        let _ = write!(
            page,
            "<h2>{}</h2>\n{}\n<div class=\"scroll\"><pre>{}</pre></div>\n",
            escape(&phase),
            bars(&phase, &lines),
            escape(&phase_plain(&phase, &lines))
        );
    }
    for cell in invalid_cells(data) {
        let _ = writeln!(page, "<p class=\"warn\">{}</p>", escape(&cell));
    }
    page
}

fn bars(phase: &str, lines: &[PhaseLine]) -> String {
    let ends = lines.iter().filter_map(|line| line.times[0]);
    let scale = Scale::over(ends.chain([0.0]), LEFT, WIDTH - RIGHT);
    let zero = scale.at(0.0);
    let height = STEP * lines.len() as f64 + 8.0;
    let mut svg = Svg::new(WIDTH, height, &format!("wall time in {phase}"));
    for (index, line) in lines.iter().enumerate() {
        let middle = STEP * index as f64 + STEP / 2.0 + 4.0;
        svg.text("end", (LEFT - 10.0, middle + 4.0), &line.name);
        let Some(wall) = line.times[0] else {
            svg.text("start dim", (zero + 6.0, middle + 4.0), "invalid");
            continue;
        };
        let end = scale.at(wall);
        let arm = index % 6;
        svg.rect(
            &format!("a{arm} box"),
            (zero, middle - 8.0),
            (end - zero, 16.0),
        );
        svg.line(
            &format!("a{arm} median"),
            (end, middle - 8.0),
            (end, middle + 8.0),
        );
        let spread = line.times[1].map_or(String::new(), |sd| format!(" ± {}", phase_seconds(sd)));
        svg.text(
            "start",
            (end + 6.0, middle + 4.0),
            &format!("{}{spread}", phase_seconds(wall)),
        );
    }
    svg.finish()
}

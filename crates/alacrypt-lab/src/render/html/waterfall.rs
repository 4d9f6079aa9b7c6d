//! A probe as a waterfall: from the base's time through each change to the bundle's.

use std::fmt::Write;

use super::scale::Scale;
use super::svg::{Svg, escape};
use crate::analysis::ProbeReport;
use crate::render::probe::{PROBE_HEADER, probe_remarks, probe_rows};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 170.0;
const RIGHT: f64 = 110.0;
const STEP: f64 = 26.0;

/// The sentence, the drawing and the table.
pub(super) fn waterfall(probe: &ProbeReport) -> String {
    let mut page = format!(
        "<p><strong>{}</strong></p>\n{}",
        escape(&probe.sentence),
        drawing(probe)
    );
    let cells = |tag: &str, row: &[String]| {
        row.iter().fold(String::new(), |mut text, cell| {
            let _ = write!(text, "<{tag}>{}</{tag}>", escape(cell));
            text
        })
    };
    let head: Vec<String> = PROBE_HEADER.map(str::to_owned).to_vec();
    let _ = write!(
        page,
        "<div class=\"scroll\"><table><tr>{}</tr>",
        cells("th", &head)
    );
    for row in probe_rows(probe) {
        let _ = write!(page, "<tr>{}</tr>", cells("td", &row));
    }
    page.push_str("</table></div>\n");
    for remark in probe_remarks(probe) {
        let _ = writeln!(page, "<p class=\"dim\">{}</p>", escape(&remark));
    }
    page
}

/// Each bar is what a change multiplies the time by; their product is the bundle where the values
/// are exact.
fn drawing(probe: &ProbeReport) -> String {
    let mut bars: Vec<(String, f64, f64, &str)> = vec![("base".into(), 0.0, 1.0, "a0")];
    let mut at = 0.0_f64;
    for change in &probe.changes {
        if let Some(value) = change.value_log {
            let class = if value < 0.0 { "v-faster" } else { "v-slower" };
            bars.push((change.name.clone(), at.exp(), (at + value).exp(), class));
            at += value;
        }
    }
    let bundle = probe
        .bundle
        .map(|bundle| ("all of them".to_owned(), 0.0, bundle.ratio, "a1"));
    bars.extend(bundle);
    let ends = bars.iter().flat_map(|(_, from, to, _)| [*from, *to]);
    let scale = Scale::over(ends, LEFT, WIDTH - RIGHT);
    let mut svg = Svg::new(
        WIDTH,
        STEP * bars.len() as f64 + 8.0,
        "time after each change",
    );
    for (index, (name, from, to, class)) in bars.iter().enumerate() {
        let middle = STEP * index as f64 + STEP / 2.0 + 4.0;
        let (a, b) = (scale.at(*from), scale.at(*to));
        svg.text("end", (LEFT - 10.0, middle + 4.0), name);
        svg.rect(
            &format!("{class} box"),
            (a.min(b), middle - 9.0),
            ((b - a).abs(), 18.0),
        );
        svg.line(
            &format!("{class} median"),
            (b, middle - 9.0),
            (b, middle + 9.0),
        );
        svg.text(
            "start",
            (a.max(b) + 6.0, middle + 4.0),
            &format!("{:.1} %", to * 100.0),
        );
    }
    svg.finish()
}

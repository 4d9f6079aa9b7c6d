//! The plots of one row, each with its table: dots per arm, order of runs, ECDF.

use std::fmt::Write;

use super::paired::paired;
use super::scale::{Scale, tick_text};
use super::svg::{Svg, escape};
use super::tail::tail;
use crate::analysis::{ArmStats, Dataset, Effect, RowData, Sample, Unit};
use crate::render::format::{bytes, percent, rate, seconds, time_unit};
use crate::session::Noise;
use crate::stats::{percentile, summary};

const LEFT: f64 = 120.0;
const RIGHT: f64 = 860.0;

/// One arm of a row: its index, name and figures.
pub(super) struct Arm<'a> {
    pub(super) index: usize,
    pub(super) name: &'a str,
    pub(super) stats: &'a ArmStats,
}

/// All plots and tables of one row; `effects` has one entry per arm, the base first.
pub(super) fn detail(
    data: &Dataset,
    row: &RowData,
    arms: &[Arm<'_>],
    effects: &[Option<&Effect>],
    delta: f64,
) -> String {
    let mut out = String::new();
    out.push_str("<h4>Runs of each arm</h4>");
    out.push_str(&dots(data, row, arms));
    out.push_str(&arm_table(data, arms));
    out.push_str("<h4>In the order of time</h4>");
    out.push_str(&run_order(data, row, arms));
    out.push_str(&run_table(data, row));
    for (arm, effect) in arms.iter().zip(effects).skip(1) {
        out.push_str(&paired(data, row, arm, *effect, delta).unwrap_or_default());
    }
    out.push_str("<h4>Distribution</h4>");
    out.push_str(&ecdf(data, row, arms));
    out.push_str(&percentile_table(data, row, arms));
    out.push_str(&tail(data, row, arms).unwrap_or_default());
    out
}

/// A value with its unit.
pub(super) fn value_text(data: &Dataset, value: f64) -> String {
    match data.unit {
        _ if value.is_nan() => "NA".into(),
        Unit::Rate => rate(value),
        Unit::Seconds => seconds(value),
    }
}

/// Factor and name of the unit on axes.
fn axis_unit(data: &Dataset, row: &RowData) -> (f64, &'static str) {
    let values: Vec<f64> = row.samples.iter().map(|sample| sample.value).collect();
    match data.unit {
        Unit::Rate => (1.0, "per second"),
        Unit::Seconds => time_unit(summary::median(&values)),
    }
}

pub(super) fn color(index: usize) -> String {
    format!("a{}", index % 6)
}

fn value_axis(svg: &mut Svg, scale: &Scale, factor: f64, (top, bottom): (f64, f64), unit: &str) {
    let ticks = scale.ticks(6.0);
    let scaled: Vec<f64> = ticks.iter().map(|tick| tick * factor).collect();
    for (tick, shown) in ticks.iter().zip(&scaled) {
        let x = scale.at(*tick);
        svg.line("grid", (x, top), (x, bottom));
        svg.text("middle", (x, bottom + 16.0), &tick_text(*shown, &scaled));
    }
    svg.text(
        "middle dim",
        (f64::midpoint(LEFT, RIGHT), bottom + 32.0),
        unit,
    );
}

/// Labels values at the left of a plot that reaches from `left` to `right`.
pub(super) fn value_axis_left(
    svg: &mut Svg,
    data: &Dataset,
    row: &RowData,
    y: &Scale,
    (left, right): (f64, f64),
) {
    let (factor, unit) = axis_unit(data, row);
    let ticks = y.ticks(5.0);
    let scaled: Vec<f64> = ticks.iter().map(|tick| tick * factor).collect();
    for (tick, shown) in ticks.iter().zip(&scaled) {
        svg.line("grid", (left, y.at(*tick)), (right, y.at(*tick)));
        svg.text(
            "end",
            (left - 6.0, y.at(*tick) + 4.0),
            &tick_text(*shown, &scaled),
        );
    }
    svg.text("start dim", (4.0, 14.0), unit);
}

fn dots(data: &Dataset, row: &RowData, arms: &[Arm<'_>]) -> String {
    let (factor, unit) = axis_unit(data, row);
    let scale = Scale::over(row.samples.iter().map(|s| s.value), LEFT, RIGHT);
    let lane = 46.0;
    let mut bottom = 10.0;
    arms.iter().for_each(|_| bottom += lane);
    let mut svg = Svg::new(RIGHT + 20.0, bottom + 40.0, "Every run as a dot, per arm");
    value_axis(&mut svg, &scale, factor, (6.0, bottom), unit);
    let mut y = 10.0 + lane / 2.0;
    for arm in arms {
        let values = row.values(arm.index);
        let sorted = summary::sorted(&values);
        let class = color(arm.index);
        svg.text("end", (LEFT - 10.0, y + 4.0), arm.name);
        if sorted.len() > 1 {
            let [low, middle, high] =
                [0.25, 0.5, 0.75].map(|p| scale.at(summary::quantile7(&sorted, p)));
            svg.rect(&format!("box {class}"), (low, y - 14.0), (high - low, 28.0));
            svg.line(
                &format!("median {class}"),
                (middle, y - 14.0),
                (middle, y + 14.0),
            );
        }
        // Three sub-lanes keep equal runs apart.
        let offsets = [0.0, -7.0, 7.0];
        for (sample, offset) in row.of(arm.index).zip(offsets.iter().cycle()) {
            svg.dot(
                &class,
                (scale.at(sample.value), y + offset),
                3.0,
                &format!("run {}: {}", sample.run, value_text(data, sample.value)),
            );
        }
        y += lane;
    }
    svg.finish()
}

fn arm_table(data: &Dataset, arms: &[Arm<'_>]) -> String {
    let mut rows = String::new();
    for arm in arms {
        let stats = arm.stats;
        let value = |value: f64| value_text(data, value);
        let _ = write!(
            rows,
            "<tr><th scope=\"row\"><span class=\"key {}\"></span>{}</th><td>{}</td><td>{}</td><td>{}</td>\
             <td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.1}</td><td>{}</td></tr>",
            color(arm.index),
            escape(arm.name),
            stats.n,
            value(stats.mean),
            stats.sd.map_or("NA".into(), value),
            stats.cv.map_or("NA".into(), percent),
            value(stats.median),
            value(stats.min),
            value(stats.max),
            stats.quality.effective_n,
            stats.rss_bytes.map_or("-".into(), bytes)
        );
    }
    format!(
        "<table><thead><tr><th>arm</th><th>n</th><th>mean</th><th>σ</th><th>CV</th><th>median</th>\
         <th>min</th><th>max</th><th>worth runs</th><th>RSS</th></tr></thead><tbody>{rows}</tbody></table>"
    )
}

/// Steal in ticks of 10 ms and PSI cpu in milliseconds, as one height for the strip.
fn disturbance(noise: &Noise) -> Option<f64> {
    #[allow(clippy::cast_precision_loss)] // Counters of one run.
    let steal = noise.steal_ticks.map(|ticks| ticks as f64 * 10.0);
    #[allow(clippy::cast_precision_loss)]
    let pressure = noise.psi_cpu_us.map(|us| us as f64 / 1000.0);
    match (steal, pressure) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0.0).max(b.unwrap_or(0.0))),
    }
}

fn run_order(data: &Dataset, row: &RowData, arms: &[Arm<'_>]) -> String {
    let (top, bottom, strip) = (10.0, 230.0, 40.0);
    let y = Scale::over(row.samples.iter().map(|s| s.value), bottom, top);
    let ordered: Vec<&Sample> = row.samples.iter().collect();
    let count = summary::count(&ordered.iter().map(|s| s.value).collect::<Vec<_>>());
    let x = Scale::over([0.0, (count - 1.0).max(1.0)].into_iter(), LEFT, RIGHT);
    let noisy: Vec<Option<f64>> = ordered
        .iter()
        .map(|s| s.noise.as_ref().and_then(disturbance))
        .collect();
    let worst = noisy.iter().flatten().copied().fold(0.0, f64::max);
    let with_strip = noisy.iter().any(Option::is_some);
    let height = bottom + if with_strip { strip + 26.0 } else { 0.0 } + 36.0;
    let mut svg = Svg::new(
        RIGHT + 20.0,
        height,
        "Runs in the order of time, with disturbances",
    );
    value_axis_left(&mut svg, data, row, &y, (LEFT, RIGHT));
    for arm in arms {
        let points: Vec<(f64, f64)> = places(&ordered)
            .filter(|(_, sample)| sample.arm == arm.index)
            .map(|(place, sample)| (x.at(place), y.at(sample.value)))
            .collect();
        svg.polyline(&format!("thin {}", color(arm.index)), &points);
    }
    for (place, sample) in places(&ordered) {
        svg.dot(
            &color(sample.arm),
            (x.at(place), y.at(sample.value)),
            3.0,
            &format!("run {}: {}", sample.run, value_text(data, sample.value)),
        );
    }
    if with_strip {
        let floor = bottom + 20.0 + strip;
        svg.line("grid", (LEFT, floor), (RIGHT, floor));
        svg.text("end dim", (LEFT - 6.0, floor - strip / 2.0), "noise");
        for ((place, _), noise) in places(&ordered).zip(&noisy) {
            if let Some(noise) = noise.filter(|noise| *noise > 0.0 && worst > 0.0) {
                let bar = strip * noise / worst;
                svg.rect("noise", (x.at(place) - 2.0, floor - bar), (4.0, bar));
            }
        }
        let words = format!(
            "strip: the larger of stolen time and CPU pressure (PSI) per run; highest {worst:.0} ms"
        );
        svg.text(
            "middle dim",
            (f64::midpoint(LEFT, RIGHT), height - 10.0),
            &words,
        );
    } else {
        svg.text(
            "middle dim",
            (f64::midpoint(LEFT, RIGHT), height - 10.0),
            "order of runs",
        );
    }
    svg.finish()
}

fn places<'a>(ordered: &'a [&'a Sample]) -> impl Iterator<Item = (f64, &'a Sample)> {
    (0_u32..).map(f64::from).zip(ordered.iter().copied())
}

fn run_table(data: &Dataset, row: &RowData) -> String {
    let mut rows = String::new();
    let with_noise = row.samples.iter().any(|sample| sample.noise.is_some());
    for sample in &row.samples {
        let arm = data
            .arms
            .get(sample.arm)
            .map_or("", |arm| arm.name.as_str());
        let _ = write!(
            rows,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"left\">{}</td><td>{}</td>",
            sample.run,
            sample.round.map_or("-".into(), |round| round.to_string()),
            sample.slot + 1,
            escape(arm),
            value_text(data, sample.value)
        );
        if with_noise {
            let noise = sample.noise.clone().unwrap_or_default();
            let ms = |us: Option<u64>| us.map_or("-".into(), |us| format!("{}", us / 1000));
            let _ = write!(
                rows,
                "<td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
                noise
                    .steal_ticks
                    .map_or("-".into(), |ticks| ticks.to_string()),
                ms(noise.psi_cpu_us),
                ms(noise.psi_io_us),
                noise
                    .other_cpu_share
                    .map_or("-".into(), |share| format!("{:.0} %", share * 100.0))
            );
        }
        rows.push_str("</tr>");
    }
    let head = if with_noise {
        "<th>steal [ticks]</th><th>PSI cpu [ms]</th><th>PSI io [ms]</th><th>other CPU use</th>"
    } else {
        ""
    };
    format!(
        "<details><summary>all {} runs as a table</summary><table><thead><tr><th>run</th>\
         <th>round</th><th>place</th><th class=\"left\">arm</th><th>value</th>{head}</tr></thead>\
         <tbody>{rows}</tbody></table></details>",
        row.samples.len()
    )
}

fn ecdf(data: &Dataset, row: &RowData, arms: &[Arm<'_>]) -> String {
    let (factor, unit) = axis_unit(data, row);
    let (top, bottom) = (10.0, 220.0);
    let x = Scale::over(row.samples.iter().map(|s| s.value), LEFT, RIGHT);
    let y = |share: f64| bottom - share * (bottom - top);
    let mut svg = Svg::new(
        RIGHT + 20.0,
        bottom + 40.0,
        "Share of runs up to each value, per arm",
    );
    value_axis(&mut svg, &x, factor, (top, bottom), unit);
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        svg.line("grid", (LEFT, y(share)), (RIGHT, y(share)));
        svg.text(
            "end",
            (LEFT - 6.0, y(share) + 4.0),
            &format!("{:.0} %", share * 100.0),
        );
    }
    for arm in arms {
        let sorted = summary::sorted(&row.values(arm.index));
        let n = summary::count(&sorted);
        let mut points = vec![(LEFT, y(0.0))];
        for (rank, value) in (0_u32..).map(f64::from).zip(&sorted) {
            points.push((x.at(*value), y(rank / n)));
            points.push((x.at(*value), y((rank + 1.0) / n)));
        }
        if !sorted.is_empty() {
            points.push((RIGHT, y(1.0)));
            svg.polyline(&format!("step {}", color(arm.index)), &points);
        }
    }
    svg.finish()
}

fn percentile_table(data: &Dataset, row: &RowData, arms: &[Arm<'_>]) -> String {
    let levels = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0];
    let head: String = levels
        .iter()
        .map(|level| format!("<th>p{:.0}</th>", level * 100.0))
        .collect();
    let mut rows = String::new();
    for arm in arms {
        let sorted = summary::sorted(&row.values(arm.index));
        let cells: String = levels
            .iter()
            .map(|p| {
                format!(
                    "<td>{}</td>",
                    value_text(data, percentile::nearest_rank(&sorted, *p))
                )
            })
            .collect();
        let _ = write!(
            rows,
            "<tr><th scope=\"row\"><span class=\"key {}\"></span>{}</th>{cells}</tr>",
            color(arm.index),
            escape(arm.name)
        );
    }
    format!("<table><thead><tr><th>arm</th>{head}</tr></thead><tbody>{rows}</tbody></table>")
}

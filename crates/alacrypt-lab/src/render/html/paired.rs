//! The paired-difference plot: what each round says of one arm against the base, in the order of
//! time, over δ and the interval of the effect.

use std::fmt::Write;

use super::detail::{Arm, value_text};
use super::scale::{Scale, tick_text};
use super::svg::{Svg, escape};
use crate::analysis::{Dataset, Effect, RowData, Sample};
use crate::render::format::ratio;

const LEFT: f64 = 120.0;
const RIGHT: f64 = 860.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 200.0;

/// One round: both runs of it.
struct Round<'a> {
    old: &'a Sample,
    new: &'a Sample,
}

impl Round<'_> {
    fn ratio(&self) -> f64 {
        self.new.value / self.old.value
    }

    fn old_first(&self) -> bool {
        (self.old.slot, self.old.run) < (self.new.slot, self.new.run)
    }
}

/// The plot with its table; nothing where no round has both arms.
pub(super) fn paired(
    data: &Dataset,
    row: &RowData,
    arm: &Arm<'_>,
    effect: Option<&Effect>,
    delta: f64,
) -> Option<String> {
    let base = data.arms.get(data.base)?.name.as_str();
    let rounds = rounds(row, data.base, arm.index);
    if rounds.len() < 2 {
        return None;
    }
    let name = format!("{}/{base} of each round", arm.name);
    let heading = format!("<h4>Paired differences: {}</h4>", escape(&name));
    let plot = plot(&rounds, &name, base, arm.name, effect, delta);
    Some(format!(
        "{heading}{plot}{}",
        table(data, &rounds, base, arm.name)
    ))
}

fn rounds(row: &RowData, base: usize, arm: usize) -> Vec<Round<'_>> {
    let mut rounds: Vec<Round<'_>> = row
        .of(arm)
        .filter_map(|new| {
            let number = new.round?;
            let same = |old: &&Sample| old.round == Some(number) && old.machine == new.machine;
            let old = row.of(base).find(same)?;
            Some(Round { old, new })
        })
        .collect();
    rounds.sort_by_key(|round| (round.new.machine, round.new.round));
    rounds
}

fn plot(
    rounds: &[Round<'_>],
    name: &str,
    base: &str,
    arm: &str,
    effect: Option<&Effect>,
    delta: f64,
) -> String {
    let delta = delta.ln_1p();
    let interval = effect.and_then(|effect| effect.interval95);
    let reach = interval.into_iter().flatten().map(f64::ln);
    let logs = rounds.iter().map(|round| round.ratio().ln());
    let y = Scale::over(logs.chain(reach).chain([-delta, 0.0, delta]), BOTTOM, TOP);
    let places = (0_u32..).map(f64::from);
    let mut last = 0.0;
    places
        .clone()
        .zip(rounds)
        .for_each(|(place, _)| last = place);
    let x = Scale::over([0.0, f64::max(last, 1.0)].into_iter(), LEFT, RIGHT);
    let mut svg = Svg::new(RIGHT + 20.0, BOTTOM + 56.0, name);
    if let Some([low, high]) = interval {
        let (upper, lower) = (y.at(high.ln()), y.at(low.ln()));
        svg.rect("box a1", (LEFT, upper), (RIGHT - LEFT, lower - upper));
    }
    // Places are logarithms of ratios, labels are percentages: round ones.
    let percent = |log: f64| log.exp_m1() * 100.0;
    let shown: Vec<f64> = y.ends().map(percent).into();
    let shown = Scale::over(shown.into_iter(), 0.0, 1.0).ticks(6.0);
    for tick in shown.iter().filter(|tick| **tick > -99.0) {
        let log = (tick / 100.0).ln_1p();
        if y.holds(log) {
            svg.line("grid", (LEFT, y.at(log)), (RIGHT, y.at(log)));
            let text = format!("{} %", tick_text(*tick, &shown));
            svg.text("end", (LEFT - 6.0, y.at(log) + 4.0), &text);
        }
    }
    for edge in [-delta, delta] {
        svg.line("delta", (LEFT, y.at(edge)), (RIGHT, y.at(edge)));
    }
    svg.line("one", (LEFT, y.at(0.0)), (RIGHT, y.at(0.0)));
    if let Some(effect) = effect {
        let middle = y.at(effect.ratio.ln());
        svg.line("median a1", (LEFT, middle), (RIGHT, middle));
    }
    for (place, round) in places.zip(rounds) {
        let class = if round.old_first() { "a0" } else { "a1 hollow" };
        let words = format!(
            "round {}: {:+.2} %, {} first",
            round.new.round.unwrap_or(0),
            (round.ratio() - 1.0) * 100.0,
            if round.old_first() { base } else { arm }
        );
        svg.dot(class, (x.at(place), y.at(round.ratio().ln())), 4.0, &words);
    }
    let key = [
        format!("rounds in the order of time; full: {base} ran first, hollow: {arm} first"),
        "line and band: effect with its 95 % interval; dashed: ±δ".to_owned(),
    ];
    for (line, height) in key.iter().zip([24.0, 42.0]) {
        let place = (f64::midpoint(LEFT, RIGHT), BOTTOM + height);
        svg.text("middle dim", place, line);
    }
    svg.finish()
}

fn table(data: &Dataset, rounds: &[Round<'_>], base: &str, arm: &str) -> String {
    let mut rows = String::new();
    for round in rounds {
        let first = if round.old_first() { base } else { arm };
        let _ = write!(
            rows,
            "<tr><td>{}</td><td class=\"left\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:+.2} %</td></tr>",
            round.new.round.unwrap_or(0),
            escape(first),
            value_text(data, round.old.value),
            value_text(data, round.new.value),
            ratio(round.ratio()),
            (round.ratio() - 1.0) * 100.0
        );
    }
    format!(
        "<details><summary>all {} rounds as a table</summary><table><thead><tr><th>round</th>\
         <th class=\"left\">first</th><th>{}</th><th>{}</th><th>ratio</th><th>difference</th></tr></thead>\
         <tbody>{rows}</tbody></table></details>",
        rounds.len(),
        escape(base),
        escape(arm)
    )
}

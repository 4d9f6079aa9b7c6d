//! The order of an analysis: effects, then the control, then corrections, then words.

use super::effect::{self, Basis, Effect, Pair};
use super::overview::{geometric, warnings};
use super::probe::probe;
use super::quality::{self, STRONG_SKEW};
use super::report::{
    AloneRow, ArmStats, ControlSummary, Footer, RegressionCheck, Report, Row, TableCells,
};
use super::verdict::{self, Limits};
use super::{Dataset, Origin, RowData, Sample, Settings, Unit, Verdict};
use super::{figures, noise};
use crate::stats::bootstrap::{RESAMPLES, SEED, bootstrap};
use crate::stats::control::{ControlRow, control};
use crate::stats::{distribution, multiple, power, sequential, summary, welch};

/// Judges the data under the settings.
pub fn analyse(data: &Dataset, settings: &Settings) -> Report {
    let is_copy = |arm: usize| {
        data.arms
            .get(arm)
            .is_some_and(|a| a.copy_of == Some(data.base))
    };
    let (mut rows, mut control_rows, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for (index, row) in data.rows.iter().enumerate() {
        let old = arm_stats(data, row, data.base);
        for arm in (0..data.arms.len()).filter(|arm| *arm != data.base) {
            let pair = Pair::of(data, row, arm, |_| true);
            let found = compare(data, settings, index, arm, &pair, old.clone());
            if is_copy(arm) {
                control_rows.push(found);
            } else {
                rows.push(found);
                pairs.push(pair);
            }
        }
    }
    let control = judge_control(data, &control_rows);
    let floor = control.as_ref().map_or(0.0, |control| control.floor);
    let delta = settings.delta_for(data);
    let footer = correct(&mut rows, settings);
    let limits = Limits {
        gain: data.unit.sign(),
        delta,
        floor,
        tests: footer.tested,
        alpha: alpha(data),
    };
    let mut flips = Vec::new();
    for row in &mut rows {
        row.verdict = word(row, limits);
        if settings.robust {
            let robust = without_outliers(data, settings, row, limits);
            if robust.decided() != row.verdict.decided() || robust.text() != row.verdict.text() {
                flips.push(format!(
                    "{}: {}; without outliers {}",
                    label(data, row),
                    row.verdict.text(),
                    robust.text()
                ));
            }
            row.verdict_robust = Some(robust);
        }
    }
    correct(&mut control_rows, settings);
    for row in &mut control_rows {
        row.verdict = word(
            row,
            Limits {
                floor: 0.0,
                tests: 1,
                ..limits
            },
        );
    }
    check_regressions(&mut rows, &pairs, settings, data.unit);
    Report {
        title: data.title.clone(),
        unit: data.unit,
        base: data
            .arms
            .get(data.base)
            .map(|arm| arm.name.clone())
            .unwrap_or_default(),
        delta,
        max_regression: settings.max_regression,
        geometric: geometric(data, &rows),
        warnings: warnings(data, &rows, &pairs, delta),
        noise: noise::noise(data, control.as_ref(), settings),
        alone: alone(data),
        probe: probe(data, delta),
        figures: figures::figures(data),
        footer,
        control,
        rows,
        control_rows,
        flips,
    }
}

/// What is left of α = .05 after planned looks.
fn alpha(data: &Dataset) -> f64 {
    let looked = data
        .plan
        .iter()
        .any(|(name, value)| name == "until" && value == "decided");
    match sequential::NOMINAL_P.last() {
        Some(last) if looked => *last,
        _ => 0.05,
    }
}

/// The rows of a single arm, which nothing compares.
fn alone(data: &Dataset) -> Vec<AloneRow> {
    let [arm] = data.arms.as_slice() else {
        return Vec::new();
    };
    let rows = data.rows.iter().map(|row| {
        let stats = arm_stats(data, row, 0);
        let mut notes = Vec::new();
        describe(&stats, &arm.name, place(data), false, &mut notes);
        AloneRow {
            name: row.name.clone(),
            stats,
            notes,
        }
    });
    rows.collect()
}

/// What a run's number counts.
fn place(data: &Dataset) -> &'static str {
    if data.origin == Origin::NodeCsv {
        "line"
    } else {
        "run"
    }
}

fn label(data: &Dataset, row: &Row) -> String {
    if data.arms.len() > 2 || data.unit == Unit::Seconds {
        format!("{} [{}]", row.name, row.arm_name)
    } else {
        row.name.clone()
    }
}

fn compare(
    data: &Dataset,
    settings: &Settings,
    index: usize,
    arm: usize,
    pair: &Pair,
    old: ArmStats,
) -> Row {
    let row = &data.rows[index];
    let new = arm_stats(data, row, arm);
    let planned = !matches!(data.origin, Origin::NodeCsv | Origin::Hyperfine);
    let effect = effect::estimate(pair, settings.method, settings.stat, planned);
    let names = [
        data.arms[data.base].name.as_str(),
        data.arms[arm].name.as_str(),
    ];
    let mut notes = effect
        .as_ref()
        .map_or_else(Vec::new, |effect| effect.remarks.clone());
    let cancelled = effect
        .as_ref()
        .is_some_and(|e| matches!(e.basis, Basis::Crossover | Basis::Paired));
    let place = place(data);
    // The base takes part in several comparisons, but its runs are described once.
    let first = (0..data.arms.len()).find(|other| *other != data.base) == Some(arm);
    let described = [(&old, names[0])].into_iter().filter(|_| first);
    for (stats, name) in described.chain([(&new, names[1])]) {
        describe(stats, name, place, cancelled, &mut notes);
    }
    // The bootstrap resamples runs on their own, so it belongs to the test that does the same.
    let alone = effect
        .as_ref()
        .is_some_and(|effect| effect.basis == Basis::Welch);
    let skewed = alone
        && [&old, &new].iter().any(|stats| {
            stats
                .quality
                .skewness
                .is_some_and(|skew| skew.abs() > STRONG_SKEW)
        });
    let bootstrap95 = if skewed {
        let ratio = |old: &[f64], new: &[f64]| summary::mean(new) / summary::mean(old);
        bootstrap(&pair.old, &pair.new, RESAMPLES, SEED, ratio).and_then(|b| b.bca(0.95))
    } else {
        None
    };
    if let Some([low, high]) = bootstrap95 {
        notes.push(format!(
            "strongly skewed: bootstrap interval of {}/{} {low:.4} to {high:.4}",
            names[1], names[0]
        ));
    }
    Row {
        name: row.name.clone(),
        row: index,
        arm,
        arm_name: names[1].to_owned(),
        table: cells(pair, &old, &new),
        verdict: Verdict::NotTested {
            why: untested(&old, &new, names),
        },
        old,
        new,
        effect,
        bootstrap95,
        p_corrected: None,
        stars_corrected: "NA",
        verdict_robust: None,
        regression: None,
        notes,
    }
}

fn untested(old: &ArmStats, new: &ArmStats, names: [&str; 2]) -> String {
    match (old.n, new.n) {
        (0, 0) => "no values".into(),
        (0, _) => format!("no values of {}", names[0]),
        (_, 0) => format!("no values of {}", names[1]),
        (1, _) | (_, 1) => "one run a side has no spread".into(),
        _ if old.sd.is_none() || new.sd.is_none() => "the file has no spread".into(),
        _ => "all runs of both sides are equal".into(),
    }
}

fn describe(stats: &ArmStats, name: &str, place: &str, cancelled: bool, notes: &mut Vec<String>) {
    let quality = &stats.quality;
    if let (Some(p), Some(tau)) = (quality.trend_p, quality.trend_tau)
        && p < 0.001
    {
        notes.push(format!(
            "{name} drifts over the session (Kendall tau {tau:+.2}){}",
            if cancelled {
                "; the rounds cancel it"
            } else {
                ""
            }
        ));
    }
    // A common drift makes runs look dependent; within rounds it is gone.
    if !cancelled
        && quality.dependence_p.is_some_and(|p| p < 0.001)
        && quality.effective_n < 0.8 * stats.n as f64
    {
        notes.push(format!(
            "runs of {name} depend on the ones before: {} runs are worth about {:.0}",
            stats.n, quality.effective_n
        ));
    }
    if let Some(share) = quality.upper_mode_share {
        notes.push(format!(
            "{name} has two groups of runs ({:.0} % in the upper one)",
            share * 100.0
        ));
    }
    if quality.slow_start {
        notes.push(format!(
            "the first run of {name} stands out: more warm-up may be needed"
        ));
    }
    for found in &quality.outliers {
        let causes = if found.causes.is_empty() {
            String::new()
        } else {
            format!(", {}", found.causes.join(", "))
        };
        notes.push(format!(
            "{name} {place} {}: {:+.0} %{causes}",
            found.run,
            found.deviation * 100.0
        ));
    }
}

fn arm_stats(data: &Dataset, row: &RowData, arm: usize) -> ArmStats {
    let values = row.values(arm);
    if let (true, Some(summary)) = (values.is_empty(), row.summary(arm)) {
        return ArmStats {
            arm,
            n: summary.n.unwrap_or(0),
            mean: summary.mean,
            sd: summary.sd,
            cv: summary.sd.map(|sd| sd / summary.mean),
            median: summary.median.unwrap_or(f64::NAN),
            min: summary.min.unwrap_or(f64::NAN),
            max: summary.max.unwrap_or(f64::NAN),
            user_s: None,
            sys_s: None,
            rss_bytes: None,
            quality: quality::ArmQuality::default(),
        };
    }
    let sorted = summary::sorted(&values);
    let mean_of = |read: fn(&Sample) -> Option<f64>| {
        let all: Vec<f64> = row.of(arm).filter_map(read).collect();
        (!all.is_empty()).then(|| summary::mean(&all))
    };
    let memory: Vec<f64> = row
        .of(arm)
        .filter_map(|s| s.rss_bytes.map(|b| b as f64))
        .collect();
    debug_assert!(arm < data.arms.len());
    ArmStats {
        arm,
        n: values.len() as u64,
        mean: summary::mean(&values),
        sd: summary::sd(&values),
        cv: summary::cv(&values),
        median: summary::quantile7(&sorted, 0.5),
        min: sorted.first().copied().unwrap_or(f64::NAN),
        max: sorted.last().copied().unwrap_or(f64::NAN),
        user_s: mean_of(|sample| sample.user_s),
        sys_s: mean_of(|sample| sample.sys_s),
        rss_bytes: (!memory.is_empty()).then(|| summary::median(&memory)),
        quality: quality::inspect(row, arm),
    }
}

fn cells(pair: &Pair, old: &ArmStats, new: &ArmStats) -> TableCells {
    let improvement_pct = (new.mean - old.mean) / old.mean * 100.0;
    let test = pair
        .moments()
        .and_then(|(old, new)| welch::welch(&old, &new));
    TableCells {
        stars: test.map_or("NA", |test| stars(test.p)),
        improvement_pct,
        accuracy_pct: test
            .map(|test| [0.95, 0.99, 0.999].map(|level| test.accuracy_pct(old.mean, level))),
        t: test.map(|test| test.t),
        df: test.map(|test| test.df),
        p: test.map(|test| test.p),
    }
}

/// Node's stars.
fn stars(p: f64) -> &'static str {
    match p {
        p if p < 0.001 => "***",
        p if p < 0.01 => "**",
        p if p < 0.05 => "*",
        _ => "",
    }
}

fn judge_control(data: &Dataset, rows: &[Row]) -> Option<ControlSummary> {
    let tested: Vec<(&Row, &Effect)> = rows
        .iter()
        .filter_map(|row| Some((row, row.effect.as_ref()?)))
        .collect();
    let mut files = Vec::new();
    let list: Vec<ControlRow> = tested
        .iter()
        .map(|(row, effect)| ControlRow {
            log_ratio: effect.ratio.ln(),
            p: effect.p,
            interval: effect.interval95.unwrap_or([0.0, f64::INFINITY]),
            group: group_of(&row.name, &mut files),
        })
        .collect();
    let errors: Vec<f64> = tested.iter().map(|(_, effect)| effect.log_se).collect();
    let reach = distribution::normal_quantile(0.975) + distribution::normal_quantile(power::POWER);
    let detectable = (!errors.is_empty()).then(|| (summary::median(&errors) * reach).exp_m1());
    let name = rows
        .first()
        .map_or(String::new(), |row| data.arms[row.arm].name.clone());
    Some(ControlSummary::of(&name, control(&list)?, detectable))
}

/// The number of the benchmark file that a row comes from; a row of none is a group of its own.
fn group_of<'a>(row: &'a str, files: &mut Vec<&'a str>) -> usize {
    let first = row.split(' ').next().unwrap_or(row);
    let file = if first.ends_with("js") { first } else { row };
    files
        .iter()
        .position(|known| *known == file)
        .unwrap_or_else(|| {
            files.push(file);
            files.len() - 1
        })
}

/// Fills in the corrected p-values and counts what survives.
fn correct(rows: &mut [Row], settings: &Settings) -> Footer {
    let tested: Vec<usize> = (0..rows.len())
        .filter(|index| rows[*index].effect.is_some())
        .collect();
    let p: Vec<f64> = tested
        .iter()
        .filter_map(|index| rows[*index].effect.as_ref().map(|effect| effect.p))
        .collect();
    let applied = settings.correction_for(p.len());
    let holm = multiple::holm(&p);
    let adjusted = match applied {
        super::settings::Applied::Holm => holm.clone(),
        super::settings::Applied::BenjaminiHochberg => multiple::benjamini_hochberg(&p),
        super::settings::Applied::None => p.clone(),
    };
    for (index, p_corrected) in tested.iter().zip(&adjusted) {
        rows[*index].p_corrected = Some(*p_corrected);
        rows[*index].stars_corrected = stars(*p_corrected);
    }
    let small = |list: &[f64]| list.iter().filter(|p| **p < 0.05).count();
    let starred = rows
        .iter()
        .filter(|row| row.table.stars.starts_with('*'))
        .count();
    let with_stars = rows.iter().filter(|row| row.table.p.is_some()).count() as f64;
    Footer {
        tested: p.len(),
        untested: rows.len() - p.len(),
        expected_false: [0.05, 0.01, 0.001].map(|level| with_stars * level),
        starred,
        survive_holm: small(&holm),
        correction: applied,
        survive_correction: small(&adjusted),
    }
}

fn word(row: &Row, limits: Limits) -> Verdict {
    match (&row.effect, row.p_corrected) {
        (Some(effect), Some(p)) => verdict::judge(effect, p, limits),
        _ => row.verdict.clone(),
    }
}

fn without_outliers(data: &Dataset, settings: &Settings, row: &Row, limits: Limits) -> Verdict {
    let flagged: Vec<(usize, u64)> = [&row.old, &row.new]
        .iter()
        .flat_map(|stats| {
            stats
                .quality
                .outliers
                .iter()
                .map(|found| (stats.arm, found.run))
        })
        .collect();
    if flagged.is_empty() {
        return row.verdict.clone();
    }
    let keep = |sample: &Sample| !flagged.contains(&(sample.arm, sample.run));
    let pair = Pair::of(data, &data.rows[row.row], row.arm, keep);
    let planned = !matches!(data.origin, Origin::NodeCsv | Origin::Hyperfine);
    match effect::estimate(&pair, settings.method, settings.stat, planned) {
        Some(effect) => {
            // The other rows keep their p-values, so one row's factor is at most the family size.
            let p = (effect.p * limits.tests.max(1) as f64).min(1.0);
            verdict::judge(&effect, p, limits)
        }
        None => row.verdict.clone(),
    }
}

fn check_regressions(rows: &mut [Row], pairs: &[Pair], settings: &Settings, unit: Unit) {
    let Some(allowed) = settings.max_regression else {
        return;
    };
    let factor = 1.0 - allowed;
    let tested: Vec<(usize, f64)> = rows
        .iter()
        .zip(pairs)
        .enumerate()
        .filter_map(|(index, (row, pair))| {
            let effect = row.effect.as_ref()?;
            Some((
                index,
                effect::regression_p(effect, pair, unit.sign(), factor),
            ))
        })
        .collect();
    let adjusted = multiple::holm(&tested.iter().map(|(_, p)| *p).collect::<Vec<_>>());
    for ((index, p), p_holm) in tested.into_iter().zip(adjusted) {
        let interval = rows[index]
            .effect
            .as_ref()
            .and_then(|effect| effect.interval95);
        let beyond = interval
            .is_some_and(|ends| ends.iter().all(|end| unit.sign() * end.ln() < factor.ln()));
        rows[index].regression = Some(RegressionCheck {
            p,
            p_holm,
            exceeded: p_holm < 0.05 && beyond,
        });
    }
}

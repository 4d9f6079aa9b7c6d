//! The same rows in several sessions, as lines of text.

use super::format::{interval, p_value, ratio};
use super::table::plain;
use crate::analysis::{Difference, Report};

/// A table of the rows that several sessions share; says so when there are none.
pub fn differences(reports: &[&Report], found: &[Difference]) -> Vec<String> {
    let first = reports.first().map_or("", |report| report.title.as_str());
    if found.is_empty() {
        return vec!["these sessions have no row and arm in common".into()];
    }
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|one| {
            let later = reports
                .get(one.session)
                .map_or("", |report| report.title.as_str());
            let effect = |(value, ends): (f64, Option<[f64; 2]>)| {
                format!("{} {}", ratio(value), interval(ends))
            };
            vec![
                format!("{} [{}]", one.name, one.arm_name),
                effect(one.first),
                effect(one.later),
                p_value(one.p_holm),
                if one.p_holm < 0.05 {
                    "changed".into()
                } else {
                    "no change shown".into()
                },
                later.to_owned(),
            ]
        })
        .collect();
    let header = [
        "effect (new/old)",
        "first session",
        "later session",
        "p Holm",
        "",
        "later is",
    ];
    let mut lines = vec![format!(
        "Compared with {first}, each ratio within its own session:"
    )];
    lines.extend(plain(&header, &rows).lines().map(str::to_owned));
    lines
}

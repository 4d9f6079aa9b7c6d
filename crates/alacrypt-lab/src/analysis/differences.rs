//! The same rows in several sessions: did the effect change?

use serde::Serialize;

use super::{Report, Row};
use crate::stats::{distribution, multiple};

/// One row's effect in two sessions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Name of the row.
    pub name: String,
    /// Name of the arm.
    pub arm_name: String,
    /// Index of the later session.
    pub session: usize,
    /// Ratio and interval in the first session.
    pub first: (f64, Option<[f64; 2]>),
    /// Ratio and interval in the later session.
    pub later: (f64, Option<[f64; 2]>),
    /// p-value of "the effect is the same", Holm-corrected over all rows.
    pub p_holm: f64,
}

/// Compares every later session with the first, over rows and arms of equal names. Values are
/// never pooled: sessions of different days or machines share no baseline, but a ratio within one
/// can be compared with a ratio within another.
///
/// Source: z test of two independent log ratios, with Welch–Satterthwaite degrees of freedom.
pub fn differences(reports: &[&Report]) -> Vec<Difference> {
    let Some((first, later)) = reports.split_first() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (index, report) in later.iter().enumerate() {
        for row in &report.rows {
            let same = |known: &&Row| known.name == row.name && known.arm_name == row.arm_name;
            if let Some(known) = first.rows.iter().find(same)
                && let Some(difference) = difference(known, row, index + 1)
            {
                found.push(difference);
            }
        }
    }
    let p: Vec<f64> = found.iter().map(|difference| difference.p_holm).collect();
    for (difference, p_holm) in found.iter_mut().zip(multiple::holm(&p)) {
        difference.p_holm = p_holm;
    }
    found
}

fn difference(known: &Row, row: &Row, session: usize) -> Option<Difference> {
    let (a, b) = (known.effect.as_ref()?, row.effect.as_ref()?);
    let variances = [a.log_se.powi(2), b.log_se.powi(2)];
    let se = (variances[0] + variances[1]).sqrt();
    let df = crate::stats::welch::satterthwaite(&[(variances[0], a.df), (variances[1], b.df)]);
    Some(Difference {
        name: row.name.clone(),
        arm_name: row.arm_name.clone(),
        session,
        first: (a.ratio, a.interval95),
        later: (b.ratio, b.interval95),
        p_holm: distribution::t_two_sided((b.ratio.ln() - a.ratio.ln()) / se, df),
    })
}

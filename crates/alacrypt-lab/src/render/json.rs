//! `report.json`: every sample and every figure, and the way back.

use serde::{Deserialize, Serialize};

use super::text;
use crate::analysis::{Dataset, Report};

/// Version of the file; a reader refuses a higher one.
pub(crate) const VERSION: u32 = 1;

#[derive(Serialize)]
struct Written<'a> {
    schema: &'static str,
    v: u32,
    tool: &'static str,
    dataset: &'a Dataset,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'a Report>,
    /// The sentences below the tables, as every text output has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    sentences: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Read {
    schema: String,
    v: u32,
    dataset: Dataset,
}

const SCHEMA: &str = "alacrypt-lab/report";

/// The whole report with all samples. Figures that do not exist are `null`.
pub fn json(data: &Dataset, report: &Report) -> String {
    written(data, Some(report))
}

/// The samples alone, for a page that shows the figures itself.
pub(super) fn samples(data: &Dataset) -> String {
    written(data, None)
}

fn written(data: &Dataset, report: Option<&Report>) -> String {
    let written = Written {
        schema: SCHEMA,
        v: VERSION,
        tool: concat!("alacrypt-lab ", env!("CARGO_PKG_VERSION")),
        dataset: data,
        report,
        sentences: report.map(text::sentences),
    };
    // Plain structs with string keys: the serializer has nothing to refuse.
    serde_json::to_string(&written).unwrap_or_default()
}

/// The samples of a `report.json`; figures are computed anew from them.
///
/// # Errors
/// The line, if known, and what was expected.
pub fn read_json(text: &str) -> Result<Dataset, (Option<usize>, String)> {
    let read: Read = serde_json::from_str(text).map_err(|fault| {
        (
            (fault.line() > 0).then_some(fault.line()),
            format!("expected a report.json of alacrypt-lab: {fault}"),
        )
    })?;
    if read.schema != SCHEMA {
        return Err((
            None,
            format!("expected schema {SCHEMA}, found {:?}", read.schema),
        ));
    }
    if read.v > VERSION {
        return Err((
            None,
            format!(
                "written as version {}; this alacrypt-lab reads up to {VERSION}",
                read.v
            ),
        ));
    }
    check(&read.dataset).map_err(|message| (None, message))?;
    Ok(read.dataset)
}

/// Whether the indices point somewhere and the values are values.
fn check(data: &Dataset) -> Result<(), String> {
    let arms = data.arms.len();
    if data.base >= arms {
        return Err(format!("expected a base below {arms}, found {}", data.base));
    }
    if let Some(copied) = data
        .arms
        .iter()
        .filter_map(|arm| arm.copy_of)
        .find(|arm| *arm >= arms)
    {
        return Err(format!("expected copy_of below {arms}, found {copied}"));
    }
    if let Some(usage) = data
        .usage
        .iter()
        .find(|usage| usage.arm >= arms || usage.figures.values().any(|v| !v.is_finite()))
    {
        return Err(format!(
            "run {}: expected arms below {arms} and finite figures",
            usage.run
        ));
    }
    for row in &data.rows {
        let summaries = row.summaries.iter().map(|(arm, _)| *arm);
        if let Some(arm) = row
            .samples
            .iter()
            .map(|s| s.arm)
            .chain(summaries)
            .find(|a| *a >= arms)
        {
            return Err(format!(
                "row {:?}: expected arms below {arms}, found {arm}",
                row.name
            ));
        }
        if let Some(sample) = row
            .samples
            .iter()
            .find(|s| !(s.value.is_finite() && s.value > 0.0))
        {
            return Err(format!(
                "row {:?}: expected positive values, found {}",
                row.name, sample.value
            ));
        }
    }
    Ok(())
}

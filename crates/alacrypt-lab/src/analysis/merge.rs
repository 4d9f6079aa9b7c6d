//! Parts of one plan, measured on several machines, as one dataset.

use std::collections::BTreeMap;

use super::{Dataset, RowData};

/// Joins datasets of the same arms. The machine stays a block: rounds of different machines are
/// different rounds, so that a slow machine cannot look like a slow arm.
///
/// # Errors
/// A sentence that says which parts do not belong together, and why.
pub fn merge(parts: Vec<Dataset>) -> Result<Dataset, String> {
    let mut parts = parts.into_iter();
    let Some(mut whole) = parts.next() else {
        return Err("nothing to merge".into());
    };
    let mut rows: BTreeMap<String, RowData> = whole
        .rows
        .drain(..)
        .map(|row| (row.name.clone(), row))
        .collect();
    for part in parts {
        same_plan(&whole, &part)?;
        let machines = whole.machines.len();
        let next_run = rows
            .values()
            .flat_map(|row| &row.samples)
            .map(|s| s.run + 1)
            .max();
        for mut row in part.rows {
            for sample in &mut row.samples {
                sample.machine += machines;
                // Run numbers stay unique; the order within a machine stays.
                sample.run += next_run.unwrap_or(0);
            }
            let name = row.name.clone();
            match rows.get_mut(&name) {
                Some(known) => {
                    known.samples.append(&mut row.samples);
                    known.summaries.append(&mut row.summaries);
                }
                None => {
                    rows.insert(name, row);
                }
            }
        }
        whole.usage.extend(part.usage.into_iter().map(|mut usage| {
            usage.machine += machines;
            usage.run += next_run.unwrap_or(0);
            usage
        }));
        for scope in part.scopes {
            if !whole.scopes.contains(&scope) {
                whole.scopes.push(scope);
            }
        }
        whole.stretches.extend(part.stretches);
        whole.machines.extend(part.machines);
        whole.failures.extend(part.failures);
        whole.stopped.extend(part.stopped);
        whole.finished &= part.finished;
        for warning in part.warnings {
            if !whole.warnings.contains(&warning) {
                whole.warnings.push(warning);
            }
        }
    }
    whole.rows = rows.into_values().collect();
    Ok(whole)
}

/// Whether two datasets are parts of one plan.
pub(crate) fn same_plan(a: &Dataset, b: &Dataset) -> Result<(), String> {
    let names = |data: &Dataset| {
        data.arms
            .iter()
            .map(|arm| arm.name.clone())
            .collect::<Vec<_>>()
            .join(", ")
    };
    if a.plan_id != b.plan_id {
        return Err(format!(
            "they are parts of different plans ({} and {})",
            a.plan_id.as_deref().unwrap_or("none"),
            b.plan_id.as_deref().unwrap_or("none")
        ));
    }
    if names(a) != names(b) || a.unit != b.unit {
        return Err(format!("their arms differ ({} and {})", names(a), names(b)));
    }
    Ok(())
}

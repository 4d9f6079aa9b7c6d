//! `report`: saved measurements again, merged or side by side.

use std::path::Path;

use super::outcome::{self, Wishes};
use crate::analysis::{Dataset, Report, differences, from_session, merge, same_plan};
use crate::cli::ReportArgs;
use crate::error::{Error, Exit, Result};
use crate::render;
use crate::session::Session;

/// Shows, merges or compares saved measurements.
pub(super) fn report(args: &ReportArgs) -> Result<Exit> {
    let wishes = Wishes {
        analysis: &args.analysis,
        select: &args.select,
        output: &args.output,
        csv: args.csv.as_deref(),
    };
    let mut plans: Vec<Vec<Dataset>> = Vec::new();
    for path in &args.paths {
        let mut data = load(path)?;
        if args.paths.len() > 1 {
            // Several sessions often compare the same names; where they lie tells them apart.
            let place = path.file_name().unwrap_or(path.as_os_str());
            data.title = format!("{} ({})", data.title, place.to_string_lossy());
        }
        let known = plans.iter_mut().find(|parts| {
            data.plan_id.is_some() && parts.iter().all(|part| same_plan(part, &data).is_ok())
        });
        match known {
            Some(parts) => parts.push(data),
            None => plans.push(vec![data]),
        }
    }
    let mut shown = Vec::new();
    for parts in plans {
        let merged = merge(parts).map_err(Error::Usage)?;
        shown.push(outcome::judged(merged, wishes)?);
    }
    let mut closing = Vec::new();
    if shown.len() > 1 {
        let reports: Vec<&Report> = shown.iter().map(|(_, report)| report).collect();
        closing = render::differences(&reports, &differences(&reports));
    }
    if let ([path], [(data, report)]) = (args.paths.as_slice(), shown.as_slice())
        && Session::is_session(path)
        && args.select.is_empty()
    {
        outcome::write(&path.join("report.json"), &render::json(data, report))?;
    }
    outcome::show(&shown, wishes, &closing)
}

/// A session folder, a folder with only `report.json`, such a file, or a page of ours.
fn load(path: &Path) -> Result<Dataset> {
    if Session::is_session(path) {
        return Ok(from_session(&Session::load(path)?));
    }
    if path.is_dir() {
        let inside = path.join("report.json");
        if inside.is_file() {
            return load(&inside);
        }
        return Err(Error::input(
            path,
            None,
            "expected a session folder (plan.json, runs.jsonl) or a report.json in it",
        ));
    }
    let bytes = outcome::read(path)?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| Error::input(path, None, "expected UTF-8 text, found other bytes"))?;
    let read = if text.trim_start().starts_with('<') {
        render::read_back(text)
    } else {
        render::read_json(text)
    };
    read.map_err(|(line, message)| Error::input(path, line, message))
}

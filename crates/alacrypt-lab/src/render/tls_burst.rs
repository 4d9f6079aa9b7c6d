//! Handshakes that were timed from inside: the tables of captures, and where the time went.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::table::plain;
use super::tls::{BATCH_HEADER, batch_line, batch_rows, markdown_table, spread_row};
use crate::burst::{PARTS, Plan, Timed, parts};
use crate::tls::{Batch, Ending, INTERVALS, Spread, batch};

/// What is shown.
#[derive(Clone, Debug)]
pub struct TlsBurst<'a> {
    /// The server, as it was given.
    pub title: String,
    /// Who did the arithmetic.
    pub provider: &'a str,
    /// What was done.
    pub plan: &'a Plan,
    /// What came of it.
    pub timed: &'a [Timed],
}

/// Connections of one kind and round.
struct Set {
    name: String,
    batch: Batch,
    parts: Vec<Spread>,
}

fn sets(found: &TlsBurst<'_>) -> Vec<Set> {
    let mut sets = Vec::new();
    for round in 1..=found.plan.rounds {
        let of_round = found.timed.iter().filter(|timed| timed.round == round);
        type Kind = fn(&&Timed) -> bool;
        let kinds: [(&str, Kind); 3] = [
            ("full handshakes", |t| {
                !t.handshake.resumed && !t.handshake.retry
            }),
            ("resumed", |t| t.handshake.resumed && !t.handshake.retry),
            ("with HelloRetryRequest", |t| t.handshake.retry),
        ];
        for (kind, is) in kinds {
            let timed = of_round.clone().filter(is);
            let batch = batch(timed.clone().map(|timed| &timed.handshake));
            if batch.complete > 0 {
                let name = if found.plan.rounds > 1 {
                    format!("round {round}, {kind}")
                } else {
                    kind.to_owned()
                };
                let parts = parts(timed);
                sets.push(Set { name, batch, parts });
            }
        }
    }
    sets
}

fn rows(set: &Set) -> Vec<Vec<String>> {
    let mut rows = batch_rows(&set.batch);
    rows.extend(set.parts.iter().map(spread_row));
    rows
}

/// What the rows mean, of those that are there.
fn meanings(sets: &[Set]) -> Vec<String> {
    let shown = |name| {
        let spreads = |set: &Set| {
            let mut both = set.batch.spreads.iter().chain(&set.parts);
            both.any(|spread| spread.interval == name)
        };
        sets.iter().any(spreads)
    };
    let intervals = INTERVALS.iter().map(|interval| match interval.name {
        "ttfb" => ("ttfb", "request sent → first byte of data, decrypted"),
        name => (name, interval.meaning),
    });
    intervals
        .chain(PARTS.iter().map(|part| (part.name, part.meaning)))
        .filter(|(name, _)| shown(*name))
        .map(|(name, meaning)| format!("{name:<10} {meaning}"))
        .collect()
}

fn remarks(found: &TlsBurst<'_>) -> Vec<String> {
    let complete = found
        .timed
        .iter()
        .filter(|t| t.handshake.ending == Ending::Complete);
    let resumed = complete.clone().filter(|t| t.handshake.resumed).count();
    let mut lines = vec![format!(
        "{} ({}), provider {}: {} of {} handshakes complete, {resumed} resumed",
        found.title,
        found.plan.address,
        found.provider,
        complete.count(),
        found.timed.len(),
    )];
    let mut errors: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (code, text) in found.timed.iter().filter_map(|timed| timed.error.as_ref()) {
        errors.entry(*code).or_insert((0, text.as_str())).0 += 1;
    }
    for (code, (count, text)) in errors {
        lines.push(format!("failed: {count} × {code}: {text}"));
    }
    if let Some(processors) = std::thread::available_parallelism().ok()
        && found.plan.parallel > processors.get() as u64
    {
        lines.push(format!(
            "note: {} threads on {processors} processors: they wait for one another (run queue)",
            found.plan.parallel
        ));
    }
    lines
}

/// On a terminal.
pub fn tls_burst_terminal(found: &TlsBurst<'_>) -> String {
    let sets = sets(found);
    let mut out = String::new();
    for set in &sets {
        let table = plain(&BATCH_HEADER, &rows(set));
        let (name, count) = (&set.name, set.batch.complete);
        let line = batch_line(&set.batch);
        let _ = writeln!(out, "{name}: {count}\n{table}\n{line}\n");
    }
    let meanings = meanings(&sets);
    if !meanings.is_empty() {
        let _ = writeln!(out, "{}\n", meanings.join("\n"));
    }
    for line in remarks(found) {
        let _ = writeln!(out, "{line}");
    }
    out
}

/// As Markdown.
pub fn tls_burst_markdown(found: &TlsBurst<'_>) -> String {
    let sets = sets(found);
    let mut out = format!("### TLS handshakes with {}\n", found.title);
    for set in &sets {
        let table = markdown_table(&BATCH_HEADER, &rows(set));
        let (name, count) = (&set.name, set.batch.complete);
        let line = batch_line(&set.batch);
        let _ = write!(out, "\n{name}: {count}\n\n{table}\n{line}\n");
    }
    let _ = write!(out, "\n```\n{}\n```\n", meanings(&sets).join("\n"));
    for line in remarks(found) {
        let _ = write!(out, "\n{line}\n");
    }
    out
}

/// As JSON: every moment and interval of every handshake, and the sums.
pub fn tls_burst_json(found: &TlsBurst<'_>) -> String {
    let handshake = |timed: &Timed| {
        let mut value = serde_json::json!(timed);
        for interval in &INTERVALS {
            let name = format!("{}_ns", interval.name);
            value["intervals"][name] = serde_json::json!((interval.of)(&timed.handshake));
        }
        value
    };
    let handshakes: Vec<_> = found.timed.iter().map(handshake).collect();
    let sets: Vec<_> = sets(found)
        .iter()
        .map(
            |set| serde_json::json!({ "name": set.name, "figures": set.batch, "parts": set.parts }),
        )
        .collect();
    let value = serde_json::json!({
        "format": "alacrypt-lab-tls-connect/1",
        "server": found.title,
        "address": found.plan.address.to_string(),
        "provider": found.provider,
        "parallel": found.plan.parallel,
        "rounds": found.plan.rounds,
        "sets": sets,
        "handshakes": handshakes,
    });
    format!("{value:#}\n")
}

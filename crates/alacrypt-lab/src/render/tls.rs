//! Handshakes as tables: terminal and Markdown.

use std::fmt::Write;

use super::table::plain;
use crate::tls::{Batch, Capture, Ending, Handshake, INTERVALS, batch};

/// More handshakes than this are summed up, not listed.
const LISTED: usize = 32;

/// Milliseconds with the digits that a clock of microseconds deserves.
fn ms(ns: u64) -> String {
    format!("{:.3}", ns as f64 / 1e6)
}

fn optional(ns: Option<u64>) -> String {
    ns.map_or("-".into(), ms)
}

/// The sets that are shown apart: each its own kind of handshake.
pub(crate) fn sets(handshakes: &[Handshake]) -> Vec<(&'static str, Batch)> {
    let full = |h: &&Handshake| !h.resumed && !h.retry;
    let mut sets = vec![
        ("full handshakes", batch(handshakes.iter().filter(full))),
        (
            "resumed",
            batch(handshakes.iter().filter(|h| h.resumed && !h.retry)),
        ),
        (
            "with HelloRetryRequest",
            batch(handshakes.iter().filter(|h| h.retry)),
        ),
    ];
    sets.retain(|(_, set)| set.complete > 0);
    sets
}

/// What is shown of a set: rows of name, n, min, p50, p90, p99, max and spread.
pub(crate) fn batch_rows(set: &Batch) -> Vec<Vec<String>> {
    set.spreads.iter().map(spread_row).collect()
}

/// One row of [`batch_rows`].
pub(super) fn spread_row(s: &crate::tls::Spread) -> Vec<String> {
    let figures = [s.min, s.p50, s.p90, s.p99, s.max, s.spread].map(ms);
    let mut cells = vec![s.interval.to_owned(), s.n.to_string()];
    cells.extend(figures);
    cells
}

/// Head of [`batch_rows`].
pub(crate) const BATCH_HEADER: [&str; 8] = ["ms", "n", "min", "p50", "p90", "p99", "max", "spread"];

pub(super) fn batch_line(set: &Batch) -> String {
    format!(
        "starts within {} ms, ends within {} ms, all of it {} ms, at most {} at once",
        optional(set.start_spread),
        optional(set.done_spread),
        optional(set.batch),
        set.most_at_once
    )
}

fn ending(handshake: &Handshake) -> String {
    match handshake.ending {
        Ending::Complete => String::new(),
        Ending::Failed(why) => format!("failed: {why}"),
        Ending::Unfinished => "unfinished when the capture ended".into(),
        Ending::Lost(why) => format!("unusable: {why}"),
    }
}

fn kind(handshake: &Handshake) -> String {
    let mut text = handshake.version_text();
    for (is, word) in [
        (handshake.resumed, " resumed"),
        (handshake.retry, " HRR"),
        (handshake.early_data, " 0-RTT"),
    ] {
        if is {
            text += word;
        }
    }
    text
}

fn stream_rows(handshakes: &[Handshake]) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let mut header = vec!["stream", "TLS"];
    header.extend(INTERVALS.iter().map(|interval| interval.name));
    header.push("");
    let row = |h: &Handshake| {
        let name = h.server_name.as_deref().unwrap_or(&h.server);
        let mut cells = vec![format!("{} {name}", h.stream), kind(h)];
        cells.extend(INTERVALS.iter().map(|interval| optional((interval.of)(h))));
        cells.push(ending(h));
        cells
    };
    (header, handshakes.iter().map(row).collect())
}

/// What was read, and what could not be used.
fn remarks(capture: &Capture) -> Vec<String> {
    let c = &capture.counts;
    let all = batch(&capture.handshakes);
    let mut lines = vec![format!(
        "{} packets, {} TCP connections from their start, {} of them with TLS: {} complete \
         ({} resumed, {} with HelloRetryRequest), {} failed, {} unfinished, {} unusable",
        c.packets,
        c.connections,
        capture.handshakes.len(),
        all.complete,
        all.resumed,
        all.retried,
        all.failed,
        all.unfinished,
        all.lost
    )];
    let mut note = |count: u64, what: &str| {
        if count > 0 {
            lines.push(format!("note: {count} {what}"));
        }
    };
    note(
        c.without_start,
        "connections began before the capture and are not used",
    );
    note(
        c.one_sided,
        "connections have one direction only in the capture",
    );
    note(c.cut_segments, "segments were cut by the snap length");
    note(c.too_short, "packets are shorter than their own headers");
    note(c.fragments, "IP fragments were left out");
    note(c.untimed, "packets have no time and were left out");
    note(
        c.backwards,
        "packets have a time before that of the one they follow",
    );
    for (number, count) in &c.unknown_links {
        note(
            *count,
            &format!("packets of link type {number} were left out: it is not read here"),
        );
    }
    if let Some(why) = &capture.stopped {
        lines.push(format!("warning: {why}; what came before it was read"));
    }
    if capture.handshakes.is_empty() {
        lines.push("no TLS handshake was found".into());
    }
    lines
}

fn meanings() -> Vec<String> {
    let line = |interval: &crate::tls::handshake::Interval| {
        format!("{:<10} {}", interval.name, interval.meaning)
    };
    INTERVALS.iter().map(line).collect()
}

/// Handshakes on a terminal. `wide` lists every one.
pub fn tls_terminal(capture: &Capture, wide: bool) -> String {
    let mut out = String::new();
    let listed = capture.handshakes.len() <= LISTED || wide;
    if listed && !capture.handshakes.is_empty() {
        let (header, rows) = stream_rows(&capture.handshakes);
        let _ = writeln!(out, "{}\n", plain(&header, &rows));
    }
    for (name, set) in sets(&capture.handshakes) {
        let _ = writeln!(out, "{name}: {}", set.complete);
        let _ = writeln!(
            out,
            "{}\n{}\n",
            plain(&BATCH_HEADER, &batch_rows(&set)),
            batch_line(&set)
        );
    }
    if !capture.handshakes.is_empty() {
        let _ = writeln!(out, "{}\n", meanings().join("\n"));
    }
    for line in remarks(capture) {
        let _ = writeln!(out, "{line}");
    }
    if !listed {
        let unusual = capture
            .handshakes
            .iter()
            .filter(|h| h.ending != Ending::Complete);
        for handshake in unusual.take(LISTED) {
            let (stream, client) = (handshake.stream, &handshake.client);
            let _ = writeln!(
                out,
                "  stream {stream} from {client}: {}",
                ending(handshake)
            );
        }
    }
    out
}

pub(super) fn markdown_table(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = format!(
        "| {} |\n|---|{}\n",
        header.join(" | "),
        "---:|".repeat(header.len() - 1)
    );
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}

/// Handshakes as Markdown.
pub fn tls_markdown(title: &str, capture: &Capture) -> String {
    let mut out = format!("### TLS handshakes of {title}\n");
    if capture.handshakes.len() <= LISTED && !capture.handshakes.is_empty() {
        let (header, rows) = stream_rows(&capture.handshakes);
        let _ = write!(out, "\n{}", markdown_table(&header, &rows));
    }
    for (name, set) in sets(&capture.handshakes) {
        let table = markdown_table(&BATCH_HEADER, &batch_rows(&set));
        let _ = write!(
            out,
            "\n{name}: {}\n\n{table}\n{}\n",
            set.complete,
            batch_line(&set)
        );
    }
    let _ = write!(out, "\n```\n{}\n```\n", meanings().join("\n"));
    for line in remarks(capture) {
        let _ = write!(out, "\n{line}\n");
    }
    out
}

/// Handshakes as JSON: every moment, every interval, the sums.
pub fn tls_json(title: &str, capture: &Capture) -> String {
    let intervals = |h: &Handshake| -> serde_json::Map<String, serde_json::Value> {
        let of = |i: &crate::tls::handshake::Interval| {
            (format!("{}_ns", i.name), serde_json::json!((i.of)(h)))
        };
        INTERVALS.iter().map(of).collect()
    };
    let handshakes: Vec<serde_json::Value> = capture
        .handshakes
        .iter()
        .map(|h| {
            let mut value = serde_json::json!(h);
            value["intervals"] = serde_json::Value::Object(intervals(h));
            value
        })
        .collect();
    let sets: Vec<serde_json::Value> = sets(&capture.handshakes)
        .into_iter()
        .map(|(name, set)| serde_json::json!({ "name": name, "figures": set }))
        .collect();
    let meanings: serde_json::Map<String, serde_json::Value> = INTERVALS
        .iter()
        .map(|i| (i.name.to_owned(), serde_json::json!(i.meaning)))
        .collect();
    let value = serde_json::json!({
        "format": "alacrypt-lab-tls/1",
        "source": title,
        "intervals": meanings,
        "counts": capture.counts,
        "stopped": capture.stopped.as_ref().map(ToString::to_string),
        "sets": sets,
        "handshakes": handshakes,
    });
    format!("{value:#}\n")
}

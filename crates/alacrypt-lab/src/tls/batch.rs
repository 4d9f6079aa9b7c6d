//! Many handshakes together, as a client sees them that opens many connections at once.

use serde::Serialize;

use super::handshake::{Ending, Handshake, INTERVALS};
use crate::stats::percentile::nearest_rank;

/// One interval over many handshakes, ns; percentiles by nearest rank.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The interval's name.
    pub interval: &'static str,
    /// Handshakes that have it.
    pub n: usize,
    /// Smallest.
    pub min: u64,
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 99th percentile.
    pub p99: u64,
    /// Largest.
    pub max: u64,
    /// Largest less smallest.
    pub spread: u64,
}

/// A set of handshakes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Batch {
    /// Handshakes that were complete.
    pub complete: usize,
    /// That failed.
    pub failed: usize,
    /// That the capture's end left unfinished.
    pub unfinished: usize,
    /// That cannot be known, because the capture is not whole.
    pub lost: usize,
    /// Among the complete: resumed ones.
    pub resumed: usize,
    /// Among the complete: with a HelloRetryRequest.
    pub retried: usize,
    /// Each interval that some handshake has.
    pub spreads: Vec<Spread>,
    /// First ClientHello of the set → last one, ns.
    pub start_spread: Option<u64>,
    /// First completed handshake → last one, ns.
    pub done_spread: Option<u64>,
    /// First ClientHello → last completed handshake, ns.
    pub batch: Option<u64>,
    /// Most handshakes that were under way at once.
    pub most_at_once: usize,
    /// Handshakes under way, where that changes: ns after the first ClientHello, and their number.
    pub concurrency: Vec<(u64, usize)>,
}

/// Sums up some handshakes.
pub fn batch<'a>(handshakes: impl IntoIterator<Item = &'a Handshake>) -> Batch {
    let mut found = Batch::default();
    let mut complete = Vec::new();
    for handshake in handshakes {
        match handshake.ending {
            Ending::Complete => complete.push(handshake),
            Ending::Failed(_) => found.failed += 1,
            Ending::Unfinished => found.unfinished += 1,
            Ending::Lost(_) => found.lost += 1,
        }
    }
    found.complete = complete.len();
    found.resumed = complete.iter().filter(|h| h.resumed).count();
    found.retried = complete.iter().filter(|h| h.retry).count();
    for interval in &INTERVALS {
        let values: Vec<u64> = complete.iter().filter_map(|h| (interval.of)(h)).collect();
        found.spreads.extend(spread(interval.name, values));
    }
    let starts = || complete.iter().filter_map(|h| h.moments.client_hello);
    let ends = || complete.iter().filter_map(|h| h.moments.client_app);
    let (first_start, last_start) = (starts().min(), starts().max());
    let (first_end, last_end) = (ends().min(), ends().max());
    let between = |from: Option<u64>, to: Option<u64>| to?.checked_sub(from?);
    found.start_spread = between(first_start, last_start);
    found.done_spread = between(first_end, last_end);
    found.batch = between(first_start, last_end);
    let mut changes: Vec<(u64, i32)> = Vec::new();
    for handshake in &complete {
        let (start, end) = (handshake.moments.client_hello, handshake.moments.client_app);
        if let (Some(start), Some(end), Some(zero)) = (start, end, first_start) {
            changes.push((start - zero, 1));
            changes.push((end - zero, -1));
        }
    }
    // Of what happens at one moment, ends come first: they do not overlap.
    changes.sort_unstable();
    let mut now = 0i32;
    for (time, change) in changes {
        now += change;
        let number = usize::try_from(now).unwrap_or(0);
        found.most_at_once = found.most_at_once.max(number);
        match found.concurrency.last_mut() {
            Some(last) if last.0 == time => last.1 = number,
            _ => found.concurrency.push((time, number)),
        }
    }
    found
}

/// Percentiles of some times, ns; none for no times.
pub fn spread(interval: &'static str, mut values: Vec<u64>) -> Option<Spread> {
    values.sort_unstable();
    let (min, max) = (*values.first()?, *values.last()?);
    // Nanoseconds of one capture are exact as floats: 2^53 ns are 104 days.
    let sorted: Vec<f64> = values.iter().map(|value| *value as f64).collect();
    let at = |p| nearest_rank(&sorted, p) as u64;
    Some(Spread {
        interval,
        n: values.len(),
        min,
        p50: at(0.5),
        p90: at(0.9),
        p99: at(0.99),
        max,
        spread: max - min,
    })
}

//! From the moments of requests and the stamps of a timer to the figures of a run.

use super::generator::Sendings;
use crate::session::{CryptoLoad, LoopDelay, Percentiles};
use crate::stats::latency::Request;
use crate::stats::percentile::nearest_rank;
use crate::stats::{loop_delay, summary};
use serde::Deserialize;

/// What the preload tells at the end.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Told {
    /// Period of its timer, ms.
    pub period_ms: f64,
    /// What its clock showed at 0, ms since 1970.
    pub origin_ms: f64,
    /// When the timer fired, µs on that clock.
    pub stamps_us: Vec<f64>,
    /// Operations done by then.
    pub counts: Vec<f64>,
    /// Operations that failed.
    pub failed: u64,
    /// The first failure.
    pub error: Option<String>,
    /// Share of the time in which the loop did something.
    pub utilization: Option<f64>,
    /// Whether there was no room for more stamps.
    pub full: bool,
}

/// Percentiles by nearest rank; infinite ones are none.
pub fn percentiles(values: &[f64]) -> Percentiles {
    let sorted = summary::sorted(values);
    let at = |p| Some(nearest_rank(&sorted, p)).filter(|value| value.is_finite());
    Percentiles {
        p50: at(0.5),
        p90: at(0.9),
        p99: at(0.99),
        p999: at(0.999),
        max: at(1.0),
    }
}

/// Of the requests due from `from` on: on the intended clock, on the actual one, and how late they
/// were sent.
pub fn of_requests(sendings: &Sendings, from: f64) -> [Percentiles; 3] {
    let of = |what: fn(&Request) -> f64| {
        let window = sendings.all.iter().filter(|sent| sent.request.due >= from);
        let values = window.map(|sent| what(&sent.request));
        // A request that was never sent has neither service nor error of its own.
        percentiles(&values.filter(|value| !value.is_nan()).collect::<Vec<_>>())
    };
    // A request that found no connection was not late by the generator's own fault.
    let own_error = |request: &Request| match request.send_error() {
        error if error.is_finite() => error,
        _ => f64::NAN,
    };
    [of(Request::intended), of(Request::service), of(own_error)]
}

/// Event-loop delay and operations between two moments, µs since 1970.
pub fn of_loop(told: &Told, from_us: f64, to_us: f64) -> (Option<LoopDelay>, CryptoLoad) {
    let origin_us = told.origin_ms * 1000.0;
    let inside = |stamp: &f64| (from_us..=to_us).contains(&(origin_us + stamp));
    let first = told.stamps_us.iter().position(inside);
    let last = told.stamps_us.iter().rposition(inside);
    let mut crypto = CryptoLoad {
        per_second: 0.0,
        failed: told.failed,
        error: told.error.clone(),
    };
    let (Some(first), Some(last)) = (first, last) else {
        return (None, crypto);
    };
    // A block that reaches over an edge of the window counts whole: it is one that a request
    // within may meet.
    let (first, last) = (
        first.saturating_sub(1),
        (last + 1).min(told.stamps_us.len() - 1),
    );
    let stamps = &told.stamps_us[first..=last];
    let intervals: Vec<f64> = stamps
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) / 1e6)
        .collect();
    let seconds = (stamps[stamps.len() - 1] - stamps[0]) / 1e6;
    if intervals.is_empty() || seconds <= 0.0 {
        return (None, crypto);
    }
    let count = |at: usize| told.counts.get(at).copied().unwrap_or(0.0);
    crypto.per_second = (count(last) - count(first)) / seconds;
    let period_s = told.period_ms / 1e3;
    let delays = loop_delay::delays(&intervals, period_s);
    let delay = LoopDelay {
        intervals: intervals.len() as u64,
        period_s,
        filled: percentiles(&loop_delay::filled(&delays, period_s)),
        raw: percentiles(&delays),
        blocked_share: loop_delay::blocked_share(&intervals, period_s),
    };
    (Some(delay), crypto)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_filled_and_counted_within_the_window_only() {
        // A tick each ms for 100 ms, a block of 50 ms, and ticks again.
        let mut stamps: Vec<f64> = (0..100).map(|ms| f64::from(ms) * 1000.0).collect();
        stamps.extend((0..100).map(|ms| 149_000.0 + f64::from(ms) * 1000.0));
        let told = Told {
            period_ms: 1.0,
            origin_ms: 1000.0,
            counts: (0..200).map(f64::from).collect(),
            stamps_us: stamps,
            ..Told::default()
        };
        let (delay, crypto) = of_loop(&told, 1_050_000.0, 1_198_000.0);
        let delay = delay.unwrap();
        let close = |found: f64, expected: f64| (found - expected).abs() < 1e-6;
        assert!(close(delay.raw.max.unwrap(), 0.049), "{delay:?}");
        assert!(close(delay.blocked_share, 0.049 / 0.150), "{delay:?}");
        assert!(close(delay.filled.p90.unwrap(), 0.035), "{delay:?}");
        assert!(close(crypto.per_second, 101.0 / 0.150), "{crypto:?}");
        let before = of_loop(&told, 1_000_000.0, 1_050_000.0).0.unwrap();
        assert!(close(before.raw.max.unwrap(), 0.0), "{before:?}");
        assert_eq!(of_loop(&told, 0.0, 1.0).0, None);
    }

    #[test]
    fn a_request_without_answer_is_the_worst() {
        let values = [1.0, 2.0, f64::INFINITY];
        let found = percentiles(&values);
        assert_eq!((found.p50, found.p99, found.max), (Some(2.0), None, None));
    }
}

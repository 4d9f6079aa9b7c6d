//! Event-loop delay from the intervals of a timer.

use super::summary;

/// How much later than its period each interval of a timer was.
pub fn delays(intervals: &[f64], period: f64) -> Vec<f64> {
    intervals
        .iter()
        .map(|interval| (interval - period).max(0.0))
        .collect()
}

/// The delays with those of the timers that a block kept from being set: a blocked loop takes one
/// sample where there should have been one per period. For a delay d these are d − period,
/// d − 2·period, … while positive.
pub fn filled(delays: &[f64], period: f64) -> Vec<f64> {
    let mut all = delays.to_vec();
    if period > 0.0 {
        for &delay in delays {
            // Multiplied and not subtracted again and again, so that rounding does not add up.
            let lost = (1u32..).map(|k| delay - f64::from(k) * period);
            all.extend(lost.take_while(|lost| *lost > 0.0));
        }
    }
    all
}

/// Share of the time in which a due timer waited. NaN for no time at all.
pub fn blocked_share(intervals: &[f64], period: f64) -> f64 {
    summary::sum(&delays(intervals, period)) / summary::sum(intervals)
}

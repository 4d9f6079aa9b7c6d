//! What came of the downloads: a table, and JSON.

use std::fmt::Write;
use std::time::Duration;

use alacrypt_tls::fetch::{Fetched, Handshake};
use alacrypt_tls::{Error, HandshakeTimings};
use serde_json::json;

/// What came of it.
#[derive(Debug)]
pub struct Report<'a> {
    /// Each download, with its name.
    pub results: Vec<(&'a str, &'a Result<Fetched, Error>)>,
    /// Packages that could not be downloaded, and why.
    pub left_out: &'a [(String, String)],
    /// The handshakes that were made.
    pub handshakes: &'a [Handshake],
    /// How long it took.
    pub took: Duration,
}

type Interval = (&'static str, fn(&HandshakeTimings) -> Option<Duration>);

/// The intervals of a handshake, by the names that `alacrypt-lab tls` has for them.
const INTERVALS: [Interval; 7] = [
    ("tcp", HandshakeTimings::tcp),
    ("ch_sh", HandshakeTimings::hello),
    ("flight", HandshakeTimings::flight),
    ("think", HandshakeTimings::think),
    ("total", HandshakeTimings::handshake),
    ("cpu", |timings| timings.cpu),
    ("waiting", HandshakeTimings::waiting),
];

/// Median, 99th percentile (nearest rank), maximum and spread.
fn figures(mut times: Vec<Duration>) -> Option<[Duration; 4]> {
    times.sort_unstable();
    let (first, last) = (*times.first()?, *times.last()?);
    let at = |percent: usize| times[(times.len() * percent).div_ceil(100).saturating_sub(1)];
    Some([at(50), at(99), last, last - first])
}

impl Report<'_> {
    fn figures_of(&self, of: fn(&HandshakeTimings) -> Option<Duration>) -> Option<[Duration; 4]> {
        figures(
            self.handshakes
                .iter()
                .filter_map(|made| of(&made.timings))
                .collect(),
        )
    }

    fn fetched(&self) -> impl Iterator<Item = &Fetched> {
        self.results
            .iter()
            .filter_map(|(_, result)| result.as_ref().ok())
    }

    /// Downloads that failed, and why.
    pub fn failed(&self) -> impl Iterator<Item = (&str, &Error)> {
        let failed = self.results.iter();
        failed.filter_map(|(name, result)| Some((*name, result.as_ref().err()?)))
    }

    /// For a terminal.
    pub fn text(&self) -> String {
        let there = self.fetched().filter(|fetched| fetched.was_there).count();
        let new: Vec<_> = self
            .fetched()
            .filter(|fetched| !fetched.was_there)
            .collect();
        let bytes: u64 = new
            .iter()
            .map(|fetched| fetched.bytes - fetched.resumed_from)
            .sum();
        let mut out = String::new();
        let _ = writeln!(
            out,
            "{} files: {} fetched ({:.1} MB), {there} there already, {} failed, {} left out; {:.2} s",
            self.results.len() + self.left_out.len(),
            new.len(),
            bytes as f64 / 1e6,
            self.failed().count(),
            self.left_out.len(),
            self.took.as_secs_f64()
        );
        if self.handshakes.is_empty() {
            return out;
        }
        let resumed = self.handshakes.iter().filter(|made| made.resumed).count();
        let http2 = self.handshakes.iter().filter(|made| made.http2).count();
        let count = self.handshakes.len();
        let _ = writeln!(
            out,
            "{count} handshakes, {resumed} resumed, {http2} with HTTP/2\n"
        );
        let _ = writeln!(
            out,
            "ms       {:>9} {:>9} {:>9} {:>9}",
            "p50", "p99", "max", "spread"
        );
        for (name, of) in INTERVALS {
            if let Some(figures) = self.figures_of(of) {
                let [p50, p99, max, spread] = figures.map(|time| time.as_secs_f64() * 1e3);
                let _ = writeln!(
                    out,
                    "{name:<8} {p50:>9.3} {p99:>9.3} {max:>9.3} {spread:>9.3}"
                );
            }
        }
        out
    }

    /// For programs.
    pub fn json(&self) -> String {
        let files = self.results.iter().map(|(name, result)| match result {
            Ok(fetched) => json!({
                "package": name,
                "bytes": fetched.bytes,
                "resumed_from": fetched.resumed_from,
                "was_there": fetched.was_there,
            }),
            Err(error) => json!({
                "package": name,
                "code": error.code(),
                "error": error.to_string(),
            }),
        });
        let left_out = self.left_out.iter();
        let left_out = left_out.map(|(name, why)| json!({ "package": name, "reason": why }));
        let intervals = INTERVALS.iter().filter_map(|(name, of)| {
            let [p50, p99, max, spread] = self.figures_of(*of)?.map(|time| time.as_nanos() as u64);
            let figures = json!({ "p50": p50, "p99": p99, "max": max, "spread": spread });
            Some(((*name).to_owned(), figures))
        });
        let value = json!({
            "format": "alacrypt-fetch/1",
            "took_ns": self.took.as_nanos() as u64,
            "files": files.collect::<Vec<_>>(),
            "left_out": left_out.collect::<Vec<_>>(),
            "handshakes": {
                "count": self.handshakes.len(),
                "resumed": self.handshakes.iter().filter(|made| made.resumed).count(),
                "http2": self.handshakes.iter().filter(|made| made.http2).count(),
                "ns": intervals.collect::<serde_json::Map<_, _>>(),
            },
        });
        format!("{value:#}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_by_nearest_rank() {
        let ms = Duration::from_millis;
        assert_eq!(
            figures((1..=100).map(ms).collect()),
            Some([ms(50), ms(99), ms(100), ms(99)])
        );
        assert_eq!(figures(vec![ms(7)]), Some([ms(7), ms(7), ms(7), ms(0)]));
        assert_eq!(figures(Vec::new()), None);
    }
}

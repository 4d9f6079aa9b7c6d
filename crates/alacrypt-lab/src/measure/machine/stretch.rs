//! What else the machine did over a whole stretch of measuring.

use super::Siblings;
use super::stat::{CpuTimes, Pressure};
use crate::session::Event;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use nix::unistd::{SysconfVar, sysconf};
use std::time::Instant;

/// Clock ticks, over all CPUs, below which shares say nothing: a second of two CPUs.
const FEWEST_TICKS: u64 = 200;

/// Counters at the start of a stretch.
#[derive(Debug)]
pub struct Stretch {
    began: Instant,
    times: Option<CpuTimes>,
    pressure: Pressure,
    own_us: Option<i64>,
    siblings: Option<Siblings>,
}

impl Stretch {
    /// Reads the counters. `cpus` are those that runs may use; all when empty.
    pub fn begin(cpus: &[usize]) -> Self {
        Self {
            siblings: Siblings::begin(cpus),
            began: Instant::now(),
            times: CpuTimes::now(),
            pressure: Pressure::now(),
            own_us: own_us(),
        }
    }

    /// Reads them again; shares are absent where the stretch was too short for the kernel's ticks.
    pub fn end(&self, environment: u32) -> Event {
        let elapsed = self.began.elapsed();
        let times = self
            .times
            .zip(CpuTimes::now())
            .map(|(before, now)| now.since(before))
            .filter(|times| times.total() >= FEWEST_TICKS);
        let own = self.own_us.zip(own_us()).map(|(before, now)| now - before);
        let waited = Pressure::now().since(self.pressure).cpu_us;
        Event::Machine {
            seconds: elapsed.as_secs_f64(),
            environment,
            steal_share: times.map(|t| t.steal as f64 / t.total() as f64),
            other_cpu_share: times
                .zip(own)
                .and_then(|(times, own)| other_share(times, own)),
            pressure_share: waited
                .filter(|_| times.is_some())
                .map(|us| us as f64 / elapsed.as_micros().max(1) as f64),
            sibling_busy_share: self.siblings.as_ref().and_then(Siblings::busy),
        }
    }
}

/// Busy time that was neither the lab's nor its runs', as a share of all CPU time.
fn other_share(times: CpuTimes, own_us: i64) -> Option<f64> {
    let per_second = sysconf(SysconfVar::CLK_TCK).ok()??;
    let own = own_us as f64 * per_second as f64 / 1e6;
    Some(((times.busy as f64 - own) / times.total() as f64).clamp(0.0, 1.0))
}

/// CPU time of this program and of every run that it has waited for, µs.
fn own_us() -> Option<i64> {
    let of = |who| {
        let usage = getrusage(who).ok()?;
        Some(usage.user_time().num_microseconds() + usage.system_time().num_microseconds())
    };
    Some(of(UsageWho::RUSAGE_SELF)? + of(UsageWho::RUSAGE_CHILDREN)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_work_is_not_others() {
        let times = CpuTimes {
            busy: 150,
            idle: 250,
            steal: 0,
        };
        assert_eq!(other_share(times, 1_500_000), Some(0.0));
        let half = other_share(times, 500_000).unwrap();
        assert!((half - 0.25).abs() < 1e-9, "{half}");
    }

    #[test]
    fn a_stretch_too_short_has_no_shares() {
        let event = Stretch::begin(&[]).end(1);
        let Event::Machine {
            steal_share,
            other_cpu_share,
            pressure_share,
            ..
        } = event
        else {
            panic!("{event:?}");
        };
        assert_eq!(
            (steal_share, other_cpu_share, pressure_share),
            (None, None, None)
        );
    }
}

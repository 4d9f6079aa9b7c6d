//! What else the machine did while a run went on.

use super::Siblings;
use super::stat::{CpuTimes, Pressure, cpufreq, hottest_milli_c, load1};
use crate::session::Noise;
use nix::unistd::{SysconfVar, sysconf};

/// Counters at the start of a run.
#[derive(Debug)]
pub struct NoiseProbe {
    cpus: Vec<usize>,
    times: Option<CpuTimes>,
    pressure: Pressure,
    siblings: Option<Siblings>,
}

impl NoiseProbe {
    /// Reads the counters. `cpus` are those whose frequency matters; all when empty.
    pub fn begin(cpus: &[usize]) -> Self {
        // Where runs go anywhere, the other threads are theirs, too.
        let siblings = Siblings::begin(cpus);
        let cpus = if cpus.is_empty() {
            super::cpus_allowed()
        } else {
            cpus.to_vec()
        };
        Self {
            siblings,
            cpus,
            times: CpuTimes::now(),
            pressure: Pressure::now(),
        }
    }

    /// Reads them again; `cpu_us` is what the run itself used.
    pub fn end(&mut self, cpu_us: u64) -> Noise {
        let times = self
            .times
            .zip(CpuTimes::now())
            .map(|(before, now)| now.since(before));
        let pressure = Pressure::now().since(self.pressure);
        let khz = cpufreq(&self.cpus, "scaling_cur_freq");
        Noise {
            steal_ticks: times.map(|t| t.steal),
            psi_cpu_us: pressure.cpu_us,
            psi_io_us: pressure.io_us,
            psi_mem_us: pressure.mem_us,
            load1: load1(),
            khz_min: khz.iter().min().copied(),
            khz_max: khz.iter().max().copied(),
            other_cpu_share: times.and_then(|t| other_share(t, cpu_us, ticks_per_second()?)),
            sibling_busy_share: self.siblings.as_ref().and_then(Siblings::busy),
            temp_milli_c: hottest_milli_c(),
        }
    }
}

fn ticks_per_second() -> Option<u64> {
    sysconf(SysconfVar::CLK_TCK)
        .ok()?
        .and_then(|n| u64::try_from(n).ok())
}

/// Busy time beyond the run's own as a share of all CPU time; nothing for a run so short that
/// the tick (10 ms) is all that would be seen.
fn other_share(times: CpuTimes, cpu_us: u64, ticks_per_second: u64) -> Option<f64> {
    if times.total() < 20 {
        return None;
    }
    let own = cpu_us as f64 * ticks_per_second as f64 / 1e6;
    Some(((times.busy as f64 - own) / times.total() as f64).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_what_the_run_did_not_use() {
        let times = CpuTimes {
            busy: 60,
            idle: 140,
            steal: 0,
        };
        // 400 ms of 600 ms busy were the run's own: the rest is a tenth of two seconds.
        assert_eq!(other_share(times, 400_000, 100), Some(0.1));
        assert_eq!(other_share(times, 900_000, 100), Some(0.0));
        assert_eq!(
            other_share(
                CpuTimes {
                    busy: 1,
                    idle: 1,
                    steal: 0
                },
                0,
                100
            ),
            None
        );
    }
}

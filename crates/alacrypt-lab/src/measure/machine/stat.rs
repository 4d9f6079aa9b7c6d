//! Readers for single files of `/proc` and `/sys`; pure functions of their text.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Clock ticks of the first line of `/proc/stat`, summed over all CPUs (proc_stat(5)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CpuTimes {
    /// Ticks in which something ran, interrupts included, stolen ones not.
    pub busy: u64,
    /// Ticks in which nothing ran, waiting for I/O included.
    pub idle: u64,
    /// Ticks that the hypervisor gave to others.
    pub steal: u64,
}

impl CpuTimes {
    /// Reads it now.
    pub fn now() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        Self::fields(text.lines().next()?.strip_prefix("cpu ")?)
    }

    fn fields(text: &str) -> Option<Self> {
        let mut fields = text.split_ascii_whitespace();
        let mut next = || fields.next()?.parse::<u64>().ok();
        let (user, nice, system, idle) = (next()?, next()?, next()?, next()?);
        let (iowait, irq, softirq) = (next()?, next()?, next()?);
        // Kernels before 2.6.11 have no steal column.
        let steal = next().unwrap_or(0);
        // user already holds the time of guests.
        Some(Self {
            busy: user + nice + system + irq + softirq,
            idle: idle + iowait,
            steal,
        })
    }

    /// What passed since `before`.
    pub fn since(self, before: Self) -> Self {
        Self {
            busy: self.busy.saturating_sub(before.busy),
            idle: self.idle.saturating_sub(before.idle),
            steal: self.steal.saturating_sub(before.steal),
        }
    }

    /// All ticks.
    pub fn total(self) -> u64 {
        self.busy + self.idle + self.steal
    }
}

/// The lines of `/proc/stat` that hold one CPU each, by its number.
pub(super) fn each_cpu(text: &str) -> BTreeMap<usize, CpuTimes> {
    let of = |line: &str| {
        let (number, fields) = line.strip_prefix("cpu")?.split_once(' ')?;
        Some((number.parse().ok()?, CpuTimes::fields(fields)?))
    };
    text.lines().filter_map(of).collect()
}

/// Total of the line `some` in `/proc/pressure/*`, µs (Documentation/accounting/psi.rst).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pressure {
    /// Some task waited for a CPU.
    pub cpu_us: Option<u64>,
    /// Some task waited for I/O.
    pub io_us: Option<u64>,
    /// Some task waited for memory.
    pub mem_us: Option<u64>,
}

impl Pressure {
    /// Reads it now.
    pub fn now() -> Self {
        let read = |name: &str| {
            parse_pressure(&fs::read_to_string(format!("/proc/pressure/{name}")).ok()?)
        };
        Self {
            cpu_us: read("cpu"),
            io_us: read("io"),
            mem_us: read("memory"),
        }
    }

    /// What passed since `before`.
    pub fn since(self, before: Self) -> Self {
        let passed = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        Self {
            cpu_us: passed(self.cpu_us, before.cpu_us),
            io_us: passed(self.io_us, before.io_us),
            mem_us: passed(self.mem_us, before.mem_us),
        }
    }
}

fn parse_pressure(text: &str) -> Option<u64> {
    let some = text.lines().find(|line| line.starts_with("some "))?;
    some.split_ascii_whitespace()
        .find_map(|word| word.strip_prefix("total="))?
        .parse()
        .ok()
}

/// One-minute load average.
pub(super) fn load1() -> Option<f64> {
    fs::read_to_string("/proc/loadavg")
        .ok()?
        .split_ascii_whitespace()
        .next()?
        .parse()
        .ok()
}

/// First line of a file without its end, if it is there.
pub(super) fn line(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let first = text.lines().next()?.trim();
    (!first.is_empty()).then(|| first.to_owned())
}

/// A file that holds one number.
pub(super) fn number<T: std::str::FromStr>(path: impl AsRef<Path>) -> Option<T> {
    line(path)?.parse().ok()
}

/// `/sys/devices/system/cpu/cpuN/cpufreq/FILE` of each given CPU that has it.
pub(super) fn cpufreq(cpus: &[usize], file: &str) -> Vec<u64> {
    let path = |cpu| format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/{file}");
    cpus.iter().filter_map(|cpu| number(path(cpu))).collect()
}

/// Hottest thermal zone, m°C.
pub(super) fn hottest_milli_c() -> Option<i64> {
    let zones = fs::read_dir("/sys/class/thermal").ok()?;
    zones
        .flatten()
        .filter_map(|zone| number(zone.path().join("temp")))
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_times_sort_the_columns() {
        let text = "cpu  4080 10 1652 78367 557 3 46 35 7 0\ncpu0 1 2 3\n";
        let times = CpuTimes::parse(text).unwrap();
        assert_eq!(times.busy, 4080 + 10 + 1652 + 3 + 46);
        assert_eq!((times.idle, times.steal), (78367 + 557, 35));
        assert_eq!(CpuTimes::parse("cpu0 1 2"), None);
    }

    #[test]
    fn each_cpu_has_its_own_line() {
        let text =
            "cpu  9 9 9 9 9 9 9 9\ncpu0 1 1 1 5 1 1 1 7\ncpu12 2 0 0 3 0 0 0\nintr 1 2 3 4 5 6 7\n";
        let times = each_cpu(text);
        assert_eq!(times.keys().copied().collect::<Vec<_>>(), [0, 12]);
        assert_eq!((times[&0].busy, times[&0].idle, times[&0].steal), (5, 6, 7));
        assert_eq!((times[&12].busy, times[&12].idle), (2, 3));
    }

    #[test]
    fn pressure_takes_the_total_of_some() {
        let text = "some avg10=0.59 avg60=1.59 avg300=3.08 total=17761485\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n";
        assert_eq!(parse_pressure(text), Some(17_761_485));
        assert_eq!(parse_pressure(""), None);
    }
}

//! How busy the other threads of the cores were that runs use.
//!
//! Two hardware threads share most of a core: what one does slows the other down, and no counter of
//! the run itself shows it.

use super::stat::{CpuTimes, each_cpu, line};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Ticks of one processor below which a share says nothing: a fifth of a second.
const FEWEST_TICKS: u64 = 20;

/// Cores of the used processors that have more than one thread, and the times of all.
#[derive(Debug)]
pub struct Siblings {
    cores: BTreeSet<Vec<usize>>,
    used: BTreeSet<usize>,
    before: BTreeMap<usize, CpuTimes>,
}

impl Siblings {
    /// Reads which processors share a core with one of `used`, and the counters. `None` where the
    /// system does not say, or where none does.
    pub fn begin(used: &[usize]) -> Option<Self> {
        let siblings = |cpu: usize| {
            line(format!(
                "/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
            ))
        };
        Self::of(used, siblings, &fs::read_to_string("/proc/stat").ok()?)
    }

    fn of(used: &[usize], siblings: impl Fn(usize) -> Option<String>, stat: &str) -> Option<Self> {
        let cores: BTreeSet<Vec<usize>> = used
            .iter()
            .filter_map(|&cpu| numbers(&siblings(cpu)?))
            .filter(|core| core.len() > 1)
            .collect();
        (!cores.is_empty()).then(|| Self {
            cores,
            used: used.iter().copied().collect(),
            before: each_cpu(stat),
        })
    }

    /// Share of the time in which a thread that runs may not use was busy beside one that they do:
    /// of the busiest such thread. `None` where runs may use whole cores.
    pub fn busy(&self) -> Option<f64> {
        self.neighbours(&each_cpu(&fs::read_to_string("/proc/stat").ok()?))
    }

    /// Share of the time in which all threads of a core were busy, at least, of the worst core: for
    /// a load that uses one thread at a time, where [`Self::busy`] has no answer.
    pub fn shared(&self) -> Option<f64> {
        self.together(&each_cpu(&fs::read_to_string("/proc/stat").ok()?))
    }

    fn neighbours(&self, now: &BTreeMap<usize, CpuTimes>) -> Option<f64> {
        let others = self.cores.iter().flatten();
        let others = others.filter(|&cpu| !self.used.contains(cpu));
        others
            .filter_map(|cpu| self.share(*cpu, now))
            .max_by(f64::total_cmp)
    }

    fn together(&self, now: &BTreeMap<usize, CpuTimes>) -> Option<f64> {
        let whole = self.cores.iter().filter_map(|core| {
            let shares: Option<Vec<f64>> = core.iter().map(|&cpu| self.share(cpu, now)).collect();
            let shares = shares?;
            // Two shares that add up to more than the whole must have overlapped by the rest.
            let overlap = shares.iter().sum::<f64>() - (shares.len() - 1) as f64;
            Some(overlap.max(0.0))
        });
        whole.max_by(f64::total_cmp)
    }

    fn share(&self, cpu: usize, now: &BTreeMap<usize, CpuTimes>) -> Option<f64> {
        let passed = now.get(&cpu)?.since(*self.before.get(&cpu)?);
        (passed.total() >= FEWEST_TICKS).then(|| passed.busy as f64 / passed.total() as f64)
    }
}

/// `0,4` or `0-1`, as the kernel lists processors.
fn numbers(list: &str) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        found.extend(first.trim().parse::<usize>().ok()?..=last.trim().parse().ok()?);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cores of two threads: 0 and 2, 1 and 3.
    fn pairs(cpu: usize) -> Option<String> {
        Some(format!("{},{}", cpu % 2, cpu % 2 + 2))
    }

    /// User and idle ticks of each processor.
    fn stat(ticks: [[u64; 2]; 4]) -> String {
        let line = |(cpu, [busy, idle]): (usize, &[u64; 2])| {
            format!("cpu{cpu} {busy} 0 0 {idle} 0 0 0 0 0 0\n")
        };
        let lines: String = ticks.iter().enumerate().map(line).collect();
        format!("cpu  1 2 3 4 5 6 7 8\n{lines}intr 5\n")
    }

    #[test]
    fn the_sibling_of_a_pinned_processor_is_watched() {
        let siblings = Siblings::of(&[0], pairs, &stat([[5, 5]; 4])).unwrap();
        // 0 is the run's own, 2 its sibling, 1 and 3 another core.
        let now = each_cpu(&stat([[105, 5], [105, 5], [35, 75], [105, 5]]));
        assert_eq!(siblings.neighbours(&now), Some(0.3));
    }

    #[test]
    fn on_a_whole_core_only_the_overlap_is_known() {
        let siblings = Siblings::of(&[0, 1, 2, 3], pairs, &stat([[0, 0]; 4])).unwrap();
        let now = each_cpu(&stat([[80, 20], [50, 50], [70, 30], [50, 50]]));
        assert_eq!(siblings.neighbours(&now), None);
        let shared = siblings.together(&now).unwrap();
        assert!((shared - 0.5).abs() < 1e-9, "{shared}");
        let alternating = each_cpu(&stat([[50, 50]; 4]));
        assert_eq!(siblings.together(&alternating), Some(0.0));
    }

    #[test]
    fn nothing_is_said_without_siblings_or_time() {
        assert!(Siblings::of(&[0, 1], |cpu| Some(cpu.to_string()), &stat([[0, 0]; 4])).is_none());
        assert!(Siblings::of(&[0], |_| None, &stat([[0, 0]; 4])).is_none());
        let siblings = Siblings::of(&[0], pairs, &stat([[0, 0]; 4])).unwrap();
        assert_eq!(siblings.neighbours(&each_cpu(&stat([[1, 1]; 4]))), None);
        assert_eq!(siblings.neighbours(&BTreeMap::new()), None);
    }

    #[test]
    fn the_kernels_lists_are_read() {
        assert_eq!(numbers("0,4"), Some(vec![0, 4]));
        assert_eq!(numbers("2-3"), Some(vec![2, 3]));
        assert_eq!(numbers("7"), Some(vec![7]));
        assert_eq!(numbers("x"), None);
    }
}

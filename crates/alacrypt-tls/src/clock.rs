//! Clocks: monotonic time from a chosen moment, CPU time of a thread, its time in the run queue.

use std::time::{Duration, Instant};

/// Monotonic time since it was made; copies share their origin.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Starts now.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the start.
    pub fn now(self) -> Duration {
        self.0.elapsed()
    }
}

/// CPU time of the calling thread so far; none where the system does not tell.
pub(crate) fn thread_cpu() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let nanos = u32::try_from(time.tv_nsec).ok()?;
        Some(Duration::new(u64::try_from(time.tv_sec).ok()?, nanos))
    }
    #[cfg(not(unix))]
    None
}

/// Time for which the calling thread could have run and had no CPU. Linux only: the second figure of
/// `schedstat`.
pub(crate) fn thread_run_queue() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanos = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn work_counts_and_sleep_does_not() {
        let before = thread_cpu().unwrap();
        std::thread::sleep(Duration::from_millis(60));
        let slept = thread_cpu().unwrap() - before;
        assert!(slept < Duration::from_millis(30), "{slept:?}");
        let mut sum = 0u64;
        while thread_cpu().unwrap() - before < Duration::from_millis(5) {
            sum = std::hint::black_box(sum + 1);
        }
    }
}

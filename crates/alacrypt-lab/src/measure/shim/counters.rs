//! Counters of the kernel's perf events over a run's whole tree (perf_event_open(2)).
//!
//! They are opened on this process, handed down to what it starts, and begin at the command's
//! `execve`. Faults and context switches come from `getrusage(2)` alone: perf begins later and ends
//! earlier, so its sums are lower, and two numbers for one thing help nobody.

use super::report::Report;
use perf_event::events::{Event, Hardware, Software};
use perf_event::{Builder, Counter};

/// Counters that wait for the command.
pub(super) struct Counters {
    task_clock: Option<Counter>,
    migrations: Option<Counter>,
    instructions: Option<Counter>,
    cycles: Option<Counter>,
    refused: Option<String>,
}

impl Counters {
    /// Opens what the kernel allows.
    pub(super) fn open() -> Self {
        let mut refused = None;
        let mut note = |opened: std::io::Result<Counter>| match opened {
            Ok(counter) => Some(counter),
            Err(why) => {
                refused.get_or_insert_with(|| told(&why));
                None
            }
        };
        let migrations = note(open(Software::CPU_MIGRATIONS, true));
        // This one runs on the scheduler's clock, so leaving the kernel out, which needs no right,
        // changes nothing.
        let task_clock =
            note(open(Software::TASK_CLOCK, true).or_else(|_| open(Software::TASK_CLOCK, false)));
        // A virtual machine often has no such counters; that is no refusal.
        let hardware = |event| open(event, true).or_else(|_| open(event, false)).ok();
        Self {
            task_clock,
            migrations,
            instructions: hardware(Hardware::INSTRUCTIONS),
            cycles: hardware(Hardware::CPU_CYCLES),
            refused,
        }
    }

    /// Reads them once the last descendant has ended.
    pub(super) fn read_into(mut self, report: &mut Report) {
        let read = |counter: &mut Option<Counter>| counter.as_mut()?.read().ok();
        report.task_clock_us = read(&mut self.task_clock).map(|ns| ns / 1000);
        report.migrations = read(&mut self.migrations);
        // What exists but never counted is absent, not zero.
        report.instructions = read(&mut self.instructions).filter(|&n| n > 0);
        report.cycles = read(&mut self.cycles).filter(|&n| n > 0);
        report.perf_refused = self.refused;
    }
}

fn open(event: impl Event, with_kernel: bool) -> std::io::Result<Counter> {
    let mut builder = Builder::new(event);
    builder.inherit(true).enabled(false).enable_on_exec(true);
    builder.exclude_kernel(!with_kernel);
    builder.exclude_hv(!with_kernel);
    builder.build()
}

fn told(why: &std::io::Error) -> String {
    let level = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
    match level.trim() {
        "" => why.to_string(),
        level => format!("{why}; kernel.perf_event_paranoid is {level}"),
    }
}

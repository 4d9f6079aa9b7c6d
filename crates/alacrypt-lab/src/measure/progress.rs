//! How far a session is, on standard error: a bar on a terminal, a plain line every 30 s elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Time between plain lines.
const PLAIN_EVERY: Duration = Duration::from_secs(30);

/// Shows progress until it is dropped.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    unit: &'static str,
    total: u64,
    done: u64,
    left: Option<Duration>,
    what: String,
    last_line: Instant,
}

impl Progress {
    /// Begins with `done` of `total` steps, which are of this unit: `runs`.
    pub fn new(unit: &'static str, total: u64, done: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total).with_position(done);
            // The tests render the template, so it cannot be refused; the default style would do.
            if let Ok(style) = ProgressStyle::with_template(&template(unit)) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        });
        Self {
            bar,
            unit,
            total,
            done,
            left: None,
            what: String::new(),
            last_line: Instant::now(),
        }
    }

    /// States what runs now and how long the rest takes.
    pub fn now(&mut self, what: String, left: Option<Duration>) {
        self.what = what;
        self.left = left;
        if let Some(bar) = &self.bar {
            bar.set_message(self.rest());
        }
    }

    /// One run more is done.
    pub fn step(&mut self) {
        self.done += 1;
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }

    /// Runs that are done.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Fewer runs are left than planned, because a cell stopped early.
    pub fn shorten(&mut self, by: u64) {
        self.total = self.total.saturating_sub(by);
        if let Some(bar) = &self.bar {
            bar.set_length(self.total);
        }
    }

    /// Called often while a run goes on.
    pub fn tick(&mut self) {
        match &self.bar {
            Some(bar) => bar.tick(),
            None if self.last_line.elapsed() >= PLAIN_EVERY => {
                self.last_line = Instant::now();
                let (done, total, unit) = (self.done, self.total, self.unit);
                eprintln!("{done}/{total} {unit} {}", self.rest());
            }
            None => {}
        }
    }

    /// Prints a line that stays.
    pub fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }

    fn rest(&self) -> String {
        match self.left {
            Some(left) => format!("about {} left · {}", duration(left), self.what),
            None => self.what.clone(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn template(unit: &str) -> String {
    format!("{{bar:24}} {{pos}}/{{len}} {unit} {{wide_msg}}")
}

/// `1 run`, `2 runs`.
pub fn counted(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A duration for people: `42 s`, `3 min`, `2 h 05 min`.
pub fn duration(d: Duration) -> String {
    let seconds = d.as_secs_f64();
    if seconds < 10.0 {
        format!("{seconds:.1} s")
    } else if seconds < 99.5 {
        format!("{seconds:.0} s")
    } else if seconds < 3600.0 {
        format!("{:.0} min", seconds / 60.0)
    } else {
        let minutes = (seconds / 60.0).round() as u64;
        format!("{} h {:02} min", minutes / 60, minutes % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_valid() {
        assert!(ProgressStyle::with_template(&template("runs")).is_ok());
    }

    #[test]
    fn durations_for_people() {
        for (seconds, text) in [
            (0.25, "0.2 s"),
            (42.0, "42 s"),
            (180.0, "3 min"),
            (7500.0, "2 h 05 min"),
            (3599.0, "60 min"),
        ] {
            assert_eq!(duration(Duration::from_secs_f64(seconds)), text);
        }
    }
}

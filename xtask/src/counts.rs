//! Test counts: how they are read from tools' output, summed and printed.

use std::fmt;
use std::ops::AddAssign;

/// How many tests passed, failed and were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Counts {
    pub(crate) const ONE_FAILED: Self = Self {
        passed: 0,
        failed: 1,
        skipped: 0,
    };

    /// Reads `N passed, N failed, N skipped`, and nothing else on the line.
    pub(crate) fn from_summary_line(line: &str) -> Option<Self> {
        let mut parts = line.trim().split(", ");
        let counts = Self {
            passed: number_before(parts.next()?, " passed")?,
            failed: number_before(parts.next()?, " failed")?,
            skipped: number_before(parts.next()?, " skipped")?,
        };
        parts.next().is_none().then_some(counts)
    }

    /// Sums the `test result:` lines that `cargo test` prints, one per test binary.
    pub(crate) fn from_cargo_test(lines: &[String]) -> Self {
        let mut sum = Self::default();
        for line in lines {
            if let Some(counts) = Self::from_cargo_test_line(line) {
                sum += counts;
            }
        }
        sum
    }

    fn from_cargo_test_line(line: &str) -> Option<Self> {
        let (_verdict, numbers) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let mut parts = numbers.split("; ");
        Some(Self {
            passed: number_before(parts.next()?, " passed")?,
            failed: number_before(parts.next()?, " failed")?,
            skipped: number_before(parts.next()?, " ignored")?,
        })
    }

    /// Reads the totals that `node --test` prints at the end with its TAP reporter.
    pub(crate) fn from_tap(lines: &[String]) -> Self {
        let total = |name: &str| {
            lines
                .iter()
                .rev()
                .find_map(|line| line.strip_prefix("# ")?.strip_prefix(name)?.parse().ok())
                .unwrap_or(0)
        };
        Self {
            passed: total("pass "),
            failed: total("fail ") + total("cancelled "),
            skipped: total("skipped ") + total("todo "),
        }
    }

    /// The counts of one test program: what it printed, held against how it ended.
    ///
    /// A program that failed without saying so, or that ran nothing, counts as one failure.
    pub(crate) fn checked(self, ended_well: bool) -> Self {
        let silent_failure = !ended_well && self.failed == 0;
        let nothing_ran = self.passed + self.failed == 0;
        let mut counts = self;
        if silent_failure || nothing_ran {
            counts += Self::ONE_FAILED;
        }
        counts
    }
}

fn number_before(part: &str, suffix: &str) -> Option<u64> {
    part.strip_suffix(suffix)?.parse().ok()
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            skipped,
        } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u64, failed: u64, skipped: u64) -> Counts {
        Counts {
            passed,
            failed,
            skipped,
        }
    }

    #[test]
    fn a_summary_line_is_read_back_as_printed() {
        let printed = counts(12, 3, 4).to_string();
        assert_eq!(printed, "12 passed, 3 failed, 4 skipped");
        assert_eq!(Counts::from_summary_line(&printed), Some(counts(12, 3, 4)));
    }

    #[test]
    fn other_lines_are_no_summary() {
        for line in [
            "",
            "12 passed",
            "12 passed, 3 failed",
            "12 passed, 3 failed, 4 skipped, 5 slow",
            "x passed, 3 failed, 4 skipped",
            "-1 passed, 3 failed, 4 skipped",
            "all: 12 passed, 3 failed, 4 skipped",
        ] {
            assert_eq!(Counts::from_summary_line(line), None, "{line}");
        }
    }

    #[test]
    fn cargo_test_binaries_are_summed() {
        let output = [
            "running 3 tests",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "test a ... FAILED",
            "test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        ]
        .map(String::from);
        assert_eq!(Counts::from_cargo_test(&output), counts(8, 2, 1));
    }

    #[test]
    fn the_totals_of_node_test_are_read() {
        let output = [
            "# Subtest: a",
            "ok 1 - a",
            "# tests 12",
            "# suites 0",
            "# pass 5",
            "# fail 1",
            "# cancelled 2",
            "# skipped 3",
            "# todo 1",
            "# duration_ms 12.3",
        ]
        .map(String::from);
        assert_eq!(Counts::from_tap(&output), counts(5, 3, 4));
        assert_eq!(Counts::from_tap(&[]).checked(true), counts(0, 1, 0));
    }

    #[test]
    fn a_program_that_fails_silently_or_runs_nothing_is_a_failure() {
        assert_eq!(counts(5, 0, 0).checked(true), counts(5, 0, 0));
        assert_eq!(counts(5, 0, 0).checked(false), counts(5, 1, 0));
        assert_eq!(counts(5, 2, 0).checked(false), counts(5, 2, 0));
        assert_eq!(counts(0, 0, 9).checked(true), counts(0, 1, 9));
        assert_eq!(counts(0, 0, 0).checked(false), counts(0, 1, 0));
    }
}

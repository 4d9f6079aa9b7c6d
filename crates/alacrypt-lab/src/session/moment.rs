//! A moment as people write it, in UTC.

/// A second of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Year, month from 1, day from 1.
    pub date: (u64, u64, u64),
    /// Hour, minute, second.
    pub time: (u64, u64, u64),
}

impl Moment {
    /// The moment that many seconds after the beginning of 1970.
    pub fn of_unix(seconds: u64) -> Self {
        let (days, rest) = (seconds / 86_400, seconds % 86_400);
        Self {
            date: civil(days),
            time: (rest / 3600, rest / 60 % 60, rest % 60),
        }
    }

    /// `20260801-101500`, for names of files.
    pub fn compact(self) -> String {
        let ((year, month, day), (hour, minute, second)) = (self.date, self.time);
        format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
    }

    /// `2026-08-01 10:15 UTC`.
    pub fn readable(self) -> String {
        let ((year, month, day), (hour, minute, _)) = (self.date, self.time);
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
    }
}

/// Year, month and day of a number of days since 1970 (H. Hinnant, "chrono-Compatible Low-Level
/// Date Algorithms", civil_from_days).
fn civil(days: u64) -> (u64, u64, u64) {
    let z = days + 719_468;
    let (era, day_of_era) = (z / 146_097, z % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_the_calendar() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(19_782), (2024, 2, 29));
        assert_eq!(civil(20_666), (2026, 8, 1));
    }

    #[test]
    fn both_ways_to_write_it() {
        let moment = Moment::of_unix(20_666 * 86_400 + 10 * 3600 + 15 * 60 + 7);
        assert_eq!(moment.compact(), "20260801-101507");
        assert_eq!(moment.readable(), "2026-08-01 10:15 UTC");
    }
}

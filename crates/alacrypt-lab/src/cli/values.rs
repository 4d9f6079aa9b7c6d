//! The small value types of the command line: each parses once and cannot be wrong afterwards.

use std::fmt;
use std::str::FromStr;

/// A share given as a percentage: `1%` or `1` both mean 0.01.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent(pub f64);

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.trim().trim_end_matches('%').trim_end();
        match digits.parse::<f64>() {
            Ok(value) if value.is_finite() && value > 0.0 && value < 100.0 => {
                Ok(Self(value / 100.0))
            }
            _ => Err(format!(
                "expected a percentage above 0 and below 100, such as 1%, found {text:?}"
            )),
        }
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0 * 100.0)
    }
}

/// `NAME=TEXT`, as in `--name stock='node -e 0'` or `--set n=1000`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// What stands before the first `=`.
    pub name: String,
    /// Everything after it.
    pub value: String,
}

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok(Self {
                name: name.to_owned(),
                value: value.to_owned(),
            }),
            _ => Err(format!("expected NAME=VALUE, found {text:?}")),
        }
    }
}

/// When a comparison stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// After the planned number of rounds.
    Fixed,
    /// When the half-width of the 95 % interval of the ratio is at most this share.
    Width(f64),
    /// At one of four planned looks, when the question is decided.
    Decided,
}

impl FromStr for Until {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "fixed" => Ok(Self::Fixed),
            "decided" => Ok(Self::Decided),
            _ => match text.strip_prefix("width=") {
                Some(width) => Ok(Self::Width(width.parse::<Percent>()?.0)),
                None => Err(format!(
                    "expected fixed, decided or width=1%, found {text:?}"
                )),
            },
        }
    }
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed => f.write_str("fixed"),
            Self::Decided => f.write_str("decided"),
            Self::Width(width) => write!(f, "width={}%", width * 100.0),
        }
    }
}

/// Part `index` of `count`, both from 1: `2/5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub index: u32,
    /// How many parts there are.
    pub count: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text
            .split_once('/')
            .and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match parsed {
            Some((index, count)) if index >= 1 && index <= count => Ok(Self { index, count }),
            _ => Err(format!(
                "expected I/N with 1 <= I <= N, such as 2/5, found {text:?}"
            )),
        }
    }
}

/// What happens after a failed run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnFail {
    /// End the session; what was measured is reported.
    Stop,
    /// Skip the rest of this benchmark or command, go on with the others.
    SkipCell,
    /// Treat these exit codes as success.
    Ignore(Vec<i32>),
}

impl FromStr for OnFail {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "stop" => Ok(Self::Stop),
            "skip-cell" => Ok(Self::SkipCell),
            _ => text
                .strip_prefix("ignore=")
                .and_then(|codes| codes.split(',').map(|code| code.parse().ok()).collect())
                .map(Self::Ignore)
                .ok_or_else(|| format!("expected stop, skip-cell or ignore=1,2, found {text:?}")),
        }
    }
}

impl fmt::Display for OnFail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stop => f.write_str("stop"),
            Self::SkipCell => f.write_str("skip-cell"),
            Self::Ignore(codes) => {
                let codes: Vec<String> = codes.iter().map(i32::to_string).collect();
                write!(f, "ignore={}", codes.join(","))
            }
        }
    }
}

/// How long at most: `90`, `90s`, `15m` or `2h`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds(pub f64);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (digits, factor) = match text.strip_suffix(['s', 'm', 'h']) {
            Some(digits) if text.ends_with('m') => (digits, 60.0),
            Some(digits) if text.ends_with('h') => (digits, 3600.0),
            Some(digits) => (digits, 1.0),
            None => (text, 1.0),
        };
        match digits.parse::<f64>() {
            Ok(value) if value.is_finite() && value > 0.0 => Ok(Self(value * factor)),
            _ => Err(format!(
                "expected a time such as 90s, 15m or 2h, found {text:?}"
            )),
        }
    }
}

/// Processor numbers: `0`, `0,2` or `0-3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuList(pub Vec<usize>);

impl FromStr for CpuList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected processor numbers such as 0,2 or 0-3, found {text:?}");
        let mut cpus = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let first: usize = first.parse().map_err(|_| wrong())?;
            let last: usize = last.parse().map_err(|_| wrong())?;
            if first > last || last >= 4096 {
                return Err(wrong());
            }
            cpus.extend(first..=last);
        }
        cpus.sort_unstable();
        cpus.dedup();
        Ok(Self(cpus))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_with_and_without_the_sign() {
        assert_eq!("1%".parse(), Ok(Percent(0.01)));
        assert_eq!("2.5".parse(), Ok(Percent(0.025)));
        for bad in ["", "%", "0", "-1%", "100%", "nan", "one"] {
            assert!(bad.parse::<Percent>().is_err(), "{bad}");
        }
    }

    #[test]
    fn until_reads_back_what_it_prints() {
        for text in ["fixed", "decided", "width=1%", "width=2.5%"] {
            let until: Until = text.parse().expect("valid");
            assert_eq!(until.to_string(), text);
        }
        assert!("width".parse::<Until>().is_err());
        assert!("significant".parse::<Until>().is_err());
    }

    #[test]
    fn shards_lie_within_their_count() {
        assert_eq!("2/5".parse(), Ok(Shard { index: 2, count: 5 }));
        for bad in ["0/5", "6/5", "2", "a/b", "1/0"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }

    #[test]
    fn cpu_lists() {
        assert_eq!("0-2,4".parse(), Ok(CpuList(vec![0, 1, 2, 4])));
        assert_eq!("1,1".parse(), Ok(CpuList(vec![1])));
        for bad in ["", "3-1", "x", "0-", "0,,1", "99999"] {
            assert!(bad.parse::<CpuList>().is_err(), "{bad}");
        }
    }

    #[test]
    fn times_failures_and_names() {
        assert_eq!("15m".parse(), Ok(Seconds(900.0)));
        assert_eq!("90".parse(), Ok(Seconds(90.0)));
        assert!("-1s".parse::<Seconds>().is_err());
        assert_eq!("ignore=1,2".parse(), Ok(OnFail::Ignore(vec![1, 2])));
        assert!("ignore=x".parse::<OnFail>().is_err());
        let named: Named = "a=b=c".parse().expect("valid");
        assert_eq!((named.name.as_str(), named.value.as_str()), ("a", "b=c"));
        assert!("=x".parse::<Named>().is_err());
    }
}

//! Limits of what a run may use, as getrlimit(2) names them.

use std::fmt;
use std::str::FromStr;

/// What is limited, of each process of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// Address space, bytes.
    As,
    /// Data segment and private writable mappings, bytes.
    Data,
    /// Stack, bytes.
    Stack,
    /// Core dump, bytes.
    Core,
    /// A file that is written, bytes.
    Fsize,
    /// CPU time, seconds.
    Cpu,
    /// Open files.
    Nofile,
    /// Processes of the user.
    Nproc,
}

/// Unit of a resource, for reading and for telling.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    Seconds,
    Count,
}

/// Name, resource, unit, and the least value: the shim itself lives under the limit and needs some
/// memory and files for its report.
const TABLE: [(&str, Resource, Unit, u64); 8] = [
    ("as", Resource::As, Unit::Bytes, 32 << 20),
    ("data", Resource::Data, Unit::Bytes, 8 << 20),
    ("stack", Resource::Stack, Unit::Bytes, 256 << 10),
    ("core", Resource::Core, Unit::Bytes, 0),
    ("fsize", Resource::Fsize, Unit::Bytes, 0),
    ("cpu", Resource::Cpu, Unit::Seconds, 1),
    ("nofile", Resource::Nofile, Unit::Count, 16),
    ("nproc", Resource::Nproc, Unit::Count, 1),
];

/// One limit: `as=2G`, `cpu=30s`, `nofile=256`. It prints as it parses, sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// What is limited.
    pub resource: Resource,
    /// To how much, in the unit of the resource.
    pub value: u64,
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, amount) = text.split_once('=').unwrap_or((text, ""));
        let Some((name, resource, unit, least)) = TABLE.iter().find(|row| row.0 == name) else {
            let names: Vec<&str> = TABLE.iter().map(|row| row.0).collect();
            return Err(format!(
                "expected NAME=VALUE with a NAME of {}, found {text:?}",
                names.join(", ")
            ));
        };
        let example = match unit {
            Unit::Bytes => "2G, 512M, 64K or a number of bytes",
            Unit::Seconds => "30s",
            Unit::Count => "a whole number",
        };
        match unit.parse(amount) {
            Some(value) if value >= *least => Ok(Self {
                resource: *resource,
                value,
            }),
            Some(_) => Err(format!("{name} must be at least {least}, found {amount:?}")),
            None => Err(format!("expected {example} for {name}, found {amount:?}")),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = TABLE.iter().find(|row| row.1 == self.resource);
        let (name, unit) = row.map_or(("", Unit::Count), |row| (row.0, row.2));
        let suffix = if unit == Unit::Seconds { "s" } else { "" };
        write!(f, "{name}={}{suffix}", self.value)
    }
}

impl Unit {
    fn parse(self, amount: &str) -> Option<u64> {
        let (digits, factor) = match (self, amount.char_indices().next_back()?) {
            (Self::Bytes, (at, 'G' | 'g')) => (&amount[..at], 1 << 30),
            (Self::Bytes, (at, 'M' | 'm')) => (&amount[..at], 1 << 20),
            (Self::Bytes, (at, 'K' | 'k')) => (&amount[..at], 1 << 10),
            (Self::Seconds, (at, 's')) => (&amount[..at], 1),
            _ => (amount, 1),
        };
        digits.parse::<u64>().ok()?.checked_mul(factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_print_what_they_parse() {
        for (text, value, printed) in [
            ("as=2G", 2 << 30, "as=2147483648"),
            ("data=512m", 512 << 20, "data=536870912"),
            ("stack=1024K", 1 << 20, "stack=1048576"),
            ("core=0", 0, "core=0"),
            ("cpu=30s", 30, "cpu=30s"),
            ("cpu=30", 30, "cpu=30s"),
            ("nofile=256", 256, "nofile=256"),
        ] {
            let limit: Limit = text.parse().unwrap();
            assert_eq!((limit.value, limit.to_string().as_str()), (value, printed));
            assert_eq!(printed.parse(), Ok(limit));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, part) in [
            ("", "NAME of as, data"),
            ("memory=1G", "NAME of as, data"),
            ("as", "2G, 512M"),
            ("as=-1", "2G, 512M"),
            ("as=99999999999G", "2G, 512M"),
            ("as=1M", "at least 33554432"),
            ("nofile=1K", "a whole number"),
            ("nofile=3", "at least 16"),
            ("cpu=0.5s", "30s"),
            ("cpu=é", "30s"),
        ] {
            let why = text.parse::<Limit>().unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}

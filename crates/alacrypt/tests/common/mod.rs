//! What the tests share: the reader of vector files, and names.

// Each test program uses a part of it.
#![allow(dead_code)]

pub(crate) mod keys;

use alacrypt::digest::Algorithm;

/// The records of a vector file: `key = value` lines, one record per paragraph. A paragraph
/// without `answer` among its keys (a header) is no record.
pub(crate) fn records<'a>(text: &'a str, answer: &str) -> Vec<Record<'a>> {
    let records: Vec<_> = text
        .split("\n\n")
        .map(|paragraph| {
            Record(
                paragraph
                    .lines()
                    .filter(|line| !line.starts_with(['#', '[']))
                    .filter_map(|line| line.split_once('='))
                    .map(|(key, value)| (key.trim(), value.trim()))
                    .collect(),
            )
        })
        .filter(|record| record.0.iter().any(|(key, _)| *key == answer))
        .collect();
    assert_eq!(
        records.len(),
        text.lines()
            .filter(|line| line
                .strip_prefix(answer)
                .is_some_and(|rest| rest.trim_start().starts_with('=')))
            .count(),
        "each answer belongs to one record",
    );
    records
}

pub(crate) struct Record<'a>(Vec<(&'a str, &'a str)>);

impl Record<'_> {
    pub(crate) fn text(&self, key: &str) -> &str {
        self.0
            .iter()
            .find(|(name, _)| *name == key)
            .unwrap_or_else(|| panic!("no {key} in {:?}", self.0))
            .1
    }

    pub(crate) fn number(&self, key: &str) -> usize {
        self.text(key).parse().unwrap()
    }

    pub(crate) fn bytes(&self, key: &str) -> Vec<u8> {
        unhex(self.text(key))
    }

    /// The message: `Len` counts bits, and a message of none is written as one byte.
    pub(crate) fn message(&self) -> Vec<u8> {
        let mut message = self.bytes("Msg");
        message.truncate(self.number("Len") / 8);
        message
    }

    pub(crate) fn algorithm(&self) -> Algorithm {
        let name = self.text("Algorithm");
        Algorithm::ALL
            .into_iter()
            .find(|algorithm| format!("{algorithm:?}") == name)
            .unwrap_or_else(|| panic!("no algorithm {name}"))
    }
}

pub(crate) fn unhex(hex: &str) -> Vec<u8> {
    assert_eq!(hex.len() % 2, 0);
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The same bytes as `counting` of `vectors/generate.py`.
pub(crate) fn counting(len: usize) -> Vec<u8> {
    (0..len).map(|i| ((7 * i + i / 256) % 251) as u8).collect()
}

/// The algorithms that HMAC is defined over here.
pub(crate) fn with_hmac() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL
        .into_iter()
        .filter(|algorithm| algorithm.output_len_bytes().is_some())
}

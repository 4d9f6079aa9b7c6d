//! Mutated files through readers, analysis and every output: an error or a report, never a panic.

// Clippy sees test code only where `#[test]` stands; helpers may fail a test too.
#![allow(clippy::expect_used)]

use std::path::Path;

use alacrypt_lab::analysis::{Dataset, Settings, analyse};
use alacrypt_lab::cli::{Correction, Method, Stat};
use alacrypt_lab::import::{from_hyperfine, from_node_csv};
use alacrypt_lab::render::{self, Style};
use alacrypt_lab::stats::bootstrap::SplitMix64;

const METHODS: [Method; 5] = [
    Method::Auto,
    Method::Welch,
    Method::Paired,
    Method::Crossover,
    Method::Mwu,
];

fn csv() -> String {
    let mut text = String::from("\"binary\",\"filename\",\"configuration\",\"rate\",\"time\"\n");
    for run in 0..8 {
        for row in ["n=1 s='x'", "n=2 l=[ 1, 2 ]"] {
            let order = if run % 2 == 0 {
                ["old", "new"]
            } else {
                ["new", "old"]
            };
            for arm in order {
                let rate = 100.0 + f64::from(run * 13 % 7);
                text += &format!("\"{arm}\",\"a.js\",\"{row}\",{rate},0.5\n");
            }
        }
    }
    text
}

fn hyperfine() -> String {
    let times = "[0.1,0.11,0.12,0.1,0.13,0.11,0.1]";
    let entry = |name: &str| {
        format!(
            "{{\"command\":\"{name}\",\"mean\":0.11,\"stddev\":0.01,\"median\":0.11,\"user\":0.1,\"system\":0.01,\"min\":0.1,\"max\":0.13,\"times\":{times},\"exit_codes\":[0,0,0,0,0,0,0]}}"
        )
    };
    format!("{{\"results\":[{},{}]}}", entry("a"), entry("b"))
}

/// Pieces that readers stumble over, put in at random places.
const PIECES: [&str; 20] = [
    "\"",
    "\"\"",
    ",",
    "\n",
    "\r\n",
    " ",
    "NaN",
    "-",
    "e308",
    "1e-320",
    "0",
    "inf",
    "NA",
    "null",
    "[",
    "}",
    "\u{feff}",
    "é",
    "\0",
    "99999999999999999999",
];

fn mutate(text: &str, random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.index(bytes.len());
        match random.below(4) {
            0 => {
                bytes.remove(at);
            }
            1 => bytes[at] = random.below(256) as u8,
            2 => {
                let end = (at + random.index(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let piece = PIECES[random.index(PIECES.len())].bytes();
                bytes.splice(at..at, piece);
            }
        }
        if bytes.is_empty() {
            bytes.push(b'x');
        }
    }
    bytes
}

/// Everything that can be made of a dataset. Counts as reached when it returns.
fn everything(data: &Dataset, turn: usize) {
    let settings = Settings {
        method: METHODS[turn % METHODS.len()],
        stat: if turn.is_multiple_of(3) {
            Stat::Median
        } else {
            Stat::Mean
        },
        correction: if turn.is_multiple_of(4) {
            Correction::Bh
        } else {
            Correction::Auto
        },
        max_regression: Some(0.03),
        robust: true,
        ..Settings::default()
    };
    let report = analyse(data, &settings);
    for wide in [false, true] {
        let text = render::terminal(data, &report, Style { color: wide, wide });
        assert!(!text.is_empty());
    }
    assert!(render::markdown(data, &report).starts_with("<!-- alacrypt-lab"));
    let again = render::read_json(&render::json(data, &report)).expect("our own JSON reads back");
    assert_eq!(&again, data);
    let again = render::read_back(&render::html(data, &report)).expect("our own page reads back");
    assert_eq!(&again, data);
    assert!(render::node_csv(data).starts_with("\"binary\""));
}

#[test]
fn mutated_csv() {
    let (text, mut random) = (csv(), SplitMix64::new(1));
    let (mut read, mut refused) = (0, 0);
    for turn in 0..600 {
        let bytes = mutate(&text, &mut random);
        match from_node_csv(&[(Path::new("m.csv"), &bytes)], None) {
            Ok(data) => {
                everything(&data, turn);
                read += 1;
            }
            Err(error) => {
                assert!(error.to_string().contains("m.csv"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(
        read > 100 && refused > 100,
        "{read} read, {refused} refused"
    );
}

#[test]
fn mutated_hyperfine_json() {
    let (text, mut random) = (hyperfine(), SplitMix64::new(2));
    let (mut read, mut refused) = (0, 0);
    for turn in 0..3000 {
        let bytes = mutate(&text, &mut random);
        match from_hyperfine(&[(Path::new("m.json"), &bytes)], None) {
            Ok(data) => {
                everything(&data, turn);
                read += 1;
            }
            Err(error) => {
                assert!(error.to_string().contains("m.json"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(
        read > 100 && refused > 100,
        "{read} read, {refused} refused"
    );
}

#[test]
fn mutated_pages_of_our_own() {
    let text = csv();
    let data = from_node_csv(&[(Path::new("c.csv"), text.as_bytes())], None).expect("valid");
    let page = render::html(&data, &analyse(&data, &Settings::default()));
    let mut random = SplitMix64::new(3);
    let start = page.find("application/json").expect("the data");
    let (mut read, mut refused) = (0, 0);
    for turn in 0..600 {
        let mut bytes = page.as_bytes()[..start].to_vec();
        bytes.extend(mutate(&page[start..], &mut random));
        let Ok(text) = std::str::from_utf8(&bytes) else {
            continue;
        };
        match render::read_back(text) {
            Ok(data) => {
                everything(&data, turn);
                read += 1;
            }
            Err((_, message)) => {
                assert!(!message.is_empty());
                refused += 1;
            }
        }
    }
    assert!(read > 50 && refused > 50, "{read} read, {refused} refused");
}

//! Reading the golden cases and comparing numbers within their tolerances.
#![allow(dead_code)]
// Each test binary uses its own part of this.
// Clippy sees test code only where `#[test]` stands; a missing vector must fail the test.
#![allow(clippy::expect_used, clippy::panic)]

pub(crate) mod binary;
pub(crate) mod fake;

use serde_json::Value;

/// The golden case of this id.
pub(crate) fn golden(id: &str) -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/lab/golden.json");
    let text = std::fs::read_to_string(path).expect("golden.json is in vectors/lab");
    let file: Value = serde_json::from_str(&text).expect("golden.json is JSON");
    let cases = file["cases"].as_array().expect("a list of cases");
    let case = cases.iter().find(|case| case["id"] == id);
    case.unwrap_or_else(|| panic!("no golden case {id}"))
        .clone()
}

/// Numbers of an array, or the one number that stands for an array of one.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().map(number).collect(),
        single => vec![number(single)],
    }
}

/// A number; anything else is a fault of the test.
pub(crate) fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("not a number: {value}"))
}

/// Fails unless `found` is within `rel` of `expected`.
pub(crate) fn near(found: f64, expected: &Value, rel: f64, what: &str) {
    let expected = number(expected);
    let fault = (found - expected).abs();
    assert!(
        fault <= rel * expected.abs(),
        "{what}: found {found:e}, expected {expected:e}"
    );
}

/// Fails unless both ends are within `rel`.
pub(crate) fn near_all(found: &[f64], expected: &Value, rel: f64, what: &str) {
    let list = expected.as_array().expect("a list");
    assert_eq!(found.len(), list.len(), "{what}");
    for (found, expected) in found.iter().zip(list) {
        near(*found, expected, rel, what);
    }
}

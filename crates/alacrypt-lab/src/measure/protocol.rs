//! What Node-style benchmark files send to their parent, and how a configuration is written.
//!
//! A benchmark is forked with a message channel (`NODE_CHANNEL_FD`, one JSON text per line) and
//! sends `{type: 'config', …}` once and `{type: 'report', name, conf, rate, time}` for each
//! configuration. `compare.js` writes a configuration as `key=value` with `util.inspect` for the
//! value; [`configuration`] gives the same text, so that rows have the names that people know.

use serde_json::{Map, Value};

/// One configuration's result.
#[derive(Debug, Clone, PartialEq)]
pub struct Reported {
    /// The configuration as `compare.js` writes it.
    pub config: String,
    /// Operations per second, or why there is no such number.
    pub rate: Result<f64, String>,
    /// Seconds that it measured, where it said so.
    pub time_s: Option<f64>,
}

/// A message of a benchmark.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// How many reports will follow.
    Config {
        /// Number of configurations, where it said so.
        queue_length: Option<u64>,
    },
    /// A result.
    Report(Reported),
    /// Something else: benchmarks may talk to their children; it is not for us.
    Other,
}

impl Message {
    /// Reads one line of the channel.
    ///
    /// # Errors
    /// A sentence when it is not JSON, or a report without a configuration.
    pub fn parse(line: &[u8]) -> Result<Self, String> {
        let value: Value = serde_json::from_slice(line)
            .map_err(|e| format!("a message of the benchmark is no JSON: {e}"))?;
        match value.get("type").and_then(Value::as_str) {
            Some("config") => Ok(Self::Config {
                queue_length: value.get("queueLength").and_then(Value::as_u64),
            }),
            Some("report") => {
                let Some(Value::Object(conf)) = value.get("conf") else {
                    return Err("a report of the benchmark has no conf".into());
                };
                Ok(Self::Report(Reported {
                    config: configuration(conf),
                    rate: rate(value.get("rate")),
                    time_s: value
                        .get("time")
                        .and_then(Value::as_f64)
                        .filter(|t| t.is_finite()),
                }))
            }
            _ => Ok(Self::Other),
        }
    }
}

/// A rate must be a positive, finite number. JSON has no NaN: what was one arrives as null.
fn rate(value: Option<&Value>) -> Result<f64, String> {
    match value {
        None => Err("the report has no rate".into()),
        Some(Value::Null) => Err("the reported rate is not a finite number".into()),
        Some(value) => match value.as_f64() {
            Some(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
            Some(rate) => Err(format!("the reported rate is {rate}, not above 0")),
            None => Err(format!("the reported rate is {value}, not a number")),
        },
    }
}

/// `key=value` pairs, separated by spaces, in the order in which they were sent.
pub fn configuration(conf: &Map<String, Value>) -> String {
    let pairs: Vec<String> = conf
        .iter()
        .map(|(key, value)| format!("{key}={}", inspect(value)))
        .collect();
    pairs.join(" ")
}

/// `util.inspect` for what a configuration may hold. Lists and objects stay on one line, which is
/// what Node does up to six short elements.
fn inspect(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => n.as_f64().map_or_else(|| n.to_string(), number),
        Value::String(s) => quote(s),
        Value::Array(items) if items.is_empty() => "[]".into(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inspect).collect();
            format!("[ {} ]", items.join(", "))
        }
        Value::Object(map) if map.is_empty() => "{}".into(),
        Value::Object(map) => {
            let pairs: Vec<String> = map
                .iter()
                .map(|(key, value)| {
                    let key = if is_identifier(key) {
                        key.clone()
                    } else {
                        quote(key)
                    };
                    format!("{key}: {}", inspect(value))
                })
                .collect();
            format!("{{ {} }}", pairs.join(", "))
        }
    }
}

/// Number::toString of ECMA-262 (section 6.1.6.1.20): the shortest digits that read back, plain
/// between 1e-6 and 1e21, else with an exponent.
fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let scientific = format!("{:e}", value.abs());
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let Ok(exponent) = exponent.parse::<i32>() else {
        return scientific;
    };
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let length = digits.len() as i32;
    // The value is 0.digits × 10^point.
    let point = exponent + 1;
    let text = if length <= point && point <= 21 {
        digits.clone() + &"0".repeat((point - length) as usize)
    } else if 0 < point && point <= 21 {
        format!(
            "{}.{}",
            &digits[..point as usize],
            &digits[point as usize..]
        )
    } else if -6 < point && point <= 0 {
        format!("0.{}{digits}", "0".repeat(-point as usize))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        let fraction = if length > 1 {
            format!(".{}", &digits[1..])
        } else {
            String::new()
        };
        format!("{}{fraction}e{sign}{}", &digits[..1], exponent.abs())
    };
    if value < 0.0 {
        format!("-{text}")
    } else {
        text
    }
}

/// Single quotes, unless the text holds one and another kind of quote does not occur in it.
fn quote(text: &str) -> String {
    let quote = if !text.contains('\'') {
        '\''
    } else if !text.contains('"') {
        '"'
    } else if !text.contains('`') && !text.contains("${") {
        '`'
    } else {
        '\''
    };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\\' => out.push_str("\\\\"),
            c if c == quote && quote == '\'' => out.push_str("\\'"),
            c if (c as u32) < 0x20 || (0x7f..=0x9f).contains(&(c as u32)) => {
                out.push_str(&format!("\\x{:02X}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

fn is_identifier(key: &str) -> bool {
    let mut chars = key.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(json: &str) -> String {
        configuration(
            serde_json::from_str::<Value>(json)
                .unwrap()
                .as_object()
                .unwrap(),
        )
    }

    #[test]
    fn values_read_as_util_inspect_writes_them() {
        // Each right side is what `node -p "util.inspect(x)"` prints.
        assert_eq!(
            config(r#"{"n":1000,"type":"buf","on":true}"#),
            "n=1000 type='buf' on=true"
        );
        assert_eq!(config(r#"{"a":"it's"}"#), "a=\"it's\"");
        assert_eq!(config(r#"{"a":"it's \"x\""}"#), "a=`it's \"x\"`");
        assert_eq!(config(r#"{"a":"'\"`"}"#), "a='\\'\"`'");
        assert_eq!(config(r#"{"a":""}"#), "a=''");
        assert_eq!(
            config(r#"{"a":"a\nb\u0001\u001b\\"}"#),
            "a='a\\nb\\x01\\x1B\\\\'"
        );
        assert_eq!(
            config(r#"{"a":[1,2],"b":[],"c":["x"]}"#),
            "a=[ 1, 2 ] b=[] c=[ 'x' ]"
        );
        assert_eq!(
            config(r#"{"a":{"b":1,"c-d":null}}"#),
            "a={ b: 1, 'c-d': null }"
        );
    }

    #[test]
    fn numbers_read_as_javascript_writes_them() {
        for (value, text) in [
            (0.5, "0.5"),
            (-0.0, "0"),
            (1e6, "1000000"),
            (123_456.789, "123456.789"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (0.000_001, "0.000001"),
            (0.000_000_1, "1e-7"),
            (-1.25e-9, "-1.25e-9"),
            (0.1 + 0.2, "0.30000000000000004"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn order_of_keys_is_kept() {
        assert_eq!(config(r#"{"z":1,"a":2,"m":3}"#), "z=1 a=2 m=3");
    }

    #[test]
    fn a_rate_that_is_no_rate_says_why() {
        let rate_of = |json: &str| match Message::parse(json.as_bytes()).unwrap() {
            Message::Report(reported) => reported.rate,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            rate_of(r#"{"type":"report","conf":{},"rate":12.5,"time":1}"#),
            Ok(12.5)
        );
        assert!(rate_of(r#"{"type":"report","conf":{},"rate":null}"#).is_err());
        assert!(rate_of(r#"{"type":"report","conf":{},"rate":-3}"#).is_err());
        assert!(rate_of(r#"{"type":"report","conf":{},"rate":0}"#).is_err());
        assert!(rate_of(r#"{"type":"report","conf":{}}"#).is_err());
        assert!(rate_of(r#"{"type":"report","conf":{},"rate":"fast"}"#).is_err());
    }

    #[test]
    fn other_messages_pass_and_garbage_is_told() {
        assert_eq!(
            Message::parse(br#"{"type":"config","queueLength":3}"#),
            Ok(Message::Config {
                queue_length: Some(3)
            })
        );
        assert_eq!(Message::parse(br#"{"hello":1}"#), Ok(Message::Other));
        assert!(Message::parse(b"{").is_err());
        assert!(Message::parse(br#"{"type":"report","rate":1}"#).is_err());
    }
}

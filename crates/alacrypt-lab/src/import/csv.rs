//! A small reader for both dialects of Node's benchmark CSV: `a,b` and `a, b`.
//!
//! The csv crate splits the second dialect at commas inside quotes (the space before the quote
//! makes the field unquoted to it); R's `read.csv` does not, and neither does this.

use std::borrow::Cow;

/// One record with the number of the line on which it starts, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Line, from 1.
    pub line: usize,
    /// Fields, unquoted, without surrounding spaces.
    pub fields: Vec<Cow<'a, str>>,
}

/// Splits text into records. Quotes double inside quotes; CRLF, LF and a leading byte order mark
/// are accepted; empty lines are skipped; a quoted field may span lines.
///
/// # Errors
/// The line and what was expected there.
pub fn read_records(text: &str) -> Result<Vec<Record<'_>>, (usize, String)> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut line = 1;
    let mut records = Vec::new();
    while !rest.is_empty() {
        let mut record = Record {
            line,
            fields: Vec::new(),
        };
        loop {
            rest = rest.trim_start_matches([' ', '\t']);
            let (field, after) = if let Some(inner) = rest.strip_prefix('"') {
                quoted(inner, &mut line)?
            } else {
                let end = rest.find([',', '\n']).unwrap_or(rest.len());
                (Cow::Borrowed(rest[..end].trim_end()), &rest[end..])
            };
            record.fields.push(field);
            let after = after.trim_start_matches([' ', '\t', '\r']);
            if let Some(more) = after.strip_prefix(',') {
                rest = more;
                continue;
            }
            match after.strip_prefix('\n') {
                Some(next) => rest = next,
                None if after.is_empty() => rest = after,
                None => {
                    let found: String = after.chars().take(10).collect();
                    return Err((
                        line,
                        format!(
                            "expected a comma or the end of the line after the closing quote, found {found:?}"
                        ),
                    ));
                }
            }
            break;
        }
        line += 1;
        if record.fields.iter().any(|field| !field.is_empty()) {
            records.push(record);
        }
    }
    Ok(records)
}

/// Reads to the closing quote; gives the field and what follows the quote. Only a field with
/// doubled quotes is copied.
fn quoted<'a>(text: &'a str, line: &mut usize) -> Result<(Cow<'a, str>, &'a str), (usize, String)> {
    let (start, mut field, mut rest) = (*line, Cow::Borrowed(""), text);
    loop {
        let Some(end) = rest.find('"') else {
            let message = "expected a closing quote, found the end of the file";
            return Err((start, message.into()));
        };
        let (piece, after) = (&rest[..end], &rest[end + 1..]);
        *line += piece.bytes().filter(|byte| *byte == b'\n').count();
        // `Cow` keeps the borrow while the field has a single piece.
        field += piece;
        match after.strip_prefix('"') {
            Some(more) => {
                field.to_mut().push('"');
                rest = more;
            }
            None => return Ok((field, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Vec<String> {
        let record = read_records(text).expect("well formed").remove(0);
        record.fields.into_iter().map(Cow::into_owned).collect()
    }

    #[test]
    fn both_dialects_and_line_ends() {
        let expected = ["old", "a.js", "n=1 s=\"x\" l=[ 1, 2 ]", "1.5", "2"];
        for line in [
            "\"old\",\"a.js\",\"n=1 s=\"\"x\"\" l=[ 1, 2 ]\",1.5,2",
            "\"old\", \"a.js\", \"n=1 s=\"\"x\"\" l=[ 1, 2 ]\", 1.5, 2\r\n",
            "\u{feff}old , a.js,\"n=1 s=\"\"x\"\" l=[ 1, 2 ]\" ,1.5, 2 \n",
        ] {
            assert_eq!(fields(line), expected);
        }
    }

    #[test]
    fn lines_are_counted_through_quotes_and_blanks() {
        let records = read_records("a,b\n\n\"x\ny\",1\nlast,2").expect("well formed");
        let lines: Vec<usize> = records.iter().map(|record| record.line).collect();
        assert_eq!(lines, [1, 3, 5]);
        assert_eq!(records[1].fields[0], "x\ny");
    }

    #[test]
    fn faults_name_their_line() {
        assert_eq!(read_records("a\n\"b").expect_err("unclosed").0, 2);
        let (line, message) = read_records("a,b\n\"c\"d,e").expect_err("text after quote");
        assert_eq!(line, 2);
        assert!(message.contains("\"d,e\""), "{message}");
    }

    #[test]
    fn empty_text_has_no_records() {
        assert_eq!(read_records(""), Ok(Vec::new()));
        assert_eq!(read_records("\n\r\n \n"), Ok(Vec::new()));
    }
}

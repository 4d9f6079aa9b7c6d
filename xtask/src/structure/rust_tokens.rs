//! Just enough of Rust's lexical grammar to tell code from comments and literals.

/// The words (identifiers and keywords) of Rust source, each with its line, in order.
///
/// What stands in comments, strings, byte strings, raw strings and characters is left out.
pub(crate) fn words(source: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = source.chars().collect();
    let mut words = Vec::new();
    let mut line = 1;
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let end = match c {
            '/' if chars.get(at + 1) == Some(&'/') => end_of_line(&chars, at),
            '/' if chars.get(at + 1) == Some(&'*') => end_of_block_comment(&chars, at),
            '"' => end_of_string(&chars, at),
            '\'' => end_of_quote(&chars, at),
            c if is_word_start(c) => {
                let end = end_of_word(&chars, at);
                match end_of_prefixed_literal(&chars, at, end) {
                    Some(literal_end) => literal_end,
                    None => {
                        words.push((line, chars[at..end].iter().collect()));
                        end
                    }
                }
            }
            // A number and its suffix are no word.
            c if c.is_ascii_digit() => end_of_word(&chars, at),
            _ => at + 1,
        };
        let end = end.min(chars.len());
        line += chars[at..end].iter().filter(|&&c| c == '\n').count();
        at = end;
    }
    words
}

fn is_word_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn end_of_word(chars: &[char], start: usize) -> usize {
    let length = chars[start..]
        .iter()
        .take_while(|&&c| c == '_' || c.is_alphanumeric())
        .count();
    start + length
}

fn end_of_line(chars: &[char], start: usize) -> usize {
    let length = chars[start..].iter().take_while(|&&c| c != '\n').count();
    start + length
}

/// Block comments nest.
fn end_of_block_comment(chars: &[char], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                at += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    break;
                }
            }
            _ => at += 1,
        }
    }
    at
}

fn end_of_string(chars: &[char], quote: usize) -> usize {
    let mut at = quote + 1;
    while let Some(&c) = chars.get(at) {
        match c {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    at
}

/// Raw strings end at a quote with as many hashes as they began with.
fn end_of_raw_string(chars: &[char], quote: usize, hashes: usize) -> usize {
    let mut at = quote + 1;
    while at < chars.len() {
        let tail = &chars[at + 1..];
        if chars[at] == '"' && tail.iter().take_while(|&&c| c == '#').count() >= hashes {
            return at + 1 + hashes;
        }
        at += 1;
    }
    at
}

/// A quote starts a character (`'a'`, `'\n'`) or a lifetime or label (`'a`).
fn end_of_quote(chars: &[char], quote: usize) -> usize {
    match (chars.get(quote + 1), chars.get(quote + 2)) {
        (Some('\\'), _) => {
            let mut at = quote + 3;
            while chars.get(at).is_some_and(|&c| c != '\'' && c != '\n') {
                at += 1;
            }
            at + 1
        }
        (Some(_), Some('\'')) => quote + 3,
        (Some(&c), _) if is_word_start(c) => end_of_word(chars, quote + 1),
        _ => quote + 1,
    }
}

/// A word that is in fact the prefix of a literal: `b"…"`, `r#"…"#`, `b'…'`, `c"…"`, `br"…"`;
/// or of a raw identifier: `r#unsafe` is a name like any other.
fn end_of_prefixed_literal(chars: &[char], start: usize, end: usize) -> Option<usize> {
    let prefix: String = chars[start..end].iter().collect();
    let hashes = chars[end..].iter().take_while(|&&c| c == '#').count();
    let next = chars.get(end + hashes);
    match (prefix.as_str(), next) {
        ("b" | "c", Some('"')) if hashes == 0 => Some(end_of_string(chars, end)),
        ("b", Some('\'')) if hashes == 0 => Some(end_of_quote(chars, end)),
        ("r" | "br" | "cr", Some('"')) => Some(end_of_raw_string(chars, end + hashes, hashes)),
        ("r", Some(&c)) if hashes == 1 && is_word_start(c) => Some(end_of_word(chars, end + 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        words(source).into_iter().map(|(_, word)| word).collect()
    }

    #[test]
    fn code_is_seen() {
        assert_eq!(
            words("fn f() {\n    unsafe { g::<'a>(1u8) }\n}"),
            [(1, "fn"), (1, "f"), (2, "unsafe"), (2, "g")].map(|(l, w)| (l, w.to_owned()))
        );
    }

    #[test]
    fn comments_are_not_seen() {
        assert_eq!(texts("a // unsafe\nb"), ["a", "b"]);
        assert_eq!(texts("a /* x /* unsafe */ unsafe */ b"), ["a", "b"]);
        assert_eq!(texts("/// unsafe\n//! unsafe\nb /* unsafe"), ["b"]);
    }

    #[test]
    fn literals_are_not_seen() {
        assert_eq!(texts(r#"a "unsafe \" unsafe" b"#), ["a", "b"]);
        assert_eq!(texts(r###"a r#"unsafe " unsafe"# b"###), ["a", "b"]);
        assert_eq!(texts(r#"a b"unsafe" c"unsafe" br"unsafe\" b"#), ["a", "b"]);
        assert_eq!(texts(r"a '\'' '\u{1f600}' 'u' b'\'' b'u' b"), ["a", "b"]);
        assert_eq!(texts(r#"a '"' unsafe '"' b"#), ["a", "unsafe", "b"]);
    }

    #[test]
    fn raw_identifiers_are_names_and_lifetimes_are_not_characters() {
        assert_eq!(texts("a r#unsafe b"), ["a", "b"]);
        assert_eq!(texts("'a: unsafe 'b"), ["unsafe"]);
        assert_eq!(
            texts("unsafe_code not_unsafe"),
            ["unsafe_code", "not_unsafe"]
        );
    }

    #[test]
    fn lines_are_counted_through_comments_and_strings() {
        let source = "/*\n\n*/ a \"\n\n\" b r#\"\n\"# c";
        assert_eq!(
            words(source),
            [(3, "a"), (5, "b"), (6, "c")].map(|(l, w)| (l, w.to_owned()))
        );
    }
}

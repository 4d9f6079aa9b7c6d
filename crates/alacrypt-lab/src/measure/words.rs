//! Splitting a command line into words as a POSIX shell does, without its expansions
//! (XCU 2.2, quoting).

/// The words of `text`.
///
/// # Errors
/// A sentence when a quote is not closed or the text ends in a backslash.
pub fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return Err(format!("a ' is not closed in {text:?}")),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                            Some('\n') => {}
                            Some(c) => word.extend(['\\', c]),
                            None => return Err(format!("a \" is not closed in {text:?}")),
                        },
                        Some(c) => word.push(c),
                        None => return Err(format!("a \" is not closed in {text:?}")),
                    }
                }
            }
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(c) => word.get_or_insert_default().push(c),
                None => return Err(format!("{text:?} ends in a backslash")),
            },
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Whether `text` holds something that only a shell understands, such as a pipe or a variable,
/// outside quotes.
pub fn needs_shell(text: &str) -> bool {
    let (mut single, mut double, mut escaped) = (false, false, false);
    for c in text.chars() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match c {
            '\\' if !single => escaped = true,
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            '$' | '`' if !single => return true,
            '|' | '&' | ';' | '<' | '>' | '*' | '?' | '~' | '(' | ')' if !single && !double => {
                return true;
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes() {
        assert_eq!(
            split(r#"node -e 'a "b"' "c \" d" e\ f "" "#).unwrap(),
            ["node", "-e", "a \"b\"", "c \" d", "e f", ""]
        );
        assert_eq!(split(r#"a"b"'c'"#).unwrap(), ["abc"]);
        assert_eq!(split(r#""\n""#).unwrap(), ["\\n"]);
        assert!(split("   ").unwrap().is_empty());
    }

    #[test]
    fn unfinished_text_is_refused() {
        assert!(split("'a").is_err());
        assert!(split("\"a").is_err());
        assert!(split("a\\").is_err());
    }

    #[test]
    fn what_only_a_shell_understands() {
        assert!(needs_shell("a | b"));
        assert!(needs_shell("echo \"$HOME\""));
        assert!(!needs_shell("node -e 'a | b && $c'"));
        assert!(!needs_shell("node -e \"a > b\""));
        assert!(!needs_shell(r"a \| b"));
    }
}

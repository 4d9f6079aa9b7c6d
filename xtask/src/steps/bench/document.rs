//! `docs/BENCHMARKS.md`: people write the text, this writes what stands between markers.
//!
//! A part begins with `<!-- bench: NAME -->` and ends with `<!-- /bench: NAME -->`.

use std::path::Path;

use crate::failure::{Failure, Result};

/// Replaces the part of that name in the document; a new part goes to the end.
pub(super) fn write_part(document: &Path, name: &str, content: &str) -> Result<()> {
    let text = std::fs::read_to_string(document).map_err(Failure::at(document))?;
    let new = with_part(&text, name, content)
        .map_err(|fault| Failure::new(format!("{}: {fault}", document.display())))?;
    if new == text {
        return Ok(());
    }
    std::fs::write(document, new).map_err(Failure::at(document))
}

fn with_part(text: &str, name: &str, content: &str) -> std::result::Result<String, String> {
    let (begin, end) = (
        format!("<!-- bench: {name} -->"),
        format!("<!-- /bench: {name} -->"),
    );
    if content.contains(&begin) || content.contains(&end) {
        return Err(format!("the new text of {name} holds its own marker"));
    }
    let part = format!("{begin}\n\n{}\n\n{end}", content.trim());
    let (begins, ends) = (text.matches(&begin).count(), text.matches(&end).count());
    match (begins, ends, text.find(&begin), text.find(&end)) {
        (0, 0, _, _) => Ok(format!("{}\n\n{part}\n", text.trim_end())),
        (1, 1, Some(from), Some(to)) if from < to => {
            Ok([&text[..from], &part, &text[to + end.len()..]].concat())
        }
        _ => Err(format!("expected {begin} and then {end}, each once")),
    }
}

/// A block of code that no line of the text can end.
pub(super) fn fenced(language: &str, text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}

/// The text without the path of this checkout, which says nothing to a reader.
pub(super) fn without_root(text: &str, root: &Path) -> String {
    let root = root.to_string_lossy();
    text.replace(&format!("{root}/"), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_replaced_and_the_rest_stays() {
        let old = "# Title\n\n<!-- bench: a -->\nold\n<!-- /bench: a -->\n\nmore\n";
        let new = with_part(old, "a", "\nnew\n");
        let expected = "# Title\n\n<!-- bench: a -->\n\nnew\n\n<!-- /bench: a -->\n\nmore\n";
        assert_eq!(new.as_deref(), Ok(expected));
        // The same once more changes nothing.
        assert_eq!(with_part(expected, "a", "new").as_deref(), Ok(expected));
    }

    #[test]
    fn a_new_part_goes_to_the_end() {
        let new = with_part("# Title\n", "b", "text");
        let expected = "# Title\n\n<!-- bench: b -->\n\ntext\n\n<!-- /bench: b -->\n";
        assert_eq!(new.as_deref(), Ok(expected));
        assert_eq!(with_part(expected, "b", "text").as_deref(), Ok(expected));
    }

    #[test]
    fn broken_markers_are_refused() {
        for text in [
            "<!-- bench: a -->",
            "<!-- /bench: a -->",
            "<!-- /bench: a --><!-- bench: a -->",
            "<!-- bench: a --><!-- bench: a --><!-- /bench: a -->",
        ] {
            assert!(with_part(text, "a", "x").is_err(), "{text}");
        }
        assert!(with_part("", "a", "<!-- /bench: a -->").is_err());
    }

    #[test]
    fn nothing_ends_a_fence_early() {
        assert_eq!(fenced("console", "$ a\n"), "```console\n$ a\n```");
        assert_eq!(fenced("", "```\nb"), "````\n```\nb\n````");
    }

    #[test]
    fn paths_are_relative_to_the_checkout() {
        let text = without_root("/a/b/c.js and /a/bc", Path::new("/a/b"));
        assert_eq!(text, "c.js and /a/bc");
    }
}

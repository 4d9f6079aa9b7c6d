//! Each file of test vectors has a line of origin in `vectors/SOURCES.md`.

use super::Violation;

const FOLDER: &str = "vectors/";
const SOURCES: &str = "vectors/SOURCES.md";

/// Checks the listed files (relative to the root of the workspace) against `SOURCES.md`.
///
/// A line of origin names the file by its path inside `vectors/` and says something more.
pub(crate) fn origins<'a>(
    files: impl Iterator<Item = &'a str>,
    sources: Option<&str>,
) -> Vec<Violation> {
    let lines: Vec<Vec<&str>> = sources.unwrap_or_default().lines().map(tokens).collect();
    files
        .filter(|path| path.starts_with(FOLDER) && *path != SOURCES)
        .filter(|path| {
            let name = &path[FOLDER.len()..];
            !lines
                .iter()
                .any(|line| line.len() > 1 && line.contains(&name))
        })
        .map(|path| format!("{path}: no line of origin in {SOURCES}"))
        .collect()
}

/// The words of a line of Markdown; a path is one word, with or without backticks around it.
fn tokens(line: &str) -> Vec<&str> {
    line.split(|c: char| c.is_whitespace() || "`|()[],;:*<>".contains(c))
        .filter(|token| token.chars().any(char::is_alphanumeric))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 4] = [
        "vectors/SOURCES.md",
        "vectors/digest/sha256.rsp",
        "vectors/mac/hmac.json",
        "src/lib.rs",
    ];

    #[test]
    fn each_file_with_a_line_is_fine() {
        let sources = "# Sources\n\n| file | origin |\n|---|---|\n\
            | `digest/sha256.rsp` | NIST CAVP |\n- mac/hmac.json: Wycheproof";
        assert_eq!(
            origins(FILES.into_iter(), Some(sources)),
            Vec::<Violation>::new()
        );
    }

    #[test]
    fn a_file_without_a_line_is_refused() {
        for sources in [
            "",
            "| `digest/sha256.rsp` | |\n",
            "| `digest/sha256.rsp.gz` | NIST |",
            "| `sha256.rsp` | NIST |",
            "| `old/digest/sha256.rsp` | NIST |",
        ] {
            let with_the_other = format!("{sources}\n- `mac/hmac.json` Wycheproof");
            assert_eq!(
                origins(FILES.into_iter(), Some(&with_the_other)),
                ["vectors/digest/sha256.rsp: no line of origin in vectors/SOURCES.md"],
                "{sources}"
            );
        }
    }

    #[test]
    fn without_a_list_every_file_is_refused() {
        assert_eq!(origins(FILES.into_iter(), None).len(), 2);
    }
}

//! No source file is longer than a person can hold: 1,000 lines at most.

use super::Violation;

const LINES_MAX: usize = 1_000;

/// What people write and read; lock files and vectors are neither.
const EXTENSIONS: [&str; 14] = [
    "rs", "ts", "mts", "cts", "js", "mjs", "cjs", "sh", "py", "toml", "yml", "yaml", "md", "html",
];

/// Whether the rule is about this file.
pub(crate) fn applies_to(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
        && !path.starts_with("vectors/")
}

pub(crate) fn of_file(path: &str, text: &str) -> Vec<Violation> {
    let lines = text.lines().count();
    if lines > LINES_MAX {
        vec![format!("{path}: {lines} lines, at most {LINES_MAX}")]
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_itself_is_fine_and_one_line_more_is_refused() {
        assert_eq!(
            of_file("a.rs", &"\n".repeat(1_000)),
            Vec::<Violation>::new()
        );
        assert_eq!(
            of_file("a.rs", &"\n".repeat(1_001)),
            ["a.rs: 1001 lines, at most 1000"]
        );
    }

    #[test]
    fn sources_count_and_data_does_not() {
        for path in ["src/lib.rs", "npm/alacrypt/src/mac.ts", "docs/DESIGN.md"] {
            assert!(applies_to(path), "{path}");
        }
        for path in ["Cargo.lock", "package-lock.json", "vectors/a.rs", "LICENSE"] {
            assert!(!applies_to(path), "{path}");
        }
    }
}

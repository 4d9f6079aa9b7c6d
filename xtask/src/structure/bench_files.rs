//! The room `bench/node`: what is measured there knows nothing of Alacrypt, so that stock Node and
//! Node with the flag run the very same files.

use super::Violation;

const ROOM: &str = "bench/node/";

/// What a file there may load besides Node's own modules.
const HELPERS: [&str; 5] = [
    "../common.js",
    "../_keys.js",
    "../_shared.js",
    "./common.js",
    "./_shared.js",
];

/// Whether the rule is about this file: a program in the room that is no test of it.
pub(crate) fn applies_to(path: &str) -> bool {
    path.starts_with(ROOM)
        && [".js", ".cjs", ".mjs"]
            .iter()
            .any(|end| path.ends_with(end))
        && !path.ends_with(".test.mjs")
}

pub(crate) fn of_file(path: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        for module in loaded(line) {
            if !module.starts_with("node:") && !HELPERS.contains(&module) {
                violations.push(format!(
                    "{path}:{number}: a benchmark loads Node's own modules and its helpers only, \
                     not `{module}`"
                ));
            }
        }
    }
    if is_benchmark(path) && !text.contains("require('../common.js')") {
        violations.push(format!("{path}: a benchmark requires ../common.js"));
    }
    violations
}

/// A file in a category: `bench/node/crypto/hash.js`.
fn is_benchmark(path: &str) -> bool {
    let inside = path.strip_prefix(ROOM).unwrap_or_default();
    inside.contains('/') && !inside.starts_with("fixtures/")
}

/// The modules that a line names in `require('…')`, `import('…')` or `from '…'`.
fn loaded(line: &str) -> impl Iterator<Item = &str> {
    ["require(", "import(", "from ", "import "]
        .into_iter()
        .flat_map(|word| line.split(word).skip(1))
        .filter_map(|rest| {
            let quote = rest
                .chars()
                .next()
                .filter(|c| matches!(c, '\'' | '"' | '`'))?;
            rest[1..].split(quote).next()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benchmarks_and_their_helpers_are_checked_and_nothing_else() {
        for path in [
            "bench/node/common.js",
            "bench/node/crypto/hash.js",
            "bench/node/fixtures/empty.mjs",
        ] {
            assert!(applies_to(path), "{path}");
        }
        for path in [
            "bench/node/README.md",
            "bench/node/_common.test.mjs",
            "demo/run.mjs",
        ] {
            assert!(!applies_to(path), "{path}");
        }
    }

    #[test]
    fn the_host_and_the_helpers_are_fine() {
        let text = "const crypto = require('node:crypto');\n\
                    const common = require('../common.js');\n\
                    const { view } = require('../_shared.js');\n";
        let found = of_file("bench/node/crypto/a.js", text);
        assert_eq!(found, Vec::<Violation>::new());
        assert!(of_file("bench/node/fixtures/empty.mjs", "// nothing").is_empty());
    }

    #[test]
    fn anything_else_is_refused_with_its_line() {
        let helper = "require('../common.js')\n";
        for line in [
            "require('alacrypt/register');",
            "import alacrypt from \"alacrypt\";",
            "import 'alacrypt/register';",
            "await import(`../../npm/alacrypt/lib/index.mjs`);",
            "require('crypto');",
        ] {
            let found = of_file("bench/node/crypto/a.js", &format!("{helper}{line}"));
            assert_eq!(found.len(), 1, "{line}: {found:?}");
            assert!(
                found[0].starts_with("bench/node/crypto/a.js:2: "),
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_benchmark_without_the_helper_is_refused() {
        assert_eq!(
            of_file("bench/node/crypto/a.js", "1 + 1;"),
            ["bench/node/crypto/a.js: a benchmark requires ../common.js"]
        );
    }
}

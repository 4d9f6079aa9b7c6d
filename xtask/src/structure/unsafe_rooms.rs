//! The rooms of `unsafe`: where it may stand, and which crates must forbid it.

use super::Violation;
use super::rust_tokens::words;

/// The only folders in which the word `unsafe` may stand in code.
const ROOMS: [&str; 5] = [
    "crates/alacrypt/src/ffi/",
    "crates/alacrypt-node/src/sys/",
    // Tests that look at the process from outside: the heap, a fork, and freed memory.
    "crates/alacrypt/tests/footprint.rs",
    "crates/alacrypt/tests/fork.rs",
    "crates/alacrypt/tests/wiping.rs",
];

/// Crates whose every root file forbids `unsafe`.
pub(crate) const FORBIDDING: [&str; 4] = ["alacrypt-cli", "alacrypt-tls", "alacrypt-lab", "xtask"];

/// Checks one Rust file: `path` is relative to the root of the workspace.
pub(crate) fn of_file(path: &str, source: &str) -> Vec<Violation> {
    if ROOMS.iter().any(|room| path.starts_with(room)) {
        return Vec::new();
    }
    words(source)
        .into_iter()
        .filter(|(_, word)| word == "unsafe")
        .map(|(line, _)| format!("{path}:{line}: `unsafe` outside its rooms"))
        .collect()
}

/// Checks the root file of a crate that must carry `#![forbid(unsafe_code)]`.
pub(crate) fn of_forbidding_root(path: &str, source: &str) -> Vec<Violation> {
    let words = words(source);
    let forbids = words
        .windows(2)
        .any(|pair| pair[0].1 == "forbid" && pair[1].1 == "unsafe_code");
    // The words alone would also stand in an attribute of one item.
    if forbids && source.contains("#![forbid(unsafe_code)]") {
        Vec::new()
    } else {
        vec![format!("{path}: must carry #![forbid(unsafe_code)]")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_in_its_rooms_is_fine() {
        for path in [
            "crates/alacrypt/src/ffi/digest.rs",
            "crates/alacrypt-node/src/sys/env.rs",
        ] {
            assert_eq!(of_file(path, "unsafe { f() }"), Vec::<Violation>::new());
        }
    }

    #[test]
    fn unsafe_elsewhere_is_refused_with_its_line() {
        for path in [
            "crates/alacrypt/src/digest/mod.rs",
            "crates/alacrypt/src/ffi.rs",
            "crates/alacrypt/src/ffi_digest/mod.rs",
            "crates/alacrypt-node/src/digest.rs",
            "crates/alacrypt-tls/src/lib.rs",
            "xtask/src/main.rs",
        ] {
            assert_eq!(
                of_file(path, "// fine\nunsafe fn f() {}"),
                [format!("{path}:2: `unsafe` outside its rooms")]
            );
        }
        let attribute = "#[unsafe(no_mangle)] fn f() {}";
        assert_eq!(
            of_file("crates/alacrypt-node/src/lib.rs", attribute).len(),
            1
        );
    }

    #[test]
    fn the_word_alone_is_fine() {
        let source = "#![deny(unsafe_code)] // unsafe\nconst S: &str = \"unsafe\";";
        assert_eq!(of_file("src/lib.rs", source), Vec::<Violation>::new());
    }

    #[test]
    fn a_root_that_does_not_forbid_is_refused() {
        let fine = "//! A crate.\n#![forbid(unsafe_code)]\n";
        assert_eq!(of_forbidding_root("lib.rs", fine), Vec::<Violation>::new());
        for wrong in [
            "",
            "//! #![forbid(unsafe_code)]",
            "#![deny(unsafe_code)]",
            "#[forbid(unsafe_code)] mod a;",
        ] {
            assert_eq!(of_forbidding_root("lib.rs", wrong).len(), 1, "{wrong}");
        }
    }
}

//! Lock files pin versions and contents, not addresses: whoever builds chooses the registry.

use serde_json::Value;

use super::Violation;

/// The one source that Cargo's lock file may name. It is the index's identity, not a mirror.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Lock files of tools that this project does not use.
const FOREIGN: [&str; 7] = [
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
    "npm-shrinkwrap.json",
    ".package-lock.json",
];

/// Whether the rule is about this file.
pub(crate) fn applies_to(path: &str) -> bool {
    let name = file_name(path);
    name == "Cargo.lock" || name == "package-lock.json" || FOREIGN.contains(&name)
}

pub(crate) fn of_file(path: &str, text: &str) -> Vec<Violation> {
    let found = match file_name(path) {
        "Cargo.lock" => of_cargo(text),
        "package-lock.json" => of_npm(text),
        name => vec![format!(
            "{name} belongs to a tool that this project does not use"
        )],
    };
    found
        .into_iter()
        .map(|violation| format!("{path}: {violation}"))
        .collect()
}

fn of_cargo(text: &str) -> Vec<Violation> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("source = "))
        .map(|source| source.trim_matches('"'))
        .filter(|source| *source != CRATES_IO)
        .map(|source| format!("source {source} is not crates.io"))
        .collect()
}

fn of_npm(text: &str) -> Vec<Violation> {
    let Ok(lock) = serde_json::from_str::<Value>(text) else {
        return vec!["is no JSON".to_owned()];
    };
    let Some(packages) = lock["packages"].as_object() else {
        return vec!["lists no packages (lockfileVersion 3 is expected)".to_owned()];
    };
    let mut violations = Vec::new();
    for (place, package) in packages {
        for field in ["resolved", "version"] {
            if let Some(text) = package[field].as_str().filter(|text| text.contains(':')) {
                violations.push(format!("{place} has a download address: {text}"));
            }
        }
        // Only what comes from a registry sits below node_modules; a link is a folder of ours.
        let from_registry = place.contains("node_modules/") && package["link"] != true;
        if from_registry && !package["integrity"].is_string() {
            violations.push(format!("{place} has no integrity"));
        }
    }
    violations
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn npm_lock(package: &Value) -> String {
        json!({
            "lockfileVersion": 3,
            "packages": {
                "": { "name": "root", "version": "1.0.0" },
                "node_modules/a": package,
            }
        })
        .to_string()
    }

    #[test]
    fn pinned_contents_without_addresses_are_fine() {
        let package = json!({
            "version": "1.0.0",
            "integrity": "sha512-AAAA",
            "funding": { "url": "https://example.com" },
        });
        let link = json!({ "resolved": "../a", "link": true });
        let cargo = format!("[[package]]\nname = \"a\"\nsource = \"{CRATES_IO}\"\n");
        let none = Vec::<Violation>::new();
        assert_eq!(of_file("npm/package-lock.json", &npm_lock(&package)), none);
        assert_eq!(of_file("npm/package-lock.json", &npm_lock(&link)), none);
        assert_eq!(of_file("Cargo.lock", &cargo), none);
    }

    #[test]
    fn addresses_are_refused() {
        for (field, address) in [
            ("resolved", "https://registry.example/a/-/a-1.0.0.tgz"),
            ("resolved", "git+ssh://git@example.com/a.git#0123"),
            ("resolved", "file:a.tgz"),
            ("version", "https://example.com/a.tgz"),
        ] {
            let package = json!({ "integrity": "sha512-AAAA", field: address });
            assert_eq!(
                of_file("package-lock.json", &npm_lock(&package)),
                [format!(
                    "package-lock.json: node_modules/a has a download address: {address}"
                )]
            );
        }
        for source in [
            "registry+https://mirror.example/index",
            "sparse+https://index.example/",
            "git+https://example.com/a?rev=1#0123",
        ] {
            let lock = format!("[[package]]\nname = \"a\"\nsource = \"{source}\"\n");
            assert_eq!(
                of_file("a/Cargo.lock", &lock),
                [format!("a/Cargo.lock: source {source} is not crates.io")]
            );
        }
    }

    #[test]
    fn unpinned_unreadable_and_foreign_lock_files_are_refused() {
        let unpinned = npm_lock(&json!({ "version": "1.0.0" }));
        assert_eq!(of_file("package-lock.json", &unpinned).len(), 1);
        assert_eq!(of_file("package-lock.json", "{").len(), 1);
        assert_eq!(of_file("package-lock.json", "{}").len(), 1);
        assert_eq!(of_file("npm/yarn.lock", "").len(), 1);
    }

    #[test]
    fn the_rule_is_about_lock_files_only() {
        for path in ["Cargo.lock", "a/package-lock.json", "a/bun.lock"] {
            assert!(applies_to(path), "{path}");
        }
        for path in ["Cargo.toml", "package.json", "src/lock.rs"] {
            assert!(!applies_to(path), "{path}");
        }
    }
}

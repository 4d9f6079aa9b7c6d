//! npm's lock files, versions 1 to 3 (<https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json>).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// A package of a lock file that has a tarball.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    /// Its name in the registry, which is not that of its folder if that is an alias.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it was found when the lock file was written, if the file says so.
    pub resolved: Option<String>,
    /// Its integrity value.
    pub integrity: Option<String>,
}

/// What a lock file asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lockfile {
    /// Packages from registries, each once.
    pub packages: Vec<Package>,
    /// Those from elsewhere (git, files): name and address.
    pub elsewhere: Vec<(String, String)>,
}

/// Reads a lock file.
///
/// ```
/// let text = r#"{ "lockfileVersion": 3, "packages": {
///     "": {}, "node_modules/ms": { "version": "2.1.3", "integrity": "sha512-x" } } }"#;
/// let lock = alacrypt_cli::lockfile::parse(text).unwrap();
/// assert_eq!(lock.packages[0].name, "ms");
/// ```
///
/// # Errors
/// A sentence that says what is wrong with it.
pub fn parse(text: &str) -> Result<Lockfile, String> {
    let json: Value = serde_json::from_str(text).map_err(|error| format!("is no JSON: {error}"))?;
    let mut found = Found::default();
    if let Some(packages) = json["packages"].as_object() {
        for (place, entry) in packages {
            // The project itself and its workspaces are folders, not downloads.
            if let Some((_, folder)) = place.rsplit_once("node_modules/") {
                found.add(entry["name"].as_str().unwrap_or(folder), entry);
            }
        }
    } else if let Some(dependencies) = json["dependencies"].as_object() {
        found.add_nested(dependencies);
    } else {
        return Err("has neither `packages` nor `dependencies`".to_owned());
    }
    Ok(Lockfile {
        packages: found.packages.into_iter().collect(),
        elsewhere: found.elsewhere.into_iter().collect(),
    })
}

#[derive(Default)]
struct Found {
    packages: BTreeSet<Package>,
    elsewhere: BTreeSet<(String, String)>,
}

impl Found {
    /// Version 1: dependencies within dependencies.
    fn add_nested(&mut self, dependencies: &Map<String, Value>) {
        for (name, entry) in dependencies {
            self.add(name, entry);
            if let Some(inner) = entry["dependencies"].as_object() {
                self.add_nested(inner);
            }
        }
    }

    fn add(&mut self, folder: &str, entry: &Value) {
        let is = |field: &str| entry[field].as_bool() == Some(true);
        // Links are folders of the project, and what is bundled comes in another's tarball.
        if is("link") || is("inBundle") || is("bundled") {
            return;
        }
        let text = |field: &str| entry[field].as_str().map(str::to_owned);
        let Some(mut version) = text("version") else {
            return;
        };
        let mut name = folder.to_owned();
        let resolved = text("resolved");
        // Version 1 writes an alias as `npm:name@version`, and an address in place of a version.
        if let Some(alias) = version.clone().strip_prefix("npm:") {
            if let Some((real, of_it)) = alias.rsplit_once('@') {
                (name, version) = (real.to_owned(), of_it.to_owned());
            }
        } else if version.contains(':') {
            self.elsewhere.insert((name, version));
            return;
        }
        let is_web =
            |address: &String| address.starts_with("https://") || address.starts_with("http://");
        if let Some(address) = resolved.as_ref().filter(|address| !is_web(address)) {
            self.elsewhere.insert((name, address.clone()));
            return;
        }
        self.packages.insert(Package {
            name,
            version,
            resolved,
            integrity: text("integrity"),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let packages = parse(text).unwrap().packages;
        packages
            .into_iter()
            .map(|p| format!("{}@{}", p.name, p.version))
            .collect()
    }

    #[test]
    fn version_3_with_scopes_aliases_links_and_bundles() {
        let text = r#"{ "lockfileVersion": 3, "packages": {
            "": { "name": "app", "version": "1.0.0" },
            "packages/own": { "version": "1.0.0" },
            "node_modules/own": { "resolved": "packages/own", "link": true },
            "node_modules/@a/b": { "version": "1.0.0", "integrity": "sha512-x" },
            "node_modules/c/node_modules/@a/b": { "version": "2.0.0" },
            "node_modules/d": { "version": "1.0.0" },
            "node_modules/e/node_modules/d": { "version": "1.0.0" },
            "node_modules/alias": { "name": "real", "version": "3.0.0" },
            "node_modules/npm/node_modules/f": { "version": "1.0.0", "inBundle": true },
            "node_modules/g": { "version": "1.0.0", "resolved": "git+ssh://git@h/g.git#abc" }
        } }"#;
        let expected = ["@a/b@1.0.0", "@a/b@2.0.0", "d@1.0.0", "real@3.0.0"];
        assert_eq!(names(text), expected);
        assert_eq!(parse(text).unwrap().elsewhere.len(), 1);
    }

    #[test]
    fn version_1_nests() {
        let text = r#"{ "lockfileVersion": 1, "dependencies": {
            "a": { "version": "1.0.0", "dependencies": { "b": { "version": "2.0.0" } } },
            "c": { "version": "npm:@s/real@3.0.0" },
            "d": { "version": "1.0.0", "bundled": true },
            "e": { "version": "github:x/y#abc" }
        } }"#;
        assert_eq!(names(text), ["@s/real@3.0.0", "a@1.0.0", "b@2.0.0"]);
        assert_eq!(parse(text).unwrap().elsewhere.len(), 1);
    }

    #[test]
    fn what_is_no_lock_file_is_refused() {
        for text in ["", "[]", "{}", "null", r#"{"packages": 1}"#] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}

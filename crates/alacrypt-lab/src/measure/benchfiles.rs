//! Which files of a benchmark folder are run.
//!
//! The layout is that of Node's own `benchmark/`: folders are categories, files in them are
//! benchmarks, `fixtures` and names that begin with `.` or `_` are neither. A folder without
//! categories holds its benchmarks itself; the helper that they share is then not one of them.

use crate::error::{Error, Result};
use crate::session::{Cell, Metric};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Files of Node's folder that lie beside the categories and are no benchmarks.
const TOOLS: [&str; 9] = [
    "common.js",
    "common.mjs",
    "common.cjs",
    "compare.js",
    "run.js",
    "scatter.js",
    "bar.js",
    "cpu.js",
    "http_simple_auto.js",
];

/// The benchmarks that `wanted` names (all when empty) and `accepts` lets through, by name.
///
/// # Errors
/// When the folder cannot be read, a wanted name is not there, or nothing is left.
pub fn find(dir: &Path, wanted: &[String], accepts: &dyn Fn(&str) -> bool) -> Result<Vec<Cell>> {
    let dir = dir
        .canonicalize()
        .map_err(|e| Error::io(format!("open the benchmark folder {}", dir.display()), e))?;
    let mut names = BTreeSet::new();
    if wanted.is_empty() {
        for category in categories(&dir)? {
            names.extend(benchmarks_in(&dir, &category)?);
        }
        if names.is_empty() {
            names.extend(benchmarks_in(&dir, "")?);
        }
    }
    for wish in wanted {
        if let Some(name) = inside(&dir, wish) {
            if dir.join(&name).is_dir() {
                names.extend(benchmarks_in(&dir, &name)?);
            } else {
                names.insert(name);
            }
        } else {
            let known = categories(&dir)?;
            let hint = if known.is_empty() {
                benchmarks_in(&dir, "")?.join(", ")
            } else {
                known.join(", ")
            };
            return Err(Error::Usage(format!(
                "{} has neither a benchmark nor a category {wish:?}; it has: {}",
                dir.display(),
                if hint.is_empty() { "nothing" } else { &hint }
            )));
        }
    }
    if names.is_empty() {
        return Err(Error::Usage(format!(
            "{} holds no benchmark: expected .js, .mjs or .cjs files, or folders of them",
            dir.display()
        )));
    }
    let cells: Vec<Cell> = names
        .into_iter()
        .filter(|name| accepts(name))
        .map(|name| Cell {
            file: Some(dir.join(&name)),
            bench: name,
            metric: Metric::Rate,
        })
        .collect();
    if cells.is_empty() {
        return Err(Error::Usage(
            "--filter and --exclude leave no benchmark file (they look at file names)".into(),
        ));
    }
    Ok(cells)
}

/// The name below the folder that a wish means: `crypto`, `crypto/hash.js`, the same without its
/// ending, or a path from where the user stands, as a shell completes it.
fn inside(dir: &Path, wish: &str) -> Option<String> {
    let plain = wish.trim_start_matches("./").trim_end_matches('/');
    let names = [plain.to_owned(), format!("{plain}.js")];
    let simple = |name: &String| {
        let mut parts = Path::new(name).components();
        parts.all(|part| matches!(part, Component::Normal(_))) && dir.join(name).exists()
    };
    // A name may be a link to elsewhere; a path has to lead into the folder.
    names.into_iter().find(simple).or_else(|| {
        let places = [dir.join(wish), PathBuf::from(wish)];
        places.iter().find_map(|path| {
            let path = path.canonicalize().ok()?;
            Some(path.strip_prefix(dir).ok()?.to_str()?.to_owned())
        })
    })
}

fn categories(dir: &Path) -> Result<Vec<String>> {
    let mut names: Vec<String> = entries(dir)?
        .into_iter()
        .filter(|(name, path)| path.is_dir() && !matches!(&**name, "fixtures" | "node_modules"))
        .map(|(name, _)| name)
        .collect();
    names.sort();
    Ok(names)
}

/// Names of the benchmarks of one category, relative to the folder.
fn benchmarks_in(dir: &Path, category: &str) -> Result<Vec<String>> {
    let names = entries(&dir.join(category))?
        .into_iter()
        .filter(|(name, path)| {
            path.is_file()
                && [".js", ".mjs", ".cjs"]
                    .iter()
                    .any(|end| name.ends_with(end))
                && !(category.is_empty() && TOOLS.contains(&&**name))
        });
    Ok(names
        .map(|(name, _)| {
            if category.is_empty() {
                name
            } else {
                format!("{category}/{name}")
            }
        })
        .collect())
}

/// What lies in a folder, without names that begin with `.` or `_`.
fn entries(dir: &Path) -> Result<Vec<(String, PathBuf)>> {
    let refused = |e| Error::io(format!("read the folder {}", dir.display()), e);
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(refused)? {
        let entry = entry.map_err(refused)?;
        if let Ok(name) = entry.file_name().into_string()
            && !name.starts_with(['.', '_'])
        {
            found.push((name, entry.path()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        dir
    }

    fn names(dir: &Path, wanted: &[&str], filter: &str) -> Result<Vec<String>> {
        let wanted: Vec<String> = wanted.iter().map(|&w| w.into()).collect();
        let cells = find(dir, &wanted, &|name| name.contains(filter))?;
        Ok(cells.into_iter().map(|cell| cell.bench).collect())
    }

    #[test]
    fn nodes_layout() {
        let dir = folder(&[
            "common.js",
            "compare.js",
            "_cli.js",
            "crypto/hash.js",
            "crypto/_helper.js",
            "crypto/README.md",
            "fixtures/x.js",
            "url/parse.mjs",
        ]);
        assert_eq!(
            names(dir.path(), &[], "").unwrap(),
            ["crypto/hash.js", "url/parse.mjs"]
        );
        assert_eq!(
            names(dir.path(), &["crypto"], "").unwrap(),
            ["crypto/hash.js"]
        );
        assert_eq!(
            names(dir.path(), &["crypto/hash"], "").unwrap(),
            ["crypto/hash.js"]
        );
        // A path as a shell completes it, and one with more dots than it needs.
        let whole = dir.path().join("url/parse.mjs");
        assert_eq!(
            names(
                dir.path(),
                &[whole.to_str().unwrap(), "./crypto/../crypto/"],
                ""
            )
            .unwrap(),
            ["crypto/hash.js", "url/parse.mjs"]
        );
        assert!(names(dir.path(), &["/etc/passwd"], "").is_err());
        assert_eq!(names(dir.path(), &[], "parse").unwrap(), ["url/parse.mjs"]);
        let missing = names(dir.path(), &["tls"], "").unwrap_err().to_string();
        assert!(missing.contains("crypto, url"), "{missing}");
        assert!(names(dir.path(), &[], "nothing like it").is_err());
    }

    #[test]
    fn a_flat_folder_leaves_out_its_helper() {
        let dir = folder(&["common.js", "digest.js", "hmac.js"]);
        assert_eq!(
            names(dir.path(), &[], "").unwrap(),
            ["digest.js", "hmac.js"]
        );
        assert_eq!(names(dir.path(), &["hmac.js"], "").unwrap(), ["hmac.js"]);
    }

    #[test]
    fn an_empty_folder_and_a_missing_one_are_told() {
        let dir = folder(&[]);
        let empty = names(dir.path(), &[], "").unwrap_err().to_string();
        assert!(empty.contains("holds no benchmark"), "{empty}");
        let missing = names(&dir.path().join("x"), &[], "")
            .unwrap_err()
            .to_string();
        assert!(missing.contains("benchmark folder"), "{missing}");
    }
}

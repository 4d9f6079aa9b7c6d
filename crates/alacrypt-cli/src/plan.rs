//! What is downloaded, from where, to where, with which credentials.

use std::path::{Path, PathBuf};

use alacrypt_tls::Error;
use alacrypt_tls::fetch::{Integrity, Request};

use crate::lockfile::{Lockfile, Package};
use crate::npmrc::{DEFAULT_REGISTRY, Npmrc};

/// A package and its download.
#[derive(Clone, Debug)]
pub struct Planned {
    /// `name@version`.
    pub name: String,
    /// The download.
    pub request: Request,
}

/// The downloads of a lock file, and the packages that cannot be downloaded, with the reason.
pub fn plan(lock: &Lockfile, npmrc: &Npmrc, cache: &Path) -> (Vec<Planned>, Vec<(String, String)>) {
    let (mut planned, mut left_out) = (Vec::<Planned>::new(), Vec::new());
    for package in &lock.packages {
        let name = format!("{}@{}", package.name, package.version);
        match request(package, npmrc, cache) {
            // The same tarball under two names is one file.
            Ok(request) if planned.iter().any(|p| p.request.to() == request.to()) => {}
            Ok(request) => planned.push(Planned { name, request }),
            Err(why) => left_out.push((name, why)),
        }
    }
    for (name, address) in &lock.elsewhere {
        left_out.push((name.clone(), format!("is no registry's: {address}")));
    }
    (planned, left_out)
}

fn request(package: &Package, npmrc: &Npmrc, cache: &Path) -> Result<Request, String> {
    let Some(integrity) = &package.integrity else {
        return Err("has no integrity value in the lock file".to_owned());
    };
    let sentence = |error: Error| error.to_string();
    let integrity = Integrity::parse(integrity).map_err(sentence)?;
    let url = url(package, npmrc);
    let credential = npmrc.credential_for(&url);
    let request = Request::new(url, place(cache, &integrity)).integrity(integrity);
    match credential {
        None => Ok(request),
        Some(credential) => {
            let request = request
                .authorization(&credential.authorization)
                .map_err(sentence)?;
            Ok(request.authorization_path(&credential.path))
        }
    }
}

/// The address of a tarball. One at npm's registry is taken from the configured one, as npm does
/// (`replace-registry-host`); others are where the lock file says.
fn url(package: &Package, npmrc: &Npmrc) -> String {
    let registry = npmrc.registry_of(&package.name);
    match &package.resolved {
        Some(address) => match address.strip_prefix(DEFAULT_REGISTRY) {
            Some(path) if npmrc.value("replace-registry-host") != Some("never") => registry + path,
            _ => address.clone(),
        },
        None => {
            let (name, version) = (&package.name, &package.version);
            let file = name.rsplit('/').next().unwrap_or(name);
            // What follows a plus is no part of a version's name in a registry.
            let version = version.split('+').next().unwrap_or(version);
            format!("{registry}{name}/-/{file}-{version}.tgz")
        }
    }
}

/// Where npm's cache has a file of this content: whoever knows the integrity value finds it.
fn place(cache: &Path, integrity: &Integrity) -> PathBuf {
    let hex: String = integrity
        .digest()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    // A digest is of 20 bytes or more.
    let (folder, rest) = hex.split_at(4);
    let (first, second) = folder.split_at(2);
    let content = cache.join("_cacache").join("content-v2");
    content
        .join(integrity.algorithm())
        .join(first)
        .join(second)
        .join(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=";

    fn package(name: &str, resolved: Option<&str>, integrity: Option<&str>) -> Package {
        Package {
            name: name.into(),
            version: "1.0.0+build".into(),
            resolved: resolved.map(str::to_owned),
            integrity: integrity.map(str::to_owned),
        }
    }

    fn url_of(package: Package, npmrc: &str) -> String {
        url(&package, &Npmrc::parse(npmrc, |_| None))
    }

    #[test]
    fn addresses() {
        let bare = package("@s/a", None, None);
        assert_eq!(
            url_of(bare.clone(), ""),
            "https://registry.npmjs.org/@s/a/-/a-1.0.0.tgz"
        );
        assert_eq!(
            url_of(bare, "@s:registry=https://h/npm"),
            "https://h/npm/@s/a/-/a-1.0.0.tgz"
        );
        let at_npm = package("a", Some("https://registry.npmjs.org/a/-/a.tgz"), None);
        assert_eq!(
            url_of(at_npm.clone(), "registry=https://h/"),
            "https://h/a/-/a.tgz"
        );
        let never = "registry=https://h/\nreplace-registry-host=never";
        assert_eq!(
            url_of(at_npm, never),
            "https://registry.npmjs.org/a/-/a.tgz"
        );
        let other = package("a", Some("https://o/a.tgz"), None);
        assert_eq!(url_of(other, "registry=https://h/"), "https://o/a.tgz");
    }

    #[test]
    fn files_lie_where_npm_looks_for_them_and_each_once() {
        let lock = Lockfile {
            packages: vec![
                package("a", None, Some(EMPTY)),
                package("b", None, Some(EMPTY)),
                package("c", None, None),
                package("d", None, Some("md5-x")),
            ],
            elsewhere: vec![("e".into(), "git+ssh://x".into())],
        };
        let (planned, left_out) = plan(&lock, &Npmrc::default(), Path::new("/c"));
        assert_eq!(planned.len(), 1);
        let place = "/c/_cacache/content-v2/sha1/da/39/a3ee5e6b4b0d3255bfef95601890afd80709";
        assert_eq!(planned[0].request.to(), Path::new(place));
        let names: Vec<_> = left_out.iter().map(|(name, _)| &name[..]).collect();
        assert_eq!(names, ["c@1.0.0+build", "d@1.0.0+build", "e"]);
    }
}

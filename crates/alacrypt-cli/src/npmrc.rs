//! npm's configuration, as far as a download needs it
//! (<https://docs.npmjs.com/cli/v11/configuring-npm/npmrc>).
//!
//! From the strongest to the weakest: `npm_config_…` in the environment, the project's `.npmrc`, the
//! user's, npm's own defaults.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The registry that npm uses when nothing else is configured.
pub const DEFAULT_REGISTRY: &str = "https://registry.npmjs.org/";

/// Settings by key. The values of credentials are shown nowhere.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Npmrc(BTreeMap<String, String>);

/// A credential: the header's value, and the path below which it may be sent.
#[derive(Clone, PartialEq, Eq)]
pub struct Credential {
    /// The value of `Authorization`.
    pub authorization: String,
    /// The path.
    pub path: String,
}

impl Npmrc {
    /// Reads a file. `variable` gives the values of `${NAME}`; one that is not set stays as it is
    /// written, as npm does it.
    pub fn parse(text: &str, variable: impl Fn(&str) -> Option<String>) -> Self {
        let mut settings = BTreeMap::new();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with([';', '#']) || line.starts_with('[') {
                continue;
            }
            let (key, value) = line.split_once('=').unwrap_or((line, "true"));
            let unquoted = value.trim();
            let unquoted = unquoted
                .strip_prefix('"')
                .and_then(|rest| rest.strip_suffix('"'))
                .unwrap_or(unquoted);
            let (key, value) = (expand(key.trim(), &variable), expand(unquoted, &variable));
            settings.insert(key, value);
        }
        Self(settings)
    }

    /// Reads the variables of an environment.
    pub fn of_environment(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut settings = BTreeMap::new();
        for (name, value) in variables {
            let is_prefix = |start: &str| start.eq_ignore_ascii_case("npm_config_");
            let Some(key) = name
                .get(.."npm_config_".len())
                .filter(|start| is_prefix(start))
            else {
                continue;
            };
            let key = &name[key.len()..];
            // Addresses are written as they are; other keys with _ in place of -.
            let key = if key.starts_with("//") || key.starts_with('@') {
                key.to_owned()
            } else {
                key.to_ascii_lowercase().replace('_', "-")
            };
            if !value.is_empty() {
                settings.insert(key, value);
            }
        }
        Self(settings)
    }

    /// These settings, and those of `weaker` that are not among them.
    pub fn over(mut self, weaker: Self) -> Self {
        for (key, value) in weaker.0 {
            self.0.entry(key).or_insert(value);
        }
        self
    }

    /// The value of a key. `null` and the empty value count as none.
    pub fn value(&self, key: &str) -> Option<&str> {
        let value = self.0.get(key).map(String::as_str);
        value.filter(|value| !value.is_empty() && *value != "null")
    }

    /// Whether something is switched off by `false`.
    pub fn is_false(&self, key: &str) -> bool {
        self.value(key) == Some("false")
    }

    /// The registry of a package, with a slash at its end.
    pub fn registry_of(&self, package: &str) -> String {
        let scope = package.split_once('/').map(|(scope, _)| scope);
        let scope = scope.filter(|scope| scope.starts_with('@'));
        let of_scope = scope.and_then(|scope| self.value(&format!("{scope}:registry")));
        let registry = of_scope
            .or(self.value("registry"))
            .unwrap_or(DEFAULT_REGISTRY);
        format!("{}/", registry.trim_end_matches('/'))
    }

    /// The credential for an address: that of the longest path that leads to it.
    ///
    /// ```
    /// use alacrypt_cli::npmrc::Npmrc;
    /// let npmrc = Npmrc::parse("//h.example/npm/:_authToken=t", |_| None);
    /// let found = npmrc.credential_for("https://h.example/npm/x.tgz").unwrap();
    /// assert_eq!((&found.authorization[..], &found.path[..]), ("Bearer t", "/npm/"));
    /// assert!(npmrc.credential_for("https://h.example/npm-other/x.tgz").is_none());
    /// ```
    pub fn credential_for(&self, address: &str) -> Option<Credential> {
        let (_, rest) = address.split_once("://")?;
        let rest = rest.split(['?', '#']).next()?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let mut folder = format!("/{path}");
        loop {
            let end = folder.trim_end_matches('/').rfind('/')?;
            let bare = folder.trim_end_matches('/').to_owned();
            for place in [format!("//{host}{bare}/"), format!("//{host}{bare}")] {
                if let Some(authorization) = self.authorization_at(&place) {
                    return Some(Credential {
                        authorization,
                        path: format!("{bare}/"),
                    });
                }
            }
            folder.truncate(end + 1);
            if folder == "/" {
                let found = [format!("//{host}/"), format!("//{host}")];
                let found = found
                    .iter()
                    .find_map(|place| self.authorization_at(place))?;
                return Some(Credential {
                    authorization: found,
                    path: "/".into(),
                });
            }
        }
    }

    fn authorization_at(&self, place: &str) -> Option<String> {
        let value = |key: &str| self.value(&format!("{place}:{key}"));
        if let Some(token) = value("_authToken") {
            return Some(format!("Bearer {token}"));
        }
        if let Some(both) = value("_auth") {
            return Some(format!("Basic {both}"));
        }
        let (name, password) = (value("username")?, value("_password")?);
        let password = String::from_utf8(STANDARD.decode(password).ok()?).ok()?;
        Some(format!(
            "Basic {}",
            STANDARD.encode(format!("{name}:{password}"))
        ))
    }
}

fn expand(text: &str, variable: &impl Fn(&str) -> Option<String>) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find("${") {
        let Some(end) = rest[start..].find('}').map(|end| start + end) else {
            break;
        };
        out += &rest[..start];
        // `${NAME?}` is nothing where NAME is not set.
        let name = &rest[start + 2..end];
        let (name, may_miss) = name
            .strip_suffix('?')
            .map_or((name, false), |name| (name, true));
        match variable(name) {
            Some(value) => out += &value,
            None if may_miss => {}
            None => out += &rest[start..=end],
        }
        rest = &rest[end + 1..];
    }
    out + rest
}

impl fmt::Debug for Npmrc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credential(below {})", self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Npmrc {
        Npmrc::parse(text, |name| (name == "SET").then(|| "value".to_owned()))
    }

    #[test]
    fn lines_comments_quotes_and_variables() {
        let npmrc = parse("; no\n# no\n a = \"b c\" \nd\ne=${SET}/${UNSET}/${UNSET?}\nf=null\n=g");
        assert_eq!(npmrc.value("a"), Some("b c"));
        assert_eq!(npmrc.value("d"), Some("true"));
        assert_eq!(npmrc.value("e"), Some("value/${UNSET}/"));
        assert_eq!(npmrc.value("f"), None);
    }

    #[test]
    fn the_environment_is_stronger_than_files() {
        let variables = [
            ("npm_config_registry", "https://env/"),
            ("NPM_CONFIG_HTTPS_PROXY", "http://p"),
            ("npm_config_//h/:_authToken", "t"),
            ("npm_config_cafile", ""),
            ("PATH", "x"),
        ];
        let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let npmrc = Npmrc::of_environment(variables.map(own));
        let npmrc = npmrc.over(parse(
            "registry=https://file\ncafile=c\n@s:registry=https://s/x",
        ));
        assert_eq!(npmrc.registry_of("a"), "https://env/");
        assert_eq!(npmrc.registry_of("@s/a"), "https://s/x/");
        assert_eq!(npmrc.registry_of("@t/a"), "https://env/");
        assert_eq!(npmrc.value("https-proxy"), Some("http://p"));
        assert_eq!(npmrc.value("cafile"), Some("c"));
        assert!(npmrc.credential_for("https://h/a").is_some());
        assert_eq!(Npmrc::default().registry_of("a"), DEFAULT_REGISTRY);
    }

    #[test]
    fn credentials_of_every_kind_stay_below_their_path() {
        let npmrc = parse(
            "//h/:_authToken=root\n//h/a/:_auth=YTpi\n//h/a/b/:username=u\n//h/a/b/:_password=cA==\n\
             //h:8443/:_authToken=port\n_authToken=nowhere",
        );
        for (address, authorization, path) in [
            ("https://h/x.tgz", "Bearer root", "/"),
            ("https://h/a/x.tgz?y", "Basic YTpi", "/a/"),
            ("https://h/ab/x.tgz", "Bearer root", "/"),
            ("https://h/a/b/-/x.tgz", "Basic dTpw", "/a/b/"),
            ("https://h:8443/a/x.tgz", "Bearer port", "/"),
        ] {
            let found = npmrc.credential_for(address).unwrap();
            assert_eq!(
                (&found.authorization[..], &found.path[..]),
                (authorization, path)
            );
        }
        for address in [
            "https://h:1/x",
            "https://g/x",
            "https://h.evil/x",
            "no address",
        ] {
            assert_eq!(npmrc.credential_for(address), None, "{address}");
        }
        assert!(!format!("{npmrc:?}").contains("root"));
    }
}

//! Addresses of http and https, as far as a download needs them.

use hyper::Uri;
use hyper::header::HeaderValue;

use crate::error::Error;

/// Who answers: scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    pub(super) https: bool,
    /// A name, or an IP address; of IPv6 without brackets.
    pub(super) host: String,
    pub(super) port: u16,
}

#[derive(Clone, Debug)]
pub(super) struct Url {
    uri: Uri,
    origin: Origin,
}

impl Url {
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let wrong = |why: &str| Error::Misuse(format!("{}: {why}", without_user(text)));
        // What stands behind # is the reader's own affair.
        let sent = text.split('#').next().unwrap_or_default();
        let uri: Uri = sent.parse().map_err(|_| wrong("is no address"))?;
        let https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(wrong("is neither http nor https")),
        };
        let authority = uri.authority().ok_or_else(|| wrong("has no host"))?;
        if authority.as_str().contains('@') {
            return Err(wrong(
                "has credentials in it: configure them for the registry",
            ));
        }
        let host = authority.host();
        let bare = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let host = bare.unwrap_or(host).to_ascii_lowercase();
        if host.is_empty() {
            return Err(wrong("has no host"));
        }
        let port = uri.port_u16().unwrap_or(if https { 443 } else { 80 });
        let origin = Origin { https, host, port };
        Ok(Self { uri, origin })
    }

    pub(super) fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(super) fn is_https(&self) -> bool {
        self.origin.https
    }

    pub(super) fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Path and query, as HTTP/1.1 sends them.
    pub(super) fn path(&self) -> &str {
        self.uri.path_and_query().map_or("/", |path| path.as_str())
    }

    /// Whether it is this folder (which ends with a slash) or lies in it.
    pub(super) fn is_below(&self, folder: &str) -> bool {
        let path = self.uri.path();
        path.starts_with(folder) || path == folder.trim_end_matches('/')
    }

    pub(super) fn authority(&self) -> Result<HeaderValue, Error> {
        let authority = self
            .uri
            .authority()
            .map_or("", |authority| authority.as_str());
        HeaderValue::try_from(authority).map_err(|error| Error::Misuse(error.to_string()))
    }

    /// Where a redirect leads (RFC 3986, section 5; dots are left to the server).
    pub(super) fn join(&self, place: &str) -> Result<Self, Error> {
        let scheme = if self.origin.https { "https" } else { "http" };
        let authority = self
            .uri
            .authority()
            .map_or("", |authority| authority.as_str());
        if place.contains("://") {
            Self::parse(place)
        } else if place.starts_with("//") {
            Self::parse(&format!("{scheme}:{place}"))
        } else if place.starts_with('/') {
            Self::parse(&format!("{scheme}://{authority}{place}"))
        } else {
            let folder = self
                .uri
                .path()
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder);
            Self::parse(&format!("{scheme}://{authority}{folder}/{place}"))
        }
    }
}

impl Origin {
    /// Host and port, as CONNECT wants them.
    pub(super) fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

/// An address as it may be printed.
pub(super) fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_compared_whole() {
        let origin = |text| Url::parse(text).unwrap().origin().clone();
        assert_eq!(
            origin("https://A.example/x"),
            origin("https://a.example:443/y")
        );
        for other in [
            "http://a.example/",
            "https://a.example:444/",
            "https://b.example/",
        ] {
            assert_ne!(origin("https://a.example/"), origin(other));
        }
        assert_eq!(origin("http://[::1]:8080/").authority(), "[::1]:8080");
    }

    #[test]
    fn a_neighbour_is_not_below() {
        let url = Url::parse("https://a.example/npm/x?y").unwrap();
        assert!(url.is_below("/") && url.is_below("/npm/") && url.is_below("/npm/x/"));
        assert!(!url.is_below("/npm/x/y/") && !url.is_below("/n/") && !url.is_below("/np/"));
    }

    #[test]
    fn redirects_lead_where_they_say() {
        let url = Url::parse("https://a.example/b/c?d").unwrap();
        for (place, to) in [
            ("http://x/y", "http://x/y"),
            ("//x/y", "https://x/y"),
            ("/y?z", "https://a.example/y?z"),
            ("y", "https://a.example/b/y"),
        ] {
            assert_eq!(url.join(place).unwrap().uri().to_string(), to);
        }
        assert!(url.join("ftp://x/").is_err());
    }

    #[test]
    fn credentials_in_addresses_are_refused_and_not_printed() {
        let error = Url::parse("https://user:secret@a.example/").unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
        assert_eq!(without_user("https://u:p@h/x@y"), "https://h/x@y");
        assert_eq!(without_user("https://h/x@y"), "https://h/x@y");
        for wrong in ["", "a", "file:///x", "https://", "ftp://a/"] {
            assert!(Url::parse(wrong).is_err(), "{wrong}");
        }
    }
}

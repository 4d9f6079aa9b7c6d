//! One fault: a text that stands exactly once in a file, and what is put in its place.

use serde_json::Value;

use crate::failure::{Failure, Result};

/// A fault as the list describes it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) name: String,
    pub(crate) file: String,
    search: String,
    replace: String,
    /// The generated calls that notice it soonest.
    pub(crate) api: Option<String>,
}

impl Fault {
    /// Reads the list: `[{ "name", "file", "search", "replace", "kind": "ts" | "rust", "api"? }, …]`.
    pub(crate) fn list(json: &str) -> Result<Vec<Self>> {
        let list: Value = serde_json::from_str(json)
            .map_err(|error| Failure::new(format!("the list of faults: {error}")))?;
        let entries = list
            .as_array()
            .ok_or_else(|| Failure::new("the list of faults is no array"))?;
        let faults: Vec<Self> = entries.iter().map(Self::from_json).collect::<Result<_>>()?;
        for (index, fault) in faults.iter().enumerate() {
            if faults[..index].iter().any(|other| other.name == fault.name) {
                return Err(Failure::new(format!(
                    "two faults are called {}",
                    fault.name
                )));
            }
        }
        Ok(faults)
    }

    fn from_json(entry: &Value) -> Result<Self> {
        let text = |field: &str| {
            entry[field]
                .as_str()
                .map(str::to_owned)
                .ok_or_else(|| Failure::new(format!("a fault has no `{field}`: {entry}")))
        };
        let fault = Self {
            name: text("name")?,
            file: text("file")?,
            search: text("search")?,
            replace: text("replace")?,
            api: entry["api"].as_str().map(str::to_owned),
        };
        let extension = match text("kind")?.as_str() {
            "ts" => ".ts",
            "rust" => ".rs",
            kind => return Err(Failure::new(format!("{}: no kind `{kind}`", fault.name))),
        };
        if !fault.file.ends_with(extension) {
            return Err(Failure::new(format!(
                "{}: {} is no {extension} file",
                fault.name, fault.file
            )));
        }
        if fault.search == fault.replace {
            return Err(Failure::new(format!("{}: changes nothing", fault.name)));
        }
        Ok(fault)
    }

    /// The faults that were asked for by name; all of them without names.
    pub(crate) fn selected(faults: Vec<Self>, names: &[String]) -> Result<Vec<Self>> {
        if let Some(unknown) = names
            .iter()
            .find(|name| !faults.iter().any(|fault| fault.name == **name))
        {
            return Err(Failure::new(format!("no fault is called `{unknown}`")));
        }
        Ok(faults
            .into_iter()
            .filter(|fault| names.is_empty() || names.contains(&fault.name))
            .collect())
    }

    /// The text with the fault in it, or why it cannot be planted.
    pub(crate) fn planted_in(&self, original: &str) -> std::result::Result<String, String> {
        match original.matches(&self.search).count() {
            1 => Ok(original.replacen(&self.search, &self.replace, 1)),
            0 => Err(format!("its text does not stand in {}", self.file)),
            count => Err(format!("its text stands {count} times in {}", self.file)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"[
        { "name": "a", "file": "src/a.ts", "search": "x + 1", "replace": "x", "kind": "ts" },
        { "name": "b", "file": "src/b.rs", "search": "y", "replace": "z", "kind": "rust" }
    ]"#;

    #[test]
    fn a_fault_is_planted_where_its_text_stands_exactly_once() -> Result<()> {
        let faults = Fault::list(LIST)?;
        assert_eq!(
            faults[0].planted_in("let y = x + 1;"),
            Ok("let y = x;".into())
        );
        assert!(faults[0].planted_in("let y = x;").is_err());
        assert!(faults[0].planted_in("x + 1; x + 1").is_err());
        Ok(())
    }

    #[test]
    fn faults_are_chosen_by_name() -> Result<()> {
        let chosen = |names: &[&str]| -> Result<Vec<String>> {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let faults = Fault::selected(Fault::list(LIST)?, &names)?;
            Ok(faults.into_iter().map(|fault| fault.name).collect())
        };
        assert_eq!(chosen(&[])?, ["a", "b"]);
        assert_eq!(chosen(&["b"])?, ["b"]);
        assert!(chosen(&["c"]).is_err());
        Ok(())
    }

    #[test]
    fn lists_that_make_no_sense_are_refused() {
        for list in [
            "{}",
            "[{}]",
            r#"[{ "name": "a", "file": "a.ts", "search": "x", "replace": "x", "kind": "ts" }]"#,
            r#"[{ "name": "a", "file": "a.rs", "search": "x", "replace": "y", "kind": "ts" }]"#,
            r#"[{ "name": "a", "file": "a.go", "search": "x", "replace": "y", "kind": "go" }]"#,
            r#"[{ "name": "a", "file": "a.ts", "search": "x", "replace": "y", "kind": "ts" },
                { "name": "a", "file": "b.ts", "search": "x", "replace": "y", "kind": "ts" }]"#,
        ] {
            assert!(Fault::list(list).is_err(), "{list}");
        }
    }
}

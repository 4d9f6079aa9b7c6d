//! What was given on the command line, to name what has no effect there.

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::subcommands::definition;

/// The arguments of a subcommand that were given, as a reader knows them.
#[derive(Debug, Default)]
pub struct Given(Vec<(String, String)>);

/// Besides the analysis of saved measurements, what says which ones.
const OF_IMPORTS: [&str; 3] = ["csv", "control", "import_hyperfine"];
const OF_RESUMING: [&str; 2] = ["resume", "force"];

impl Given {
    /// Reads them from what was parsed.
    pub(super) fn of(matches: &ArgMatches) -> Self {
        let program = definition();
        let Some((name, matches)) = matches.subcommand() else {
            return Self::default();
        };
        let arguments = program.find_subcommand(name).map(|s| s.get_arguments());
        let given = arguments.into_iter().flatten().filter_map(|argument| {
            let id = argument.get_id().as_str();
            let source = matches.value_source(id);
            let shown = match (argument.get_long(), argument.get_value_names()) {
                (Some(long), _) => format!("--{long}"),
                (None, Some([value, ..])) => value.to_string(),
                (None, _) => id.to_owned(),
            };
            (source == Some(ValueSource::CommandLine)).then(|| (id.to_owned(), shown))
        });
        Self(given.collect())
    }

    /// Those that measuring takes and that have no effect on existing results.
    pub fn without_measuring(&self) -> Vec<&str> {
        self.beyond(&OF_IMPORTS)
    }

    /// Those that a resumed session does not look at: it goes on as it was planned.
    pub fn without_planning(&self) -> Vec<&str> {
        self.beyond(&OF_RESUMING)
    }

    /// Those that neither `report` takes nor `more` names.
    fn beyond(&self, more: &[&str]) -> Vec<&str> {
        let program = definition();
        let report = program.find_subcommand("report");
        let of_report = |id: &str| {
            report.is_some_and(|s| s.get_arguments().any(|argument| argument.get_id() == id))
        };
        let stray = self
            .0
            .iter()
            .filter(|(id, _)| !of_report(id) && !more.contains(&id.as_str()));
        stray.map(|(_, shown)| shown.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(line: &str) -> Given {
        let words = std::iter::once("alacrypt-lab").chain(line.split(' '));
        Given::of(&definition().try_get_matches_from(words).unwrap())
    }

    #[test]
    fn what_chooses_and_judges_existing_results_has_an_effect() {
        for line in [
            "compare --csv c.csv --base old --control again --wide --md - --filter x",
            "run --import-hyperfine a.json --stat median --robust --json r.json -q",
        ] {
            assert!(given(line).without_measuring().is_empty(), "{line}");
        }
    }

    #[test]
    fn what_measuring_takes_is_named() {
        let csv = given("compare --csv c.csv --runs 5 --aa --bench-dir b");
        assert_eq!(csv.without_measuring(), ["--bench-dir", "--runs", "--aa"]);
        let hyperfine = given("run --import-hyperfine a.json --prepare x");
        assert_eq!(hyperfine.without_measuring(), ["--prepare"]);
        let resumed = given("compare a b --bench-dir d --resume s --force --html r.html");
        assert_eq!(resumed.without_planning(), ["OLD", "NEW", "--bench-dir"]);
    }
}

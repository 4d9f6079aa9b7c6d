//! From a dataset to everything that was asked for: terminal, files, exit code.

use std::io::{IsTerminal, Write};
use std::path::Path;

use crate::analysis::{Dataset, Origin, Report, Settings, analyse, from_session};
use crate::cli::{AnalysisArgs, Color, OutputArgs, SelectArgs};
use crate::error::{Error, Exit, Result};
use crate::render::{self, Style};
use crate::session::Session;

/// The flags that decide what becomes of a dataset.
#[derive(Clone, Copy)]
pub(super) struct Wishes<'a> {
    pub(super) analysis: &'a AnalysisArgs,
    pub(super) select: &'a SelectArgs,
    pub(super) output: &'a OutputArgs,
    /// Where samples go in Node's format.
    pub(super) csv: Option<&'a Path>,
}

impl Wishes<'_> {
    fn files(&self) -> impl Iterator<Item = &Path> {
        let output = self.output;
        let files = [&output.md, &output.json, &output.html].map(Option::as_deref);
        files.into_iter().chain([self.csv]).flatten()
    }

    /// Refuses what cannot be done, before anything is measured.
    pub(super) fn check(&self) -> Result<()> {
        if self.files().filter(|path| is_stdout(path)).count() > 1 {
            return Err(Error::Usage(
                "only one of --md, --json, --csv and --html may be -".into(),
            ));
        }
        Ok(())
    }
}

/// Analyses a session that was just measured, keeps `report.json` beside it, and joins the
/// analysis's exit code with that of the measuring.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))] // Only Linux measures.
pub(super) fn session(dir: &Path, measured: Exit, wishes: Wishes<'_>) -> Result<Exit> {
    let data = from_session(&Session::load(dir)?);
    if data.rows.iter().all(|row| row.samples.is_empty()) {
        let failures = data.failures.len();
        eprintln!(
            "alacrypt-lab: {} holds no measurement yet ({failures} failed runs)",
            dir.display()
        );
        return Ok(if measured == Exit::Fine {
            Exit::Incomplete
        } else {
            measured
        });
    }
    let found = finish(data, wishes, Some(dir))?;
    Ok(match measured {
        // An interruption is what the caller must know first; anything worse than fine comes next.
        Exit::Interrupted => Exit::Interrupted,
        _ if found != Exit::Fine => found,
        _ => measured,
    })
}

/// Analyses and shows one dataset. With `keep`, `report.json` is written into that folder.
pub(super) fn finish(data: Dataset, wishes: Wishes<'_>, keep: Option<&Path>) -> Result<Exit> {
    let (data, report) = judged(data, wishes)?;
    if let Some(dir) = keep.filter(|_| wishes.select.is_empty()) {
        write(&dir.join("report.json"), &render::json(&data, &report))?;
    }
    show(&[(data, report)], wishes, &[])
}

/// Selects rows, sets the base and analyses.
pub(super) fn judged(mut data: Dataset, wishes: Wishes<'_>) -> Result<(Dataset, Report)> {
    if let Some(name) = &wishes.analysis.base {
        data.base = data.arm(name).ok_or_else(|| {
            let known: Vec<&str> = data.arms.iter().map(|arm| arm.name.as_str()).collect();
            Error::Usage(format!("--base {name}: known are {}", known.join(", ")))
        })?;
    }
    select(&mut data, wishes.select)?;
    let report = analyse(&data, &Settings::from(wishes.analysis));
    Ok((data, report))
}

/// Keeps what `--filter` and `--exclude` want: rows, or commands where commands are compared.
fn select(data: &mut Dataset, wanted: &SelectArgs) -> Result<()> {
    let commands = matches!(data.origin, Origin::Run | Origin::Hyperfine);
    let before = if commands {
        data.arms.len()
    } else {
        data.rows.len()
    };
    if commands {
        data.keep_arms(|name| wanted.accepts(name));
        data.failures.retain(|failure| wanted.accepts(&failure.arm));
    } else {
        data.rows.retain(|row| wanted.accepts(&row.name));
        data.failures.retain(|failure| wanted.accepts(&failure.row));
        let rows = &data.rows;
        data.usage.retain(|usage| {
            let of_cell = |name: &str| {
                let rest = name.strip_prefix(usage.cell.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            };
            rows.iter().any(|row| of_cell(&row.name))
        });
    }
    let (left, what) = if commands {
        (data.arms.len(), "commands")
    } else {
        (data.rows.len(), "rows")
    };
    if left == 0 && before > 0 {
        return Err(Error::Usage(format!(
            "none of the {before} {what} matches --filter and --exclude"
        )));
    }
    Ok(())
}

/// Shows analysed datasets; `closing` lines follow on the terminal and in Markdown.
pub(super) fn show(
    all: &[(Dataset, Report)],
    wishes: Wishes<'_>,
    closing: &[String],
) -> Result<Exit> {
    let output = wishes.output;
    wishes.check()?;
    let to_stdout = wishes.files().any(is_stdout);
    let one = |flag: &str| match all {
        [one] => Ok(one),
        _ => Err(Error::Usage(format!(
            "{flag} holds one plan, but these are {}; give them one by one",
            all.len()
        ))),
    };
    if let Some(path) = &output.md {
        let mut pages: Vec<String> = all
            .iter()
            .map(|(data, report)| render::markdown(data, report))
            .collect();
        if !closing.is_empty() {
            pages.push(format!("```\n{}\n```\n", closing.join("\n")));
        }
        write(path, &pages.join("\n"))?;
    }
    if let Some(path) = &output.json {
        let (data, report) = one("--json")?;
        write(path, &render::json(data, report))?;
    }
    if let Some(path) = &output.html {
        let (data, report) = one("--html")?;
        write(path, &render::html(data, report))?;
    }
    if let Some(path) = wishes.csv {
        let (data, _) = one("--csv")?;
        write(path, &render::node_csv(data))?;
    }
    if !to_stdout && !output.quiet {
        let style = style(output);
        let mut texts: Vec<String> = all
            .iter()
            .map(|(data, report)| render::terminal(data, report, style))
            .collect();
        if all.len() > 1 {
            for (text, (data, _)) in texts.iter_mut().zip(all) {
                *text = format!("== {}\n{text}", data.title);
            }
        }
        if !closing.is_empty() {
            texts.push(format!("{}\n", closing.join("\n")));
        }
        write(Path::new("-"), &texts.join("\n"))?;
    }
    Ok(all
        .iter()
        .map(|(data, report)| exit(data, report))
        .fold(Exit::Fine, worse))
}

fn style(output: &OutputArgs) -> Style {
    let color = match output.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            std::io::stdout().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    };
    Style {
        color,
        wide: output.wide,
    }
}

/// A failed gate comes first: after it nothing else can be believed.
fn exit(data: &Dataset, report: &Report) -> Exit {
    if !report.distrust().is_empty() {
        return Exit::Untrusted;
    }
    let exceeded = |row: &crate::analysis::Row| row.regression.is_some_and(|check| check.exceeded);
    if report.rows.iter().any(exceeded) {
        return Exit::Regression;
    }
    let missing = data
        .probe
        .as_ref()
        .is_some_and(|probe| !probe.remarks.is_empty());
    if !data.failures.is_empty() || !data.finished || missing {
        return Exit::Incomplete;
    }
    Exit::Fine
}

fn worse(a: Exit, b: Exit) -> Exit {
    let rank = |exit: Exit| match exit {
        Exit::Fine => 0,
        Exit::Incomplete => 1,
        Exit::Regression => 2,
        Exit::Untrusted => 3,
        Exit::Usage => 4,
        Exit::Interrupted => 5,
    };
    if rank(b) > rank(a) { b } else { a }
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes a file, or standard output for `-`.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    if !is_stdout(path) {
        return std::fs::write(path, text)
            .map_err(|fault| Error::io(format!("write {}", path.display()), fault));
    }
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        // The reader has seen enough, as in `… | head`.
        Err(fault) if fault.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(fault) => Err(Error::io("write to standard output", fault)),
        Ok(()) => Ok(()),
    }
}

/// Reads a file, or standard input for `-`.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    if is_stdout(path) {
        let mut bytes = Vec::new();
        return std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes)
            .map(|_| bytes)
            .map_err(|fault| Error::io("read standard input", fault));
    }
    std::fs::read(path).map_err(|fault| Error::io(format!("read {}", path.display()), fault))
}

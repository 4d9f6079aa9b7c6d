//! The file of `phases`: TOML into subjects and phases.

use crate::error::{Error, Result};
use crate::session::{Expect, Phase, Phases, Subject};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const PM: &str = include_str!("pm.toml");

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    preset: Option<String>,
    #[serde(default)]
    project: Project,
    #[serde(default)]
    subject: Vec<Subject>,
    #[serde(default)]
    phase: Vec<PhaseEntry>,
    controls: Option<Vec<String>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Project {
    dir: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PhaseEntry {
    name: String,
    cmd: String,
    #[serde(default)]
    wipe: Vec<String>,
    #[serde(default)]
    restore: Vec<String>,
    prepare: Option<String>,
    #[serde(default)]
    expect: BTreeMap<String, String>,
}

/// Reads the file; paths in it are relative to it.
///
/// # Errors
/// When it cannot be read, is not TOML of this shape, or contradicts itself.
pub(super) fn read(path: &Path) -> Result<Phases> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Error::io(format!("read {}", path.display()), e))?;
    let here = path.parent().unwrap_or(Path::new("."));
    parse(&text, here, &on_path).map_err(|(line, why)| Error::input(path, line, why))
}

/// Whether a program of that name can be started.
fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

type Fault = (Option<usize>, String);

fn parse_file(text: &str) -> std::result::Result<File, Fault> {
    toml::from_str(text).map_err(|e| {
        let before = e.span().and_then(|span| text.get(..span.start));
        let line = before.map(|before| before.matches('\n').count() + 1);
        (line, e.message().to_owned())
    })
}

fn parse(
    text: &str,
    here: &Path,
    exists: &dyn Fn(&str) -> bool,
) -> std::result::Result<Phases, Fault> {
    let mut file = parse_file(text)?;
    match file.preset.as_deref() {
        None => {}
        Some("pm") => take_preset(&mut file, parse_file(PM)?, exists),
        Some(other) => return Err((None, format!("preset {other:?}: expected \"pm\""))),
    }
    let phases: Vec<Phase> = file
        .phase
        .into_iter()
        .map(phase)
        .collect::<std::result::Result<_, String>>()
        .map_err(|why| (None, why))?;
    let found = Phases {
        project: file.project.dir.map(|dir| here.join(dir)),
        subjects: file.subject,
        phases,
        controls: file.controls.unwrap_or_default(),
    };
    check(&found).map_err(|why| (None, why))?;
    Ok(found)
}

/// Fills in what the file leaves out: all phases, and the subjects whose programs are here, or
/// those that are only named.
fn take_preset(file: &mut File, preset: File, exists: &dyn Fn(&str) -> bool) {
    if file.subject.is_empty() {
        for subject in preset.subject {
            if exists(&subject.name) {
                file.subject.push(subject);
            } else {
                eprintln!("note: {} is not on PATH and is left out", subject.name);
            }
        }
    } else {
        for subject in &mut file.subject {
            let Some(known) = preset
                .subject
                .iter()
                .find(|known| known.name == subject.name)
            else {
                continue;
            };
            for (name, command) in &known.cmd {
                subject
                    .cmd
                    .entry(name.clone())
                    .or_insert_with(|| command.clone());
            }
            for (name, value) in &known.env {
                subject
                    .env
                    .entry(name.clone())
                    .or_insert_with(|| value.clone());
            }
            subject.lockfile = subject.lockfile.take().or_else(|| known.lockfile.clone());
            subject.modules = subject.modules.take().or_else(|| known.modules.clone());
        }
    }
    if file.phase.is_empty() {
        file.phase = preset.phase;
        file.controls = file.controls.take().or(preset.controls);
    }
}

fn phase(entry: PhaseEntry) -> std::result::Result<Phase, String> {
    let mut expect = Expect::default();
    for (key, text) in &entry.expect {
        let size = bytes(text).ok_or_else(|| {
            format!(
                "{}: {key} = {text:?}: expected bytes as \"64K\"",
                entry.name
            )
        })?;
        match key.as_str() {
            "net_rx_max" => expect.net_rx_max = Some(size),
            "net_rx_min" => expect.net_rx_min = Some(size),
            _ => {
                return Err(format!(
                    "{}: expect.{key}: expected net_rx_max or net_rx_min",
                    entry.name
                ));
            }
        }
    }
    Ok(Phase {
        name: entry.name,
        cmd: entry.cmd,
        wipe: entry.wipe,
        restore: entry.restore,
        prepare: entry.prepare,
        expect,
    })
}

/// `64K`, `1.5M`, `2G`, in steps of 1024.
fn bytes(text: &str) -> Option<u64> {
    let (digits, factor) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(digits) if text.ends_with('K') => (digits, 1024.0),
        Some(digits) if text.ends_with('M') => (digits, 1024.0 * 1024.0),
        Some(digits) => (digits, 1024.0 * 1024.0 * 1024.0),
        None => (text, 1.0),
    };
    let size = digits.parse::<f64>().ok()? * factor;
    // A float within these bounds is a whole number of bytes.
    (0.0..9e15).contains(&size).then_some(size as u64)
}

fn check(found: &Phases) -> std::result::Result<(), String> {
    if found.subjects.is_empty() || found.phases.is_empty() {
        return Err("expected at least one [[subject]] and one [[phase]]".into());
    }
    let mut names = BTreeSet::new();
    for subject in &found.subjects {
        if !plain(&subject.name) || !names.insert(&subject.name) {
            return Err(format!(
                "subject {:?}: expected a name of its own, which a folder can have",
                subject.name
            ));
        }
        let inside = subject.lockfile.iter().chain(&subject.modules);
        for path in inside {
            within(path).map_err(|why| format!("{}: {why}", subject.name))?;
        }
    }
    let mut names = BTreeSet::new();
    for phase in &found.phases {
        let at = |why: String| format!("phase {}: {why}", phase.name);
        if phase.name.is_empty() || !names.insert(&phase.name) {
            return Err(at("expected a name of its own".into()));
        }
        for subject in &found.subjects {
            if subject.command(&phase.cmd).is_none() {
                return Err(at(format!("{} has no cmd.{}", subject.name, phase.cmd)));
            }
            if !phase.restore.is_empty() && subject.command("install").is_none() {
                return Err(at(format!(
                    "restore takes a cmd.install of {}",
                    subject.name
                )));
            }
        }
        for word in &phase.restore {
            if word != "lock" && word != "cache" {
                return Err(at(format!(
                    "restore {word:?}: expected \"lock\" or \"cache\""
                )));
            }
        }
        for path in &phase.wipe {
            within(path).map_err(at)?;
        }
    }
    for control in &found.controls {
        if !found.phases.iter().any(|phase| phase.name == *control) {
            return Err(format!("controls: there is no phase {control}"));
        }
    }
    Ok(())
}

fn plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0'])
}

/// What is wiped must lie in the subject's own copy.
fn within(path: &str) -> std::result::Result<(), String> {
    use std::path::Component;
    let mut parts = Path::new(path).components().peekable();
    if parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_))) {
        Ok(())
    } else {
        Err(format!("{path:?}: expected a path within the project"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> std::result::Result<Phases, Fault> {
        parse(text, Path::new("/here"), &|name| name != "utoo")
    }

    #[test]
    fn the_preset_brings_phases_and_the_programs_that_are_here() {
        let found = parsed("preset = \"pm\"\n[project]\ndir = \"p\"\n").unwrap();
        let names: Vec<&str> = found.subjects.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["npm", "pnpm", "bun"]);
        let names: Vec<&str> = found.phases.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "p0_full_cold",
                "p1_resolve",
                "p3_cold_install",
                "p4_warm_link"
            ]
        );
        assert_eq!(found.project.as_deref(), Some(Path::new("/here/p")));
        assert_eq!(found.phases[3].expect.net_rx_max, Some(64 * 1024));
    }

    #[test]
    fn a_subject_that_is_only_named_is_filled_in() {
        let text = "preset = \"pm\"\n[[subject]]\nname = \"utoo\"\nenv.A = \"1\"\n";
        let found = parsed(text).unwrap();
        assert_eq!(found.subjects[0].env["A"], "1");
        assert!(
            found.subjects[0]
                .command("locked")
                .unwrap()
                .contains("utoo")
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let subject = "[[subject]]\nname = \"a\"\ncmd.go = \"true\"\n";
        for (text, part) in [
            ("x = 1", "x"),
            ("preset = \"q\"", "pm"),
            ("", "[[subject]]"),
            (
                &format!("controls = [\"q\"]\n{subject}[[phase]]\nname = \"p\"\ncmd = \"go\""),
                "no phase q",
            ),
            (
                &format!("{subject}[[phase]]\nname = \"p\"\ncmd = \"no\""),
                "no cmd.no",
            ),
            (
                &format!("{subject}[[phase]]\nname = \"p\"\ncmd = \"go\"\nwipe = [\"../x\"]"),
                "within",
            ),
            (
                &format!("{subject}[[phase]]\nname = \"p\"\ncmd = \"go\"\nrestore = [\"lock\"]"),
                "install",
            ),
            (
                &format!(
                    "{subject}[[phase]]\nname = \"p\"\ncmd = \"go\"\nexpect.net_rx_max = \"x\""
                ),
                "64K",
            ),
        ] {
            let (_, why) = parsed(text).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
        assert_eq!(parsed("\n\nx = 1").unwrap_err().0, Some(3));
    }

    #[test]
    fn sizes_are_steps_of_1024() {
        assert_eq!(bytes("64K"), Some(65536));
        assert_eq!(bytes("1.5M"), Some(1_572_864));
        assert_eq!(bytes("12"), Some(12));
        assert_eq!((bytes("-1K"), bytes("K"), bytes("é")), (None, None, None));
    }
}

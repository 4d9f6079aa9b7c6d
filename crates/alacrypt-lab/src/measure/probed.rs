//! `probe`: from its file to a plan.

use super::probe_file::{self, ProbeFile};
use super::session_run::Measured;
use super::setup::{Draft, default_dir, go_on, measure, options};
use super::trees::Trees;
use crate::cli::ProbeArgs;
use crate::error::{Error, Result};
use crate::session::{Arm, Cell, Kind, Metric, Probe, Session};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

/// Default rounds: enough for the crossover model on ratios of whole commands.
const ROUNDS: u32 = 12;
const BASE: &str = "base";
const BUNDLE: &str = "bundle";

/// Measures a bundle of changes. `None` after `--dry-run`.
///
/// # Errors
/// When the file or the arguments are wrong, the base cannot be built, or measuring cannot start.
pub fn probe(args: &ProbeArgs) -> Result<Option<Measured>> {
    if let Some(dir) = &args.measure.resume {
        return go_on(dir, &args.measure).map(Some);
    }
    let Some(path) = &args.file else {
        return Err(Error::Usage("probe needs a FILE.toml".into()));
    };
    let mut file = probe_file::read(path)?;
    file.full |= args.full;
    let mut measuring = args.measure.clone();
    let dir = measuring
        .out
        .get_or_insert_with(|| default_dir(SystemTime::now()));
    if Session::is_session(dir) {
        return Err(Error::Usage(format!(
            "{} holds a session already; go on with --resume, or choose another --out",
            dir.display()
        )));
    }
    let mut trees = Trees::new(&file, dir)?;
    let mut probe = Probe {
        changes: file
            .change
            .iter()
            .map(|change| change.name.clone())
            .collect(),
        ..Probe::default()
    };
    let here = path.parent().unwrap_or(Path::new("."));
    let here = std::path::absolute(here).map_err(|e| Error::io("find the file's folder", e))?;
    let mut arms = Vec::new();
    for set in sets(file.change.len(), file.full) {
        let name = name_of(&file, set);
        let tree = if measuring.dry_run {
            Ok(None)
        } else {
            trees.of(set)
        };
        match tree {
            Ok(tree) => {
                arms.push(arm(&file, set, &name, tree.as_deref().unwrap_or(&here)));
                let inside = members(&file, set).map(|change| change.name.clone());
                probe.arms.insert(name, inside.collect());
            }
            Err(why) if set == 0 => return Err(Error::Failed(format!("the base: {why}"))),
            Err(why) => {
                let alone = set.count_ones() == 1;
                let needs = match alone {
                    true => trees.depends_on(set.trailing_zeros() as usize),
                    false => Vec::new(),
                };
                let depends = match needs.as_slice() {
                    [] => String::new(),
                    needs => format!("; it depends on {}", needs.join(", ")),
                };
                let remark = format!("{name} is not measured: {why}{depends}");
                eprintln!("note: {remark}");
                probe.remarks.push(remark);
            }
        }
    }
    let draft = Draft {
        kind: Kind::Probe,
        arms,
        cells: vec![Cell {
            bench: "wall time".into(),
            file: None,
            metric: Metric::Wall,
        }],
        base: Some(BASE.into()),
        delta: args.analysis.delta.map(|d| d.0),
        options: options(&args.measure)?,
        load: None,
        phases: None,
        probe: Some(probe),
    };
    measuring.aa = true;
    measuring.runs.get_or_insert(ROUNDS);
    measure(draft, &measuring)
}

/// The base, each change alone, the bundle and the bundle without each; or all combinations.
fn sets(k: usize, all: bool) -> Vec<u32> {
    let full = (1u32 << k) - 1;
    if all {
        return (0..=full).collect();
    }
    let alone = (0..k).map(|i| 1 << i);
    let without = (0..k).map(|i| full & !(1 << i));
    let mut sets: Vec<u32> = [0].into_iter().chain(alone).collect();
    for set in without.chain([full]) {
        // With two changes, the bundle without one is the other alone.
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    sets
}

fn members(file: &ProbeFile, set: u32) -> impl Iterator<Item = &probe_file::Change> {
    let changes = file.change.iter().enumerate();
    changes
        .filter(move |(i, _)| set >> i & 1 == 1)
        .map(|(_, change)| change)
}

fn name_of(file: &ProbeFile, set: u32) -> String {
    let k = file.change.len();
    let names: Vec<&str> = members(file, set)
        .map(|change| change.name.as_str())
        .collect();
    let missing = file
        .change
        .iter()
        .enumerate()
        .find(|(i, _)| set >> i & 1 == 0);
    match (names.len(), missing) {
        (0, _) => BASE.into(),
        (_, None) => BUNDLE.into(),
        (n, Some((_, change))) if n > 1 && n == k - 1 => format!("{BUNDLE}-{}", change.name),
        _ => format!("+{}", names.join("+")),
    }
}

fn arm(file: &ProbeFile, set: u32, name: &str, dir: &Path) -> Arm {
    let mut env: BTreeMap<String, String> = file.base.env.clone();
    let mut flags = Vec::new();
    for change in members(file, set) {
        env.extend(change.env.clone());
        flags.extend((!change.flags.is_empty()).then_some(change.flags.as_str()));
    }
    let command = file.cmd.replace("{flags}", &flags.join(" "));
    env.insert("LAB_TREE".into(), dir.to_string_lossy().into_owned());
    Arm {
        name: name.to_owned(),
        argv: Vec::new(),
        shell: Some(format!("cd \"$LAB_TREE\" && {command}")),
        binary: None,
        env,
        copy_of: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_alone_the_bundle_and_the_bundle_without_each() {
        assert_eq!(sets(3, false), [0, 1, 2, 4, 6, 5, 3, 7]);
        assert_eq!(sets(2, false), [0, 1, 2, 3]);
        assert_eq!(sets(4, false).len(), 10);
        assert_eq!(sets(4, true).len(), 16);
    }
}

//! The arms of a comparison: from words of the command line to programs that exist.

use super::{copies, words};
use crate::cli::Named;
use crate::error::{Error, Result};
use crate::session::{Arm, Binary};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Name ending of the A/A control.
const COPY: &str = "-copy";

/// An arm that runs benchmark files with a binary.
pub(super) fn binary_arm(name: &str, program: &Path, flags: Option<&str>) -> Result<Arm> {
    let path = look_up(program)?;
    let mut argv = vec![path.to_string_lossy().into_owned()];
    argv.extend(words::split(flags.unwrap_or_default()).map_err(Error::Usage)?);
    Ok(Arm {
        name: name.into(),
        argv,
        shell: None,
        binary: Some(Binary::identify(&path, true)?),
        env: BTreeMap::new(),
        copy_of: None,
    })
}

/// Runtimes that answer `--version` without doing anything else; an unknown program is not asked.
const RUNTIMES: [&str; 6] = ["node", "bun", "deno", "python3", "ruby", "perl"];

/// An arm that is a command.
pub(super) fn command_arm(named: &Named, shell: bool) -> Result<Arm> {
    let Named { name, value } = named;
    let arm = |argv, shell, binary| Arm {
        name: name.clone(),
        argv,
        shell,
        binary,
        env: BTreeMap::new(),
        copy_of: None,
    };
    if shell {
        return Ok(arm(Vec::new(), Some(value.clone()), None));
    }
    if words::needs_shell(value) {
        return Err(Error::Usage(format!(
            "{name}: {value:?} needs a shell (pipes, variables, patterns); add --shell"
        )));
    }
    let argv = words::split(value).map_err(|e| Error::Usage(format!("{name}: {e}")))?;
    let Some(program) = argv.first() else {
        return Err(Error::Usage(format!("{name}: the command is empty")));
    };
    let path = look_up(Path::new(program))?;
    let known = path
        .file_name()
        .and_then(|n| n.to_str())
        .is_some_and(|n| RUNTIMES.contains(&n));
    let binary = Binary::identify(&path, known && copies::is_movable(&path))?;
    let mut words = vec![path.to_string_lossy().into_owned()];
    words.extend_from_slice(&argv[1..]);
    Ok(arm(words, None, Some(binary)))
}

/// The file that the shell would start: a path as it is, a bare name by PATH.
fn look_up(program: &Path) -> Result<PathBuf> {
    let is_program = |path: &Path| {
        use std::os::unix::fs::PermissionsExt;
        path.metadata()
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if program.components().count() > 1 || program.is_absolute() {
        let found = std::path::absolute(program)
            .map_err(|e| Error::io(format!("find {}", program.display()), e))?;
        return match found.metadata() {
            Err(e) => Err(Error::io(
                format!("find the binary {}", program.display()),
                e,
            )),
            Ok(_) if is_program(&found) => Ok(found),
            Ok(_) => Err(Error::Usage(format!("{} is no program", program.display()))),
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|dir| dir.join(program))
        .find(|p| is_program(p));
    found.ok_or_else(|| Error::Usage(format!("there is no program {} on PATH", program.display())))
}

pub(super) fn check_names(arms: &[Arm]) -> Result<()> {
    for (i, arm) in arms.iter().enumerate() {
        if arms[..i].iter().any(|earlier| earlier.name == arm.name) {
            return Err(Error::Usage(format!("two arms are named {}", arm.name)));
        }
    }
    if arms.is_empty() {
        Err(Error::Usage("no command is left to run".into()))
    } else {
        Ok(())
    }
}

pub(super) fn add_copy(arms: &mut Vec<Arm>, base: &str) -> Result<()> {
    let Some(original) = arms.iter().find(|arm| arm.name == base).cloned() else {
        return Ok(());
    };
    let name = format!("{base}{COPY}");
    arms.push(Arm {
        name,
        copy_of: Some(base.to_owned()),
        ..original
    });
    check_names(arms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named() {
        let missing = look_up(Path::new("./no/such/node"))
            .unwrap_err()
            .to_string();
        assert!(missing.contains("no/such/node"), "{missing}");
        assert!(look_up(Path::new("no-such-program-here")).is_err());
        assert!(
            look_up(Path::new("/etc/passwd"))
                .unwrap_err()
                .to_string()
                .contains("no program")
        );
        assert!(look_up(Path::new("sh")).unwrap().is_absolute());
    }

    #[test]
    fn what_needs_a_shell_says_so() {
        let named = Named {
            name: "x".into(),
            value: "a | b".into(),
        };
        assert!(
            command_arm(&named, false)
                .unwrap_err()
                .to_string()
                .contains("--shell")
        );
        assert_eq!(
            command_arm(&named, true).unwrap().shell.as_deref(),
            Some("a | b")
        );
    }

    #[test]
    fn the_control_is_a_copy_of_the_base() {
        let named = Named {
            name: "a".into(),
            value: "sh -c :".into(),
        };
        let mut arms = vec![command_arm(&named, false).unwrap()];
        add_copy(&mut arms, "a").unwrap();
        assert_eq!(
            (arms[1].name.as_str(), arms[1].copy_of.as_deref()),
            ("a-copy", Some("a"))
        );
        assert!(add_copy(&mut arms, "a").is_err());
    }
}

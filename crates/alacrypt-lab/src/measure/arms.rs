//! The arms of a comparison: from words of the command line to programs that exist.

use super::event_loop::assets::SERVER_WORD;
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
    if shell {
        return Ok(Arm {
            name: name.clone(),
            argv: Vec::new(),
            shell: Some(value.clone()),
            binary: None,
            env: BTreeMap::new(),
            copy_of: None,
        });
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
    program_arm(name, program, &argv[1..], BTreeMap::new())
}

/// An arm that starts a program with these words.
fn program_arm(
    name: &str,
    program: &str,
    rest: &[String],
    env: BTreeMap<String, String>,
) -> Result<Arm> {
    let path = look_up(Path::new(program))?;
    let known = path
        .file_name()
        .and_then(|n| n.to_str())
        .is_some_and(|n| RUNTIMES.contains(&n));
    let binary = Binary::identify(&path, known && copies::is_movable(&path))?;
    let mut words = vec![path.to_string_lossy().into_owned()];
    words.extend_from_slice(rest);
    Ok(Arm {
        name: name.to_owned(),
        argv: words,
        shell: None,
        binary: Some(binary),
        env,
        copy_of: None,
    })
}

/// Arms that are servers: each command, with the server's words behind it. Words such as `A=1`
/// before the program are variables of its environment, as in a shell.
pub(super) fn server_arms(commands: &[Named], server: &[String]) -> Result<Vec<Arm>> {
    let builtin = [SERVER_WORD.to_owned()];
    let alone = [Named {
        name: "server".into(),
        value: String::new(),
    }];
    let (commands, server) = match (commands, server) {
        ([], []) => {
            return Err(Error::Usage(
                "loop needs something to run: -n NAME=RUNTIME for the built-in server, or \
                 -- SERVER"
                    .into(),
            ));
        }
        ([], server) => (&alone[..], server),
        (commands, []) => (commands, &builtin[..]),
        both => both,
    };
    let arm = |Named { name, value }: &Named| {
        let mut words = words::split(value).map_err(|e| Error::Usage(format!("{name}: {e}")))?;
        words.extend_from_slice(server);
        let is_variable = |word: &String| {
            let name = word.split_once('=').map(|(name, _)| name);
            name.is_some_and(|name| {
                let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
                !name.is_empty() && name.chars().all(plain)
            })
        };
        let variables = words.iter().take_while(|word| is_variable(word)).count();
        let (env, rest) = words.split_at(variables);
        let env = env.iter().filter_map(|word| word.split_once('='));
        let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
        match rest {
            [program, rest @ ..] if program != SERVER_WORD => {
                program_arm(name, program, rest, env.collect())
            }
            _ => Err(Error::Usage(format!("{name}: the command is empty"))),
        }
    };
    commands.iter().map(arm).collect()
}

/// The program that a shell text starts, where that is a file that can be found.
pub(super) fn program_of(text: &str) -> Option<Binary> {
    let words = words::split(text).ok()?;
    let path = look_up(Path::new(words.first()?)).ok()?;
    Binary::identify(&path, false).ok()
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
    fn servers_take_variables_and_the_words_behind_the_command() {
        let named = |name: &str, value: &str| Named {
            name: name.into(),
            value: value.into(),
        };
        let commands = [named("a", "X=1 sh -x"), named("b", "sh")];
        let arms = server_arms(&commands, &["s.js".into()]).unwrap();
        assert_eq!(arms[0].env["X"], "1");
        assert_eq!(arms[0].argv[1..], ["-x", "s.js"]);
        assert_eq!(arms[1].argv[1..], ["s.js"]);
        assert_eq!(
            server_arms(&commands, &[]).unwrap()[1].argv[1..],
            [SERVER_WORD]
        );
        let alone = server_arms(&[], &["sh".into(), "A=1".into()]).unwrap();
        assert_eq!(
            (alone[0].name.as_str(), &alone[0].argv[1..]),
            ("server", &["A=1".into()][..])
        );
        assert!(server_arms(&[], &[]).is_err());
        assert!(server_arms(&[named("a", "X=1")], &[]).is_err());
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

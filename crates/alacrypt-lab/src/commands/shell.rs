//! `completions` and `man`: both generated from the definition of the command line.

use std::io::Write;

use crate::cli::{self, CompletionsArgs, ManArgs};
use crate::error::{Error, Exit, Result};

/// Prints the completion script.
pub(super) fn completions(args: &CompletionsArgs) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(
        args.shell,
        &mut cli::definition(),
        "alacrypt-lab",
        &mut script,
    );
    write_stdout(&script)
}

/// Prints the manual page of the program or of one subcommand.
pub(super) fn man(args: &ManArgs) -> Result<Exit> {
    let mut definition = cli::definition();
    definition.build();
    let wanted = match &args.subcommand {
        None => definition,
        Some(name) => {
            let found = definition.find_subcommand(name).cloned();
            let names: Vec<&str> = definition.get_subcommands().map(|c| c.get_name()).collect();
            found.ok_or_else(|| {
                Error::Usage(format!("man {name}: expected one of {}", names.join(", ")))
            })?
        }
    };
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(wanted).render(&mut page);
    rendered.map_err(|source| Error::io("make the manual page", source))?;
    write_stdout(&page)
}

fn write_stdout(bytes: &[u8]) -> Result<Exit> {
    match std::io::stdout().lock().write_all(bytes) {
        // The reader has seen enough, as in `… | head`.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Exit::Fine),
        Err(error) => Err(Error::io("write to standard output", error)),
        Ok(()) => Ok(Exit::Fine),
    }
}

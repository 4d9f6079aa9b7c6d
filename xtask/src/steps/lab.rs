//! The measuring tool as one static binary, built for the steps that measure and for anyone who
//! wants to carry it to another machine.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::failure::{Failure, Result};
use crate::process;
use crate::static_elf;
use crate::tree::Tree;

/// What must not reach a measured program: it would load something into one side, or switch the
/// other off.
const UNWANTED: [&str; 4] = [
    "NODE_OPTIONS",
    "NODE_V8_COVERAGE",
    "ALACRYPT",
    "ALACRYPT_STATS",
];

/// `cargo xtask lab`: builds it and prints its path and nothing else, for `$(cargo xtask lab)`.
pub(crate) fn run(tree: &Tree) -> Result<ExitCode> {
    let lab = build(tree)?;
    println!("{}", lab.display());
    Ok(ExitCode::SUCCESS)
}

/// Builds `alacrypt-lab` in release mode; its path. On Linux it is one file that needs no library
/// of the machine it runs on, which is checked.
pub(super) fn build(tree: &Tree) -> Result<PathBuf> {
    let host = host()?;
    let mut cargo = tree.cargo();
    cargo.args([
        "build",
        "--release",
        "--locked",
        "--package",
        "alacrypt-lab",
    ]);
    let linux = host.contains("-linux-");
    if linux {
        // With an explicit target the flag stays away from procedural macros, which must remain
        // loadable; musl links statically by itself, and the flag says the same there.
        let flags = format!("target.{host}.rustflags=[\"-C\", \"target-feature=+crt-static\"]");
        cargo.args(["--target", &host, "--config", &flags]);
    }
    process::run(&mut cargo).map_err(|failure| {
        Failure::new(format!(
            "{failure} (a static binary needs the C library's archive: libc6-dev on Debian, \
             glibc-static on Fedora)"
        ))
    })?;
    let mut directory = tree.target_dir()?;
    if linux {
        directory.push(&host);
    }
    let name = format!("alacrypt-lab{}", std::env::consts::EXE_SUFFIX);
    let lab = directory.join("release").join(name);
    if linux {
        static_elf::check(&lab)?;
    }
    Ok(lab)
}

/// The tool, to be run at the root of the tree, so that paths in what it prints are short.
pub(super) fn command(tree: &Tree, lab: &Path) -> Command {
    let mut command = Command::new(lab);
    command.current_dir(tree.root());
    for name in UNWANTED {
        command.env_remove(name);
    }
    command
}

/// The triple of this machine, as rustc names it.
fn host() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let text = process::output_of(Command::new(rustc).arg("-vV"))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| Failure::new("rustc -vV names no host"))
}

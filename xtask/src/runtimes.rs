//! The runtimes that tests, benchmarks and the demo run on, pinned in `npm/runtimes`.

use std::path::PathBuf;
use std::process::Command;

use crate::failure::{Failure, Result};
use crate::npm;
use crate::tree::Tree;

/// One supported runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runtime {
    Node20,
    Node22,
    Node24,
    Node26,
    Bun,
    Deno,
}

impl Runtime {
    pub(crate) const ALL: [Self; 6] = [
        Self::Node20,
        Self::Node22,
        Self::Node24,
        Self::Node26,
        Self::Bun,
        Self::Deno,
    ];

    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Node20 => "20",
            Self::Node22 => "22",
            Self::Node24 => "24",
            Self::Node26 => "26",
            Self::Bun => "bun",
            Self::Deno => "deno",
        }
    }

    /// The name for a person.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Node20 => "Node 20",
            Self::Node22 => "Node 22",
            Self::Node24 => "Node 24",
            Self::Node26 => "Node 26",
            Self::Bun => "Bun",
            Self::Deno => "Deno",
        }
    }

    pub(crate) fn from_name(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|runtime| runtime.name() == name)
            .ok_or_else(|| {
                let names: Vec<_> = Self::ALL.into_iter().map(Self::name).collect();
                Failure::new(format!(
                    "no runtime is called `{name}`; there are {}",
                    names.join(", ")
                ))
            })
    }

    /// Where its binary may be, below `node_modules`.
    ///
    /// The packages `bun` and `deno` copy a binary into themselves by an install script.
    /// Those do not run here, so the platform's own package is used.
    fn binaries(self) -> &'static [&'static str] {
        match self {
            Self::Node20 => &["node20/bin/node"],
            Self::Node22 => &["node22/bin/node"],
            Self::Node24 => &["node24/bin/node"],
            Self::Node26 => &["node26/bin/node"],
            Self::Bun => &[
                "@oven/bun-linux-x64/bin/bun",
                "@oven/bun-linux-x64-musl/bin/bun",
            ],
            Self::Deno => &["@deno/linux-x64-glibc/deno"],
        }
    }

    /// The words between the binary and a script of this project.
    fn script_args(self) -> &'static [&'static str] {
        match self {
            Self::Deno => &["run", "--allow-all", "--no-lock", "--quiet"],
            _ => &[],
        }
    }
}

/// The installed runtimes.
pub(crate) struct Runtimes {
    modules: PathBuf,
}

impl Runtimes {
    /// Installs what `npm/runtimes` pins, if that has not been done yet.
    pub(crate) fn installed(tree: &Tree) -> Result<Self> {
        let folder = tree.root().join("npm/runtimes");
        npm::install(&folder)?;
        Ok(Self {
            modules: folder.join("node_modules"),
        })
    }

    pub(crate) fn binary(&self, runtime: Runtime) -> Result<PathBuf> {
        runtime
            .binaries()
            .iter()
            .map(|binary| self.modules.join(binary))
            .find(|path| path.is_file())
            .ok_or_else(|| {
                Failure::new(format!(
                    "{} has no binary for this platform in {}",
                    runtime.title(),
                    self.modules.display()
                ))
            })
    }

    /// The runtime by itself, for arguments of the caller's choice.
    pub(crate) fn command(&self, runtime: Runtime) -> Result<Command> {
        Ok(Command::new(self.binary(runtime)?))
    }

    /// The runtime with all that goes before the path of a script.
    pub(crate) fn script(&self, runtime: Runtime) -> Result<Command> {
        let mut command = self.command(runtime)?;
        command.args(runtime.script_args());
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runtime_is_found_by_its_name_and_no_other() -> Result<()> {
        for runtime in Runtime::ALL {
            assert_eq!(Runtime::from_name(runtime.name())?, runtime);
        }
        let message = Runtime::from_name("18").err().map(|f| f.to_string());
        assert!(message.is_some_and(|text| text.contains("20, 22, 24, 26, bun, deno")));
        Ok(())
    }
}

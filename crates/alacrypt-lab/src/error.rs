//! What can go wrong, sorted by what the reader of the message has to change.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// The exit codes, the same for every subcommand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything asked for was done.
    Fine,
    /// A row is slower than `--max-regression` allows.
    Regression,
    /// The command line or an input file is wrong; nothing was decided.
    Usage,
    /// The A/A control or the noise gate failed: figures are printed, but do not trust them.
    Untrusted,
    /// Some cells failed or are incomplete.
    Incomplete,
    /// Stopped by Ctrl-C; what was measured is kept and reported.
    Interrupted,
}

impl Exit {
    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Regression => 1,
            Self::Usage => 2,
            Self::Untrusted => 3,
            Self::Incomplete => 4,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a subcommand ended without a result.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The arguments contradict each other or miss something.
    Usage(String),
    /// A file is not what it should be.
    Input {
        /// The file, or `-` for standard input.
        file: PathBuf,
        /// Line, from 1, where reading stopped; `None` when the fault is of the whole file.
        line: Option<usize>,
        /// What was wrong and what was expected there.
        message: String,
    },
    /// The operating system refused.
    Io {
        /// What was being done, as in "write report.html".
        doing: String,
        /// The system's own reason.
        source: std::io::Error,
    },
    /// Measuring could not start or go on.
    Failed(String),
    /// Ctrl-C before there was anything to keep.
    Interrupted,
}

impl Error {
    /// A fault in `file` at `line`.
    pub fn input(file: &Path, line: impl Into<Option<usize>>, message: impl Into<String>) -> Self {
        Self::Input {
            file: file.to_path_buf(),
            line: line.into(),
            message: message.into(),
        }
    }

    /// A refusal of the operating system while `doing`.
    pub fn io(doing: impl Into<String>, source: std::io::Error) -> Self {
        Self::Io {
            doing: doing.into(),
            source,
        }
    }

    /// The exit code that belongs to this error.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Failed(_) => Exit::Incomplete,
            Self::Interrupted => Exit::Interrupted,
            Self::Usage(_) | Self::Input { .. } | Self::Io { .. } => Exit::Usage,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Failed(message) => f.write_str(message),
            Self::Interrupted => f.write_str("interrupted before the first round was complete"),
            Self::Input {
                file,
                line,
                message,
            } => match line {
                Some(line) => write!(f, "{}:{line}: {message}", file.display()),
                None => write!(f, "{}: {message}", file.display()),
            },
            Self::Io { doing, source } => write!(f, "cannot {doing}: {source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

//! The command `alacrypt`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    alacrypt_cli::command::main()
}

//! The `alacrypt-lab` binary: hands the arguments to the library and its answer to the shell.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    alacrypt_lab::main()
}

//! Child processes: run one to its end, with its output streamed, recorded or kept in a log.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};

/// Runs a command with its output on the terminal; a non-zero end is an error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = status_of(command)?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "{} ended with {status}",
            line(command)
        )))
    }
}

/// Runs a command with its output on the terminal and tells how it ended.
pub(crate) fn status_of(command: &mut Command) -> Result<ExitStatus> {
    command
        .status()
        .map_err(|error| cannot_start(command, &error))
}

/// Runs a command and returns what it wrote to stdout; a non-zero end is an error.
pub(crate) fn output_of(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| cannot_start(command, &error))?;
    if !output.status.success() {
        return Err(Failure::new(format!(
            "{} ended with {}",
            line(command),
            output.status
        )));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| Failure::new(format!("{} wrote invalid UTF-8", line(command))))
}

/// Runs a command; its stdout is both shown as it comes and returned by line.
pub(crate) fn run_recorded(command: &mut Command) -> Result<(ExitStatus, Vec<String>)> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| cannot_start(command, &error))?;
    let mut lines = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        let mut reader = BufReader::new(stdout);
        let mut bytes = Vec::new();
        let mut terminal = std::io::stdout().lock();
        loop {
            bytes.clear();
            match reader.read_until(b'\n', &mut bytes) {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim_end_matches(['\n', '\r']);
            // A closed terminal must not stop the count.
            let _ = writeln!(terminal, "{text}");
            lines.push(text.to_owned());
        }
    }
    let status = child
        .wait()
        .map_err(|error| cannot_start(command, &error))?;
    Ok((status, lines))
}

/// How a command with a deadline ended.
pub(crate) enum Ending {
    Exited(ExitStatus),
    TimedOut,
}

/// Runs a command with its whole output in a log file, and kills it at the deadline.
pub(crate) fn run_logged(command: &mut Command, log: &Path, limit: Duration) -> Result<Ending> {
    let file = File::create(log).map_err(Failure::at(log))?;
    let copy = file.try_clone().map_err(Failure::at(log))?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(copy)
        .spawn()
        .map_err(|error| cannot_start(command, &error))?;
    wait_until(&mut child, Instant::now() + limit).map_err(|error| cannot_start(command, &error))
}

fn wait_until(child: &mut Child, deadline: Instant) -> std::io::Result<Ending> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ending::Exited(status));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(Ending::TimedOut);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The exit code that passes a child's end on; an end by a signal is a plain failure.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    match status.code().map(u8::try_from) {
        Some(Ok(code)) => ExitCode::from(code),
        _ => ExitCode::FAILURE,
    }
}

/// The command as a line, for messages.
pub(crate) fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    format!("`{}`", words.join(" "))
}

fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot run {}: {error}", line(command)))
}

/// Says which step runs, and afterwards how long it took.
pub(crate) fn timed<T>(title: &str, step: impl FnOnce() -> T) -> T {
    println!("── {title}");
    let start = Instant::now();
    let result = step();
    println!("── {title}: {:.1} s", start.elapsed().as_secs_f64());
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn this_test_binary() -> Result<Command> {
        let path = std::env::current_exe()
            .map_err(|error| Failure::new(format!("no path of this program: {error}")))?;
        Ok(Command::new(path))
    }

    #[test]
    fn a_failing_program_is_an_error_that_names_it() -> Result<()> {
        let mut command = this_test_binary()?;
        command.arg("--no-such-option").stderr(Stdio::null());
        let message = run(&mut command).err().map(|failure| failure.to_string());
        assert!(message.is_some_and(|text| text.contains("--no-such-option")));
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_hangs_is_killed_at_the_deadline() -> Result<()> {
        let log = std::env::temp_dir().join(format!("xtask-hang-{}", std::process::id()));
        let start = Instant::now();
        let limit = Duration::from_millis(300);
        let ending = run_logged(Command::new("sleep").arg("60"), &log, limit)?;
        assert!(matches!(ending, Ending::TimedOut));
        assert!(start.elapsed() < Duration::from_secs(30));
        std::fs::remove_file(&log).map_err(Failure::at(&log))
    }
}

//! `doctor`: watch the machine, print what was found.

use crate::cli::DoctorArgs;
use crate::error::{Error, Exit, Result};
use crate::measure::doctor::examine;
use crate::measure::setup::usable;
use std::time::Duration;

/// Watches and prints; exit code 3 when comparisons here cannot be trusted.
pub(super) fn doctor(args: &DoctorArgs) -> Result<Exit> {
    let cpus = usable(args.cpu.as_ref())?;
    let findings = examine(Duration::from_secs_f64(args.seconds.0), &cpus)?;
    let json = |e: serde_json::Error| Error::io("write the findings as JSON", e.into());
    match &args.json {
        Some(path) if path.as_os_str() == "-" => {
            println!("{}", serde_json::to_string_pretty(&findings).map_err(json)?);
        }
        Some(path) => {
            let text = serde_json::to_string_pretty(&findings).map_err(json)? + "\n";
            std::fs::write(path, text)
                .map_err(|e| Error::io(format!("write {}", path.display()), e))?;
            print!("{}", findings.text());
        }
        None => print!("{}", findings.text()),
    }
    Ok(match (findings.interrupted, findings.trustworthy) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Fine,
        (false, false) => Exit::Untrusted,
    })
}

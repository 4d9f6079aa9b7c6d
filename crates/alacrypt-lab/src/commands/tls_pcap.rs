//! `tls pcap`: handshake intervals from a capture.

use std::path::Path;

use super::outcome::write;
use crate::cli::TlsPcapArgs;
use crate::error::{Error, Exit, Result};
use crate::render;
use crate::tls::{Capture, read_capture};

/// Reads a capture and shows its handshakes.
pub(super) fn pcap(args: &TlsPcapArgs) -> Result<Exit> {
    let stdouts = [&args.md, &args.json];
    if stdouts
        .iter()
        .filter(|path| path.as_deref() == Some(Path::new("-")))
        .count()
        > 1
    {
        return Err(Error::Usage("only one of --md and --json may be -".into()));
    }
    let mut tick = |_| true;
    let capture = if args.file == Path::new("-") {
        read_capture(std::io::stdin().lock(), &args.port, &mut tick)
    } else {
        let opened = std::fs::File::open(&args.file);
        let file = opened.map_err(|e| Error::io(format!("read {}", args.file.display()), e))?;
        read_capture(file, &args.port, &mut tick)
    };
    if let Some(why) = &capture.stopped
        && capture.counts.packets == 0
    {
        return Err(Error::input(&args.file, None, why.to_string()));
    }
    show(args, &capture)
}

fn show(args: &TlsPcapArgs, capture: &Capture) -> Result<Exit> {
    let title = args.file.display().to_string();
    if let Some(path) = &args.md {
        write(path, &render::tls_markdown(&title, capture))?;
    }
    if let Some(path) = &args.json {
        write(path, &render::tls_json(&title, capture))?;
    }
    let taken = [&args.md, &args.json]
        .iter()
        .any(|path| path.as_deref() == Some(Path::new("-")));
    if !taken && !args.quiet {
        write(Path::new("-"), &render::tls_terminal(capture, args.wide))?;
    }
    let whole = capture.stopped.is_none() && !capture.handshakes.is_empty();
    Ok(if whole { Exit::Fine } else { Exit::Incomplete })
}

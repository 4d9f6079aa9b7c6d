//! A report in each shape that people read it in. Nothing here computes a statistic.

mod csv;
mod differences;
mod figures;
pub(crate) mod format;
mod html;
mod json;
mod loads;
mod markdown;
mod phases;
mod probe;
mod table;
mod terminal;
mod text;
mod tls;
mod tls_burst;

pub use csv::node_csv;
pub use differences::differences;
pub use html::{html, read_back};
pub use json::{json, read_json};
pub use markdown::markdown;
pub use phases::{
    PhaseLine, phase_bytes, phase_count, phase_markdown, phase_plain, phase_seconds, to_fixed,
};
pub use table::compare_table;
pub use terminal::{Style, terminal};
pub use tls::{tls_json, tls_markdown, tls_terminal};
pub use tls_burst::{TlsBurst, tls_burst_json, tls_burst_markdown, tls_burst_terminal};

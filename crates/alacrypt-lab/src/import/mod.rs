//! Foreign files as datasets. Every fault names the file, the line and what was expected.

mod csv;
mod hyperfine;
mod node_csv;

pub use csv::{Record, read_records};
pub use hyperfine::from_hyperfine;
pub use node_csv::from_node_csv;

/// The last part of a path: reports are shown to others, whom the folders do not concern.
fn file_name(path: &std::path::Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    match name.to_string_lossy().as_ref() {
        "-" => "standard input".into(),
        name => name.to_owned(),
    }
}

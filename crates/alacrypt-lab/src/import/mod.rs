//! Foreign files as datasets. Every fault names the file, the line and what was expected.

mod csv;
mod hyperfine;
mod node_csv;

pub use csv::{Record, read_records};
pub use hyperfine::from_hyperfine;
pub use node_csv::from_node_csv;

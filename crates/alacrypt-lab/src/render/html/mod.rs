//! One self-contained page: tables, plots as SVG, the data. It reads without its script, which
//! only adds copy buttons and the filter.

mod detail;
mod forest;
mod page;
mod paired;
mod phase_bars;
mod scale;
mod svg;
mod tail;
mod waterfall;

pub use page::{html, read_back};

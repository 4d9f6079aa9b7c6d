//! The steps, one file each.

pub(crate) mod bench;
pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod coverage;
pub(crate) mod demo;
pub(crate) mod lab;
pub(crate) mod mutants;
pub(crate) mod node;
pub(crate) mod test;

//! Benchmarks of digests.

fn main() {}

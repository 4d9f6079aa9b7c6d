//! Benchmarks of HMAC.

fn main() {}

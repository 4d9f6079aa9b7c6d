//! Every step that CI or a newcomer runs, by name.

fn main() {}

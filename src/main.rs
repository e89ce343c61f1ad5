//! The `allo-hls` command line.
fn main() {}

//! The `allo-hls` program: the command line of the library.

use std::process::ExitCode;

/// Faster than the C library's by a part of the whole: docs/architecture.md says which.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(allo_hls::cli::run(std::env::args_os()))
}

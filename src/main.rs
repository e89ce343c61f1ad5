//! The `allo-hls` program: the command line of the library.

use std::process::ExitCode;

/// A third of a compilation's time would be that of the C library's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(allo_hls::cli::run(std::env::args_os()))
}

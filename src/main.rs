//! The `allo-hls` program: the command line of the library.

use std::process::ExitCode;

/// Faster than the C library's by a part of the whole: docs/architecture.md says which.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// After how many milliseconds memory that nothing uses goes back to the system: the option's number in mimalloc.h, which its
/// Rust package does not name.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

fn main() -> ExitCode {
    // What one pass frees the next one takes. SAFETY: no other thread is there yet.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, -1) };
    ExitCode::from(allo_hls::cli::run(std::env::args_os()))
}

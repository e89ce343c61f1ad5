//! The `allo-hls` program: the command line of the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(allo_hls::cli::run(std::env::args_os()))
}

//! The `allo-hls` command line: reads arguments, calls the library, prints.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}

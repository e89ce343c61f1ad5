//! `allo-hls kernel.py --emit veryl | allo-hls-veryl`: Veryl source on standard input becomes SystemVerilog on standard
//! output.

use std::io::{self, Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().len() > 1 {
        eprintln!("usage: allo-hls kernel.py --emit veryl | allo-hls-veryl >kernel.sv");
        return ExitCode::from(2);
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut source = String::new();
    let read = io::stdin().read_to_string(&mut source);
    read.map_err(|e| format!("cannot read standard input: {e}"))?;
    let text = allo_hls_veryl::to_systemverilog(&source, "input")?;
    let written = io::stdout().write_all(text.as_bytes());
    written.map_err(|e| format!("cannot write standard output: {e}"))
}

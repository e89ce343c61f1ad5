//! Printed `ir`: it reads back as what prints the same, or is refused with the reader's or the validator's words.

use super::{Answer, Case};
use crate::support;
use allo_hls::ir::{print, read};

pub fn answer(case: &Case) -> Answer {
    let (sources, file) = support::source(&case.name(), &case.text);
    Ok(match read::read(file, &case.text) {
        Ok(program) => print::print(&program, None),
        Err(error) => format!("[{}] {}", error.code, error.render(&sources, false)),
    })
}

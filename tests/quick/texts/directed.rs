//! What the directives that the first line names (`// directives: --split i=4 --reorder j,i`) make of printed `ir`, or why
//! they are refused.

use super::{Answer, Case};
use crate::support;
use allo_hls::diagnostics::Diagnostics;
use allo_hls::directives::{self, Directive};
use allo_hls::ir::{print, read, validate};

pub fn answer(case: &Case) -> Answer {
    let line = case
        .directive("directives")
        .ok_or("no line '// directives:'")?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let flag = |words: &[&str]| match words {
        [name, value] => directives::flag(name.trim_start_matches('-'), value),
        _ => Err("a flag without a value".into()),
    };
    let all: Result<Vec<Directive>, String> = words.chunks(2).map(flag).collect();
    let (sources, file) = support::source(&case.name(), &case.text);
    let program = read::read(file, &case.text);
    let mut program = program.map_err(|error| error.render(&sources, false))?;
    let mut warnings = Diagnostics::default();
    if let Err(refused) = directives::apply(&mut program, &all?, &sources, &mut warnings) {
        return Ok(refused.render(&sources, false));
    }
    validate::validate(&program).map_err(|error| error.to_string())?;
    Ok(print::print(&program, None))
}

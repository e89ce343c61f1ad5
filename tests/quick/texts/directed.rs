//! What the directives that the first line names (`// directives: --split i=4 --reorder j,i`) make of printed `ir`, or why
//! they are refused. Those without a flag are as in a file, on one line: `// file: kind = "buffer_at", buffer = "x", axis = "i"`, with `;`
//! between several.

use super::{Answer, Case};
use crate::support;
use allo_hls::diagnostics::Diagnostics;
use allo_hls::directives::{self, Directive};
use allo_hls::ir::{print, read, validate};

pub fn answer(case: &Case) -> Answer {
    let line = case.directive("directives").unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let flag = |words: &[&str]| match words {
        [name, value] => directives::flag(name.trim_start_matches('-'), value),
        _ => Err("a flag without a value".into()),
    };
    let flags: Result<Vec<Directive>, String> = words.chunks(2).map(flag).collect();
    let tables = case.directive("file").map(|line| line.split(';'));
    let tables = tables.into_iter().flatten();
    let file: String = tables
        .map(|table| format!("[[directive]]\n{}\n", table.trim().replace(", ", "\n")))
        .collect();
    let mut all = directives::read(&file)?;
    all.extend(flags?);
    if all.is_empty() {
        return Err("neither '// directives:' nor '// file:'".into());
    }
    let (sources, file) = support::source(&case.name(), &case.text);
    let program = read::read(file, &case.text);
    let mut program = program.map_err(|error| error.render(&sources, false))?;
    let mut warnings = Diagnostics::default();
    if let Err(refused) = directives::apply(&mut program, &all, &sources, &mut warnings) {
        return Ok(refused.render(&sources, false));
    }
    validate::validate(&program).map_err(|error| error.to_string())?;
    Ok(print::print(&program, None))
}

//! The passes that the first line names (`// passes: promote, forward`), after inlining, on printed `ir`.

use super::{Answer, Case};
use crate::support;
use allo_hls::arena::Arena;
use allo_hls::ir::{Program, print, read, validate};
use allo_hls::transform::{UNROLL, inline, unroll};

pub fn answer(case: &Case) -> Answer {
    let names = case.directive("passes").ok_or("no line '// passes:'")?;
    let (sources, file) = support::source(&case.name(), &case.text);
    let program = read::read(file, &case.text);
    let program = program.map_err(|error| error.render(&sources, false))?;
    let inlined = inline::inline(&program);
    let mut kernel = inlined.map_err(|errors| errors.render(&sources, false))?;
    for name in names.split(", ").filter(|name| !name.is_empty()) {
        if name == UNROLL {
            unroll::run(&mut kernel).map_err(|error| error.render(&sources, false))?;
        } else {
            let pass = support::passes().find(|pass| pass.0 == name);
            let (_, run) = pass.ok_or_else(|| format!("no pass '{name}'"))?;
            run(&mut kernel);
        }
        validate::validate_kernel(&kernel).map_err(|e| format!("after {name}: {e}"))?;
    }
    let mut kernels = Arena::new();
    let top = kernels.push(kernel);
    Ok(print::print(&Program { kernels, top }, None))
}

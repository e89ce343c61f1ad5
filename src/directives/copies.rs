//! Copies of loops: `j#1` is the `j` in the second iteration of those that a round of an unrolled loop has. A directive that names
//! one has the loop around it unrolled at once; otherwise that waits until all bounds are known.

use super::names::{Found, Names, Refusal};
use crate::diagnostics::SourceMap;
use crate::ir::{Path, Program, Unroll, leads_to};
use crate::transform::unroll;

/// Unrolls what stands in the way of a name.
///
/// Errors: what is to be unrolled cannot be.
pub fn make(program: &mut Program, sources: &SourceMap, name: &str) -> Result<(), Refusal> {
    if !name.contains('#') {
        return Ok(());
    }
    loop {
        let loops = Names::of_loops(program, sources);
        if !loops.matching(name).is_empty() {
            return Ok(());
        }
        let Some(around) = loops
            .iter()
            .find(|one| has_copied(program, &loops, one, name))
        else {
            return Ok(());
        };
        let kernel = &mut program.kernels[around.kernel];
        unroll::at_once(kernel, &around.place).map_err(|error| (error.span, error.message))?;
    }
}

/// Whether a loop is to be unrolled, and has one inside of which the name says which copy it means.
fn has_copied(program: &Program, loops: &Names<Path>, one: &Found<Path>, name: &str) -> bool {
    let body = &program.kernels[one.kernel].body;
    let unrolled = body.op_at(&one.place).and_then(|op| op.kind.tags()?.unroll);
    let is_copied = |inner: &Found<Path>| {
        inner.kernel == one.kernel
            && inner.place != one.place
            && leads_to(&inner.place, &one.place)
            && name.split('/').any(|part| {
                let copied = part.rsplit_once('#').map(|(copied, _)| copied);
                copied.is_some_and(|copied| inner.is_called(copied))
            })
    };
    matches!(unrolled, Some(Unroll::Fully | Unroll::By(_))) && loops.iter().any(is_copied)
}

//! What depends on timing in a module, as its runs tell it: ports that say what is asked and what is found in each cycle,
//! records of them, and what the reference is told of those.

use crate::rtl::elaborate::cells::Cells;
use crate::rtl::netlist::*;
use crate::sim::elements::{Elements, Timed};
use crate::sim::model::RunResult;
use crate::sim::value::{Data, MOST_TRANSFERS, Signature};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// Questions that a process may have: there is a bit for each in half of a word.
const MOST: u32 = 32;

/// Bits of what is recorded of a cycle: in the lower half what is found, in the upper one what is asked.
pub const WORD: u32 = 2 * MOST;

/// The design with a port of [`WORD`] bits at the top module for each process that asks, in their order.
///
/// Errors: a process has too many questions.
pub fn exposed(design: &Design) -> Result<Design, String> {
    let mut made = Design::default();
    let mut exposing: BTreeMap<ModuleId, usize> = BTreeMap::new();
    for (id, module) in design.modules.iter() {
        let mut cells = Cells::of(module.clone());
        let mut count = 0;
        let asked = std::mem::take(&mut cells.module.asked);
        if !asked.is_empty() {
            expose(&mut cells, &asked)?;
            count += 1;
        }
        let mut items = std::mem::take(&mut cells.module.items);
        for item in &mut items {
            let Item::Instance(instance) = item else {
                continue;
            };
            for _ in 0..exposing.get(&instance.module).copied().unwrap_or(0) {
                let port = cells.port(Direction::Output, "ap_timed", WORD);
                instance.connections.push(port);
                count += 1;
            }
        }
        items.append(&mut cells.module.items);
        cells.module.items = items;
        exposing.insert(id, count);
        made.modules.push(cells.module);
    }
    Ok(made)
}

fn expose(cells: &mut Cells, asked: &[(Operand, Operand)]) -> Result<(), String> {
    let rest = MOST.checked_sub(asked.len() as u32);
    let rest = rest.ok_or("a process asks in too many places what depends on timing")?;
    let port = cells.port(Direction::Output, "ap_timed", WORD);
    let half = |bits: Vec<Operand>| {
        let zeros = (rest > 0).then(|| Operand::Const {
            width: rest,
            value: 0u32.into(),
        });
        // The first is the lowest bit.
        zeros.into_iter().chain(bits.into_iter().rev())
    };
    let asks = half(asked.iter().map(|one| one.0.clone()).collect());
    let found = half(asked.iter().map(|one| one.1.clone()).collect());
    cells.drive(port, Expr::Concat(asks.chain(found).collect()));
    Ok(())
}

/// What each invocation that finished was told, of what a shell recorded; nothing for a kernel that does not depend on
/// timing. `None`: there was more than is recorded.
pub fn told(signature: &Signature, result: &RunResult) -> Option<Vec<Timed>> {
    let slots = signature.params.iter().chain(&signature.results);
    let arrays = slots.filter(|slot| slot.is_array()).count();
    let records = &result.arrays[arrays.min(result.arrays.len())..];
    let mut begun = vec![0; signature.timed];
    let each = result.returns.iter().map(|returns| {
        let counts = &returns[returns.len() - signature.timed..];
        let ends = counts.iter().map(|count| count.to_usize());
        let parts = records.iter().zip(&mut begun).zip(ends);
        let told = parts.map(|((record, begun), end)| {
            let end = end.filter(|end| *end < MOST_TRANSFERS as usize)?;
            let words = std::mem::replace(begun, end)..end;
            Some(words.flat_map(|at| outcomes(record, at)).collect())
        });
        told.collect()
    });
    each.collect()
}

/// What was found in a cycle, of those that were asked.
fn outcomes(record: &Elements, at: usize) -> impl Iterator<Item = bool> + use<> {
    let word = match record.get(at).data {
        Data::Int(word) => word,
        _ => 0,
    };
    let asked = (0..MOST).filter(move |bit| word >> (MOST + bit) & 1 == 1);
    asked.map(move |bit| word >> bit & 1 == 1)
}

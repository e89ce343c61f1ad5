//! What depends on timing in a module, as its runs tell it: ports that say what is asked and what is found in each cycle,
//! records of them, and what the reference is told of those.

use crate::rtl::elaborate::cells::Cells;
use crate::rtl::netlist::*;
use crate::sim::elements::{Elements, Timed};
use crate::sim::model::RunResult;
use crate::sim::value::{Data, MOST_TRANSFERS, Signature};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// The design with a port at the top module for each process that asks, in their order: two bits for each of its questions,
/// what is found and, above it, whether it is asked.
pub fn exposed(design: &Design) -> Design {
    let mut made = Design::default();
    let mut exposing: BTreeMap<ModuleId, Vec<u32>> = BTreeMap::new();
    for (id, module) in design.modules.iter() {
        let mut cells = Cells::of(module.clone());
        let mut widths = Vec::new();
        let asked = std::mem::take(&mut cells.module.asked);
        if !asked.is_empty() {
            widths.push(expose(&mut cells, &asked));
        }
        let mut items = std::mem::take(&mut cells.module.items);
        for item in &mut items {
            let Item::Instance(instance) = item else {
                continue;
            };
            for &width in exposing.get(&instance.module).into_iter().flatten() {
                let port = cells.port(Direction::Output, "ap_timed", width);
                instance.connections.push(port);
                widths.push(width);
            }
        }
        items.append(&mut cells.module.items);
        cells.module.items = items;
        exposing.insert(id, widths);
        made.modules.push(cells.module);
    }
    made
}

fn expose(cells: &mut Cells, asked: &[(Operand, Operand)]) -> u32 {
    let width = 2 * asked.len() as u32;
    let port = cells.port(Direction::Output, "ap_timed", width);
    // The first is the lowest pair.
    let bits = asked.iter().rev();
    let bits = bits.flat_map(|(asks, found)| [asks.clone(), found.clone()]);
    cells.drive(port, Expr::Concat(bits.collect()));
    width
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
fn outcomes(record: &Elements, at: usize) -> Vec<bool> {
    let word = match record.get(at).data {
        Data::Int(word) => word.into(),
        Data::Big(word) => *word,
        Data::Float(_) => BigInt::ZERO,
    };
    let questions = word.bits().div_ceil(2);
    let asked = (0..questions).filter(|number| word.bit(2 * number + 1));
    asked.map(|number| word.bit(2 * number)).collect()
}

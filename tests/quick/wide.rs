//! What many memories are read at comes from a register, which has copies beside them.

use crate::directives::{checked_for, target};
use allo_hls::rtl::netlist::{Item, Operand};
use std::collections::BTreeSet;

/// Reads of the memories of a table, and those of them that begin at a register; of a table of so many rows, a memory for each.
fn reads(rows: usize) -> (usize, usize) {
    let text = format!(
        "from allo import *

@kernel
def top(x: \"i32[{rows}, 64]\", n: \"u5\", y: \"i32[{rows}]\"):
    t: i32[{rows}, 64]
    for a in range(64):
        for b in range({rows}):
            t[b, a] = x[b, a]
    for k in range(n):
        for i in range(8):
            for j in range({rows}):
                y[j] += t[j, k + 3 * i + 5]
"
    );
    let rows = rows.to_string();
    let flags = [
        ("unroll", &*format!("b={rows}")),
        ("unroll", &*format!("j={rows}")),
        ("partition", "t:complete:dim=1"),
        ("partition", "x:complete:dim=1"),
        ("partition", "y:complete"),
    ];
    let compiled = checked_for(&text, &target(&flags).expect("directives"));
    let module = &compiled.design.modules[compiled.design.top().expect("a module")];
    let registers: BTreeSet<_> = module
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Register(register) => Some(register.out),
            _ => None,
        })
        .collect();
    let mut found = (0, 0);
    for item in &module.items {
        if let Item::Memory(memory) = item {
            for read in &memory.reads {
                found.0 += 1;
                let at_once = matches!(&read.addr, Operand::Net(net) if registers.contains(net));
                found.1 += usize::from(at_once);
            }
        }
    }
    found
}

#[test]
fn an_address_of_many_memories_comes_from_a_register() {
    assert_eq!(reads(20), (20, 20));
    // Few memories are read at what is computed in the same cycle.
    assert_eq!(reads(4), (4, 0));
}

//! What goes to many memories or operators all over a device comes from registers beside them.

use crate::directives::{checked_for, target};
use allo_hls::driver::Target;
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

/// Instances that two loops share, of so many iterations side by side in each, and whether each has registers of its own for its
/// operands. One of them is the same for all.
fn shared(lanes: usize) -> (usize, bool) {
    let text = format!(
        "from allo import *

@kernel
def top(a: f16, b: f16, x: \"f16[200, {lanes}]\", y: \"f16[200, {lanes}]\"):
    for i in range(200):
        for j in range({lanes}):
            x[i, j] = a * x[i, j]
    for k in range(200):
        for l in range({lanes}):
            y[k, l] = b * x[k, l]
"
    );
    let lanes = lanes.to_string();
    let flags = [
        ("unroll", &*format!("j={lanes}")),
        ("unroll", &*format!("l={lanes}")),
        ("partition", "x:complete:dim=2"),
        ("partition", "y:complete:dim=2"),
    ];
    let target = Target {
        period: 6.0,
        ..target(&flags).expect("directives")
    };
    let design = checked_for(&text, &target).design;
    let top = &design.modules[design.top().expect("a module")];
    let called = top.items.iter().filter_map(|item| match item {
        Item::Instance(instance) => Some(instance.module),
        _ => None,
    });
    let called: Vec<_> = called.collect();
    let [unit] = &called
        .iter()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect::<Vec<_>>()[..]
    else {
        panic!("one operator");
    };
    (called.len(), !design.modules[**unit].replicas.is_empty())
}

#[test]
fn operands_of_many_shared_operators_wait_in_registers_beside_each() {
    assert_eq!(shared(20), (20, true));
    assert_eq!(shared(2), (2, false));
}

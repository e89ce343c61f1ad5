//! Parts of a core that wait for arrays: one that is accessed in a later part is loaded while those before run, and the part
//! begins when it is there.

use crate::rtl::elaborate::cells::Cells;
use crate::rtl::netlist::{BinaryOp, Direction, Expr, Item, Module, NetId, Operand};

/// A part that waits.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The input of the core that lets it begin.
    pub port: String,
    /// The arrays that it waits for.
    pub arrays: Vec<String>,
}

/// Gives a core an input for each part that accesses arrays which are loaded, and which none before it accesses: it begins
/// when the input is 1.
pub fn wait(core: Module, is_loaded: impl Fn(&str) -> bool) -> (Module, Vec<Stage>) {
    let mut cells = Cells::of(core);
    let mut stages = Vec::new();
    for (go, mut arrays) in std::mem::take(&mut cells.module.stages) {
        arrays.retain(|name| is_loaded(name));
        if arrays.is_empty() {
            continue;
        }
        let port = cells.port(Direction::Input, "ap_loaded", 1);
        hold(&mut cells, go, port);
        stages.push(Stage {
            port: cells.name(port).to_string(),
            arrays,
        });
    }
    (cells.module, stages)
}

/// Has the pulse of a register wait until it may go on.
fn hold(cells: &mut Cells, go: NetId, may: NetId) {
    let pulse = cells.net("comes", 1);
    for item in &mut cells.module.items {
        match item {
            Item::Register(register) if register.out == go => register.out = pulse,
            _ => {}
        }
    }
    cells.comment("a part that waits for arrays");
    let held = cells.net("held", 1);
    let [pulse, held_now, may] = [pulse, held, may].map(Operand::Net);
    let wants = cells.gate(BinaryOp::Or, pulse, held_now, "wants");
    let goes = cells.gate(BinaryOp::And, wants.clone(), may.clone(), "goes");
    cells.drive(go, Expr::Copy(goes));
    let waits = cells.invert(may, "waits");
    let stays = cells.gate(BinaryOp::And, wants, waits, "stays");
    cells.drive_register(held, stays, None, Some(0), None);
}

//! Faults planted in netlists: one other operation, or a register that no longer waits.
#![allow(dead_code)]

use allo_hls::rtl::netlist::{BinaryOp, CompareOp, Design, Expr, Item, Module, ShiftOp};

/// Another operation in place of an expression's; `None` where it has none.
pub fn mutated(expr: &Expr) -> Option<Expr> {
    let mut expr = expr.clone();
    match &mut expr {
        Expr::Binary { op, .. } => {
            *op = match op {
                BinaryOp::Add => BinaryOp::Sub,
                BinaryOp::Sub => BinaryOp::Add,
                BinaryOp::And => BinaryOp::Or,
                BinaryOp::Or => BinaryOp::Xor,
                BinaryOp::Xor => BinaryOp::Or,
            }
        }
        Expr::Compare { signed, .. } => *signed = !*signed,
        Expr::Mux {
            on_true, on_false, ..
        } => std::mem::swap(on_true, on_false),
        Expr::Extend { signed, .. } => *signed = !*signed,
        Expr::Shift { op, .. } => {
            *op = match op {
                ShiftOp::RightArithmetic => ShiftOp::Right,
                _ => ShiftOp::RightArithmetic,
            }
        }
        Expr::Multiply { lhs_signed, .. } => *lhs_signed = !*lhs_signed,
        Expr::Not(operand) => return Some(Expr::Copy(operand.clone())),
        _ => return None,
    }
    Some(expr)
}

/// All netlists that differ from a design in one place, with what stands there instead.
pub fn all(design: &Design) -> impl Iterator<Item = (String, Design)> {
    let places = design.modules.iter().flat_map(|(id, module)| {
        let items = 0..module.items.len();
        items.map(move |at| (id, at))
    });
    places.filter_map(move |(id, at)| {
        let mut spoilt = design.clone();
        let spoils = spoil(&mut spoilt.modules[id], at);
        spoils.then(|| (format!("{:?}", spoilt.modules[id].items[at]), spoilt))
    })
}

/// Spoils an item of a module; false if it has nothing to spoil.
fn spoil(module: &mut Module, at: usize) -> bool {
    match &mut module.items[at] {
        Item::Assign {
            expr: Expr::Compare { op, .. },
            ..
        } => {
            *op = match op {
                CompareOp::Eq => CompareOp::Ne,
                CompareOp::Ne => CompareOp::Eq,
                CompareOp::Lt => CompareOp::Ge,
                CompareOp::Le => CompareOp::Gt,
                CompareOp::Gt => CompareOp::Le,
                CompareOp::Ge => CompareOp::Lt,
            }
        }
        // Exclusive or would do the same where one of both is 0.
        Item::Assign {
            expr: Expr::Binary { op, .. },
            ..
        } if *op == BinaryOp::Or => *op = BinaryOp::And,
        // Signs do not matter in the lower half of a product.
        Item::Assign {
            expr: Expr::Multiply { lhs, rhs, .. },
            ..
        } if lhs != rhs => *rhs = lhs.clone(),
        Item::Assign { expr, .. } => match mutated(expr) {
            Some(other) => *expr = other,
            None => return false,
        },
        Item::Register(register) => return register.enable.take().is_some(),
        _ => return false,
    }
    true
}

//! A nest with its loops in other orders, as far as that changes no bit.

use super::lanes::candidates;
use crate::ir::analysis::Values;
use crate::ir::analysis::reduction::Order;
use crate::ir::{Kernel, Op, OpKind, Path, Tags};
use crate::transform::restructure;
use crate::transform::ways::Ways;
use std::rc::Rc;

/// A kernel of which one nest may have its loops in another order. What does not differ is shared.
#[derive(Clone)]
pub struct Variant {
    /// The kernel.
    pub kernel: Rc<Kernel>,
    /// What is known of it.
    pub values: Rc<Values>,
    /// Its operations.
    pub size: u64,
    /// The loops that were put in another order, if some were.
    pub order: Option<Reordered>,
    /// What the kernels that passes make of it take, as far as that is known.
    pub ways: Rc<Ways>,
}

/// Loops in another order, outermost first.
#[derive(Clone)]
pub struct Reordered {
    /// Where they were.
    pub paths: Vec<Path>,
    /// Their names.
    pub names: Vec<String>,
}

impl Variant {
    /// A kernel as it is.
    pub fn of(kernel: Kernel) -> Variant {
        Variant {
            size: size(&kernel),
            values: Rc::new(Values::of(&kernel)),
            kernel: Rc::new(kernel),
            order: None,
            ways: Rc::default(),
        }
    }

    /// The kernel, to be directed: its values stay what they are.
    pub fn kernel_mut(&mut self) -> &mut Kernel {
        Rc::make_mut(&mut self.kernel)
    }

    /// The kernel alone.
    pub fn into_kernel(self) -> Kernel {
        Rc::unwrap_or_clone(self.kernel)
    }

    /// The same with one of these nests about alone: the loops of others iterate once, and nothing is directed for them.
    /// What it takes is forecast sooner, and all arrays are written and read where they were.
    pub fn alone(&self, nest: &Path, nests: &[Path]) -> Variant {
        let mut kernel = Kernel::clone(&self.kernel);
        for other in nests.iter().filter(|other| *other != nest) {
            if let Some(op) = kernel.body.op_at_mut(other) {
                shorten(op, &self.values);
            }
        }
        Variant {
            kernel: Rc::new(kernel),
            ways: Rc::default(),
            ..self.clone()
        }
    }

    /// The loops of a nest of which iterations may run side by side.
    pub fn candidates(&self, nest: &Path) -> Vec<Path> {
        candidates(&self.kernel, &self.values, nest)
    }

    /// The same with loops in another order, if that changes no bit.
    pub fn reordered(&self, order: Vec<Path>) -> Option<Variant> {
        let mut kernel = Kernel::clone(&self.kernel);
        restructure::reorder(&mut kernel, &order, Order::Exact).ok()?;
        let loops = order.iter();
        let loops = loops.filter_map(|path| self.kernel.body.for_at(path));
        let names = loops.map(|f| f.label.clone()).collect();
        let paths = order;
        Some(Variant {
            order: Some(Reordered { paths, names }),
            ..Variant::of(kernel)
        })
    }
}

/// Loops from 0 in steps of 1 end at the step.
fn shorten(op: &mut Op, values: &Values) {
    if let OpKind::For(f) = &mut op.kind {
        f.tags = Tags::default();
        let is = |value, wanted: u32| values.constant(value) == Some(&wanted.into());
        if is(f.lo, 0) && is(f.step, 1) && values.constant(f.hi).is_some() {
            f.hi = f.step;
        }
    }
    for block in op.kind.blocks_mut() {
        for op in &mut block.ops {
            shorten(op, values);
        }
    }
}

fn size(kernel: &Kernel) -> u64 {
    let mut size = 0;
    kernel.body.for_each_op(&mut |_| size += 1);
    size
}

/// Each other order of a perfect nest that has one of its loops as the outermost or the innermost one.
pub fn orders(kernel: &Kernel, nest: &Path) -> Vec<Vec<Path>> {
    let Some(loops) = restructure::perfect(kernel, nest) else {
        return Vec::new();
    };
    let mut orders = vec![loops.clone()];
    for moved in &loops {
        let others = loops.iter().filter(|one| *one != moved).cloned();
        let others: Vec<Path> = others.collect();
        let own = [moved.clone()];
        for order in [[&own[..], &others].concat(), [&others[..], &own].concat()] {
            if !orders.contains(&order) {
                orders.push(order);
            }
        }
    }
    orders.split_off(1)
}

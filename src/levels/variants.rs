//! A nest with its loops in other orders, as far as that changes no bit.

use super::choice::candidates;
use crate::ir::analysis::Values;
use crate::ir::analysis::reduction::Order;
use crate::ir::{Kernel, Path};
use crate::transform::restructure;
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
    /// The loops that were put in another order, outermost first, by their names.
    pub order: Option<Vec<String>>,
}

impl Variant {
    /// A kernel as it is.
    pub fn of(kernel: Kernel) -> Variant {
        let mut size = 0;
        kernel.body.for_each_op(&mut |_| size += 1);
        Variant {
            size,
            values: Rc::new(Values::of(&kernel)),
            kernel: Rc::new(kernel),
            order: None,
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

    /// The loops of a nest of which iterations may run side by side.
    pub fn candidates(&self, nest: &Path) -> Vec<Path> {
        candidates(&self.kernel, &self.values, nest)
    }

    /// The same with loops in another order, if that changes no bit.
    pub fn reordered(&self, order: Vec<Path>) -> Option<Variant> {
        let mut kernel = Kernel::clone(&self.kernel);
        restructure::reorder(&mut kernel, &order, Order::Exact).ok()?;
        let names = order
            .iter()
            .filter_map(|path| self.kernel.body.for_at(path));
        Some(Variant {
            order: Some(names.map(|f| f.label.clone()).collect()),
            ..Variant::of(kernel)
        })
    }
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

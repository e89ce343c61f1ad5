//! A nest with its loops in other orders, as far as that changes no bit.

use crate::ir::analysis::Values;
use crate::ir::analysis::reduction::Order;
use crate::ir::{Kernel, Path};
use crate::transform::restructure;

/// A kernel of which one nest has its loops in some order.
pub struct Variant {
    /// The kernel.
    pub kernel: Kernel,
    /// What is known of it.
    pub values: Values,
    /// The loops of the nest in that order, by where they are otherwise; `None`: as it is.
    pub order: Option<Vec<Path>>,
}

impl Variant {
    /// The kernel as it is.
    pub fn as_it_is(kernel: &Kernel) -> Variant {
        Variant {
            values: Values::of(kernel),
            kernel: kernel.clone(),
            order: None,
        }
    }

    fn reordered(kernel: &Kernel, order: Vec<Path>) -> Option<Variant> {
        let mut kernel = kernel.clone();
        restructure::reorder(&mut kernel, &order, Order::Exact).ok()?;
        Some(Variant {
            values: Values::of(&kernel),
            kernel,
            order: Some(order),
        })
    }
}

/// Takes what stands between the loops of perfect nests out of them, so that another order moves nothing else.
pub fn settle(kernel: &mut Kernel) {
    let mut at = 0;
    while at < kernel.body.ops.len() {
        let path = vec![(at, 0)];
        let settled = restructure::perfect(kernel, &path).and_then(|loops| {
            let mut settled = kernel.clone();
            restructure::settle(&mut settled, &path, loops.len()).ok()?;
            Some(settled)
        });
        if let Some(settled) = settled {
            at += settled.body.ops.len() - kernel.body.ops.len();
            *kernel = settled;
        }
        at += 1;
    }
}

/// A nest as it is, and with each of its loops as the outermost or the innermost one.
pub fn of(kernel: &Kernel, nest: &Path) -> Vec<Variant> {
    let mut variants = vec![Variant::as_it_is(kernel)];
    let Some(loops) = restructure::perfect(kernel, nest) else {
        return variants;
    };
    let mut orders = vec![loops.clone()];
    for moved in &loops {
        let others = loops.iter().filter(|one| *one != moved).cloned();
        let others: Vec<Path> = others.collect();
        let own = [moved.clone()];
        orders.push([&own[..], &others].concat());
        orders.push([&others[..], &own].concat());
    }
    for (at, order) in orders.iter().enumerate() {
        if !orders[..at].contains(order) {
            variants.extend(
                (at > 0)
                    .then(|| Variant::reordered(kernel, order.clone()))
                    .flatten(),
            );
        }
    }
    variants
}

//! Which elements an access touches in the first and in the last iterations of its loop, where that is known.

use crate::machine::program::{Access, Leaf, LoopDim};

/// An end of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// From the first iteration on.
    First,
    /// From the last iteration backwards.
    Last,
}

/// Addresses of an access in at most so many iterations; `None` where the address or the number of iterations is not known.
pub fn places(leaf: &Leaf, access: &Access, end: End, most: u32) -> Option<Vec<i128>> {
    let address = access.address.as_ref()?;
    if !address.symbols.is_empty() {
        return None;
    }
    let dims: &[LoopDim] = leaf.repeat.as_ref().map_or(&[], |repeat| &repeat.dims);
    let trips: Vec<u64> = dims.iter().map(|dim| dim.trip).collect::<Option<_>>()?;
    let product = |product: u64, trip: &u64| product.checked_mul(*trip);
    let iterations = trips.iter().try_fold(1, product)?;
    let at = |iteration: u64| {
        let mut rest = iteration;
        let mut sum = address.constant;
        for (dim, trip) in trips.iter().enumerate().rev() {
            let coefficient = address.counters.get(&dim).copied().unwrap_or(0);
            sum = sum.wrapping_add(coefficient.wrapping_mul((rest % trip).into()));
            rest /= trip;
        }
        sum
    };
    let some = 0..iterations.min(most.into());
    Some(match end {
        End::First => some.map(at).collect(),
        End::Last => some.map(|back| at(iterations - 1 - back)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Span;
    use crate::hwarith::graph::{Graph, MemId, NodeId};
    use crate::machine::program::{Affine, Loop};

    fn both_ends(trips: &[Option<u64>], address: Affine) -> Option<(Vec<i128>, Vec<i128>)> {
        let dim = |trip: &Option<u64>| LoopDim {
            label: String::new(),
            span: Span::default(),
            trip: *trip,
            likely: 1,
            is_while: false,
        };
        let leaf = Leaf {
            label: String::new(),
            span: Span::default(),
            graph: Graph::new(),
            writes: Vec::new(),
            accesses: Vec::new(),
            repeat: Some(Loop {
                phis: Vec::new(),
                last: NodeId::new(0),
                enter: None,
                dims: trips.iter().map(dim).collect(),
                directed: None,
            }),
            promises: Vec::new(),
        };
        let access = Access {
            node: NodeId::new(0),
            mem: MemId::new(0),
            is_store: false,
            address: Some(address),
            pins: Vec::new(),
            bypassed: false,
            span: Span::default(),
        };
        let at = |end| places(&leaf, &access, end, 64);
        Some((at(End::First)?, at(End::Last)?))
    }

    #[test]
    fn addresses_are_those_of_both_ends_of_a_nest() {
        let rows = |symbols: &[(usize, i128)]| Affine {
            counters: [(0, 10), (1, -1)].into(),
            symbols: symbols.iter().copied().collect(),
            constant: 5,
        };
        let known = (vec![5, 4, 3, 15, 14, 13], vec![13, 14, 15, 3, 4, 5]);
        assert_eq!(both_ends(&[Some(2), Some(3)], rows(&[])), Some(known));
        assert_eq!(both_ends(&[Some(2), Some(3)], rows(&[(7, 1)])), None);
        assert_eq!(both_ends(&[None, Some(3)], rows(&[])), None);
        let (first, last) = both_ends(&[Some(1 << 40)], rows(&[])).expect("known");
        assert_eq!((first.len(), last[0]), (64, 5 + 10 * ((1 << 40) - 1)));
    }
}

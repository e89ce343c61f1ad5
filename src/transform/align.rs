//! Rows of a stencil that end early, as those of a cross: each loads the column that any of them comes to first.
//!
//! What it loaded before is then at hand (`window`), and all rows load one element in an iteration, in the same column, so that
//! each may take it from the row before (`lines`): the stencil is one of a full rectangle. The elements are there: rows of an array
//! are equally long.

use crate::ir::analysis::touch::Touched;
use crate::ir::analysis::{Affine, Subscript, Values, Varying};
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use num_traits::{Signed, ToPrimitive};
use std::collections::BTreeMap;

/// Adds loads to all innermost loops that read more rows of an array than it has ports, some of them in several columns.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    kernel.body = rewrite(body, &mut Align { kernel, values });
}

struct Align<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
}

/// A load of which one subscript moves with the loop.
struct Load {
    indices: Vec<ValueId>,
    /// The dimension that moves, and by how much.
    moving: (usize, i128),
    /// How far it is.
    column: Affine,
    /// The other subscripts.
    row: Vec<Affine>,
}

impl Rewriter for Align<'_> {
    fn leave(&mut self, mut op: Op, out: &mut Vec<Op>) {
        let span = op.span;
        if let OpKind::For(f) = &mut op.kind
            && !f.body.ops.iter().any(Op::contains_loop)
        {
            for (array, indices) in self.missing(f) {
                self.kernel
                    .build(&mut f.body.ops, span)
                    .load(array, indices);
            }
        }
        out.push(op);
    }
}

impl Align<'_> {
    /// The loads that rows lack, by array.
    fn missing(&self, f: &For) -> Vec<(ArrayId, Vec<ValueId>)> {
        let Some(step) = self.values.constant(f.step) else {
            return Vec::new();
        };
        let written = Touched::by_block(&f.body).written;
        let varying = self.values.varying(f);
        let mut arrays: BTreeMap<ArrayId, Option<Vec<Load>>> = BTreeMap::new();
        for op in &f.body.ops {
            if let OpKind::Load { at, .. } = &op.kind {
                let array = &self.kernel.arrays[at.array];
                let is_plain = at.when.is_none() && array.stream.is_none();
                let load = self.load(f, &varying, at).filter(|_| is_plain);
                let loads = arrays.entry(at.array).or_insert_with(|| Some(Vec::new()));
                match (load, loads) {
                    (Some(load), Some(loads)) => loads.push(load),
                    (_, loads) => *loads = None,
                }
            }
        }
        let arrays = arrays.into_iter();
        let arrays = arrays.filter(|(array, _)| !written.contains(array));
        let missing = arrays.filter_map(|(array, loads)| {
            let ports = self.kernel.arrays[array].most_ports();
            let missing = missing(&loads?, ports, step.is_negative())?;
            Some(missing.into_iter().map(move |indices| (array, indices)))
        });
        missing.flatten().collect()
    }

    fn load(&self, f: &For, varying: &Varying, at: &Element) -> Option<Load> {
        let (mut moving, mut row) = (None, Vec::new());
        for (dim, &index) in at.indices.iter().enumerate() {
            match self.values.subscript(f.iv, varying, index)? {
                Subscript::Fixed(value) => row.push(self.values.affine(value)),
                Subscript::Moving(by, column) if moving.is_none() => {
                    moving = Some((dim, by, column));
                }
                Subscript::Moving(..) => return None,
            }
        }
        let (dim, by, column) = moving?;
        Some(Load {
            indices: at.indices.clone(),
            moving: (dim, by),
            column,
            row,
        })
    }
}

/// Terms and constant of each subscript that a row fixes.
type Row = Vec<(Vec<(ValueId, i128)>, i128)>;

/// The subscripts of what the rows of an array lack, if it has more rows than ports, and a row of several columns.
fn missing(loads: &[Load], ports: u64, descending: bool) -> Option<Vec<Vec<ValueId>>> {
    let first = loads.first()?;
    let (dim, by) = first.moving;
    // Columns ahead of the first load's.
    let ahead = |load: &Load| {
        let apart = load.column.plus(&first.column, -1)?;
        let is_known = load.moving == first.moving && apart.terms.is_empty();
        let sign = by.signum() * if descending { -1 } else { 1 };
        is_known.then_some(apart.constant.checked_mul(sign)?)
    };
    let mut rows: BTreeMap<Row, Vec<(i128, &Load)>> = BTreeMap::new();
    for load in loads {
        let key = load.row.iter().map(|sum| (sum.terms.clone(), sum.constant));
        rows.entry(key.collect())
            .or_default()
            .push((ahead(load)?, load));
    }
    let all = rows.values().flatten();
    let (farthest, leader) = all.max_by_key(|(ahead, _)| *ahead)?;
    let is_wide = rows.values().any(|row| row.len() > 1);
    if rows.len().to_u64()? <= ports || !is_wide {
        return None;
    }
    let short = rows
        .values()
        .filter(|row| row.iter().all(|(ahead, _)| ahead < farthest));
    let missing = short.map(|row| {
        let mut indices = row[0].1.indices.clone();
        indices[dim] = leader.indices[dim];
        indices
    });
    Some(missing.collect())
}

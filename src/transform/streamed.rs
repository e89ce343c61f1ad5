//! Arrays that are walked once in order become streams, which what is around the kernel feeds and drains.

use crate::codes;
use crate::diagnostics::{Diagnostic, Span};
use crate::ir::analysis::touch;
use crate::ir::analysis::trip::Trip;
use crate::ir::analysis::values::{Affine, Values};
use crate::ir::{
    Array, ArrayId, ArrayKind, Block, Element, For, Kernel, Op, OpKind, Stream, ValueId,
};
use num_traits::ToPrimitive;
use std::collections::HashMap;

/// An array that became a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streamed {
    /// Its name.
    pub name: String,
    /// Its extents.
    pub shape: Vec<u64>,
    /// Elements from the first on that each invocation transfers.
    pub count: u64,
}

/// Elements of the queue that stands for the array where the reference runs the kernel.
const DEPTH: u64 = 2;

/// Makes a stream of an array argument: of the elements that are read, in order, or of those that are written.
///
/// Errors: it is no argument, or is not walked in order; the access that shows it.
pub fn run(kernel: &mut Kernel, name: &str) -> Result<Streamed, Diagnostic> {
    let is_meant = |array: &Array| {
        array.name == name && array.stream.is_none() && matches!(array.kind, ArrayKind::Param(_))
    };
    let found = kernel.arrays.iter().find(|(_, array)| is_meant(array));
    let Some((id, shape)) = found.map(|(id, array)| (id, array.shape.clone())) else {
        let message = format!("there is no array argument '{name}' that could be streamed");
        return Err(Diagnostic::error(codes::BLOCK, kernel.span, message));
    };
    let walk = Walk::of(kernel, id).map_err(|(span, why)| {
        let message = format!("'{name}' is not streamed: {why}");
        let help = format!("--axi-buffer {name}=full holds it on chip as a whole");
        Diagnostic::error(codes::BLOCK, span, message).help(help)
    })?;
    let Some(count) = walk.count else {
        let message = format!("'{name}' is never accessed, so that there is nothing to stream");
        return Err(Diagnostic::error(codes::BLOCK, kernel.span, message));
    };
    let again = walk.again;
    kernel.arrays[id].shape = Vec::new();
    kernel.arrays[id].stream = Some(Stream {
        depth: DEPTH,
        tokens: Vec::new(),
        packed: None,
    });
    transfer(&mut kernel.body, id, &again);
    kernel.body.for_each_use(&mut |value| {
        *value = again.get(value).copied().unwrap_or(*value);
    });
    Ok(Streamed {
        name: name.to_string(),
        shape,
        count,
    })
}

/// Accesses become transfers; those whose element there is already go.
fn transfer(block: &mut Block, array: ArrayId, again: &HashMap<ValueId, ValueId>) {
    block.ops.retain(|op| {
        let is_again = matches!(&op.kind, OpKind::Load { at, .. } if at.array == array)
            && op.results.iter().any(|result| again.contains_key(result));
        !is_again
    });
    for op in &mut block.ops {
        match &op.kind {
            OpKind::Load { at, .. } if at.array == array => {
                let at = Element::new(array, Vec::new());
                op.kind = OpKind::Get { at };
            }
            OpKind::Store { at, value } if at.array == array => {
                let (at, value) = (Element::new(array, Vec::new()), *value);
                op.kind = OpKind::Put { at, value };
            }
            _ => {}
        }
        for inner in op.kind.blocks_mut() {
            transfer(inner, array, again);
        }
    }
}

/// Why an array is no stream, and where that shows.
type Refused = (Span, &'static str);

/// What is known of the accesses of an array on the way through a kernel.
struct Walk<'k> {
    kernel: &'k Kernel,
    values: Values,
    array: ArrayId,
    /// Loops around, outermost first.
    loops: Vec<&'k For>,
    /// The first access, and the block that it is in.
    first: Option<(&'k Op, &'k Block)>,
    /// Elements that it accesses.
    count: Option<u64>,
    /// Values that are read once more, and what they are.
    again: HashMap<ValueId, ValueId>,
}

impl<'k> Walk<'k> {
    fn of(kernel: &'k Kernel, array: ArrayId) -> Result<Walk<'k>, Refused> {
        let mut walk = Walk {
            kernel,
            values: Values::of(kernel),
            array,
            loops: Vec::new(),
            first: None,
            count: None,
            again: HashMap::new(),
        };
        walk.block(&kernel.body)?;
        Ok(walk)
    }

    fn block(&mut self, block: &'k Block) -> Result<(), Refused> {
        for op in &block.ops {
            match &op.kind {
                OpKind::For(f) if touch::touches(op, self.array) => {
                    self.loops.push(f);
                    self.block(&f.body)?;
                    self.loops.pop();
                }
                OpKind::Load { at, .. } | OpKind::Store { at, .. } if at.array == self.array => {
                    match self.first {
                        None => self.first(op, at, block)?,
                        Some((first, there)) if std::ptr::eq(there, block) => {
                            self.second(first, op)?
                        }
                        Some(_) => return Err((op.span, ELSEWHERE)),
                    }
                }
                _ => self.other(op)?,
            }
        }
        Ok(())
    }

    fn first(&mut self, op: &'k Op, at: &Element, block: &'k Block) -> Result<(), Refused> {
        if at.when.is_some() {
            return Err((op.span, CONDITIONAL));
        }
        self.count = Some(self.in_order(at).ok_or((op.span, OUT_OF_ORDER))?);
        self.first = Some((op, block));
        Ok(())
    }

    fn second(&mut self, first: &'k Op, op: &'k Op) -> Result<(), Refused> {
        let (OpKind::Load { at: one, .. }, OpKind::Load { at: two, .. }) = (&first.kind, &op.kind)
        else {
            return Err((op.span, ELSEWHERE));
        };
        if two.when.is_some() || !self.values.same_element(&one.indices, &two.indices) {
            return Err((op.span, ELSEWHERE));
        }
        let pairs = op.results.iter().zip(&first.results);
        self.again
            .extend(pairs.map(|(again, first)| (*again, *first)));
        Ok(())
    }

    /// An operation that is no access, or one of more than an element.
    fn other(&self, op: &'k Op) -> Result<(), Refused> {
        if !touch::touches(op, self.array) {
            return Ok(());
        }
        let mut inside = None;
        for block in op.kind.blocks() {
            block.for_each_op(&mut |op| {
                if inside.is_none() && op.kind.blocks().is_empty() && touch::touches(op, self.array)
                {
                    inside = Some(op.span);
                }
            });
        }
        Err(inside.map_or((op.span, AS_A_WHOLE), |span| (span, CONDITIONAL)))
    }

    /// How many elements an access walks along, from the first on, each once; `None`: in another order.
    fn in_order(&self, at: &Element) -> Option<u64> {
        let array = &self.kernel.arrays[self.array];
        let mut place = Affine::default();
        for (&index, &extent) in at.indices.iter().zip(&array.shape) {
            let outer = Affine::default().plus(&place, i128::from(extent))?;
            place = outer.plus(&self.values.affine(index), 1)?;
        }
        let constant = |value| self.values.constant(value).cloned();
        let mut start = place.constant;
        let mut count = 1i128;
        for f in self.loops.iter().rev() {
            let trip = Trip::of(f, constant)?;
            let [lo, step, times] = [&trip.lo, &trip.step, &trip.count].map(ToPrimitive::to_i128);
            let (lo, step, times) = (lo?, step?, times?);
            let term = place.terms.iter().position(|(value, _)| *value == f.iv);
            let factor = term.map_or(0, |term| place.terms.remove(term).1);
            start = start.checked_add(factor.checked_mul(lo)?)?;
            if times == 0 || (times > 1 && factor.checked_mul(step)? != count) {
                return None;
            }
            count = count.checked_mul(times)?;
        }
        let is_whole = place.terms.is_empty() && start == 0 && count <= i128::from(array.len());
        u64::try_from(count).ok().filter(|_| is_whole)
    }
}

const ELSEWHERE: &str = "this is a second access, and each element is transferred once";
const CONDITIONAL: &str = "whether it is accessed here depends on the data";
const AS_A_WHOLE: &str = "it is used as a whole here";
const OUT_OF_ORDER: &str =
    "this access does not walk along it once, from the first element on, one after the other";

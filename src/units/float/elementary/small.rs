//! Functions of formats that are too small for tables of polynomials, by those of a wider format: a table of all results,
//! or what the wider one gives, rounded again.

use super::super::convert::convert;
use super::super::unpack::input;
use crate::hwarith::builder::Builder;
use crate::hwarith::fast::Fast;
use crate::hwarith::graph::{Graph, NodeId, Op};
use crate::hwarith::types::HwType;
use crate::ir::FloatFormat;
use num_bigint::BigInt;

/// Bits of the widest argument for which there is a table of results: a word for each in a block of RAM.
const TABLE: u32 = 10;

/// Fraction bits of the wider format beyond those of this one, of functions with a table of results: more than enough that
/// a result which is not exact is never taken for one halfway between two floats.
const FOR_TABLES: u32 = 16;

/// Fraction bits of the wider format of powers in formats of at most 8 bits: by a comparison of all pairs each is then the
/// nearest float. `apfloat(3, 3)` needs the most: 5 ** -1.375 is 2^-17.8 of it below a number halfway between two floats.
const FOR_POWERS: u32 = 18;

/// Fraction bits beyond those of this one, of all others: the first rounding adds at most 3/4 of an eighth of a unit to the
/// half of the second.
const OTHERS: u32 = 3;

/// The description of a function in a small format, made of that in a wider one by `wider`, which is for formats of 5 to 11
/// exponent and 7 and more fraction bits; `None` if there is none.
pub fn narrowed(
    format: FloatFormat,
    operands: usize,
    wider: impl Fn(FloatFormat) -> Option<Graph>,
) -> Option<Graph> {
    let has_table = operands == 1 && format.width() <= TABLE;
    let frac = match has_table {
        true => format.frac + FOR_TABLES,
        false if format.width() <= 8 => FOR_POWERS,
        false => format.frac + OTHERS,
    };
    let wide = FloatFormat {
        exp: format.exp.max(5),
        frac: frac.max(7),
    };
    let twice = rounded_twice(format, wide, operands, &wider(wide)?);
    let mut g = match has_table {
        true => tabulated(&twice, format)?,
        false => twice,
    };
    // Also where its top bits are known, a result is a whole pattern.
    let result = g.cast(*g.outputs.first()?, HwType::ui(format.width()));
    g.outputs = vec![result];
    Some(g)
}

/// A function in a wide format between exact conversions to that and a rounding to this one.
fn rounded_twice(
    format: FloatFormat,
    wide: FloatFormat,
    operands: usize,
    function: &Graph,
) -> Graph {
    let mut builder = Builder::new();
    let [widen, narrow] = [convert(format, wide), convert(wide, format)];
    let ty = widen.input_types()[0];
    let wider = (0..operands as u32).map(|number| {
        let operand = builder.opaque(Op::Input(number), vec![], ty);
        builder.inline(&widen, &[operand])[0]
    });
    let wider: Vec<NodeId> = wider.collect();
    let result = builder.inline(function, &wider);
    let result = builder.inline(&narrow, &result);
    builder.finish(result)
}

/// A table of the results of a function of one argument.
fn tabulated(function: &Graph, format: FloatFormat) -> Option<Graph> {
    let arguments: Vec<[u128; 1]> = (0..1 << format.width()).map(|bits| [bits]).collect();
    let arguments: Vec<&[u128]> = arguments.iter().map(<[u128; 1]>::as_slice).collect();
    let words = Fast::new(function)?.eval(&arguments);
    let words: Vec<BigInt> = words.into_iter().map(BigInt::from).collect();
    let mut g = Graph::new();
    let argument = input(&mut g, format, 0);
    g.outputs = vec![g.table(words, argument)];
    Some(g)
}

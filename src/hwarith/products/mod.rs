//! Products in a device's multiplier blocks: schoolbook decomposition, or Karatsuba's where that saves blocks.
//!
//! Schoolbook: one operand is cut at one of the block's widths, the lower part unsigned, the upper part with the operand's
//! sign. Only demanded bits are computed, so the low half of a 32x32 product takes three 18x18 blocks instead of four. Parts
//! that are short become rows of bits.

mod karatsuba;
mod rows;

use super::builder::Builder;
use super::graph::NodeId;
use super::shift_add::Costs;
use super::types::HwType;
use karatsuba::Cut;
use rows::{is_corner, rows};

/// Bits of the operands of a multiplier block, the longer first.
pub type Block = [u32; 2];

/// What products are made of.
#[derive(Clone, Copy, Debug)]
pub struct Multiplier {
    /// The block.
    pub block: Block,
    /// What it costs, if longer sums may take the place of some.
    pub saving: Option<Costs>,
}

/// LUT4 and ns of a product in blocks, as [`product`] makes it.
pub fn blocks_cost(a: u32, b: u32, demand: u32, block: Block, costs: &Costs) -> (f64, f64) {
    let [row, column] = turned(block, a, b);
    let (rows, columns) = (a.div_ceil(row), b.div_ceil(column));
    let places = (0..rows).flat_map(|r| (0..columns).map(move |c| r * row + c * column));
    let blocks = places.filter(|place| *place < demand).count() as f64;
    let bits = (a + b).min(demand);
    let area = blocks * costs.block_area + (blocks - 1.0) * costs.add_area * f64::from(bits);
    let sums = f64::from(rows + columns - 2);
    (area, costs.block_delay + sums * costs.add_delay(bits))
}

/// Whether a block computes a product of operands of so many bits.
pub fn fits(block: Option<Block>, a: u32, b: u32) -> bool {
    block.is_some_and(|[long, short]| a.max(b) <= long && a.min(b) <= short)
}

/// The block's widths for operands of `a` and of `b` bits, such that the fewest blocks are taken.
fn turned([long, short]: Block, a: u32, b: u32) -> Block {
    let blocks = |[row, column]: [u32; 2]| a.div_ceil(row) * b.div_ceil(column);
    match blocks([long, short]) <= blocks([short, long]) {
        true => [long, short],
        false => [short, long],
    }
}

/// Where a product that no block computes is cut, such that the fewest blocks are taken: whether that is the second
/// operand, and the bits of its lower part.
fn cut(block: Block, a: u32, b: u32) -> (bool, u32) {
    let blocks = |a: u32, b: u32| {
        let [row, column] = turned(block, a, b);
        a.div_ceil(row) * b.div_ceil(column)
    };
    let places = [false, true].map(|second| block.map(|at| (second, at)));
    let places = places.into_iter().flatten().filter_map(|(second, at)| {
        let (whole, other) = if second { (b, a) } else { (a, b) };
        let upper = whole.checked_sub(at).filter(|upper| *upper > 0)?;
        Some((blocks(at, other) + blocks(upper, other), (second, at)))
    });
    // One operand is longer than the block's shorter one.
    let best = places.min_by_key(|(blocks, _)| *blocks);
    best.map_or((false, block[0]), |(_, place)| place)
}

/// A value with the same low `demand` bits as `a * b`.
pub fn product(
    b: &mut Builder,
    x: NodeId,
    y: NodeId,
    demand: u32,
    blocks: Option<Multiplier>,
) -> NodeId {
    let limit = |b: &mut Builder, v: NodeId| {
        // A part of a wide word may be known to be short.
        let v = b.narrowed(v);
        if b.ty(v).width > demand {
            b.cast(v, HwType::ui(demand))
        } else {
            v
        }
    };
    let (x, y) = (limit(b, x), limit(b, y));
    let (wide, other) = if b.ty(x).width >= b.ty(y).width {
        (x, y)
    } else {
        (y, x)
    };
    let Some(blocks) = blocks else {
        return rows(b, wide, other);
    };
    let block = blocks.block;
    if fits(Some(block), b.ty(wide).width, b.ty(other).width) {
        return b.mul(wide, other);
    }
    if let Some(cut) = saving([b.ty(wide), b.ty(other)], demand, blocks) {
        return cut.build(b, wide, other);
    }
    let (second, at) = cut(block, b.ty(wide).width, b.ty(other).width);
    let (whole, other) = if second { (other, wide) } else { (wide, other) };
    let ty = b.ty(whole);
    let low = b.extract(whole, 0, at);
    let shift = b.constant(at);
    let high = b.shr(whole, shift);
    let low_product = part(b, low, other, demand, blocks);
    b.keep_name(low_product, "low_product");
    let low_bits = b.extract(low_product, 0, at);
    if demand <= at {
        return low_bits;
    }
    let high_product = part(b, high, other, demand - at, blocks);
    b.keep_name(high_product, "high_product");
    let carried = b.shr(low_product, shift);
    let sum = b.add(carried, high_product);
    b.keep_name(sum, "upper_product");
    let full = ty.width + b.ty(other).width;
    let signed = ty.signed || b.ty(other).signed;
    let width = demand.min(full);
    let joined = b.concat(&[(sum, width - at), (low_bits, at)]);
    if signed && width == full {
        b.cast(joined, HwType::si(full))
    } else {
        joined
    }
}

/// A product of parts of a cut product: rows of bits, where only a corner is left of both.
fn part(b: &mut Builder, x: NodeId, y: NodeId, demand: u32, blocks: Multiplier) -> NodeId {
    match is_corner(b.ty(x), b.ty(y)) {
        true => rows(b, x, y),
        false => product(b, x, y, demand, Some(blocks)),
    }
}

/// Whether longer sums save blocks of a product of such operands.
pub fn saves(x: HwType, y: HwType, demand: u32, blocks: Multiplier) -> bool {
    saving([x, y].map(|ty| limited(ty, demand)), demand, blocks).is_some()
}

/// Fewer blocks are not worth the time of the longer sums: functions of `f32` with one block less each time missed their clock.
const LEAST_SAVED: u32 = 2;

/// How a product takes fewer blocks than [`cut`] makes; `None`: it does not, or they are not worth it.
fn saving(types: [HwType; 2], demand: u32, blocks: Multiplier) -> Option<Cut> {
    let costs = blocks.saving.as_ref()?;
    let [x, y] = types;
    let cut = Cut::of(types, demand, blocks.block[1]);
    let saved = taken(x, y, demand, blocks.block).checked_sub(cut.blocks())?;
    let is_possible = saved >= LEAST_SAVED && cut.has_differences();
    let sums = f64::from(cut.sums()) * costs.add_area;
    (is_possible && sums < f64::from(saved) * costs.block_area).then_some(cut)
}

/// What is read of an operand.
fn limited(ty: HwType, demand: u32) -> HwType {
    match ty.width > demand {
        true => HwType::ui(demand),
        false => ty,
    }
}

/// Blocks of a product as [`cut`] makes it.
fn taken(x: HwType, y: HwType, demand: u32, block: Block) -> u32 {
    let [x, y] = [x, y].map(|ty| limited(ty, demand));
    if fits(Some(block), x.width, y.width) {
        return 1;
    }
    let (wide, other) = if x.width >= y.width { (x, y) } else { (y, x) };
    let (second, at) = cut(block, wide.width, other.width);
    let (whole, other) = if second { (other, wide) } else { (wide, other) };
    let part = |part: HwType, demand: u32| match is_corner(part, other) {
        true => 0,
        false => taken(part, other, demand, block),
    };
    let width = whole.width - at;
    let high = match demand > at {
        true => part(HwType { width, ..whole }, demand - at),
        false => 0,
    };
    part(HwType::ui(at), demand) + high
}

#[cfg(test)]
mod tests {
    use super::super::eval::eval_nodes;
    use super::super::graph::Op;
    use super::super::testing::*;
    use super::*;
    use num_bigint::BigInt;

    /// Blocks are dear, and sums cost next to nothing.
    const COSTS: Costs = Costs {
        block_area: 500.0,
        add_area: 1.0,
        block_delay: 5.0,
        add_delay: (1.5, 0.03),
    };

    /// Products of such blocks with and without saving some.
    fn multipliers(block: Block) -> [Multiplier; 2] {
        [None, Some(COSTS)].map(|saving| Multiplier { block, saving })
    }

    #[test]
    fn small_products_are_split_right_for_all_inputs() {
        for (a, b) in [
            (HwType::si(6), HwType::ui(5)),
            (HwType::ui(6), HwType::ui(5)),
            (HwType::si(5), HwType::si(6)),
        ] {
            for demand in 1..=a.width + b.width {
                let mut builder = Builder::new();
                let x = builder.opaque(Op::Input(0), vec![], a);
                let y = builder.opaque(Op::Input(1), vec![], b);
                let ways = [[4, 4], [3, 3], [2, 2], [5, 3]].map(multipliers);
                let ways = ways.into_iter().flatten().map(Some).chain([None]);
                let mut products = ways.map(|way| product(&mut builder, x, y, demand, way));
                let products: Vec<NodeId> = products.by_ref().collect();
                let bits = HwType::ui(demand);
                for inputs in input_vectors(&mut Random::new(1), &[a, b], 1 << 12) {
                    let values = eval_nodes(&builder.graph, &inputs);
                    let exact = &inputs[0] * &inputs[1];
                    for &z in &products {
                        assert_eq!(bits.wrap(&values[z.index()]), bits.wrap(&exact));
                    }
                }
            }
        }
    }

    /// The products of two operands in each of some ways have the low `demand` bits of the exact one; all of it where that is
    /// demanded.
    fn products_are_right(
        random: &mut Random,
        [a, b]: [HwType; 2],
        demand: u32,
        ways: &[Multiplier],
    ) {
        let mut builder = Builder::new();
        let x = builder.opaque(Op::Input(0), vec![], a);
        let y = builder.opaque(Op::Input(1), vec![], b);
        let products = ways
            .iter()
            .map(|way| product(&mut builder, x, y, demand, Some(*way)));
        let products: Vec<NodeId> = products.collect();
        builder.graph.validate().expect("valid");
        let wrapped = |value: &BigInt| match demand == a.width + b.width {
            true => value.clone(),
            false => HwType::ui(demand).wrap(value),
        };
        for inputs in input_vectors(random, &[a, b], 40) {
            let values = eval_nodes(&builder.graph, &inputs);
            let exact = wrapped(&(&inputs[0] * &inputs[1]));
            for z in &products {
                let got = wrapped(&values[z.index()]);
                assert_eq!(got, exact, "{a} {b} {demand} {ways:?} {inputs:?}");
            }
        }
    }

    #[test]
    fn products_of_many_parts_are_right() {
        let mut random = Random::new(1);
        for _ in 0..300 {
            let ty = |random: &mut Random| HwType {
                signed: random.flip(),
                width: random.between(1, 80),
            };
            let types = [ty(&mut random), ty(&mut random)];
            let demand = random.between(1, types[0].width + types[1].width);
            let long = random.between(2, 18);
            let block = [long, random.between(2, long)];
            products_are_right(&mut random, types, demand, &multipliers(block));
        }
    }

    /// Parts as long as a block's operands, so that the differences' signs are multiplied apart, and shorter ones.
    #[test]
    fn products_that_save_blocks_are_right() {
        let mut random = Random::new(1);
        for (parts, slack) in (3..=5).flat_map(|parts| (0..=2).map(move |slack| (parts, slack))) {
            let width = parts * (18 - slack);
            for signs in [[false, false], [false, true], [true, false], [true, true]] {
                let types = signs.map(|signed| HwType { signed, width });
                let [_, way] = multipliers([18, 18]);
                let cut = saving(types, 2 * width, way);
                // A sign more than the differences have takes a bit more.
                let longer = 1 + u32::from(signs.contains(&true));
                let has_signs = (longer <= slack + 1).then_some(longer > slack);
                assert_eq!(cut.map(|cut| cut.has_signs()), has_signs, "{types:?}");
                for demand in [2 * width, 2 * width - 1, width + 20] {
                    products_are_right(&mut random, types, demand, &[way]);
                }
            }
        }
    }

    /// Blocks of a product of such operands, as it is made.
    fn made(types: [HwType; 2], demand: u32, way: Option<Multiplier>) -> u32 {
        let mut builder = Builder::new();
        let [a, b] = types;
        let x = builder.opaque(Op::Input(0), vec![], a);
        let y = builder.opaque(Op::Input(1), vec![], b);
        product(&mut builder, x, y, demand, way);
        let nodes = builder.graph.nodes.iter();
        nodes.filter(|(_, n)| n.op == Op::Mul).count() as u32
    }

    /// What is left over of an operand is rows of bits, whichever operand it is of and whatever the signs.
    #[test]
    fn short_parts_take_no_blocks() {
        let (ui, si) = (HwType::ui, HwType::si);
        let mut random = Random::new(1);
        for (types, blocks) in [
            ([si(21), si(19)], 1),
            ([si(19), ui(22)], 1),
            ([ui(22), si(22)], 1),
            ([ui(23), ui(19)], 2),
            ([ui(26), ui(26)], 3),
            ([ui(27), ui(27)], 4),
            ([ui(38), ui(24)], 4),
            ([ui(40), si(24)], 4),
            ([ui(41), si(24)], 5),
        ] {
            let ways = multipliers([18, 18]);
            let demand = types[0].width + types[1].width;
            assert_eq!(made(types, demand, Some(ways[0])), blocks, "{types:?}");
            products_are_right(&mut random, types, demand, &ways);
        }
    }

    #[test]
    fn blocks_are_counted_as_they_are_made() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            let ty = |random: &mut Random| HwType {
                signed: random.flip(),
                width: random.between(2, 80),
            };
            let types = [ty(&mut random), ty(&mut random)];
            let [x, y] = types;
            let demand = random.between(1, x.width + y.width);
            let long = random.between(6, 25);
            let [apart, saving] = multipliers([long, random.between(6, long)]);
            let schoolbook = taken(x, y, demand, apart.block);
            assert_eq!(
                made(types, demand, Some(apart)),
                schoolbook,
                "{types:?} {demand}"
            );
            let limited = types.map(|ty| limited(ty, demand));
            if let Some(cut) = super::saving(limited, demand, saving) {
                assert_eq!(
                    made(types, demand, Some(saving)),
                    cut.blocks(),
                    "{types:?} {demand}"
                );
            }
        }
    }

    #[test]
    fn products_take_the_fewest_blocks() {
        let blocks = |bits: u32, demand: u32, way: Option<Multiplier>| {
            made([HwType::si(bits); 2], demand, way)
        };
        let way = |block: Block| Some(multipliers(block)[0]);
        assert_eq!(blocks(32, 32, way([18, 18])), 3, "the low half");
        assert_eq!(
            blocks(24, 48, way([24, 17])),
            2,
            "the longer side takes all of one"
        );
        assert_eq!(blocks(34, 68, way([24, 17])), 4, "neither side takes all");
        assert_eq!(blocks(32, 32, None), 0);
    }

    /// Blocks, and what the saved ones cost in bits of sums.
    #[test]
    fn sums_take_the_place_of_blocks_where_those_cost_more() {
        let blocks = |ty: HwType, demand: u32, block_area: f64| {
            let costs = Costs {
                block_area,
                ..COSTS
            };
            let way = Multiplier {
                block: [18, 18],
                saving: Some(costs),
            };
            made([ty; 2], demand, Some(way))
        };
        assert_eq!(blocks(HwType::ui(53), 106, 500.0), 6);
        assert_eq!(blocks(HwType::ui(53), 106, 20.0), 9, "blocks are cheap");
        assert_eq!(blocks(HwType::ui(32), 64, 500.0), 4, "one less is too few");
        assert_eq!(blocks(HwType::si(48), 96, 500.0), 6);
        assert_eq!(
            blocks(HwType::ui(32), 32, 500.0),
            3,
            "two parts do not both count"
        );
        assert_eq!(
            blocks(HwType::ui(24), 48, 500.0),
            3,
            "the corner is in logic"
        );
        assert_eq!(blocks(HwType::ui(64), 128, 500.0), 10);
        assert_eq!(blocks(HwType::ui(64), 64, 500.0), 10);
        assert_eq!(
            blocks(HwType::si(36), 72, 500.0),
            4,
            "differences are too wide"
        );
    }
}

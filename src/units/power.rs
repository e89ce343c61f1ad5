//! Integer powers modulo 2^width: chains of products for constant exponents, and a module that squares and multiplies.

use crate::hwarith::builder::Builder;
use crate::hwarith::graph::{Graph, NodeId};
use crate::hwarith::types::HwType;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// Products up to which a constant exponent becomes a chain of them.
const MAX_PRODUCTS: u32 = 12;

/// `base` to a constant exponent that is not negative, in `ty`; `None` if that takes too many products.
pub fn by_constant(b: &mut Builder, base: NodeId, exponent: &BigInt, ty: HwType) -> Option<NodeId> {
    let exponent = exponent.to_u32()?;
    if exponent == 0 {
        return Some(b.constant(1));
    }
    (products(exponent) <= MAX_PRODUCTS).then(|| chain(b, base, exponent, ty))
}

/// The factor that a chain for an odd exponent splits off, if that is no longer than the chain for one less and a product:
/// the binary or the factor method (Knuth, The Art of Computer Programming, volume 2, section 4.6.3).
fn factor(exponent: u32) -> Option<u32> {
    let length = |p: &u32| products(*p) + products(exponent / p);
    let factors = (3..=exponent.isqrt()).filter(|p| exponent.is_multiple_of(*p));
    let best = factors.min_by_key(length)?;
    (length(&best) <= 1 + products(exponent - 1)).then_some(best)
}

/// Products that [`chain`] has.
fn products(exponent: u32) -> u32 {
    if exponent <= 1 {
        return 0;
    }
    if exponent.is_multiple_of(2) {
        return 1 + products(exponent / 2);
    }
    // Odd exponents beyond any chain.
    if exponent >> MAX_PRODUCTS > 0 {
        return MAX_PRODUCTS + 1;
    }
    match factor(exponent) {
        Some(p) => products(p) + products(exponent / p),
        None => 1 + products(exponent - 1),
    }
}

fn chain(b: &mut Builder, base: NodeId, exponent: u32, ty: HwType) -> NodeId {
    if exponent <= 1 {
        return base;
    }
    let (x, y) = if exponent.is_multiple_of(2) {
        let half = chain(b, base, exponent / 2, ty);
        (half, half)
    } else if let Some(p) = factor(exponent) {
        let inner = chain(b, base, p, ty);
        return chain(b, inner, exponent / p, ty);
    } else {
        (chain(b, base, exponent - 1, ty), base)
    };
    let product = b.mul(x, y);
    b.cast(product, ty)
}

/// The module for `base ** exponent` modulo 2^width: inputs `ui<width>` and `ui<bits>`, output `ui<width>`.
///
/// From the lowest bit of the exponent up (Knuth, section 4.6.3, algorithm A), so that both products of a step are side by side.
pub fn unit(width: u32, bits: u32) -> Graph {
    let mut g = Graph::new();
    let base = g.input(0, HwType::ui(width));
    let exponent = g.input(1, HwType::ui(bits));
    let one = g.constant(1);
    let one = g.cast(one, HwType::ui(width));
    let state = g.concat(&[one, base, exponent]);
    let end = g.iterate(step(width, bits), bits, &[state]);
    let power = g.extract(end, width + bits, width);
    g.outputs.push(power);
    g
}

/// The state is the power so far above the current square above what is left of the exponent.
fn step(width: u32, bits: u32) -> Graph {
    let mut g = Graph::new();
    let state = g.input(0, HwType::ui(2 * width + bits));
    let power = g.extract(state, width + bits, width);
    let square = g.extract(state, bits, width);
    let product = g.mul(power, square);
    let product = g.extract(product, 0, width);
    let odd = g.bit(state, 0);
    let next = g.mux(odd, product, power);
    let squared = g.mul(square, square);
    let squared = g.extract(squared, 0, width);
    let mut parts = vec![next, squared];
    if bits > 1 {
        let zero = g.constant(0);
        parts.extend([zero, g.extract(state, 1, bits - 1)]);
    } else {
        parts.push(odd);
    }
    let next = g.concat(&parts);
    g.outputs.push(next);
    g
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hwarith::eval::{eval, eval_nodes};
    use crate::hwarith::graph::Op;
    use crate::hwarith::iterate::unrolled;
    use crate::hwarith::testing::Random;
    use crate::ir::BinaryOp;
    use crate::sim::integer;

    fn reference(base: &BigInt, exponent: &BigInt, ty: HwType) -> BigInt {
        let form = (ty.width, ty.signed);
        integer::binary(BinaryOp::Pow, base, exponent, form).expect("an integer operation")
    }

    #[test]
    fn constant_exponents() {
        for ty in [
            HwType::ui(5),
            HwType::si(5),
            HwType::ui(64),
            HwType::si(300),
        ] {
            let mut random = Random::new(4);
            let values: Vec<BigInt> = match ty.width {
                5 => (0..32).map(|v| ty.wrap(&BigInt::from(v))).collect(),
                _ => (0..10).map(|_| random.value(ty)).collect(),
            };
            for exponent in (0..=40).chain([63, 64, 100, 255, 1000, 4096]) {
                let exponent = BigInt::from(exponent);
                let mut b = Builder::new();
                let base = b.opaque(Op::Input(0), vec![], ty);
                let power = by_constant(&mut b, base, &exponent, ty).expect("a chain");
                let power = b.cast(power, ty);
                for value in &values {
                    let nodes = eval_nodes(&b.graph, std::slice::from_ref(value));
                    let wanted = reference(value, &exponent, ty);
                    assert_eq!(
                        nodes[power.index()],
                        wanted,
                        "{value} ** {exponent} in {ty}"
                    );
                }
            }
        }
    }

    #[test]
    fn chains_are_short() {
        let lengths: Vec<u32> = [1, 2, 3, 7, 15, 23, 27, 33, 63, 64].map(products).to_vec();
        assert_eq!(lengths, [0, 1, 2, 4, 5, 7, 6, 6, 8, 6]);
    }

    #[test]
    fn variable_exponents() {
        for (width, bits) in [(1, 1), (4, 4), (5, 3), (3, 5), (64, 6), (300, 40)] {
            let graph = unit(width, bits);
            graph.validate().expect("valid");
            let expanded = (width < 100).then(|| unrolled(&graph));
            let mut random = Random::new(5);
            let (base, exponent) = (HwType::ui(width), HwType::ui(bits));
            for inputs in
                crate::hwarith::testing::input_vectors(&mut random, &[base, exponent], 600)
            {
                let wanted = [reference(&inputs[0], &inputs[1], base)];
                assert_eq!(eval(&graph, &inputs), wanted, "{inputs:?}");
                if let Some(expanded) = &expanded {
                    assert_eq!(eval(expanded, &inputs), wanted, "{inputs:?}");
                }
            }
        }
    }
}

//! A pure hwarith graph as words: its meaning again, without the evaluator.

use super::aig::Lit;
use super::bits::{Word, constant, extend};
use super::sums::Sums;
use crate::hwarith::graph::{Op, Predicate};
use crate::hwarith::{Graph, HwType, Node, infer};
use num_bigint::BigInt;

/// Words of all nodes of a graph for words of its inputs, each of its node's width. `None` if the graph is not pure.
pub fn nodes(sums: &mut Sums, graph: &Graph, inputs: &[Word]) -> Option<Vec<Word>> {
    let mut values: Vec<Word> = Vec::with_capacity(graph.nodes.len());
    for (_, node) in graph.nodes.iter() {
        let value = match &node.op {
            Op::Input(i) => inputs.get(*i as usize)?.clone(),
            _ => operation(sums, graph, node, &values)?,
        };
        values.push(value);
    }
    Some(values)
}

fn operation(sums: &mut Sums, graph: &Graph, node: &Node, values: &[Word]) -> Option<Word> {
    let ty = |i: usize| graph.ty(node.args[i]);
    let raw = |i: usize| &values[node.args[i].index()];
    // The operand's integer in that many bits of two's complement.
    let wide = |i: usize, width: u32| extend(raw(i), width, ty(i).signed);
    let width = node.ty.width;
    Some(match &node.op {
        Op::Const(value) => constant(value, width),
        Op::Add => {
            let mut sum = wide(0, width);
            for i in 1..node.args.len() {
                sum = sums.add(&sum, &wide(i, width));
            }
            sum
        }
        Op::Sub => sums.sub(&wide(0, width), &wide(1, width)),
        Op::Mul => sums.mul((raw(0), ty(0).signed), (raw(1), ty(1).signed), width),
        Op::Div | Op::Mod => divide(sums, node, [ty(0), ty(1)], [raw(0), raw(1)]),
        Op::Icmp(predicate) => {
            let common = infer::common(ty(0), ty(1));
            let (a, b) = (wide(0, common.width), wide(1, common.width));
            vec![compare(sums, *predicate, &a, &b, common.signed)]
        }
        Op::Cast => sums.resize(raw(0), width, ty(0).signed),
        Op::And => sums.zip(&wide(0, width), &wide(1, width), super::aig::Aig::and),
        Op::Or => sums.zip(&wide(0, width), &wide(1, width), super::aig::Aig::or),
        Op::Xor => sums.zip(&wide(0, width), &wide(1, width), super::aig::Aig::xor),
        Op::Not => sums.not(raw(0)),
        Op::Shl => sums.shift_left(&wide(0, width), raw(1)),
        Op::Shr => sums.shift_right(&wide(0, width), raw(1), node.ty.signed),
        Op::Mux => sums.select(raw(0)[0], &wide(1, width), &wide(2, width)),
        Op::Concat => {
            let parts = node.args.iter().rev();
            sums.join(parts.flat_map(|a| values[a.index()].clone()).collect())
        }
        Op::Extract { lo } => sums.slice(raw(0), *lo, width),
        Op::Table(table) => {
            let mut words: Vec<Word> = table
                .words()
                .iter()
                .map(|word| constant(word, width))
                .collect();
            // A choice by each bit of the address, the lowest first.
            for &bit in raw(0) {
                let pairs = words.chunks(2).map(|pair| match pair {
                    [low, high] => sums.select(bit, high, low),
                    single => single.concat(),
                });
                words = pairs.collect();
            }
            words.swap_remove(0)
        }
        Op::Iterate { step, count } => {
            let step = graph.steps.get(*step as usize)?;
            let mut args: Vec<Word> = node
                .args
                .iter()
                .map(|a| values[a.index()].clone())
                .collect();
            let mut types: Vec<HwType> = node.args.iter().map(|&a| graph.ty(a)).collect();
            for _ in 0..*count {
                let inputs = step.input_types().into_iter().zip(args.iter().zip(&types));
                let inputs: Vec<Word> = inputs
                    .map(|(to, (word, from))| extend(word, to.width, from.signed))
                    .collect();
                let state = *step.outputs.first()?;
                args[0] = nodes(sums, step, &inputs)?.swap_remove(state.index());
                types[0] = step.ty(state);
            }
            extend(&args[0], width, types[0].signed)
        }
        _ => return None,
    })
}

/// Quotient or remainder; of a zero divisor all ones, or the low bits of the dividend.
fn divide(sums: &mut Sums, node: &Node, types: [HwType; 2], args: [&Word; 2]) -> Word {
    let width = types[0].width.max(types[1].width) + 1;
    let signed = types[0].signed || types[1].signed;
    let [a, b] = [0, 1].map(|i| extend(args[i], width, types[i].signed));
    let (quotient, rest) = match signed {
        true => sums.divide_signed(&a, &b),
        false => sums.divide(&a, &b),
    };
    let result = if node.op == Op::Div { quotient } else { rest };
    extend(&result, node.ty.width, signed)
}

/// A comparison of words of one width.
pub fn compare(sums: &mut Sums, predicate: Predicate, a: &[Lit], b: &[Lit], signed: bool) -> Lit {
    match predicate {
        Predicate::Eq => sums.equal(a, b),
        Predicate::Ne => !sums.equal(a, b),
        Predicate::Lt => sums.less(a, b, signed),
        Predicate::Ge => !sums.less(a, b, signed),
        Predicate::Gt => sums.less(b, a, signed),
        Predicate::Le => !sums.less(b, a, signed),
    }
}

/// A word of a type as an integer, under one of 64 assignments.
pub fn value(values: &[u64], word: &[Lit], ty: HwType, at: u32) -> BigInt {
    let mut result = BigInt::default();
    for (i, &bit) in word.iter().enumerate() {
        if super::aig::value_of(values, bit) >> at & 1 == 1 {
            result.set_bit(i as u64, true);
        }
    }
    ty.wrap(&result)
}

/// The literal that is 1 where two words, each read by its own sign, are different integers.
pub fn differ(sums: &mut Sums, a: (&[Lit], bool), b: (&[Lit], bool)) -> Lit {
    let width = a.0.len().max(b.0.len()) as u32 + 1;
    let (a, b) = (extend(a.0, width, a.1), extend(b.0, width, b.1));
    !sums.equal(&a, &b)
}

#[cfg(test)]
mod tests {
    use super::super::sweep::{Verdict, decide};
    use super::super::{Limits, division};
    use super::*;
    use crate::hwarith::builder::{self, Builder};
    use crate::hwarith::eval::eval_nodes;
    use crate::hwarith::testing::*;
    use crate::ir::BinaryOp;
    use crate::units::integer_division::Field;
    use crate::units::reciprocal;
    use std::time::Duration;

    fn shape(input_width: u32, operations: u32, max_width: u32) -> Shape {
        Shape {
            input_width,
            inputs: 3,
            operations,
            max_width,
            arithmetic: false,
        }
    }

    /// Every node has the evaluator's value, before and after sums become gates.
    fn agrees_with_the_evaluator(seed: u64, shape: &Shape) {
        let mut random = Random::new(seed);
        let graph = random_graph(&mut random, shape);
        let types = graph.input_types();
        let mut sums = Sums::default();
        let inputs: Vec<Word> = types.iter().map(|t| sums.free_word(t.width)).collect();
        let words = nodes(&mut sums, &graph, &inputs).expect("pure");
        let roots: Vec<Lit> = words.concat();
        let (aig, lowered, origin) = sums.lower(&roots);
        for _ in 0..6 {
            let given: Vec<BigInt> = types.iter().map(|&t| random.value(t)).collect();
            let bit_of = |node: usize| {
                let find = |word: &Word| word.iter().position(|l| l.node() == node);
                inputs
                    .iter()
                    .zip(&given)
                    .find_map(|(word, value)| find(word).map(|at| value.bit(at as u64)))
            };
            let free = |n: usize| u64::from(bit_of(origin[&n]).unwrap_or(false));
            let simulated = aig.simulate(free);
            let exact = eval_nodes(&graph, &given);
            let mut rest = &lowered[..];
            for (id, node) in graph.nodes.iter() {
                let (word, later) = rest.split_at(node.ty.width as usize);
                rest = later;
                assert_eq!(
                    value(&simulated, word, node.ty, 0),
                    exact[id.index()],
                    "seed {seed}, inputs {given:?}: {}\n{}",
                    graph.node_text(id),
                    graph.print(0)
                );
            }
        }
    }

    #[test]
    fn words_have_the_values_of_the_evaluator() {
        for seed in 0..250 {
            agrees_with_the_evaluator(seed, &shape(5, 14, 30));
        }
        for seed in 0..25 {
            agrees_with_the_evaluator(seed, &shape(40, 10, 120));
        }
    }

    /// Whether two graphs over the same inputs have equal outputs.
    fn equal(one: &Graph, other: &Graph) -> Verdict {
        let mut sums = Sums::default();
        let types = one.input_types();
        let inputs: Vec<Word> = types.iter().map(|t| sums.free_word(t.width)).collect();
        let a = nodes(&mut sums, one, &inputs).expect("pure");
        let b = nodes(&mut sums, other, &inputs).expect("pure");
        let mut root = Lit::FALSE;
        for (&x, &y) in one.outputs.iter().zip(&other.outputs) {
            let (tx, ty) = (one.ty(x), other.ty(y));
            let different = differ(
                &mut sums,
                (&a[x.index()], tx.signed),
                (&b[y.index()], ty.signed),
            );
            root = sums.aig.or(root, different);
        }
        let (aig, roots, _) = sums.lower(&[root]);
        decide(&aig, roots[0], &Limits::within(Duration::from_secs(100)))
    }

    #[test]
    fn narrowing_and_strength_reduction_are_proven_right() {
        for seed in 0..150 {
            let graph = random_graph(&mut Random::new(seed), &shape(6, 12, 24));
            let new = builder::rebuild(&graph);
            assert_eq!(equal(&graph, &new), Verdict::Never, "seed {seed}");
        }
    }

    /// Division by constants as the back end builds it, against the definition of the language.
    #[test]
    fn divisions_by_constants_are_proven_right() {
        let fields = [
            (Field::Quotient, BinaryOp::Div),
            (Field::Remainder, BinaryOp::Mod),
            (Field::Floor, BinaryOp::FloorDiv),
        ];
        let divisors = [3i64, 7, 10, 12, 100, 641, 1000, -3, -10];
        for ty in [HwType::ui(32), HwType::si(32), HwType::si(64)] {
            for divisor in divisors.into_iter().filter(|d| ty.signed || *d > 0) {
                for (field, op) in fields {
                    let mut b = Builder::new();
                    let input = b.opaque(Op::Input(0), vec![], ty);
                    let divisor = BigInt::from(divisor);
                    let Some(result) = reciprocal::divide(&mut b, input, &divisor, field) else {
                        continue;
                    };
                    let graph = &b.graph;
                    let mut sums = Sums::default();
                    let a = sums.free_word(ty.width);
                    let by = constant(&divisor, ty.width);
                    let wanted = division::divide(&mut sums, op, &a, &by, ty.signed);
                    let got = nodes(&mut sums, graph, &[a]).expect("pure");
                    let got = (&got[result.index()][..], graph.ty(result).signed);
                    let differ = differ(&mut sums, (&wanted, ty.signed), got);
                    let (aig, roots, _) = sums.lower(&[differ]);
                    let limits = Limits::within(Duration::from_secs(60));
                    let verdict = decide(&aig, roots[0], &limits);
                    assert_eq!(verdict, Verdict::Never, "{ty} {op:?} {divisor}");
                }
            }
        }
    }

    #[test]
    fn a_wrong_graph_is_refuted() {
        let make = |wrong: bool| {
            let mut g = Graph::new();
            let (x, y) = (g.input(0, HwType::si(20)), g.input(1, HwType::ui(20)));
            let product = g.mul(x, y);
            let cut = g.cast(product, HwType::si(if wrong { 39 } else { 40 }));
            let sum = g.add(cut, x);
            g.outputs = vec![sum];
            g
        };
        assert_eq!(equal(&make(false), &make(false)), Verdict::Never);
        assert!(matches!(
            equal(&make(false), &make(true)),
            Verdict::Sometimes(_)
        ));
    }

    /// What no solver could find out bit by bit.
    #[test]
    fn wide_products_of_any_shape_are_one_form() {
        let mut g = Graph::new();
        let (x, y) = (g.input(0, HwType::si(64)), g.input(1, HwType::si(64)));
        let product = g.mul(x, y);
        let seven = g.constant(0x7ffe_0123);
        let scaled = g.mul(product, seven);
        g.outputs = vec![product, scaled];
        let new = builder::rebuild(&g);
        assert_eq!(equal(&g, &new), Verdict::Never);
    }
}

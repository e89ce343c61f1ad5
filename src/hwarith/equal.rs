//! Whether a rewrite of a graph kept its values: both graphs are run on the same random and edge inputs.
//!
//! What stands outside of a graph (registers, memories, operator modules, what an iteration repeats) is drawn as a function
//! of its operands, so that a rewrite that hands it something else is seen too.

use super::builder::rebuild;
use super::demand::Memories;
use super::fast::{LANES, Machine, Outside, Word};
use super::graph::{Graph, NodeId, Op};
use super::interval::Interval;
use super::types::HwType;
use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics, Severity, Span};
use crate::random::mix;
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// A node before and after a rewrite.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Before.
    pub before: NodeId,
    /// After.
    pub after: NodeId,
    /// Low bits that have to be the same; if these are all bits of the first node, the numbers have to be.
    pub bits: u32,
}

/// What a rewrite may not change.
#[derive(Clone, Copy, Default)]
pub struct Context<'a> {
    /// Bits that memories read of what they are handed.
    pub memories: Option<&'a dyn Memories>,
    /// Carried values before and after, with the values that they take.
    pub phis: &'a [(NodeId, NodeId, &'a Interval)],
    /// Iterations are run, not drawn.
    pub iterate: bool,
}

/// A value that a rewrite changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The value's name in the source, if it has one.
    pub name: Option<String>,
    /// Where it comes from.
    pub span: Option<Span>,
    /// What it was.
    pub was: BigInt,
    /// What it is.
    pub is: BigInt,
    /// Names and values of what the graph reads from outside.
    pub inputs: Vec<(String, BigInt)>,
}

impl Difference {
    fn to_diagnostic(&self, rewrite: &str) -> Diagnostic {
        let value = match &self.name {
            Some(name) => format!("'{name}'"),
            None => "a value".to_string(),
        };
        let (was, is) = (&self.was, &self.is);
        let message = format!(
            "internal: the rewrite '{rewrite}' changed {value} from {was} to {is}, and is left out here"
        );
        let inputs = self
            .inputs
            .iter()
            .map(|(name, value)| format!("{name} = {value}"));
        let inputs: Vec<String> = inputs.collect();
        let warning = Diagnostic {
            severity: Severity::Warning,
            span: self.span,
            ..Diagnostic::global(codes::REWRITE, message)
        };
        warning.note(format!("for {}", inputs.join(", "))).help(
            "the output is right; please report it all the same, this is a bug of the compiler",
        )
    }
}

/// What came of a rewrite: the graph after it or, if the two are not the same, the graph before it, with a warning. Debug
/// builds panic instead.
pub fn kept<T>(
    rewrite: &str,
    before: T,
    after: T,
    difference: Option<Difference>,
    warnings: &mut Diagnostics,
) -> T {
    let Some(difference) = difference else {
        return after;
    };
    if cfg!(debug_assertions) {
        panic!("the rewrite '{rewrite}' changed a value: {difference:?}");
    }
    warnings.push(difference.to_diagnostic(rewrite));
    before
}

/// The rebuilt graph, or the graph itself if that is not the same.
pub fn rebuilt(graph: Graph, warnings: &mut Diagnostics) -> Graph {
    let after = rebuild(&graph);
    let difference = output_difference(&graph, &after);
    kept("rebuild", graph, after, difference, warnings)
}

/// The first of the pairs that is not the same on some input; `None` also for graphs that are too wide to be run, with
/// more than 1,023 bits in a node.
pub fn difference(
    before: &Graph,
    after: &Graph,
    pairs: &[Pair],
    context: Context,
) -> Option<Difference> {
    let widths = |graph: &Graph| graph.nodes.values().map(|n| n.ty.width).max();
    let widest = widths(before).max(widths(after)).unwrap_or(0);
    let steps = before.steps.iter().chain(&after.steps);
    let widest = match context.iterate {
        true => steps.filter_map(widths).fold(widest, u32::max),
        false => widest,
    };
    let on = match widest {
        0..64 => on_words::<u64>,
        64..128 => on_words::<u128>,
        128..256 => on_words::<[u64; 4]>,
        256..512 => on_words::<[u64; 8]>,
        512..1024 => on_words::<[u64; 16]>,
        _ => return None,
    };
    on(before, after, pairs, context)
}

/// The outputs of two pure graphs with the same inputs.
pub fn output_difference(before: &Graph, after: &Graph) -> Option<Difference> {
    let outputs = before.outputs.iter().zip(&after.outputs);
    let pairs = outputs.map(|(&old, &new)| Pair {
        before: old,
        after: new,
        bits: before.width(old),
    });
    let pairs: Vec<Pair> = pairs.collect();
    let context = Context {
        iterate: true,
        ..Context::default()
    };
    difference(before, after, &pairs, context)
}

/// Words of 64 bits that are computed for a comparison, about, unless a few inputs take more.
const MOST_WORDS: u64 = 1 << 26;

/// Inputs on which whatever is compared is run.
const LEAST_LANES: usize = 4;

/// Inputs on which two graphs of values of so many words are run: fewer where each takes long.
fn lanes(graphs: [&Graph; 2], words: usize, context: Context) -> usize {
    let nodes = |graph: &Graph| graph.nodes.len() as u64;
    let each = graphs.into_iter().map(|graph| {
        let iterated = graph.nodes.values().map(|node| match node.op {
            Op::Iterate { step, count } if context.iterate => {
                nodes(&graph.steps[step as usize]).saturating_mul(count.into())
            }
            _ => 0,
        });
        iterated.fold(nodes(graph), u64::saturating_add)
    });
    let work = each
        .fold(1, u64::saturating_add)
        .saturating_mul(words as u64);
    let most = usize::try_from(MOST_WORDS / work).unwrap_or(LANES);
    most.clamp(LEAST_LANES, LANES)
}

fn on_words<W: Word>(
    before: &Graph,
    after: &Graph,
    pairs: &[Pair],
    context: Context,
) -> Option<Difference> {
    let outside = |graph, first| Drawn::of(graph, first, context).outside;
    let outside = [outside(before, true), outside(after, false)];
    let kept = |node: fn(&Pair) -> NodeId| -> Vec<NodeId> { pairs.iter().map(node).collect() };
    let kept = [kept(|pair| pair.before), kept(|pair| pair.after)];
    let mut old = Machine::<W>::new(before, &outside[0], &kept[0])?;
    let mut new = Machine::<W>::new(after, &outside[1], &kept[1])?;
    let lanes = lanes([before, after], W::LIMBS, context);
    old.run(&[], lanes);
    new.run(&[], lanes);
    pairs.iter().find_map(|pair| {
        let (was, is) = (old.bits(pair.before), new.bits(pair.after));
        let types = (before.ty(pair.before), after.ty(pair.after));
        let lane = (0..lanes).find(|&lane| !same((was[lane], is[lane]), types, pair.bits))?;
        let node = &before.nodes[pair.before];
        Some(Difference {
            name: node.name.clone(),
            span: node.span,
            was: number(was[lane], types.0),
            is: number(is[lane], types.1),
            inputs: inputs(before, &old, lane),
        })
    })
}

/// Whether values of two types agree in the low bits or, where these are all of the first, as numbers.
fn same<W: Word>((was, is): (W, W), types: (HwType, HwType), bits: u32) -> bool {
    let spread = |word: W, ty: HwType| match ty.signed && word.shr(ty.width - 1) != W::ZERO {
        true => word.sub(W::of(1).shl(ty.width)),
        false => word,
    };
    let difference = spread(was, types.0).xor(spread(is, types.1));
    match bits >= types.0.width {
        true => difference == W::ZERO,
        false => difference.shl(W::BITS - bits.max(1)) == W::ZERO || bits == 0,
    }
}

fn number<W: Word>(word: W, ty: HwType) -> BigInt {
    let limbs = (0..W::LIMBS).rev();
    let bits = limbs.fold(BigInt::from(0), |high, i| {
        (high << 64u32) | BigInt::from(word.limb(i))
    });
    ty.wrap(&bits)
}

/// What a graph read from outside in a lane.
fn inputs<W: Word>(graph: &Graph, machine: &Machine<W>, lane: usize) -> Vec<(String, BigInt)> {
    let read = graph.nodes.iter().filter_map(|(id, node)| {
        let name = match node.op {
            Op::Input(i) => format!("input {i}"),
            Op::Var(_) | Op::Phi | Op::Load(_) => node
                .name
                .clone()
                .unwrap_or_else(|| format!("%{}", id.index())),
            _ => return None,
        };
        let word = machine.bits(id)[lane];
        Some((name, number(word, node.ty)))
    });
    read.collect()
}

/// How the nodes of a graph are drawn that stand for something outside of it.
struct Drawn {
    outside: Vec<Option<Outside>>,
}

impl Drawn {
    fn of(graph: &Graph, is_before: bool, context: Context) -> Drawn {
        let side = |phi: &(NodeId, NodeId, &Interval)| if is_before { phi.0 } else { phi.1 };
        let phis = context.phis.iter().enumerate();
        let phis = phis.map(|(number, phi)| (side(phi), (number, phi.2.clone())));
        let phis: BTreeMap<NodeId, (usize, Interval)> = phis.collect();
        // Neither shared nor moved by any rewrite.
        let mut loads = 0;
        let outside = graph.nodes.iter().map(|(id, node)| {
            let whole = || Interval::of_type(node.ty);
            let (key, range, operand_bits) = match &node.op {
                Op::Input(i) => (key(0, *i as usize), whole(), 0),
                Op::Var(var) => (key(1, var.index()), whole(), 0),
                Op::Phi => {
                    let (number, range) = phis.get(&id)?.clone();
                    (key(2, number), range, 0)
                }
                Op::Load(mem) => {
                    loads += 1;
                    let bits = context.memories.map(|m| m.address_width(*mem));
                    (key(3, loads), whole(), bits.unwrap_or(u32::MAX))
                }
                Op::Store(_) => (key(4, 0), whole(), 0),
                Op::Call(unit) => (key(5, unit.index()), whole(), u32::MAX),
                Op::Iterate { count, .. } if !context.iterate => {
                    (key(6, *count as usize), whole(), u32::MAX)
                }
                _ => return None,
            };
            Some(Outside {
                key,
                range,
                operand_bits,
            })
        });
        Drawn {
            outside: outside.collect(),
        }
    }
}

fn key(kind: u64, number: usize) -> u64 {
    mix(mix(kind) ^ number as u64)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn what_takes_long_is_run_on_fewer_inputs() {
        let iterated = |count: u32| {
            let word = HwType::ui(8);
            let mut step = Graph::new();
            let state = step.input(0, word);
            let doubled = step.add(state, state);
            let next = step.extract(doubled, 0, 8);
            step.outputs.push(next);
            let mut graph = Graph::new();
            let start = graph.input(0, word);
            let end = graph.iterate(step, count, &[start]);
            graph.outputs.push(end);
            graph
        };
        let run = Context {
            iterate: true,
            ..Context::default()
        };
        let [short, long] = [100, 100_000_000].map(iterated);
        assert_eq!(lanes([&short; 2], 1, run), LANES);
        assert_eq!(lanes([&long; 2], 1, run), LEAST_LANES);
        assert_eq!(lanes([&long; 2], 1, Context::default()), LANES);
    }

    /// A graph with one constant or operation exchanged, and whether the values can differ at all.
    fn damaged(random: &mut Random, graph: &Graph) -> Graph {
        let mut damaged = graph.clone();
        let ids: Vec<NodeId> = graph.nodes.ids().collect();
        loop {
            let id = ids[random.below(ids.len() as u32) as usize];
            let node = &mut damaged.nodes[id];
            match &mut node.op {
                Op::Add => node.op = Op::Sub,
                Op::Sub => node.args.reverse(),
                Op::And => node.op = Op::Or,
                Op::Xor => node.op = Op::And,
                Op::Mux => node.args.swap(1, 2),
                Op::Cast => node.ty.signed = !node.ty.signed,
                _ => continue,
            }
            return damaged;
        }
    }

    #[test]
    fn a_rebuilt_graph_is_the_same_and_a_damaged_one_mostly_not() {
        let (mut seen, mut real) = (0, 0);
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let shape = Shape {
                input_width: [4, 20, 90, 300][seed as usize % 4],
                inputs: 3,
                operations: 10,
                max_width: [24, 60, 200, 700][seed as usize % 4],
                arithmetic: true,
            };
            let graph = random_graph(&mut random, &shape);
            assert_eq!(output_difference(&graph, &rebuild(&graph)), None);
            let kinds = [Op::Add, Op::Sub, Op::And, Op::Xor, Op::Mux, Op::Cast];
            if !graph.nodes.values().any(|n| kinds.contains(&n.op)) {
                continue;
            }
            let damaged = damaged(&mut random, &graph);
            let vectors = input_vectors(&mut random, &graph.input_types(), 400);
            let differs = vectors.iter().any(|inputs| {
                let values = |g: &Graph| super::super::eval::eval_nodes(g, inputs);
                // The damage may break the types that say what is exact.
                damaged.validate().is_ok() && {
                    let (a, b) = (values(&graph), values(&damaged));
                    graph.outputs.iter().any(|o| a[o.index()] != b[o.index()])
                }
            });
            real += u32::from(differs);
            seen += u32::from(differs && output_difference(&graph, &damaged).is_some());
        }
        assert!(real > 50 && seen * 100 >= real * 95, "{seen} of {real}");
    }

    #[test]
    fn a_lost_sign_is_seen_where_the_whole_number_counts() {
        let mut before = Graph::new();
        let x = before.input(0, HwType::si(8));
        let y = before.add(x, x);
        before.outputs.push(y);
        let mut after = before.clone();
        let bits = after.cast(y, HwType::ui(9));
        after.outputs[0] = bits;
        let pair = |bits| Pair {
            before: y,
            after: after.outputs[0],
            bits,
        };
        let found = difference(&before, &after, &[pair(9)], Context::default());
        let found = found.expect("the sign is gone");
        assert_eq!(found.is, found.was + 512);
        let low = difference(&before, &after, &[pair(8)], Context::default());
        assert_eq!(low, None);
    }
}

//! Runs a whole program, one operation after the other: the meaning of regions, vars and memories without time.

use super::program::{Leaf, Loop, Phi, Place, Program, Region};
use crate::arena::Table;
use crate::hwarith::HwType;
use crate::hwarith::eval::{eval, eval_node};
use crate::hwarith::graph::{Graph, MemId, NodeId, Op, UnitId, VarId};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

/// What a program works on.
#[derive(Clone, Debug)]
pub struct State {
    /// Value of each var, within its type.
    pub vars: Table<VarId, BigInt>,
    /// Words of each memory, without sign; those of ROMs are not looked at.
    pub mems: Table<MemId, Vec<BigInt>>,
}

impl State {
    /// All zero.
    pub fn new(program: &Program) -> State {
        let mems = program.mems.values();
        State {
            vars: program.vars.values().map(|_| BigInt::zero()).collect(),
            mems: mems
                .map(|m| match &m.place {
                    Place::Rom(words) | Place::State(words) => {
                        words.iter().map(|w| BigInt::from(w.clone())).collect()
                    }
                    _ => vec![BigInt::zero(); m.depth as usize],
                })
                .collect(),
        }
    }
}

/// Runs the program; false if it takes more than `budget` node evaluations.
pub fn run(program: &Program, state: &mut State, budget: u64) -> bool {
    let mut run = Run {
        program,
        state,
        budget,
    };
    run.region(&program.root).is_some()
}

struct Run<'a> {
    program: &'a Program,
    state: &'a mut State,
    budget: u64,
}

/// `None`: out of budget.
type Done = Option<()>;

impl Run<'_> {
    fn region(&mut self, region: &Region) -> Done {
        match region {
            Region::Leaf(id) => self.leaf(&self.program.leaves[*id]),
            Region::Seq(parts) => parts.iter().try_for_each(|part| self.region(part)),
            Region::If {
                cond,
                then,
                otherwise,
            } => match self.state.vars[*cond].is_zero() {
                false => self.region(then),
                true => self.region(otherwise),
            },
            Region::Repeat {
                head, cond, body, ..
            } => loop {
                self.region(head)?;
                if self.state.vars[*cond].is_zero() {
                    return Some(());
                }
                self.region(body)?;
            },
        }
    }

    fn leaf(&mut self, leaf: &Leaf) -> Done {
        let values = match &leaf.repeat {
            None => self.iteration(&leaf.graph, None, true)?,
            Some(repeat) => self.repeat(leaf, repeat)?,
        };
        for &(var, node) in &leaf.writes {
            let ty = self.program.vars[var].ty;
            self.state.vars[var] = ty.wrap(&values[node.index()]);
        }
        Some(())
    }

    fn repeat(&mut self, leaf: &Leaf, repeat: &Loop) -> Option<Vec<BigInt>> {
        let graph = &leaf.graph;
        let enters = match repeat.enter {
            Some(var) => !self.state.vars[var].is_zero(),
            None => true,
        };
        let mut values = self.iteration(graph, None, enters)?;
        while enters && values[repeat.last.index()].is_zero() {
            values = self.iteration(graph, Some(&values), true)?;
        }
        // What comes out is the next value, or without an iteration the initial one.
        for &Phi { node, var, .. } in &repeat.phis {
            let node = graph.nodes[node].args[usize::from(enters)];
            let ty = self.program.vars[var].ty;
            self.state.vars[var] = ty.wrap(&values[node.index()]);
        }
        Some(values)
    }

    /// Values of all nodes, after an iteration with the values of `before`; without `effects` nothing is stored.
    fn iteration(
        &mut self,
        graph: &Graph,
        before: Option<&[BigInt]>,
        effects: bool,
    ) -> Option<Vec<BigInt>> {
        self.budget = self.budget.checked_sub(graph.nodes.len() as u64)?;
        let mut values: Vec<BigInt> = Vec::with_capacity(graph.nodes.len());
        for (_, node) in graph.nodes.iter() {
            let arg = |i: usize| &values[node.args[i].index()];
            let value = match &node.op {
                Op::Var(var) => self.state.vars[*var].clone(),
                Op::Phi => node.ty.wrap(match before {
                    Some(before) => &before[node.args[1].index()],
                    None => arg(0),
                }),
                Op::Load(mem) => {
                    let words = &self.state.mems[*mem];
                    let word = arg(0).to_usize().and_then(|at| words.get(at));
                    node.ty.wrap(word.unwrap_or(&BigInt::ZERO))
                }
                Op::Store(mem) => {
                    let [address, word, enable] = [arg(0), arg(1), arg(2)];
                    let width = self.program.mems[*mem].width;
                    let words = &mut self.state.mems[*mem];
                    let place = address.to_usize().and_then(|at| words.get_mut(at));
                    if let Some(place) = place
                        && effects
                        && !enable.is_zero()
                    {
                        *place = HwType::ui(width).wrap(word);
                    }
                    BigInt::zero()
                }
                Op::Call(unit) => self.call(*unit, &node.args, &values, node.ty),
                _ => {
                    eval_node(graph, node, &values).expect("the rest is a function of its operands")
                }
            };
            values.push(value);
        }
        Some(values)
    }

    fn call(&self, unit: UnitId, args: &[NodeId], values: &[BigInt], ty: HwType) -> BigInt {
        let unit = &self.program.units[unit].graph;
        let mut inputs: Vec<BigInt> = args.iter().map(|a| values[a.index()].clone()).collect();
        for (_, node) in unit.nodes.iter() {
            if let Op::Input(i) = node.op {
                inputs[i as usize] = node.ty.wrap(&inputs[i as usize]);
            }
        }
        ty.wrap(&eval(unit, &inputs)[0])
    }
}

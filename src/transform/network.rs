//! A kernel that works on streams as a network: processes that run at the same time, each a kernel without calls.
//!
//! Processes are the calls at the top level of the kernel's body and the statements between them. A callee that has
//! processes of its own adds these. Scalars and arrays order processes, as they stand in the text; streams order
//! nothing but their own elements.

use super::band::Refusal;
use super::groups::{Given, Group, GroupKind, Needs, Worker, behind, constants, orders};
use super::{grids, inline, readers, workers};

pub use super::groups::Note;
use crate::arena::Arena;
use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics, Span};
use crate::ir::analysis::rates::{self, Moved};
use crate::ir::copy::Copier;
use crate::ir::grid::combinations;
use crate::ir::{
    Arg, Array, ArrayId, ArrayKind, Attempt, Block, Call, Kernel, KernelId, Op, OpKind, Param,
    Program, ResultSlot, ValueId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Processes of a network, at most.
const MOST: usize = 4096;

/// A kernel as processes.
#[derive(Clone, Debug)]
pub struct Network {
    /// What is around them: parameters, results, arrays and streams, and the values that processes hand one another.
    /// Its body has no operations; it yields the scalar results.
    pub kernel: Kernel,
    /// In the order of the text.
    pub processes: Vec<Process>,
    /// What was made of arrays that many processes share.
    pub notes: Vec<Note>,
    /// Whether workers have copies of arrays because they may access what others write.
    pub has_copies: bool,
}

/// A part of a network.
#[derive(Clone, Debug)]
pub struct Process {
    /// A kernel without calls.
    pub program: Program,
    /// What of the network each of its parameters is.
    pub args: Vec<Arg>,
    /// The network's values that its results are.
    pub results: Vec<ValueId>,
    /// The network's arrays that it writes.
    pub written: BTreeSet<ArrayId>,
    /// Processes that have to be done before it starts.
    pub after: Vec<usize>,
    /// The call or the first statement.
    pub span: Span,
}

impl Process {
    /// Its kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.program.kernels[self.program.top]
    }

    /// Whether it asks what depends on timing.
    pub fn is_timed(&self) -> bool {
        let asks = |op: &Op| matches!(op.kind, OpKind::Attempt { .. });
        self.kernel().body.any_op(&asks)
    }

    /// The network's array that a parameter of it is.
    pub fn outside(&self, array: ArrayId) -> Option<ArrayId> {
        let params = self.kernel().params.iter().zip(&self.args);
        params.into_iter().find_map(|pair| match pair {
            (Param::Array(own), Arg::Array(outside)) if *own == array => Some(*outside),
            _ => None,
        })
    }
}

/// What processes do with a stream.
#[derive(Clone, Debug, Default)]
pub struct Users {
    /// The process that puts, if there is one; no network has several.
    pub producer: Option<usize>,
    /// Another one that does.
    second: Option<usize>,
    /// Those that get.
    pub consumers: Vec<usize>,
}

impl Network {
    /// For each process those that are done before it begins.
    pub fn behind(&self) -> Vec<BTreeSet<usize>> {
        behind(self.processes.iter().map(|process| &process.after[..]))
    }

    /// The network that a program is, with memories for the workers of grids; `None`: none of its kernels has to do with streams.
    ///
    /// Errors: as of the network as written; two workers write one element, whatever the data.
    pub fn of(program: &Program) -> Result<Option<Network>, Diagnostics> {
        Network::with(program, |outer, groups| {
            let mut given = grids::localise(outer, groups)?;
            given.notes.extend(readers::share_ports(outer, groups));
            Ok(given)
        })
    }

    /// The network that a program is, where workers share the arrays that they are passed, as the program says; `None`: none of its
    /// kernels has to do with streams. This is what the reference runs.
    ///
    /// Errors: two producers of a stream, a parameter that is no stream of one direction, calls with streams inside of
    /// loops where the callee has streams of its own, too many operations or processes.
    pub fn as_written(program: &Program) -> Result<Option<Network>, Diagnostics> {
        Network::with(program, |_, _| Ok(Given::default()))
    }

    fn with(
        program: &Program,
        give_memories: impl Fn(&mut Kernel, &mut Vec<Group>) -> Result<Given, Diagnostic>,
    ) -> Result<Option<Network>, Diagnostics> {
        if !is_network(program) {
            return Ok(None);
        }
        let top = &program.kernels[program.top];
        let mut inlined = Vec::new();
        for (id, _) in program.kernels.iter() {
            inlined.push(inline::inlined(program, id, &inlined)?);
        }
        let mut outer = top.clone();
        let body = std::mem::take(&mut outer.body);
        let mut gather = Gather {
            inside: declaring(program),
            calling: calling_workers(program),
            program,
            inlined: &inlined,
            outer,
            groups: Vec::new(),
            path: Vec::new(),
            grids: 0,
            budget: inline::MAX_OPS,
        };
        let yields = gather.block(body, top)?;
        let Gather {
            mut outer,
            mut groups,
            ..
        } = gather;
        let Given { notes, has_copies } = give_memories(&mut outer, &mut groups)?;
        let network = Network {
            notes,
            has_copies,
            ..assemble(outer, groups, yields)?
        };
        network.check()?;
        Ok(Some(network))
    }

    /// Elements that each process gets and puts, by stream of the network; `None`: that may depend on the data.
    pub fn moved(&self) -> Option<Vec<BTreeMap<ArrayId, Moved>>> {
        let each = self.processes.iter().map(|process| {
            let mut all: BTreeMap<ArrayId, Moved> = BTreeMap::new();
            for (own, Moved { got, put }) in rates::moved(process.kernel())? {
                let sum = all.entry(process.outside(own)?).or_default();
                (sum.got, sum.put) = (sum.got + got, sum.put + put);
            }
            Some(all)
        });
        each.collect()
    }

    /// Whether each consumer of a stream takes as many elements as are put; `None`: data decide.
    pub fn are_local_streams_emptied(&self) -> Option<bool> {
        let moved = self.moved()?;
        let of = |process: usize, id: &ArrayId| moved[process].get(id).copied().unwrap_or_default();
        Some(self.users().iter().all(|(id, users)| {
            let array = &self.kernel.arrays[*id];
            let has_tokens = array.stream.iter().any(|stream| !stream.tokens.is_empty());
            let put = users.producer.map_or(0, |process| of(process, id).put);
            let mut consumers = users.consumers.iter();
            let is_emptied = consumers.all(|&process| of(process, id).got == put);
            !self.is_inside(*id) || !has_tokens && is_emptied
        }))
    }

    /// The same of a network without streams of the top kernel: whoever is outside of one knows of no invocations.
    pub fn are_streams_emptied(&self) -> Option<bool> {
        let mut streams = self.users().into_keys();
        let are_inside = streams.all(|id| self.is_inside(id));
        Some(are_inside && self.are_local_streams_emptied()?)
    }

    /// Whether an array or stream is the network's own: none of the top kernel, nor state or a table.
    pub fn is_inside(&self, id: ArrayId) -> bool {
        self.kernel.arrays[id].kind == ArrayKind::Local
    }

    /// What is done with each stream of the network.
    pub fn users(&self) -> BTreeMap<ArrayId, Users> {
        let streams = self.kernel.arrays.iter();
        let streams = streams.filter(|(_, array)| array.stream.is_some());
        let mut users: BTreeMap<ArrayId, Users> =
            streams.map(|(id, _)| (id, Users::default())).collect();
        for (number, process) in self.processes.iter().enumerate() {
            process.kernel().body.for_each_op(&mut |op| {
                let (at, puts) = match &op.kind {
                    OpKind::Get { at } => (at, false),
                    OpKind::Put { at, .. } => (at, true),
                    OpKind::Attempt {
                        at,
                        what: what @ (Attempt::Get | Attempt::Put(_)),
                    } => (at, !what.is_of_consumer()),
                    _ => return,
                };
                let stream = process.outside(at.array);
                let Some(users) = stream.and_then(|stream| users.get_mut(&stream)) else {
                    return;
                };
                match puts {
                    true if users.producer.is_none() => users.producer = Some(number),
                    true if users.producer == Some(number) => {}
                    true => users.second = Some(number),
                    false if users.consumers.last() == Some(&number) => {}
                    false => users.consumers.push(number),
                }
            });
        }
        users
    }

    /// Who asks whether there are elements is one of those who get them, and who asks for room is the one who puts
    /// them.
    fn check_questions(&self, users: &BTreeMap<ArrayId, Users>) -> Result<(), Diagnostics> {
        for (number, process) in self.processes.iter().enumerate() {
            let mut wrong = None;
            process.kernel().body.for_each_op(&mut |op| {
                let OpKind::Attempt { at, what } = &op.kind else {
                    return;
                };
                let users = process.outside(at.array).and_then(|id| users.get(&id));
                let is_own = users.is_some_and(|users| match what.is_of_consumer() {
                    true => users.consumers.contains(&number),
                    false => users.producer == Some(number),
                });
                if !is_own {
                    wrong = wrong.take().or(Some((op.span, at.array, *what)));
                }
            });
            if let Some((span, array, what)) = wrong {
                let name = &process.kernel().arrays[array].name;
                let message = match what.is_of_consumer() {
                    true => format!("'empty' is asked by who gets elements of '{name}'"),
                    false => format!("'full' is asked by who puts elements into '{name}'"),
                };
                return Err(Diagnostic::error(codes::NETWORK, span, message).into());
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), Diagnostics> {
        self.check_questions(&self.users())?;
        for (id, users) in self.users() {
            let stream = &self.kernel.arrays[id];
            let refuse = |message: String| {
                let error = Diagnostic::error(codes::NETWORK, stream.span, message);
                Err(Diagnostics::from(error))
            };
            if let (Some(first), Some(second)) = (users.producer, users.second) {
                let [first, second] = [first, second].map(|number| &self.processes[number]);
                let name = &stream.name;
                let message = format!("two processes put into the stream '{name}'");
                let error = Diagnostic::error(codes::NETWORK, second.span, message)
                    .note_at(first.span, "this is the other one");
                return Err(error.into());
            }
            if !matches!(stream.kind, ArrayKind::Param(_)) {
                continue;
            }
            let name = &stream.name;
            match (users.producer.is_some(), users.consumers.is_empty()) {
                (true, false) => {
                    return refuse(format!(
                        "the stream '{name}' of the top kernel is put into and got from: it has one direction"
                    ));
                }
                (false, true) => {
                    return refuse(format!(
                        "the stream '{name}' of the top kernel is never used"
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether a program has to do with streams, or has kernels whose calls run at the same time.
pub fn is_network(program: &Program) -> bool {
    needs_processes(program) || calling_workers(program)[program.top.index()]
}

/// Whether there are streams in a program, or kernels that are directed to be processes.
pub fn needs_processes(program: &Program) -> bool {
    let mut kernels = program.kernels.values();
    kernels.any(|kernel| kernel.dataflow || has_streams(kernel))
}

/// For each kernel whether it calls workers of a grid, or others that do, at the top level of its body.
fn calling_workers(program: &Program) -> Vec<bool> {
    let mut calling: Vec<bool> = Vec::new();
    // Callees come before callers.
    for kernel in program.kernels.values() {
        let any = kernel.body.ops.iter().any(|op| match &op.kind {
            OpKind::Call(call) => call.worker.is_some() || calling[call.kernel.index()],
            _ => false,
        });
        calling.push(any);
    }
    calling
}

/// Whether a kernel declares or takes streams.
pub fn has_streams(kernel: &Kernel) -> bool {
    kernel.arrays.values().any(|array| array.stream.is_some())
}

struct Gather<'p> {
    program: &'p Program,
    /// For each kernel whether it, or one that it calls, declares streams.
    inside: Vec<bool>,
    /// The same of workers of a grid, called at the top level.
    calling: Vec<bool>,
    /// Each kernel without calls.
    inlined: &'p [Kernel],
    outer: Kernel,
    groups: Vec<Group>,
    /// The workers inside of which the next group is.
    path: Vec<Worker>,
    /// How many there are.
    grids: usize,
    budget: usize,
}

impl Gather<'_> {
    /// Adds the processes of the body of a kernel, which is made of the network's values; what it yields.
    fn block(&mut self, body: Block, of: &Kernel) -> Result<Vec<ValueId>, Diagnostics> {
        let mut renamed: BTreeMap<ValueId, ValueId> = BTreeMap::new();
        // Statements do not go on with those before a call.
        let mut open = false;
        // The last worker.
        let mut last: Option<Worker> = None;
        for mut op in body.ops {
            rename(&mut op, &renamed);
            let OpKind::Call(call) = &op.kind else {
                let span = op.span;
                // Where it is directed each loop is a process, with what it needs.
                let ends = of.dataflow && !op.kind.blocks().is_empty();
                let ops = self.without_calls(op)?;
                if !open {
                    self.add(&of.name, span, GroupKind::Statements)?;
                }
                open = !ends;
                if let Some(group) = self.groups.last_mut() {
                    group.ops.extend(ops);
                }
                continue;
            };
            open = false;
            let worker = self.worker(call, last);
            self.path.extend(worker);
            last = worker.or(last);
            let callee = &self.program.kernels[call.kernel];
            let yields = if self.has_processes(call.kernel) {
                let mut copier = Copier::of_call(&mut self.outer, callee, call, &mut self.budget);
                let body = copier
                    .block(&callee.body)
                    .ok_or_else(|| too_large(callee))?;
                self.block(body, callee)?
            } else if callee.mapping.is_empty() {
                let callee = &self.inlined[call.kernel.index()];
                self.call(callee, call, op.span)?
            } else {
                self.grid(&callee.mapping, call, op.span)?
            };
            if worker.is_some() {
                self.path.pop();
            }
            renamed.extend(op.results.iter().copied().zip(yields));
        }
        let yields = body.yields.into_iter();
        Ok(yields
            .map(|value| renamed.get(&value).copied().unwrap_or(value))
            .collect())
    }

    /// The worker that a call is, given the last one before it.
    fn worker(&mut self, call: &Call, before: Option<Worker>) -> Option<Worker> {
        let number = call.worker?;
        let goes_on = before.filter(|before| before.number < number);
        let grid = goes_on.map_or_else(|| self.new_grid(), |before| before.grid);
        Some(Worker { grid, number })
    }

    fn new_grid(&mut self) -> usize {
        self.grids += 1;
        self.grids - 1
    }

    /// Adds the process of a call; what it yields.
    fn call(
        &mut self,
        callee: &Kernel,
        call: &Call,
        span: Span,
    ) -> Result<Vec<ValueId>, Diagnostics> {
        let passed = call.arrays(callee).into_iter();
        let passed = passed.map(|(own, array)| (array, callee.arrays[own].name.clone()));
        let kind = GroupKind::Call(passed.collect());
        let mut copier = Copier::of_call(&mut self.outer, callee, call, &mut self.budget);
        let body = copier
            .block(&callee.body)
            .ok_or_else(|| too_large(callee))?;
        self.add(&callee.name, span, kind)?;
        if let Some(group) = self.groups.last_mut() {
            group.ops = body.ops;
        }
        Ok(body.yields)
    }

    /// Adds the workers that share the nest of a callee, which yields nothing.
    fn grid(
        &mut self,
        mapping: &[u64],
        call: &Call,
        span: Span,
    ) -> Result<Vec<ValueId>, Diagnostics> {
        let callee = &self.inlined[call.kernel.index()];
        let refused = |(at, why): Refusal| {
            Diagnostic::error(
                codes::NETWORK,
                at.unwrap_or(span),
                format!("workers: {why}"),
            )
        };
        // Directives may have changed it since it was outlined.
        workers::check(callee, mapping).map_err(refused)?;
        let axes: Vec<Vec<u64>> = mapping
            .iter()
            .map(|&extent| (0..extent).collect())
            .collect();
        let grid = self.new_grid();
        for (number, ids) in (0..).zip(combinations(axes.iter())) {
            if let Some(worker) = workers::worker(callee, mapping, &ids).map_err(refused)? {
                self.path.push(Worker { grid, number });
                self.call(&worker, call, span)?;
                self.path.pop();
            }
        }
        Ok(Vec::new())
    }

    /// Whether a callee is processes of its own: it is directed, there are streams or grids inside, or it hands its own
    /// to kernels.
    fn has_processes(&self, id: KernelId) -> bool {
        let kernel = &self.program.kernels[id];
        let passes =
            |op: &Op| matches!(&op.kind, OpKind::Call(call) if call.passes_streams(kernel));
        kernel.dataflow
            || self.inside[id.index()]
            || kernel.body.ops.iter().any(passes)
            || self.calling[id.index()]
    }

    fn add(&mut self, name: &str, span: Span, kind: GroupKind) -> Result<(), Diagnostics> {
        if self.groups.len() == MOST {
            let message = format!("the network has more than {MOST} processes");
            return Err(Diagnostic::error(codes::NETWORK, span, message).into());
        }
        self.groups.push(Group {
            name: name.to_string(),
            span,
            kind,
            workers: self.path.clone(),
            ops: Vec::new(),
        });
        Ok(())
    }

    /// A statement with the calls inside of it inlined.
    fn without_calls(&mut self, op: Op) -> Result<Vec<Op>, Diagnostics> {
        let is_call = |op: &Op| matches!(op.kind, OpKind::Call(_));
        let block = Block {
            ops: vec![op],
            yields: Vec::new(),
        };
        if !block.any_op(&is_call) {
            return Ok(block.ops);
        }
        let mut own_streams = None;
        block.for_each_op(&mut |op| {
            if let OpKind::Call(call) = &op.kind {
                let callee = &self.program.kernels[call.kernel];
                if self.inside[call.kernel.index()] {
                    own_streams = own_streams.or(Some((op.span, &callee.name)));
                }
            }
        });
        if let Some((span, name)) = own_streams {
            let message = format!(
                "'{name}' has streams of its own: it is called at the top level of the body, not in a loop or branch"
            );
            return Err(Diagnostic::error(codes::NETWORK, span, message).into());
        }
        let name = self.outer.name.clone();
        let span = self.outer.span;
        let block = inline::inline_block(&mut self.outer, block, self.inlined, &mut self.budget);
        block
            .map(|block| block.ops)
            .ok_or_else(|| inline::too_large(&name, span))
    }
}

fn too_large(kernel: &Kernel) -> Diagnostics {
    inline::too_large(&kernel.name, kernel.span)
}

/// For each kernel whether it, or one that it calls, declares streams.
fn declaring(program: &Program) -> Vec<bool> {
    let mut inside: Vec<bool> = Vec::new();
    // Callees come before callers.
    for kernel in program.kernels.values() {
        let mut arrays = kernel.arrays.values();
        let own = arrays.any(|array| array.stream.is_some() && array.kind == ArrayKind::Local);
        let calls = |op: &Op| matches!(&op.kind, OpKind::Call(call) if inside[call.kernel.index()]);
        let any = own || kernel.body.any_op(&calls);
        inside.push(any);
    }
    inside
}

fn rename(op: &mut Op, renamed: &BTreeMap<ValueId, ValueId>) {
    let mut f = |value: &mut ValueId| *value = renamed.get(value).copied().unwrap_or(*value);
    op.kind.for_each_operand(&mut f);
    for inner in op.kind.blocks_mut() {
        inner.for_each_use(&mut f);
    }
}

// Processes of groups -------------------------------------------------------------------------------------

fn assemble(
    mut outer: Kernel,
    groups: Vec<Group>,
    yields: Vec<ValueId>,
) -> Result<Network, Diagnostics> {
    let constants = constants(&groups);
    let does = |group: &Group| {
        !group
            .ops
            .iter()
            .all(|op| matches!(op.kind, OpKind::Const(_)))
    };
    let mut groups: Vec<Group> = groups.into_iter().filter(does).collect();
    let computed: BTreeSet<ValueId> = groups.iter().flat_map(|g| Needs::of(g).defined).collect();
    let is_known = |value: &ValueId| constants.contains_key(value) || !computed.contains(value);
    if yields.iter().any(is_known) {
        // A result that is known, or a parameter, is handed on like any other.
        groups.push(Group {
            name: outer.name.clone(),
            span: outer.span,
            kind: GroupKind::Statements,
            workers: Vec::new(),
            ops: Vec::new(),
        });
    }
    let needs: Vec<Needs> = groups.iter().map(Needs::of).collect();
    let mut users: BTreeMap<ArrayId, usize> = BTreeMap::new();
    for array in needs.iter().flat_map(Needs::arrays) {
        *users.entry(array).or_default() += 1;
    }
    let orders = orders(&outer, &groups, &needs, &constants);
    let mut wanted: BTreeSet<ValueId> = needs.iter().flat_map(|n| n.values.clone()).collect();
    wanted.extend(&yields);
    let mut results = yields.clone();
    let mut processes = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let Needs {
            values,
            defined,
            touched,
        } = &needs[number];
        let defined = defined.iter().filter(|v| !constants.contains_key(v));
        let handed: Vec<ValueId> = defined.filter(|v| wanted.contains(v)).copied().collect();
        let is_extra = group.ops.is_empty();
        let returned: Vec<ValueId> = match is_extra {
            true => yields.iter().filter(|v| is_known(v)).copied().collect(),
            false => handed.clone(),
        };
        let mut arrays = BTreeMap::new();
        for id in needs[number].arrays() {
            let array = &outer.arrays[id];
            let is_inside = matches!(array.kind, ArrayKind::Local | ArrayKind::State(_));
            let is_own = array.stream.is_none() && is_inside && users[&id] == 1;
            if array.kind.is_state() && !is_own {
                return Err(state_of_several(&outer, id));
            }
            let is_own = is_own || matches!(array.kind, ArrayKind::Table(_));
            arrays.insert(id, is_own);
        }
        let mut process = Outline {
            outer: &outer,
            constants: &constants,
            group,
        }
        .process(values, &arrays, &returned);
        process.after = orders[number].clone();
        process.written = touched
            .written
            .iter()
            .copied()
            .filter(|id| outer.arrays[*id].stream.is_none())
            .collect();
        process.results = match is_extra {
            false => returned,
            true => {
                let fresh: Vec<ValueId> = returned.iter().map(|v| outer.like(*v)).collect();
                for result in &mut results {
                    if let Some(at) = returned.iter().position(|v| v == result) {
                        *result = fresh[at];
                    }
                }
                fresh
            }
        };
        processes.push(process);
    }
    outer.body = Block {
        ops: Vec::new(),
        yields: results,
    };
    Ok(Network {
        kernel: outer,
        processes,
        notes: Vec::new(),
        has_copies: false,
    })
}

fn state_of_several(outer: &Kernel, id: ArrayId) -> Diagnostics {
    let Array { name, span, .. } = &outer.arrays[id];
    let message = format!("several processes use '{name}', which is kept between invocations");
    Diagnostic::error(codes::NETWORK, *span, message)
        .help("declare it in the kernel that uses it")
        .into()
}

struct Outline<'n> {
    outer: &'n Kernel,
    constants: &'n BTreeMap<ValueId, Op>,
    group: &'n Group,
}

impl Outline<'_> {
    /// The kernel of a group: `values` and those `arrays` that are not its own are its parameters.
    fn process(
        &self,
        values: &BTreeSet<ValueId>,
        arrays: &BTreeMap<ArrayId, bool>,
        returned: &[ValueId],
    ) -> Process {
        let mut kernel = Kernel::new(self.name(), self.group.span);
        let mut args = Vec::new();
        let mut own_values = BTreeMap::new();
        let mut ops = Vec::new();
        for &value in values.iter().chain(returned) {
            if own_values.contains_key(&value) {
                continue;
            }
            if let Some(op) = self.constants.get(&value) {
                let own = kernel.values.push(self.outer.values[value].clone());
                own_values.insert(value, own);
                ops.push(Op {
                    results: vec![own],
                    ..op.clone()
                });
            } else if values.contains(&value) || self.group.ops.is_empty() {
                let own = kernel.values.push(self.outer.values[value].clone());
                own_values.insert(value, own);
                kernel.params.push(Param::Scalar(own));
                args.push(Arg::Scalar(value));
            }
        }
        let mut own_arrays = BTreeMap::new();
        for (id, name, is_own) in self.in_order(arrays) {
            let array = &self.outer.arrays[id];
            let kind = match is_own {
                true => array.kind.clone(),
                false => ArrayKind::Param(kernel.params.len()),
            };
            let own = kernel.arrays.push(Array {
                name,
                kind,
                ..array.clone()
            });
            own_arrays.insert(id, own);
            if !is_own {
                kernel.params.push(Param::Array(own));
                args.push(Arg::Array(id));
            }
        }
        let block = Block {
            ops: self.group.ops.clone(),
            yields: returned.to_vec(),
        };
        let mut budget = usize::MAX;
        let mut copier =
            Copier::of_part(&mut kernel, self.outer, own_values, own_arrays, &mut budget);
        let body = copier.block(&block).unwrap_or_default();
        ops.extend(body.ops);
        kernel.body = Block {
            ops,
            yields: body.yields,
        };
        let results = kernel.body.yields.iter();
        let results = results.map(|value| ResultSlot::Scalar(kernel.values[*value].ty));
        kernel.results = results.collect();
        let mut kernels = Arena::new();
        let top: KernelId = kernels.push(kernel);
        Process {
            program: Program { kernels, top },
            args,
            results: Vec::new(),
            written: BTreeSet::new(),
            after: Vec::new(),
            span: self.group.span,
        }
    }

    /// The arrays of the process with their names, and whether they are its own: those of a call as the callee has
    /// them.
    fn in_order(&self, arrays: &BTreeMap<ArrayId, bool>) -> Vec<(ArrayId, String, bool)> {
        let mut order: Vec<(ArrayId, String)> = match &self.group.kind {
            GroupKind::Call(passed) => passed.clone(),
            GroupKind::Statements => Vec::new(),
        };
        let others = arrays
            .keys()
            .filter(|id| !order.iter().any(|(one, _)| one == *id));
        let others = others.map(|id| (*id, self.outer.arrays[*id].name.clone()));
        let others: Vec<_> = others.collect();
        order.extend(others);
        let mut seen = BTreeSet::new();
        order.retain(|(id, _)| arrays.contains_key(id) && seen.insert(*id));
        let order = order.into_iter();
        order.map(|(id, name)| (id, name, arrays[&id])).collect()
    }

    fn name(&self) -> String {
        match self.group.kind {
            GroupKind::Call(_) => self.group.name.clone(),
            GroupKind::Statements => format!("{}_body", self.group.name),
        }
    }
}

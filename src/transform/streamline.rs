//! An array that one call writes and others read, in the same order, becomes a stream between them.

use super::band::Refusal;
use super::line_buffer;
use super::reuse_at;
use super::walk::{Order, Walk};
use crate::ir::analysis::touch::{Touched, touches};
use crate::ir::*;

/// Positions that are compared to find the first that differs, at most.
const SEARCHED: u64 = 1 << 20;

/// A window that a consumer got: its kernel, and the array with the dimensions of which every index is best a memory of
/// its own.
pub type Window = (KernelId, ArrayId, Vec<usize>);

/// How many streams there are in the place of an array, and how many elements each holds.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Streams side by side.
    pub lanes: u64,
    /// Elements of each.
    pub depth: u64,
}

/// What was made beside streams.
#[derive(Default)]
pub struct Made {
    /// Windows of consumers.
    pub windows: Vec<Window>,
    /// So many kernels come before the caller that were not there.
    pub inserted: usize,
}

/// Makes streams of the arrays that the calls of kernels at some places of a caller's body write, each a block, and
/// those at others read. Each of these kernels is called there only. A consumer that reads elements again, within a
/// window that moves, gets a copy of the window, the smallest with which each element is got once. What several write
/// is put together by a kernel of its own.
///
/// Errors: there is no such array; something else uses it; it is read before it is written; it is not walked along, or
/// in different orders.
pub fn run(program: &mut Program, of: KernelId, calls: Calls, form: Form) -> Result<Made, Refusal> {
    let shared = shared(program, of, calls);
    if shared.is_empty() {
        let why = "there is no array between these calls: one of their caller's own that the first write and the others read";
        return Err((None, why.into()));
    }
    let mut made = Made::default();
    let mut merges = Vec::new();
    for &array in &shared {
        let (windows, merge) = between(program, of, array, calls, form)?;
        made.windows.extend(windows);
        merges.extend(merge);
    }
    let last = calls.0.iter().max().map_or(0, |last| last + 1);
    for (number, Merge { kernel, args }) in merges.into_iter().enumerate() {
        let before = KernelId::new(of.index() + number);
        program.insert(before, kernel);
        let caller = &mut program.kernels[KernelId::new(before.index() + 1)];
        let call = Call {
            kernel: before,
            args: args.into_iter().map(Arg::Array).collect(),
            result_arrays: Vec::new(),
            worker: None,
        };
        let op = Op {
            kind: OpKind::Call(Box::new(call)),
            results: Vec::new(),
            span: caller.span,
        };
        caller.body.ops.insert(last, op);
        made.inserted += 1;
    }
    for window in &mut made.windows {
        if window.0 >= of {
            window.0 = KernelId::new(window.0.index() + made.inserted);
        }
    }
    let caller = &mut program.kernels[KernelId::new(of.index() + made.inserted)];
    // What was there before is overwritten unread.
    caller
        .body
        .ops
        .retain(|op| !matches!(op.kind, OpKind::Fill { array, .. } if shared.contains(&array)));
    caller.dataflow = true;
    Ok(made)
}

/// Places of the calls that write and of those that read.
type Calls<'c> = (&'c [usize], &'c [usize]);

/// A kernel that puts together what several write, and the arrays that it is called with.
struct Merge {
    kernel: Kernel,
    args: Vec<ArrayId>,
}

fn call(program: &Program, of: KernelId, at: usize) -> Option<&Call> {
    match &program.kernels[of].body.ops.get(at)?.kind {
        OpKind::Call(call) => Some(call),
        _ => None,
    }
}

/// The array of a call's kernel that an array of the caller is passed for.
fn passed(
    program: &Program,
    of: KernelId,
    at: usize,
    array: ArrayId,
) -> Option<(KernelId, ArrayId)> {
    let call = call(program, of, at)?;
    let arrays = call.arrays(&program.kernels[call.kernel]).into_iter();
    let mut own = arrays.filter(|(_, outside)| *outside == array);
    match (own.next(), own.next()) {
        (Some((own, _)), None) => Some((call.kernel, own)),
        _ => None,
    }
}

/// Arrays inside of the caller that all producers take or give and all consumers read.
fn shared(program: &Program, of: KernelId, (producers, consumers): Calls) -> Vec<ArrayId> {
    let touched = |at: usize, array: ArrayId, writes: bool| {
        passed(program, of, at, array).is_some_and(|(kernel, own)| {
            let touched = Touched::by_block(&program.kernels[kernel].body);
            match writes {
                true => touched.written.contains(&own),
                false => touched.read.contains(&own),
            }
        })
    };
    let arrays = program.kernels[of].arrays.iter();
    let arrays =
        arrays.filter(|(_, array)| array.kind == ArrayKind::Local && array.stream.is_none());
    arrays
        .map(|(id, _)| id)
        .filter(|&id| {
            producers.iter().all(|&at| touched(at, id, true))
                && consumers.iter().all(|&at| touched(at, id, false))
        })
        .collect()
}

fn between(
    program: &mut Program,
    of: KernelId,
    array: ArrayId,
    calls: Calls,
    form: Form,
) -> Result<(Vec<Window>, Vec<Merge>), Refusal> {
    alone(program, of, array, calls)?;
    let Array { name, shape, .. } = program.kernels[of].arrays[array].clone();
    let named = |(span, why): Refusal| (span, format!("'{name}': {why}"));
    let (producers, consumers) = calls;
    let mut writes = Vec::new();
    for &at in producers {
        let (id, own) = passed_once(program, of, at, array)?;
        writes.push((at, walk(&mut program.kernels[id], own).map_err(named)?));
    }
    let written = together(&mut writes).map_err(named)?;
    let mut reads = Vec::new();
    let mut windows = Vec::new();
    for &at in consumers {
        let (id, own) = passed_once(program, of, at, array)?;
        let kernel = &mut program.kernels[id];
        let (walk, made) = in_order(kernel, own, &written, &shape).map_err(named)?;
        windows.extend(made.into_iter().map(|made| (id, made.local, made.spread)));
        reads.push((at, walk));
    }
    let wrong = writes.iter().find(|(_, walk)| !walk.writes);
    let wrong = wrong.or_else(|| reads.iter().find(|(_, walk)| walk.writes));
    if let Some((_, walk)) = wrong {
        let why = format!("'{name}' goes the other way here");
        return Err((Some(walk.span), why));
    }
    let lanes = streams(program, of, array, form);
    let mut merges: Vec<Merge> = Vec::new();
    let is_merged = writes.len() > 1;
    if is_merged {
        merges.extend(
            lanes
                .iter()
                .map(|&lane| Merge::to(&program.kernels[of], lane)),
        );
    }
    for (at, walk) in &writes {
        let own: Vec<ArrayId> = match is_merged {
            true => lanes
                .iter()
                .map(|&lane| another(program, of, lane))
                .collect(),
            false => lanes.clone(),
        };
        for (merge, &own) in merges.iter_mut().zip(&own) {
            merge.pass_on(own, walk.order.count() / form.lanes);
        }
        connect(program, of, array, (*at, walk), (&own, form)).map_err(named)?;
    }
    for (at, walk) in &reads {
        connect(program, of, array, (*at, walk), (&lanes, form)).map_err(named)?;
    }
    Ok((windows, merges))
}

/// An array of the caller as streams, its lanes: itself, and others like it.
fn streams(program: &mut Program, of: KernelId, array: ArrayId, form: Form) -> Vec<ArrayId> {
    program.kernels[of].arrays[array].become_stream(form.depth);
    let others = (1..form.lanes).map(|_| another(program, of, array));
    let others: Vec<ArrayId> = others.collect();
    std::iter::once(array).chain(others).collect()
}

/// One more array like one of the caller.
fn another(program: &mut Program, of: KernelId, array: ArrayId) -> ArrayId {
    let arrays = &mut program.kernels[of].arrays;
    let like = arrays[array].clone();
    let number = arrays.len();
    arrays.push(Array {
        name: format!("{}_{number}", like.name),
        ..like
    })
}

/// Has the call at a place pass streams instead of an array, and its kernel transfer what it accessed.
fn connect(
    program: &mut Program,
    of: KernelId,
    array: ArrayId,
    (at, walk): (usize, &Walk),
    (streams, form): (&[ArrayId], Form),
) -> Result<(), Refusal> {
    let (callee, own) = passed_once(program, of, at, array)?;
    as_parameter(program, of, at, callee, own);
    if let OpKind::Call(call) = &mut program.kernels[of].body.ops[at].kind {
        for arg in &mut call.args {
            if matches!(arg, Arg::Array(passed) if *passed == array) {
                *arg = Arg::Array(streams[0]);
            }
        }
        let others = streams[1..].iter().map(|&other| Arg::Array(other));
        call.args.extend(others);
    }
    let kernel = &mut program.kernels[callee];
    let others: Vec<ArrayId> = streams[1..]
        .iter()
        .map(|_| parameter(kernel, kernel.arrays[own].clone()))
        .collect();
    walk.transfer_in_lanes(kernel, &others, form.depth)
}

/// One more parameter, like an array.
fn parameter(kernel: &mut Kernel, like: Array) -> ArrayId {
    let number = kernel.params.len();
    let own = kernel.arrays.push(Array {
        kind: ArrayKind::Param(number),
        name: format!("{}_{number}", like.name),
        ..like
    });
    kernel.params.push(Param::Array(own));
    own
}

/// The array of a call's kernel that an array of the caller is passed for.
///
/// Errors: it is passed twice.
fn passed_once(
    program: &Program,
    of: KernelId,
    at: usize,
    array: ArrayId,
) -> Result<(KernelId, ArrayId), Refusal> {
    passed(program, of, at, array).ok_or_else(|| {
        let name = &program.kernels[of].arrays[array].name;
        (None, format!("'{name}' is passed twice in one call"))
    })
}

/// The order in which calls write that write a block each; they come to stand in the order of the blocks.
fn together(writes: &mut [(usize, Walk)]) -> Result<Order, Refusal> {
    writes.sort_by_key(|(_, walk)| walk.order.position(0));
    let mut all: Option<Order> = None;
    for (_, walk) in writes {
        let next = match all {
            None => Some(walk.order.clone()),
            Some(all) => all.then(&walk.order),
        };
        let why = "what this writes does not begin where the block before it ends";
        all = Some(next.ok_or_else(|| (Some(walk.span), why.to_string()))?);
    }
    all.ok_or_else(|| (None, "nothing writes it".to_string()))
}

impl Merge {
    /// To a stream of the caller.
    fn to(caller: &Kernel, stream: ArrayId) -> Merge {
        let array = &caller.arrays[stream];
        let name = format!("{}_{}_merge", caller.name, array.name);
        let mut kernel = Kernel::new(name, caller.span);
        parameter(&mut kernel, array.clone());
        let args = vec![stream];
        Merge { kernel, args }
    }

    /// Passes so many elements on from another one, behind those of the ones before.
    fn pass_on(&mut self, stream: ArrayId, count: u64) {
        let kernel = &mut self.kernel;
        let to = ArrayId::new(0);
        let from = parameter(kernel, kernel.arrays[to].clone());
        self.args.push(stream);
        let (span, elem) = (kernel.span, kernel.arrays[to].elem);
        let at = |array| Element::new(array, Vec::new());
        let mut body = Vec::new();
        let mut build = kernel.build(&mut body, span);
        let value = build.op(elem, OpKind::Get { at: at(from) });
        build.define(OpKind::Put { at: at(to), value }, Vec::new());
        let iv = kernel.value(Scalar::Index, Some("n"));
        let mut ops = std::mem::take(&mut kernel.body.ops);
        let mut build = kernel.build(&mut ops, span);
        let range = [0, count, 1].map(|bound| build.index(bound));
        let f = For::counted(iv, range, "n", body);
        build.define(OpKind::For(Box::new(f)), Vec::new());
        kernel.body.ops = ops;
    }
}

/// How a kernel reads an array in the order in which it is written: as it is, or through a line buffer, or else through
/// the window of the innermost loop with which it does.
fn in_order(
    kernel: &mut Kernel,
    array: ArrayId,
    written: &Order,
    shape: &[u64],
) -> Result<(Walk, Vec<reuse_at::Made>), Refusal> {
    let fits = |walk: Walk| match difference(written, &walk.order, shape) {
        Some(why) => Err((Some(walk.span), why)),
        None => Ok(walk),
    };
    let refused = match walk(kernel, array).and_then(fits) {
        Ok(walk) => return Ok((walk, Vec::new())),
        Err(refused) => refused,
    };
    let is_nest = |op: &Op| touches(op, array) && matches!(op.kind, OpKind::For(_));
    if let Some(at) = kernel.body.ops.iter().position(is_nest) {
        let mut buffered = kernel.clone();
        if let Ok(made) = line_buffer::run(&mut buffered, &[(at, 0)], array)
            && let Ok(walk) = walk(&mut buffered, array).and_then(fits)
        {
            *kernel = buffered;
            return Ok((walk, made));
        }
    }
    let mut paths = kernel.body.paths_of_loops();
    paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
    for path in paths {
        let mut windowed = kernel.clone();
        let made = reuse_at::run(&mut windowed, &path, array, false);
        let Ok(made) = made else { continue };
        if let Ok(walk) = walk(&mut windowed, array).and_then(fits) {
            *kernel = windowed;
            return Ok((walk, vec![made]));
        }
    }
    Err(refused)
}

/// Makes sure that nothing but these calls, those that write first, and fills before them uses an array.
fn alone(
    program: &Program,
    of: KernelId,
    array: ArrayId,
    (producers, consumers): Calls,
) -> Result<(), Refusal> {
    let first = producers.iter().min().copied().unwrap_or_default();
    let last = producers.iter().max().copied().unwrap_or_default();
    let name = &program.kernels[of].arrays[array].name;
    let ops = program.kernels[of].body.ops.iter().enumerate();
    for (at, op) in ops {
        if at <= last && consumers.contains(&at) {
            let why = format!("'{name}' is read here, before it is written");
            return Err((Some(op.span), why));
        }
        let is_fill = matches!(op.kind, OpKind::Fill { .. }) && at < first;
        let is_meant = is_fill || producers.contains(&at) || consumers.contains(&at);
        let touched = match &op.kind {
            OpKind::Call(call) => call
                .arrays(&program.kernels[call.kernel])
                .iter()
                .any(|pair| pair.1 == array),
            _ => Touched::by(op).contains(array),
        };
        if touched && !is_meant {
            return Err((Some(op.span), format!("'{name}' is used here, too")));
        }
    }
    Ok(())
}

/// How a kernel walks along an array that it may fill before.
fn walk(kernel: &mut Kernel, array: ArrayId) -> Result<Walk, Refusal> {
    let is_fill =
        |op: &Op| matches!(op.kind, OpKind::Fill { array: filled, .. } if filled == array);
    let touches = |op: &Op| Touched::by(op).contains(array);
    let first = kernel
        .body
        .ops
        .iter()
        .position(|op| touches(op) && !is_fill(op));
    let mut at = 0..;
    let mut plain = kernel.clone();
    plain.body.ops.retain(|op| {
        let before = at.next() < first;
        !(before && is_fill(op))
    });
    let found = Walk::of(&plain, array).map_err(|(span, why)| (Some(span), why.to_string()))?;
    let name = &kernel.name;
    let Some(walk) = found else {
        return Err((Some(kernel.span), format!("'{name}' does nothing with it")));
    };
    let filled = plain.body.ops.len() < kernel.body.ops.len();
    if filled && walk.order.count() < kernel.arrays[array].len() {
        let why = format!("'{name}' fills it, and does not overwrite all of it");
        return Err((Some(walk.span), why));
    }
    *kernel = plain;
    Ok(walk)
}

/// How the order of reading differs from that of writing, in words.
fn difference(written: &Order, read: &Order, shape: &[u64]) -> Option<String> {
    if written == read {
        return None;
    }
    let (puts, gets) = (written.count(), read.count());
    let shown = |position: i128| {
        let digits = u64::try_from(position).map(|position| grid::digits(position, shape));
        format!("{:?}", digits.unwrap_or_default())
    };
    let both = puts.min(gets).min(SEARCHED);
    let first = (0..both).find(|&number| written.position(number) != read.position(number));
    Some(match first {
        Some(number) => format!(
            "element {} is read when {} is written, after {number} others",
            shown(read.position(number)),
            shown(written.position(number)),
        ),
        None => format!("{gets} elements are read, and {puts} written"),
    })
}

/// A result of a kernel that is called once becomes a parameter.
fn as_parameter(program: &mut Program, of: KernelId, at: usize, callee: KernelId, own: ArrayId) {
    let kernel = &mut program.kernels[callee];
    let ArrayKind::Result(_) = kernel.arrays[own].kind else {
        return;
    };
    let is_it = |slot: &ResultSlot| matches!(slot, ResultSlot::Array(id) if *id == own);
    let arrays = kernel
        .results
        .iter()
        .filter(|slot| matches!(slot, ResultSlot::Array(_)));
    let number = arrays.clone().position(is_it);
    kernel.results.retain(|slot| !is_it(slot));
    for (number, slot) in kernel.results.iter().enumerate() {
        if let ResultSlot::Array(id) = slot {
            kernel.arrays[*id].kind = ArrayKind::Result(number);
        }
    }
    kernel.arrays[own].kind = ArrayKind::Param(kernel.params.len());
    kernel.params.push(Param::Array(own));
    if let Some(number) = number
        && let OpKind::Call(call) = &mut program.kernels[of].body.ops[at].kind
    {
        let array = call.result_arrays.remove(number);
        call.args.push(Arg::Array(array));
    }
}

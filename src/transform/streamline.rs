//! An array that one call writes and others read, in the same order, becomes a stream between them.

use super::band::Refusal;
use super::reuse_at;
use super::walk::{Order, Walk};
use crate::ir::analysis::touch::Touched;
use crate::ir::*;

/// Positions that are compared to find the first that differs, at most.
const SEARCHED: u64 = 1 << 20;

/// A window that a consumer got: its kernel, and the array with the dimensions of which every index is best a memory of its own.
pub type Window = (KernelId, ArrayId, Vec<usize>);

/// Makes streams of the arrays that the call of a kernel at one place of a caller's body writes and those at others read. Each of
/// these kernels is called there only. A consumer that reads elements again, within a window that moves, gets a copy of the window,
/// the smallest with which each element is got once.
///
/// Errors: there is no such array; something else uses it; it is read before it is written; it is not walked along, or in different
/// orders.
pub fn run(
    program: &mut Program,
    of: KernelId,
    producer: usize,
    consumers: &[usize],
    depth: u64,
) -> Result<Vec<Window>, Refusal> {
    let shared = shared(program, of, producer, consumers);
    if shared.is_empty() {
        let why =
            "there is no array between these calls: one that the first writes and the others read";
        return Err((None, why.into()));
    }
    let mut windows = Vec::new();
    for &array in &shared {
        windows.extend(between(program, of, array, (producer, consumers), depth)?);
    }
    let caller = &mut program.kernels[of];
    // What was there before is overwritten unread.
    caller
        .body
        .ops
        .retain(|op| !matches!(op.kind, OpKind::Fill { array, .. } if shared.contains(&array)));
    caller.dataflow = true;
    Ok(windows)
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

/// Arrays inside of the caller that the producer takes or gives and a consumer reads.
fn shared(program: &Program, of: KernelId, producer: usize, consumers: &[usize]) -> Vec<ArrayId> {
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
            touched(producer, id, true) && consumers.iter().all(|&at| touched(at, id, false))
        })
        .collect()
}

fn between(
    program: &mut Program,
    of: KernelId,
    array: ArrayId,
    (producer, consumers): (usize, &[usize]),
    depth: u64,
) -> Result<Vec<Window>, Refusal> {
    let name = program.kernels[of].arrays[array].name.clone();
    alone(program, of, array, producer, consumers)?;
    let shape = program.kernels[of].arrays[array].shape.clone();
    let mut walks: Vec<(usize, Walk)> = Vec::new();
    let mut windows = Vec::new();
    for &at in std::iter::once(&producer).chain(consumers) {
        let why = || (None, format!("'{name}' is passed twice in one call"));
        let (id, own) = passed(program, of, at, array).ok_or_else(why)?;
        let kernel = &mut program.kernels[id];
        let named = |(span, why)| (span, format!("'{name}': {why}"));
        let walk = match walks.first() {
            None => walk(kernel, own).map_err(named)?,
            Some((_, written)) => {
                let (walk, window) =
                    in_order(kernel, own, &written.order, &shape).map_err(named)?;
                windows.extend(window.map(|made| (id, made.local, made.spread)));
                walk
            }
        };
        if walk.writes != (at == producer) {
            let why = format!("'{name}' goes the other way here");
            return Err((Some(walk.span), why));
        }
        walks.push((at, walk));
    }
    for (at, walk) in &walks {
        if let Some((kernel, own)) = passed(program, of, *at, array) {
            as_parameter(program, of, *at, kernel, own);
            walk.transfer(&mut program.kernels[kernel], depth);
        }
    }
    program.kernels[of].arrays[array].become_stream(depth);
    Ok(windows)
}

/// How a kernel reads an array in the order in which it is written: as it is, or else through the window of the innermost loop with
/// which it does.
fn in_order(
    kernel: &mut Kernel,
    array: ArrayId,
    written: &Order,
    shape: &[u64],
) -> Result<(Walk, Option<reuse_at::Made>), Refusal> {
    let fits = |walk: Walk| match difference(written, &walk.order, shape) {
        Some(why) => Err((Some(walk.span), why)),
        None => Ok(walk),
    };
    let refused = match walk(kernel, array).and_then(fits) {
        Ok(walk) => return Ok((walk, None)),
        Err(refused) => refused,
    };
    let mut paths = kernel.body.paths_of_loops();
    paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
    for path in paths {
        let mut windowed = kernel.clone();
        let made = reuse_at::run(&mut windowed, &path, array, false);
        let Ok(made) = made else { continue };
        if let Ok(walk) = walk(&mut windowed, array).and_then(fits) {
            *kernel = windowed;
            return Ok((walk, Some(made)));
        }
    }
    Err(refused)
}

/// Makes sure that nothing but these calls, the one that writes first, and fills before them uses an array.
fn alone(
    program: &Program,
    of: KernelId,
    array: ArrayId,
    producer: usize,
    consumers: &[usize],
) -> Result<(), Refusal> {
    let name = &program.kernels[of].arrays[array].name;
    let ops = program.kernels[of].body.ops.iter().enumerate();
    for (at, op) in ops {
        if at < producer && consumers.contains(&at) {
            let why = format!("'{name}' is read here, before it is written");
            return Err((Some(op.span), why));
        }
        let is_fill = matches!(op.kind, OpKind::Fill { .. }) && at < producer;
        let is_meant = is_fill || at == producer || consumers.contains(&at);
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

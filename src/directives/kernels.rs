//! Kernels that directives make: of a nest, and for some calls alone.

use super::banks::Asked;
use super::names::Refusal;
use crate::ir::{KernelId, Op, OpKind, Path, Program};
use crate::transform::streamline::{Form, Made};
use crate::transform::{outline, streamline};

/// Makes a kernel of the operation at a path.
///
/// Errors: those of [`outline::run`], and a name that is none.
pub fn outlined(
    program: &mut Program,
    asked: &mut Asked,
    (of, path): (KernelId, &Path),
    name: &str,
    mapping: &[u64],
) -> Result<(), Refusal> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty()
        || !name.chars().all(is_word)
        || name.starts_with(|c: char| c.is_ascii_digit())
    {
        return Err((None, format!("'{name}' is no name of a kernel")));
    }
    outline::run(program, of, path, name, mapping)?;
    asked.inserted(of);
    Ok(())
}

/// A kernel, and which of its calls is meant.
type Called<'n> = (&'n str, Option<u64>);

/// Kernels and which of their calls are meant: of each one, or nothing is said.
pub fn called<'n>(kernels: &'n [String], ids: &[u64]) -> Result<Vec<Called<'n>>, Refusal> {
    let names = kernels.iter().map(String::as_str);
    match ids {
        [] => Ok(names.map(|name| (name, None)).collect()),
        ids if ids.len() == kernels.len() => Ok(names.zip(ids.iter().copied().map(Some)).collect()),
        _ => Err((None, "each kernel needs an id".into())),
    }
}

/// Makes streams of the arrays between a call that writes them and calls that read them. Gives what is to be noted.
///
/// Errors: there is no such call, or it is not clear which one is meant, or it is in a loop or branch; those of [`streamline::run`].
pub fn streamlined(
    program: &mut Program,
    asked: &mut Asked,
    caller: &str,
    (producers, consumers): (Vec<Called>, Vec<Called>),
    form: Form,
) -> Result<Vec<String>, Refusal> {
    if form.depth == 0 || producers.is_empty() || consumers.is_empty() {
        let why =
            "somebody writes a stream, which holds at least one element, and somebody reads it";
        return Err((None, why.into()));
    }
    let writers = producers.len();
    let mut places = Vec::new();
    for called in producers.into_iter().chain(consumers) {
        let own = own_kernel(program, asked, caller, called)?;
        places.push(place_of_call(program, caller, &own)?);
    }
    let (writers, readers) = places.split_at(writers);
    let of = named(program, caller)?;
    let Made { windows, inserted } = streamline::run(program, of, (writers, readers), form)?;
    for number in 0..inserted {
        asked.inserted(KernelId::new(of.index() + number));
    }
    let notes = windows.iter().map(|(kernel, array, _)| {
        let kernel = &program.kernels[*kernel];
        let array = &kernel.arrays[*array];
        let (name, elements) = (&kernel.name, array.len());
        format!(
            "'{name}' reads elements again: it gets '{}', a buffer of {elements}",
            array.name
        )
    });
    let mut notes: Vec<String> = notes.collect();
    asked.windows.extend(windows);
    asked.split.retain(|(kernel, array), directive| {
        let is_stream = program.kernels[*kernel].arrays[*array].stream.is_some();
        if is_stream {
            notes.push(format!(
                "a stream has no banks: nothing is left of {directive}"
            ));
        }
        !is_stream
    });
    Ok(notes)
}

/// The name of a kernel that a call has for itself alone: its own, or that of a copy.
fn own_kernel(
    program: &mut Program,
    asked: &mut Asked,
    caller: &str,
    (kernel, id): Called,
) -> Result<String, Refusal> {
    let callees = callees(program, asked, (kernel, caller))?;
    let meant = callees.into_iter().find(|(number, _)| Some(*number) == id);
    if let Some((_, own)) = meant.filter(|(_, own)| calls(program, *own) == 1) {
        // Also a copy that an earlier directive made.
        return Ok(program.kernels[own].name.clone());
    }
    let count = check_call(program, asked, (kernel, caller), id)?;
    if id.is_none() && count > 1 {
        let why =
            format!("'{caller}' calls '{kernel}' {count} times: an id says which is meant, from 0");
        return Err((None, why));
    }
    match calls(program, named(program, kernel)?) {
        1 => Ok(kernel.to_string()),
        _ => instance(program, asked, kernel, caller, id.or(Some(0))),
    }
}

/// Where in the body of a kernel the only call of another one is.
fn place_of_call(program: &Program, caller: &str, kernel: &str) -> Result<usize, Refusal> {
    let (of, callee) = (named(program, caller)?, named(program, kernel)?);
    let mut ops = program.kernels[of].body.ops.iter();
    let is_it = |op: &Op| matches!(&op.kind, OpKind::Call(call) if call.kernel == callee);
    ops.position(is_it).ok_or_else(|| {
        let why =
            format!("'{kernel}' is called in a loop or branch of '{caller}', not at the top level");
        (None, why)
    })
}

/// Gives calls of a kernel in another one a kernel of their own: the `id`-th in the order of the text, from 0, or all that have
/// none yet. Gives its name.
///
/// Errors: there is no such kernel or call, or the call has a kernel of its own already.
pub fn instance(
    program: &mut Program,
    asked: &mut Asked,
    kernel: &str,
    caller: &str,
    id: Option<u64>,
) -> Result<String, Refusal> {
    let (callee, of) = (named(program, kernel)?, named(program, caller)?);
    check_call(program, asked, (kernel, caller), id)?;
    let own = match id {
        Some(id) => format!("{kernel}_{id}"),
        None => format!("{kernel}_of_{caller}"),
    };
    if program.kernels.values().any(|kernel| kernel.name == own) {
        return Err((None, format!("there is a kernel '{own}' already")));
    }
    let mut copy = program.kernels[callee].clone();
    copy.name.clone_from(&own);
    let numbers = numbers(program, asked, kernel, of);
    program.insert(of, copy);
    asked.inserted(of);
    asked.copies.push((own.clone(), kernel.to_string()));
    let mut numbers = numbers.into_iter();
    let body = &mut program.kernels[KernelId::new(of.index() + 1)].body;
    body.for_each_op_mut(&mut |op| {
        if let OpKind::Call(call) = &mut op.kind
            && let Some(number) = numbers.next().flatten()
            && call.kernel == callee
            && id.is_none_or(|id| id == number)
        {
            call.kernel = of;
        }
    });
    Ok(own)
}

/// How many calls of a kernel and its copies there are in another one. Errors: there is no such kernel.
pub fn count_calls(program: &Program, asked: &Asked, called: (&str, &str)) -> Result<u64, Refusal> {
    Ok(callees(program, asked, called)?.len() as u64)
}

/// Makes sure that a kernel calls another one, and in the `id`-th call that one itself, no copy. Gives in how many.
pub fn check_call(
    program: &Program,
    asked: &Asked,
    (kernel, caller): (&str, &str),
    id: Option<u64>,
) -> Result<u64, Refusal> {
    let callee = named(program, kernel)?;
    let callees = callees(program, asked, (kernel, caller))?;
    let count = callees.len();
    let meant = callees
        .into_iter()
        .filter(|(number, _)| id.is_none_or(|id| id == *number));
    let meant: Vec<KernelId> = meant.map(|(_, kernel)| kernel).collect();
    let plain = meant.iter().filter(|kernel| **kernel == callee).count() as u64;
    let why = match (plain, meant.is_empty()) {
        (1.., _) => return Ok(plain),
        (_, false) => "the call has a kernel of its own already".to_string(),
        _ if count > 0 => format!("'{caller}' calls '{kernel}' {count} times, counted from 0"),
        _ => format!("'{caller}' does not call '{kernel}'"),
    };
    Err((None, why))
}

/// The calls of a kernel and its copies in another one: the number of each, and what it calls.
fn callees(
    program: &Program,
    asked: &Asked,
    (kernel, caller): (&str, &str),
) -> Result<Vec<(u64, KernelId)>, Refusal> {
    let of = named(program, caller)?;
    let mut found = Vec::new();
    let mut numbers = numbers(program, asked, kernel, of).into_iter();
    program.kernels[of].body.for_each_op(&mut |op| {
        if let OpKind::Call(call) = &op.kind
            && let Some(number) = numbers.next().flatten()
        {
            found.push((number, call.kernel));
        }
    });
    Ok(found)
}

/// Of each call in a kernel: which one it is of those of a kernel and its copies.
fn numbers(program: &Program, asked: &Asked, kernel: &str, of: KernelId) -> Vec<Option<u64>> {
    let is_copy = |name: &str| {
        asked
            .copies
            .iter()
            .any(|(own, from)| own == name && from == kernel)
    };
    let mut numbers = Vec::new();
    let mut next = 0;
    program.kernels[of].body.for_each_op(&mut |op| {
        let OpKind::Call(call) = &op.kind else { return };
        let name = &program.kernels[call.kernel].name;
        let counts = name == kernel || is_copy(name);
        numbers.push(counts.then_some(next));
        next += u64::from(counts);
    });
    numbers
}

/// How many calls of a kernel there are.
pub fn calls(program: &Program, callee: KernelId) -> u64 {
    let mut count = 0;
    for kernel in program.kernels.values() {
        kernel.body.for_each_op(&mut |op| {
            count += u64::from(matches!(&op.kind, OpKind::Call(call) if call.kernel == callee));
        });
    }
    count
}

pub(super) fn named(program: &Program, name: &str) -> Result<KernelId, Refusal> {
    let mut kernels = program.kernels.iter();
    let found = kernels.find(|(_, kernel)| kernel.name == name);
    match found {
        Some((id, _)) => Ok(id),
        None => {
            let all = program.kernels.values().map(|kernel| kernel.name.as_str());
            let all: Vec<&str> = all.collect();
            let why = format!(
                "there is no kernel '{name}'; the kernels are {}",
                all.join(", ")
            );
            Err((None, why))
        }
    }
}

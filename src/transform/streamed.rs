//! Arrays that are walked once in order, arguments and results, become streams, which what is around the kernel feeds and drains.

use super::fills;
use super::walk::{OUT_OF_ORDER, Walk};
use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics, Span};
use crate::ir::{ArrayId, ArrayKind, Kernel, Param, Scalar};
use std::collections::HashMap;

/// An array that became a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streamed {
    /// Its name.
    pub name: String,
    /// Its extents.
    pub shape: Vec<u64>,
    /// Elements from the first on that each invocation transfers.
    pub count: u64,
    /// Whether it is the only result; then the stream is the last argument.
    pub is_result: bool,
}

/// Which array arguments become streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Streaming {
    /// Those that have to.
    pub asked: Vec<String>,
    /// Of those that nobody asked about, all that can, where that is worth it; `None`: none.
    pub others: Option<Others>,
}

/// What decides about the arrays that nobody asked to be streamed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Others {
    /// They are held on chip, whatever their size.
    pub held: Vec<String>,
    /// The masters behind which they are; `None`: each has signals of its own, and takes all elements of its array.
    pub masters: Option<Masters>,
}

impl Others {
    /// An array that neither fits nor can be streamed.
    fn too_large(&self, kernel: &Kernel, name: &str, kbits: u64) -> Diagnostic {
        let message =
            format!("'{name}' takes more than the {kbits} kbit of memory that the device has");
        let flag = match self.masters {
            Some(_) => format!("--axi-buffer {name}=full"),
            None => format!("--axis-buffer {name}"),
        };
        let help = format!("{flag} has it held on chip all the same");
        let (span, note) = match walked(kernel, name, false) {
            Ok(_) => (kernel.span, None),
            Err(why) => (why.span.unwrap_or(kernel.span), Some(why.message)),
        };
        let found = Diagnostic::error(codes::BLOCK, span, message).help(help);
        match note {
            Some(note) => found.note(note),
            None => found,
        }
    }
}

/// Masters, each of which moves one beat of all its arrays that are read and one of all that are written in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masters {
    /// Bytes of a beat.
    pub beat: u64,
    /// The master of each array that is not on the one that all others are on.
    pub bundles: Vec<(String, String)>,
}

impl Masters {
    fn of(&self, array: &str) -> Option<&str> {
        let mut bundles = self.bundles.iter();
        let found = bundles.find(|(name, _)| name == array);
        found.map(|(_, bundle)| bundle.as_str())
    }

    /// Whether the masters are busy as long as the kernel at least, which moves an element of each stream in a cycle: then
    /// buffers could not be quicker.
    fn bind(&self, walked: &[Walked]) -> bool {
        let mut beats: HashMap<(Option<&str>, bool), u64> = HashMap::new();
        for one in walked {
            let bytes = one.elem.width().div_ceil(8).next_power_of_two();
            let own = one.streamed.count.saturating_mul(bytes.into());
            let half = (self.of(&one.streamed.name), one.walk.writes);
            let all = beats.entry(half).or_default();
            *all = all.saturating_add(own.div_ceil(self.beat));
        }
        let elements = walked.iter().map(|one| one.streamed.count).max();
        beats.values().max().copied() >= elements
    }
}

/// An array that could be a stream.
struct Walked {
    streamed: Streamed,
    elem: Scalar,
    array: ArrayId,
    walk: Walk,
}

impl Streaming {
    /// Whether no array can become one.
    pub fn is_none(&self) -> bool {
        self.asked.is_empty() && self.others.is_none()
    }

    /// Makes streams of array arguments and results. What is not streamed has to be held in `kbits` of memory.
    ///
    /// Errors: one that has to become one cannot, or one does not fit on the device and cannot either; the access that shows why.
    /// A warning where only all of them together do not fit.
    pub fn run(
        &self,
        kernel: &mut Kernel,
        kbits: u64,
        warnings: &mut Diagnostics,
    ) -> Result<Vec<Streamed>, Diagnostic> {
        // What is overwritten before it is read is no second walk.
        fills::run(kernel);
        let mut streamed = Vec::new();
        for name in &self.asked {
            streamed.push(walked(kernel, name, false)?.become_stream(kernel));
        }
        let Some(others) = &self.others else {
            return Ok(streamed);
        };
        let room = kbits.saturating_mul(1000);
        let whole = others.masters.is_none();
        let names: Vec<String> = arguments(kernel).map(|(name, _)| name).collect();
        let names = names.iter().filter(|name| !others.held.contains(name));
        let can: Vec<Walked> = names
            .filter_map(|name| walked(kernel, name, whole).ok())
            .collect();
        let masters = others.masters.as_ref();
        if masters.is_none_or(|masters| masters.bind(&can))
            || bits(kernel, arguments(kernel).map(|(_, array)| array)) > room
        {
            let made = can.into_iter().map(|one| one.become_stream(kernel));
            streamed.extend(made);
        }
        let is_large = |(name, array): &(String, ArrayId)| {
            !others.held.contains(name) && bits(kernel, [*array]) > room
        };
        if let Some((large, _)) = arguments(kernel).find(is_large) {
            return Err(others.too_large(kernel, &large, kbits));
        }
        if bits(kernel, arguments(kernel).map(|(_, array)| array)) > room {
            let message = format!(
                "the arrays that are not streamed take more than the {kbits} kbit of memory that the device has"
            );
            warnings.push(Diagnostic::error(codes::BLOCK, kernel.span, message).as_warning());
        }
        Ok(streamed)
    }
}

/// Array arguments that are no streams, and the result, with the names of their ports.
fn arguments(kernel: &Kernel) -> impl Iterator<Item = (String, ArrayId)> {
    let is_only = kernel.results.len() == 1;
    let arrays = kernel.arrays.iter();
    let arrays = arrays.filter(|(_, array)| array.stream.is_none());
    arrays.filter_map(move |(id, array)| {
        let name = match array.kind {
            ArrayKind::Param(_) => array.name.clone(),
            // With others, their names would depend on what becomes of this one.
            ArrayKind::Result(_) if is_only => "ap_return".into(),
            _ => return None,
        };
        Some((name, id))
    })
}

/// Bits of these together.
fn bits(kernel: &Kernel, arrays: impl IntoIterator<Item = ArrayId>) -> u64 {
    let arrays = arrays.into_iter().map(|id| &kernel.arrays[id]);
    let bits = arrays.map(|array| array.len().saturating_mul(array.elem.width().into()));
    bits.fold(0, u64::saturating_add)
}

/// Elements of the queue that stands for the array where the reference runs the kernel.
const DEPTH: u64 = 2;

/// An array argument of which elements are read, in order, or written, or a result.
///
/// Errors: it is neither, or is not walked in order, or, where the `whole` of it has to be, not to its end; the access that
/// shows it.
fn walked(kernel: &Kernel, name: &str, whole: bool) -> Result<Walked, Diagnostic> {
    let Some((_, id)) = arguments(kernel).find(|(known, _)| known == name) else {
        let message = format!("there is no array argument '{name}' that could be streamed");
        return Err(Diagnostic::error(codes::BLOCK, kernel.span, message));
    };
    let array = &kernel.arrays[id];
    let refused = |(span, why): (Span, &str)| {
        let message = format!("'{name}' is not streamed: {why}");
        let help = format!("--axi-buffer {name}=full holds it on chip as a whole");
        Diagnostic::error(codes::BLOCK, span, message).help(help)
    };
    if !array.partition.is_empty() {
        return Err(refused((kernel.span, "it is split into banks")));
    }
    let Some(walk) = Walk::of(kernel, id).map_err(refused)? else {
        let message = format!("'{name}' is never accessed, so that there is nothing to stream");
        return Err(Diagnostic::error(codes::BLOCK, kernel.span, message));
    };
    if !walk.order.is_row_major() {
        return Err(refused((walk.span, OUT_OF_ORDER)));
    }
    let count = walk.order.count();
    if whole && count != array.len() {
        return Err(refused((walk.span, "not all of it is accessed")));
    }
    Ok(Walked {
        streamed: Streamed {
            name: name.to_string(),
            shape: array.shape.clone(),
            count,
            is_result: matches!(array.kind, ArrayKind::Result(_)),
        },
        elem: array.elem,
        array: id,
        walk,
    })
}

impl Walked {
    fn become_stream(self, kernel: &mut Kernel) -> Streamed {
        self.walk.transfer(kernel, DEPTH);
        if self.streamed.is_result {
            let result = &mut kernel.arrays[self.array];
            result.kind = ArrayKind::Param(kernel.params.len());
            result.name.clone_from(&self.streamed.name);
            kernel.params.push(Param::Array(self.array));
            kernel.results.clear();
        }
        self.streamed
    }
}

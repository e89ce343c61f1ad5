//! Depths that paths of streams need which meet again: where no data decide what is got and put, one run of the
//! reference shows them.

use crate::diagnostics::Span;
use crate::ir::Program;
use crate::ir::analysis::rates;
use crate::sim::elements::{Elements, Invocation};
use crate::sim::network::{Depths, depths_needed, ends};
use crate::sim::reference::Options;
use crate::sim::value::{Signature, Slot, Value};
use crate::transform::network::Network;

/// Operations of the run.
const STEPS: u64 = 250_000;
/// Operations of a longer one that shows whether what the first found is enough.
const MORE_STEPS: u64 = 8_000_000;

/// A stream that is too short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Short {
    /// Its declaration.
    pub span: Span,
    /// Its name.
    pub name: String,
    /// Elements that it holds.
    pub depth: u64,
    /// Elements that it has to hold.
    pub needed: u64,
    /// Whether the network is known to end then.
    pub is_enough: bool,
}

/// The streams of a network that are too short whatever the data are.
pub fn short(network: &Network, program: &Program) -> Vec<Short> {
    let processes = &network.processes;
    if !(may_wait(network) || leaves_elements(network))
        || !processes
            .iter()
            .all(|one| rates::are_constant(one.kernel()))
    {
        return Vec::new();
    }
    let signature = Signature::with(program, Some(network));
    let zero = |slot: &Slot| Elements::same(slot.ty, slot.len(), Value::of_pattern(slot.ty, &[]));
    let invocation = Invocation::of(signature.params.iter().map(zero).collect());
    let within = |step_limit| Options {
        step_limit,
        ..Options::default()
    };
    let (few, many) = (within(STEPS), within(MORE_STEPS));
    let mut needed = depths_needed(network, &signature, &invocation, &few);
    if needed.is_empty() {
        return Vec::new();
    }
    let known = |depths: &Depths| ends(network, &signature, &invocation, &many, depths);
    let mut ended = known(&needed);
    if ended == Some(false) {
        needed = depths_needed(network, &signature, &invocation, &many);
        ended = known(&needed);
    }
    let arrays = &network.kernel.arrays;
    let short = needed.into_iter().map(|(id, needed)| Short {
        span: arrays[id].span,
        name: arrays[id].name.clone(),
        depth: arrays[id].stream.as_ref().map_or(0, |stream| stream.depth),
        needed,
        is_enough: ended == Some(true),
    });
    short.collect()
}

/// Makes the streams longer that are too short.
pub fn lengthen(program: &mut Program, short: &[Short]) {
    for kernel in program.kernels.values_mut() {
        for array in kernel.arrays.values_mut() {
            let (name, span) = (&array.name, array.span);
            // Copies of a callee's streams have its name before their own.
            let of = short
                .iter()
                .filter(|one| one.span == span && one.name.ends_with(name.as_str()));
            let most = of.map(|one| one.needed).max();
            if let (Some(stream), Some(needed)) = (&mut array.stream, most) {
                stream.depth = stream.depth.max(needed);
            }
        }
    }
}

/// Whether a process may put more elements than another one gets: it waits for room then when that one has ended.
fn leaves_elements(network: &Network) -> bool {
    let Some(moved) = network.moved() else {
        return true;
    };
    let of = |process: usize, id| moved[process].get(id).copied().unwrap_or_default();
    network.users().iter().any(|(id, users)| {
        let put = users.producer.map_or(0, |process| of(process, id).put);
        users.consumers.iter().any(|&one| of(one, id).got < put)
    })
}

/// Whether there are two ways from one process to another, by streams or because one starts after the other.
fn may_wait(network: &Network) -> bool {
    let mut group: Vec<usize> = (0..network.processes.len()).collect();
    let streams = network.users().into_values();
    let streams = streams.flat_map(|users| {
        let producer = users.producer.into_iter();
        producer.flat_map(move |one| {
            users
                .consumers
                .clone()
                .into_iter()
                .map(move |other| (one, other))
        })
    });
    let order = network.processes.iter().enumerate();
    let order =
        order.flat_map(|(one, process)| process.after.iter().map(move |&other| (one, other)));
    for (one, other) in streams.chain(order) {
        let (mine, own) = (group[one], group[other]);
        if mine == own {
            return true;
        }
        group
            .iter_mut()
            .filter(|number| **number == own)
            .for_each(|number| *number = mine);
    }
    false
}

//! Small memories that are read without a clock: where an iteration waits for an element that an earlier one decides, the load
//! takes a part of a cycle and not a whole one. Lookup tables can be such memory, registers too.

use super::bound::Bound;
use super::device::Device;
use super::{LeafSchedule, Schedule, budget, forecast, schedule, schedule_leaf};
use crate::diagnostics::Diagnostics;
use crate::hwarith::graph::MemId;
use crate::ir::{MOST_PORTS, MemoryKind};
use crate::machine::program::{Mem, Place, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Words of such a memory: as many as two levels of lookup tables give.
const WORDS: u64 = 64;

/// Loads of one, each of which has the memory once more.
const LOADS: u32 = 4;

/// Memories that are tried.
const TRIED: usize = 4;

/// Has memories be read without a clock where the program then takes fewer cycles: all that may matter together, then, unless it is
/// for a forecast, each of them with a clock again that does not. `warnings` are those of the schedule that is found.
pub fn improve(
    program: &mut Program,
    found: &mut Schedule,
    device: &Device,
    is_forecast: bool,
    warnings: &mut Diagnostics,
) {
    let mems = candidates(program, found, device);
    if mems.is_empty() {
        return;
    }
    let as_they_were: Vec<Mem> = mems
        .iter()
        .map(|(mem, _)| program.mems[*mem].clone())
        .collect();
    for &(mem, loads) in &mems {
        program.mems[mem].is_asynchronous = true;
        program.mems[mem].ports = loads;
    }
    let fewer = forecast::cycles(program, found).saturating_sub(1);
    if !is_promising(program, found, device) || !take(program, found, fewer, device, warnings) {
        for (&(mem, _), before) in mems.iter().zip(as_they_were) {
            program.mems[mem] = before;
        }
        return;
    }
    // One is needed, or all are as good as needed.
    if is_forecast || mems.len() == 1 {
        return number_ports(program, found);
    }
    for (&(mem, _), before) in mems.iter().zip(as_they_were) {
        let without = std::mem::replace(&mut program.mems[mem], before);
        let least = forecast::cycles(program, found);
        if !take(program, found, least, device, warnings) {
            program.mems[mem] = without;
        }
    }
    number_ports(program, found);
}

/// Whether a loop that a recurrence binds would start iterations more often, other loops left aside.
fn is_promising(program: &Program, found: &Schedule, device: &Device) -> bool {
    let clock = (device, budget(device, found.period));
    found.leaves.iter().any(|(leaf, times)| {
        let mut accesses = program.leaves[leaf].accesses.iter();
        let concerns = accesses.any(|access| program.mems[access.mem].is_asynchronous);
        if !concerns || !is_bound(times) {
            return false;
        }
        let widths = times.times.width.clone();
        let other = schedule_leaf(program, leaf, widths, clock, &found.units);
        other.is_ok_and(|(other, _)| other.ii < times.ii)
    })
}

fn is_bound(times: &LeafSchedule) -> bool {
    matches!(times.bound_by, Bound::Recurrence(_) | Bound::Control)
}

/// Schedules once more, and takes that, with what there is to say about it, if it has at most so many cycles.
fn take(
    program: &Program,
    found: &mut Schedule,
    most: u64,
    device: &Device,
    warnings: &mut Diagnostics,
) -> bool {
    let mut said = Diagnostics::default();
    let Ok(mut other) = schedule(program, device, found.period, &mut said) else {
        return false;
    };
    let visits = found.visits + other.visits;
    let is_taken = forecast::cycles(program, &other) <= most;
    if is_taken {
        std::mem::swap(found, &mut other);
        *warnings = said;
    }
    found.visits = visits;
    is_taken
}

/// Memories that a loop loads from while a recurrence binds its interval, with the number of their loads.
fn candidates(program: &Program, found: &Schedule, device: &Device) -> Vec<(MemId, u32)> {
    if !device.memory.lut_ram {
        return Vec::new();
    }
    let mut loads: BTreeMap<MemId, u32> = BTreeMap::new();
    let mut bound = BTreeSet::new();
    for (leaf, times) in program.leaves.values().zip(found.leaves.values()) {
        let is_bound = is_bound(times);
        for access in leaf.accesses.iter().filter(|access| !access.is_store) {
            *loads.entry(access.mem).or_default() += 1;
            if is_bound {
                bound.insert(access.mem);
            }
        }
    }
    let fits = |mem: &MemId| {
        let about = &program.mems[*mem];
        let is_small = about.kind == MemoryKind::Distributed && about.depth <= WORDS;
        // Whoever says how many ports it has means such with a clock.
        let is_free = matches!(about.place, Place::Local) && about.ports == MOST_PORTS;
        is_small && is_free && loads[mem] <= LOADS
    };
    let found = bound.into_iter().filter(fits).take(TRIED);
    found.map(|mem| (mem, loads[&mem])).collect()
}

/// Gives each load of such a memory a port of its own: with a choice in front of the address, what a load gives could seem to
/// depend on itself.
fn number_ports(program: &Program, found: &mut Schedule) {
    let mut next: BTreeMap<MemId, u32> = BTreeMap::new();
    for (leaf, times) in program.leaves.values().zip(found.leaves.values_mut()) {
        for (access, port) in leaf.accesses.iter().zip(&mut times.ports) {
            if program.mems[access.mem].is_asynchronous && !access.is_store {
                let free = next.entry(access.mem).or_default();
                *port = *free;
                *free += 1;
            }
        }
    }
}

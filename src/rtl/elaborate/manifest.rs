//! Fills in the manifest of a built module: ports, latency, loops.

use super::cells::Cells;
use crate::arena::Table;
use crate::diagnostics::SourceMap;
use crate::hwarith::graph::{MemId, VarId};
use crate::ir::{Array, Packed, Partition, Scalar, TileTag};
use crate::machine::program::{LoopDim, PortArray, PortRef, Program, Region, Side};
use crate::rtl::interface::manifest::{
    Access, Bank, Flow, Latency, Loop, Manifest, MemoryPort, Port, PortKind, StreamPorts,
};
use crate::rtl::netlist::NetId;
use crate::schedule::{Schedule, forecast, walk};
use std::collections::{BTreeMap, HashMap};

/// Ports of a module.
pub struct Ports<'a> {
    /// Of scalars.
    pub scalars: &'a HashMap<VarId, NetId>,
    /// Of arrays, by memory.
    pub arrays: &'a Table<MemId, Vec<MemoryPort>>,
    /// Of streams, by the memory that stands for the data.
    pub streams: &'a BTreeMap<MemId, StreamPorts>,
}

/// The manifest of a module with these ports.
pub fn manifest(
    program: &Program,
    schedule: &Schedule,
    sources: &SourceMap,
    cells: &Cells,
    all: &Ports,
) -> Manifest {
    let Ports {
        scalars,
        arrays,
        streams,
    } = all;
    let name = |net: NetId| cells.name(net).to_string();
    let port = |port: &PortRef, is_result: bool| match port {
        PortRef::Scalar { name: n, ty, var } => Port {
            name: (!is_result).then(|| n.clone()),
            kind: PortKind::Scalar {
                ty: ty.to_string(),
                width: ty.width(),
                port: name(scalars[var]),
            },
        },
        PortRef::Array(one) => array(program, one, arrays),
        PortRef::Stream(stream) => {
            let ports = streams
                .get(&stream.side(Side::Data))
                .cloned()
                .unwrap_or_default();
            let direction = match ports.din {
                Some(_) => Flow::Out,
                None => Flow::In,
            };
            let packed = stream.packed.as_ref();
            stream_port(&stream.name, stream.elem, packed, (direction, ports))
        }
    };
    let mut loops = Vec::new();
    collect_loops(program, schedule, sources, &program.root, &mut loops);
    let latency = forecast::exact_cycles(program, schedule);
    let latency = latency.or_else(|| walk::latency(program, schedule));
    let total = latency.map(|cycles| forecast::until_done(program, cycles));
    Manifest {
        args: program.args.iter().map(|p| port(p, false)).collect(),
        returns: program.returns.iter().map(|p| port(p, true)).collect(),
        latency: Latency {
            min: total,
            max: total,
        },
        loops,
        ..Manifest::of(&program.name, &cells.module.name)
    }
}

fn array(program: &Program, array: &PortArray, ports: &Table<MemId, Vec<MemoryPort>>) -> Port {
    // A bank that is never accessed has no ports.
    let banks = (0..).zip(&array.banks);
    let banks = banks.filter(|&(_, &mem)| !ports[mem].is_empty());
    let banks: Vec<Bank> = banks
        .map(|(bank, &mem)| Bank {
            bank,
            depth: program.mems[mem].depth,
            ports: ports[mem].clone(),
        })
        .collect();
    let shape = (&array.shape[..], &array.partition[..]);
    memory_port((&array.name, array.elem, array.tile), shape, banks)
}

/// The entry of a stream of transfers of a type, which are blocks if they are `packed`.
pub(super) fn stream_port(
    name: &str,
    transfer: Scalar,
    packed: Option<&Packed>,
    (direction, ports): (Flow, StreamPorts),
) -> Port {
    Port {
        name: Some(name.to_string()),
        kind: PortKind::Stream {
            ty: packed.map_or(transfer, |packed| packed.elem).to_string(),
            width: transfer.width(),
            shape: packed.map_or_else(Vec::new, |packed| packed.shape.clone()),
            direction,
            ports,
        },
    }
}

/// The entry of an array that a network shares.
pub(super) fn array_port(array: &Array, banks: Vec<Bank>) -> Port {
    let shape = (&array.shape[..], &array.partition[..]);
    memory_port((&array.name, array.elem, array.tags.tile), shape, banks)
}

/// The entry of an array: its shape, how it is split, and the banks that have ports.
fn memory_port(
    (name, elem, tile): (&str, Scalar, Option<TileTag>),
    (shape, partition): (&[u64], &[Partition]),
    banks: Vec<Bank>,
) -> Port {
    let any = |is_used: fn(&MemoryPort) -> bool| {
        let mut ports = banks.iter().flat_map(|bank| &bank.ports);
        ports.any(is_used)
    };
    Port {
        name: Some(name.to_string()),
        kind: PortKind::Array {
            ty: elem.to_string(),
            width: elem.width(),
            shape: shape.to_vec(),
            tile: tile.map(Into::into),
            access: match (any(|port| port.q.is_some()), any(|port| port.we.is_some())) {
                (true, true) => Access::ReadWrite,
                (true, false) => Access::Read,
                (false, true) => Access::Write,
                (false, false) => Access::None,
            },
            latency: 1,
            partition: (!partition.is_empty()).then(|| partition.to_vec()),
            banks,
        },
    }
}

fn collect_loops(
    program: &Program,
    schedule: &Schedule,
    sources: &SourceMap,
    region: &Region,
    loops: &mut Vec<Loop>,
) {
    let entry = |dim: &LoopDim| Loop {
        name: dim.label.clone(),
        line: sources.line_of(dim.span),
        trip: [dim.trip, dim.trip],
        ii: None,
        depth: None,
        bound_by: None,
    };
    match region {
        Region::Leaf(index) => {
            let times = &schedule.leaves[*index];
            let Some(repeat) = &program.leaves[*index].repeat else {
                return;
            };
            let mut weight = Some(times.ii.map_or(1, u64::from));
            let mut flattened = Vec::new();
            for dim in repeat.written().iter().rev() {
                flattened.push(Loop {
                    ii: weight,
                    depth: Some(u64::from(times.depth)),
                    bound_by: Some(times.bound_by.to_string()),
                    ..entry(dim)
                });
                weight = weight.zip(dim.trip).and_then(|(w, t)| w.checked_mul(t));
            }
            loops.extend(flattened.into_iter().rev());
        }
        Region::Seq(parts) => parts
            .iter()
            .for_each(|p| collect_loops(program, schedule, sources, p, loops)),
        Region::If {
            then, otherwise, ..
        } => {
            collect_loops(program, schedule, sources, then, loops);
            collect_loops(program, schedule, sources, otherwise, loops);
        }
        Region::Repeat {
            head, body, dim, ..
        } => {
            loops.push(entry(dim));
            collect_loops(program, schedule, sources, head, loops);
            collect_loops(program, schedule, sources, body, loops);
        }
    }
}

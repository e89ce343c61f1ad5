//! Builds the netlist of a scheduled program: operator modules, then the top module.
//!
//! Every leaf has a chain of valid bits, one for each of its cycles; everything that has an effect (a store, a
//! register of a var) is enabled by the bit of its cycle. A region starts with a pulse and answers with a pulse in its
//! last cycle; the next region starts in the cycle after. In a pipelined loop the first valid bit is set again
//! each II cycles until an iteration says that it is the last.

pub mod cells;
pub mod circuit;
mod control;
pub mod datapath;
pub mod fifo;
mod manifest;
pub mod network;
mod operators;
mod overlap;
mod ports;
mod state;
mod transfers;
pub mod units;

use super::interface::manifest::{CLOCK, Control, Manifest, Reset, StreamPorts};
use super::namer::Namer;
use super::netlist::*;
use crate::arena::Table;
use crate::diagnostics::SourceMap;
use crate::hwarith::graph::{MemId, Op, UnitId, VarId};
use crate::machine::program::{PortRef, Program, Region, Unit};
use crate::schedule::{Schedule, Variant};
use cells::Cells;
use std::collections::{BTreeMap, HashMap};
use transfers::Room;

/// The module of one operator.
pub fn build_operator(unit: &Unit, variant: &Variant) -> Design {
    let mut design = Design::default();
    let module = units::build(&unit.name, unit, variant, &SourceMap::default());
    design.modules.push(module);
    design
}

/// The netlist and the manifest of a scheduled program.
pub fn build(program: &Program, schedule: &Schedule, sources: &SourceMap) -> (Design, Manifest) {
    let mut design = Design::default();
    let manifest = add(program, schedule, sources, &Room::default(), &mut design);
    (design, manifest)
}

/// Adds the modules of a scheduled program to a design; `room`: of the streams that it puts into.
pub fn add(
    program: &Program,
    schedule: &Schedule,
    sources: &SourceMap,
    room: &Room,
    design: &mut Design,
) -> Manifest {
    let units = build_units(program, schedule, sources, design);
    let mut top = Top::new(program, schedule, sources, design, &units);
    top.build(room);
    let Top {
        cells,
        scalars,
        array_ports,
        stream_ports,
        ..
    } = top;
    let manifest = manifest::manifest(
        program,
        schedule,
        sources,
        &cells,
        &manifest::Ports {
            scalars: &scalars,
            arrays: &array_ports,
            streams: &stream_ports,
        },
    );
    design.modules.push(cells.module);
    manifest
}

/// The module of each operator in each variant that a leaf calls.
type Units = BTreeMap<(UnitId, u32), ModuleId>;

fn build_units(
    program: &Program,
    schedule: &Schedule,
    sources: &SourceMap,
    design: &mut Design,
) -> Units {
    let mut modules = Units::new();
    let mut namer = Namer::new();
    for module in design.modules.values() {
        namer.take(&module.name);
    }
    for unit in program.units.values() {
        if let Some(foreign) = &unit.foreign {
            namer.take(&foreign.module);
        }
    }
    for (called, variant) in schedule.variants(program) {
        let unit = &program.units[called.0];
        let name = namer.suffixed(&format!("{}{}", unit.name, variant.kind()));
        let module = units::build(&name, unit, variant, sources);
        modules.insert(called, design.modules.push(module));
    }
    modules
}

/// Ports of the block protocol.
struct BlockPorts {
    clock: NetId,
    reset: NetId,
    start: NetId,
    done: NetId,
    idle: NetId,
    ready: NetId,
    /// An invocation runs.
    busy: NetId,
}

impl BlockPorts {
    /// Declares them, the clock and the reset, as the manifest has them.
    fn declare(cells: &mut Cells) -> BlockPorts {
        let (control, reset) = (Control::default(), Reset::default());
        let clock = cells.port(Direction::Input, CLOCK, 1);
        let reset = cells.port(Direction::Input, &reset.port, 1);
        cells.module.clock = Some(clock);
        cells.module.reset = Some(reset);
        BlockPorts {
            clock,
            reset,
            start: cells.port(Direction::Input, &control.start, 1),
            done: cells.port(Direction::Output, &control.done, 1),
            idle: cells.port(Direction::Output, &control.idle, 1),
            ready: cells.port(Direction::Output, &control.ready, 1),
            busy: cells.net("busy", 1),
        }
    }
}

/// The top module under construction.
struct Top<'a> {
    program: &'a Program,
    schedule: &'a Schedule,
    sources: &'a SourceMap,
    design: &'a Design,
    units: &'a Units,
    cells: Cells,
    ports: BlockPorts,
    /// Ports of scalar arguments and results.
    scalars: HashMap<VarId, NetId>,
    /// Nets of vars, as wide as any reader needs.
    vars: Table<VarId, NetId>,
    /// Guarded values that a var takes.
    writers: HashMap<VarId, Vec<(Operand, Operand)>>,
    memories: Table<MemId, ports::MemoryUse>,
    array_ports: Table<MemId, Vec<super::interface::manifest::MemoryPort>>,
    /// Results of operators that calls share.
    results: operators::Results,
    /// Calls of them.
    calls: Vec<operators::CallUse>,
    transfers: transfers::Transfers,
    /// By the memory that stands for the data.
    stream_ports: BTreeMap<MemId, StreamPorts>,
    /// Of a block whose invocations overlap, see [`overlap`].
    overlap: Option<overlap::Overlap>,
}

impl<'a> Top<'a> {
    fn new(
        program: &'a Program,
        schedule: &'a Schedule,
        sources: &'a SourceMap,
        design: &'a Design,
        units: &'a Units,
    ) -> Self {
        let mut modules = Namer::new();
        for module in design.modules.iter() {
            modules.take(&module.1.name);
        }
        let mut cells = Cells::new(&modules.suffixed(&program.name));
        for module in design.modules.iter() {
            // Not shadowed by a net of the same name.
            cells.namer.take(&module.1.name);
        }
        cells.module.comments = vec![format!(
            "{} ({})",
            program.name,
            sources.location(program.span)
        )];
        let ports = BlockPorts::declare(&mut cells);
        Top {
            program,
            schedule,
            sources,
            design,
            units,
            cells,
            ports,
            scalars: HashMap::new(),
            vars: Table::new(),
            writers: HashMap::new(),
            memories: Table::new(),
            array_ports: Table::new(),
            results: operators::Results::new(),
            calls: Vec::new(),
            transfers: transfers::Transfers::default(),
            stream_ports: BTreeMap::new(),
            overlap: overlap::Overlap::of(program, schedule),
        }
    }

    fn build(&mut self, room: &Room) {
        self.declare_ports();
        self.declare_streams(room);
        self.declare_vars();
        self.declare_memory_outputs();
        self.declare_operator_results();
        let loads = self.load_state();
        let (start, free) = match self.overlap {
            Some(_) => self.overlapping_start(),
            None => self.block_start(loads),
        };
        let root = &self.program.root;
        let released = self.root(root, start.clone());
        // Until the last pipelines are empty.
        let mut pulses = vec![released];
        for cycle in 0..self.schedule.drain as usize {
            let pulse = pulses[cycle].clone();
            pulses.push(self.delay(pulse, "drain"));
        }
        self.drive_operators();
        self.drive_vars();
        self.drive_streams((!room.lasts).then_some(&start));
        self.drive_memories();
        let done = self.drive_done(pulses[pulses.len() - 1].clone());
        match self.overlap.take() {
            Some(overlap) => self.overlapping_end(&overlap, free),
            None => self.block_end((start, free), &pulses, done),
        }
    }

    /// Scalar ports in order of the kernel's parameters, then of its results; array ports follow with the memories.
    fn declare_ports(&mut self) {
        for (list, direction) in [
            (&self.program.args, Direction::Input),
            (&self.program.returns, Direction::Output),
        ] {
            for port in list {
                if let PortRef::Scalar { name, ty, var } = port {
                    let net = self.cells.port(direction, name, ty.width());
                    self.scalars.insert(*var, net);
                }
            }
        }
        self.declare_array_ports();
    }

    fn declare_vars(&mut self) {
        let widths = self.var_widths();
        for (id, var) in self.program.vars.iter() {
            let net = match self.scalars.get(&id) {
                Some(&port) if var.is_arg => port,
                _ => self
                    .cells
                    .net(&format!("{}_r", var.name), widths[id].max(1)),
            };
            self.vars.push(net);
        }
    }

    /// Low bits of each var that anything reads.
    fn var_widths(&self) -> Table<VarId, u32> {
        let mut widths: Table<VarId, u32> = self.program.vars.values().map(|_| 1).collect();
        let leaves = self.program.leaves.values();
        for (leaf, times) in leaves.zip(self.schedule.leaves.values()) {
            let phis = leaf.phis();
            let phis = phis.map(|phi| (phi.node, phi.var));
            let reads = leaf.graph.nodes.iter().filter_map(|(id, n)| match n.op {
                Op::Var(var) => Some((id, var)),
                _ => None,
            });
            for (node, var) in reads.chain(phis) {
                let width = &mut widths[var];
                *width = (*width).max(times.times.width[node.index()]);
            }
        }
        for port in &self.program.returns {
            if let PortRef::Scalar { ty, var, .. } = port {
                widths[*var] = ty.width();
            }
        }
        widths
    }

    fn drive_vars(&mut self) {
        self.cells.comment("scalars between regions");
        for (id, var) in self.program.vars.iter() {
            let Some(writers) = self.writers.remove(&id) else {
                self.drive_unwritten(id);
                continue;
            };
            let guards: Vec<Operand> = writers.iter().map(|w| w.0.clone()).collect();
            let enable = self.cells.any(&guards, &format!("{}_en", var.name));
            let next = self.cells.select(&writers, &format!("{}_next", var.name));
            let Some(next) = next else { continue };
            let enable = self.cells.as_net(enable, "enable");
            self.cells
                .drive_register(self.vars[id], next, Some(enable), None, None);
        }
        for var in self.program.scalar_results() {
            let value = Operand::Net(self.vars[var]);
            self.cells.drive(self.scalars[&var], Expr::Copy(value));
        }
    }

    /// A register that nothing writes (a carried value that nothing reads) is no register.
    fn drive_unwritten(&mut self, var: VarId) {
        if !self.program.vars[var].is_arg {
            let net = self.vars[var];
            let width = self.cells.module.nets[net].width;
            let zero = datapath::constant(&0.into(), width);
            self.cells.drive(net, Expr::Copy(zero));
        }
    }

    /// The pulse that starts the kernel, which waits while state `loads`, and where it may start; `busy` is driven in `block_end`.
    fn block_start(&mut self, loads: Operand) -> (Operand, Operand) {
        let busy = Operand::Net(self.ports.busy);
        let occupied = self.cells.gate(BinaryOp::Or, busy, loads, "occupied");
        let free = self.cells.invert(occupied, "free");
        let start = self.cells.gate(
            BinaryOp::And,
            Operand::Net(self.ports.start),
            free.clone(),
            "start",
        );
        (start, free)
    }

    /// Drives `ap_done`. A scalar result is in its register one cycle after it was computed.
    fn drive_done(&mut self, done: Operand) -> Operand {
        let done = match self.program.scalar_results().next() {
            Some(_) => Operand::Net(self.cells.register("done_r", 1, done, None, Some(0), None)),
            None => done,
        };
        self.cells.drive(self.ports.done, Expr::Copy(done.clone()));
        done
    }

    /// What comes with the end of an invocation, or before, where the next one may begin earlier. `pulses`: the last release, and the
    /// cycles from there on in which the last pipelines become empty.
    fn block_end(&mut self, (start, free): (Operand, Operand), pulses: &[Operand], done: Operand) {
        let (ready, idle) = match self.schedule.restart {
            None => (done, free),
            Some(restart) => {
                let restart = restart as usize;
                self.cells.comment(
                    "The next invocation may begin while the last pipelines become empty.",
                );
                let behind = pulses[restart + 1..].iter().filter(|pulse| **pulse != done);
                let behind: Vec<Operand> = behind.cloned().collect();
                let ending = self.cells.any(&behind, "ending");
                let ended = self.cells.invert(ending, "ended");
                let idle = self.cells.gate(BinaryOp::And, free, ended, "idle");
                (pulses[restart].clone(), idle)
            }
        };
        self.cells.drive(self.ports.idle, Expr::Copy(idle));
        self.cells
            .drive(self.ports.ready, Expr::Copy(ready.clone()));
        let busy = self.ports.busy;
        let active = self
            .cells
            .gate(BinaryOp::Or, Operand::Net(busy), start, "active");
        let going = self.cells.invert(ready, "not_ready");
        let next = self.cells.gate(BinaryOp::And, active, going, "busy_next");
        self.cells.drive_register(busy, next, None, Some(0), None);
    }
}

/// Whether a region does nothing.
fn is_empty(region: &Region) -> bool {
    matches!(region, Region::Seq(parts) if parts.iter().all(is_empty))
}

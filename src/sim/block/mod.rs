//! Simulation of a whole block: its control slave is driven, its masters have memories, its streams sources and
//! sinks, with latency and pauses; what it does at its pins is checked.

mod bench;
mod channel;
mod driver;
mod memory;
mod pins;
mod slave;
mod stream;
pub(super) mod verilated;

pub use bench::Bench;
pub use pins::{InProcess, Pins, Socket, ports};
pub use verilated::Verilated;

use crate::rtl::interface::block::BlockManifest;
use crate::rtl::interface::manifest::{Latency, Manifest};
use crate::rtl::netlist::Design;
use crate::sim::engine::Result;
use crate::sim::model::{Engine, Run, RunResult, SimOptions};

/// A block as an engine: an invocation is what a driver of it does.
pub struct BlockEngine<S> {
    socket: S,
    design: Design,
    manifest: BlockManifest,
}

impl<S: Socket> BlockEngine<S> {
    /// The design has the block as its top module; the socket simulates it.
    pub fn new(socket: S, design: &Design, manifest: &BlockManifest) -> BlockEngine<S> {
        BlockEngine {
            socket,
            design: design.clone(),
            manifest: manifest.clone(),
        }
    }

    /// A simulation after a reset.
    pub fn bench(&self, options: &SimOptions) -> Result<Bench<'_>> {
        let pins = self.socket.begin(options)?;
        let mut bench = Bench::new(pins, &self.design, &self.manifest, options.seed)?;
        bench.reset()?;
        Ok(bench)
    }
}

impl<S: Socket> Engine for BlockEngine<S> {
    fn run(&self, runs: &[Run], options: &SimOptions) -> Result<Vec<RunResult>> {
        let mut bench = self.bench(options)?;
        let mut results = Vec::new();
        for run in runs {
            let result = bench.run(run)?;
            let is_over = result.timed_out || !result.violations.is_empty();
            results.push(result);
            if is_over {
                break;
            }
        }
        bench.pins.finish()?;
        Ok(results)
    }
}

/// The core's manifest without its promises of cycles, which a block has not.
pub fn timeless(manifest: &Manifest) -> Manifest {
    Manifest {
        latency: Latency {
            min: None,
            max: None,
        },
        ..manifest.clone()
    }
}

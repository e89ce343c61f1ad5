//! The pins of a module in simulation, whatever simulates it.

use crate::rtl::netlist::{Design, Direction};
use crate::sim::engine::{EngineError, Result};
use crate::sim::model::{SimOptions, Unknown};
use crate::sim::rtl::{Signal, Simulator};
use crate::sim::waveform::{Names, Recorder};
use std::collections::HashMap;

/// A port, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Position among the ports of the module.
    pub number: usize,
    /// Bits.
    pub width: u32,
}

/// A module with one clock. A cycle is: inputs are driven, all settles, outputs are read, the clock rises.
pub trait Pins {
    /// Drives an input; words of 64 bits, the lowest first.
    fn drive(&mut self, pin: Pin, words: &[u64]);
    /// Has outputs follow inputs.
    fn settle(&mut self) -> Result<()>;
    /// Reads an output that has settled.
    fn read(&mut self, pin: Pin) -> Vec<u64>;
    /// A rising edge of the clock.
    fn edge(&mut self) -> Result<()>;
    /// Completes the waveform, if there is one.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A module of which simulations can be begun.
pub trait Socket: Sync {
    /// A simulation in its unknown first state.
    ///
    /// Errors: a waveform is asked for that it cannot write.
    fn begin(&self, options: &SimOptions) -> Result<Box<dyn Pins + '_>>;
}

/// Name, bits and direction of a port.
pub type PortOf = (String, u32, Direction);

/// The ports of the top module but the clock, in order and by name.
pub fn ports(design: &Design) -> (Vec<PortOf>, HashMap<String, Pin>) {
    let mut list = Vec::new();
    if let Some(top) = design.top() {
        let module = &design.modules[top];
        for port in module
            .ports
            .iter()
            .filter(|port| Some(port.net) != module.clock)
        {
            let net = &module.nets[port.net];
            list.push((net.name.clone(), net.width, port.direction));
        }
    }
    let named = list.iter().enumerate().map(|(number, (name, width, _))| {
        let pin = Pin {
            number,
            width: *width,
        };
        (name.clone(), pin)
    });
    let named = named.collect();
    (list, named)
}

/// The netlist itself.
pub struct InProcess {
    simulator: Simulator,
    signals: Vec<Signal>,
    names: Names,
}

impl InProcess {
    /// Compiles the top module of a valid design.
    pub fn new(design: &Design) -> Result<InProcess> {
        let top = design
            .top()
            .ok_or_else(|| EngineError::Netlist("no module".into()))?;
        let simulator = Simulator::new(design, top, 0).map_err(EngineError::Netlist)?;
        let (list, _) = ports(design);
        let signals = list.iter().map(|(name, _, _)| {
            let missing = || EngineError::Netlist(format!("there is no port '{name}'"));
            simulator.signal(name).ok_or_else(missing)
        });
        let signals = signals.collect::<Result<Vec<_>>>()?;
        Ok(InProcess {
            simulator,
            signals,
            names: Names::of(design),
        })
    }
}

impl Socket for InProcess {
    fn begin(&self, options: &SimOptions) -> Result<Box<dyn Pins + '_>> {
        let mut simulator = self.simulator.clone();
        match options.unknown {
            Unknown::Random => simulator.restart(options.seed),
            Unknown::Zero => simulator.restart_cleared(),
        }
        let recorder = options.waveform.as_ref();
        let recorder = recorder.map(|path| Recorder::new(path, &simulator, &self.names));
        Ok(Box::new(Running {
            recorder: recorder.transpose().map_err(EngineError::Io)?,
            simulator,
            signals: &self.signals,
        }))
    }
}

struct Running<'a> {
    simulator: Simulator,
    signals: &'a [Signal],
    recorder: Option<Recorder>,
}

impl Pins for Running<'_> {
    fn drive(&mut self, pin: Pin, words: &[u64]) {
        self.simulator.set_words(self.signals[pin.number], words);
    }
    fn settle(&mut self) -> Result<()> {
        Ok(())
    }
    fn read(&mut self, pin: Pin) -> Vec<u64> {
        self.simulator.words(self.signals[pin.number]).to_vec()
    }
    fn edge(&mut self) -> Result<()> {
        if let Some(recorder) = &mut self.recorder {
            recorder.sample(&mut self.simulator);
        }
        self.simulator.step();
        Ok(())
    }
    fn finish(&mut self) -> Result<()> {
        let recorder = self.recorder.take();
        recorder.map_or(Ok(()), |recorder| {
            recorder.finish().map_err(EngineError::Io)
        })
    }
}

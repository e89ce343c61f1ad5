//! What becomes of each parameter and result: registers with their offsets, buffers, masters, streams.

use super::master::Between;
use super::stages::Stage;
use crate::rtl::interface::block::Outstanding;
use crate::rtl::interface::manifest::{
    Access, Flow, Manifest, MemoryPort, Port, PortKind, StreamPorts,
};
use crate::transform::streamed::Streamed;
use crate::transform::written::Before;
use std::collections::{BTreeMap, BTreeSet};

/// Where the registers of results and arguments begin.
pub const FIRST_OFFSET: u32 = 0x10;

/// The widest control slave, in bits of its addresses.
const MOST_ADDRESS_WIDTH: u32 = 24;

/// Which signals the elements of arrays come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// AXI4 masters.
    Axi,
    /// AXI4-Streams.
    Axis,
}

/// What is asked of a block.
#[derive(Clone, Debug)]
pub struct Options {
    /// How arrays are reached.
    pub interface: Interface,
    /// Bits of a beat of a master: a power of two from 32 to 1,024.
    pub width: u32,
    /// Bursts under way at most, at least 1.
    pub outstanding: Outstanding,
    /// The master of each array that is not on the default one.
    pub bundles: Vec<(String, String)>,
    /// Arrays behind the control slave.
    pub local: Vec<String>,
    /// Arrays that are to be held on chip as a whole, which all are.
    pub buffered: Vec<String>,
    /// Arrays that are streams of the module inside.
    pub streamed: Vec<Streamed>,
    /// What is known of what arrays held before, by name.
    pub before: BTreeMap<String, Before>,
    /// Whether there is a control slave.
    pub control: bool,
    /// Whether lookup tables of the device may be memory.
    pub lut_ram: bool,
}

/// The master of arrays of which nothing else is said.
pub const DEFAULT_BUNDLE: &str = "gmem";

impl Default for Options {
    fn default() -> Options {
        Options {
            interface: Interface::Axi,
            width: 64,
            outstanding: Outstanding { read: 8, write: 8 },
            bundles: Vec::new(),
            local: Vec::new(),
            buffered: Vec::new(),
            streamed: Vec::new(),
            before: BTreeMap::new(),
            control: true,
            lut_ram: true,
        }
    }
}

/// A scalar argument or a base address in the control slave.
#[derive(Clone, Debug)]
pub struct Register {
    /// For names.
    pub name: String,
    /// Byte offset.
    pub offset: u32,
    /// Bits that are used.
    pub width: u32,
    /// The core's port; `None`: a base address.
    pub port: Option<String>,
}

/// A scalar result in the control slave.
#[derive(Clone, Debug)]
pub struct ResultRegister {
    /// The core's port.
    pub port: String,
    /// Byte offset.
    pub offset: u32,
    /// Bits.
    pub width: u32,
}

/// Words of 32 bits that a value takes.
pub fn words(width: u32) -> u32 {
    width.div_ceil(32)
}

impl ResultRegister {
    /// Offset of the word that says whether it is new.
    pub fn valid(&self) -> u32 {
        self.offset + 4 * words(self.width)
    }
}

/// How an array is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// By a master, through a buffer.
    Master { bundle: usize, base: u32 },
    /// By the control slave.
    Local { offset: u32 },
    /// By a stream, through a buffer.
    Axis { flow: Flow },
}

/// An array argument or result.
#[derive(Clone, Debug)]
pub struct ArrayPlan {
    /// Source name.
    pub name: String,
    /// Bits of an element.
    pub width: u32,
    /// Elements; of an array that is streamed, those that are.
    pub length: u64,
    /// What the core has of what it held before, and what is left of it after.
    pub access: Access,
    /// Whether something of what it held before may be left.
    pub is_left: bool,
    /// The core's ports; none if it is never accessed, or streamed.
    pub ports: Vec<MemoryPort>,
    /// The core's ports if it is streamed.
    pub stream: Option<StreamPorts>,
    /// Bytes from an element to the next.
    pub element_bytes: u32,
    /// How it is reached.
    pub reach: Reach,
}

impl ArrayPlan {
    /// Whether the core reads it.
    pub fn is_read(&self) -> bool {
        matches!(self.access, Access::Read | Access::ReadWrite)
    }
    /// Whether something has to be in its buffer, or to be forgotten, before the core accesses it.
    pub fn is_loaded(&self) -> bool {
        let comes = match self.reach {
            Reach::Master { .. } => self.is_read() || self.is_left,
            Reach::Axis { flow } => flow == Flow::In,
            Reach::Local { .. } => false,
        };
        comes && self.stream.is_none() && !self.ports.is_empty()
    }
    /// Whether it is in the block, behind the control slave.
    pub fn is_local(&self) -> bool {
        matches!(self.reach, Reach::Local { .. })
    }
    /// Whether the core writes it.
    pub fn is_written(&self) -> bool {
        matches!(self.access, Access::Write | Access::ReadWrite)
    }
}

/// Arrays that a half of a master moves one after the other, whatever others are on its channels.
#[derive(Clone, Debug)]
pub struct Party {
    /// By their numbers.
    pub arrays: Vec<usize>,
    /// What their beats are in on the way.
    pub between: Between,
}

/// A stream argument.
#[derive(Clone, Debug)]
pub struct StreamPlan {
    /// Source name.
    pub name: String,
    /// Bits of an element.
    pub width: u32,
    /// Which way.
    pub flow: Flow,
    /// The core's ports.
    pub ports: StreamPorts,
}

/// All of them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What was asked for.
    pub options: Options,
    /// Arguments in the control slave.
    pub registers: Vec<Register>,
    /// Scalar results in the control slave.
    pub results: Vec<ResultRegister>,
    /// Offset of the status register.
    pub status: u32,
    /// Bits of addresses of the control slave.
    pub address_width: u32,
    /// Arrays, results last.
    pub arrays: Vec<ArrayPlan>,
    /// Streams.
    pub streams: Vec<StreamPlan>,
    /// Names of masters that have something to transfer.
    pub bundles: Vec<String>,
    /// Parts of the core that wait for arrays.
    pub stages: Vec<Stage>,
}

impl Plan {
    /// Errors, in words for the user: a name that is no array's; an array that cannot be reached as asked.
    pub fn of(manifest: &Manifest, options: &Options) -> Result<Plan, String> {
        check_names(manifest, options)?;
        let mut planner = Planner {
            plan: Plan {
                options: options.clone(),
                registers: Vec::new(),
                results: Vec::new(),
                status: 0,
                address_width: 0,
                arrays: Vec::new(),
                streams: Vec::new(),
                bundles: Vec::new(),
                stages: Vec::new(),
            },
            next: FIRST_OFFSET,
        };
        for port in &manifest.returns {
            planner.result(port)?;
        }
        for port in &manifest.args {
            planner.argument(port)?;
        }
        planner.finish()
    }

    /// The arrays of a master that are loaded, or that are written back, by their numbers.
    pub fn transfers(&self, bundle: usize, flow: Flow) -> Vec<usize> {
        let moved = |array: &ArrayPlan| match flow {
            Flow::In => array.is_read(),
            Flow::Out => array.is_written(),
        };
        let on = |array: &ArrayPlan| matches!(array.reach, Reach::Master { bundle: b, .. } if b == bundle);
        let arrays = self.arrays.iter().enumerate();
        let wanted = arrays.filter(|(_, array)| on(array) && moved(array));
        let mut wanted: Vec<usize> = wanted.map(|(number, _)| number).collect();
        if flow == Flow::In {
            // What is needed first comes first.
            wanted.sort_by_key(|&number| self.stage(&self.arrays[number].name));
        }
        wanted
    }

    /// The number of the part of the core that waits for an array; `None`: the whole core does.
    pub fn stage(&self, array: &str) -> Option<usize> {
        let waits = |stage: &Stage| stage.arrays.iter().any(|name| name == array);
        self.stages.iter().position(waits)
    }

    /// Beats of a burst of a master at most.
    pub fn most_beats(&self, bundle: usize) -> u32 {
        let parties = [Flow::In, Flow::Out].map(|flow| self.parties(bundle, flow));
        let parties = parties.iter().flatten();
        let most = parties.map(|party| party.between.most_beats(self.options.width / 8));
        most.max().unwrap_or_default()
    }

    /// Those who use a half of a master: all arrays with buffers together, and each one that is streamed.
    pub fn parties(&self, bundle: usize, flow: Flow) -> Vec<Party> {
        let moved = self.transfers(bundle, flow).into_iter();
        let (streamed, buffered): (Vec<usize>, Vec<usize>) =
            moved.partition(|&number| self.arrays[number].stream.is_some());
        let is_alone = buffered.is_empty() && streamed.len() == 1;
        let between = if is_alone {
            Between::Nothing
        } else {
            Between::Queue
        };
        let buffers = (!buffered.is_empty()).then_some((buffered, Between::Buffers));
        let streams = streamed.into_iter().map(|number| (vec![number], between));
        let parties = buffers.into_iter().chain(streams);
        parties
            .map(|(arrays, between)| Party { arrays, between })
            .collect()
    }
}

fn check_names(manifest: &Manifest, options: &Options) -> Result<(), String> {
    let ports = || manifest.args.iter().chain(&manifest.returns);
    let is_array = |name: &String| {
        ports().any(|port| port.shape().is_some() && port.name.as_ref() == Some(name))
            || options.streamed.iter().any(|array| array.name == *name)
    };
    let named = options.bundles.iter().map(|(array, _)| array);
    match named
        .chain(&options.local)
        .chain(&options.buffered)
        .find(|name| !is_array(name))
    {
        Some(name) => Err(format!("there is no array argument '{name}'")),
        None => Ok(()),
    }
}

/// Bytes from an element of so many bits to the next.
fn element_bytes(width: u32, reach: &Reach) -> u32 {
    let bytes = width.div_ceil(8);
    match reach {
        Reach::Axis { .. } => bytes,
        _ => bytes.next_power_of_two(),
    }
}

struct Planner {
    plan: Plan,
    next: u32,
}

impl Planner {
    /// Room for a value of so many words and for a word after them.
    fn take(&mut self, words: u32) -> u32 {
        let offset = self.next;
        self.next += 4 * (words + 1);
        offset
    }

    fn result(&mut self, port: &Port) -> Result<(), String> {
        match &port.kind {
            PortKind::Scalar { width, port, .. } => {
                if !self.plan.options.control {
                    return Err("a scalar result needs the control slave".into());
                }
                let offset = self.take(words(*width));
                self.plan.results.push(ResultRegister {
                    port: port.clone(),
                    offset,
                    width: *width,
                });
                Ok(())
            }
            _ => self.argument(port),
        }
    }

    fn argument(&mut self, port: &Port) -> Result<(), String> {
        let name = port.name.clone().unwrap_or_default();
        match &port.kind {
            PortKind::Scalar { width, port, .. } => {
                if !self.plan.options.control {
                    return Err(format!(
                        "the scalar argument '{name}' needs the control slave"
                    ));
                }
                let offset = self.take(words(*width));
                self.plan.registers.push(Register {
                    name,
                    offset,
                    width: *width,
                    port: Some(port.clone()),
                });
                Ok(())
            }
            PortKind::Array { .. } => self.array(port, name),
            PortKind::Stream { .. } if self.is_streamed(&name) => self.streamed(port, name),
            PortKind::Stream {
                width,
                direction,
                ports,
                ..
            } => {
                self.plan.streams.push(StreamPlan {
                    name,
                    width: *width,
                    flow: *direction,
                    ports: ports.clone(),
                });
                Ok(())
            }
        }
    }

    fn array(&mut self, port: &Port, name: String) -> Result<(), String> {
        let PortKind::Array {
            width,
            shape,
            access,
            partition,
            banks,
            ..
        } = &port.kind
        else {
            return Ok(());
        };
        if partition.is_some() {
            let message = "is split into banks, which only the interface 'ap' has";
            return Err(format!("the array '{name}' {message}"));
        }
        let before = self.plan.options.before.get(&name).copied();
        let before = before.unwrap_or_default();
        let access = match (before, access) {
            (Before::IsNeverRead, Access::ReadWrite) => Access::Write,
            _ => *access,
        };
        let reach = self.reach(&name, access)?;
        self.plan.arrays.push(ArrayPlan {
            width: *width,
            length: shape.iter().product(),
            access,
            is_left: before == Before::Matters,
            ports: banks.first().map_or(Vec::new(), |bank| bank.ports.clone()),
            stream: None,
            element_bytes: element_bytes(*width, &reach),
            reach,
            name,
        });
        Ok(())
    }

    fn is_streamed(&self, name: &String) -> bool {
        let streamed = &self.plan.options.streamed;
        streamed.iter().any(|array| array.name == *name)
    }

    /// An array that is a stream of the core.
    fn streamed(&mut self, port: &Port, name: String) -> Result<(), String> {
        let Options {
            local, streamed, ..
        } = &self.plan.options;
        if local.contains(&name) {
            let message = "is streamed, which one behind the control slave is not";
            return Err(format!("the array '{name}' {message}"));
        }
        let found = streamed.iter().find(|array| array.name == name);
        let (Some((flow, ports)), Some(found)) = (port.stream(), found) else {
            return Ok(());
        };
        let access = match flow {
            Flow::In => Access::Read,
            Flow::Out => Access::Write,
        };
        let (ports, length) = (ports.clone(), found.count);
        let reach = self.reach(&name, access)?;
        self.plan.arrays.push(ArrayPlan {
            width: port.width(),
            length,
            access,
            is_left: false,
            ports: Vec::new(),
            stream: Some(ports),
            element_bytes: element_bytes(port.width(), &reach),
            reach,
            name,
        });
        Ok(())
    }

    fn reach(&mut self, name: &String, access: Access) -> Result<Reach, String> {
        let options = &self.plan.options;
        if options.local.contains(name) {
            return match options.control {
                // Offsets follow when all registers have theirs.
                true => Ok(Reach::Local { offset: 0 }),
                false => Err(format!("the array '{name}' needs the control slave")),
            };
        }
        if options.interface == Interface::Axis {
            let flow = match access {
                Access::Read => Flow::In,
                Access::Write => Flow::Out,
                Access::ReadWrite => {
                    let message = "is read and written, so that it is no stream; --axi-local";
                    return Err(format!(
                        "the array '{name}' {message} {name} has it in the block"
                    ));
                }
                Access::None => {
                    return Err(format!(
                        "the array '{name}' is never accessed, so that it is no stream"
                    ));
                }
            };
            return Ok(Reach::Axis { flow });
        }
        if !options.control {
            let message = "needs the control slave, which has its base address";
            return Err(format!("the array '{name}' {message}"));
        }
        let chosen = options.bundles.iter().find(|(array, _)| array == name);
        let bundle = chosen.map_or(DEFAULT_BUNDLE.to_string(), |(_, bundle)| bundle.clone());
        let base = self.take(2);
        self.plan.registers.push(Register {
            name: name.clone(),
            offset: base,
            width: 64,
            port: None,
        });
        let bundles = &mut self.plan.bundles;
        let number = bundles.iter().position(|known| *known == bundle);
        let bundle = number.unwrap_or_else(|| {
            bundles.push(bundle);
            bundles.len() - 1
        });
        Ok(Reach::Master { bundle, base })
    }

    /// The status register, then the local arrays, each at a multiple of its size.
    fn finish(mut self) -> Result<Plan, String> {
        let names = self.plan.arrays.iter().map(|array| &array.name);
        let names = names.chain(self.plan.streams.iter().map(|stream| &stream.name));
        let mut seen = BTreeSet::new();
        if let Some(name) = names.into_iter().find(|name| !seen.insert(*name)) {
            return Err(format!("the argument '{name}' has the name of the result"));
        }
        self.plan.status = self.next;
        let mut end = u64::from(self.next) + 4;
        for array in &mut self.plan.arrays {
            if let Reach::Local { offset } = &mut array.reach {
                let bytes = array.length.saturating_mul(array.element_bytes.into());
                let size = bytes
                    .checked_next_power_of_two()
                    .unwrap_or(u64::MAX >> 1)
                    .max(4);
                let start = end.next_multiple_of(size);
                end = start.saturating_add(size);
                *offset = u32::try_from(start).unwrap_or(u32::MAX);
            }
        }
        self.plan.address_width = (u64::BITS - (end - 1).leading_zeros()).max(5);
        match self.plan.address_width > MOST_ADDRESS_WIDTH {
            true => Err("the local arrays take more than 16 MiB of the control slave".into()),
            false => Ok(self.plan),
        }
    }
}

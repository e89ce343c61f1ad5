//! The module around the core: buffers, masters, streams and the control slave, connected.

mod masters;
mod streamed;
mod streams;

use super::buffer::{self, Geometry, Shape};
use super::master::ADDRESS_WIDTH;
use super::plan::{ArrayPlan, Options, Plan, Reach};
use super::told::Teller;
use super::{control, frames, sequence, stages};
use crate::rtl::elaborate::circuit::{Circuit, Outputs, Signal};
use crate::rtl::interface::block::{BlockManifest, Ports};
use crate::rtl::interface::manifest::{Flow, Manifest};
use crate::rtl::namer::Namer;
use crate::rtl::netlist::{Design, Direction, Module, ModuleId};
use std::collections::{BTreeMap, HashMap};

/// A design with a block around its top module, which is renamed, and the manifest of the block.
///
/// Errors, in words for the user: what was asked for does not fit the kernel.
pub fn around(
    design: &Design,
    manifest: &Manifest,
    options: &Options,
) -> Result<(Design, BlockManifest), String> {
    let mut plan = Plan::of(manifest, options)?;
    let mut design = design.clone();
    let core = design.top().ok_or("there is no module")?;
    let is_loaded = |name: &str| {
        let mut arrays = plan.arrays.iter();
        arrays.any(|array| array.name == name && array.is_loaded())
    };
    let module = std::mem::take(&mut design.modules[core]);
    (design.modules[core], plan.stages) = stages::wait(module, is_loaded);
    let mut names = Namer::new();
    names.take(&manifest.module);
    for (_, module) in design.modules.iter() {
        names.take(&module.name);
    }
    design.modules[core].name = names.suffixed(&format!("{}_core", manifest.module));
    let name = manifest.module.clone();
    let about = format!("{}: {} with AXI", manifest.top, design.modules[core].name);
    let circuit = Circuit::new(&name, about, false);
    for (_, module) in design.modules.iter() {
        circuit.reserve(&module.name);
    }
    let mut block = Block {
        c: &circuit,
        reset: !circuit.input("ap_rst_n", 1),
        plan: &plan,
        manifest,
        design: &mut design,
        names,
        nets: HashMap::new(),
        ports: BTreeMap::new(),
        loading: BTreeMap::new(),
        storing: Vec::new(),
        events: HashMap::new(),
    };
    block.reset = block.reset.named("ap_rst");
    let frame_error = block.build(core);
    let told = Teller {
        plan: &plan,
        manifest,
        ports: &block.ports,
    };
    let told = told.manifest(&block.design.modules[core].name, frame_error);
    design.modules.push(circuit.finish());
    Ok((design, told))
}

/// The parts of a status bit.
type Events<'c> = HashMap<&'static str, Vec<Signal<'c>>>;

struct Block<'c, 'd> {
    c: &'c Circuit,
    reset: Signal<'c>,
    plan: &'d Plan,
    manifest: &'d Manifest,
    design: &'d mut Design,
    names: Namer,
    /// Nets between instances, by name.
    nets: HashMap<String, Signal<'c>>,
    /// The ports of each interface by the names of its signals.
    ports: BTreeMap<String, Ports>,
    /// What is busy before the core runs, or before that part of it.
    loading: BTreeMap<Option<usize>, Vec<Signal<'c>>>,
    /// What is busy after it.
    storing: Vec<Signal<'c>>,
    events: Events<'c>,
}

impl<'c> Block<'c, '_> {
    /// The name of the output for errors of frames, if there is one.
    fn build(&mut self, core: ModuleId) -> Option<String> {
        let interrupt = self.plan.options.control.then(|| self.slave_ports());
        self.core(core);
        for array in &self.plan.arrays {
            if let Some(ports) = &array.stream {
                self.streamed(array, ports);
            } else if !array.ports.is_empty() || array.is_local() {
                // What the core never touches keeps what it is given.
                self.array(array);
            }
        }
        for bundle in 0..self.plan.bundles.len() {
            self.reader(bundle);
            self.writer(bundle);
        }
        for stream in &self.plan.streams {
            self.stream(stream);
        }
        let has_frames = self
            .plan
            .arrays
            .iter()
            .any(|array| array.reach == Reach::Axis { flow: Flow::In });
        let frame_error = (!self.plan.options.control && has_frames).then(|| {
            let port = self.c.port("frame_error", 1);
            (port, self.c.name(port))
        });
        for (number, stage) in self.plan.stages.iter().enumerate() {
            let loaded = !self.busy_before(Some(number));
            let loaded = loaded.named(&format!("loaded_{number}"));
            self.net(&format!("loaded:{number}"), 1).set(loaded);
            self.net(&format!("core.{}", stage.port), 1).set(loaded);
        }
        self.sequence(frame_error.as_ref().map(|(port, _)| *port));
        if let Some(interrupt) = interrupt {
            self.control(interrupt);
        }
        frame_error.map(|(_, name)| name)
    }

    // Wiring -------------------------------------------------------------------------------------

    /// A net between instances.
    fn net(&mut self, name: &str, width: u32) -> Signal<'c> {
        let c = self.c;
        *self
            .nets
            .entry(name.to_string())
            .or_insert_with(|| c.wire(name, width))
    }

    /// A port of an interface; its net.
    fn port(&mut self, interface: &str, signal: &str, width: u32, is_input: bool) -> Signal<'c> {
        let name = format!("{interface}_{signal}");
        let net = match is_input {
            true => self.c.input(&name, width),
            false => self.c.port(&name, width),
        };
        let ports = self.ports.entry(interface.to_string()).or_default();
        ports.insert(signal.to_string(), self.c.name(net));
        net
    }

    /// An instance of a new module; clock and reset are among its inputs already.
    fn instance(
        &mut self,
        module: Module,
        name: &str,
        inputs: Vec<(String, Signal<'c>)>,
    ) -> Outputs<'c> {
        let id = self.design.modules.push(module);
        self.instance_of(id, name, inputs)
    }

    fn instance_of(
        &mut self,
        id: ModuleId,
        name: &str,
        mut inputs: Vec<(String, Signal<'c>)>,
    ) -> Outputs<'c> {
        inputs.push(("ap_rst".into(), self.reset));
        let module = &self.design.modules[id];
        self.c.reserve(&module.name);
        self.c.instance((id, module), name, &inputs)
    }

    fn module_name(&mut self, part: &str) -> String {
        let name = self
            .names
            .suffixed(&format!("{}_{part}", self.manifest.module));
        self.c.reserve(&name);
        name
    }

    fn event(&mut self, name: &'static str, event: Signal<'c>) {
        self.events.entry(name).or_default().push(event);
    }

    // Parts --------------------------------------------------------------------------------------

    fn core(&mut self, id: ModuleId) {
        let Manifest { control, .. } = self.manifest;
        let module = self.design.modules[id].clone();
        let mut inputs = Vec::new();
        for port in &module.ports {
            let net = &module.nets[port.net];
            let is_driven = Some(port.net) != module.clock && Some(port.net) != module.reset;
            if port.direction == Direction::Output || !is_driven {
                continue;
            }
            inputs.push((
                net.name.clone(),
                self.net(&format!("core.{}", net.name), net.width),
            ));
        }
        let outputs = self.instance_of(id, "core", inputs);
        for port in &module.ports {
            let name = &module.nets[port.net].name;
            if let Some(net) = outputs.find(name) {
                self.nets.insert(format!("core.{name}"), net);
            }
        }
        for register in &self.plan.registers {
            if let Some(port) = &register.port {
                let value = self.net(&control::register_port(register), register.width);
                self.net(&format!("core.{port}"), register.width).set(value);
            }
        }
        let start = self.net("core_start", 1);
        if control.start != "start" {
            self.net(&format!("core.{}", control.start), 1).set(start);
        }
    }

    /// The buffer of an array, and what moves its elements but for masters.
    fn array(&mut self, array: &ArrayPlan) {
        let shape = self.shape(array);
        let geometry = Geometry::of(array, &shape);
        let name = &array.name;
        let run = self.net("run", 1);
        let run = match self.plan.stage(name) {
            // Until then the buffer is the bus's.
            Some(stage) => run & self.net(&format!("loaded:{stage}"), 1),
            None => run,
        };
        let mut inputs = vec![("run".to_string(), run)];
        let address = crate::rtl::netlist::address_width(array.length);
        for (k, port) in array.ports.iter().enumerate() {
            let names = [
                Some(&port.address),
                Some(&port.ce),
                port.we.as_ref(),
                port.d.as_ref(),
            ];
            let widths = [address, 1, 1, array.width];
            for ((pin, port), width) in ["address", "ce", "we", "d"].iter().zip(names).zip(widths) {
                if let Some(port) = port {
                    inputs.push((
                        format!("{pin}{k}"),
                        self.net(&format!("core.{port}"), width),
                    ));
                }
            }
        }
        let widths = [
            ("load", 1),
            ("load_beat", geometry.beat_width()),
            ("load_data", 8 * shape.beat),
            ("load_strb", shape.beat),
            ("fetch", 1),
            ("fetch_beat", geometry.beat_width()),
            ("shift", geometry.shift_width()),
        ];
        let wanted = |pin: &str| match pin {
            "shift" => shape.is_shifted && geometry.elements > 1,
            "load_strb" => shape.has_strobes,
            "load_data" => shape.is_loaded,
            "load" | "load_beat" => shape.is_written(),
            _ => shape.is_fetched,
        };
        for (pin, width) in widths.into_iter().filter(|(pin, _)| wanted(pin)) {
            inputs.push((pin.to_string(), self.net(&format!("{name}:{pin}"), width)));
        }
        let module = buffer::build(&self.module_name(&format!("{name}_buffer")), array, &shape);
        let outputs = self.instance(module, &format!("{name}_buffer"), inputs);
        for (k, port) in array.ports.iter().enumerate() {
            if let Some(q) = &port.q {
                self.net(&format!("core.{q}"), array.width)
                    .set(outputs.get(&format!("q{k}")));
            }
        }
        for pin in ["fetch_data", "fetch_strb"] {
            if let Some(net) = outputs.find(pin) {
                self.nets.insert(format!("{name}:{pin}"), net);
            }
        }
        match &array.reach {
            Reach::Axis { flow: Flow::In } => self.frame_in(array, &geometry),
            Reach::Axis { flow: Flow::Out } => self.frame_out(array, &geometry),
            Reach::Master { base, .. } => self.mastered(array, *base, &geometry),
            Reach::Local { .. } => {}
        }
    }

    fn shape(&self, array: &ArrayPlan) -> Shape {
        match array.reach {
            Reach::Local { .. } => control::LOCAL,
            Reach::Axis { flow } => Shape {
                beat: array.element_bytes,
                granule: array.element_bytes,
                has_strobes: false,
                is_shifted: false,
                is_marked: flow == Flow::Out && array.is_left,
                has_keep: flow == Flow::Out,
                is_loaded: flow == Flow::In,
                is_fetched: flow == Flow::Out,
            },
            Reach::Master { .. } => {
                let beat = self.plan.options.width / 8;
                Shape {
                    beat,
                    granule: beat.min(array.element_bytes),
                    has_strobes: false,
                    is_shifted: true,
                    is_marked: array.is_written() && array.is_left,
                    has_keep: array.is_written(),
                    is_loaded: array.is_read(),
                    is_fetched: array.is_written(),
                }
            }
        }
    }

    /// The register of a base address, by its offset.
    fn base(&mut self, offset: u32) -> Signal<'c> {
        let mut registers = self.plan.registers.iter();
        let register = registers.find(|register| register.offset == offset);
        let register = register.expect("an array of a master has a register for its base");
        self.net(&control::register_port(register), ADDRESS_WIDTH)
    }

    /// Which element of a beat the first one is, if there are several.
    fn shift(&mut self, array: &ArrayPlan, base: u32, geometry: &Geometry) -> Option<Signal<'c>> {
        let low = array.element_bytes.trailing_zeros();
        let base = self.base(base);
        (geometry.elements > 1).then(|| base.bits(low, geometry.shift_width()))
    }

    /// What a buffer has of its base address.
    fn mastered(&mut self, array: &ArrayPlan, base: u32, geometry: &Geometry) {
        if let Some(shift) = self.shift(array, base, geometry) {
            self.net(&format!("{}:shift", array.name), shift.width())
                .set(shift);
        }
        if !array.is_read() {
            self.sweep(array, geometry);
        }
    }

    /// Has a buffer that is not loaded forget what was written, if it knows.
    fn sweep(&mut self, array: &ArrayPlan, geometry: &Geometry) {
        if !array.is_left {
            return;
        }
        let name = &array.name;
        let module = frames::sweep(
            &self.module_name(&format!("{name}_clear")),
            name,
            geometry.most_beats,
        );
        let begin = self.net("begin_load", 1);
        let clear = self.instance(
            module,
            &format!("{name}_clear"),
            vec![("launch".into(), begin)],
        );
        self.wait_for(name, clear.get("busy"));
        self.net(&format!("{name}:load"), 1).set(clear.get("busy"));
        self.net(&format!("{name}:load_beat"), geometry.beat_width())
            .set(clear.get("load_beat"));
    }

    /// Has the core, or the part of it that first accesses an array, wait while something is busy.
    fn wait_for(&mut self, array: &str, busy: Signal<'c>) {
        let stage = self.plan.stage(array);
        self.loading.entry(stage).or_default().push(busy);
    }

    /// Whether something is busy that the core waits for, or that part of it.
    fn busy_before(&self, stage: Option<usize>) -> Signal<'c> {
        let busy = self.loading.get(&stage).cloned();
        self.c.any(busy.unwrap_or_default())
    }

    fn sequence(&mut self, frame_error: Option<Signal<'c>>) {
        let Manifest { control, .. } = self.manifest;
        let c = self.c;
        let start = match self.plan.options.control {
            true => self.net("start", 1),
            false => c.one(),
        };
        let frames = frame_error.is_some();
        let mut inputs = vec![
            ("start".to_string(), start),
            ("load_busy".to_string(), self.busy_before(None)),
            ("store_busy".to_string(), c.any(self.storing.clone())),
            (
                "core_ready".to_string(),
                self.net(&format!("core.{}", control.ready), 1),
            ),
            (
                "core_done".to_string(),
                self.net(&format!("core.{}", control.done), 1),
            ),
        ];
        if frames {
            let events: Vec<Signal> = self.events.values().flatten().copied().collect();
            inputs.push(("frame_event".into(), c.any(events)));
        }
        let module = sequence::build(&self.module_name("sequence"), frames);
        let outputs = self.instance(module, "sequence", inputs);
        for pin in ["begin_load", "begin_store", "core_start", "run"] {
            self.net(pin, 1).set(outputs.get(pin));
        }
        for pin in ["ready", "done", "idle"] {
            self.nets.insert(pin.into(), outputs.get(pin));
        }
        if let Some(port) = frame_error {
            port.set(outputs.get("frame_error"));
        }
    }

    /// The inputs of the slave; the interrupt.
    fn slave_ports(&mut self) -> Signal<'c> {
        let interrupt = self.c.port("interrupt", 1);
        let width = self.plan.address_width;
        for (signal, width) in control::INPUTS
            .into_iter()
            .chain([("awaddr", width), ("araddr", width)])
        {
            let net = self.port(control::SLAVE, signal, width, true);
            self.nets.insert(format!("slave_{signal}"), net);
        }
        interrupt
    }

    fn control(&mut self, interrupt: Signal<'c>) {
        let c = self.c;
        let width = self.plan.address_width;
        let mut inputs = Vec::new();
        for (signal, width) in control::INPUTS
            .into_iter()
            .chain([("awaddr", width), ("araddr", width)])
        {
            inputs.push((
                signal.to_string(),
                self.net(&format!("slave_{signal}"), width),
            ));
        }
        for pin in ["ready", "done", "idle"] {
            inputs.push((pin.into(), self.net(pin, 1)));
        }
        for result in &self.plan.results {
            let net = self.net(&format!("core.{}", result.port), result.width);
            inputs.push((format!("result_{}", result.port), net));
        }
        for name in &control::STATUS_BITS[..4] {
            let events = self.events.get(name).cloned().unwrap_or_default();
            inputs.push(((*name).to_string(), c.any(events)));
        }
        let arrays = self.plan.arrays.iter();
        let locals: Vec<&ArrayPlan> = arrays.filter(|array| array.is_local()).collect();
        let start = self.net("start", 1);
        let running = start | !self.net("idle", 1);
        for array in &locals {
            inputs.push((format!("running_{}", array.name), running));
            let data = self.net(&format!("{}:fetch_data", array.name), control::WORD);
            inputs.push((format!("fetchdata_{}", array.name), data));
        }
        let module = control::build(&self.module_name("control"), self.plan);
        let slave = self.instance(module, "control", inputs);
        for (signal, width) in control::OUTPUTS {
            self.port(control::SLAVE, signal, width, false)
                .set(slave.get(signal));
        }
        interrupt.set(slave.get("interrupt"));
        self.net("start", 1).set(slave.get("start"));
        for register in &self.plan.registers {
            let name = control::register_port(register);
            self.net(&name, register.width).set(slave.get(&name));
        }
        for array in &locals {
            let name = &array.name;
            for pin in ["load", "load_beat", "fetch", "fetch_beat"] {
                let value = slave.get(&format!("{}_{name}", pin.replace('_', "")));
                self.net(&format!("{name}:{pin}"), value.width()).set(value);
            }
            self.net(&format!("{name}:load_data"), control::WORD)
                .set(slave.get("write_data"));
            self.net(&format!("{name}:load_strb"), 4)
                .set(slave.get("write_strb"));
        }
    }
}

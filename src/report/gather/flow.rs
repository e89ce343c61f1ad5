//! Processes and queues of a network: when each one runs and how full each queue is, from a simulation of the netlist.

use super::simulation::{SEED, most_cycles, one_input, options};
use super::{Gather, process_names};
use crate::ir::ArrayKind;
use crate::report::data::{Flow, Process, Queue};
use crate::rtl::netlist::{Design, Instance, Item, Module};
use crate::sim::inprocess::Netlist;
use crate::sim::shell;
use crate::transform::network::Network;

/// Samples of a level, at most.
const SAMPLES: u64 = 240;

impl Gather<'_> {
    /// `None`: it is no network.
    pub(super) fn flow(&self) -> Option<Flow> {
        let compilation = self.build.compilation;
        let (network, which) = compilation.network.as_ref()?;
        let names = process_names(compilation);
        let processes = network.processes.iter().zip(which).zip(names);
        let processes = processes.map(|((process, part), name)| {
            let part = &self.parts[*part];
            Process {
                name,
                place: self.place(process.span),
                start: None,
                done: None,
                forecast: part.takes.cycles,
                after: process.after.clone(),
            }
        });
        let mut flow = Flow {
            processes: processes.collect(),
            queues: Vec::new(),
            simulation: String::new(),
            cycles: 0,
            sample: 1,
        };
        let queues = self.queues(network);
        let modules: Vec<usize> = (0..queues.len()).filter(|at| queues[*at].1).collect();
        flow.queues = queues.into_iter().map(|(queue, _)| queue).collect();
        flow.simulation = match self.simulated(&mut flow, modules) {
            Ok(()) => format!("simulated on one input, small numbers of seed {SEED}"),
            Err(why) => format!("not simulated: {why}"),
        };
        Some(flow)
    }

    /// The streams, a queue for each consumer, in the order of their modules' instances; and whether there is a module.
    fn queues(&self, network: &Network) -> Vec<(Queue, bool)> {
        let mut queues = Vec::new();
        for (id, users) in network.users() {
            let array = &network.kernel.arrays[id];
            let depth = array.stream.as_ref().map_or(1, |stream| stream.depth);
            let queue = |to: Vec<usize>| Queue {
                name: array.name.clone(),
                place: self.place(array.span),
                bits: array.elem.width(),
                depth,
                capacity: None,
                from: users.producer,
                to,
                most: None,
                levels: Vec::new(),
                elements: None,
            };
            let is_outside = matches!(array.kind, ArrayKind::Param(_));
            match (is_outside, &users.consumers[..]) {
                (_, several @ [_, _, ..]) => {
                    queues.extend(several.iter().map(|one| (queue(vec![*one]), true)));
                }
                (false, all) => queues.push((queue(all.to_vec()), !all.is_empty())),
                (true, all) => queues.push((queue(all.to_vec()), users.producer.is_some())),
            }
        }
        queues
    }

    /// Runs the netlist and writes down what it did. Errors: why it cannot run.
    fn simulated(&self, flow: &mut Flow, modules: Vec<usize>) -> Result<(), String> {
        let compilation = self.build.compilation;
        let design = &compilation.design;
        let top = design.top().ok_or("there is no module")?;
        let (program, inside) = compilation.inside();
        let (around, manifest) = shell::around(design, &inside)?;
        let prefix = prefix(&around, shell::is_needed(&inside));
        let watched = Watched::of(design, &design.modules[top], flow, modules, &prefix)?;
        for (queue, capacity) in flow.queues.iter_mut().zip(&watched.capacities) {
            queue.capacity = *capacity;
        }
        let netlist = Netlist::new(&around, &manifest).map_err(|e| e.to_diagnostic().message)?;
        let case = one_input(program, &inside)?;
        let mut trace = Trace::new(&watched, flow);
        let most = most_cycles(&netlist);
        let nets: Vec<&str> = watched.nets.iter().map(String::as_str).collect();
        let mut see = |values: &[u64]| trace.see(values);
        let ran = netlist.watch(&case.run, &options(), most, &nets, &mut see);
        let ran = ran.map_err(|e| e.to_diagnostic().message)?;
        let timing = ran.result.timing.first();
        flow.cycles = timing.map_or(0, |timing| timing.cycles());
        trace.into(flow);
        match timing {
            Some(_) => Ok(()),
            None => Err("it takes too long; what is shown is its beginning".into()),
        }
    }
}

/// What the names of the module's nets begin with, if there is a shell around it.
fn prefix(around: &Design, has_shell: bool) -> String {
    let shell = around.modules.values().last().filter(|_| has_shell);
    let mut items = shell.into_iter().flat_map(|shell| &shell.items);
    let core = items.find_map(|item| match item {
        Item::Instance(instance) => Some(format!("{}.", instance.name)),
        _ => None,
    });
    core.unwrap_or_default()
}

/// The nets that show what processes and queues do: of each two, start and done, or write and read.
struct Watched {
    nets: Vec<String>,
    /// Of each queue; `None` for one that has no module.
    capacities: Vec<Option<u64>>,
    /// Positions of the queues that have modules.
    queues: Vec<usize>,
}

impl Watched {
    /// Errors: the module is not what a network looks like.
    fn of(
        design: &Design,
        top: &Module,
        flow: &Flow,
        queues: Vec<usize>,
        prefix: &str,
    ) -> Result<Watched, String> {
        let instances = top.items.iter().filter_map(|item| match item {
            Item::Instance(instance) => Some(instance),
            _ => None,
        });
        let instances: Vec<&Instance> = instances.collect();
        if instances.len() != flow.processes.len() + queues.len() {
            return Err("its queues are not those of its text".into());
        }
        let (of_queues, of_processes) = instances.split_at(queues.len());
        let net = |instance: &Instance, port: &str| {
            let module = &design.modules[instance.module];
            let mut ports = module.ports.iter();
            let at = ports.position(|one| module.nets[one.net].name == port);
            let net = at.and_then(|at| instance.connections.get(at));
            let net = net.ok_or_else(|| format!("a module has no port '{port}'"))?;
            Ok::<String, String>(format!("{prefix}{}", top.nets[*net].name))
        };
        let mut nets = Vec::new();
        for process in of_processes {
            nets.extend([net(process, "ap_start")?, net(process, "ap_done")?]);
        }
        let mut capacities = vec![None; flow.queues.len()];
        for (queue, at) in of_queues.iter().zip(&queues) {
            nets.extend([net(queue, "write")?, net(queue, "read")?]);
            capacities[*at] = Some(capacity(&design.modules[queue.module]));
        }
        Ok(Watched {
            nets,
            capacities,
            queues,
        })
    }
}

/// Words of the memories of a queue's module that are written.
fn capacity(module: &Module) -> u64 {
    let memories = module.items.iter().filter_map(|item| match item {
        Item::Memory(memory) if !memory.writes.is_empty() => Some(memory.depth),
        _ => None,
    });
    memories.sum()
}

/// What is seen of a run.
struct Trace {
    processes: usize,
    queues: Vec<usize>,
    cycle: u64,
    starts: Vec<Option<u64>>,
    dones: Vec<Option<u64>>,
    levels: Vec<i64>,
    elements: Vec<u64>,
    /// The most in each sample.
    samples: Vec<Vec<u64>>,
    /// Cycles of a sample; doubled when there are too many.
    sample: u64,
}

impl Trace {
    fn new(watched: &Watched, flow: &Flow) -> Trace {
        let (processes, queues) = (flow.processes.len(), watched.queues.len());
        Trace {
            processes,
            queues: watched.queues.clone(),
            cycle: 0,
            starts: vec![None; processes],
            dones: vec![None; processes],
            levels: vec![0; queues],
            elements: vec![0; queues],
            samples: vec![Vec::new(); queues],
            sample: 1,
        }
    }

    /// The values of the nets in a cycle.
    fn see(&mut self, values: &[u64]) {
        let (of_processes, of_queues) = values.split_at(2 * self.processes);
        for (process, pair) in of_processes.chunks_exact(2).enumerate() {
            if pair[0] != 0 {
                self.starts[process].get_or_insert(self.cycle);
            }
            if pair[1] != 0 && self.starts[process].is_some() {
                self.dones[process].get_or_insert(self.cycle);
            }
        }
        if self.cycle / self.sample >= SAMPLES {
            self.sample *= 2;
            for samples in &mut self.samples {
                let pairs = samples.chunks(2);
                *samples = pairs
                    .map(|two| two.iter().copied().max().unwrap_or(0))
                    .collect();
            }
        }
        let at = (self.cycle / self.sample) as usize;
        for (queue, pair) in of_queues.chunks_exact(2).enumerate() {
            let level = u64::try_from(self.levels[queue]).unwrap_or(0);
            let samples = &mut self.samples[queue];
            samples.resize(at + 1, level);
            samples[at] = samples[at].max(level);
            self.levels[queue] += i64::from(pair[0] != 0) - i64::from(pair[1] != 0);
            self.elements[queue] += u64::from(pair[1] != 0);
        }
        self.cycle += 1;
    }

    fn into(self, flow: &mut Flow) {
        for (process, (start, done)) in flow
            .processes
            .iter_mut()
            .zip(self.starts.into_iter().zip(self.dones))
        {
            (process.start, process.done) = (start, done);
        }
        for (own, at) in self.queues.iter().enumerate() {
            let queue = &mut flow.queues[*at];
            queue.most = self.samples[own].iter().max().copied();
            queue.levels.clone_from(&self.samples[own]);
            // What follows the last cycle is the simulation's end.
            if flow.cycles > 0 {
                queue
                    .levels
                    .truncate((flow.cycles / self.sample + 1) as usize);
            }
            queue.elements = Some(self.elements[own]);
        }
        flow.sample = self.sample;
    }
}

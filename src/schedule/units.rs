//! Schedules of operators: pipelined, and, where steps are iterated, rolled into a loop of a register.

use super::device::{Class, Device};
use super::problem::{Kind, Problem};
use super::{Shared, Times, UnitSchedule, Variant, sink};
use crate::diagnostics::Diagnostics;
use crate::hwarith::equal;
use crate::hwarith::graph::Op;
use crate::hwarith::{Graph, NodeId, iterate};
use crate::ir::Foreign;
use crate::machine::program::Unit;
use crate::memo::Memo;
use std::sync::{Arc, LazyLock};

/// What [`schedule`] gives, and what it said of an operator.
type Said = (Option<UnitSchedule>, Diagnostics);

/// By name and time of a cycle: operators that were scheduled.
static SCHEDULED: LazyLock<Memo<Scheduled<Said>>> = LazyLock::new(Memo::default);

/// By name, time of a cycle and of the choice: operators that were scheduled behind a choice.
static SHARED: LazyLock<Memo<Scheduled<Option<Variant>>>> = LazyLock::new(Memo::default);

/// By name, and what else tells variants of an operator apart: those that are finished.
static FINISHED: LazyLock<Memo<Scheduled<Variant>>> = LazyLock::new(Memo::default);

/// An operator, the device that it was scheduled for, and what was found.
struct Scheduled<T> {
    graph: Graph,
    device: Device,
    found: T,
}

impl<T> Scheduled<T> {
    /// What is known of an operator under a name; else what `find` finds, from then on.
    fn known(
        memo: &Memo<Scheduled<T>>,
        name: &str,
        (graph, device): (&Graph, &Device),
        find: impl Fn() -> T,
    ) -> Arc<Scheduled<T>> {
        let fits = |known: &Scheduled<T>| known.graph == *graph && known.device == *device;
        memo.get(name, fits, || Scheduled {
            graph: graph.clone(),
            device: device.clone(),
            found: find(),
        })
    }
}

/// As [`schedule`]; what was scheduled before is known.
pub fn kept(
    unit: &Unit,
    device: &Device,
    budget: f64,
    warnings: &mut Diagnostics,
) -> Option<UnitSchedule> {
    let graph = &unit.graph;
    let name = format!("{} {budget} {}", unit.name, device.name);
    let known = Scheduled::known(&SCHEDULED, &name, (graph, device), || {
        let mut warnings = Diagnostics::default();
        (schedule(graph, device, budget, &mut warnings), warnings)
    });
    let (found, said) = &known.found;
    warnings.0.extend_from_slice(&said.0);
    found.clone()
}

/// What the two descriptions of an operator are known by.
fn kind_of(name: &str, is_fast: bool) -> String {
    format!("{name}{}", if is_fast { " fast" } else { "" })
}

/// The implementation of an operator's faster description, if it has one. What was scheduled before is known.
pub fn fast(
    unit: &Unit,
    (device, budget): (&Device, f64),
    warnings: &mut Diagnostics,
) -> Option<Variant> {
    let graph = unit.fast.as_ref()?;
    let name = format!("{} {budget} {}", kind_of(&unit.name, true), device.name);
    let known = Scheduled::known(&SCHEDULED, &name, (graph, device), || {
        let mut warnings = Diagnostics::default();
        let same = same(&unit.graph, graph.clone(), "hasten", &mut warnings);
        let found = same.and_then(|same| schedule(&same, device, budget, &mut warnings));
        (found, warnings)
    });
    let (found, said) = &known.found;
    warnings.0.extend_from_slice(&said.0);
    let variant = found.as_ref()?.variants.first()?.clone();
    Some(Variant {
        is_fast: true,
        ..variant
    })
}

/// Bits of unrolled steps from which an operator is not pipelined.
const MAX_UNROLLED: u64 = 20_000;

/// The implementations of an operator; `None` if it has none. One that computes something else than the graph is left out,
/// and `warnings` says so.
pub fn schedule(
    graph: &Graph,
    device: &Device,
    budget: f64,
    warnings: &mut Diagnostics,
) -> Option<UnitSchedule> {
    let mut variants = Vec::new();
    let iterates = graph.nodes.iter().any(|(_, n)| is_iterate(&n.op));
    if !iterates {
        variants.push(variant(graph.clone(), device, budget)?);
    } else {
        if iterate::unrolled_size(graph) <= MAX_UNROLLED {
            let unrolled = same(graph, iterate::unrolled(graph), "unroll", warnings);
            if let Some(unrolled) = unrolled {
                variants.push(variant(unrolled, device, budget)?);
            }
        }
        let rolled = iterate::rolled(graph, |step, count| {
            steps_per_cycle(step, count, device, budget)
        });
        let rolled = same(graph, rolled, "roll", warnings)?;
        let rolled = variant(rolled, device, budget)?;
        if rolled.interval > 1 || variants.is_empty() {
            variants.push(rolled);
        }
    }
    let even = |variant| evened(variant, device, budget);
    Some(UnitSchedule {
        variants: variants.into_iter().map(even).collect(),
    })
}

/// A ns in which any graph is one cycle's work.
const ENDLESS: f64 = 1e9;

/// A module of the user's, of which the logic before its first and behind its last register is half a cycle's. `None` if its
/// meaning needs more cycles to be simulated than it has: tables are read in one.
pub fn foreign(
    graph: &Graph,
    module: &Foreign,
    device: &Device,
    budget: f64,
) -> Option<UnitSchedule> {
    let meaning = variant(graph.clone(), device, ENDLESS)?;
    let half = 0.5 * budget;
    (meaning.latency <= module.latency).then(|| UnitSchedule {
        variants: vec![Variant {
            interval: module.interval,
            latency: module.latency,
            input_delay: half,
            output_delay: half,
            is_foreign: true,
            ..meaning
        }],
    })
}

/// The second graph, if it computes what the first does.
fn same(before: &Graph, after: Graph, rewrite: &str, warnings: &mut Diagnostics) -> Option<Graph> {
    let difference = equal::output_difference(before, &after);
    equal::kept(rewrite, None, Some(after), difference, warnings)
}

fn is_iterate(op: &Op) -> bool {
    matches!(op, Op::Iterate { .. })
}

/// Applications of a step, of so many, that fit into a cycle; one if none does.
fn steps_per_cycle(step: &Graph, count: u32, device: &Device, budget: f64) -> u32 {
    let fits = |steps: &Graph| step_cycles(steps, &step_times(steps, device, budget)) == 1;
    if !fits(step) {
        return 1;
    }
    let fit = |count: &u32| fits(&iterate::composed(step, *count));
    (2..=count).take_while(fit).last().unwrap_or(1)
}

fn variant(graph: Graph, device: &Device, budget: f64) -> Option<Variant> {
    variant_behind(graph, None, device, budget, budget)
}

/// Halvings of the time that a cycle may take, after which it counts as found.
const HALVINGS: u32 = 12;

/// A variant in exactly so many cycles, which are at least its own: each takes as little time as that allows. Cycles that are
/// left over are registers behind it.
pub fn balanced(fastest: Variant, latency: u32, device: &Device, budget: f64) -> Variant {
    let mut best = fastest;
    // Steps that are iterated have a register around them, and their cycles are taken as they are.
    if best.interval == 1 {
        let (mut short, mut long) = (0.0, budget);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (short + long);
            match variant_behind(best.graph.clone(), None, device, budget, middle) {
                Some(found) if found.latency <= latency => {
                    long = middle;
                    best = found;
                }
                _ => short = middle,
            }
        }
        let graph = best.graph.clone();
        Evening::of(&graph, best.shared, device, budget).sink(&mut best, vec![long]);
    }
    if best.latency < latency {
        best.output_delay = 0.0;
    }
    Variant { latency, ..best }
}

/// Parts of the budget that are tried for a cycle of a variant whose cycles become more alike.
const EVEN: [f64; 8] = [0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6];

/// A variant in as many cycles, of which the longest is shorter, where that delays nothing around it.
fn evened(fastest: Variant, device: &Device, budget: f64) -> Variant {
    if fastest.is_fixed() {
        return fastest;
    }
    let mut best = fastest;
    let graph = best.graph.clone();
    let mut evening = Evening::of(&graph, best.shared, device, budget);
    for part in EVEN {
        if !evening.shorten(&mut best, &[part * budget]) {
            break;
        }
        best.limit = part * budget;
    }
    best
}

/// An evened variant, named as its operator, each of whose cycles is as short as that goes, which leaves more to the next one, and
/// with fewer bits in registers. What is around it sees no difference. What was finished before is known.
pub fn finished(name: &str, evened: &Variant, device: &Device, budget: f64) -> Variant {
    if evened.is_fixed() {
        return evened.clone();
    }
    let choice = evened.shared.map_or(0.0, |shared| shared.choice_delay);
    let name = kind_of(name, evened.is_fast);
    let name = format!("{name} {budget} {choice} {} {}", evened.limit, device.name);
    let known = Scheduled::known(&FINISHED, &name, (&evened.graph, device), || {
        finish(evened.clone(), device, budget)
    });
    Variant {
        shared: evened.shared,
        is_fast: evened.is_fast,
        ..known.found.clone()
    }
}

fn finish(mut best: Variant, device: &Device, budget: f64) -> Variant {
    let (input_delay, output_delay) = (best.input_delay, best.output_delay);
    let mut limits = vec![best.limit; best.latency as usize + 1];
    let graph = best.graph.clone();
    let mut evening = Evening::of(&graph, best.shared, device, budget);
    let longest = lengths(&best).into_iter().fold(0.0, f64::max);
    for cycle in 0..limits.len() {
        for part in EVEN.map(|part| part * budget) {
            let (before, length) = (limits[cycle], lengths(&best)[cycle]);
            if part >= length || length < LONG * longest {
                continue;
            }
            limits[cycle] = part;
            if !evening.shorten(&mut best, &limits) {
                limits[cycle] = before;
                break;
            }
        }
    }
    best.input_delay = input_delay;
    best.output_delay = output_delay;
    evening.sink(&mut best, limits);
    best
}

/// What a variant that is to be improved has to fulfil.
struct Evening<'g> {
    problem: Problem<'g>,
    steps: Vec<Times>,
    budget: f64,
}

impl<'g> Evening<'g> {
    fn of(graph: &'g Graph, shared: Option<Shared>, device: &Device, budget: f64) -> Evening<'g> {
        let (problem, steps) = posed(graph, shared, device, budget, budget);
        Evening {
            problem,
            steps,
            budget,
        }
    }

    /// Gives a variant times within these limits, if there are some that delay nothing around it.
    fn shorten(&mut self, best: &mut Variant, limits: &[f64]) -> bool {
        self.problem.limits = limits.to_vec();
        let found = self.problem.solve(None).ok();
        found.is_some_and(|found| self.take(best, found.times))
    }

    /// Gives a variant fewer bits in registers, where that delays nothing around it; its delays stay what they were, so that no
    /// loop around it is scheduled in another way.
    fn sink(&mut self, variant: &mut Variant, limits: Vec<f64>) {
        self.problem.limits = limits;
        let times = sink::sunk(&mut self.problem, variant.times.clone());
        let (before, after) = (variant.input_delay, variant.output_delay);
        self.take(variant, times);
        (variant.input_delay, variant.output_delay) = (before, after);
    }

    /// Gives a variant other times, if they delay nothing around it.
    fn take(&self, variant: &mut Variant, times: Times) -> bool {
        let around = Around::of(self.problem.graph, &times, &self.steps, self.budget);
        let is_as_soon = around.is_as_soon_as(variant);
        if is_as_soon {
            variant.times = times;
            variant.interval = around.interval;
            variant.latency = around.latency;
            variant.input_delay = around.input_delay;
            variant.output_delay = around.output_delay;
        }
        is_as_soon
    }
}

/// Cycles shorter than this part of the longest one stay as they are.
const LONG: f64 = 0.75;

/// ns of each cycle of a variant after which all that it computes is there.
fn lengths(variant: &Variant) -> Vec<f64> {
    let mut lengths = vec![0.0; variant.latency as usize + 1];
    let Times { ready, arrival, .. } = &variant.times;
    for (&cycle, &arrival) in ready.iter().zip(arrival) {
        if let Some(length) = lengths.get_mut(cycle as usize) {
            *length = f64::max(*length, arrival);
        }
    }
    lengths
}

/// A variant of the operator `name` that is shared: its operands come after a choice between those of several calls. What was
/// scheduled before is known.
pub fn shared(
    name: &str,
    alone: &Variant,
    shared: Shared,
    device: &Device,
    budget: f64,
) -> Option<Variant> {
    if alone.is_foreign {
        return Some(Variant {
            input_delay: (alone.input_delay + shared.choice_delay).min(budget),
            shared: Some(shared),
            ..alone.clone()
        });
    }
    let name = kind_of(name, alone.is_fast);
    let name = format!("{name} {budget} {} {}", shared.choice_delay, device.name);
    let graph = &alone.graph;
    let known = Scheduled::known(&SHARED, &name, (graph, device), || {
        let fastest = variant_behind(graph.clone(), Some(shared), device, budget, budget)?;
        Some(evened(fastest, device, budget))
    });
    let found = known.found.clone()?;
    Some(Variant {
        shared: Some(shared),
        is_fast: alone.is_fast,
        ..found
    })
}

/// A variant of which the operations that follow one another in a cycle take no more ns than a limit.
fn variant_behind(
    graph: Graph,
    shared: Option<Shared>,
    device: &Device,
    budget: f64,
    limit: f64,
) -> Option<Variant> {
    let (problem, steps) = posed(&graph, shared, device, budget, limit);
    let times = problem.solve(None).ok()?.times;
    Some(variant_of(graph, shared, budget, limit, times, steps))
}

/// What such a variant has to fulfil, and the cycles of the steps that it iterates.
fn posed<'g>(
    graph: &'g Graph,
    shared: Option<Shared>,
    device: &Device,
    budget: f64,
    limit: f64,
) -> (Problem<'g>, Vec<Times>) {
    let roots: Vec<(NodeId, u32)> = graph.outputs.iter().map(|&o| (o, u32::MAX)).collect();
    let width = crate::hwarith::demand::demanded(graph, &roots, None);
    let mut problem = Problem::new(graph, width, device, budget);
    problem.limits = vec![limit];
    if let Some(shared) = shared {
        delay_inputs(&mut problem, |_| shared.choice_delay.min(budget));
    }
    let steps = graph.steps.iter();
    let steps: Vec<Times> = steps.map(|s| step_times(s, device, budget)).collect();
    for (id, node) in graph.nodes.iter() {
        if let Op::Iterate { step, count } = node.op {
            let step = step as usize;
            problem.kinds[id.index()] = Kind::Pipelined {
                before: first_cycle_delay(&steps[step]),
                latency: count * step_cycles(&graph.steps[step], &steps[step]),
                after: 0.0,
            };
        }
    }
    (problem, steps)
}

/// What of a variant concerns what is around it.
struct Around {
    interval: u32,
    latency: u32,
    input_delay: f64,
    output_delay: f64,
}

impl Around {
    fn of(graph: &Graph, times: &Times, steps: &[Times], budget: f64) -> Around {
        let output = graph.outputs[0].index();
        let busy = graph.nodes.iter().map(|(id, node)| match node.op {
            Op::Iterate { .. } => times.ready[id.index()] - times.start[id.index()],
            _ => 1,
        });
        Around {
            interval: busy.max().unwrap_or(1),
            latency: times.ready[output],
            input_delay: input_delay(graph, times, steps).min(budget),
            output_delay: times.arrival[output],
        }
    }

    /// Whether it is done exactly when a variant is, for which what is around it may be scheduled, and leaves as much of the cycles
    /// before and after it.
    fn is_as_soon_as(&self, variant: &Variant) -> bool {
        (self.latency, self.interval) == (variant.latency, variant.interval)
            && self.input_delay <= variant.input_delay
            && self.output_delay <= variant.output_delay
    }
}

impl Variant {
    /// What the name of its module says of it, behind that of the operator.
    pub fn kind(&self) -> String {
        let words = [
            (self.is_fast, "_fast"),
            (self.interval > 1, "_rolled"),
            (self.shared.is_some(), "_shared"),
        ];
        words
            .into_iter()
            .filter(|word| word.0)
            .map(|word| word.1)
            .collect()
    }

    /// Whether its cycles are what they are: steps that are iterated have a register around them.
    fn is_fixed(&self) -> bool {
        self.latency == 0 || self.interval > 1 || self.is_foreign
    }
}

/// A variant with these times.
fn variant_of(
    graph: Graph,
    shared: Option<Shared>,
    budget: f64,
    limit: f64,
    times: Times,
    steps: Vec<Times>,
) -> Variant {
    let around = Around::of(&graph, &times, &steps, budget);
    Variant {
        interval: around.interval,
        latency: around.latency,
        input_delay: around.input_delay,
        output_delay: around.output_delay,
        shared,
        is_foreign: false,
        is_fast: false,
        limit,
        times,
        steps,
        graph,
    }
}

/// Longest time of cycle 0 in which something that depends on an input is still busy.
fn input_delay(graph: &Graph, times: &Times, steps: &[Times]) -> f64 {
    let arrival = |id: NodeId| {
        let i = id.index();
        match times.ready[i] == 0 && !times.stable[i] {
            true => times.arrival[i],
            false => 0.0,
        }
    };
    let iterated = graph.nodes.iter().map(|(id, node)| match node.op {
        Op::Iterate { step, .. } if times.start[id.index()] == 0 => {
            let operands = node.args.iter().map(|&a| arrival(a)).fold(0.0, f64::max);
            operands + first_cycle_delay(&steps[step as usize])
        }
        _ => 0.0,
    });
    iterated.fold(first_cycle_delay(times), f64::max)
}

/// Cycles of the operations of one application of a step. Its operands come after the choice between the first state
/// and the last one.
fn step_times(step: &Graph, device: &Device, budget: f64) -> Times {
    let roots: Vec<(NodeId, u32)> = step.outputs.iter().map(|&o| (o, u32::MAX)).collect();
    let width = crate::hwarith::demand::demanded(step, &roots, None);
    let mut problem = Problem::new(step, width, device, budget);
    delay_inputs(&mut problem, |width| {
        device.delay(Class::Mux, width).min(budget)
    });
    let solution = problem.solve(None);
    let solution =
        solution.expect("only what is shared or carried can fail, and a step has neither");
    solution.times
}

/// Has inputs come after so many ns, by their widths.
fn delay_inputs(problem: &mut Problem, delay: impl Fn(u32) -> f64) {
    for (id, node) in problem.graph.nodes.iter() {
        if matches!(node.op, Op::Input(_)) {
            problem.kinds[id.index()] = Kind::Logic(delay(node.ty.width));
        }
    }
}

/// Cycles from one state of an iterated step to the next: the state is a register.
fn step_cycles(step: &Graph, times: &Times) -> u32 {
    times.ready[step.outputs[0].index()] + 1
}

/// Longest time of cycle 0 in which something is still busy.
fn first_cycle_delay(times: &Times) -> f64 {
    let nodes = 0..times.ready.len();
    let busy = nodes.filter(|&i| times.width[i] > 0 && times.ready[i] == 0 && !times.stable[i]);
    busy.map(|i| times.arrival[i]).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::FloatFormat;
    use crate::units::float;

    /// The product of f32 has room in its later cycles.
    #[test]
    fn cycles_become_alike_without_a_delay_around_them() {
        let device = Device::load("ecp5").expect("a device");
        let longest = |variant: &Variant| lengths(variant).into_iter().fold(0.0, f64::max);
        let fastest = variant(float::mul(FloatFormat::F32), &device, 9.5).expect("a schedule");
        let even = finish(evened(fastest.clone(), &device, 9.5), &device, 9.5);
        assert_eq!(even.latency, fastest.latency);
        assert!(
            even.input_delay <= fastest.input_delay && even.output_delay <= fastest.output_delay
        );
        assert!(longest(&even) < longest(&fastest));
    }

    /// The last cycle of a carried sum can be no longer, but has room for what nothing waits for.
    #[test]
    fn a_long_cycle_leaves_more_to_the_next_one() {
        let device = Device::load("ecp5").expect("a device");
        let mut shorter = 0;
        for budget in [8.0, 8.6, 9.5, 10.0, 10.5, 11.0, 11.5] {
            let sum = float::add_carried(FloatFormat::F32);
            let fastest = variant(sum, &device, budget).expect("a schedule");
            let even = finish(evened(fastest.clone(), &device, budget), &device, budget);
            let around = Around::of(&even.graph, &even.times, &even.steps, budget);
            assert!(around.is_as_soon_as(&fastest), "{budget}");
            assert!(lengths(&even).iter().all(|length| *length <= budget));
            let first = lengths(&even)[0];
            assert!(first <= even.input_delay, "{budget}: {first}");
            shorter += u32::from(first < 0.9 * even.input_delay);
        }
        assert!(shorter > 0);
    }

    /// A device of the user's may have the name of another.
    #[test]
    fn what_is_kept_of_an_operator_is_that_of_the_device() {
        let unit = Unit::new("fadd_e8f23", float::add(FloatFormat::F32), 32);
        let fast = Device::load("ecp5").expect("a device");
        let slow = Device {
            name: fast.name.clone(),
            ..Device::load("ice40up").expect("a device")
        };
        let latency = |found: Option<UnitSchedule>| found.expect("a schedule").variants[0].latency;
        let warnings = &mut Diagnostics::default();
        for device in [&fast, &slow, &fast] {
            let alone = latency(schedule(&unit.graph, device, 8.0, warnings));
            assert_eq!(latency(kept(&unit, device, 8.0, warnings)), alone);
        }
        let [fast, slow] = [&fast, &slow].map(|device| latency(kept(&unit, device, 8.0, warnings)));
        assert!(fast < slow, "{fast}, {slow}");
    }
}

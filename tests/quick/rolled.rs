//! Operators in all their implementations compute what their graphs say, however far apart operations start.

use allo_hls::diagnostics::Diagnostics;
use allo_hls::hwarith::graph::UnitId;
use allo_hls::hwarith::{Graph, HwType, builder, eval};
use allo_hls::ir::FloatFormat;
use allo_hls::machine::fit;
use allo_hls::machine::program::Program;
use allo_hls::rtl;
use allo_hls::schedule::{self, Schedule, Variant, check, device::Device};
use allo_hls::sim::rtl::Simulator;
use allo_hls::units::{divide, float, power};
use num_bigint::{BigInt, BigUint};

/// Quotient above remainder.
fn division(numerator: u32, denominator: u32) -> Graph {
    let mut g = Graph::new();
    let a = g.input(0, HwType::ui(numerator));
    let b = g.input(1, HwType::ui(denominator));
    let (quotient, remainder) = divide::unsigned(&mut g, a, b);
    let both = g.concat(&[quotient, remainder]);
    // Something that has to wait for the result.
    let late = g.add(both, a);
    g.outputs.push(late);
    builder::rebuild(&g)
}

/// Deterministic numbers below 2^width.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
    fn word(&mut self, width: u32) -> BigUint {
        let bits = (0..width).map(|i| BigUint::from(self.below(2)) << i);
        bits.sum()
    }
}

/// Runs operations at random distances of at least the interval, with other values at the operands in between.
fn runs(program: &Program, variant: &Variant, seed: u64) {
    let unit = &program.units[UnitId::new(0)];
    let design = rtl::elaborate::build_operator(unit, variant);
    rtl::validate::validate(&design).expect("valid");
    let top = design.modules.ids().last().expect("a module");
    let mut simulator = Simulator::new(&design, top, seed).expect("a simulator");
    let inputs = unit.graph.input_types();
    let ports: Vec<_> = inputs
        .iter()
        .zip(rtl::elaborate::units::OPERANDS)
        .map(|(_, name)| simulator.signal(name).expect("operand"))
        .collect();
    let start = simulator.signal(rtl::elaborate::units::START);
    assert_eq!(start.is_some(), variant.interval > 1);
    let result = simulator
        .signal(rtl::elaborate::units::RESULT)
        .expect("result");
    let mut numbers = Numbers(seed);
    let mut expected: Vec<(u64, BigInt)> = Vec::new();
    let mut next_start = numbers.below(4);
    let mut checked = 0;
    for cycle in 0..200 + 20 * u64::from(variant.latency) {
        let values: Vec<BigUint> = inputs.iter().map(|ty| numbers.word(ty.width)).collect();
        for (port, value) in ports.iter().zip(&values) {
            simulator.set_big(*port, value);
        }
        let starts = cycle == next_start;
        if let Some(start) = start {
            simulator.set(start, u64::from(starts));
        }
        if starts {
            let values: Vec<BigInt> = values.into_iter().map(BigInt::from).collect();
            let wanted = eval::eval(&unit.graph, &values).swap_remove(0);
            expected.push((cycle + u64::from(variant.latency), wanted));
            next_start += u64::from(variant.interval) + numbers.below(3);
        }
        if let Some((due, wanted)) = expected.first()
            && *due == cycle
        {
            assert_eq!(
                BigInt::from(simulator.get_big(result)),
                *wanted,
                "cycle {cycle}"
            );
            expected.remove(0);
            checked += 1;
        }
        simulator.step();
    }
    assert!(checked >= 10);
}

#[test]
fn every_implementation_of_a_division_computes_what_its_graph_says() {
    let device = Device::load("ecp5").expect("device");
    for (numerator, denominator) in [(1, 1), (8, 8), (32, 32), (24, 7), (7, 24), (64, 33)] {
        let graph = division(numerator, denominator);
        let program = Program::of_unit("divide", graph, numerator + numerator.min(denominator) + 1);
        for period in [4.0, 10.0, 40.0] {
            let schedule =
                schedule::schedule(&program, &device, period, &mut Diagnostics::default())
                    .expect("schedule");
            let variants = &schedule.units[UnitId::new(0)].variants;
            assert_eq!(variants[0].interval, 1);
            for (seed, variant) in (1..).zip(variants) {
                runs(&program, variant, seed);
            }
        }
    }
}

#[test]
fn a_division_too_large_to_unroll_is_only_rolled() {
    let device = Device::load("ecp5").expect("device");
    let program = Program::of_unit("divide", division(300, 300), 601);
    let schedule =
        schedule::schedule(&program, &device, 10.0, &mut Diagnostics::default()).expect("schedule");
    let [rolled] = &schedule.units[UnitId::new(0)].variants[..] else {
        panic!("one implementation");
    };
    assert!(rolled.interval > 1);
    runs(&program, rolled, 1);
}

/// A unit scheduled as the compiler does it, and what it is scheduled for.
fn scheduled(graph: Graph, width: u32, mhz: f64) -> (Program, Schedule, Device) {
    let device = Device::load("ecp5").expect("device");
    let mut program = Program::of_unit("unit", graph, width);
    let period = 1000.0 / mhz;
    fit::fit(
        &mut program,
        schedule::widest(&device, period),
        fit::Trust::Compared,
        &mut Diagnostics::default(),
    );
    let schedule = schedule::schedule(&program, &device, period, &mut Diagnostics::default())
        .expect("schedule");
    check::check(&program, &schedule, &device).expect("a right schedule");
    (program, schedule, device)
}

#[test]
fn a_step_longer_than_a_cycle_takes_several() {
    let unit = |name| match name {
        "power" => (power::unit(64, 6), 64),
        _ => (division(128, 128), 257),
    };
    for (name, mhz, steps, cycles) in [
        ("power", 50.0, 6, 1),
        ("power", 100.0, 6, 3),
        ("power", 200.0, 6, 6),
        ("division", 100.0, 128, 1),
        ("division", 200.0, 128, 4),
        ("division", 300.0, 128, 6),
    ] {
        let (graph, width) = unit(name);
        let (program, schedule, _) = scheduled(graph, width, mhz);
        let rolled = schedule.units[UnitId::new(0)]
            .variants
            .last()
            .expect("a variant");
        assert_eq!(rolled.interval, steps * cycles, "{name} at {mhz} MHz");
        if steps < 100 || cycles > 1 {
            runs(&program, rolled, 1);
        }
    }
}

#[test]
fn a_step_that_does_not_meet_the_clock_is_found_out() {
    let faults: [fn(&mut Variant); 4] = [
        // Its last operation in the cycle before.
        |v| {
            let last = v.graph.steps[0].outputs[0].index();
            v.steps[0].ready[last] -= 1;
            v.steps[0].start[last] -= 1;
        },
        // Longer than a cycle.
        |v| v.steps[0].arrival[0] += 10.0,
        // Without the choice between the first state and the last.
        |v| v.steps[0].arrival[0] = 0.0,
        |v| v.interval -= 1,
    ];
    for fault in faults {
        let (program, mut schedule, device) = scheduled(power::unit(64, 6), 64, 200.0);
        fault(
            schedule.units[UnitId::new(0)]
                .variants
                .last_mut()
                .expect("a variant"),
        );
        check::check(&program, &schedule, &device).expect_err("a wrong schedule");
    }
}

#[test]
fn an_operator_takes_as_many_cycles_as_it_is_given() {
    let device = Device::load("ecp5").expect("device");
    let period = 8.0;
    for (name, make) in [
        ("add", float::add as fn(FloatFormat) -> Graph),
        ("div", float::div),
    ] {
        let graph = builder::rebuild(&make(FloatFormat::BF16));
        let program = Program::of_unit(name, graph, 16);
        let unit = &program.units[UnitId::new(0)];
        let with = |latency| {
            schedule::operator(unit, &device, period, latency, &mut Diagnostics::default())
        };
        let least = with(None).expect("a schedule");
        let longest = |variant: &Variant| {
            let arrivals = variant.times.arrival.iter().copied();
            arrivals.fold(0.0, f64::max)
        };
        for more in [0, 1, 2, 5, 50] {
            let variant = with(Some(least.latency + more)).expect("a schedule");
            assert_eq!(variant.latency, least.latency + more);
            check::unit(&variant, &device, period).expect("a right schedule");
            assert!(longest(&variant) <= longest(&least), "{name}: {more} more");
            runs(&program, &variant, 1);
        }
        let twice = with(Some(2 * least.latency)).expect("a schedule");
        assert!(
            longest(&twice) < 0.8 * longest(&least),
            "{name} is balanced"
        );
        let refused = with(Some(least.latency - 1)).expect_err("too few cycles");
        let wanted = format!("it takes {} at least", least.latency);
        assert!(refused.to_string().ends_with(&wanted), "{refused}");
    }
}

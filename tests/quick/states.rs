//! What is kept between invocations: it is there after a reset, carries over, and belongs to one call each.

use crate::directives::checked;
use crate::support;
use allo_hls::driver::Compilation;
use allo_hls::sim::args;
use allo_hls::sim::cosim::{CosimOptions, cosim_on, simulate};
use allo_hls::sim::elements::{Between, Elements};
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::reference::{Options, Prepared};
use allo_hls::sim::rtl::Simulator;
use allo_hls::sim::selfcheck::Checked;
use allo_hls::sim::shell;

fn built(name: &str) -> Compilation {
    let text = support::read(&support::root(&format!("tests/states/{name}.py")));
    checked(&text, &[])
}

/// Each with random data, one invocation after the other, and resets: see the self-check.
#[test]
fn what_is_kept_is_what_the_reference_keeps() {
    for path in support::files("tests/states", "py") {
        let name = support::stem(&path);
        assert!(matches!(built(&name).checked, Checked::Runs(_)), "{name}");
    }
}

/// Scalar results of a list of invocations: of the reference, and of the netlist.
fn returned(name: &str, arguments: &str, between: Between) -> [Vec<String>; 2] {
    let compiled = built(name);
    let reference = Prepared::of(&compiled.program).expect("a program");
    let inputs = args::read_json(&reference.signature, arguments).expect("arguments");
    let outcomes = reference.run_list(&inputs, between, &Options::default());
    let outcomes = outcomes.expect("an end").1.into_iter();
    let (design, manifest) = shell::around(&compiled.design, &compiled.manifest).expect("a shell");
    let engine = Netlist::new(&design, &manifest).expect("a netlist");
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    let ran = simulate(program, manifest, &engine, (&inputs, between), 10_000).expect("an end");
    let options = CosimOptions {
        args: Some(inputs),
        between,
        ..CosimOptions::default()
    };
    cosim_on(&engine, program, manifest, &options, &|_, _| ()).expect("no difference");
    let text = |params: &[Elements], results: &[Elements]| {
        args::results_json(&reference.signature, params, results, false)["return"].to_string()
    };
    [
        outcomes.map(|o| text(&o.params, &o.results)).collect(),
        ran.iter().map(|r| text(&r.params, &r.results)).collect(),
    ]
}

#[test]
fn a_list_of_invocations_carries_it_over() {
    let steps = r#"[{"step": 1}, {"step": 2}, {"step": -5}]"#;
    let kept = ["101", "103", "98"].map(String::from).to_vec();
    assert_eq!(
        returned("counter", steps, Between::Nothing),
        [kept.clone(), kept]
    );
    let fresh = ["101", "102", "95"].map(String::from).to_vec();
    assert_eq!(
        returned("counter", steps, Between::Reset),
        [fresh.clone(), fresh]
    );
}

/// Each of `numbered(by) + 3 * numbered(2 * by)` counts alone.
#[test]
fn each_call_keeps_its_own() {
    let zeros = "[0, 0, 0, 0, 0, 0]";
    let once = format!("[{{\"x\": {zeros}, \"by\": 1}}, {{\"x\": {zeros}, \"by\": 1}}]");
    // By 1 twice: 1 + 3 * 2 and then 2 + 3 * 4, of two calls of `two` that do not disturb one another.
    let zero = ["0", "0"].map(String::from).to_vec();
    assert_eq!(
        returned("calls", &once, Between::Nothing),
        [zero.clone(), zero]
    );
}

/// `ap_idle` is 0 while the first values are written; a start waits until they are.
#[test]
fn a_start_waits_for_the_first_values() {
    let compiled = built("filter");
    let mut simulator = Simulator::new(
        &compiled.design,
        compiled.design.top().expect("a module"),
        1,
    )
    .expect("a netlist");
    let signal = |simulator: &Simulator, name: &str| simulator.signal(name).expect("a port");
    let ports = ["ap_rst", "ap_start", "ap_idle", "ap_done", "x", "ap_return"];
    let [reset, start, idle, done, x, returns] = ports.map(|name| signal(&simulator, name));
    simulator.set(reset, 1);
    simulator.set(start, 1);
    simulator.set(x, 10);
    simulator.step();
    simulator.set(reset, 0);
    let mut waited = 0;
    while simulator.get(idle) == 0 {
        waited += 1;
        simulator.step();
    }
    // Four elements, and one cycle more for the table that they come from.
    assert_eq!(waited, 5);
    while simulator.get(done) == 0 {
        simulator.step();
    }
    // 10, 3, -1, 4 are the taps then.
    assert_eq!(simulator.get(returns), 10 + 2 * 3 - 3 + 4 * 4);
}

/// A scalar has its first value from the reset itself.
#[test]
fn with_state_in_scalars_alone_a_module_is_idle_after_a_reset() {
    let compiled = built("counter");
    let top = compiled.design.top().expect("a module");
    let mut simulator = Simulator::new(&compiled.design, top, 1).expect("a netlist");
    let [reset, start, idle] =
        ["ap_rst", "ap_start", "ap_idle"].map(|name| simulator.signal(name).expect("a port"));
    simulator.set(start, 0);
    simulator.set(reset, 1);
    simulator.step();
    simulator.set(reset, 0);
    assert_eq!(simulator.get(idle), 1);
}

#[test]
fn state_of_two_processes_is_refused() {
    let text = "from allo import *\n\n@kernel\ndef put(s: Stream[i32]):\n    s.put(1)\n\n@kernel\ndef top(y: \"i32[1]\"):\n    \
                n: Stateful[i32] = 0\n    s: Stream[i32]\n    n += 1\n    put(s)\n    y[0] = s.get() + n\n";
    let said = crate::directives::compile_text(text, &[], false).err();
    assert_eq!(
        said.as_deref(),
        Some("several processes use 'n', which is kept between invocations")
    );
}

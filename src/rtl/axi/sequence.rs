//! The order of an invocation: buffers are loaded, the core runs, buffers are written back.

use crate::rtl::elaborate::circuit::Circuit;
use crate::rtl::netlist::Module;

/// The module. `frames`: it has `frame_event` and remembers it in `frame_error`.
pub fn build(name: &str, frames: bool) -> Module {
    let circuit = Circuit::new(name, "loads, runs, writes back".into(), true);
    let c = &circuit;
    let [start, load_busy, store_busy] =
        ["start", "load_busy", "store_busy"].map(|name| c.input(name, 1));
    let [core_ready, core_done] = ["core_ready", "core_done"].map(|name| c.input(name, 1));
    let [loading, starting, waiting, storing] =
        ["loading", "starting", "waiting", "storing"].map(|name| c.wire(name, 1));
    let idle = !(loading | starting | waiting | storing);
    let go = (idle & start).named("go");
    c.flag(loading, go, !load_busy);
    c.flag(starting, loading & !load_busy, core_ready);
    c.flag(waiting, starting & core_ready & !core_done, core_done);
    let run = (starting | waiting).named("running");
    let ends = (run & core_done).named("ends");
    c.flag(storing, ends, !store_busy);
    c.output("begin_load", go);
    c.output("begin_store", ends);
    c.output("core_start", starting);
    c.output("run", run);
    c.output("ready", starting & core_ready);
    c.output("done", storing & !store_busy);
    c.output("idle", idle);
    if frames {
        let event = c.input("frame_event", 1);
        let error = c.port("frame_error", 1);
        c.flag(error, event, c.zero());
    }
    circuit.finish()
}

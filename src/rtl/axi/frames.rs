//! An array as a frame of an AXI4-Stream: what comes in fills a buffer, what goes out empties it.

use super::circuit::{Circuit, Signal};
use super::plan::ArrayPlan;
use crate::rtl::netlist::{Module, address_width};

/// Takes a frame: `launch` has it do so, `busy` says that it does. A frame that ends early is filled up with zeros
/// (`short`); what comes after the last element is dropped until its end (`long`), be the block busy or not.
pub fn input(name: &str, array: &ArrayPlan) -> Module {
    let circuit = Circuit::new(name, format!("takes frames of {}", array.name), true);
    let c = &circuit;
    let [begin, valid, last] = ["launch", "tvalid", "tlast"].map(|name| c.input(name, 1));
    let data = c.input("tdata", 8 * array.element_bytes);
    let busy = c.port("busy", 1);
    let [fills, drops] = ["fills", "drops"].map(|name| c.wire(name, 1));
    let ready = ((busy & !fills) | drops).named("ready");
    let take = (busy & !fills & !drops & valid).named("take");
    let moves = (take | (busy & fills)).named("moves");
    let number = counter(c, begin, moves, array.length);
    let is_last = number.is(array.length - 1).named("is_last");
    c.flag(busy, begin, moves & is_last);
    let short = (take & last & !is_last).named("is_short");
    let long = (take & is_last & !last).named("is_long");
    c.flag(fills, short, moves & is_last);
    c.flag(drops, long, valid & last);
    c.output("tready", ready);
    c.output("load", moves);
    c.output("load_beat", number);
    c.output("load_data", fills.mux(c.constant(data.width(), 0u32), data));
    c.output("short", short);
    c.output("long", long);
    circuit.finish()
}

/// Sends a frame: `launch` has it do so, `busy` says that it does. TKEEP is 0 for an element that was not written.
pub fn output(name: &str, array: &ArrayPlan) -> Module {
    let circuit = Circuit::new(name, format!("sends frames of {}", array.name), true);
    let c = &circuit;
    let [begin, ready] = ["launch", "tready"].map(|name| c.input(name, 1));
    let data = c.input("fetch_data", 8 * array.element_bytes);
    let kept = c.input("fetch_strb", array.element_bytes);
    let valid = c.port("tvalid", 1);
    let [active, held, held_last] = ["active", "held", "held_last"].map(|name| c.wire(name, 1));
    let moves = (!valid | ready).named("moves");
    let go = (active & (!held | moves)).named("go");
    let number = counter(c, begin, go, array.length);
    let is_last = number.is(array.length - 1).named("is_last");
    c.flag(active, begin, go & is_last);
    c.flag(held, go, moves);
    held_last.register(None, Some(go), is_last);
    let loads = (held & moves).named("loads");
    c.flag(valid, loads, ready);
    c.port("tdata", data.width())
        .register(None, Some(loads), data);
    c.port("tkeep", kept.width())
        .register(None, Some(loads), kept);
    c.port("tlast", 1).register(None, Some(loads), held_last);
    c.output("busy", active | held | valid);
    c.output("fetch", go);
    c.output("fetch_beat", number);
    circuit.finish()
}

/// A queue of two elements in registers: `valid`, `ready`, `data` on one side, `out_valid`, `out_ready`, `out_data`
/// on the other; what is offered stays, and nothing passes within a cycle.
pub fn queue(name: &str, about: &str, width: u32) -> Module {
    let circuit = Circuit::new(name, format!("queue of {about}"), true);
    let c = &circuit;
    let [valid, takes] = ["valid", "out_ready"].map(|name| c.input(name, 1));
    let data = c.input("data", width);
    let first = c.port("out_valid", 1);
    let second = c.wire("second", 1);
    let accepts = (valid & !second).named("accepts");
    let moves = (!first | takes).named("moves");
    c.output("ready", !second);
    first.register(Some(0), None, !moves | second | accepts);
    second.register(Some(0), None, !moves & (second | accepts));
    let kept = c.wire("kept", width);
    kept.register(None, Some(accepts), data);
    let oldest = second.mux(kept, data);
    c.port("out_data", width)
        .register(None, Some(moves), oldest);
    circuit.finish()
}

/// Makes a buffer forget what was written: `launch` has it do so, `busy` says that it does.
pub fn sweep(name: &str, about: &str, beats: u64) -> Module {
    let circuit = Circuit::new(name, format!("clears the marks of {about}"), true);
    let c = &circuit;
    let begin = c.input("launch", 1);
    let busy = c.port("busy", 1);
    let number = counter(c, begin, busy, beats);
    c.flag(busy, begin, number.is(beats - 1));
    c.output("load_beat", number);
    circuit.finish()
}

/// The number of an element from 0 on, one more with each move.
fn counter<'c>(c: &'c Circuit, begin: Signal<'c>, moves: Signal<'c>, length: u64) -> Signal<'c> {
    let number = c.wire("number", address_width(length));
    let zero = c.constant(number.width(), 0u32);
    let next = begin.mux(zero, number.plus(1));
    number.register(None, Some((begin | moves).named("number_moves")), next);
    number
}

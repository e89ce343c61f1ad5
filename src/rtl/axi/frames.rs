//! An array as a frame of an AXI4-Stream: what comes in fills a buffer or goes to the core, what goes out empties a buffer or
//! comes from the core.

use super::plan::ArrayPlan;
use crate::rtl::elaborate::circuit::{Circuit, Signal};
use crate::rtl::elaborate::fifo;
use crate::rtl::netlist::{Module, ModuleId, address_width};

/// Takes a frame: `launch` has it do so, `busy` says that it does. A frame that ends early is filled up with zeros
/// (`short`); what comes after the last element is dropped until its end (`long`), be the block busy or not.
///
/// Of an array with a buffer, `load` brings the element `load_data` of the number `load_beat`; else `valid` offers it, which
/// `taken` takes.
pub fn input(name: &str, array: &ArrayPlan) -> Module {
    let circuit = Circuit::new(name, format!("takes frames of {}", array.name), true);
    let c = &circuit;
    let [begin, valid, last] = ["launch", "tvalid", "tlast"].map(|name| c.input(name, 1));
    let data = c.input("tdata", 8 * array.element_bytes);
    let busy = c.port("busy", 1);
    let [fills, drops] = ["fills", "drops"].map(|name| c.wire(name, 1));
    let taken = array.stream.as_ref().map(|_| c.input("taken", 1));
    let asks = taken.map_or(busy, |taken| busy & taken).named("asks");
    let ready = ((asks & !fills) | drops).named("ready");
    let take = (asks & !fills & !drops & valid).named("take");
    let moves = (take | (asks & fills)).named("moves");
    let number = counter(c, begin, moves, array.length);
    let is_last = number.is(array.length - 1).named("is_last");
    c.flag(busy, begin, moves & is_last);
    let short = (take & last & !is_last).named("is_short");
    let long = (take & is_last & !last).named("is_long");
    c.flag(fills, short, moves & is_last);
    c.flag(drops, long, valid & last);
    c.output("tready", ready);
    let element = fills.mux(c.constant(data.width(), 0u32), data);
    if taken.is_some() {
        c.output("valid", busy & (fills | (valid & !drops)));
        c.output("data", element.bits(0, array.width));
    } else {
        c.output("load", moves);
        c.output("load_beat", number);
        c.output("load_data", element);
    }
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

/// Counts the elements of a frame that goes out as the core gives them: `launch` begins one, `moves` says that an element is
/// taken, `last` that it is the last; `busy` until that is taken.
pub fn count(name: &str, array: &ArrayPlan) -> Module {
    let circuit = Circuit::new(name, format!("counts the elements of {}", array.name), true);
    let c = &circuit;
    let [begin, moves] = ["launch", "moves"].map(|name| c.input(name, 1));
    let number = counter(c, begin, moves, array.length);
    let is_last = number.is(array.length - 1).named("is_last");
    let busy = c.port("busy", 1);
    c.flag(busy, begin, moves & is_last);
    c.output("last", is_last);
    circuit.finish()
}

/// A queue of more elements than two, around one (`elaborate/fifo`).
pub fn deep(name: &str, about: &str, queue: (ModuleId, &Module), shape: &fifo::Shape) -> Module {
    let circuit = Circuit::new(name, format!("queue of {about}"), true);
    let c = &circuit;
    let [valid, takes] = ["valid", "out_ready"].map(|name| c.input(name, 1));
    let data = c.input("data", shape.width);
    let bits = fifo::count_width(shape.capacity());
    let count = c.wire("count", bits);
    let ready = (!count.is(shape.capacity())).named("has_room");
    let [accepts, gives] = ["accepts", "gives"].map(|name| c.wire(name, 1));
    let inputs = [
        ("ap_rst", c.reset()),
        ("clear", c.zero()),
        ("write", accepts),
        ("din", data),
        ("read", gives),
    ];
    let inputs = inputs.map(|(name, net)| (name.to_string(), net));
    let outputs = c.instance(queue, "queue", &inputs);
    accepts.set(valid & ready);
    gives.set(outputs.get("empty_n") & takes);
    let [more, less] = [accepts, gives].map(|bit| bit.resize(bits));
    count.register(Some(0), None, count + more - less);
    c.output("ready", ready);
    c.output("out_valid", outputs.get("empty_n"));
    c.output("out_data", outputs.get("dout"));
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

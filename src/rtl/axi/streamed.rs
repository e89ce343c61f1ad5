//! Arrays that are streamed: elements taken out of beats as they come, and beats made of elements.

use super::buffer::{Geometry, Shape};
use super::plan::ArrayPlan;
use crate::rtl::elaborate::circuit::{Circuit, Signal};
use crate::rtl::netlist::{Module, address_width};

/// Takes elements out of beats: `launch` begins an invocation, whose first element is number `shift` of the first beat.
/// `load` brings the beat `load_data`, where `ready` is 1; `valid` offers the element `data`, which `taken` takes.
pub fn unpack(name: &str, array: &ArrayPlan, shape: &Shape) -> Module {
    let circuit = Circuit::new(name, format!("elements of {}", array.name), true);
    let c = &circuit;
    let parts = Parts::new(c, array, shape);
    let [load, taken] = ["load", "taken"].map(|name| c.input(name, 1));
    let beat = c.input("load_data", 8 * shape.beat);
    let valid = c.port("valid", 1);
    let gives = (valid & taken).named("gives");
    if parts.geometry.beats > 1 {
        // The beats of an element, one after the other.
        let number = parts.beat_number(load);
        let element: Vec<Signal> = (0..parts.geometry.beats)
            .map(|k| {
                let part = c.wire(&format!("part{k}"), beat.width());
                part.register(None, Some(load & number.is(k.into())), beat);
                part
            })
            .collect();
        c.flag(valid, load & number.full(), gives);
        c.output("ready", !valid | gives);
        c.output("data", c.join(&element).resize(array.width));
        return circuit.finish();
    }
    let place = parts.element_number(gives);
    let ends = (gives & (place.is_last_of_beat | place.is_last)).named("ends");
    c.flag(valid, load, ends);
    c.output("ready", !valid | ends);
    let held = c.wire("held", beat.width());
    held.register(None, Some(load), beat);
    let bits = 8 * array.element_bytes;
    let elements = (0..parts.geometry.elements).map(|k| held.bits(k * bits, array.width));
    let elements: Vec<Signal> = elements.collect();
    c.output(
        "data",
        place
            .number
            .map_or(elements[0], |number| c.choose(number, &elements)),
    );
    circuit.finish()
}

/// Makes beats of elements: `launch` begins an invocation, whose first element is number `shift` of the first beat.
/// `valid` offers the element `data`, which is taken where `ready` is 1; `full` offers the beat `beat` with the strobes
/// `strb`, which `taken` takes.
pub fn pack(name: &str, array: &ArrayPlan, shape: &Shape) -> Module {
    let circuit = Circuit::new(name, format!("beats of {}", array.name), true);
    let c = &circuit;
    let parts = Parts::new(c, array, shape);
    let [valid, taken] = ["valid", "taken"].map(|name| c.input(name, 1));
    let element = c.input("data", array.width).resize(8 * array.element_bytes);
    let full = c.port("full", 1);
    let goes = (full & taken).named("goes");
    if parts.geometry.beats > 1 {
        let number = parts.beat_number(goes);
        let ready = (!full | (goes & number.full())).named("ready_for_element");
        let accepts = (valid & ready).named("accepts");
        c.flag(full, accepts, goes & number.full());
        c.output("ready", ready);
        let held = c.wire("held", element.width());
        held.register(None, Some(accepts), element);
        let beats =
            (0..parts.geometry.beats).map(|k| held.bits(k * 8 * shape.beat, 8 * shape.beat));
        c.output("beat", c.choose(number, &beats.collect::<Vec<_>>()));
        c.output("strb", c.one().repeat(shape.beat));
        return circuit.finish();
    }
    let ready = (!full | goes).named("ready_for_element");
    let accepts = (valid & ready).named("accepts");
    c.output("ready", ready);
    let place = parts.element_number(accepts);
    let completes = accepts & (place.is_last_of_beat | place.is_last);
    c.flag(full, completes, goes);
    let mut data = Vec::new();
    let mut strobes = Vec::new();
    for k in 0..parts.geometry.elements {
        let is_here = place.number.map_or(c.one(), |number| number.is(k.into()));
        let comes = (accepts & is_here).named(&format!("comes{k}"));
        let held = c.wire(&format!("held{k}"), element.width());
        held.register(None, Some(comes), element);
        data.push(held);
        let mark = c.wire(&format!("mark{k}"), 1);
        c.flag(mark, comes, goes);
        strobes.push(mark.repeat(array.element_bytes));
    }
    c.output("beat", c.join(&data));
    c.output("strb", c.join(&strobes));
    circuit.finish()
}

/// What both have.
struct Parts<'c> {
    c: &'c Circuit,
    array: &'c ArrayPlan,
    geometry: Geometry,
    launch: Signal<'c>,
}

/// Where the next element is.
struct Place<'c> {
    /// Its number in the beat, if there are several.
    number: Option<Signal<'c>>,
    is_last_of_beat: Signal<'c>,
    /// The last of the array.
    is_last: Signal<'c>,
}

impl<'c> Parts<'c> {
    fn new(c: &'c Circuit, array: &'c ArrayPlan, shape: &Shape) -> Parts<'c> {
        Parts {
            c,
            array,
            geometry: Geometry::of(array, shape),
            launch: c.input("launch", 1),
        }
    }

    /// Which beat of its element is next.
    fn beat_number(&self, moves: Signal<'c>) -> Signal<'c> {
        let number = self.c.wire("number", self.geometry.beats.trailing_zeros());
        let zero = self.c.constant(number.width(), 0u32);
        let next = self.launch.mux(zero, number.plus(1));
        number.register(
            None,
            Some((self.launch | moves).named("number_moves")),
            next,
        );
        number
    }

    fn element_number(&self, moves: Signal<'c>) -> Place<'c> {
        let c = self.c;
        let steps = (self.launch | moves).named("place_moves");
        let left = c.wire("left", address_width(self.array.length));
        let most = c.constant(left.width(), self.array.length - 1);
        let fewer = left - c.constant(left.width(), 1u32);
        left.register(None, Some(steps), self.launch.mux(most, fewer));
        let is_last = left.is(0);
        if self.geometry.elements == 1 {
            return Place {
                number: None,
                is_last_of_beat: c.one(),
                is_last,
            };
        }
        let shift = c.input("shift", self.geometry.shift_width());
        let number = c.wire("number", shift.width());
        number.register(None, Some(steps), self.launch.mux(shift, number.plus(1)));
        Place {
            number: Some(number),
            is_last_of_beat: number.full(),
            is_last,
        }
    }
}

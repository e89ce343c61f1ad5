//! AXI4 masters, connected to the buffers of their arrays, and to those that are streamed.

use super::Block;
use crate::rtl::axi::buffer::Geometry;
use crate::rtl::axi::master::{self, ADDRESS_WIDTH, Between, Bus, Transfer};
use crate::rtl::axi::plan::{Party, Reach};
use crate::rtl::axi::share::{self, Parties};
use crate::rtl::elaborate::circuit::{Outputs, Signal};
use crate::rtl::interface::manifest::Flow;
use std::collections::BTreeSet;

/// Inputs of an instance, by name.
type Inputs<'c> = Vec<(String, Signal<'c>)>;

/// What a half has from the bus, and those of it that each of several halves has of its own.
const READ_INPUTS: [(&str, u32); 4] = [("arready", 1), ("rvalid", 1), ("rlast", 1), ("rresp", 2)];
const WRITE_INPUTS: [(&str, u32); 4] = [("awready", 1), ("wready", 1), ("bvalid", 1), ("bresp", 2)];
const OWN: [&str; 5] = ["arready", "rvalid", "awready", "wready", "bvalid"];

impl<'c> Block<'c, '_> {
    /// What a half of a master has of the arrays of a party: what it moves, and the inputs that follow.
    fn transfers(&mut self, party: &Party) -> (Vec<Transfer>, Inputs<'c>) {
        let mut transfers = Vec::new();
        let mut inputs = Vec::new();
        for &number in &party.arrays {
            let array = &self.plan.arrays[number];
            let geometry = Geometry::of(array, &self.shape(array));
            transfers.push(Transfer {
                name: array.name.clone(),
                bytes: array.length * u64::from(array.element_bytes),
                is_shifted: geometry.elements > 1,
                beat_width: geometry.beat_width(),
            });
            let Reach::Master { base, .. } = array.reach else {
                continue;
            };
            let net = self.base(base);
            inputs.push((format!("base_{}", array.name), net));
        }
        (transfers, inputs)
    }

    /// The name of a party: that of its first array.
    fn party(&self, party: &Party) -> String {
        self.plan.arrays[party.arrays[0]].name.clone()
    }

    /// What all halves have of the bus, and what each has that shares it.
    fn bus_inputs(&mut self, bundle: usize, signals: &[(&str, u32)]) -> Inputs<'c> {
        let interface = format!("m_axi_{}", self.plan.bundles[bundle]);
        let port = |&(signal, width): &(&str, u32)| {
            (signal.into(), self.port(&interface, signal, width, true))
        };
        signals.iter().map(port).collect()
    }

    /// Of these inputs, those that a party has for itself.
    fn own_inputs(&mut self, bundle: usize, inputs: &Inputs<'c>, party: &str) -> Inputs<'c> {
        let bundle = &self.plan.bundles[bundle];
        let inputs = inputs.iter();
        let own = inputs.map(|(signal, net)| match OWN.contains(&signal.as_str()) {
            true => {
                let name = format!("m_axi_{bundle}:{signal}_{party}");
                (signal.clone(), self.net(&name, 1))
            }
            false => (signal.clone(), *net),
        });
        own.collect()
    }

    /// The halves of a master, each of one party; what is connected to the bus is the only one, or what they share it by.
    fn halves(
        &mut self,
        bundle: usize,
        flow: Flow,
        half: fn(&mut Self, usize, &Party, Inputs<'c>) -> Outputs<'c>,
    ) -> Option<Outputs<'c>> {
        let parties = self.plan.parties(bundle, flow);
        let signals = match flow {
            Flow::In => READ_INPUTS,
            Flow::Out => WRITE_INPUTS,
        };
        if parties.is_empty() {
            return None;
        }
        let bus = self.bus_inputs(bundle, &signals);
        if let [party] = &parties[..] {
            return Some(half(self, bundle, party, bus));
        }
        let names: Vec<String> = parties.iter().map(|party| self.party(party)).collect();
        let mut inputs = bus.clone();
        let pins: &[&str] = match flow {
            Flow::In => &["arvalid", "araddr", "arlen", "rready"],
            Flow::Out => &[
                "awvalid", "awaddr", "awlen", "wvalid", "wdata", "wstrb", "wlast",
            ],
        };
        for (party, name) in parties.iter().zip(&names) {
            let own = self.own_inputs(bundle, &bus, name);
            let outputs = half(self, bundle, party, own);
            let pins = pins.iter();
            inputs.extend(pins.map(|pin| (format!("{pin}_{name}"), outputs.get(pin))));
        }
        let share = self.share(bundle, flow, &names, inputs);
        let interface = format!("m_axi_{}", self.plan.bundles[bundle]);
        let own = signals.iter().filter(|(signal, _)| OWN.contains(signal));
        for (signal, _) in own {
            for name in &names {
                let signal = format!("{signal}_{name}");
                self.net(&format!("{interface}:{signal}"), 1)
                    .set(share.get(&signal));
            }
        }
        Some(share)
    }

    /// The module by which parties share the channels of a half.
    fn share(
        &mut self,
        bundle: usize,
        flow: Flow,
        names: &[String],
        inputs: Inputs<'c>,
    ) -> Outputs<'c> {
        let (what, outstanding) = match flow {
            Flow::In => ("reads", self.plan.options.outstanding.read),
            Flow::Out => ("writes", self.plan.options.outstanding.write),
        };
        let name = format!("{}_{what}", self.plan.bundles[bundle]);
        let owners = self.module_name(&format!("{name}_owners"));
        let owners = share::owners(&owners, names.len(), outstanding);
        let owners = self.design.modules.push(owners);
        let module_name = self.module_name(&name);
        let parties = Parties {
            names,
            outstanding,
            owners: (owners, &self.design.modules[owners]),
        };
        let module = match flow {
            Flow::In => share::reads(&module_name, &parties),
            Flow::Out => share::writes(&module_name, &parties, self.plan.options.width / 8),
        };
        self.instance(module, &name, inputs)
    }

    /// What both address channels have.
    fn address_ports(&mut self, interface: &str, prefix: &str, half: &Outputs<'c>) {
        for (signal, width) in [("addr", ADDRESS_WIDTH), ("len", 8), ("valid", 1)] {
            let signal = format!("{prefix}{signal}");
            self.port(interface, &signal, width, false)
                .set(half.get(&signal));
        }
        let beat = (self.plan.options.width / 8).trailing_zeros();
        let size = self.c.constant(3, beat);
        self.port(interface, &format!("{prefix}size"), 3, false)
            .set(size);
        let increments = self.c.constant(2, 1u32);
        self.port(interface, &format!("{prefix}burst"), 2, false)
            .set(increments);
    }

    pub(super) fn reader(&mut self, bundle: usize) {
        let interface = format!("m_axi_{}", self.plan.bundles[bundle]);
        let Some(half) = self.halves(bundle, Flow::In, Self::read_half) else {
            return;
        };
        self.address_ports(&interface, "ar", &half);
        self.port(&interface, "rready", 1, false)
            .set(half.get("rready"));
        let width = self.plan.options.width;
        let data = self.port(&interface, "rdata", width, true);
        for number in self.plan.transfers(bundle, Flow::In) {
            let name = &self.plan.arrays[number].name;
            self.net(&format!("{name}:load_data"), width).set(data);
        }
    }

    fn read_half(&mut self, bundle: usize, party: &Party, mut inputs: Inputs<'c>) -> Outputs<'c> {
        let (transfers, bases) = self.transfers(party);
        let name = self.half_name(bundle, party, "read");
        inputs.extend(bases);
        inputs.push(("launch".into(), self.net("begin_load", 1)));
        let pin = match party.between {
            Between::Buffers => None,
            Between::Nothing => Some("ready"),
            Between::Queue => Some("freed"),
        };
        if let Some(pin) = pin {
            let array = self.party(party);
            inputs.push((pin.into(), self.net(&format!("{array}:{pin}"), 1)));
        }
        let bus = Bus {
            beat: self.plan.options.width / 8,
            outstanding: self.plan.options.outstanding.read,
            between: party.between,
        };
        let stages: BTreeSet<Option<usize>> = transfers
            .iter()
            .map(|transfer| self.plan.stage(&transfer.name))
            .collect();
        let is_parted = stages.len() > 1;
        let module = master::reader(&self.module_name(&name), bus, &transfers, is_parted);
        let half = self.instance(module, &name, inputs);
        for transfer in &transfers {
            let name = &transfer.name;
            self.net(&format!("{name}:load"), 1)
                .set(half.get(&format!("load_{name}")));
            if party.between == Between::Buffers {
                let beat = half.get("beat").resize(transfer.beat_width);
                self.net(&format!("{name}:load_beat"), transfer.beat_width)
                    .set(beat);
            }
        }
        // What is streamed moves while the core runs.
        match party.between {
            Between::Buffers => {
                for transfer in &transfers {
                    let busy = match is_parted {
                        true => half.get(&format!("busy_{}", transfer.name)),
                        false => half.get("busy"),
                    };
                    self.wait_for(&transfer.name, busy);
                }
            }
            Between::Nothing | Between::Queue => self.storing.push(half.get("busy")),
        }
        self.event("read_error", half.get("error"));
        half
    }

    /// The name of a half of a master, or of its part for a party.
    fn half_name(&self, bundle: usize, party: &Party, what: &str) -> String {
        let bundle = &self.plan.bundles[bundle];
        match party.between {
            Between::Queue => format!("{bundle}_{}_{what}", self.party(party)),
            Between::Buffers | Between::Nothing => format!("{bundle}_{what}"),
        }
    }

    pub(super) fn writer(&mut self, bundle: usize) {
        let interface = format!("m_axi_{}", self.plan.bundles[bundle]);
        let Some(half) = self.halves(bundle, Flow::Out, Self::write_half) else {
            return;
        };
        self.address_ports(&interface, "aw", &half);
        let width = self.plan.options.width;
        for (signal, width) in [
            ("wdata", width),
            ("wstrb", width / 8),
            ("wlast", 1),
            ("wvalid", 1),
            ("bready", 1),
        ] {
            self.port(&interface, signal, width, false)
                .set(half.get(signal));
        }
    }

    fn write_half(&mut self, bundle: usize, party: &Party, mut inputs: Inputs<'c>) -> Outputs<'c> {
        let (transfers, bases) = self.transfers(party);
        let name = self.half_name(bundle, party, "write");
        inputs.extend(bases);
        let (launch, pins): (_, &[&str]) = match party.between {
            Between::Buffers => ("begin_store", &[]),
            Between::Nothing => ("begin_load", &["full"]),
            Between::Queue => ("begin_load", &["full", "stored"]),
        };
        inputs.push(("launch".into(), self.net(launch, 1)));
        let array = self.party(party);
        for pin in pins {
            inputs.push(((*pin).into(), self.net(&format!("{array}:{pin}"), 1)));
        }
        let width = self.plan.options.width;
        for Transfer { name, .. } in &transfers {
            for (what, width) in [("data", width), ("strb", width / 8)] {
                let net = self.net(&format!("{name}:fetch_{what}"), width);
                inputs.push((format!("{what}_{name}"), net));
            }
        }
        let bus = Bus {
            beat: width / 8,
            outstanding: self.plan.options.outstanding.write,
            between: party.between,
        };
        let module = master::writer(&self.module_name(&name), bus, &transfers);
        let half = self.instance(module, &name, inputs);
        for transfer in &transfers {
            let name = &transfer.name;
            self.net(&format!("{name}:fetch"), 1)
                .set(half.get(&format!("fetch_{name}")));
            if party.between == Between::Buffers {
                let beat = half.get("beat").resize(transfer.beat_width);
                self.net(&format!("{name}:fetch_beat"), transfer.beat_width)
                    .set(beat);
            }
        }
        self.storing.push(half.get("busy"));
        self.event("write_error", half.get("error"));
        half
    }
}

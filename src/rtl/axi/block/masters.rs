//! AXI4 masters, connected to the buffers of their arrays.

use super::Block;
use crate::rtl::axi::buffer::Geometry;
use crate::rtl::axi::circuit::{Outputs, Signal};
use crate::rtl::axi::master;
use crate::rtl::axi::master::{ADDRESS_WIDTH, Bus, Transfer};
use crate::rtl::axi::plan::{Options, Reach};
use crate::rtl::interface::manifest::Flow;

impl<'c> Block<'c, '_> {
    pub(super) fn bus(&self, flow: Flow) -> Bus {
        let Options {
            width, outstanding, ..
        } = self.plan.options;
        Bus {
            beat: width / 8,
            outstanding: match flow {
                Flow::In => outstanding.read,
                Flow::Out => outstanding.write,
            },
        }
    }

    /// What a half of a master has of its arrays: what it moves, and the inputs that follow.
    fn transfers(
        &mut self,
        bundle: usize,
        flow: Flow,
    ) -> (Vec<Transfer>, Vec<(String, Signal<'c>)>) {
        let mut transfers = Vec::new();
        let mut inputs = Vec::new();
        for number in self.plan.transfers(bundle, flow) {
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

    /// The array of a half, if it is streamed; then there is no other.
    fn streamed_on(&self, transfers: &[Transfer]) -> Option<String> {
        let name = &transfers.first()?.name;
        let array = self.plan.arrays.iter().find(|array| array.name == *name)?;
        array.stream.as_ref().map(|_| name.clone())
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
        let (transfers, mut inputs) = self.transfers(bundle, Flow::In);
        if transfers.is_empty() {
            return;
        }
        let name = self.plan.bundles[bundle].clone();
        let interface = format!("m_axi_{name}");
        let width = self.plan.options.width;
        inputs.push(("launch".into(), self.net("begin_load", 1)));
        let streamed = self.streamed_on(&transfers);
        if let Some(name) = &streamed {
            inputs.push(("ready".into(), self.net(&format!("{name}:ready"), 1)));
        }
        for (signal, width) in [("arready", 1), ("rvalid", 1), ("rlast", 1), ("rresp", 2)] {
            inputs.push((signal.into(), self.port(&interface, signal, width, true)));
        }
        let data = self.port(&interface, "rdata", width, true);
        let module = master::reader(
            &self.module_name(&format!("{name}_read")),
            self.bus(Flow::In),
            &transfers,
            streamed.is_some(),
        );
        let half = self.instance(module, &format!("{name}_read"), inputs);
        self.address_ports(&interface, "ar", &half);
        self.port(&interface, "rready", 1, false)
            .set(half.get("rready"));
        for transfer in &transfers {
            let name = &transfer.name;
            self.net(&format!("{name}:load"), 1)
                .set(half.get(&format!("load_{name}")));
            self.net(&format!("{name}:load_data"), width).set(data);
            if streamed.is_some() {
                continue;
            }
            let beat = half.get("beat").resize(transfer.beat_width);
            self.net(&format!("{name}:load_beat"), transfer.beat_width)
                .set(beat);
        }
        // What is streamed moves while the core runs.
        match streamed {
            Some(_) => self.storing.push(half.get("busy")),
            None => self.loading.push(half.get("busy")),
        }
        self.event("read_error", half.get("error"));
    }

    pub(super) fn writer(&mut self, bundle: usize) {
        let (transfers, mut inputs) = self.transfers(bundle, Flow::Out);
        if transfers.is_empty() {
            return;
        }
        let name = self.plan.bundles[bundle].clone();
        let interface = format!("m_axi_{name}");
        let width = self.plan.options.width;
        let streamed = self.streamed_on(&transfers);
        let launch = match &streamed {
            Some(name) => {
                inputs.push(("full".into(), self.net(&format!("{name}:full"), 1)));
                "begin_load"
            }
            None => "begin_store",
        };
        inputs.push(("launch".into(), self.net(launch, 1)));
        for (signal, width) in [("awready", 1), ("wready", 1), ("bvalid", 1), ("bresp", 2)] {
            inputs.push((signal.into(), self.port(&interface, signal, width, true)));
        }
        for Transfer { name, .. } in &transfers {
            inputs.push((
                format!("data_{name}"),
                self.net(&format!("{name}:fetch_data"), width),
            ));
            inputs.push((
                format!("strb_{name}"),
                self.net(&format!("{name}:fetch_strb"), width / 8),
            ));
        }
        let module = master::writer(
            &self.module_name(&format!("{name}_write")),
            self.bus(Flow::Out),
            &transfers,
            streamed.is_some(),
        );
        let half = self.instance(module, &format!("{name}_write"), inputs);
        self.address_ports(&interface, "aw", &half);
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
        for transfer in &transfers {
            let name = &transfer.name;
            self.net(&format!("{name}:fetch"), 1)
                .set(half.get(&format!("fetch_{name}")));
            if streamed.is_some() {
                continue;
            }
            let beat = half.get("beat").resize(transfer.beat_width);
            self.net(&format!("{name}:fetch_beat"), transfer.beat_width)
                .set(beat);
        }
        self.storing.push(half.get("busy"));
        self.event("write_error", half.get("error"));
    }
}

//! The driver's side of the control slave.

use super::channel::{Into, OutOf, pins_of};
use super::pins::{Pin, Pins};
use crate::rtl::interface::block::ControlSlave;
use crate::sim::draw::Rng;
use std::collections::HashMap;

/// The driver's side of the control slave.
pub(super) struct Lite {
    slave: ControlSlave,
    pub(super) aw: Into,
    pub(super) w: Into,
    pub(super) b: OutOf,
    pub(super) ar: Into,
    pub(super) r: OutOf,
    /// Answers that have come.
    pub(super) written: u64,
    pub(super) read: Option<u64>,
}

impl Lite {
    pub(super) fn new(slave: &ControlSlave, all: &HashMap<String, Pin>) -> Option<Lite> {
        let pins = |names: &[&str]| pins_of(all, &slave.ports, names);
        let out = |name: &str, pins: Vec<Pin>| OutOf::new(format!("control {name}"), &pins);
        Some(Lite {
            aw: Into::new(&pins(&["awvalid", "awready", "awaddr"])?),
            w: Into::new(&pins(&["wvalid", "wready", "wdata", "wstrb"])?),
            b: out("B", pins(&["bvalid", "bready", "bresp"])?),
            ar: Into::new(&pins(&["arvalid", "arready", "araddr"])?),
            r: out("R", pins(&["rvalid", "rready", "rdata", "rresp"])?),
            slave: slave.clone(),
            written: 0,
            read: None,
        })
    }

    pub(super) fn drive(&mut self, pins: &mut dyn Pins, now: u64, rng: &mut Rng) {
        for channel in [&mut self.aw, &mut self.w, &mut self.ar] {
            channel.drive(pins, now, rng);
        }
        for channel in [&mut self.b, &mut self.r] {
            channel.drive(pins, true, rng);
        }
    }

    pub(super) fn after(&mut self, pins: &mut dyn Pins) -> std::result::Result<(), String> {
        for channel in [&mut self.aw, &mut self.w, &mut self.ar] {
            channel.after(pins);
        }
        if let Some(payload) = self.b.after(pins)? {
            self.written += 1;
            if payload[0][0] != 0 {
                return Err(format!(
                    "a write of {} is not answered with OKAY",
                    self.slave.kind
                ));
            }
        }
        if let Some(payload) = self.r.after(pins)? {
            self.read = Some(payload[0][0]);
        }
        Ok(())
    }
}

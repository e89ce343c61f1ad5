//! Streams, and arrays as frames of them, connected.

use super::Block;
use crate::rtl::axi::buffer::Geometry;
use crate::rtl::axi::frames;
use crate::rtl::axi::plan::{ArrayPlan, StreamPlan};
use crate::rtl::elaborate::circuit::{Outputs, Signal};
use crate::rtl::interface::manifest::{Flow, StreamPorts};

impl<'c> Block<'c, '_> {
    pub(super) fn frame_in(&mut self, array: &ArrayPlan, geometry: &Geometry) {
        let bits = 8 * array.element_bytes;
        let frame = self.frame_taken(array, Vec::new());
        for (pin, width) in [
            ("load", 1),
            ("load_beat", geometry.beat_width()),
            ("load_data", bits),
        ] {
            self.net(&format!("{}:{pin}", array.name), width)
                .set(frame.get(pin));
        }
        self.wait_for(&array.name, frame.get("busy"));
    }

    /// A frame that goes to the core as it comes.
    pub(super) fn frame_to_core(&mut self, array: &ArrayPlan, ports: &StreamPorts) {
        let taken = self.of_core(&ports.read, 1);
        let frame = self.frame_taken(array, vec![("taken".to_string(), taken)]);
        self.of_core(&ports.dout, array.width)
            .set(frame.get("data"));
        self.of_core(&ports.empty_n, 1).set(frame.get("valid"));
        self.storing.push(frame.get("busy"));
    }

    /// What takes a frame.
    fn frame_taken(
        &mut self,
        array: &ArrayPlan,
        mut inputs: Vec<(String, Signal<'c>)>,
    ) -> Outputs<'c> {
        let name = &array.name;
        inputs.push(("launch".to_string(), self.net("begin_load", 1)));
        let bits = 8 * array.element_bytes;
        for (signal, width) in [("tdata", bits), ("tvalid", 1), ("tlast", 1)] {
            inputs.push((signal.into(), self.port(name, signal, width, true)));
        }
        let _ = self.port(name, "tkeep", array.element_bytes, true);
        let module = frames::input(&self.module_name(&format!("{name}_input")), array);
        let frame = self.instance(module, &format!("{name}_input"), inputs);
        self.port(name, "tready", 1, false).set(frame.get("tready"));
        self.event("short_frame", frame.get("short"));
        self.event("long_frame", frame.get("long"));
        frame
    }

    /// A frame that goes out as it comes from the core.
    pub(super) fn frame_of_core(&mut self, array: &ArrayPlan, ports: &StreamPorts) {
        let name = &array.name;
        let ready = self.port(name, "tready", 1, true);
        let [valid, data] = self.queued(name, ports, array.width, ready);
        let inputs = vec![
            ("launch".to_string(), self.net("begin_load", 1)),
            ("moves".to_string(), valid & ready),
        ];
        let module = frames::count(&self.module_name(&format!("{name}_count")), array);
        let count = self.instance(module, &format!("{name}_count"), inputs);
        let bytes = array.element_bytes;
        let values = [
            ("tdata", data.resize(8 * bytes)),
            ("tvalid", valid),
            ("tlast", count.get("last")),
            ("tkeep", self.c.one().repeat(bytes)),
        ];
        for (signal, value) in values {
            self.port(name, signal, value.width(), false).set(value);
        }
        self.storing.push(count.get("busy"));
    }

    /// A queue behind a stream of the core, which `ready` empties: whether an element is there, and that.
    fn queued(
        &mut self,
        name: &str,
        ports: &StreamPorts,
        width: u32,
        ready: Signal<'c>,
    ) -> [Signal<'c>; 2] {
        let inputs = vec![
            ("valid".to_string(), self.of_core(&ports.write, 1)),
            ("data".to_string(), self.of_core(&ports.din, width)),
            ("out_ready".to_string(), ready),
        ];
        let module = frames::queue(&self.module_name(&format!("{name}_queue")), name, width);
        let queue = self.instance(module, &format!("{name}_queue"), inputs);
        self.of_core(&ports.full_n, 1).set(queue.get("ready"));
        ["out_valid", "out_data"].map(|pin| queue.get(pin))
    }

    pub(super) fn frame_out(&mut self, array: &ArrayPlan, geometry: &Geometry) {
        self.sweep(array, geometry);
        let name = &array.name;
        let inputs = vec![
            ("launch".to_string(), self.net("begin_store", 1)),
            ("tready".to_string(), self.port(name, "tready", 1, true)),
            (
                "fetch_data".to_string(),
                self.net(&format!("{name}:fetch_data"), 8 * array.element_bytes),
            ),
            (
                "fetch_strb".to_string(),
                self.net(&format!("{name}:fetch_strb"), array.element_bytes),
            ),
        ];
        let module = frames::output(&self.module_name(&format!("{name}_output")), array);
        let frame = self.instance(module, &format!("{name}_output"), inputs);
        for (signal, width) in [
            ("tdata", 8 * array.element_bytes),
            ("tvalid", 1),
            ("tlast", 1),
            ("tkeep", array.element_bytes),
        ] {
            self.port(name, signal, width, false).set(frame.get(signal));
        }
        for pin in ["fetch", "fetch_beat"] {
            let value = frame.get(pin);
            self.net(&format!("{name}:{pin}"), value.width()).set(value);
        }
        self.storing.push(frame.get("busy"));
    }

    pub(super) fn stream(&mut self, stream: &StreamPlan) {
        let name = &stream.name;
        let bytes = stream.width.div_ceil(8);
        let core = |port: &Option<String>| format!("core.{}", port.clone().unwrap_or_default());
        let ports = &stream.ports;
        let is_input = stream.flow == Flow::In;
        let data = self.port(name, "tdata", 8 * bytes, is_input);
        let valid = self.port(name, "tvalid", 1, is_input);
        let ready = self.port(name, "tready", 1, !is_input);
        let keep = self.port(name, "tkeep", bytes, is_input);
        if is_input {
            // Without a queue, so that nothing is taken ahead of its use.
            self.net(&core(&ports.dout), stream.width)
                .set(data.bits(0, stream.width));
            self.net(&core(&ports.empty_n), 1).set(valid);
            ready.set(self.net(&core(&ports.read), 1));
            return;
        }
        let [some, oldest] = self.queued(name, ports, stream.width, ready);
        valid.set(some);
        data.set(oldest.resize(8 * bytes));
        keep.set(self.c.one().repeat(bytes));
        self.storing.push(some);
    }
}

//! Streams, and arrays as frames of them, connected.

use super::Block;
use crate::rtl::axi::buffer::Geometry;
use crate::rtl::axi::frames;
use crate::rtl::axi::plan::{ArrayPlan, StreamPlan};
use crate::rtl::interface::manifest::Flow;

impl Block<'_, '_> {
    pub(super) fn frame_in(&mut self, array: &ArrayPlan, geometry: &Geometry) {
        let name = &array.name;
        let bits = 8 * array.element_bytes;
        let [data, valid, last] = [("tdata", bits), ("tvalid", 1), ("tlast", 1)]
            .map(|(signal, width)| self.port(name, signal, width, true));
        let _ = self.port(name, "tkeep", array.element_bytes, true);
        let inputs = vec![
            ("launch".to_string(), self.net("begin_load", 1)),
            ("tdata".to_string(), data),
            ("tvalid".to_string(), valid),
            ("tlast".to_string(), last),
        ];
        let module = frames::input(&self.module_name(&format!("{name}_input")), array);
        let frame = self.instance(module, &format!("{name}_input"), inputs);
        self.port(name, "tready", 1, false).set(frame.get("tready"));
        for (pin, width) in [
            ("load", 1),
            ("load_beat", geometry.beat_width()),
            ("load_data", bits),
        ] {
            self.net(&format!("{name}:{pin}"), width)
                .set(frame.get(pin));
        }
        self.loading.push(frame.get("busy"));
        self.event("short_frame", frame.get("short"));
        self.event("long_frame", frame.get("long"));
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
        let module = frames::queue(
            &self.module_name(&format!("{name}_queue")),
            name,
            stream.width,
        );
        let inputs = vec![
            ("valid".to_string(), self.net(&core(&ports.write), 1)),
            (
                "data".to_string(),
                self.net(&core(&ports.din), stream.width),
            ),
            ("out_ready".to_string(), ready),
        ];
        let queue = self.instance(module, &format!("{name}_queue"), inputs);
        self.net(&core(&ports.full_n), 1).set(queue.get("ready"));
        valid.set(queue.get("out_valid"));
        data.set(queue.get("out_data").resize(8 * bytes));
        keep.set(self.c.one().repeat(bytes));
        self.storing.push(queue.get("out_valid"));
    }
}

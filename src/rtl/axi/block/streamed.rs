//! Streamed arrays, connected: between the core and a half of a master a queue, and what makes elements of beats.

use super::Block;
use crate::rtl::axi::buffer::Geometry;
use crate::rtl::axi::circuit::Signal;
use crate::rtl::axi::plan::{ArrayPlan, Reach};
use crate::rtl::axi::{frames, streamed};
use crate::rtl::interface::manifest::StreamPorts;

impl<'c> Block<'c, '_> {
    pub(super) fn streamed(&mut self, array: &ArrayPlan, ports: &StreamPorts) {
        let mut inputs = vec![("launch".to_string(), self.net("begin_load", 1))];
        let geometry = Geometry::of(array, &self.shape(array));
        if let Reach::Master { base, .. } = array.reach
            && let Some(shift) = self.shift(array, base, &geometry)
        {
            inputs.push(("shift".to_string(), shift));
        }
        match array.is_read() {
            true => self.streamed_in(array, ports, inputs),
            false => self.streamed_out(array, ports, inputs),
        }
    }

    fn of_core(&mut self, port: &Option<String>, width: u32) -> Signal<'c> {
        self.net(&format!("core.{}", port.clone().unwrap_or_default()), width)
    }

    fn streamed_in(
        &mut self,
        array: &ArrayPlan,
        ports: &StreamPorts,
        mut inputs: Vec<(String, Signal<'c>)>,
    ) {
        let (name, shape) = (&array.name, self.shape(array));
        let taken = self.c.wire(&format!("{name}_taken"), 1);
        inputs.push(("taken".into(), taken));
        inputs.push(("load".into(), self.net(&format!("{name}:load"), 1)));
        let data = self.net(&format!("{name}:load_data"), 8 * shape.beat);
        inputs.push(("load_data".into(), data));
        let module = streamed::unpack(&self.module_name(&format!("{name}_unpack")), array, &shape);
        let unpack = self.instance(module, &format!("{name}_unpack"), inputs);
        self.net(&format!("{name}:ready"), 1)
            .set(unpack.get("ready"));
        let inputs = vec![
            ("valid".to_string(), unpack.get("valid")),
            ("data".to_string(), unpack.get("data")),
            ("out_ready".to_string(), self.of_core(&ports.read, 1)),
        ];
        let module = frames::queue(
            &self.module_name(&format!("{name}_queue")),
            name,
            array.width,
        );
        let queue = self.instance(module, &format!("{name}_queue"), inputs);
        taken.set(queue.get("ready"));
        self.of_core(&ports.dout, array.width)
            .set(queue.get("out_data"));
        self.of_core(&ports.empty_n, 1).set(queue.get("out_valid"));
    }

    fn streamed_out(
        &mut self,
        array: &ArrayPlan,
        ports: &StreamPorts,
        mut inputs: Vec<(String, Signal<'c>)>,
    ) {
        let (name, shape) = (&array.name, self.shape(array));
        let ready = self.c.wire(&format!("{name}_ready"), 1);
        let queued = vec![
            ("valid".to_string(), self.of_core(&ports.write, 1)),
            ("data".to_string(), self.of_core(&ports.din, array.width)),
            ("out_ready".to_string(), ready),
        ];
        let module = frames::queue(
            &self.module_name(&format!("{name}_queue")),
            name,
            array.width,
        );
        let queue = self.instance(module, &format!("{name}_queue"), queued);
        self.of_core(&ports.full_n, 1).set(queue.get("ready"));
        inputs.push(("valid".into(), queue.get("out_valid")));
        inputs.push(("data".into(), queue.get("out_data")));
        inputs.push(("taken".into(), self.net(&format!("{name}:fetch"), 1)));
        let module = streamed::pack(&self.module_name(&format!("{name}_pack")), array, &shape);
        let pack = self.instance(module, &format!("{name}_pack"), inputs);
        ready.set(pack.get("ready"));
        self.net(&format!("{name}:full"), 1).set(pack.get("full"));
        let beat = 8 * shape.beat;
        self.net(&format!("{name}:fetch_data"), beat)
            .set(pack.get("beat"));
        self.net(&format!("{name}:fetch_strb"), shape.beat)
            .set(pack.get("strb"));
    }
}

//! Streamed arrays, connected: between the core and a half of a master a queue, and what makes elements of beats.

use super::Block;
use crate::rtl::axi::buffer::Geometry;
use crate::rtl::axi::master::{Between, QUEUED};
use crate::rtl::axi::plan::{ArrayPlan, Reach};
use crate::rtl::axi::{frames, streamed};
use crate::rtl::elaborate::circuit::{Outputs, Signal};
use crate::rtl::elaborate::fifo;
use crate::rtl::interface::manifest::{Flow, StreamPorts};

impl<'c> Block<'c, '_> {
    pub(super) fn streamed(&mut self, array: &ArrayPlan, ports: &StreamPorts) {
        if let Reach::Axis { flow } = array.reach {
            return match flow {
                Flow::In => self.frame_to_core(array, ports),
                Flow::Out => self.frame_of_core(array, ports),
            };
        }
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

    pub(super) fn of_core(&mut self, port: &Option<String>, width: u32) -> Signal<'c> {
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
        let mut load = self.net(&format!("{name}:load"), 1);
        let mut data = self.net(&format!("{name}:load_data"), 8 * shape.beat);
        let ready = self.net(&format!("{name}:ready"), 1);
        if self.between(array) == Between::Queue {
            let queue = self.beats(name, data.width(), [load, data, ready]);
            load = queue.get("out_valid") & ready;
            data = queue.get("out_data");
            self.net(&format!("{name}:freed"), 1).set(load);
        }
        inputs.push(("load".into(), load));
        inputs.push(("load_data".into(), data));
        let module = streamed::unpack(&self.module_name(&format!("{name}_unpack")), array, &shape);
        let unpack = self.instance(module, &format!("{name}_unpack"), inputs);
        ready.set(unpack.get("ready"));
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
        let fetch = self.net(&format!("{name}:fetch"), 1);
        let is_queued = self.between(array) == Between::Queue;
        let taken = match is_queued {
            true => self.c.wire(&format!("{name}_taken"), 1),
            false => fetch,
        };
        inputs.push(("taken".into(), taken));
        let module = streamed::pack(&self.module_name(&format!("{name}_pack")), array, &shape);
        let pack = self.instance(module, &format!("{name}_pack"), inputs);
        ready.set(pack.get("ready"));
        let [mut full, mut data, mut strobes] = ["full", "beat", "strb"].map(|pin| pack.get(pin));
        if is_queued {
            let beat = self.c.join(&[data, strobes]);
            let queue = self.beats(name, beat.width(), [full, beat, fetch]);
            taken.set(queue.get("ready"));
            let stored = full & queue.get("ready");
            self.net(&format!("{name}:stored"), 1).set(stored);
            full = queue.get("out_valid");
            let beat = queue.get("out_data");
            (data, strobes) = (
                beat.bits(0, data.width()),
                beat.bits(data.width(), strobes.width()),
            );
        }
        for (pin, value) in [
            ("full", full),
            ("fetch_data", data),
            ("fetch_strb", strobes),
        ] {
            let net = self.net(&format!("{name}:{pin}"), value.width());
            net.set(value);
        }
    }

    /// What the beats of an array that is streamed are in on their way.
    fn between(&self, array: &ArrayPlan) -> Between {
        let Reach::Master { bundle, .. } = array.reach else {
            return Between::Nothing;
        };
        let flow = match array.is_read() {
            true => Flow::In,
            false => Flow::Out,
        };
        let parties = self.plan.parties(bundle, flow);
        let is_of = |&number: &usize| self.plan.arrays[number].name == array.name;
        let own = parties.iter().find(|party| party.arrays.iter().any(is_of));
        own.map_or(Between::Nothing, |party| party.between)
    }

    /// A queue of beats: what offers one, the beat, and what takes one.
    fn beats(&mut self, name: &str, width: u32, nets: [Signal<'c>; 3]) -> Outputs<'c> {
        let shape = fifo::Shape::holding(width, QUEUED.into(), self.plan.options.lut_ram);
        let inner = fifo::build(&self.module_name(&format!("{name}_fifo")), &shape);
        let inner = self.design.modules.push(inner);
        let module_name = self.module_name(&format!("{name}_beats"));
        let queue = (inner, &self.design.modules[inner]);
        let module = frames::deep(&module_name, &format!("beats of {name}"), queue, &shape);
        let names = ["valid", "data", "out_ready"].map(String::from);
        let inputs = names.into_iter().zip(nets).collect();
        self.instance(module, &format!("{name}_beats"), inputs)
    }
}

//! The manifest of a block: what the plan says, with the names that ports got.

use super::control;
use super::master::ADDRESS_WIDTH;
use super::plan::{ArrayPlan, Interface, Options, Plan, Reach, words};
use crate::rtl::interface::block::*;
use crate::rtl::interface::manifest::{Access, Flow, Manifest, Port, PortKind, Reset};
use std::collections::BTreeMap;

/// What the manifest is made of.
pub struct Teller<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The manifest of the core.
    pub manifest: &'a Manifest,
    /// The ports of each interface by the names of its signals.
    pub ports: &'a BTreeMap<String, Ports>,
}

impl Teller<'_> {
    /// The manifest; `core` is the name of the core's module.
    pub fn manifest(&self, core: &str, frame_error: Option<String>) -> BlockManifest {
        let Manifest { args, returns, .. } = self.manifest;
        let Options {
            interface, control, ..
        } = self.plan.options;
        let ports = |ports: &[Port]| ports.iter().map(|port| self.port(port)).collect();
        BlockManifest {
            version: self.manifest.version,
            top: self.manifest.top.clone(),
            module: self.manifest.module.clone(),
            core: core.to_string(),
            interface: match interface {
                Interface::Axi => "axi".into(),
                Interface::Axis => "axis".into(),
            },
            clock: "ap_clk".into(),
            reset: Reset {
                port: "ap_rst_n".into(),
                active: "low".into(),
                sync: true,
            },
            interrupt: control.then(|| "interrupt".into()),
            control: control.then(|| self.slave()),
            masters: self.masters(),
            args: ports(args),
            returns: ports(returns),
            frame_error,
            latency: self.manifest.latency,
            loops: self.manifest.loops.clone(),
            checked: self.manifest.checked.clone(),
        }
    }

    fn slave(&self) -> ControlSlave {
        let has_local = self.plan.arrays.iter().any(ArrayPlan::is_local);
        let bits = control::STATUS_BITS
            .iter()
            .zip(0..)
            .filter(|(_, bit)| *bit < 4 || has_local);
        ControlSlave {
            kind: "axilite".into(),
            address_width: self.plan.address_width,
            data_width: control::WORD,
            ports: self.ports.get(control::SLAVE).cloned().unwrap_or_default(),
            status: Status {
                offset: self.plan.status,
                bits: bits.map(|(name, bit)| ((*name).to_string(), bit)).collect(),
            },
        }
    }

    fn masters(&self) -> Vec<Master> {
        let masters = self.plan.bundles.iter().enumerate();
        let masters = masters.filter_map(|(number, bundle)| {
            let ports = self.ports.get(&format!("m_axi_{bundle}"))?;
            Some(Master {
                bundle: bundle.clone(),
                address_width: ADDRESS_WIDTH,
                data_width: self.plan.options.width,
                id_width: 0,
                max_burst: self.plan.most_beats(number),
                outstanding: self.plan.options.outstanding,
                ports: ports.clone(),
            })
        });
        masters.collect()
    }

    fn port(&self, port: &Port) -> BlockPort {
        let mut streamed = self.plan.options.streamed.iter();
        let streamed = streamed.find(|array| Some(&array.name) == port.name.as_ref());
        let kind = streamed.map(|array| port.kind.as_array(&array.shape));
        let kind = match kind.as_ref().unwrap_or(&port.kind) {
            PortKind::Scalar { ty, width, port } => {
                let result = self.plan.results.iter().find(|result| result.port == *port);
                let register = self
                    .plan
                    .registers
                    .iter()
                    .find(|r| r.port.as_ref() == Some(port));
                BlockKind::Scalar {
                    ty: ty.clone(),
                    width: *width,
                    offset: result
                        .map(|r| r.offset)
                        .or(register.map(|r| r.offset))
                        .unwrap_or_default(),
                    words: words(*width),
                    valid: result.map(|result| result.valid()),
                }
            }
            PortKind::Array {
                ty, width, shape, ..
            } => {
                let array = self.array(port.name.as_deref().unwrap_or_default());
                BlockKind::Array {
                    ty: ty.clone(),
                    width: *width,
                    shape: shape.clone(),
                    access: array.access,
                    via: self.via(array),
                }
            }
            PortKind::Stream {
                ty,
                width,
                shape,
                direction,
                ..
            } => BlockKind::Stream {
                ty: ty.clone(),
                width: *width,
                shape: shape.clone(),
                via: self.stream(port.name.as_deref().unwrap_or_default(), *direction, *width),
            },
        };
        BlockPort {
            name: port.name.clone(),
            kind,
        }
    }

    fn stream(&self, name: &str, direction: Flow, width: u32) -> Via {
        Via::Axis {
            direction,
            tdata_width: width.next_multiple_of(8),
            ports: self.ports.get(name).cloned().unwrap_or_default(),
        }
    }

    fn array(&self, name: &str) -> &ArrayPlan {
        let array = self.plan.arrays.iter().find(|array| array.name == name);
        array.expect("the plan has every array")
    }

    fn via(&self, array: &ArrayPlan) -> Via {
        match &array.reach {
            Reach::Axis { flow } => self.stream(&array.name, *flow, array.width),
            Reach::Local { offset } => Via::Local {
                offset: *offset,
                element_bytes: array.element_bytes,
            },
            Reach::Master { bundle, base } => Via::MAxi {
                bundle: self.plan.bundles[*bundle].clone(),
                offset: *base,
                element_bytes: array.element_bytes,
                buffer: match array.access {
                    Access::None => "none".into(),
                    _ if array.stream.is_some() => "stream".into(),
                    _ => "full".into(),
                },
            },
        }
    }
}

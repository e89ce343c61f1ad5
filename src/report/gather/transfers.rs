//! What a block with AXI interfaces moves for each array in an invocation.

use super::Gather;
use crate::report::data::Transfer;
use crate::rtl::interface::block::{BlockKind, BlockManifest, Via};
use crate::rtl::interface::manifest::Access;

impl Gather<'_> {
    pub(super) fn transfers(&self) -> Vec<Transfer> {
        let Some((_, block)) = self.build.block else {
            return Vec::new();
        };
        let ports = block.args.iter().chain(&block.returns);
        ports
            .filter_map(|port| {
                let name = port.name.as_deref().unwrap_or_default();
                match &port.kind {
                    BlockKind::Array {
                        shape, access, via, ..
                    } => self.moved(block, name, (shape, *access), via),
                    _ => None,
                }
            })
            .collect()
    }

    fn moved(
        &self,
        block: &BlockManifest,
        name: &str,
        (shape, access): (&[u64], Access),
        via: &Via,
    ) -> Option<Transfer> {
        let mut streamed = self.build.compilation.streamed.iter();
        let streamed = streamed.find(|array| array.name == name);
        let elements = streamed.map_or(shape.iter().product(), |array| array.count);
        let (through, beat_bits, beats) = match via {
            Via::MAxi {
                bundle,
                element_bytes,
                ..
            } => {
                let mut masters = block.masters.iter();
                let width = masters.find(|master| master.bundle == *bundle)?.data_width;
                let bits = elements.saturating_mul(8 * u64::from(*element_bytes));
                (
                    format!("m_axi_{bundle}"),
                    width,
                    bits.div_ceil(width.into()),
                )
            }
            Via::Axis { tdata_width, .. } => ("AXI4-Stream".into(), *tdata_width, elements),
            // Word by word, when the program around it likes.
            Via::Local { .. } => return None,
        };
        let if_so = |does: bool| if does { beats } else { 0 };
        Some(Transfer {
            name: name.to_string(),
            through,
            is_streamed: streamed.is_some(),
            beat_bits,
            read: if_so(matches!(access, Access::Read | Access::ReadWrite)),
            written: if_so(matches!(access, Access::Write | Access::ReadWrite)),
        })
    }
}

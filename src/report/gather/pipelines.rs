//! Blocks and loops that are pipelines.

use super::{Gather, Part};
use crate::machine::program::{LeafId, Loop, LoopDim as Dim};
use crate::report::data::{LoopDim, Pipeline};
use crate::schedule::forecast;

impl Gather<'_> {
    /// The pipelines of all parts; their shares are still open.
    pub(super) fn pipelines(&self) -> Vec<Pipeline> {
        let mut all = Vec::new();
        for part in &self.parts {
            let runs = forecast::runs(part.program);
            for leaf in part.program.leaves.ids() {
                all.push(self.pipeline(part, leaf, runs[leaf]));
            }
        }
        all
    }

    fn pipeline(&self, part: &Part, leaf: LeafId, runs: u64) -> Pipeline {
        let of = &part.program.leaves[leaf];
        let scheduled = &part.schedule.leaves[leaf];
        let (operations, left_out) = self.operations(part, leaf);
        let repeat = of.repeat.as_ref();
        let dims = repeat.map_or(Vec::new(), Loop::written);
        let names: Vec<&str> = dims.iter().map(|dim| dim.label.as_str()).collect();
        Pipeline {
            name: match names[..] {
                [] => of.label.clone(),
                _ => names.join(", "),
            },
            process: part.process.clone(),
            place: self.place(of.span),
            loops: dims.iter().map(|dim| self.dim(dim)).collect(),
            trip: repeat.and_then(|repeat| repeat.trip()),
            ii: repeat.and(scheduled.ii).map(u64::from),
            depth: scheduled.depth.into(),
            cycles: forecast::cycles_of_leaf(of, scheduled),
            runs,
            share: 0.0,
            bound: self.bound(part, leaf),
            operations,
            left_out,
        }
    }

    fn dim(&self, dim: &Dim) -> LoopDim {
        LoopDim {
            name: dim.label.clone(),
            place: self.place(dim.span),
            trip: dim.trip,
        }
    }
}

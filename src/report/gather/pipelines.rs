//! Blocks and loops that are pipelines.

use super::{Gather, Part, share};
use crate::machine::program::{LeafId, Loop, LoopDim as Dim};
use crate::report::data::{LoopDim, Pipeline};
use crate::schedule::tally::{Extent, Tally};
use std::collections::BTreeMap;

impl Gather<'_> {
    /// The pipelines of all parts. Of a network that takes so many cycles as simulated, parts are parts of these where no data
    /// decide what its process takes.
    pub(super) fn pipelines(&self, simulated: Option<u64>) -> Vec<Pipeline> {
        let mut all = Vec::new();
        for part in &self.parts {
            let total = simulated.filter(|_| part.takes.is_exact);
            let total = total.unwrap_or(part.takes.cycles);
            let mut tallies = BTreeMap::new();
            part.takes
                .tally
                .leaves(&part.program.root, &mut |leaf, tally| {
                    tallies.insert(leaf, tally);
                });
            let none = Tally::default();
            for leaf in part.program.leaves.ids() {
                let tally = tallies.get(&leaf).copied().unwrap_or(&none);
                all.push(self.pipeline(part, leaf, tally, total));
            }
        }
        all
    }

    fn pipeline(&self, part: &Part, leaf: LeafId, tally: &Tally, total: u64) -> Pipeline {
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
            trip: tally.iterations.and_then(Extent::alike),
            ii: repeat.and(scheduled.ii).map(u64::from),
            depth: scheduled.depth.into(),
            cycles: tally.cycles.map_or(0, |cycles| cycles.most),
            runs: tally.runs,
            share: share(tally.busy() as f64, total as f64),
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

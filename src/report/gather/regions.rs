//! What runs when over a whole invocation, and formulas for what the data decide.

use super::{Gather, Part};
use crate::diagnostics::Span;
use crate::machine::program::{LeafId, Region as Made};
use crate::report::data::{Flow, Formula, Region, RegionKind};
use crate::schedule::forecast::{self, SOME_ITERATIONS};

impl Gather<'_> {
    /// The regions of the kernel, or of each process of a network.
    pub(super) fn regions(&self, flow: Option<&Flow>) -> Vec<Region> {
        let Some(((_, which), flow)) = self.build.compilation.network.as_ref().zip(flow) else {
            let parts = self.parts.iter();
            return parts.flat_map(|part| self.of_part(part, 0)).collect();
        };
        let processes = flow.processes.iter().zip(which);
        let regions = processes.map(|(process, number)| {
            let part = &self.parts[*number];
            let start = process.start.unwrap_or(0);
            let simulated = process.start.zip(process.done);
            let cycles = simulated.map(|(start, done)| done.saturating_sub(start) + 1);
            Region {
                kind: RegionKind::Process,
                name: process.name.clone(),
                place: process.place,
                trip: None,
                cycles: cycles.unwrap_or(process.forecast),
                is_exact: simulated.is_some(),
                start,
                runs: 1,
                pipeline: None,
                inside: self.of_part(part, start),
            }
        });
        regions.collect()
    }

    fn of_part(&self, part: &Part, start: u64) -> Vec<Region> {
        let walk = Walk { gather: self, part };
        walk.regions(&part.program.root, start, 1)
    }

    /// Cycles of the loops whose length the data decide.
    pub(super) fn formulas(&self) -> Vec<Formula> {
        let mut formulas = Vec::new();
        for part in &self.parts {
            let walk = Walk { gather: self, part };
            walk.formulas(&part.program.root, &mut formulas);
        }
        formulas
    }
}

struct Walk<'g, 'a> {
    gather: &'g Gather<'a>,
    part: &'g Part<'a>,
}

impl Walk<'_, '_> {
    fn latency(&self, region: &Made) -> u64 {
        let (program, schedule) = (self.part.program, self.part.schedule);
        let found = forecast::latency(program, schedule, region, Some(SOME_ITERATIONS));
        found.unwrap_or(u64::MAX)
    }

    fn is_exact(&self, region: &Made) -> bool {
        let (program, schedule) = (self.part.program, self.part.schedule);
        forecast::latency(program, schedule, region, None).is_some()
    }

    fn region(&self, region: &Made, kind: RegionKind, name: &str, at: Span) -> Region {
        Region {
            kind,
            name: name.to_string(),
            place: self.gather.place(at),
            trip: None,
            cycles: self.latency(region),
            is_exact: self.is_exact(region),
            start: 0,
            runs: 1,
            pipeline: None,
            inside: Vec::new(),
        }
    }

    /// What a region consists of; it starts in that cycle for the first time, and runs so often.
    fn regions(&self, region: &Made, start: u64, runs: u64) -> Vec<Region> {
        match region {
            Made::Leaf(leaf) => vec![Region {
                start,
                runs,
                ..self.leaf(region, *leaf)
            }],
            Made::Seq(parts) => {
                let (mut all, mut start) = (Vec::new(), start);
                for part in parts {
                    all.extend(self.regions(part, start, runs));
                    start = start.saturating_add(self.latency(part));
                }
                all
            }
            Made::If {
                then, otherwise, ..
            } => {
                let ways = [("then", then), ("else", otherwise)];
                let ways = ways.map(|(name, way)| (name, way, self.regions(way, start, runs)));
                let inner = ways.iter().flat_map(|(_, _, inside)| inside);
                let Some(place) = inner.map(|region| region.place).min() else {
                    return Vec::new();
                };
                let own = self.part.program.span;
                let ways = ways.into_iter().filter(|way| !way.2.is_empty());
                let ways = ways.map(|(name, way, inside)| Region {
                    start,
                    runs,
                    place,
                    inside,
                    ..self.region(way, RegionKind::Way, name, own)
                });
                vec![Region {
                    start,
                    runs,
                    place,
                    inside: ways.collect(),
                    ..self.region(region, RegionKind::Branch, "if", own)
                }]
            }
            Made::Repeat {
                head, body, dim, ..
            } => {
                let often = runs.saturating_mul(dim.trip.unwrap_or(SOME_ITERATIONS));
                let mut inside = self.regions(head, start, often);
                let behind = start.saturating_add(self.latency(head));
                inside.extend(self.regions(body, behind, often));
                vec![Region {
                    trip: dim.trip,
                    start,
                    runs,
                    inside,
                    ..self.region(region, RegionKind::Loop, &dim.label, dim.span)
                }]
            }
        }
    }

    fn leaf(&self, region: &Made, leaf: LeafId) -> Region {
        let of = &self.part.program.leaves[leaf];
        let (kind, name) = match &of.repeat {
            None => (RegionKind::Block, of.label.clone()),
            Some(repeat) => {
                let loops = repeat.written();
                let names: Vec<&str> = loops.iter().map(|dim| dim.label.as_str()).collect();
                (RegionKind::Pipeline, names.join(", "))
            }
        };
        Region {
            trip: of.repeat.as_ref().and_then(|repeat| repeat.trip()),
            pipeline: Some(self.part.pipeline(leaf)),
            ..self.region(region, kind, &name, of.span)
        }
    }

    fn formulas(&self, region: &Made, formulas: &mut Vec<Formula>) {
        match region {
            Made::Leaf(leaf) => formulas.extend(self.formula(*leaf)),
            Made::Seq(parts) => parts.iter().for_each(|part| self.formulas(part, formulas)),
            Made::If {
                then, otherwise, ..
            } => {
                self.formulas(then, formulas);
                self.formulas(otherwise, formulas);
            }
            Made::Repeat {
                head, body, dim, ..
            } => {
                if dim.trip.is_none() {
                    let each = self.latency(head).saturating_add(self.latency(body));
                    let about = if self.is_exact(body) { "" } else { "about " };
                    formulas.push(Formula {
                        name: dim.label.clone(),
                        place: self.gather.place(dim.span),
                        cycles: format!(
                            "{about}{each} * n + {}",
                            self.latency(head).saturating_add(1)
                        ),
                    });
                }
                self.formulas(head, formulas);
                self.formulas(body, formulas);
            }
        }
    }

    /// Of a pipeline: as many cycles as an iteration has, and the interval for each further one, of which a `while` needs one to end.
    fn formula(&self, leaf: LeafId) -> Option<Formula> {
        let of = &self.part.program.leaves[leaf];
        let scheduled = &self.part.schedule.leaves[leaf];
        let (repeat, ii) = (of.repeat.as_ref()?, scheduled.ii?);
        let innermost = repeat.dims.last()?;
        if repeat.trip().is_some() && repeat.enter.is_none() {
            return None;
        }
        let known = repeat.dims.iter().filter_map(|dim| dim.trip);
        let count = match known.fold(1, u64::saturating_mul) {
            1 => "n".to_string(),
            known if repeat.trip().is_some() => known.to_string(),
            known => format!("{known} n"),
        };
        let enters = if repeat.enter.is_some() {
            ", 1 if there is no iteration"
        } else {
            ""
        };
        let cycles = match innermost.is_while {
            true => format!("{} + {ii} * {count}", scheduled.depth + 1),
            false => format!("{} + {ii} * ({count} - 1){enters}", scheduled.depth + 1),
        };
        Some(Formula {
            name: innermost.label.clone(),
            place: self.gather.place(of.span),
            cycles,
        })
    }
}

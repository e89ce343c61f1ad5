//! What runs when over a whole invocation, and formulas for what the data decide.

use super::{Gather, Part};
use crate::diagnostics::Span;
use crate::machine::program::{LeafId, Region as Made};
use crate::report::data::{Flow, Formula, Region, RegionKind};
use crate::schedule::forecast::{self, Iterations};
use crate::schedule::tally::{Extent, Tally};

/// Where a cycle is in the timeline. That of the start, in which a block is at work already, is not counted by who counts the cycles
/// of an invocation, and has no place of its own.
fn shown(cycle: u64) -> u64 {
    cycle.saturating_sub(1)
}

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
            let cycles = simulated.map(|(start, done)| shown(done + 1) - shown(start));
            Region {
                kind: RegionKind::Process,
                name: process.name.clone(),
                place: process.place,
                trip: None,
                trips: None,
                cycles: cycles.unwrap_or(process.forecast),
                spread: None,
                is_exact: simulated.is_some(),
                start: shown(start),
                runs: 1,
                pipeline: None,
                in_turn: None,
                inside: self.of_part(part, start),
            }
        });
        regions.collect()
    }

    fn of_part(&self, part: &Part, start: u64) -> Vec<Region> {
        let walk = Walk {
            gather: self,
            part,
            start,
        };
        walk.regions(&part.program.root, &part.takes.tally)
    }

    /// Cycles of the loops whose length the data decide.
    pub(super) fn formulas(&self) -> Vec<Formula> {
        let mut formulas = Vec::new();
        for part in self.parts.iter().filter(|part| !part.takes.is_exact) {
            let walk = Walk {
                gather: self,
                part,
                start: 0,
            };
            walk.formulas(&part.program.root, &mut formulas);
        }
        formulas
    }
}

/// A region of a program with its runs.
type Counted<'p> = (&'p Made, &'p Tally);

struct Walk<'g, 'a> {
    gather: &'g Gather<'a>,
    part: &'g Part<'a>,
    /// The cycle in which the part starts.
    start: u64,
}

impl Walk<'_, '_> {
    fn latency(&self, region: &Made) -> u64 {
        let (program, schedule) = (self.part.program, self.part.schedule);
        let found = forecast::latency(program, schedule, region, Iterations::Likely);
        found.unwrap_or(u64::MAX)
    }

    fn is_exact(&self, region: &Made) -> bool {
        let Part {
            program,
            schedule,
            takes,
            ..
        } = self.part;
        takes.is_exact
            || forecast::latency(program, schedule, region, Iterations::Constant).is_some()
    }

    fn region(&self, (region, tally): Counted, kind: RegionKind, name: &str, at: Span) -> Region {
        let first = self.start.saturating_add(tally.start);
        let start = shown(first);
        let only = shown(first.saturating_add(tally.first)) - start;
        let differing = |extent: Option<Extent>| {
            let extent = extent.filter(|extent| extent.alike().is_none())?;
            Some((extent.least, extent.most))
        };
        Region {
            kind,
            name: name.to_string(),
            place: self.gather.place(at),
            trip: tally.iterations.and_then(Extent::alike),
            trips: differing(tally.iterations),
            cycles: if tally.runs > 1 { tally.first } else { only },
            spread: differing(tally.cycles),
            is_exact: self.is_exact(region),
            start,
            runs: tally.runs,
            pipeline: None,
            in_turn: None,
            inside: Vec::new(),
        }
    }

    /// What a region consists of.
    fn regions(&self, region: &Made, tally: &Tally) -> Vec<Region> {
        let parts = &tally.inside;
        match region {
            Made::Leaf(leaf) => vec![self.leaf((region, tally), *leaf)],
            Made::Seq(regions) => {
                let regions = regions.iter().zip(parts);
                regions
                    .flat_map(|(region, tally)| self.regions(region, tally))
                    .collect()
            }
            Made::If {
                then, otherwise, ..
            } => {
                let ways = [("then", then), ("else", otherwise)].into_iter().zip(parts);
                let ways = ways.map(|((name, way), tally)| Region {
                    inside: self.regions(way, tally),
                    ..self.region((way, tally), RegionKind::Way, name, self.part.program.span)
                });
                let ways = ways.filter(|way| !way.inside.is_empty());
                self.branch((region, tally), ways.collect())
            }
            Made::Repeat {
                head,
                body,
                dim,
                in_turn,
                ..
            } => {
                let inside = [head, body].into_iter().zip(parts);
                let inside = inside.flat_map(|(region, tally)| self.regions(region, tally));
                vec![Region {
                    inside: inside.collect(),
                    in_turn: in_turn.clone(),
                    ..self.region((region, tally), RegionKind::Loop, &dim.label, dim.span)
                }]
            }
        }
    }

    /// A branch with its ways, which have the place of what is in them first; none without ways.
    fn branch(&self, counted: Counted, mut ways: Vec<Region>) -> Vec<Region> {
        let inner = ways.iter().flat_map(|way| &way.inside);
        let Some(place) = inner.map(|region| region.place).min() else {
            return Vec::new();
        };
        ways.iter_mut().for_each(|way| way.place = place);
        vec![Region {
            place,
            inside: ways,
            ..self.region(counted, RegionKind::Branch, "if", self.part.program.span)
        }]
    }

    fn leaf(&self, counted: Counted, leaf: LeafId) -> Region {
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
            pipeline: Some(self.part.pipeline(leaf)),
            ..self.region(counted, kind, &name, of.span)
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

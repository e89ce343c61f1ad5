//! What would lift the bounds of loops: directives that are tried, each by a build of its own, never guessed.

use super::data::{Outcome, Pipeline, Report, Trial};
use super::gather::{self, Build, gather, rounded};
use crate::diagnostics::Diagnostics;
use crate::directives::{self, Directive};
use crate::driver::{self, Compilation, Target};
use crate::frontend::Compiled;
use crate::ir::PartitionKind;
use crate::levels::Level;
use crate::progress::Progress;
use crate::sim::selfcheck::Budget;

/// What may be spent on trials. All of it is counted, never timed: the same input has the same report on every machine.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Builds, at most.
    pub builds: usize,
    /// Operations of all kernels that are built, as they are in this one, times the factors that are tried.
    pub operations: u64,
}

impl Effort {
    /// No trial at all.
    pub const NONE: Effort = Effort {
        builds: 0,
        operations: 0,
    };
    /// A few seconds.
    pub const QUICK: Effort = Effort {
        builds: 12,
        operations: 12_000,
    };

    /// So many builds at most.
    pub fn of(builds: usize) -> Effort {
        let each = Effort::QUICK.operations / Effort::QUICK.builds as u64;
        Effort {
            builds,
            operations: each.saturating_mul(builds as u64),
        }
    }
}

/// Loops of which something is tried: those that take the most cycles.
const LOOPS: usize = 4;

/// A loop that takes a smaller part of the cycles is not worth it.
const LEAST_SHARE: f64 = 0.02;

/// The report of a build, with trials.
pub fn with_trials(build: &Build, effort: Effort) -> Report {
    let mut report = gather(build);
    report.trials = trials(build, &report, effort);
    report
}

/// Tries what might lift the bounds of the loops that take the most cycles.
pub fn trials(build: &Build, report: &Report, mut effort: Effort) -> Vec<Trial> {
    // A build at this level searches by itself, which takes long.
    if build.target.aim.level == Level::Three {
        effort.builds /= 4;
    }
    let trier = Trier::new(build, report);
    let mut numbers: Vec<usize> = (0..report.pipelines.len())
        .filter(|&at| {
            let pipeline = &report.pipelines[at];
            pipeline.ii.is_some() && pipeline.share >= LEAST_SHARE
        })
        .collect();
    let share = |at: &usize| report.pipelines[*at].share;
    numbers.sort_by(|a, b| share(b).total_cmp(&share(a)).then(a.cmp(b)));
    numbers.truncate(LOOPS);
    let candidates = numbers
        .iter()
        .map(|&at| trier.candidates(&report.pipelines[at]));
    let candidates: Vec<Vec<Candidate>> = candidates.collect();
    let mut trials: Vec<Trial> = Vec::new();
    let step = build.target.progress.step("trying what might be faster");
    let all: usize = candidates.iter().map(Vec::len).sum();
    let all = all.min(effort.builds) as u64;
    // The most promising of each loop first.
    let most = candidates.iter().map(Vec::len).max().unwrap_or(0);
    for rank in 0..most {
        for (&number, of_loop) in numbers.iter().zip(&candidates) {
            let Some(candidate) = of_loop.get(rank) else {
                continue;
            };
            let cost = trier.size.saturating_mul(candidate.factor);
            let flags = candidate.flags();
            let is_known = trials.iter().any(|trial| trial.flags == flags);
            if is_known || effort.builds == 0 || effort.operations < cost {
                continue;
            }
            step.part(trials.len() as u64, all);
            effort.builds -= 1;
            effort.operations -= cost;
            trials.push(trier.tried(number, candidate));
        }
    }
    trials.sort_by_key(|trial| trial.pipeline);
    trials
}

/// Directives to try together.
struct Candidate {
    directives: Vec<Directive>,
    /// How many times as large the kernel becomes.
    factor: u64,
}

impl Candidate {
    fn flags(&self) -> Vec<String> {
        self.directives.iter().map(ToString::to_string).collect()
    }
}

struct Trier<'a> {
    build: &'a Build<'a>,
    report: &'a Report,
    /// Operations of the kernel.
    size: u64,
    /// Area of this build.
    luts: f64,
    loops: Vec<String>,
    arrays: Vec<String>,
}

impl<'a> Trier<'a> {
    fn new(build: &'a Build<'a>, report: &'a Report) -> Trier<'a> {
        let compilation = build.compilation;
        let mut size = 0;
        for kernel in compilation.directed.kernels.values() {
            kernel.body.for_each_op(&mut |_| size += 1);
        }
        let operations = report.pipelines.iter();
        let operations = operations.map(|p| (p.operations.len() + p.left_out) as u64);
        Trier {
            build,
            report,
            size: operations.sum::<u64>().max(size),
            luts: gather::area(build).0,
            loops: directives::loops(&compilation.directed, build.sources),
            arrays: directives::arrays(&compilation.directed, build.sources),
        }
    }

    /// What to try for a loop, the most promising first.
    fn candidates(&self, pipeline: &Pipeline) -> Vec<Candidate> {
        let Some((bound, innermost)) = pipeline.bound.as_ref().zip(pipeline.loops.last()) else {
            return Vec::new();
        };
        let Some(name) = self.loop_name(&innermost.name, innermost.place.line) else {
            return Vec::new();
        };
        let touched = self.touched(pipeline);
        let unroll = |factor: i64| Directive::Unroll {
            r#loop: name.clone(),
            factor,
        };
        let mut sets: Vec<(Vec<Directive>, u64)> = Vec::new();
        match &*bound.kind {
            "port" => {
                let memory = bound.ports.as_ref().map(|ports| &ports.memory);
                let array = memory.and_then(|memory| self.array_name(memory));
                for factor in [2, 4] {
                    let dims = array.iter().flat_map(|array| 1..=self.rank(array));
                    let of = array.as_ref();
                    sets.extend(
                        dims.filter_map(|dim| Some((vec![partition(of?, factor, dim)], 1))),
                    );
                }
                sets.push((vec![pipelined(&name, 0)], 1));
            }
            "recurrence" | "control" => {
                sets.extend(self.orders(pipeline).map(|order| (vec![order], 1)));
                sets.push((vec![unroll(2)], 2));
                for array in touched.iter().filter(|array| self.is_inside(array)) {
                    let complete = Directive::Partition {
                        array: array.clone(),
                        r#type: PartitionKind::Complete,
                        factor: 0,
                        dim: 0,
                    };
                    sets.push((vec![complete], 2));
                }
            }
            "directive" => sets.push((vec![pipelined(&name, 1)], 1)),
            // One iteration a cycle: only more of them at once are faster.
            _ => {
                sets.push((vec![unroll(2)], 2));
                let mut both = vec![unroll(2)];
                let split = touched.iter();
                both.extend(split.map(|array| partition(array, 2, self.rank(array))));
                if both.len() > 1 {
                    sets.push((both, 2));
                }
            }
        }
        let candidates = sets
            .into_iter()
            .map(|(directives, factor)| Candidate { directives, factor });
        candidates.collect()
    }

    /// The loops of a nest with another one as the innermost; none if one of them has no name.
    fn orders(&self, pipeline: &Pipeline) -> impl Iterator<Item = Directive> {
        let names = pipeline.loops.iter();
        let names = names.map(|dim| self.loop_name(&dim.name, dim.place.line));
        let names: Vec<String> = names.collect::<Option<_>>().unwrap_or_default();
        let last = names.len().saturating_sub(1);
        (0..last).rev().map(move |moved| {
            let mut loops = names.clone();
            let inner = loops.remove(moved);
            loops.push(inner);
            Directive::Reorder {
                loops,
                reassociate: false,
            }
        })
    }

    /// What directives call a loop: its name, with the line where several have it. `None`: the compiler has made it.
    fn loop_name(&self, name: &str, line: usize) -> Option<String> {
        named(&self.loops, name, Some(line))
    }

    /// What directives call the array of a memory.
    fn array_name(&self, memory: &str) -> Option<String> {
        let found = named(&self.arrays, memory, None);
        // Of a bank.
        found.or_else(|| named(&self.arrays, memory.rsplit_once('_')?.0, None))
    }

    /// The arrays that a pipeline accesses, by what directives call them.
    fn touched(&self, pipeline: &Pipeline) -> Vec<String> {
        let memories = self.report.memories.iter();
        let memories = memories.filter(|memory| {
            let mut uses = memory.uses.iter();
            let is_it = |at: usize| std::ptr::eq(&self.report.pipelines[at], pipeline);
            memory.kind != "stream" && uses.any(|one| is_it(one.pipeline))
        });
        let mut names: Vec<String> = memories
            .filter_map(|memory| self.array_name(&memory.name))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    fn array(&self, name: &str) -> Option<&crate::ir::Array> {
        let plain = name.split('@').next().unwrap_or(name);
        let kernels = self.build.compilation.directed.kernels.values();
        let mut arrays = kernels.flat_map(|kernel| kernel.arrays.values());
        arrays.find(|array| array.name == plain)
    }

    fn rank(&self, name: &str) -> i64 {
        self.array(name).map_or(1, |array| array.shape.len() as i64)
    }

    /// Whether an array is a local one that may become registers.
    fn is_inside(&self, name: &str) -> bool {
        const REGISTERS: u64 = 64;
        self.array(name).is_some_and(|array| {
            let size = array.shape.iter().copied().fold(1, u64::saturating_mul);
            array.kind == crate::ir::ArrayKind::Local && size <= REGISTERS
        })
    }

    fn tried(&self, number: usize, candidate: &Candidate) -> Trial {
        let built = self.built(&candidate.directives);
        let (refused, outcome) = match built {
            Err(why) => {
                // Which directive it is about is said beside it.
                let flags = candidate.flags();
                let mut rest = flags
                    .iter()
                    .filter_map(|flag| why.strip_prefix(flag)?.strip_prefix(": "));
                (Some(rest.next().unwrap_or(&why).to_owned()), None)
            }
            Ok(compilation) => (None, Some(self.outcome(number, &compilation))),
        };
        Trial {
            pipeline: number,
            flags: candidate.flags(),
            refused,
            outcome,
        }
    }

    /// The kernel with further directives. Errors: what is wrong with them.
    fn built(&self, further: &[Directive]) -> Result<Compilation, String> {
        let Build {
            sources,
            target,
            compilation,
            ..
        } = *self.build;
        let mut directed = compilation.directed.clone();
        let mut warnings = Diagnostics::default();
        directives::apply(&mut directed, further, sources, &mut warnings).map_err(message)?;
        let compiled = Compiled {
            program: compilation.program.clone(),
            definitions: Default::default(),
            directives: [&compilation.directives[..], further].concat(),
            warnings,
        };
        let target = Target {
            check: Budget::OFF,
            strict: false,
            // The trial is a step of its own.
            progress: Progress::default(),
            ..target.clone()
        };
        driver::build(sources, compiled, directed, &target).map_err(message)
    }

    fn outcome(&self, number: usize, compilation: &Compilation) -> Outcome {
        let build = Build {
            compilation,
            ..*self.build
        };
        let of = &self.report.pipelines[number];
        let line = of.loops.last().map(|dim| dim.place);
        let pipelines = gather::pipelines(&build);
        let same = pipelines.iter().filter(|pipeline| {
            let mut loops = pipeline.loops.iter();
            pipeline.process == of.process && loops.any(|dim| Some(dim.place) == line)
        });
        let longest = same.max_by_key(|pipeline| pipeline.ii);
        let (luts, blocks) = gather::area(&build);
        let simulated = self.report.summary.cycles.simulated;
        let simulated = simulated.filter(|_| self.build.block.is_none());
        let (before, cycles) = gather::both_cycles(self.build, simulated, &build);
        let ratio = |new: f64, old: f64| rounded(new / old.max(1.0));
        Outcome {
            ii: longest.and_then(|pipeline| pipeline.ii),
            cycles,
            luts,
            blocks,
            luts_ratio: ratio(luts, self.luts),
            cycles_ratio: ratio(cycles as f64, before as f64),
            bound: longest.and_then(|pipeline| Some(pipeline.bound.as_ref()?.text.clone())),
        }
    }
}

fn message(errors: impl Into<Diagnostics>) -> String {
    let errors: Diagnostics = errors.into();
    let first = errors.0.into_iter().next();
    first.map_or(String::new(), |error| error.message)
}

fn pipelined(name: &str, ii: i64) -> Directive {
    Directive::Pipeline {
        r#loop: name.to_string(),
        ii,
    }
}

fn partition(array: &str, factor: i64, dim: i64) -> Directive {
    Directive::Partition {
        array: array.to_string(),
        r#type: PartitionKind::Cyclic,
        factor,
        dim,
    }
}

/// Of full names such as `kernel/outer/i@12`: the shortest that means the one of that name and line.
fn named(all: &[String], name: &str, line: Option<usize>) -> Option<String> {
    let of_name = |full: &str| {
        let (path, line) = full.rsplit_once('@').unwrap_or((full, ""));
        let kernel = path.split('/').next().unwrap_or_default();
        let found = (kernel.to_string(), line.parse::<usize>().ok());
        directives::ends_in(path, name).then_some(found)
    };
    let same: Vec<_> = all.iter().filter_map(|full| of_name(full)).collect();
    match (&same[..], line) {
        ([], _) => None,
        ([_], _) => Some(name.to_string()),
        (_, Some(line)) => Some(format!("{name}@{line}")),
        // One of several: that of the top kernel, which comes last.
        ([.., (kernel, line)], None) => {
            let in_kernel = same.iter().filter(|(other, ..)| other == kernel).count();
            Some(match (in_kernel, line) {
                (1, _) | (_, None) => format!("{kernel}/{name}"),
                (_, Some(line)) => format!("{kernel}/{name}@{line}"),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn names_are_as_short_as_they_can_be() {
        let all = ["f/i@3", "g/i@9", "g/i/j@10", "g/k@12", "g/k@15"].map(String::from);
        let found = |name, line| named(&all, name, line);
        assert_eq!(found("j", Some(10)).as_deref(), Some("j"));
        assert_eq!(found("i", Some(3)).as_deref(), Some("i@3"));
        assert_eq!(found("i", None).as_deref(), Some("g/i"));
        assert_eq!(found("k", None).as_deref(), Some("g/k@15"));
        assert_eq!(found("x", None), None);
        let all = ["f/load/store@3".to_string()];
        let found = |name| named(&all, name, Some(3));
        assert_eq!(found("load/store").as_deref(), Some("load/store"));
    }
}

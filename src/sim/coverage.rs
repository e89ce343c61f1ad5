//! Coverage: which loops and branches of a kernel inputs have exercised, as the reference saw it.

use crate::diagnostics::{SourceMap, Span};
use crate::ir::{Block, KernelId, OpKind, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Executions by place in the source. Several specialisations of a template count as one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Of each loop.
    pub loops: BTreeMap<Span, LoopCount>,
    /// Of each `if` that hardware decides, how often it was false and true.
    pub branches: BTreeMap<Span, [u64; 2]>,
}

/// Executions of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopCount {
    /// Its name in reports.
    pub label: String,
    /// How often it was reached.
    pub entered: u64,
    /// How often it ended without an iteration.
    pub empty: u64,
    /// Most iterations of one entry.
    pub most: u64,
}

impl Coverage {
    /// All places that the top kernel can reach, without executions.
    pub fn of(program: &Program) -> Coverage {
        let mut coverage = Coverage::default();
        coverage.kernel(program, program.top, &mut BTreeSet::new());
        coverage
    }

    fn kernel(&mut self, program: &Program, id: KernelId, seen: &mut BTreeSet<usize>) {
        if seen.insert(id.index()) {
            self.block(program, &program.kernels[id].body, seen);
        }
    }

    fn block(&mut self, program: &Program, block: &Block, seen: &mut BTreeSet<usize>) {
        for op in &block.ops {
            match &op.kind {
                OpKind::For(l) => {
                    self.loop_at(op.span, &l.label);
                    self.block(program, &l.body, seen);
                }
                OpKind::While(l) => {
                    self.loop_at(op.span, &l.label);
                    self.block(program, &l.cond, seen);
                    self.block(program, &l.body, seen);
                }
                OpKind::If(branch) => {
                    self.branches.entry(op.span).or_default();
                    self.block(program, &branch.then, seen);
                    self.block(program, &branch.otherwise, seen);
                }
                OpKind::Call(call) => self.kernel(program, call.kernel, seen),
                _ => {}
            }
        }
    }

    fn loop_at(&mut self, span: Span, label: &str) -> &mut LoopCount {
        let entry = self.loops.entry(span);
        entry.or_insert_with(|| LoopCount {
            label: label.to_string(),
            ..LoopCount::default()
        })
    }

    /// One whole execution of a loop.
    pub(super) fn ran(&mut self, span: Span, label: &str, iterations: u64) {
        let count = self.loop_at(span, label);
        count.entered += 1;
        count.empty += u64::from(iterations == 0);
        count.most = count.most.max(iterations);
    }

    /// One decision.
    pub(super) fn took(&mut self, span: Span, taken: bool) {
        self.branches.entry(span).or_default()[usize::from(taken)] += 1;
    }

    /// Adds the executions of another run.
    pub fn add(&mut self, other: &Coverage) {
        for (span, more) in &other.loops {
            let count = self.loop_at(*span, &more.label);
            count.entered += more.entered;
            count.empty += more.empty;
            count.most = count.most.max(more.most);
        }
        for (span, more) in &other.branches {
            let counts = self.branches.entry(*span).or_default();
            counts.iter_mut().zip(more).for_each(|(c, m)| *c += m);
        }
    }

    /// Directions of branches, and how many of them were taken.
    pub fn directions(&self) -> (usize, usize) {
        let taken = self.branches.values().flatten().filter(|&&c| c > 0);
        (2 * self.branches.len(), taken.count())
    }

    /// The lines of a report: totals, then a line for each place that was not exercised in full.
    pub fn report(&self, sources: &SourceMap) -> String {
        // Writing to a String cannot fail.
        let mut out = String::new();
        let iterated = self.loops.values().filter(|l| l.most > 0).count();
        let (directions, taken) = self.directions();
        if self.loops.is_empty() && directions == 0 {
            return out;
        }
        let _ = writeln!(
            out,
            "  coverage: {iterated} of {} loops iterated, {taken} of {directions} branch directions taken",
            self.loops.len()
        );
        for (span, count) in self.loops.iter().filter(|(_, l)| l.most == 0) {
            let what = match count.entered {
                0 => "was never reached",
                _ => "never had an iteration",
            };
            let place = sources.location(*span);
            let _ = writeln!(out, "    {place}: loop {} {what}", count.label);
        }
        for (span, [no, yes]) in &self.branches {
            let what = match (*no, *yes) {
                (0, 0) => "was never reached",
                (0, _) => "was never false",
                (_, 0) => "was never true",
                _ => continue,
            };
            let _ = writeln!(out, "    {}: the condition {what}", sources.location(*span));
        }
        out
    }
}

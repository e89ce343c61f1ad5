//! Which operations are computed again: those that read what has changed, in clusters that are computed as a whole (Beamer and
//! Donofrio, Efficiently Exploiting Low Activity Factors to Accelerate RTL Simulation, DAC 2020). Where most have changed,
//! all are computed for a while, since asking costs more than it saves.

use super::Contents;
use super::compile::{Op, Program};
use std::ops::Range;

/// About as many operations are in a cluster.
pub(super) const SIZE: usize = 24;
/// So many times it is counted how many clusters are computed.
const COUNTED: u32 = 16;
/// So many times all are computed then, if it were more than three quarters.
const WITHOUT: u32 = 240;

/// Neighbours in the order of the program.
#[derive(Clone, Debug)]
struct Cluster {
    ops: Range<usize>,
    /// The words that others read, in [`Clusters::given`].
    given: Range<usize>,
}

/// Who reads what.
#[derive(Clone, Debug, Default)]
pub(super) struct Clusters {
    clusters: Vec<Cluster>,
    given: Vec<u32>,
    /// Where in `readers` those of each word begin; its own clusters are none of them.
    first: Vec<u32>,
    readers: Vec<u32>,
    /// Clusters that look into each memory.
    looking: Vec<Vec<u32>>,
}

impl Clusters {
    /// Clusters of about `size` operations.
    pub fn new(program: &Program, size: usize) -> Clusters {
        let bounds = bounds(&program.ops, size);
        let mut made = Clusters {
            looking: vec![Vec::new(); program.memories.len()],
            ..Clusters::default()
        };
        made.read(program, &bounds);
        for ops in bounds {
            let from = made.given.len();
            let written = program.ops[ops.clone()].iter().flat_map(Op::written);
            let given = written.filter(|at| made.first[*at] < made.first[at + 1]);
            made.given.extend(given.map(|at| at as u32));
            // A word that is made in steps counts once.
            made.given.dedup();
            let given = from..made.given.len();
            made.clusters.push(Cluster { ops, given });
        }
        made
    }

    /// Lists the readers of each word and of each memory.
    fn read(&mut self, program: &Program, bounds: &[Range<usize>]) {
        const NONE: u32 = u32::MAX;
        let mut owner = vec![NONE; program.words.len()];
        let mut last = owner.clone();
        let mut pairs: Vec<(usize, u32)> = Vec::new();
        for (number, ops) in (0..).zip(bounds) {
            let ops = &program.ops[ops.clone()];
            for at in ops.iter().flat_map(Op::written) {
                owner[at] = number;
            }
            for op in ops {
                op.read(|at| {
                    let is_known = owner[at] == number || last[at] == number;
                    last[at] = number;
                    pairs.extend((!is_known).then_some((at, number)));
                });
                if let Op::Look { memory, .. } = op {
                    self.looking[*memory as usize].push(number);
                }
            }
        }
        self.first = vec![0; program.words.len() + 1];
        pairs.iter().for_each(|(at, _)| self.first[at + 1] += 1);
        let mut sum = 0;
        for first in &mut self.first {
            sum += *first;
            *first = sum;
        }
        self.readers = vec![0; pairs.len()];
        let mut next = self.first.clone();
        for (at, reader) in pairs {
            self.readers[next[at] as usize] = reader;
            next[at] += 1;
        }
    }
}

/// Runs of operations; those that make a word one after the other are in the same.
fn bounds(ops: &[Op], size: usize) -> Vec<Range<usize>> {
    let mut bounds = Vec::new();
    let mut start = 0;
    for end in 1..=ops.len() {
        let is_whole = match ops.get(end) {
            Some(op) => op.written() != ops[end - 1].written(),
            None => true,
        };
        if is_whole && (end - start >= size || end == ops.len()) {
            bounds.push(start..end);
            start = end;
        }
    }
    bounds
}

/// Which clusters are computed next.
#[derive(Clone, Debug, Default)]
pub(super) struct Activity {
    /// A bit for each cluster.
    pending: Vec<u64>,
    /// What the words of one cluster were.
    before: Vec<u64>,
    /// How many times all are still computed.
    without: u32,
    counted: u32,
    computed: usize,
}

impl Activity {
    /// Everything may have changed.
    pub fn restart(&mut self, clusters: &Clusters) {
        self.pending.clear();
        self.pending.resize(clusters.clusters.len().div_ceil(64), 0);
        (0..clusters.clusters.len() as u32).for_each(|cluster| self.mark(cluster));
    }

    fn mark(&mut self, cluster: u32) {
        self.pending[cluster as usize / 64] |= 1 << (cluster % 64);
    }

    /// A word has changed.
    #[inline]
    pub fn changed(&mut self, clusters: &Clusters, word: usize) {
        let readers = clusters.first[word] as usize..clusters.first[word + 1] as usize;
        for &reader in &clusters.readers[readers] {
            self.mark(reader);
        }
    }

    /// A memory was written.
    pub fn written(&mut self, clusters: &Clusters, memory: usize) {
        for &reader in &clusters.looking[memory] {
            self.mark(reader);
        }
    }

    /// Gives the words that come first new values.
    pub fn commit(&mut self, clusters: &Clusters, words: &mut [u64], next: &[u64]) {
        if self.without > 0 {
            words[..next.len()].copy_from_slice(next);
            return;
        }
        for (at, (word, next)) in words.iter_mut().zip(next).enumerate() {
            if *word != *next {
                *word = *next;
                self.changed(clusters, at);
            }
        }
    }

    /// Computes what may have changed.
    pub fn settle(
        &mut self,
        clusters: &Clusters,
        program: &Program,
        words: &mut [u64],
        memories: &[Contents],
    ) {
        if self.without > 0 {
            run(&program.ops, program, words, memories);
            self.without -= 1;
            return;
        }
        for group in 0..self.pending.len() {
            // Readers come after what they read, in the same group too.
            while self.pending[group] != 0 {
                let bit = self.pending[group].trailing_zeros();
                self.pending[group] &= !(1 << bit);
                let cluster = &clusters.clusters[group * 64 + bit as usize];
                self.compute(clusters, cluster, program, words, memories);
            }
        }
        self.count(clusters.clusters.len());
    }

    fn compute(
        &mut self,
        clusters: &Clusters,
        cluster: &Cluster,
        program: &Program,
        words: &mut [u64],
        memories: &[Contents],
    ) {
        let given = &clusters.given[cluster.given.clone()];
        let mut before = std::mem::take(&mut self.before);
        before.clear();
        before.extend(given.iter().map(|at| words[*at as usize]));
        run(&program.ops[cluster.ops.clone()], program, words, memories);
        for (&at, old) in given.iter().zip(&before) {
            if words[at as usize] != *old {
                self.changed(clusters, at as usize);
            }
        }
        self.before = before;
        self.computed += 1;
    }

    fn count(&mut self, clusters: usize) {
        self.counted += 1;
        if self.counted == COUNTED {
            if self.computed * 4 > 3 * clusters * COUNTED as usize {
                self.without = WITHOUT;
            }
            (self.counted, self.computed) = (0, 0);
        }
    }
}

fn run(ops: &[Op], program: &Program, words: &mut [u64], memories: &[Contents]) {
    for op in ops {
        op.run(words, memories, &program.memories);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::counter;
    use super::super::{Signal, Simulator};
    use super::*;
    use crate::diagnostics::SourceMap;
    use crate::driver::{self, Target};
    use crate::rtl::netlist::ModuleId;
    use crate::sim::vectors::Rng;

    /// Whether fewer than half of the clusters are computed next.
    fn rests(simulator: &Simulator) -> bool {
        let Activity {
            pending, without, ..
        } = &simulator.activity;
        let pending: u32 = pending.iter().map(|group| group.count_ones()).sum();
        *without == 0 && pending as usize * 2 < simulator.netlist.clusters.clusters.len()
    }

    /// Loops that take turns, a memory that is read within the cycle, values of one word, of two and of many.
    const RESTING: &str = "from allo import *\n\ni160 = apint(160, signed=True)\n\n@kernel\n\
        def top(x: \"u5[32]\", o: \"i32[8]\", w: i160) -> i160:\n    \
        t: u5[32]\n    for i in range(32):\n        t[i] = x[i]\n    s: i160 = w\n    for j in range(8):\n        \
        s = (s ^ x[j]) + (w >> j)\n    p: u5 = 1\n    for k in range(8):\n        p = t[p]\n        \
        o[k] = p * (x[k] + 3) // 7\n    return s\n";

    /// Drives both alike for 400 cycles, all of the second computed anew in each; whether fewer than half of the first's
    /// clusters were left to compute at some time, and whether it computed all without asking.
    fn agrees(some: &mut Simulator) -> [bool; 2] {
        let mut all = some.clone();
        let reset = some.signal("ap_rst").expect("a reset");
        let signals: Vec<Signal> = some.signals().map(|(_, signal)| signal).collect();
        let mut random = Rng::new(5);
        let mut seen = [false; 2];
        for cycle in 0..400 {
            for &input in signals.iter().filter(|signal| signal.input) {
                // Constant for a while, as arguments are.
                let value = match (input == reset, cycle % 7) {
                    (true, _) => u64::from(cycle < 2),
                    (false, 0) => random.next(),
                    _ => 1,
                };
                some.set(input, value);
                all.set(input, value);
            }
            all.activity.restart(&all.netlist.clusters);
            for signal in &signals {
                assert_eq!(some.get_big(*signal), all.get_big(*signal), "cycle {cycle}");
            }
            some.step();
            all.step();
            seen[0] |= rests(some);
            seen[1] |= some.activity.without > 0;
        }
        seen
    }

    #[test]
    fn what_is_not_computed_again_would_be_the_same() {
        let mut sources = SourceMap::default();
        let file = sources.add("kernel.py", RESTING);
        let target = Target::new("ecp5", 10.0).expect("a device");
        let compiled = driver::compile(&mut sources, file, Some("top"), &target);
        let compiled = compiled.unwrap_or_else(|e| panic!("{}", e.render(&sources, false)));
        let top = compiled.design.top().expect("a top");
        for size in [1, SIZE] {
            let some = Simulator::in_clusters(&compiled.design, top, 3, size);
            let [rested, _] = agrees(&mut some.expect("a simulator"));
            assert!(rested || size > 1);
        }
        let busy = Simulator::new(&counter(64), ModuleId::new(0), 3);
        let [_, raced] = agrees(&mut busy.expect("a simulator"));
        assert!(raced);
    }
}

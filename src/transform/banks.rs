//! Banks of local arrays that nobody has split, for accesses that could be in the same cycle: of the splits that let most of them
//! be there, the one with the fewest banks.
//!
//! Whether accesses meet in a bank is decided by their subscripts modulo the number of banks (Wang, Li, Cong, "Theory and algorithm
//! for generalized memory partitioning in high-level synthesis", FPGA 2014, for linear forms and constant distances).

use crate::ir::analysis::Values;
use crate::ir::analysis::touch::element;
use crate::ir::analysis::trip::Trip;
use crate::ir::analysis::values::Affine;
use crate::ir::partition::{Split, banks, parts, splits};
use crate::ir::*;
use num_traits::ToPrimitive;
use std::collections::{BTreeMap, BTreeSet};

/// Banks of an array, at most.
const MOST_BANKS: u64 = 64;

/// Reads that a memory inside serves in a cycle, beside a write.
const READS: u64 = MOST_PORTS as u64;

/// Iterations of a loop of which nothing is known.
const UNKNOWN: u64 = 64;

/// Accesses of an array, at most.
const MOST_ACCESSES: usize = 4096;

/// Splits arrays.
pub fn run(kernel: &mut Kernel) {
    let mut candidates = candidates(kernel);
    if candidates.is_empty() {
        return;
    }
    let values = Values::of(kernel);
    let mut search = Search {
        values,
        counters: BTreeMap::new(),
        rounds: Vec::new(),
    };
    search.block(&kernel.body, 1, &mut candidates);
    for array in candidates {
        if let Some(partition) = search.best(array, &kernel.arrays[array].shape) {
            kernel.arrays[array].partition = partition;
        }
    }
}

/// The splits of a kernel's arrays that another form of it does not have, each as a flag that directs the same.
pub fn found<'k>(before: &'k Kernel, after: &'k Kernel) -> impl Iterator<Item = String> + 'k {
    let is_old = |array: &&Array| {
        let mut old = before.arrays.values();
        old.any(|old| old.name == array.name && old.partition == array.partition)
    };
    let split = after
        .arrays
        .values()
        .filter(|array| !array.partition.is_empty());
    let new = split.filter(move |array| !is_old(array));
    new.flat_map(|array| {
        let name = &array.name;
        let flags = array
            .partition
            .iter()
            .map(move |Partition { kind, dim, factor }| {
                format!(
                    "--partition {name}:{}:{factor}:dim={}",
                    kind.name(),
                    dim + 1
                )
            });
        flags.collect::<Vec<_>>()
    })
}

/// Arrays that are accessed an element at a time only, and of which nothing is directed.
fn candidates(kernel: &Kernel) -> BTreeSet<ArrayId> {
    let is_free = |array: &Array| {
        array.kind == ArrayKind::Local
            && array.stream.is_none()
            && array.partition.is_empty()
            && array.tags == ArrayTags::default()
            && !array.shape.is_empty()
    };
    let arrays = kernel.arrays.iter();
    let mut free: BTreeSet<ArrayId> = arrays
        .filter(|(_, array)| is_free(array))
        .map(|(id, _)| id)
        .collect();
    kernel.body.for_each_op(&mut |op| {
        if element(&op.kind).is_none() {
            let (read, written) = analysis::touch::arrays(&op.kind);
            for array in read.iter().chain(&written) {
                free.remove(array);
            }
        }
    });
    free
}

/// A subscript.
struct Subscript {
    /// In numbers of iterations instead of counters.
    form: Affine,
    range: Option<(i128, i128)>,
}

/// The subscripts of an access.
type Access = Vec<Subscript>;

/// What is accessed of an array between two regions.
struct Round {
    array: ArrayId,
    /// How often it runs.
    times: u64,
    reads: Vec<Access>,
    writes: Vec<Access>,
}

struct Search {
    values: Values,
    /// First value and step of the counters of loops.
    counters: BTreeMap<ValueId, (i128, i128)>,
    rounds: Vec<Round>,
}

impl Search {
    fn block(&mut self, block: &Block, times: u64, candidates: &mut BTreeSet<ArrayId>) {
        let mut open: BTreeMap<ArrayId, Round> = BTreeMap::new();
        for op in &block.ops {
            if let Some(at) = element(&op.kind).filter(|at| candidates.contains(&at.array)) {
                let round = open.entry(at.array).or_insert_with(|| Round {
                    array: at.array,
                    times,
                    reads: Vec::new(),
                    writes: Vec::new(),
                });
                let access = at
                    .indices
                    .iter()
                    .map(|&index| self.subscript(index))
                    .collect();
                match op.kind {
                    OpKind::Store { .. } => round.writes.push(access),
                    _ => round.reads.push(access),
                }
            }
            if op.kind.blocks().is_empty() {
                continue;
            }
            self.rounds.extend(std::mem::take(&mut open).into_values());
            let mut inside = times;
            if let OpKind::For(f) = &op.kind {
                inside = times.saturating_mul(self.enter(f));
            }
            for block in op.kind.blocks() {
                self.block(block, inside, candidates);
            }
        }
        self.rounds.extend(open.into_values());
    }

    /// Notes what is known of a counter; how often its loop runs.
    fn enter(&mut self, f: &For) -> u64 {
        let constant = |value| self.values.constant(value).cloned();
        let Some(trip) = Trip::of(f, constant) else {
            return UNKNOWN;
        };
        if let (Some(first), Some(step)) = (trip.lo.to_i128(), trip.step.to_i128()) {
            self.counters.insert(f.iv, (first, step));
        }
        trip.count.to_u64().unwrap_or(UNKNOWN)
    }

    fn subscript(&self, index: ValueId) -> Subscript {
        Subscript {
            form: self.without_counters(self.values.affine(index)),
            range: self.values.range(index),
        }
    }

    /// The form in numbers of iterations instead of counters, so that a step counts as a coefficient.
    fn without_counters(&self, form: Affine) -> Affine {
        let mut constant = form.constant;
        let terms = form.terms.into_iter().map(|(value, factor)| {
            let counter = self.counters.get(&value);
            let known = counter.and_then(|(first, step)| {
                let sum = constant.checked_add(first.checked_mul(factor)?)?;
                Some((sum, factor.checked_mul(*step)?))
            });
            let (sum, factor) = known.unwrap_or((constant, factor));
            constant = sum;
            (value, factor)
        });
        let terms = terms.collect();
        Affine { terms, constant }
    }

    /// The split with which the accesses of an array take the fewest cycles, if one helps.
    fn best(&self, array: ArrayId, shape: &[u64]) -> Option<Vec<Partition>> {
        let rounds = self.rounds.iter();
        let rounds = rounds.filter(|round| round.array == array && !round.fits());
        let rounds: Vec<&Round> = rounds.collect();
        let accesses = rounds.iter().map(|r| r.reads.len() + r.writes.len());
        if accesses.sum::<usize>() > MOST_ACCESSES {
            return None;
        }
        let cost = |partition: &[Partition]| {
            let splits = splits(shape, partition);
            let cycles = rounds.iter();
            let cycles = cycles.map(|round| round.cycles(&splits).saturating_mul(round.times));
            cycles.fold(0, u64::saturating_add)
        };
        // With twice as many banks as accesses, those that are a power of two apart can be told apart as well.
        let most = rounds.iter().map(|r| r.reads.len().max(r.writes.len()));
        let most = 2 * (most.max().unwrap_or(0) as u64).next_power_of_two();
        let found = partitions(shape, most.min(MOST_BANKS)).into_iter();
        let found = found.filter(|partition| {
            let splits = splits(shape, partition);
            splits.iter().all(|split| split.factor.is_power_of_two())
                || rounds.iter().all(|round| round.has_known_banks(&splits))
        });
        let found = found.map(|partition| {
            let banks = banks(shape, &partition);
            (cost(&partition), banks * dividing(&partition), partition)
        });
        // Of equal ones, the first.
        let best = found.min_by_key(|(cycles, banks, _)| (*cycles, *banks));
        let (cycles, _, partition) = best?;
        (cycles < cost(&[])).then_some(partition)
    }
}

/// How many banks one counts for: who fills or empties the array elsewhere divides to find one, unless that is a shift.
fn dividing(partition: &[Partition]) -> u64 {
    let is_shift = |one: &Partition| one.factor.is_power_of_two();
    if partition.iter().all(is_shift) { 1 } else { 3 }
}

/// Splits into so many parts of a dimension at most: of one dimension, of two, skewed. Simple ones come first.
fn partitions(shape: &[u64], most: u64) -> Vec<Vec<Partition>> {
    let factors = |dim: usize, most: u64| {
        let all = (1..).map(|log| 1u64 << log);
        all.take_while(move |&factor| factor <= most && factor <= shape[dim])
    };
    let others = |dim: usize| {
        let all = 3..=most.min(shape[dim]);
        let all = all.filter(|factor| !factor.is_power_of_two());
        all.map(move |factor| {
            vec![Partition {
                kind: PartitionKind::Cyclic,
                dim,
                factor,
            }]
        })
    };
    let some = |kind, dim, most: u64| {
        factors(dim, most).map(move |factor| Partition {
            kind,
            dim,
            // Blocks may come out in fewer parts.
            factor: parts(kind, shape[dim], factor),
        })
    };
    let one = |kind, dim| some(kind, dim, most);
    let dims = 0..shape.len();
    let mut all: Vec<Vec<Partition>> = Vec::new();
    for kind in [PartitionKind::Cyclic, PartitionKind::Block] {
        all.extend(
            dims.clone()
                // Accesses a power of two apart need more banks than there are of them.
                .flat_map(|dim| some(kind, dim, MOST_BANKS))
                .map(|one| vec![one]),
        );
    }
    all.extend(dims.clone().flat_map(others));
    if shape.len() > 1 {
        let last = shape.len() - 1;
        all.extend(one(PartitionKind::Skew, last).map(|one| vec![one]));
    }
    for first in dims.clone() {
        for second in first + 1..shape.len() {
            for outer in one(PartitionKind::Cyclic, first) {
                let inner = one(PartitionKind::Cyclic, second);
                all.extend(inner.map(|inner| vec![outer.clone(), inner]));
            }
        }
    }
    all.retain(|partition| banks(shape, partition) <= MOST_BANKS);
    all
}

impl Round {
    /// Whether it fits into a cycle of a memory.
    fn fits(&self) -> bool {
        self.reads.len() as u64 <= READS && self.writes.len() <= 1
    }

    /// Whether the banks of all accesses are known while compiling.
    fn has_known_banks(&self, splits: &[Split]) -> bool {
        let is_known = |access: &Access| {
            let mut parts = splits.iter().map(|split| part(split, access));
            parts.all(|part| part.is_some_and(|(terms, _)| terms.is_empty()))
        };
        self.reads.iter().chain(&self.writes).all(is_known)
    }

    /// Cycles in which the accesses fit, at least.
    fn cycles(&self, splits: &[Split]) -> u64 {
        let reads = in_one_bank(&self.reads, splits).div_ceil(READS);
        reads.max(in_one_bank(&self.writes, splits)).max(1)
    }
}

/// Values and their coefficients.
type Terms = Vec<(ValueId, i128)>;

/// Accesses that meet in one bank, at most.
fn in_one_bank(accesses: &[Access], splits: &[Split]) -> u64 {
    // What is not constant of the banks of accesses, and how many there are of each constant.
    let mut alike: BTreeMap<Vec<Terms>, BTreeMap<Vec<i128>, u64>> = BTreeMap::new();
    let mut anywhere = 0;
    for access in accesses {
        let parts: Option<Vec<_>> = splits.iter().map(|split| part(split, access)).collect();
        match parts.map(|parts| parts.into_iter().unzip()) {
            Some((terms, constants)) => {
                *alike
                    .entry(terms)
                    .or_default()
                    .entry(constants)
                    .or_default() += 1;
            }
            None => anywhere += 1,
        }
    }
    let most = alike.values().filter_map(|banks| banks.values().max());
    anywhere + most.sum::<u64>()
}

/// What decides the part of an access: terms that vary, modulo the parts, and a constant. `None`: too little is known.
fn part(split: &Split, access: &[Subscript]) -> Option<(Terms, i128)> {
    let deciding = split.deciding(access);
    let mut forms = deciding.iter().map(|subscript| &subscript.form);
    let sum = forms.try_fold(Affine::default(), |sum, form| sum.plus(form, 1))?;
    let parts = i128::from(split.factor);
    match split.kind {
        PartitionKind::Cyclic | PartitionKind::Skew => {
            let terms = sum.terms.into_iter();
            let terms = terms.map(|(value, factor)| (value, factor.rem_euclid(parts)));
            let terms = terms.filter(|(_, factor)| *factor != 0).collect();
            Some((terms, sum.constant.rem_euclid(parts)))
        }
        PartitionKind::Block => {
            let (low, high) = deciding.first()?.range?;
            let part = |index: i128| index.div_euclid(i128::from(split.share()));
            (part(low) == part(high)).then(|| (Vec::new(), part(low)))
        }
        PartitionKind::Complete => None,
    }
}

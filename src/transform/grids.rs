//! Arrays that the workers of a grid share: each part that only one of them accesses gets a memory of its own.
//!
//! A parameter has two ports. Where more workers access it, it is copied to memories inside before the grid, and back after it
//! where it is written; along the dimensions in which every worker has indices of its own it is split completely, into blocks where
//! each worker stays in one, and cyclically where each has indices that leave the same remainder. Workers of which that is not known
//! that they keep apart get copies of their own (`own_copies`).

use super::groups::{Given, Group, around, copying, range, values, with_local};
use super::own_copies;
use crate::codes;
use crate::diagnostics::{Diagnostic, Span};
use crate::ir::analysis::{Residue, Values, touch};
use crate::ir::grid::combinations;
use crate::ir::partition::{MAX_BANKS, Split, is_valid, parts, splits};
use crate::ir::{
    Array, ArrayId, ArrayKind, Block, Const, Kernel, OpKind, Partition, PartitionKind, ValueId,
};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::ToPrimitive;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Workers that can share a parameter as it is.
const PORTS: usize = 2;

/// Pairs of accesses that are compared, at most.
const MOST_PAIRS: usize = 10_000_000;

/// Gives workers memories of their own, where they are too many for those that there are, or may not keep apart.
///
/// Errors: two workers write one element.
pub(super) fn localise(outer: &mut Kernel, groups: &mut Vec<Group>) -> Result<Given, Diagnostic> {
    let mut given = Given::default();
    let grids = groups.iter().flat_map(|group| &group.workers);
    let grids: BTreeSet<usize> = grids.map(|worker| worker.grid).collect();
    for grid in grids {
        for (array, uses) in shared(outer, groups, grid)? {
            Localise {
                outer,
                groups,
                given: &mut given,
            }
            .array(array, &uses, grid);
        }
    }
    Ok(given)
}

/// How the workers of a grid use an array.
struct Uses {
    /// Those that do.
    workers: BTreeSet<u32>,
    /// The dimensions in which every access has an index that is known while compiling.
    dims: BTreeSet<usize>,
    /// Of each dimension the indices that each worker accesses lie between; `None`: not known of all.
    spans: Vec<Option<BTreeMap<u32, (i128, i128)>>>,
    /// Of each dimension what is known of the indices that each worker accesses from their form.
    residues: Vec<BTreeMap<u32, Residue>>,
    /// Elements that are written whatever happens, each with a worker that does, and where.
    surely: BTreeMap<Vec<BigInt>, (u32, Span)>,
    reads: Vec<Access>,
    writes: Vec<Access>,
}

/// A place where a worker reads or writes.
struct Access {
    worker: u32,
    /// Dimension by dimension.
    reach: Vec<Reach>,
}

impl Access {
    /// Whether both are by one worker, or cannot be of one element.
    fn is_apart(&self, other: &Access) -> bool {
        let mut dims = self.reach.iter().zip(&other.reach);
        self.worker == other.worker || dims.any(|(one, other)| one.is_apart(other))
    }

    /// The banks in which it may be, by the part of each split.
    fn banks(&self, splits: &[Split]) -> Vec<Vec<u64>> {
        let parts = |split: &Split| self.reach[split.dim].parts(split);
        combinations(splits.iter().map(parts))
    }
}

/// The indices of an access in a dimension: between which they lie, if that is known, and what their form says.
#[derive(Clone, Copy)]
struct Reach {
    span: Option<(i128, i128)>,
    residue: Residue,
}

impl Reach {
    /// Any index.
    const ANY: Reach = Reach {
        span: None,
        residue: Residue::ANY,
    };

    /// Whether no index is of both.
    fn is_apart(&self, other: &Reach) -> bool {
        let spans = self.span.zip(other.span);
        let by_span = spans.is_some_and(|(one, other)| one.1 < other.0 || other.1 < one.0);
        by_span || self.residue.is_apart(other.residue)
    }

    /// The parts of a split that such an index may be in.
    fn parts(&self, split: &Split) -> Vec<u64> {
        let last = i128::from(split.extent) - 1;
        let (low, high) = self.span.unwrap_or((0, last));
        let part = |index: i128| split.part(index.clamp(0, last) as u64);
        let factor = i128::from(split.factor);
        match split.kind {
            PartitionKind::Complete | PartitionKind::Block => (part(low)..=part(high)).collect(),
            PartitionKind::Cyclic if self.residue.by % factor == 0 => {
                vec![self.residue.modulo(factor) as u64]
            }
            // The other subscripts decide about skewed parts, too.
            PartitionKind::Cyclic | PartitionKind::Skew => (0..split.factor).collect(),
        }
    }
}

impl Uses {
    fn of(array: &Array) -> Uses {
        let dims = array.shape.len();
        Uses {
            workers: BTreeSet::new(),
            dims: (0..dims).collect(),
            spans: vec![Some(BTreeMap::new()); dims],
            residues: vec![BTreeMap::new(); dims],
            surely: BTreeMap::new(),
            reads: Vec::new(),
            writes: Vec::new(),
        }
    }

    /// A worker accesses this element, too.
    fn widen(&mut self, worker: u32, indices: &[ValueId], values: &Values, counters: &Counters) {
        for (span, &index) in self.spans.iter_mut().zip(indices) {
            let (Some(spans), Some((low, high))) = (span.as_mut(), values.range(index)) else {
                *span = None;
                continue;
            };
            let known = spans.entry(worker).or_insert((low, high));
            *known = (known.0.min(low), known.1.max(high));
        }
        for (residues, &index) in self.residues.iter_mut().zip(indices) {
            let residue = residue(index, values, counters);
            let known = residues.entry(worker).or_insert(residue);
            *known = known.join(residue);
        }
    }

    fn is_read(&self) -> bool {
        !self.reads.is_empty()
    }

    fn is_written(&self) -> bool {
        !self.writes.is_empty()
    }

    /// Whether no worker writes what another one accesses; if that takes too long to find out, it is not known.
    fn are_apart(&self) -> bool {
        let accesses = self.reads.len() + self.writes.len();
        self.writes.len().saturating_mul(accesses) <= MOST_PAIRS
            && self.writes.iter().all(|write| {
                let mut others = self.reads.iter().chain(&self.writes);
                others.all(|other| write.is_apart(other))
            })
    }

    /// Whether more workers may write to a bank than it has ports.
    fn is_crowded(&self, shape: &[u64], partition: &[Partition]) -> bool {
        let splits = splits(shape, partition);
        // Of each bank, who writes it, and in how many places; each of those may need a port.
        let mut writers: BTreeMap<Vec<u64>, Vec<u32>> = BTreeMap::new();
        for write in &self.writes {
            for bank in write.banks(&splits) {
                writers.entry(bank).or_default().push(write.worker);
            }
        }
        writers.values().any(|places| {
            let are_several = places.iter().any(|worker| *worker != places[0]);
            are_several && places.len() > PORTS
        })
    }

    /// Whether no bank of the array has more workers than ports.
    fn have_ports(&self, array: &Array) -> bool {
        let splits = splits(&array.shape, &array.partition);
        let mut users: BTreeMap<Vec<u64>, BTreeSet<u32>> = BTreeMap::new();
        for access in self.reads.iter().chain(&self.writes) {
            for bank in access.banks(&splits) {
                users.entry(bank).or_default().insert(access.worker);
            }
        }
        users.values().all(|workers| workers.len() <= PORTS)
    }

    /// A worker may access any element.
    fn widen_to_all(&mut self, worker: u32) {
        self.dims.clear();
        self.spans.fill(None);
        for residues in &mut self.residues {
            residues.insert(worker, Residue::ANY);
        }
    }

    /// How the array is split so that no worker accesses two parts of a dimension.
    fn partition(&self, shape: &[u64]) -> Vec<Partition> {
        let dims = shape.iter().enumerate();
        dims.filter_map(|(dim, &extent)| {
            let (kind, factor) = self.split(dim, extent)?;
            Some(Partition { kind, dim, factor })
        })
        .collect()
    }

    /// Kind and factor of the split of a dimension, if there is one.
    fn split(&self, dim: usize, extent: u64) -> Option<(PartitionKind, u64)> {
        if self.dims.contains(&dim) {
            return (extent > 1).then_some((PartitionKind::Complete, extent));
        }
        let spans = self.spans[dim].as_ref();
        let blocks = spans.and_then(|spans| blocks(extent, spans));
        let blocks = blocks.map(|factor| (PartitionKind::Block, factor));
        let cyclic = || Some((PartitionKind::Cyclic, cycle(extent, &self.residues[dim])?));
        blocks.or_else(cyclic)
    }
}

/// First value and step of the counters for which both are known.
type Counters = BTreeMap<ValueId, (i128, i128)>;

fn residue(index: ValueId, values: &Values, counters: &Counters) -> Residue {
    Residue::of(&values.affine(index), |value| counters.get(&value).copied())
}

/// The smallest factor by which all workers that access different remainders do.
fn cycle(extent: u64, residues: &BTreeMap<u32, Residue>) -> Option<u64> {
    let by = residues.values().fold(0i128, |by, one| by.gcd(&one.by));
    let different = |factor: u64| -> usize {
        let all = residues.values().map(|one| one.modulo(factor.into()));
        all.collect::<BTreeSet<i128>>().len()
    };
    let divides = |factor: &u64| by % i128::from(*factor) == 0;
    let factors: Vec<u64> = (2..=extent.min(MAX_BANKS)).filter(divides).collect();
    let most = factors.iter().map(|&factor| different(factor)).max()?;
    let factor = factors
        .into_iter()
        .find(|&factor| different(factor) == most);
    factor.filter(|_| most > 1)
}

/// The smallest blocks of a dimension of which each worker needs one only: how many there are, if there are several.
fn blocks(extent: u64, spans: &BTreeMap<u32, (i128, i128)>) -> Option<u64> {
    let widest = spans.values().map(|(low, high)| high - low + 1).max()?;
    let most = extent.div_ceil(u64::try_from(widest).ok()?).min(MAX_BANKS);
    let fits = |factor: &u64| {
        let share = i128::from(extent.div_ceil(*factor));
        spans.values().all(|(low, high)| {
            *low >= 0 && *high < i128::from(extent) && low / share == high / share
        })
    };
    let factor = (2..=most).rev().find(fits)?;
    let factor = parts(PartitionKind::Block, extent, factor);
    (factor > 1).then_some(factor)
}

/// The arrays that more workers access than it has ports, or that they write.
///
/// Errors: two of them write an element, whatever the data.
fn shared(
    outer: &Kernel,
    groups: &[Group],
    grid: usize,
) -> Result<Vec<(ArrayId, Uses)>, Diagnostic> {
    let mut found: BTreeMap<ArrayId, Uses> = BTreeMap::new();
    let groups = &groups[range(groups, grid)];
    if groups.len() < 2 {
        return Ok(Vec::new());
    }
    let values = values(outer, groups);
    for group in groups {
        let Some(worker) = group.worker(grid) else {
            continue;
        };
        let block = Block {
            ops: group.ops.clone(),
            yields: Vec::new(),
        };
        let mut constants: BTreeMap<ValueId, &BigInt> = BTreeMap::new();
        let mut counters = Counters::new();
        block.for_each_op(&mut |op| {
            match &op.kind {
                OpKind::Const(Const::Int(value)) => {
                    constants.insert(op.results[0], value);
                }
                OpKind::For(f) => {
                    let known = |value| values.constant(value)?.to_i128();
                    counters.extend(known(f.lo).zip(known(f.step)).map(|known| (f.iv, known)));
                }
                _ => {}
            }
            let (read, written) = touch::arrays(&op.kind);
            for &id in read.iter().chain(&written) {
                let array = &outer.arrays[id];
                let is_memory =
                    array.stream.is_none() && !matches!(array.kind, ArrayKind::Table(_));
                if !is_memory {
                    continue;
                }
                let uses = found.entry(id).or_insert_with(|| Uses::of(array));
                uses.workers.insert(worker);
                let reach = match touch::element(&op.kind) {
                    Some(at) => {
                        uses.dims
                            .retain(|&dim| constants.contains_key(&at.indices[dim]));
                        uses.widen(worker, &at.indices, &values, &counters);
                        let reach = |&index| Reach {
                            span: values.range(index),
                            residue: residue(index, &values, &counters),
                        };
                        at.indices.iter().map(reach).collect()
                    }
                    None => {
                        uses.widen_to_all(worker);
                        vec![Reach::ANY; array.shape.len()]
                    }
                };
                let accesses = match written.contains(&id) {
                    true => &mut uses.writes,
                    false => &mut uses.reads,
                };
                accesses.push(Access { worker, reach });
            }
        });
        // Statements that are in no loop or branch.
        for op in &group.ops {
            let OpKind::Store { at, .. } = &op.kind else {
                continue;
            };
            let place = at
                .indices
                .iter()
                .map(|index| constants.get(index).map(|&value| value.clone()));
            let array = &outer.arrays[at.array];
            let place: Option<Vec<BigInt>> = place.collect();
            let place = place.filter(|place| is_element(place, array));
            if let (Some(place), None, Some(uses)) = (place, at.when, found.get_mut(&at.array)) {
                let first = *uses.surely.entry(place).or_insert((worker, op.span));
                if first.0 != worker {
                    return Err(written_twice(array, op.span, first.1));
                }
            }
        }
    }
    found.retain(|_, uses| {
        let workers = uses.workers.len();
        workers > PORTS || uses.is_written() && workers > 1
    });
    Ok(found.into_iter().collect())
}

/// Whether an array has an element of these subscripts.
fn is_element(place: &[BigInt], array: &Array) -> bool {
    let mut pairs = place.iter().zip(&array.shape);
    pairs.all(|(index, &extent)| *index >= BigInt::ZERO && *index < extent.into())
}

fn written_twice(array: &Array, again: Span, first: Span) -> Diagnostic {
    let message = format!("two workers write the same element of '{}'", array.name);
    let error = Diagnostic::error(codes::NETWORK, again, message);
    let error = match again == first {
        true => error,
        false => error.note_at(first, "it is written here, too"),
    };
    error.help("get_wid in the subscripts gives each worker elements of its own")
}

struct Localise<'n> {
    outer: &'n mut Kernel,
    groups: &'n mut Vec<Group>,
    given: &'n mut Given,
}

impl Localise<'_> {
    /// Splits an array, or a copy of it.
    fn array(&mut self, id: ArrayId, uses: &Uses, grid: usize) {
        let array = self.outer.arrays[id].clone();
        let partition = uses.partition(&array.shape);
        let is_crowded = array.partition.is_empty() && uses.is_crowded(&array.shape, &partition);
        if is_crowded || !uses.are_apart() {
            return self.own_copies(id, uses, grid);
        }
        // A copy that is only read may have any number of ports.
        let is_copied = array.kind != ArrayKind::Local && !uses.is_written();
        let helps = !partition.is_empty() || is_copied;
        // What is directed stays; a copy is split for the workers. If it is only read, `readers` has one made.
        let stays = match array.kind {
            ArrayKind::Local => true,
            _ => !uses.is_written() || uses.have_ports(&array),
        };
        let is_directed = !array.partition.is_empty();
        if is_directed && stays || !helps || !is_valid(&array.shape, &partition) {
            return;
        }
        if array.kind == ArrayKind::Local {
            self.outer.arrays[id].partition = partition;
            return;
        }
        let range = range(self.groups, grid);
        let local = with_local(self.outer, &mut self.groups[range.clone()], id);
        self.outer.arrays[local].partition = partition;
        let elements: u64 = array.shape.iter().product();
        let written = uses.surely.len() as u64;
        let is_kept = uses.is_read() || written < elements;
        let ways = u64::from(is_kept) + u64::from(uses.is_written());
        let note = format!(
            "'{}' is copied to memories of the workers, {} elements, which takes about {} cycles",
            array.name,
            elements,
            ways * elements
        );
        let Range { start, end } = range;
        let span = self.groups[start].span;
        self.given.notes.push((span, note));
        let name = format!("{}_copy", array.name);
        let around = around(self.groups, grid);
        if uses.is_written() {
            let behind = copying(&name, span, id, local);
            self.groups.insert(end, behind.inside(&around));
        }
        // What is not written stays what it was.
        if is_kept {
            let before = copying(&name, span, local, id);
            self.groups.insert(start, before.inside(&around));
        }
    }

    /// Gives each worker a copy of an array of which any of them may write any element.
    fn own_copies(&mut self, id: ArrayId, uses: &Uses, grid: usize) {
        let array = &self.outer.arrays[id];
        let note = format!(
            "it does not show that workers keep apart in '{}': each has a copy of {} elements, which are gathered behind them",
            array.name,
            array.len()
        );
        let span = self.groups[range(self.groups, grid).start].span;
        self.given.notes.push((span, note));
        self.given.has_copies = true;
        own_copies::run(self.outer, self.groups, grid, (id, uses.is_read()));
    }
}

//! Arrays that the workers of a grid share: each part that only one of them accesses gets a memory of its own.
//!
//! A parameter has two ports. Where more workers access it, it is copied to memories inside before the grid, and back after it
//! where it is written; along the dimensions in which every worker has indices of its own it is split completely, into blocks where
//! each worker stays in one, and cyclically where each has indices that leave the same remainder.

use super::network::{Group, GroupKind, Note};
use super::own_copies;
use crate::codes;
use crate::diagnostics::{Diagnostic, Span};
use crate::ir::analysis::{Residue, Values, touch};
use crate::ir::partition::{MAX_BANKS, Split, is_valid, parts, splits};
use crate::ir::{
    Array, ArrayId, ArrayKind, Block, Const, Kernel, Op, OpKind, Partition, PartitionKind, ValueId,
};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::ToPrimitive;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Workers that can share a parameter as it is.
const PORTS: usize = 2;

/// Gives workers memories of their own, where they are too many for those that there are; what that takes, in words.
///
/// Errors: two workers write one element.
pub(super) fn localise(
    outer: &mut Kernel,
    groups: &mut Vec<Group>,
) -> Result<Vec<Note>, Diagnostic> {
    let mut notes = Vec::new();
    let mut at = 0;
    while at < groups.len() {
        let beside = groups[at..]
            .iter()
            .take_while(|group| group.is_beside(&groups[at]));
        let count = beside.count().max(1);
        let mut end = at + count;
        for (array, uses) in shared(outer, &groups[at..end])? {
            let grid = at..end;
            end += Localise {
                outer,
                groups,
                notes: &mut notes,
            }
            .array(array, &uses, grid);
        }
        at = end;
    }
    Ok(notes)
}

/// How the workers of a grid use an array.
struct Uses {
    /// How many there are.
    workers: usize,
    is_written: bool,
    /// The dimensions in which every access has an index that is known while compiling.
    dims: BTreeSet<usize>,
    /// Of each dimension the indices that each worker accesses lie between; `None`: not known of all.
    spans: Vec<Option<BTreeMap<usize, (i128, i128)>>>,
    /// Of each dimension what is known of the indices that each worker accesses from their form.
    residues: Vec<BTreeMap<usize, Residue>>,
    /// Elements that are written whatever happens, each with a worker that does, and where.
    surely: BTreeMap<Vec<BigInt>, (usize, Span)>,
    /// Where workers write, dimension by dimension.
    writes: Vec<(usize, Vec<Reach>)>,
    /// Whether they write elements only, one at a time.
    by_element: bool,
    /// Who reads it.
    readers: BTreeSet<usize>,
}

/// The indices of an access in a dimension: between which they lie, if that is known, and what their form says.
#[derive(Clone, Copy)]
struct Reach {
    span: Option<(i128, i128)>,
    residue: Residue,
}

impl Reach {
    /// The parts of a split that such an index may be in.
    fn parts(&self, split: &Split) -> Vec<u64> {
        let last = i128::from(split.extent) - 1;
        let (low, high) = self.span.unwrap_or((0, last));
        let part = |index: i128| split.part(index.clamp(0, last) as u64);
        let factor = i128::from(split.factor);
        match split.kind {
            PartitionKind::Complete | PartitionKind::Block => (part(low)..=part(high)).collect(),
            _ if self.residue.by % factor == 0 => vec![self.residue.modulo(factor) as u64],
            _ => (0..split.factor).collect(),
        }
    }
}

impl Uses {
    /// A worker accesses this element, too.
    fn widen(&mut self, worker: usize, indices: &[ValueId], values: &Values, counters: &Counters) {
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

    /// A worker writes this element.
    fn writes(&mut self, worker: usize, indices: &[ValueId], values: &Values, counters: &Counters) {
        let reach = indices.iter().map(|&index| Reach {
            span: values.range(index),
            residue: residue(index, values, counters),
        });
        self.writes.push((worker, reach.collect()));
    }

    fn is_read(&self) -> bool {
        !self.readers.is_empty()
    }

    /// Whether those who do not write do not read either.
    fn only_writers_read(&self) -> bool {
        let writes = |reader: &usize| self.writes.iter().any(|(worker, _)| worker == reader);
        self.readers.iter().all(writes)
    }

    /// Whether more workers may write to a bank than it has ports.
    fn is_crowded(&self, shape: &[u64], partition: &[Partition]) -> bool {
        let splits = splits(shape, partition);
        // Of each bank, who writes it, and in how many places; each of those may need a port.
        let mut writers: BTreeMap<Vec<u64>, Vec<usize>> = BTreeMap::new();
        for (worker, reach) in &self.writes {
            let mut banks = vec![Vec::new()];
            for split in &splits {
                let parts = reach[split.dim].parts(split);
                let further = banks.iter().flat_map(|bank: &Vec<u64>| {
                    parts.iter().map(|&part| [&bank[..], &[part]].concat())
                });
                banks = further.collect();
            }
            for bank in banks {
                writers.entry(bank).or_default().push(*worker);
            }
        }
        writers.values().any(|places| {
            let are_several = places.iter().any(|worker| *worker != places[0]);
            are_several && places.len() > PORTS
        })
    }

    /// A worker may access any element.
    fn widen_to_all(&mut self, worker: usize) {
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
fn cycle(extent: u64, residues: &BTreeMap<usize, Residue>) -> Option<u64> {
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
fn blocks(extent: u64, spans: &BTreeMap<usize, (i128, i128)>) -> Option<u64> {
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

/// What is known of the values of a grid.
fn values(outer: &Kernel, grid: &[Group]) -> Values {
    let mut kernel = outer.clone();
    kernel.body.ops = grid.iter().flat_map(|group| group.ops.clone()).collect();
    Values::of(&kernel)
}

/// The arrays that more workers access than it has ports, or that they write.
///
/// Errors: two of them write an element, whatever the data.
fn shared(outer: &Kernel, grid: &[Group]) -> Result<Vec<(ArrayId, Uses)>, Diagnostic> {
    let mut found: BTreeMap<ArrayId, Uses> = BTreeMap::new();
    if grid.len() < 2 {
        return Ok(Vec::new());
    }
    let values = values(outer, grid);
    for (worker, group) in grid.iter().enumerate() {
        let block = Block {
            ops: group.ops.clone(),
            yields: Vec::new(),
        };
        let mut constants: BTreeMap<ValueId, &BigInt> = BTreeMap::new();
        let mut seen = BTreeSet::new();
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
                let uses = found.entry(id).or_insert_with(|| Uses {
                    workers: 0,
                    is_written: false,
                    dims: (0..array.shape.len()).collect(),
                    spans: vec![Some(BTreeMap::new()); array.shape.len()],
                    residues: vec![BTreeMap::new(); array.shape.len()],
                    surely: BTreeMap::new(),
                    writes: Vec::new(),
                    by_element: true,
                    readers: BTreeSet::new(),
                });
                uses.workers += usize::from(seen.insert(id));
                uses.readers.extend(read.contains(&id).then_some(worker));
                uses.is_written |= written.contains(&id);
                match touch::element(&op.kind) {
                    Some(at) => {
                        uses.dims
                            .retain(|&dim| constants.contains_key(&at.indices[dim]));
                        uses.widen(worker, &at.indices, &values, &counters);
                        if written.contains(&id) {
                            uses.writes(worker, &at.indices, &values, &counters);
                        }
                    }
                    None => {
                        uses.widen_to_all(worker);
                        uses.by_element = false;
                    }
                }
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
    found.retain(|_, uses| uses.workers > PORTS || uses.is_written && uses.workers > 1);
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
    notes: &'n mut Vec<Note>,
}

impl Localise<'_> {
    /// Splits an array, or a copy of it; how many groups were added before the end of the grid.
    fn array(&mut self, id: ArrayId, uses: &Uses, grid: Range<usize>) -> usize {
        let array = self.outer.arrays[id].clone();
        let partition = uses.partition(&array.shape);
        if array.partition.is_empty()
            && uses.is_crowded(&array.shape, &partition)
            && uses.by_element
            && uses.only_writers_read()
        {
            return self.own_copies(id, uses, grid);
        }
        // A copy that is only read may have any number of ports.
        let is_copied = array.kind != ArrayKind::Local && !uses.is_written;
        let helps = !partition.is_empty() || is_copied;
        if !array.partition.is_empty() || !helps || !is_valid(&array.shape, &partition) {
            return 0;
        }
        if array.kind == ArrayKind::Local {
            self.outer.arrays[id].partition = partition;
            return 0;
        }
        let local = with_local(self.outer, &mut self.groups[grid.clone()], id);
        self.outer.arrays[local].partition = partition;
        let elements: u64 = array.shape.iter().product();
        let written = uses.surely.len() as u64;
        let is_kept = uses.is_read() || written < elements;
        let ways = u64::from(is_kept) + u64::from(uses.is_written);
        let note = format!(
            "'{}' is copied to memories of the workers, {} elements, which takes about {} cycles",
            array.name,
            elements,
            ways * elements
        );
        let span = self.groups[grid.start].span;
        self.notes.push((span, note));
        let name = format!("{}_copy", array.name);
        if uses.is_written {
            self.groups
                .insert(grid.end, copying(&name, span, id, local));
        }
        // What is not written stays what it was.
        if is_kept {
            let before = copying(&name, span, local, id);
            self.groups.insert(grid.start, before);
        }
        usize::from(is_kept)
    }

    /// Gives each worker a copy of an array of which any of them may write any element.
    fn own_copies(&mut self, id: ArrayId, uses: &Uses, grid: Range<usize>) -> usize {
        let array = &self.outer.arrays[id];
        let writers: BTreeSet<usize> = uses.writes.iter().map(|(worker, _)| *worker).collect();
        let note = format!(
            "'{}' is written by {} workers at places that the data decide: each has a copy of {} elements, which are gathered \
             behind them",
            array.name,
            writers.len(),
            array.len()
        );
        self.notes.push((self.groups[grid.start].span, note));
        own_copies::run(self.outer, self.groups, grid, (id, uses.is_read()))
    }
}

/// Has groups use an array inside in place of another one.
pub(super) fn with_local(outer: &mut Kernel, groups: &mut [Group], outside: ArrayId) -> ArrayId {
    let array = &outer.arrays[outside];
    let local = Array {
        name: format!("{}_local", array.name),
        kind: ArrayKind::Local,
        ..array.clone()
    };
    let local = outer.arrays.push(local);
    let rename = |id: &mut ArrayId| {
        if *id == outside {
            *id = local;
        }
    };
    for group in groups {
        for op in &mut group.ops {
            op.kind.for_each_array(&mut { rename });
            for inner in op.kind.blocks_mut() {
                inner.for_each_array(&mut { rename });
            }
        }
        if let GroupKind::Call(passed) = &mut group.kind {
            passed.iter_mut().for_each(|(id, _)| rename(id));
        }
    }
    local
}

/// A group that copies a whole array.
pub(super) fn copying(name: &str, span: Span, dst: ArrayId, src: ArrayId) -> Group {
    Group {
        name: name.into(),
        span,
        kind: GroupKind::Statements,
        ops: vec![Op {
            kind: OpKind::Copy { dst, src },
            results: Vec::new(),
            span,
        }],
    }
}

//! What operations share: ports of memories and operator modules. Each use takes one of several alike for some slots; the
//! tables say which are taken (the modulo reservation table of Rau and Glaeser, Some scheduling techniques and an easily
//! schedulable horizontal architecture, MICRO 1981).

use crate::hwarith::graph::{MemId, UnitId};

/// Something of which a few alike are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Ports of a memory that read and write.
    Ports(MemId),
    /// Ports of a memory that read.
    Reads(MemId),
    /// Ports of a memory that write.
    Writes(MemId),
    /// Instances of a variant of an operator.
    Unit(UnitId, u32),
}

/// A use of a resource: of which pool, and for how many slots from its start on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Position among the pools.
    pub pool: usize,
    /// Slots.
    pub slots: u32,
    /// Whether of the instances that are free the one is taken that is taken least often: it has the smallest choice in front.
    pub is_even: bool,
}

/// How many there are of each resource.
#[derive(Clone, Debug, Default)]
pub struct Pools {
    kinds: Vec<(Resource, u32)>,
}

impl Pools {
    /// The pool of a resource, of which there are so many from now on.
    pub fn pool(&mut self, resource: Resource, count: u32) -> usize {
        let known = self.kinds.iter().position(|(kind, _)| *kind == resource);
        let pool = known.unwrap_or(self.kinds.len());
        match self.kinds.get_mut(pool) {
            Some(kind) => kind.1 = count,
            None => self.kinds.push((resource, count)),
        }
        pool
    }

    /// The resource of a pool.
    pub fn resource(&self, pool: usize) -> Resource {
        self.kinds[pool].0
    }

    /// How many there are.
    pub fn count(&self, pool: usize) -> u32 {
        self.kinds[pool].1
    }

    /// Changes how many there are.
    pub fn set_count(&mut self, pool: usize, count: u32) {
        self.kinds[pool].1 = count;
    }

    /// How many there are of all.
    pub fn counts(&self) -> Vec<u32> {
        self.kinds.iter().map(|kind| kind.1).collect()
    }

    /// Positions of all pools.
    pub fn ids(&self) -> std::ops::Range<usize> {
        0..self.kinds.len()
    }
}

/// A set of slots, one bit each.
#[derive(Clone, Debug, Default)]
struct Slots(Vec<u64>);

impl Slots {
    fn contains(&self, slot: u64) -> bool {
        let word = self.0.get((slot / 64) as usize);
        word.is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }
    fn insert(&mut self, slot: u64) {
        let index = (slot / 64) as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        self.0[index] |= 1 << (slot % 64);
    }
    fn remove(&mut self, slot: u64) {
        if let Some(word) = self.0.get_mut((slot / 64) as usize) {
            *word &= !(1 << (slot % 64));
        }
    }
    /// The first slot from `from` on that is not in the set.
    fn next_free(&self, from: u64) -> u64 {
        let mut index = (from / 64) as usize;
        let mut free = !self.0.get(index).copied().unwrap_or(0) & (u64::MAX << (from % 64));
        while free == 0 {
            index += 1;
            free = !self.0.get(index).copied().unwrap_or(0);
        }
        64 * index as u64 + u64::from(free.trailing_zeros())
    }
}

/// The slots that are taken of each pool.
#[derive(Clone, Debug)]
pub struct Reservations {
    /// Slots of a round; `None`: cycles, without end.
    ii: Option<u32>,
    pools: Vec<Pool>,
}

#[derive(Clone, Debug)]
struct Pool {
    instances: Vec<Slots>,
    /// How often each is taken.
    uses: Vec<u32>,
    /// Slots in which no instance is free.
    full: Slots,
}

impl Reservations {
    /// Nothing is taken.
    pub fn new(pools: &Pools, ii: Option<u32>) -> Reservations {
        let pool = |id: usize| Pool {
            instances: vec![Slots::default(); pools.count(id) as usize],
            uses: vec![0; pools.count(id) as usize],
            full: Slots::default(),
        };
        Reservations {
            ii,
            pools: pools.ids().map(pool).collect(),
        }
    }

    fn slots(&self, cycle: u64, wanted: Use) -> impl Iterator<Item = u64> + use<> {
        let ii = self.ii.map(u64::from);
        (cycle..cycle + u64::from(wanted.slots)).map(move |c| ii.map_or(c, |ii| c % ii))
    }

    /// Takes an instance in the first cycle from `earliest` on in which one is free for all the slots; `None` if there is no
    /// such cycle. Returns the cycle and the instance.
    pub fn reserve(&mut self, wanted: Use, earliest: u64) -> Option<(u64, u32)> {
        if self.ii.is_some_and(|ii| wanted.slots > ii) {
            return None;
        }
        let end = self.ii.map_or(u64::MAX, |ii| earliest + u64::from(ii));
        let mut cycle = self.next_candidate(wanted.pool, earliest, end)?;
        loop {
            if let Some(instance) = self.free_instance(wanted, cycle) {
                self.take(wanted, cycle, instance);
                return Some((cycle, instance));
            }
            cycle = self.next_candidate(wanted.pool, cycle + 1, end)?;
        }
    }

    /// The first cycle from `from` on, before `end`, in whose slot something is free.
    fn next_candidate(&self, pool: usize, from: u64, end: u64) -> Option<u64> {
        let full = &self.pools[pool].full;
        let Some(ii) = self.ii.map(u64::from) else {
            return Some(full.next_free(from));
        };
        if self.pools[pool].instances.is_empty() {
            return None;
        }
        let slot = from % ii;
        let next = full.next_free(slot);
        // Beyond the last slot of a round, the search goes on with the first.
        let cycle = match next < ii {
            true => from + (next - slot),
            false => from + (ii - slot) + full.next_free(0),
        };
        (cycle < end).then_some(cycle)
    }

    fn free_instance(&self, wanted: Use, cycle: u64) -> Option<u32> {
        let pool = &self.pools[wanted.pool];
        let is_free = |slots: &&Slots| {
            let mut needed = self.slots(cycle, wanted);
            needed.all(|slot| !slots.contains(slot))
        };
        let mut free = (0..)
            .zip(&pool.instances)
            .filter(|(_, slots)| is_free(slots));
        let found = match wanted.is_even {
            true => free.min_by_key(|(instance, _)| pool.uses[*instance as usize]),
            false => free.next(),
        };
        found.map(|(instance, _)| instance)
    }

    fn take(&mut self, wanted: Use, cycle: u64, instance: u32) {
        self.pools[wanted.pool].uses[instance as usize] += 1;
        for slot in self.slots(cycle, wanted) {
            let pool = &mut self.pools[wanted.pool];
            pool.instances[instance as usize].insert(slot);
            if pool.instances.iter().all(|slots| slots.contains(slot)) {
                pool.full.insert(slot);
            }
        }
    }

    /// Gives back what [`Self::reserve`] took.
    pub fn release(&mut self, wanted: Use, (cycle, instance): (u64, u32)) {
        self.pools[wanted.pool].uses[instance as usize] -= 1;
        for slot in self.slots(cycle, wanted) {
            let pool = &mut self.pools[wanted.pool];
            pool.instances[instance as usize].remove(slot);
            pool.full.remove(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pools(count: u32) -> Pools {
        let mut pools = Pools::default();
        pools.pool(Resource::Unit(UnitId::new(0), 0), count);
        pools
    }

    fn uses(slots: u32) -> Use {
        Use {
            pool: 0,
            slots,
            is_even: false,
        }
    }

    #[test]
    fn a_pool_has_as_many_as_were_asked_for_last() {
        // Of a shared operator that some of its users have left.
        let mut pools = pools(3);
        assert_eq!(pools.pool(Resource::Unit(UnitId::new(0), 0), 2), 0);
        assert_eq!(pools.count(0), 2);
    }

    #[test]
    fn slots_of_a_round_are_taken_until_none_is_free() {
        let mut table = Reservations::new(&pools(2), Some(3));
        let cycles: Vec<_> = (0..7).map(|_| table.reserve(uses(1), 4)).collect();
        let taken = [(4, 0), (4, 1), (5, 0), (5, 1), (6, 0), (6, 1)].map(Some);
        assert_eq!(cycles[..6], taken);
        assert_eq!(cycles[6], None);
        table.release(uses(1), (5, 1));
        assert_eq!(table.reserve(uses(1), 9), Some((11, 1)));
    }

    #[test]
    fn long_uses_need_one_instance_for_all_their_slots() {
        let mut table = Reservations::new(&pools(2), Some(5));
        assert_eq!(table.reserve(uses(1), 2), Some((2, 0)));
        assert_eq!(table.reserve(uses(3), 0), Some((0, 1)));
        // Around the end of the round, on the first instance.
        assert_eq!(table.reserve(uses(3), 0), Some((3, 0)));
        assert_eq!(table.reserve(uses(3), 0), None);
        assert_eq!(table.reserve(uses(6), 0), None, "longer than a round");
    }

    #[test]
    fn even_uses_take_turns() {
        let mut table = Reservations::new(&pools(2), None);
        let even = Use {
            is_even: true,
            ..uses(1)
        };
        let taken = [0, 1, 2, 3].map(|cycle| table.reserve(even, cycle));
        assert_eq!(taken, [(0, 0), (1, 1), (2, 0), (3, 1)].map(Some));
        table.release(even, (0, 0));
        assert_eq!(table.reserve(even, 4), Some((4, 0)));
    }

    #[test]
    fn without_a_round_there_is_always_a_later_cycle() {
        let mut table = Reservations::new(&pools(1), None);
        let cycles = (0..200).map(|_| table.reserve(uses(2), 7));
        let cycles: Vec<u64> = cycles.map(|found| found.expect("a cycle").0).collect();
        assert!(
            cycles
                .iter()
                .enumerate()
                .all(|(i, &c)| c == 7 + 2 * i as u64)
        );
    }
}

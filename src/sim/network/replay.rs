//! Whether a network ends with queues of given depths, from what its processes transferred where the queues were longer: what a
//! process transfers does not depend on when (Kahn 1974), so that counts are enough.

use crate::ir::ArrayId;
use std::collections::BTreeMap;

/// Transfers that are kept of a run, of all processes together.
const MOST_KEPT: usize = 1 << 24;

/// A transfer of a process: the stream, and whether an element is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Transfer {
    stream: ArrayId,
    puts: bool,
}

/// What each process transferred, in its order.
#[derive(Clone, Debug)]
pub(super) struct Traces {
    of_processes: Vec<Vec<Transfer>>,
    kept: usize,
}

impl Traces {
    /// Nothing yet.
    pub fn new(processes: usize) -> Traces {
        Traces {
            of_processes: vec![Vec::new(); processes],
            kept: 0,
        }
    }

    /// Where nothing is to be noted.
    pub fn none() -> Traces {
        Traces {
            of_processes: Vec::new(),
            kept: MOST_KEPT,
        }
    }

    /// Notes a transfer.
    pub fn note(&mut self, process: usize, stream: ArrayId, puts: bool) {
        self.kept += 1;
        if self.is_whole() {
            self.of_processes[process].push(Transfer { stream, puts });
        }
    }

    /// Whether all transfers were noted.
    pub fn is_whole(&self) -> bool {
        self.kept <= MOST_KEPT
    }
}

/// A stream as an invocation finds it.
#[derive(Clone, Debug)]
pub(super) struct Queues {
    /// Elements that a queue has room for.
    pub depth: u64,
    /// The processes that get, each with the elements in its queue.
    pub consumers: Vec<(usize, u64)>,
    /// Of a stream of the top kernel: elements that there are outside, or that there is room for.
    pub offered: Option<u64>,
    /// Processes that wait for it.
    pub waiting: Vec<usize>,
}

impl Queues {
    /// Has a process get or put an element, if it can.
    fn transfer(&mut self, process: usize, puts: bool) -> bool {
        let depth = self.depth;
        let has_room = |(_, held): &(usize, u64)| *held < depth;
        match (&mut self.offered, puts) {
            (Some(offered), true) => {
                let can = *offered > 0;
                *offered -= u64::from(can);
                return can;
            }
            (None, true) => {
                let can = self.consumers.iter().all(has_room);
                let held = self.consumers.iter_mut().map(|(_, held)| held);
                held.for_each(|held| *held += u64::from(can));
                return can;
            }
            (_, false) => {}
        }
        let is_own = |(one, _): &(usize, u64)| *one == process;
        if let Some((_, held)) = self.consumers.iter_mut().find(|one| is_own(one))
            && *held > 0
        {
            *held -= 1;
            return true;
        }
        // From outside it goes to all, for the others into their queues.
        let Some(offered) = &mut self.offered else {
            return false;
        };
        let mut others = self.consumers.iter().filter(|one| !is_own(one));
        let can = *offered > 0 && others.all(has_room);
        *offered -= u64::from(can);
        let others = self.consumers.iter_mut().filter(|one| !is_own(one));
        others.for_each(|(_, held)| *held += u64::from(can));
        can
    }
}

/// Replays what processes transferred, each after those that `after` names are done.
///
/// Errors: they come to wait for one another; the streams whose queues are full then.
pub(super) fn replay(
    traces: &Traces,
    mut streams: BTreeMap<ArrayId, Queues>,
    after: &[&[usize]],
) -> Result<(), Vec<ArrayId>> {
    let count = traces.of_processes.len();
    let mut next = vec![0; count];
    let mut done = vec![false; count];
    let can_begin = |process: usize, done: &[bool]| after[process].iter().all(|&other| done[other]);
    let mut ready: Vec<usize> = (0..count).filter(|&one| can_begin(one, &done)).collect();
    let mut begun = done.clone();
    ready.iter().for_each(|&one| begun[one] = true);
    'processes: while let Some(process) = ready.pop() {
        let trace = &traces.of_processes[process];
        while let Some(transfer) = trace.get(next[process]) {
            let Some(queues) = streams.get_mut(&transfer.stream) else {
                return Err(Vec::new());
            };
            if !queues.transfer(process, transfer.puts) {
                queues.waiting.push(process);
                continue 'processes;
            }
            next[process] += 1;
            ready.append(&mut queues.waiting);
        }
        done[process] = true;
        for (other, begun) in begun.iter_mut().enumerate() {
            if !*begun && can_begin(other, &done) {
                *begun = true;
                ready.push(other);
            }
        }
    }
    if done.iter().all(|done| *done) {
        return Ok(());
    }
    let is_full = |(id, queues): (&ArrayId, &Queues)| {
        let waits_for_room = queues.waiting.iter().any(|&process| {
            let transfer = traces.of_processes[process].get(next[process]);
            // An element that is outside is not to be had where another one has no room for it.
            transfer.is_some_and(|it| match queues.offered {
                None => it.puts,
                Some(offered) => !it.puts && offered > 0,
            })
        });
        waits_for_room.then_some(*id)
    };
    Err(streams.iter().filter_map(is_full).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(processes: &[&[(usize, bool)]], depths: &[u64]) -> Result<(), Vec<ArrayId>> {
        let depths: Vec<_> = depths.iter().map(|&depth| (depth, None)).collect();
        let after = vec![&[][..]; processes.len()];
        ends_after(processes, &depths, &after)
    }

    /// A network of processes that get (`false`) and put (`true`), with streams of given depths, some of which are outside with so
    /// many elements.
    fn ends_after(
        processes: &[&[(usize, bool)]],
        depths: &[(u64, Option<u64>)],
        after: &[&[usize]],
    ) -> Result<(), Vec<ArrayId>> {
        let mut traces = Traces::new(processes.len());
        for (process, transfers) in processes.iter().enumerate() {
            for &(stream, puts) in *transfers {
                traces.note(process, ArrayId::new(stream), puts);
            }
        }
        let gets = |stream| move |process: &usize| processes[*process].contains(&(stream, false));
        let streams = depths
            .iter()
            .enumerate()
            .map(|(stream, &(depth, offered))| {
                let consumers = (0..processes.len()).filter(gets(stream));
                let queues = Queues {
                    depth,
                    consumers: consumers.map(|process| (process, 0)).collect(),
                    offered,
                    waiting: Vec::new(),
                };
                (ArrayId::new(stream), queues)
            });
        replay(&traces, streams.collect(), after)
    }

    #[test]
    fn depths_decide() {
        // Two elements of the first stream before one of the second, which is wanted first.
        let gives = [(0, true), (0, true), (1, true)];
        let takes = [(1, false), (0, false), (0, false)];
        assert_eq!(ends(&[&gives, &takes], &[2, 1]), Ok(()));
        assert_eq!(ends(&[&gives, &takes], &[1, 1]), Err(vec![ArrayId::new(0)]));
        assert_eq!(ends(&[&takes, &gives], &[1, 9]), Err(vec![ArrayId::new(0)]));
        // Each of two consumers gets every element.
        let (both, one) = ([(0, true); 3], [(0, false); 3]);
        assert_eq!(ends(&[&both, &one, &one], &[1]), Ok(()));
        assert_eq!(ends(&[&both, &one, &one[1..]], &[1]), Ok(()));
        assert_eq!(
            ends(&[&both, &one, &one[2..]], &[1]),
            Err(vec![ArrayId::new(0)])
        );
    }

    #[test]
    fn elements_from_outside_wait_for_others_in_queues() {
        let id = ArrayId::new;
        // The second wants an element of the other stream first, which comes when the first has had all of its own.
        let first = [(0, false), (0, false), (0, false), (1, true)];
        let second = [(1, false), (0, false), (0, false), (0, false)];
        let with = |depth, offered| {
            let streams = [(depth, Some(offered)), (1, None)];
            ends_after(&[&first, &second], &streams, &[&[], &[]])
        };
        assert_eq!(with(3, 3), Ok(()));
        assert_eq!(with(2, 3), Err(vec![id(0)]));
        // There is no more: no depth helps.
        assert_eq!(with(3, 2), Err(Vec::new()));
    }

    #[test]
    fn a_process_begins_when_those_before_it_are_done() {
        let (gives, takes) = ([(0, true); 2], [(0, false); 2]);
        let with =
            |depth, after: [&[usize]; 2]| ends_after(&[&gives, &takes], &[(depth, None)], &after);
        assert_eq!(with(2, [&[], &[0]]), Ok(()));
        assert_eq!(with(1, [&[], &[0]]), Err(vec![ArrayId::new(0)]));
        assert_eq!(with(1, [&[], &[]]), Ok(()));
    }
}

//! What a comparison without difference tells.

use crate::sim::coverage::Coverage;
use crate::sim::model::Traffic;
use crate::sim::reference::{OutOfBounds, Outcome};

/// A comparison without difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// For each input that is not lost, the cycles from start to done.
    pub cycles: Vec<u64>,
    /// Cycles between the starts of invocations that follow each other without a pause; `None` if
    /// that was not tried.
    pub interval: Option<u64>,
    /// What the masters of a block moved in those invocations.
    pub traffic: Vec<Traffic>,
    /// Elements compared.
    pub compared: u64,
    /// Elements that the language leaves unspecified, which were not compared.
    pub unspecified: u64,
    /// Inputs on which the control flow came to depend on an unspecified value, so that nothing could
    /// be compared.
    pub lost: u64,
    /// Inputs that were drawn and left out, because the network deadlocks on them.
    pub deadlocks: u64,
    /// Accesses outside an array that the inputs led to, one for each place in the source.
    pub out_of_bounds: Vec<OutOfBounds>,
    /// Invocations stopped by a reset and then run again.
    pub resets: u64,
    /// Loops and branches that the inputs exercised.
    pub coverage: Coverage,
}

impl Report {
    /// Adds the report of a later part.
    pub(super) fn add(&mut self, part: Report) {
        self.cycles.extend(part.cycles);
        self.interval = self.interval.or(part.interval);
        if self.traffic.is_empty() {
            self.traffic = part.traffic;
        }
        self.compared += part.compared;
        self.unspecified += part.unspecified;
        self.lost += part.lost;
        self.deadlocks += part.deadlocks;
        part.out_of_bounds
            .into_iter()
            .for_each(|access| self.note_access(access));
        self.resets += part.resets;
        self.coverage.add(&part.coverage);
    }

    /// Notes what the reference saw.
    pub(super) fn note_outcome(&mut self, outcome: &Outcome) {
        self.lost += u64::from(outcome.unspecified_control.is_some());
        for access in &outcome.out_of_bounds {
            self.note_access(access.clone());
        }
        self.coverage.add(&outcome.coverage);
    }

    fn note_access(&mut self, access: OutOfBounds) {
        let mut known = self.out_of_bounds.iter_mut();
        match known.find(|o| o.span == access.span) {
            Some(known) => known.count += access.count,
            None => self.out_of_bounds.push(access),
        }
    }
}

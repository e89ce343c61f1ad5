//! Start and end of a block whose invocations overlap: `ap_ready` comes with the start, `ap_done` a fixed number of cycles later.

use super::Top;
use crate::machine::program::Program;
use crate::rtl::netlist::*;
use crate::schedule::Schedule;

/// What is known of such a block.
pub(super) struct Overlap {
    /// Cycles between starts.
    interval: u32,
    /// 1 where the next one may start, if that is not always so.
    free: Option<NetId>,
    /// 1 while an invocation is in that cycle; filled in with the block.
    pub(super) valid: Vec<NetId>,
}

impl Overlap {
    /// `None`: one invocation runs at a time.
    pub(super) fn of(program: &Program, schedule: &Schedule) -> Option<Overlap> {
        let block = program.only_block()?;
        let interval = schedule.leaves[block].ii?;
        Some(Overlap {
            interval,
            free: None,
            valid: Vec::new(),
        })
    }
}

impl Top<'_> {
    /// The pulse that starts an invocation, and where none is at work.
    pub(super) fn overlapping_start(&mut self) -> (Operand, Operand) {
        let asked = Operand::Net(self.ports.start);
        let idle = self.cells.invert(Operand::Net(self.ports.busy), "idle");
        let start = match &mut self.overlap {
            Some(overlap) if overlap.interval > 1 => {
                let free = self.cells.net("free", 1);
                overlap.free = Some(free);
                let free = Operand::Net(free);
                self.cells.gate(BinaryOp::And, asked, free, "start")
            }
            _ => asked,
        };
        self.cells
            .drive(self.ports.ready, Expr::Copy(start.clone()));
        (start, idle)
    }

    /// What keeps invocations apart: as many cycles as the interval has, or a multiple of it, so that those of
    /// all that run meet nowhere.
    pub(super) fn overlapping_end(&mut self, overlap: &Overlap, idle: Operand) {
        self.cells.drive(self.ports.idle, Expr::Copy(idle));
        let valid = |&net: &NetId| Operand::Net(net);
        let running = &overlap.valid[..overlap.valid.len() - 1];
        let running: Vec<Operand> = running.iter().map(valid).collect();
        let running = self.cells.any(&running, "runs");
        let busy = self.ports.busy;
        self.cells
            .drive_register(busy, running, None, Some(0), None);
        if let Some(free) = overlap.free {
            let interval = overlap.interval as usize;
            let turns = overlap.valid.iter().step_by(interval).skip(1);
            let turns: Vec<Operand> = turns.map(valid).collect();
            let turn = self.cells.any(&turns, "turn");
            let idle = self.cells.invert(Operand::Net(busy), "none");
            let may = self.cells.gate(BinaryOp::Or, idle, turn, "may");
            self.cells.drive(free, Expr::Copy(may));
        }
    }
}

//! Time for the longer routes of a device that a kernel fills.
//!
//! Delays of a device's model are those of kernels that take little of it, placed close together. What fills it spreads: its routes
//! are longer by several ns, and its slowest paths are those that fill their cycles as they do elsewhere.

use super::{Planned, Target, plan, taken};
use crate::codes;
use crate::levels::Forecast;

/// Lookup tables from which on a kernel fills a device: one part in so many of those that there are.
const PART: f64 = 3.0;

/// Parts of a clock period that stay free for longer routes then, beside the device's own: the first with which the kernel does as well.
const ROOM: [f64; 3] = [0.3, 0.2, 0.1];

/// The kernel may take one part in so many of its cycles longer for it, and of its lookup tables.
const MOST_LOSS: u64 = 300;
const MOST_GROWTH: f64 = 10.0;

/// Cycles lost grow with the room: less room is not tried where so many times what may be lost is expected.
const FAR: f64 = 2.0;

/// A kernel that fills the device with room in its cycles, the target that has that, and what the head of the text says of it; as
/// they are if it fills none, or would take longer.
pub fn made(planned: Planned, target: &Target) -> (Planned, Target, Option<String>) {
    let before = forecast(&planned, target);
    let luts = target.device.total.luts;
    if before.mapped() * PART < luts as f64 {
        return (planned, target.clone(), None);
    }
    let most_loss = before.cycles / MOST_LOSS;
    // Cycles lost for a whole period, about, by what was tried last.
    let mut loss = 0.0;
    let found = ROOM.into_iter().find_map(|room| {
        if loss * room > FAR * most_loss as f64 {
            return None;
        }
        let mut roomy = target.clone();
        roomy.device.clock.margin += room;
        let found = plan(planned.kernel.clone(), &roomy).ok()?;
        let after = forecast(&found, target);
        let lost = after.cycles.saturating_sub(before.cycles);
        loss = lost as f64 / room;
        let suits = keeps_intervals(&found)
            && lost <= most_loss
            && after.luts <= before.luts + before.luts / MOST_GROWTH;
        suits.then(|| {
            let said = format!(
                "{:.0} % of each cycle are kept for routes: of {luts} LUT4 {:.0} are taken, about",
                100.0 * roomy.device.clock.margin,
                after.mapped()
            );
            (found, roomy, Some(said))
        })
    });
    found.unwrap_or_else(|| (planned, target.clone(), None))
}

fn forecast(planned: &Planned, target: &Target) -> Forecast {
    taken(&planned.hardware, &planned.schedule, target)
}

/// Whether a kernel keeps all intervals that are directed: with room it may not, and what is least with room is not the least.
fn keeps_intervals(planned: &Planned) -> bool {
    let mut warnings = planned.warnings.0.iter();
    warnings.all(|d| d.code != codes::INTERVAL)
}

//! Ports of a memory by slot: which access takes which.

use super::{LETTER, ROW, framed, label, plain, px};
use crate::report::data::{Access, Use};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Slots that are drawn.
const MOST: u64 = 64;
/// Width of a slot.
const SLOT: f64 = 22.0;
/// Where the slots begin.
const LEFT: f64 = 9.0 * LETTER;

/// The table of a use; `where_is` names the place of an access.
pub fn chart(about: &str, one: &Use, where_is: &dyn Fn(&Access) -> String) -> Markup {
    let mut ports: BTreeMap<&str, Vec<&Access>> = BTreeMap::new();
    for access in &one.accesses {
        ports.entry(&access.port).or_default().push(access);
    }
    let slots = one.slots.clamp(1, MOST);
    let height = 16.0 + ROW * ports.len() as f64;
    framed(
        about,
        LEFT + SLOT * slots as f64 + 2.0,
        height,
        &html! {
            @for slot in 0..slots {
                @if slots <= 16 || slot % 4 == 0 {
                    text class="tick" x=(px(LEFT + SLOT * slot as f64 + 4.0)) y="11" { (slot) }
                }
            }
            @for (at, (port, accesses)) in ports.iter().enumerate() {
                @let y = 14.0 + ROW * at as f64;
                (label(port, y))
                @for slot in 0..slots {
                    (cell(slot, y, accesses, where_is))
                }
            }
        },
    )
}

fn cell(slot: u64, y: f64, accesses: &[&Access], where_is: &dyn Fn(&Access) -> String) -> Markup {
    let own: Vec<&&Access> = accesses.iter().filter(|one| one.slot == slot).collect();
    let class = own.first().map_or("free", |access| match &*access.what {
        "store" => "bar store",
        _ => "bar load",
    });
    let titles = own
        .iter()
        .map(|one| format!("{} in cycle {}, {}", one.what, one.cycle, where_is(one)));
    let title = titles.collect::<Vec<_>>().join("; ");
    html! {
        rect class=(class) x=(px(LEFT + SLOT * slot as f64)) y=(px(y + 1.0))
            width=(SLOT - 2.0) height=(ROW - 3.0) rx="2" {
            title { @if title.is_empty() { "free" } @else { (plain(&title)) } }
        }
    }
}

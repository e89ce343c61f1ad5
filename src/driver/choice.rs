//! The choice among the kernels that passes offer: the one that takes the fewest cycles.

use crate::diagnostics::Diagnostics;
use crate::ir;
use crate::levels::{Forecast, Tried};
use crate::transform::{self, Offer};
use std::collections::BTreeSet;

/// What is built of the kernel that takes the fewest cycles, and the passes that changed it; each that there is goes
/// to `tried`.
pub fn fastest<T>(
    offers: Vec<Offer>,
    tried: &mut Vec<Tried>,
    build: impl Fn(ir::Kernel) -> Result<(T, Forecast), Diagnostics>,
) -> Result<(T, Vec<&'static str>), Diagnostics> {
    let is_choice = offers.len() > 1;
    let first = tried.len();
    let mut best: Result<Option<(T, Forecast, usize)>, Diagnostics> = Ok(None);
    let mut passes = Vec::new();
    in_turn(offers, |offer| {
        let what = in_words(&offer);
        let is_alternative = offer.is_alternative;
        let built = build(offer.kernel);
        let after = built.as_ref().ok().map(|(_, taken)| *taken);
        tried.push(Tried {
            what,
            before: None,
            after,
            kept: false,
        });
        match (built, &best) {
            // The later ones are the plainer ones: they win ties.
            (Ok((_, taken)), Ok(Some((_, least, _))))
                if taken.cycles > least.cycles
                    || is_alternative && taken.cycles == least.cycles => {}
            (Ok((built, taken)), _) => {
                best = Ok(Some((built, taken, tried.len() - 1)));
                passes = offer.done;
            }
            // A gamble without hardware is lost; the plain kernel still has some, or none has.
            (Err(_), Ok(Some(_))) => {}
            (Err(errors), _) => best = Err(errors),
        }
        after.map(|taken| taken.cycles)
    });
    let (built, _, kept) = best?.expect("transform::run gives at least one kernel");
    tried[kept].kept = true;
    if !is_choice {
        tried.truncate(first);
    }
    Ok((built, passes))
}

/// Tries offers, one after the other, which gives the cycles that each takes if there is hardware; alternatives only to the
/// best one.
fn in_turn(offers: Vec<Offer>, mut attempt: impl FnMut(Offer) -> Option<u64>) {
    let is_alternative = |offer: &Offer| offer.is_alternative;
    let (alternatives, offers): (Vec<Offer>, Vec<Offer>) =
        offers.into_iter().partition(is_alternative);
    let mut best: Option<(u64, usize)> = None;
    for offer in offers {
        let root = offer.root;
        let cycles = attempt(offer);
        let is_best = |cycles: &u64| best.is_none_or(|(least, _)| *cycles <= least);
        if let Some(cycles) = cycles.filter(is_best) {
            best = Some((cycles, root));
        }
    }
    let root = best.map(|(_, root)| root);
    let meant = alternatives
        .into_iter()
        .filter(|offer| root.is_none_or(|root| offer.root == root));
    meant.for_each(|offer| _ = attempt(offer));
}

/// The gambles of an offer, in words.
fn in_words(offer: &Offer) -> String {
    let is_gamble = |name: &&&str| {
        let mut passes = transform::PASSES.iter();
        passes.any(|pass| pass.name == **name && pass.is_gamble)
    };
    let with: Vec<&str> = offer.done.iter().filter(is_gamble).copied().collect();
    let list = |word: &str, names: &[&str]| match names {
        [] => None,
        names => Some(format!("{word} {}", names.join(", "))),
    };
    let parts = [list("with", &with), list("without", &offer.left_out)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("'{}' {}", offer.kernel.name, parts.join(", "))
}

/// Passes in the order in which they run.
pub fn in_order(names: &BTreeSet<&'static str>) -> Vec<&'static str> {
    let all = [transform::UNROLL].into_iter();
    let all = all.chain(transform::PASSES.iter().map(|pass| pass.name));
    all.filter(|name| names.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Span;
    use crate::ir::Kernel;

    /// Which offers are tried, of those with a root, a kind and the cycles that they take.
    fn tried(offers: &[(usize, bool, Option<u64>)]) -> Vec<usize> {
        let span = Span::default();
        let named = offers
            .iter()
            .enumerate()
            .map(|(number, &(root, is_alternative, _))| Offer {
                kernel: Kernel::new(number.to_string(), span),
                done: Vec::new(),
                left_out: Vec::new(),
                root,
                is_alternative,
            });
        let mut order = Vec::new();
        in_turn(named.collect(), |offer| {
            let number: usize = offer.kernel.name.parse().expect("a number");
            order.push(number);
            offers[number].2
        });
        order
    }

    #[test]
    fn alternatives_are_tried_of_the_best_alone() {
        let both = [
            (0, false, Some(9)),
            (1, false, Some(5)),
            (0, true, Some(1)),
            (1, true, Some(7)),
        ];
        assert_eq!(tried(&both), [0, 1, 3]);
        // Of equal ones the later.
        let equal = [
            (0, true, Some(1)),
            (0, false, Some(5)),
            (1, false, Some(5)),
            (1, true, None),
        ];
        assert_eq!(tried(&equal), [1, 2, 3]);
        // Without hardware, whatever there is.
        let none = [(0, false, None), (0, true, Some(4)), (1, true, Some(3))];
        assert_eq!(tried(&none), [0, 1, 2]);
    }
}

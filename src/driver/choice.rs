//! The choice among the kernels that passes offer: the one that takes the fewest cycles.

use crate::diagnostics::Diagnostics;
use crate::ir;
use crate::levels::{Forecast, Tried};
use crate::parallel;
use crate::transform::{self, Offer};
use std::collections::BTreeSet;

/// What is built of the kernel that takes the fewest cycles, and the passes that changed it; each that there is goes
/// to `tried`. Before the cycles it counts whether it misses what is strictly directed, as `build` says.
pub fn fastest<T: Send>(
    offers: Vec<Offer>,
    tried: &mut Vec<Tried>,
    build: impl Fn(ir::Kernel) -> Result<(T, Forecast, bool), Diagnostics> + Sync,
) -> Result<(T, Vec<&'static str>), Diagnostics> {
    let is_choice = offers.len() > 1;
    let first = tried.len();
    let mut best: Result<Option<(T, Takes, usize)>, Diagnostics> = Ok(None);
    let mut passes = Vec::new();
    let attempt = |offer: Offer| {
        (
            in_words(&offer),
            offer.is_alternative,
            offer.done,
            build(offer.kernel),
        )
    };
    in_turn(offers, |offers| {
        let mut taken = Vec::new();
        for (what, is_alternative, done, built) in parallel::map(offers, attempt) {
            let after = built.as_ref().ok().map(|(_, taken, _)| *taken);
            let built = built.map(|(built, taken, misses)| (built, (misses, taken.cycles)));
            taken.push(built.as_ref().ok().map(|(_, takes)| *takes));
            tried.push(Tried {
                what,
                before: None,
                after,
                kept: false,
            });
            match (built, &best) {
                // The later ones are the plainer ones: they win ties.
                (Ok((_, takes)), Ok(Some((_, least, _))))
                    if takes > *least || is_alternative && takes == *least => {}
                (Ok((built, takes)), _) => {
                    best = Ok(Some((built, takes, tried.len() - 1)));
                    passes = done;
                }
                // A gamble without hardware is lost; the plain kernel still has some, or none has.
                (Err(_), Ok(Some(_))) => {}
                (Err(errors), _) => best = Err(errors),
            }
        }
        taken
    });
    let (built, _, kept) = best?.expect("transform::run gives at least one kernel");
    tried[kept].kept = true;
    if !is_choice {
        tried.truncate(first);
    }
    Ok((built, passes))
}

/// Whether it misses what is directed, and the cycles.
pub type Takes = (bool, u64);

/// Tries offers, which gives what each takes if there is hardware; then alternatives, but only to the best one.
pub fn in_turn(offers: Vec<Offer>, mut attempt: impl FnMut(Vec<Offer>) -> Vec<Option<Takes>>) {
    let is_alternative = |offer: &Offer| offer.is_alternative;
    let (mut alternatives, offers): (Vec<Offer>, Vec<Offer>) =
        offers.into_iter().partition(is_alternative);
    let roots: Vec<usize> = offers.iter().map(|offer| offer.root).collect();
    let found = attempt(offers).into_iter().zip(roots);
    let known = found.filter_map(|(takes, root)| Some((takes?, root)));
    // Of equal ones the last.
    let best = known.rev().min_by_key(|(takes, _)| *takes);
    alternatives.retain(|offer| best.is_none_or(|(_, root)| offer.root == root));
    attempt(alternatives);
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

    /// An offer whose kernel is called by its number.
    fn offer(number: usize, root: usize, is_alternative: bool) -> Offer {
        Offer {
            kernel: Kernel::new(number.to_string(), Span::default()),
            done: Vec::new(),
            left_out: Vec::new(),
            root,
            is_alternative,
        }
    }

    fn number(kernel: &Kernel) -> usize {
        kernel.name.parse().expect("a number")
    }

    /// Which offers are tried, of those with a root, a kind and the cycles that they take.
    fn tried(offers: &[(usize, bool, Option<u64>)]) -> Vec<usize> {
        let numbered = offers.iter().enumerate();
        let named =
            numbered.map(|(at, &(root, is_alternative, _))| offer(at, root, is_alternative));
        let mut order = Vec::new();
        in_turn(named.collect(), |some| {
            let numbers = some.iter().map(|offer| number(&offer.kernel));
            let numbers: Vec<usize> = numbers.collect();
            order.extend(&numbers);
            let takes = numbers.iter().map(|&number| offers[number].2);
            takes.map(|cycles| Some((false, cycles?))).collect()
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

    #[test]
    fn what_misses_an_interval_comes_after_what_takes_longer() {
        let offers = (0..3).map(|at| offer(at, 0, false)).collect();
        let build = |kernel: Kernel| {
            let number = number(&kernel);
            let (cycles, misses) = [(10, true), (30, false), (20, false)][number];
            let forecast = Forecast {
                cycles,
                luts: 0.0,
                logic: 0.0,
                blocks: 0,
                ram: 0,
            };
            Ok((number, forecast, misses))
        };
        let best = fastest(offers, &mut Vec::new(), build);
        assert_eq!(best.expect("a kernel").0, 2);
    }
}

//! Every conversion in every way of rounding against the statement of the rules in `tests/rounding`: all patterns of sources of
//! at most 16 bits, of longer ones so many random ones and their corners. `scripts/conversions` runs it.

#[path = "../../../tests/rounding/mod.rs"]
mod rounding;

use allo_hls::hwarith::fast::Fast;
use allo_hls::ir::Scalar;
use allo_hls::sim::operands::{Random, operand};
use allo_hls::units::float;
use rounding::{Statement, pairs, patterns, reference, ways};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

fn main() -> Result<(), String> {
    let count = std::env::args().nth(1).ok_or("usage: conversions COUNT")?;
    let count: usize = count.parse().map_err(|_| "COUNT is a number")?;
    let all = pairs();
    let open = Mutex::new(all.iter());
    let checked = AtomicU64::new(0);
    let work = || -> Result<(), String> {
        loop {
            let next = open.lock().map_err(|e| e.to_string())?.next();
            let Some(&(from, to)) = next else {
                return Ok(());
            };
            checked.fetch_add(check(from, to, count)?, Ordering::Relaxed);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "a thread failed".to_string())?)
    })?;
    println!(
        "{} pairs of types, {} results",
        all.len(),
        checked.into_inner()
    );
    Ok(())
}

/// Patterns of a source: all of them, or so many and the corners.
fn inputs(ty: Scalar, count: usize) -> Vec<u128> {
    if ty.width() <= 16 {
        return (0..1 << ty.width()).collect();
    }
    let mut random = Random::new(77);
    let one = |_| match ty {
        Scalar::Float(f) => operand(f, &mut random),
        // Of every size.
        _ => {
            let size = 1 + random.below(u64::from(ty.width())) as u32;
            let bits = random.bits(size);
            let all = u128::MAX >> (128 - ty.width());
            if random.below(2) == 0 {
                bits
            } else {
                !bits & all
            }
        }
    };
    let mut all = patterns(ty);
    all.extend((0..count).map(one));
    all
}

/// The number of results of a pair that are right.
fn check(from: Scalar, to: Scalar, count: usize) -> Result<u64, String> {
    let statement = Statement::new(from, to);
    let mut checked = 0;
    for inputs in inputs(from, count).chunks(1 << 16) {
        let places: Vec<_> = inputs.iter().map(|&x| statement.place(x)).collect();
        let views: Vec<&[u128]> = inputs.iter().map(std::slice::from_ref).collect();
        for (turn, how) in ways(from, to).into_iter().enumerate() {
            let graph = float::conversion(from, to, how);
            let mut fast = Fast::new(&graph).ok_or("a conversion has words")?;
            for (i, (&x, got)) in inputs.iter().zip(fast.eval(&views)).enumerate() {
                let (want, specified) = statement.result(how, &places[i]);
                let wrong = |who, got: u128| {
                    format!("{from} to {to} {how:?} of {x:#x}, {who}: {got:#x}, not {want:#x}")
                };
                if got != want && specified {
                    return Err(wrong("hardware", got));
                }
                // Much slower than the hardware's description.
                if (i + turn) % 8 == 0 {
                    let own = reference(from, to, how, x);
                    if own.1 != specified || own.0 != want && specified {
                        return Err(wrong("reference", own.0));
                    }
                }
                checked += 1;
            }
        }
    }
    println!("{from} to {to}: {checked}");
    Ok(checked)
}

//! The module `itertools`.

use crate::error::Exception::ValueError;
use crate::iterate::{self, collect};
use crate::library::iterators::{Chain, Count, Cycle, Slice};
use crate::native::{native, variadic};
use crate::operators::{binary, truth};
use crate::value::{Call, IterRef, Native, Result, Value};
use num_traits::ToPrimitive;
use ruff_python_ast::Operator;

/// Functions of `itertools`.
pub static ITERTOOLS: &[Native] = &[
    variadic("product", &["*repeat"], cartesian),
    native("permutations", &["iterable", "r"], 1, |c| {
        arrangements(c, true, false)
    }),
    native("combinations", &["iterable", "r"], 2, |c| {
        arrangements(c, false, false)
    }),
    native(
        "combinations_with_replacement",
        &["iterable", "r"],
        2,
        |c| arrangements(c, false, true),
    ),
    variadic("chain", &[], chain),
    native("count", &["start", "step"], 0, |c| {
        let or = |c: &Call, i: usize, n: i32| c.opt(i).cloned().unwrap_or(Value::int(n));
        Ok(IterRef::value(Count(or(c, 0, 0), or(c, 1, 1))))
    }),
    native("cycle", &["iterable"], 1, |c| {
        let items = c.items(0)?;
        Ok(IterRef::value(Cycle(items, 0)))
    }),
    native("repeat", &["object", "times"], 1, repeat),
    native("islice", &["iterable", "start", "stop", "step"], 2, islice),
    native(
        "accumulate",
        &["iterable", "function", "*initial"],
        1,
        accumulate,
    ),
    native("pairwise", &["iterable"], 1, |c| {
        let items = c.items(0)?;
        let pairs = items.windows(2).map(|w| Value::tuple(w.to_vec()));
        give(c, pairs.collect())
    }),
    native("starmap", &["function", "iterable"], 2, |c| {
        let f = c.arg(0).clone();
        let mut results = Vec::new();
        for item in c.items(1)? {
            let args = collect(&item, c.span, c.names)?;
            results.push(c.call(&f, args)?);
        }
        give(c, results)
    }),
    native("takewhile", &["function", "iterable"], 2, |c| {
        prefix(c, true)
    }),
    native("dropwhile", &["function", "iterable"], 2, |c| {
        prefix(c, false)
    }),
];

fn give(c: &mut Call, items: Vec<Value>) -> Result<Value> {
    c.charge(items.len() as u64 * 4)?;
    Ok(Value::Iter(IterRef::items(items)))
}

fn cartesian(c: &mut Call) -> Result<Value> {
    let repeat = match c.opt(0) {
        None => 1,
        Some(_) => usize::try_from(c.index(0)?).unwrap_or(0),
    };
    let mut pools = Vec::new();
    for pool in std::mem::take(&mut c.rest) {
        pools.push(collect(&pool, c.span, c.names)?);
    }
    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
    for _ in 0..repeat {
        for pool in &pools {
            let cells = (rows.len() as u64).saturating_mul(pool.len() as u64);
            c.charge(cells.saturating_mul(4))?;
            rows = rows
                .iter()
                .flat_map(|row| {
                    pool.iter()
                        .map(move |item| row.iter().cloned().chain([item.clone()]).collect())
                })
                .collect();
            // Rows grow by one each time: their lengths count too.
            c.charge(rows.len() as u64 * rows.first().map_or(0, Vec::len) as u64)?;
        }
    }
    give(c, rows.into_iter().map(Value::tuple).collect())
}

fn arrangements(c: &mut Call, ordered: bool, again: bool) -> Result<Value> {
    let items = c.items(0)?;
    let r = match c.opt(1) {
        None => items.len(),
        Some(_) => usize::try_from(c.index(1)?).unwrap_or(0),
    };
    let mut found = Vec::new();
    let mut chosen: Vec<usize> = Vec::new();
    // A depth-first walk without recursion; `next` is the candidate for the open place.
    let mut next = 0;
    loop {
        c.names.tick(c.span, 1)?;
        if chosen.len() == r {
            c.charge(8 + r as u64)?;
            found.push(Value::tuple(
                chosen.iter().map(|i| items[*i].clone()).collect(),
            ));
            next = items.len();
        }
        while next < items.len() && ordered && chosen.contains(&next) {
            c.names.tick(c.span, 1)?;
            next += 1;
        }
        if next < items.len() {
            chosen.push(next);
            next = match (ordered, again) {
                (true, _) => 0,
                (false, true) => next,
                (false, false) => next + 1,
            };
        } else {
            match chosen.pop() {
                Some(last) => next = last + 1,
                None => break,
            }
        }
    }
    give(c, found)
}

fn chain(c: &mut Call) -> Result<Value> {
    let mut sources = Vec::new();
    for value in std::mem::take(&mut c.rest) {
        sources.push(iterate::iter(&value, c.span, c.names)?);
    }
    Ok(IterRef::value(Chain(sources.into_iter(), None)))
}

fn repeat(c: &mut Call) -> Result<Value> {
    let value = c.arg(0).clone();
    if c.opt(1).is_none() {
        return Ok(IterRef::value(Cycle(vec![value], 0)));
    }
    let times = u64::try_from(c.index(1)?).unwrap_or(0);
    c.charge(times)?;
    give(c, vec![value; times as usize])
}

fn islice(c: &mut Call) -> Result<Value> {
    let part = |c: &Call, i: usize| match c.opt(i) {
        None | Some(Value::None) => Ok(None),
        Some(_) => match c.int(i)?.to_usize() {
            Some(v) => Ok(Some(v)),
            None => c.raise(ValueError, "the bounds of islice are not negative"),
        },
    };
    let (start, stop) = match c.opt(2) {
        None => (0, part(c, 1)?),
        Some(_) => (part(c, 1)?.unwrap_or(0), part(c, 2)?),
    };
    let step = part(c, 3)?.unwrap_or(1).max(1);
    let count = match stop {
        None => usize::MAX,
        Some(stop) => stop.saturating_sub(start).div_ceil(step),
    };
    let value = c.arg(0).clone();
    let source = iterate::iter(&value, c.span, c.names)?;
    Ok(IterRef::value(Slice {
        source,
        skip: start,
        left: count,
        between: step - 1,
    }))
}

fn accumulate(c: &mut Call) -> Result<Value> {
    let f = c.opt(1).cloned().filter(|f| !matches!(f, Value::None));
    let mut total = c.opt(2).cloned();
    let mut sums: Vec<Value> = total.iter().cloned().collect();
    for item in c.items(0)? {
        let next = match (total, &f) {
            (None, _) => item,
            (Some(total), None) => binary(Operator::Add, total, item, c.span, c.names)?,
            (Some(total), Some(f)) => c.call(f, vec![total, item])?,
        };
        sums.push(next.clone());
        total = Some(next);
    }
    give(c, sums)
}

fn prefix(c: &mut Call, keep: bool) -> Result<Value> {
    let f = c.arg(0).clone();
    let value = c.arg(1).clone();
    let source = iterate::iter(&value, c.span, c.names)?;
    let mut kept = Vec::new();
    while let Some(item) = iterate::next(&source, c.span, c.names)? {
        let verdict = c.call(&f, vec![item.clone()])?;
        let holds = truth(&verdict, c.span, c.names)?;
        match (holds, keep) {
            (true, true) => kept.push(item),
            (false, true) => break,
            (true, false) => {}
            (false, false) => {
                kept.push(item);
                kept.extend(collect(&Value::Iter(source), c.span, c.names)?);
                break;
            }
        }
        c.charge(1)?;
    }
    give(c, kept)
}

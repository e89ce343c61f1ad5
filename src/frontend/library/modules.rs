//! Modules of Python's library: `math`, `functools`, `itertools`, `dataclasses`, `enum`, `operator`.

use super::{Call, Native, in_table, int_of_float, native, variadic};
use crate::frontend::classes::{self, Class};
use crate::frontend::codes;
use crate::frontend::consteval::{binary, call as call_value, charged};
use crate::frontend::error::{Result, fail};
use crate::frontend::iterate::{self, Iter, IterRef};
use crate::frontend::numpy;
use crate::frontend::surface::Namespace;
use crate::frontend::values::{Bound, ConstValue};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use ruff_python_ast::Operator;
use std::rc::Rc;

/// The functions of a module.
fn table(space: Namespace) -> &'static [Native] {
    match space {
        Namespace::PythonMath => MATH,
        Namespace::Functools => FUNCTOOLS,
        Namespace::Itertools => ITERTOOLS,
        Namespace::Dataclasses => DATACLASSES,
        Namespace::Enum => ENUM,
        Namespace::Operator => OPERATOR,
        Namespace::Numpy => numpy::FUNCTIONS,
        _ => &[],
    }
}

const CONSTANTS: &[(&str, f64)] = &[
    ("pi", std::f64::consts::PI),
    ("e", std::f64::consts::E),
    ("tau", std::f64::consts::TAU),
    ("inf", f64::INFINITY),
    ("nan", f64::NAN),
];

/// The member of a module.
pub fn member(space: Namespace, name: &str) -> Option<ConstValue> {
    let constant = CONSTANTS.iter().find(|(n, _)| *n == name);
    match (space, constant) {
        (Namespace::PythonMath, Some((_, v))) => return Some(ConstValue::Float(*v)),
        (Namespace::Numpy, Some((n, v))) if *n != "tau" => return Some(ConstValue::Float(*v)),
        (Namespace::Numpy, _) => {
            if let Some(value) = numpy::member(name) {
                return Some(value);
            }
        }
        (Namespace::Enum, _) => {
            if let ("Enum" | "IntEnum", Some(class)) = (name, Class::builtin(name)) {
                return Some(ConstValue::Class(class));
            }
        }
        _ => {}
    }
    in_table(table(space), name)
}

/// The public names of a module.
pub fn exported(space: Namespace) -> Vec<String> {
    let constants = match space {
        Namespace::PythonMath => CONSTANTS,
        _ => &[],
    };
    let functions = table(space).iter().map(|n| n.name);
    let constants = constants.iter().map(|(n, _)| *n);
    constants.chain(functions).map(str::to_owned).collect()
}

/// A function of floats that is not defined where it gives a NaN for a number.
fn real(c: &mut Call, f: fn(f64) -> f64) -> Result<ConstValue> {
    let x = c.float(0)?;
    let y = f(x);
    if y.is_nan() && !x.is_nan() {
        return c.raise("ValueError", "math domain error");
    }
    if y.is_infinite() && x.is_finite() {
        return c.raise("OverflowError", "math range error");
    }
    Ok(ConstValue::Float(y))
}

fn logarithm(c: &mut Call, f: fn(f64) -> f64) -> Result<ConstValue> {
    let x = c.float(0)?;
    if x <= 0.0 {
        return c.raise("ValueError", "math domain error");
    }
    Ok(ConstValue::Float(f(x)))
}

static MATH: &[Native] = &[
    native("sqrt", &["x"], 1, |c| real(c, f64::sqrt)),
    native("cbrt", &["x"], 1, |c| real(c, f64::cbrt)),
    native("exp", &["x"], 1, |c| real(c, f64::exp)),
    native("exp2", &["x"], 1, |c| real(c, f64::exp2)),
    native("expm1", &["x"], 1, |c| real(c, f64::exp_m1)),
    native("log", &["x", "base"], 1, log),
    native("log2", &["x"], 1, |c| logarithm(c, f64::log2)),
    native("log10", &["x"], 1, |c| logarithm(c, f64::log10)),
    native("log1p", &["x"], 1, |c| real(c, f64::ln_1p)),
    native("sin", &["x"], 1, |c| real(c, f64::sin)),
    native("cos", &["x"], 1, |c| real(c, f64::cos)),
    native("tan", &["x"], 1, |c| real(c, f64::tan)),
    native("asin", &["x"], 1, |c| real(c, f64::asin)),
    native("acos", &["x"], 1, |c| real(c, f64::acos)),
    native("atan", &["x"], 1, |c| real(c, f64::atan)),
    native("sinh", &["x"], 1, |c| real(c, f64::sinh)),
    native("cosh", &["x"], 1, |c| real(c, f64::cosh)),
    native("tanh", &["x"], 1, |c| real(c, f64::tanh)),
    native("asinh", &["x"], 1, |c| real(c, f64::asinh)),
    native("acosh", &["x"], 1, |c| real(c, f64::acosh)),
    native("atanh", &["x"], 1, |c| real(c, f64::atanh)),
    native("fabs", &["x"], 1, |c| real(c, f64::abs)),
    native("radians", &["x"], 1, |c| {
        real(c, |x| x * (std::f64::consts::PI / 180.0))
    }),
    native("degrees", &["x"], 1, |c| {
        real(c, |x| x * (180.0 / std::f64::consts::PI))
    }),
    native("atan2", &["y", "x"], 2, |c| {
        Ok(ConstValue::Float(c.float(0)?.atan2(c.float(1)?)))
    }),
    native("hypot", &["x", "y"], 2, |c| {
        Ok(ConstValue::Float(c.float(0)?.hypot(c.float(1)?)))
    }),
    native("copysign", &["x", "y"], 2, |c| {
        Ok(ConstValue::Float(c.float(0)?.copysign(c.float(1)?)))
    }),
    native("fmod", &["x", "y"], 2, fmod),
    native("pow", &["x", "y"], 2, power),
    native("ldexp", &["x", "i"], 2, ldexp),
    native("frexp", &["x"], 1, frexp),
    native("modf", &["x"], 1, |c| {
        let x = c.float(0)?;
        let fraction = if x.is_infinite() { 0.0 } else { x.fract() };
        let parts = [fraction.copysign(x), x.trunc()];
        Ok(ConstValue::tuple(parts.map(ConstValue::Float).to_vec()))
    }),
    native("floor", &["x"], 1, |c| whole(c, f64::floor)),
    native("ceil", &["x"], 1, |c| whole(c, f64::ceil)),
    native("trunc", &["x"], 1, |c| whole(c, f64::trunc)),
    native("isnan", &["x"], 1, |c| {
        Ok(ConstValue::Bool(c.float(0)?.is_nan()))
    }),
    native("isinf", &["x"], 1, |c| {
        Ok(ConstValue::Bool(c.float(0)?.is_infinite()))
    }),
    native("isfinite", &["x"], 1, |c| {
        Ok(ConstValue::Bool(c.float(0)?.is_finite()))
    }),
    native("isclose", &["a", "b", "*rel_tol", "*abs_tol"], 2, isclose),
    native("isqrt", &["n"], 1, |c| match c.int(0)? {
        n if n.is_negative() => c.raise("ValueError", "isqrt of a negative int"),
        n => Ok(ConstValue::Int(n.sqrt())),
    }),
    native("factorial", &["n"], 1, factorial),
    native("comb", &["n", "k"], 2, |c| choose(c, true)),
    native("perm", &["n", "k"], 2, |c| choose(c, false)),
    variadic("gcd", &[], |c| {
        reduce_ints(c, BigInt::zero(), |a, b| a.gcd(b))
    }),
    variadic("lcm", &[], |c| {
        reduce_ints(c, BigInt::one(), |a, b| a.lcm(b))
    }),
    native("prod", &["iterable", "*start"], 1, prod),
    native("fsum", &["iterable"], 1, fsum),
];

fn log(c: &mut Call) -> Result<ConstValue> {
    let x = match c.arg(0).as_int() {
        // Beyond the range of floats.
        Some(v) if v.is_positive() && v.bits() > 1000 => {
            let shift = v.bits() - 64;
            let top: BigInt = v >> shift;
            let top = crate::frontend::literals::f64_from_int(&top);
            top.ln() + shift as f64 * std::f64::consts::LN_2
        }
        _ => match logarithm(c, f64::ln)? {
            ConstValue::Float(x) => x,
            _ => 0.0,
        },
    };
    match c.opt(1) {
        None => Ok(ConstValue::Float(x)),
        Some(_) => match c.float(1)? {
            base if base > 0.0 && base != 1.0 => Ok(ConstValue::Float(x / base.ln())),
            _ => c.raise("ValueError", "math domain error"),
        },
    }
}

fn fmod(c: &mut Call) -> Result<ConstValue> {
    let (x, y) = (c.float(0)?, c.float(1)?);
    if y == 0.0 || x.is_infinite() {
        return c.raise("ValueError", "math domain error");
    }
    Ok(ConstValue::Float(x % y))
}

fn power(c: &mut Call) -> Result<ConstValue> {
    let (x, y) = (c.float(0)?, c.float(1)?);
    let result = x.powf(y);
    if result.is_nan() && !x.is_nan() && !y.is_nan() || x == 0.0 && y < 0.0 {
        return c.raise("ValueError", "math domain error");
    }
    if result.is_infinite() && x.is_finite() && y.is_finite() {
        return c.raise("OverflowError", "math range error");
    }
    Ok(ConstValue::Float(result))
}

fn ldexp(c: &mut Call) -> Result<ConstValue> {
    let (mut x, mut n) = (c.float(0)?, c.index(1)?.clamp(-5000, 5000));
    // In steps that stay in range; only the last one can round.
    while n > 0 {
        let step = n.min(1000);
        x *= 2f64.powi(step as i32);
        n -= step;
    }
    if n < 0 && x != 0.0 && x.is_finite() {
        let exponent = ((x.to_bits() >> 52) & 0x7ff) as i64 - 1023;
        // As far as the result stays normal, exactly; then once with rounding.
        let exact = n.max(-1000 - exponent).min(0);
        for part in [exact / 2, exact - exact / 2] {
            x *= 2f64.powi(part as i32);
        }
        n -= exact;
        x *= 2f64.powi(n.max(-1000) as i32);
    }
    if x.is_infinite() && c.float(0)?.is_finite() {
        return c.raise("OverflowError", "math range error");
    }
    Ok(ConstValue::Float(x))
}

fn frexp(c: &mut Call) -> Result<ConstValue> {
    let x = c.float(0)?;
    let (mut mantissa, mut exponent) = (x, 0i64);
    if x != 0.0 && x.is_finite() {
        while mantissa.abs() >= 1.0 {
            mantissa /= 2.0;
            exponent += 1;
        }
        while mantissa.abs() < 0.5 {
            mantissa *= 2.0;
            exponent -= 1;
        }
    }
    Ok(ConstValue::tuple(vec![
        ConstValue::Float(mantissa),
        ConstValue::int(exponent),
    ]))
}

fn whole(c: &mut Call, f: fn(f64) -> f64) -> Result<ConstValue> {
    if let Some(v) = c.arg(0).as_int() {
        return Ok(ConstValue::Int(v));
    }
    let v = f(c.float(0)?);
    Ok(ConstValue::Int(int_of_float(v, c.span)?))
}

fn isclose(c: &mut Call) -> Result<ConstValue> {
    let (a, b) = (c.float(0)?, c.float(1)?);
    let or = |c: &Call, i: usize, default: f64| match c.opt(i) {
        None => Ok(default),
        Some(_) => c.float(i),
    };
    let (relative, absolute) = (or(c, 2, 1e-9)?, or(c, 3, 0.0)?);
    let bound = (relative * a.abs().max(b.abs())).max(absolute);
    let finite = a.is_finite() && b.is_finite();
    Ok(ConstValue::Bool(a == b || finite && (a - b).abs() <= bound))
}

/// A product of ints that stays within the bound on ints.
fn product(c: &mut Call, factors: impl Iterator<Item = BigInt>) -> Result<BigInt> {
    let mut product = BigInt::one();
    for factor in factors {
        c.names.tick(c.span, 1 + product.bits() / 512)?;
        product *= factor;
        if product.bits() > crate::frontend::operators::python::MAX_INT_BITS {
            return fail(
                codes::LIMIT,
                c.span,
                "a compile-time int exceeds 131072 bits",
            );
        }
    }
    Ok(product)
}

fn factorial(c: &mut Call) -> Result<ConstValue> {
    let n = c.index(0)?;
    if n < 0 {
        return c.raise("ValueError", "factorial of a negative int");
    }
    Ok(ConstValue::Int(product(c, (1..=n).map(BigInt::from))?))
}

fn choose(c: &mut Call, unordered: bool) -> Result<ConstValue> {
    let (n, k) = (c.index(0)?, c.index(1)?);
    if n < 0 || k < 0 {
        return c.raise("ValueError", "the ints must not be negative");
    }
    if k > n {
        return Ok(ConstValue::int(0));
    }
    let k = if unordered { k.min(n - k) } else { k };
    let top = product(c, (n - k + 1..=n).map(BigInt::from))?;
    if !unordered {
        return Ok(ConstValue::Int(top));
    }
    Ok(ConstValue::Int(
        top / product(c, (1..=k).map(BigInt::from))?,
    ))
}

fn reduce_ints(
    c: &mut Call,
    start: BigInt,
    f: fn(&BigInt, &BigInt) -> BigInt,
) -> Result<ConstValue> {
    let mut total = start;
    for value in std::mem::take(&mut c.rest) {
        let value = super::int_of(&value, c.span)?;
        let words = 1 + (total.bits() + value.bits()) / 64;
        c.names.tick(c.span, words * words / 16)?;
        total = f(&total, &value).abs();
    }
    charged(ConstValue::Int(total), c.span, c.names)
}

fn prod(c: &mut Call) -> Result<ConstValue> {
    let mut total = c.opt(1).cloned().unwrap_or(ConstValue::int(1));
    for item in c.items(0)? {
        total = binary(Operator::Mult, total, item, c.span, c.names)?;
    }
    Ok(total)
}

/// The exact sum, rounded once: over integers scaled by the least power of two.
fn fsum(c: &mut Call) -> Result<ConstValue> {
    use crate::frontend::literals::{Parts, decode, f64_from_ratio};
    let mut total = BigInt::zero();
    let lowest = -1074i64;
    for item in c.items(0)? {
        let v = super::to_float(&item, c.span)?;
        match decode(crate::ir::FloatFormat::F64, &v.to_bits().into()) {
            Parts::Finite {
                negative,
                magnitude,
                exponent,
            } => {
                c.names.tick(c.span, 16)?;
                let scaled = BigInt::from(magnitude) << (exponent - lowest).unsigned_abs();
                total += if negative { -scaled } else { scaled };
            }
            _ => return fail(codes::CONST_EVAL, c.span, "fsum of an infinity or NaN"),
        }
    }
    let unit = BigInt::one() << 1074u32;
    Ok(ConstValue::Float(match total.is_zero() {
        true => 0.0,
        false => f64_from_ratio(&total, &unit),
    }))
}

static FUNCTOOLS: &[Native] = &[
    native("reduce", &["function", "iterable", "initial"], 2, reduce),
    Native {
        params: &["function", "**"],
        required: 1,
        ..variadic("partial", &[], partial)
    },
    native("cache", &["function"], 1, |c| Ok(c.arg(0).clone())),
    native("lru_cache", &["maxsize", "typed"], 0, lru_cache),
    native("wraps", &["function"], 1, |_| Ok(identity())),
];

fn identity() -> ConstValue {
    in_table(FUNCTOOLS, "cache").unwrap_or(ConstValue::None)
}

/// As a decorator with or without arguments. Nothing is kept: results are the same all the same.
fn lru_cache(c: &mut Call) -> Result<ConstValue> {
    match c.arg(0) {
        function @ (ConstValue::Function(_) | ConstValue::Bound(_)) => Ok(function.clone()),
        _ => Ok(identity()),
    }
}

fn reduce(c: &mut Call) -> Result<ConstValue> {
    let f = c.arg(0).clone();
    let mut items = c.items(1)?.into_iter();
    let Some(mut total) = c.opt(2).cloned().or_else(|| items.next()) else {
        return c.raise("TypeError", "the sequence is empty");
    };
    for item in items {
        total = c.call(&f, vec![total, item])?;
    }
    Ok(total)
}

fn partial(c: &mut Call) -> Result<ConstValue> {
    Ok(ConstValue::Bound(Rc::new(Bound {
        callee: c.arg(0).clone(),
        first: std::mem::take(&mut c.rest),
        named: std::mem::take(&mut c.named),
        owner: None,
    })))
}

static ITERTOOLS: &[Native] = &[
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
        let or = |c: &Call, i: usize, n: i32| c.opt(i).cloned().unwrap_or(ConstValue::int(n));
        Ok(IterRef::of(Iter::Count(or(c, 0, 0), or(c, 1, 1))))
    }),
    native("cycle", &["iterable"], 1, |c| {
        let items = c.items(0)?;
        Ok(IterRef::of(Iter::Cycle(items, 0)))
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
        let pairs = items.windows(2).map(|w| ConstValue::tuple(w.to_vec()));
        give(c, pairs.collect())
    }),
    native("starmap", &["function", "iterable"], 2, |c| {
        let f = c.arg(0).clone();
        let mut results = Vec::new();
        for item in c.items(1)? {
            let args = iterate::collect(&item, c.span, c.names)?;
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

fn give(c: &mut Call, items: Vec<ConstValue>) -> Result<ConstValue> {
    c.charge(items.len() as u64 * 4)?;
    Ok(ConstValue::Iter(IterRef::items(items)))
}

fn cartesian(c: &mut Call) -> Result<ConstValue> {
    let repeat = match c.opt(0) {
        None => 1,
        Some(_) => usize::try_from(c.index(0)?).unwrap_or(0),
    };
    let mut pools = Vec::new();
    for pool in std::mem::take(&mut c.rest) {
        pools.push(iterate::collect(&pool, c.span, c.names)?);
    }
    let mut rows: Vec<Vec<ConstValue>> = vec![Vec::new()];
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
    give(c, rows.into_iter().map(ConstValue::tuple).collect())
}

fn arrangements(c: &mut Call, ordered: bool, again: bool) -> Result<ConstValue> {
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
            found.push(ConstValue::tuple(
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

fn chain(c: &mut Call) -> Result<ConstValue> {
    let mut sources = Vec::new();
    for value in std::mem::take(&mut c.rest) {
        sources.push(iterate::iter(&value, c.span, c.names)?);
    }
    Ok(IterRef::of(Iter::Chain(sources.into_iter(), None)))
}

fn repeat(c: &mut Call) -> Result<ConstValue> {
    let value = c.arg(0).clone();
    if c.opt(1).is_none() {
        return Ok(IterRef::of(Iter::Cycle(vec![value], 0)));
    }
    let times = u64::try_from(c.index(1)?).unwrap_or(0);
    c.charge(times)?;
    give(c, vec![value; times as usize])
}

fn islice(c: &mut Call) -> Result<ConstValue> {
    let part = |c: &Call, i: usize| match c.opt(i) {
        None | Some(ConstValue::None) => Ok(None),
        Some(_) => match c.int(i)?.to_usize() {
            Some(v) => Ok(Some(v)),
            None => c.raise("ValueError", "the bounds of islice are not negative"),
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
    Ok(IterRef::of(Iter::Slice(source, start, count, step - 1)))
}

fn accumulate(c: &mut Call) -> Result<ConstValue> {
    let f = c.opt(1).cloned().filter(|f| !matches!(f, ConstValue::None));
    let mut total = c.opt(2).cloned();
    let mut sums: Vec<ConstValue> = total.iter().cloned().collect();
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

fn prefix(c: &mut Call, keep: bool) -> Result<ConstValue> {
    let f = c.arg(0).clone();
    let value = c.arg(1).clone();
    let source = iterate::iter(&value, c.span, c.names)?;
    let mut kept = Vec::new();
    while let Some(item) = iterate::next(&source, c.span, c.names)? {
        let verdict = c.call(&f, vec![item.clone()])?;
        let holds = crate::frontend::consteval::truth(&verdict, c.span, c.names)?;
        match (holds, keep) {
            (true, true) => kept.push(item),
            (false, true) => break,
            (true, false) => {}
            (false, false) => {
                kept.push(item);
                kept.extend(iterate::collect(&value_of(&source), c.span, c.names)?);
                break;
            }
        }
        c.charge(1)?;
    }
    give(c, kept)
}

fn value_of(source: &IterRef) -> ConstValue {
    ConstValue::Iter(source.clone())
}

static DATACLASSES: &[Native] = &[
    native(
        "dataclass",
        &[
            "class", "*frozen", "*order", "*eq", "*repr", "*init", "*slots",
        ],
        0,
        dataclass,
    ),
    native("field", &["*default", "*default_factory"], 0, field),
    native("asdict", &["object"], 1, asdict),
    native("replace", &["object", "**"], 1, replaced),
];

fn dataclass(c: &mut Call) -> Result<ConstValue> {
    for i in [3, 4, 5] {
        if c.opt(i).is_some() && !c.flag(i)? {
            let message = "a dataclass without one of its methods is not supported";
            return fail(codes::CONST_EVAL, c.span, message);
        }
    }
    let (frozen, order) = (c.flag(1)?, c.flag(2)?);
    match c.opt(0) {
        Some(ConstValue::Class(class)) => {
            classes::dataclass(class, frozen, order, c.span)?;
            Ok(ConstValue::Class(class.clone()))
        }
        Some(other) => {
            let message = format!("a dataclass is made of a class, not of {}", other.kind());
            c.raise("TypeError", message)
        }
        None => {
            let named = [("frozen", frozen), ("order", order)];
            let named = named.map(|(n, v)| (n.to_owned(), ConstValue::Bool(v)));
            Ok(later("dataclass", named.to_vec()))
        }
    }
}

/// A function of this module with arguments by name, to be called later.
fn later(name: &str, named: Vec<(String, ConstValue)>) -> ConstValue {
    match in_table(DATACLASSES, name) {
        Some(callee) => ConstValue::Bound(Rc::new(Bound {
            callee,
            first: Vec::new(),
            named,
            owner: None,
        })),
        None => ConstValue::None,
    }
}

fn field(c: &mut Call) -> Result<ConstValue> {
    let given = ["default", "default_factory"].iter().enumerate();
    let named = given.filter_map(|(i, name)| Some(((*name).to_owned(), c.opt(i)?.clone())));
    Ok(later("field", named.collect()))
}

fn fields(c: &mut Call) -> Result<Vec<(String, ConstValue)>> {
    let fields = match c.arg(0) {
        ConstValue::Object(object) => classes::data_fields(object),
        _ => None,
    };
    match fields {
        Some(fields) => Ok(fields),
        None => c.raise("TypeError", "this takes an instance of a dataclass"),
    }
}

fn asdict(c: &mut Call) -> Result<ConstValue> {
    let pairs = fields(c)?.into_iter();
    let pairs = pairs.map(|(name, value)| vec![ConstValue::str(&name), value]);
    crate::frontend::consteval::dict_of(pairs.collect(), c.span, c.names)
}

fn replaced(c: &mut Call) -> Result<ConstValue> {
    let mut named = std::mem::take(&mut c.named);
    for (name, value) in fields(c)? {
        if !named.iter().any(|(n, _)| *n == name) {
            named.push((name, value));
        }
    }
    let class = super::type_of(c.arg(0));
    let args = crate::frontend::consteval::ConstArgs {
        positional: Vec::new(),
        named,
        span: c.span,
    };
    call_value(&class, args, c.names)
}

static ENUM: &[Native] = &[
    native("auto", &[], 0, |_| {
        Ok(in_table(ENUM, "auto()").unwrap_or(ConstValue::None))
    }),
    native("auto()", &[], 0, |_| Ok(ConstValue::None)),
    native("unique", &["class"], 1, |c| Ok(c.arg(0).clone())),
];

fn operator(c: &mut Call, op: Operator) -> Result<ConstValue> {
    let (a, b) = (c.arg(0).clone(), c.arg(1).clone());
    binary(op, a, b, c.span, c.names)
}

static OPERATOR: &[Native] = &[
    native("add", &["a", "b"], 2, |c| operator(c, Operator::Add)),
    native("sub", &["a", "b"], 2, |c| operator(c, Operator::Sub)),
    native("mul", &["a", "b"], 2, |c| operator(c, Operator::Mult)),
    native("truediv", &["a", "b"], 2, |c| operator(c, Operator::Div)),
    native("floordiv", &["a", "b"], 2, |c| {
        operator(c, Operator::FloorDiv)
    }),
    native("mod", &["a", "b"], 2, |c| operator(c, Operator::Mod)),
    native("and_", &["a", "b"], 2, |c| operator(c, Operator::BitAnd)),
    native("or_", &["a", "b"], 2, |c| operator(c, Operator::BitOr)),
    native("xor", &["a", "b"], 2, |c| operator(c, Operator::BitXor)),
    native("lshift", &["a", "b"], 2, |c| operator(c, Operator::LShift)),
    native("rshift", &["a", "b"], 2, |c| operator(c, Operator::RShift)),
];

//! How exact the elementary functions are: every argument of the 16-bit formats against the correctly rounded result,
//! any share
//! of those of f32 against the machine's f64 functions. `scripts/accuracy` runs it.
//!
//! What is done is kept in a file, a line for each block of arguments, and not done again: a run can be stopped and
//! taken up.

use allo_hls::hwarith::fast::{Fast, LANES};
use allo_hls::ir::{FloatFormat, UnaryOp};
use allo_hls::sim::operands::{Random, corners, tuples};
use allo_hls::sim::softfloat;
use allo_hls::units::float::Kind;
use allo_hls::units::float::elementary::{self, FUNCTIONS};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Arguments of a block.
const BLOCK: u64 = 1 << 20;
/// Blocks of all arguments of f32.
const BLOCKS: u64 = (1 << 32) / BLOCK;

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["search", name] => search(name),
        ["small"] => small(),
        ["f32", folder, share] => {
            let share = share
                .parse()
                .ok()
                .filter(|share| (1..=BLOCKS).contains(share));
            singles(
                Path::new(folder),
                share.ok_or("a number of blocks of 2^20 arguments")?,
            )
        }
        ["other", exp, frac, count] => {
            let number = |text: &str| text.parse::<u32>().map_err(|e| e.to_string());
            let format = FloatFormat { exp: number(exp)?, frac: number(frac)? };
            others(format, number(count)? as usize)
        }
        _ => Err(
            "usage: accuracy other EXPONENT FRACTION COUNT | accuracy small | accuracy search FUNCTION | accuracy f32 FOLDER BLOCKS".into(),
        ),
    }
}

/// Arguments of a 16-bit format whose result is not the nearest float.
fn wrong(graph: &allo_hls::hwarith::Graph, wanted: &[u128]) -> usize {
    let inputs: Vec<[u128; 1]> = (0..1 << 16).map(|x| [x]).collect();
    let inputs: Vec<&[u128]> = inputs.iter().map(|x| &x[..]).collect();
    let mut fast = Fast::new(graph).expect("functions are pure");
    let results = fast.eval(&inputs);
    results
        .iter()
        .zip(wanted)
        .filter(|(got, want)| got != want)
        .count()
}

fn nearest(format: FloatFormat, kind: Kind) -> Vec<u128> {
    let of = |x| softfloat::operator(format, kind, &[x]).expect("a function of the reference");
    (0..1 << 16).map(of).collect()
}

const SMALL: [(&str, FloatFormat); 2] = [("f16", FloatFormat::F16), ("bf16", FloatFormat::BF16)];

/// The least accuracy before rounding that gives every argument its nearest float.
fn search(name: &str) -> Result<(), String> {
    for function in FUNCTIONS
        .iter()
        .filter(|f| f.operands() == 1 && (name == "all" || f.name == name))
    {
        for (format_name, format) in SMALL {
            let wanted = nearest(format, function.kind);
            let least = (2..24).find(|&beyond| {
                elementary::described(function.name, format, beyond)
                    .is_some_and(|g| wrong(&g, &wanted) == 0)
            });
            println!("{} {format_name} {least:?}", function.name);
        }
    }
    Ok(())
}

/// Every argument of the 16-bit formats.
fn small() -> Result<(), String> {
    let mut all = 0;
    for function in FUNCTIONS.iter().filter(|f| f.operands() == 1) {
        for (format_name, format) in SMALL {
            let count = wrong(
                elementary::graph(function.name, format),
                &nearest(format, function.kind),
            );
            println!(
                "{} {format_name}: {count} of 65536 are not the nearest float",
                function.name
            );
            all += count;
        }
    }
    match all {
        0 => Ok(()),
        _ => Err("not all results are the nearest float".into()),
    }
}

/// So many operands of any format against the nearest floats: how many results are not, and whether one is further
/// away than
/// the next float.
fn others(format: FloatFormat, count: usize) -> Result<(), String> {
    let mut all = true;
    for function in FUNCTIONS.iter().filter(|f| (f.formats)(format)) {
        let start = std::time::Instant::now();
        let graph = elementary::graph(function.name, format);
        let made = start.elapsed();
        let mut fast = Fast::new(graph).expect("functions are pure");
        let inputs = arguments(format, function.operands(), count);
        let views: Vec<&[u128]> = inputs.iter().map(|x| &x[..]).collect();
        let (mut beside, mut far) = (0, None);
        for (x, got) in inputs.iter().zip(fast.eval(&views)) {
            let want = softfloat::operator(format, function.kind, x);
            let want = want.expect("a function of the reference");
            beside += usize::from(got != want);
            if got.abs_diff(want) > 1 {
                far = far.or(Some((x, got, want)));
            }
        }
        all &= far.is_none();
        println!(
            "{}: {beside} of {} are not the nearest float; made in {made:?}; beyond its neighbours: {far:x?}",
            function.name,
            inputs.len()
        );
    }
    match all {
        true => Ok(()),
        false => Err("a result is off by more than one unit in the last place".into()),
    }
}

/// Corners and numbers of every size, and as many of the middle binades, of which most functions are no trivial ones.
fn arguments(format: FloatFormat, operands: usize, count: usize) -> Vec<Vec<u128>> {
    let mut random = Random::new(11);
    let corners = corners(format).into_iter();
    let mut all: Vec<Vec<u128>> = corners.map(|x| vec![x; operands]).collect();
    all.extend(tuples(format, operands, count / 2, 12));
    let bias = (1u128 << (format.exp - 1)) - 1;
    let mut middle = || {
        let exponent = bias + 8 - u128::from(random.below(32).min(bias as u64));
        let sign = random.bits(1) << (format.width() - 1);
        sign | exponent << format.frac | random.bits(format.frac)
    };
    all.extend((0..count / 2).map(|_| (0..operands).map(|_| middle()).collect()));
    all
}

/// The function as the machine has it, off by less than 2^-28 units in the last place of an f32.
fn machine(kind: Kind) -> Option<fn(f64) -> f64> {
    let Kind::Unary(op) = kind else { return None };
    Some(match op {
        UnaryOp::Exp => f64::exp,
        UnaryOp::Exp2 => f64::exp2,
        UnaryOp::Log => f64::ln,
        UnaryOp::Log2 => f64::log2,
        UnaryOp::Sin => f64::sin,
        UnaryOp::Cos => f64::cos,
        UnaryOp::Tan => f64::tan,
        UnaryOp::Sinh => f64::sinh,
        UnaryOp::Cosh => f64::cosh,
        UnaryOp::Tanh => f64::tanh,
        UnaryOp::Erf => libm::erf,
        UnaryOp::Rsqrt => |x| 1.0 / x.sqrt(),
        _ => return None,
    })
}

/// The distance of a result from the exact one in units in the last place of the latter; infinite if it is none that is
/// allowed at all.
fn ulps(got: f32, exact: f64) -> f64 {
    if exact.is_nan() || got.is_nan() {
        return if exact.is_nan() && got.to_bits() == 0x7fc0_0000 {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if exact == 0.0 || exact.is_infinite() {
        let same = f64::from(got).to_bits() == exact.to_bits();
        return if same { 0.0 } else { f64::INFINITY };
    }
    let exponent = (exact.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let ulp = 2f64.powi(exponent.max(-126) - 23);
    if got.is_infinite() || exact.abs() >= 2f64.powi(128) {
        // Beyond the largest number, it and infinity are the two neighbours.
        let largest = got.is_infinite() || got.abs() == f32::MAX;
        let near = largest && f64::from(got).is_sign_negative() == exact.is_sign_negative();
        let reaches = exact.abs() >= f64::from(f32::MAX);
        return if near && reaches { 0.5 } else { f64::INFINITY };
    }
    (f64::from(got) - exact).abs() / ulp
}

/// The largest error of a block of a share, and its argument.
fn block(fast: &mut Fast, exact: fn(f64) -> f64, number: u64) -> (f64, u32) {
    let mut most = (0.0, 0);
    // Arguments of all sizes are in every block.
    let argument = |i: u64| (i * BLOCKS + number) as u32;
    for start in (0..BLOCK).step_by(LANES) {
        let inputs: Vec<[u128; 1]> = (0..LANES as u64)
            .map(|i| [argument(start + i).into()])
            .collect();
        let views: Vec<&[u128]> = inputs.iter().map(|x| &x[..]).collect();
        for (input, got) in inputs.iter().zip(fast.eval(&views)) {
            let x = input[0] as u32;
            let error = ulps(f32::from_bits(got as u32), exact(f32::from_bits(x).into()));
            if error > most.0 {
                most = (error, x);
            }
        }
    }
    most
}

/// The blocks of a function that were done before: their largest errors.
fn done(text: &str, name: &str) -> BTreeMap<u64, (f64, u32)> {
    let lines = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let [function, number, error, argument] = words[..] else {
            return None;
        };
        let entry = (error.parse().ok()?, u32::from_str_radix(argument, 16).ok()?);
        (function == name).then_some((number.parse().ok()?, entry))
    });
    lines.collect()
}

/// So many blocks of every function, by all processors.
fn singles(folder: &Path, share: u64) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    let path = folder.join("f32.txt");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path);
    let file = Mutex::new(file.map_err(|e| e.to_string())?);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    for function in FUNCTIONS {
        let Some(exact) = machine(function.kind) else {
            continue;
        };
        let results = Mutex::new(done(&text, function.name));
        let next = AtomicU64::new(0);
        // Blocks far apart come first.
        let order = |i: u64| (i * 2_654_435_761) % BLOCKS;
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let graph = elementary::graph(function.name, FloatFormat::F32);
                    let mut fast = Fast::new(graph).expect("functions are pure");
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        let number = order(i);
                        let is_done = |results: &Mutex<BTreeMap<u64, (f64, u32)>>| {
                            results
                                .lock()
                                .expect("no thread panics")
                                .contains_key(&number)
                        };
                        if i >= share {
                            break;
                        }
                        if is_done(&results) {
                            continue;
                        }
                        let (error, x) = block(&mut fast, exact, number);
                        let line = format!("{} {number} {error} {x:08x}\n", function.name);
                        let written = file
                            .lock()
                            .expect("no thread panics")
                            .write_all(line.as_bytes());
                        written.expect("the file of results can be written");
                        results
                            .lock()
                            .expect("no thread panics")
                            .insert(number, (error, x));
                    }
                });
            }
        });
        let results = results.into_inner().expect("no thread panics");
        let most = results.values().fold(
            (0.0, 0),
            |most, one| if one.0 > most.0 { *one } else { most },
        );
        let count = results.len() as u64 * BLOCK;
        println!(
            "| `{}` | {count} | {:.4} | `0x{:08x}` |",
            function.name, most.0, most.1
        );
    }
    Ok(())
}

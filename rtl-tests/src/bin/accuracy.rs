//! How exact the elementary functions are: every argument of the 16-bit formats, and any share of their pairs for `pow`,
//! against the correctly rounded result. `scripts/accuracy` runs it.
//!
//! What is done is kept in a file, a line for each block of arguments, and not done again: a run can be stopped and
//! taken up.

use allo_hls::hwarith::fast::{Fast, LANES};
use allo_hls::ir::{BinaryOp, FloatFormat};
use allo_hls::sim::formats::convert;
use allo_hls::sim::operands::{Random, corners, tuples};
use allo_hls::sim::softfloat;
use allo_hls::units::float::Kind;
use allo_hls::units::float::elementary::{self, FUNCTIONS};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Pairs of a block.
const BLOCK: u64 = 1 << 20;
/// Blocks of all pairs.
const BLOCKS: u64 = (1 << 32) / BLOCK;

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["search", name] => search(name),
        ["small"] => small(),
        ["pow", folder, share] => {
            let share = share.parse().ok().filter(|share| (1..=BLOCKS).contains(share));
            powers(Path::new(folder), share.ok_or("a number of blocks of 2^20 pairs")?)
        }
        ["other", exp, frac, count] => {
            let number = |text: &str| text.parse::<u32>().map_err(|e| e.to_string());
            let format = FloatFormat { exp: number(exp)?, frac: number(frac)? };
            others(format, number(count)? as usize)
        }
        _ => Err(
            "usage: accuracy other EXPONENT FRACTION COUNT | accuracy small | accuracy search FUNCTION | \
             accuracy pow FOLDER BLOCKS"
                .into(),
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

/// What is known of a sweep: by block, its largest figure and where that is.
type Found = BTreeMap<u64, (f64, u32)>;

/// A file of blocks that are done, to which more are added.
struct Record {
    text: String,
    file: Mutex<std::fs::File>,
}

impl Record {
    fn open(folder: &Path, name: &str) -> Result<Record, String> {
        std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
        let path = folder.join(name);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut options = std::fs::OpenOptions::new();
        let file = options.create(true).append(true).open(&path);
        let file = Mutex::new(file.map_err(|e| e.to_string())?);
        Ok(Record { text, file })
    }

    /// So many blocks of what has the name, by all processors, each with a state of its own.
    fn sweep<S>(
        &self,
        name: &str,
        share: u64,
        state: impl Fn() -> S + Sync,
        block: impl Fn(&mut S, u64) -> (f64, u32) + Sync,
    ) -> Found {
        let before = done(&self.text, name);
        let results = Mutex::new(before.clone());
        let next = AtomicU64::new(0);
        let work = || {
            let mut state = state();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= share {
                    break;
                }
                // Blocks far apart come first.
                let number = (i * 2_654_435_761) % BLOCKS;
                if before.contains_key(&number) {
                    continue;
                }
                let (figure, at) = block(&mut state, number);
                let line = format!("{name} {number} {figure} {at:08x}\n");
                let mut file = self.file.lock().expect("no thread panics");
                let written = file.write_all(line.as_bytes());
                written.expect("the file of results can be written");
                let mut results = results.lock().expect("no thread panics");
                results.insert(number, (figure, at));
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
        results.into_inner().expect("no thread panics")
    }
}

/// So many blocks of pairs of `pow` in the 16-bit formats: how many results are not the nearest float.
fn powers(folder: &Path, share: u64) -> Result<(), String> {
    let record = Record::open(folder, "pow.txt")?;
    let mut all = 0.0;
    for (name, format) in SMALL {
        let graph = elementary::graph("pow", format);
        let nearest = Nearest::new(format);
        let state = || Fast::new(graph).expect("functions are pure");
        let results = record.sweep(name, share, state, |fast, number| {
            pairs(fast, &nearest, number)
        });
        let wrong = results.values().map(|one| one.0).sum::<f64>();
        let count = results.len() as u64 * BLOCK;
        let first = results.values().find(|one| one.0 > 0.0).map(|one| one.1);
        println!("| `{name}` | {count} | {wrong} |");
        if let Some(pair) = first {
            eprintln!("{name}: {:#06x} ** {:#06x}", pair >> 16, pair & 0xffff);
        }
        all += wrong;
    }
    match all == 0.0 {
        true => Ok(()),
        false => Err("not all results are the nearest float".into()),
    }
}

/// The results of a block of pairs that are not the nearest float: how many, and a pair.
fn pairs(fast: &mut Fast, nearest: &Nearest, number: u64) -> (f64, u32) {
    let mut wrong = (0.0, 0);
    for start in (0..BLOCK).step_by(LANES) {
        // Bases and exponents of all sizes are in every block.
        let pair = |i: u64| ((start + i) * BLOCKS + number) as u32;
        let inputs: Vec<[u128; 2]> = (0..LANES as u64)
            .map(|i| [(pair(i) >> 16).into(), (pair(i) & 0xffff).into()])
            .collect();
        let views: Vec<&[u128]> = inputs.iter().map(|x| &x[..]).collect();
        for (input, got) in inputs.iter().zip(fast.eval(&views)) {
            if !nearest.is_power(input, got) {
                wrong = (wrong.0 + 1.0, (input[0] << 16 | input[1]) as u32);
            }
        }
    }
    wrong
}

/// The numbers of a 16-bit format.
struct Nearest {
    format: FloatFormat,
    /// The value of each pattern.
    values: Vec<f64>,
    /// Of each magnitude, the number halfway to the next one: below it and above the last one lies what rounds to it.
    halves: Vec<f64>,
}

impl Nearest {
    fn new(format: FloatFormat) -> Nearest {
        let double = |x: u128| convert(format.into(), FloatFormat::F64.into(), x);
        let value = |x: u128| f64::from_bits(double(x) as u64);
        let values: Vec<f64> = (0..1 << 16).map(value).collect();
        let infinity = ((1usize << format.exp) - 1) << format.frac;
        // Infinity stands where the next number would be.
        let after = 2.0 * values[(infinity - 1) >> format.frac << format.frac];
        let next = |x: usize| {
            if x + 1 == infinity {
                after
            } else {
                values[x + 1]
            }
        };
        let halves = (0..infinity).map(|x| (values[x] + next(x)) / 2.0);
        let halves = halves.collect();
        Nearest {
            format,
            values,
            halves,
        }
    }

    /// Whether `got` is the float nearest to the power of two patterns: by the machine's f64, off by two of its units
    /// at most, and by the reference where that does not decide.
    fn is_power(&self, pair: &[u128; 2], got: u128) -> bool {
        const MARGIN: f64 = 1e-15;
        let [x, y] = pair.map(|bits| self.values[bits as usize]);
        let power = x.powf(y);
        if power.is_nan() {
            return got == softfloat::nan(self.format);
        }
        let (size, magnitude) = (power.abs(), got as usize & 0x7fff);
        let below = magnitude.checked_sub(1).map_or(-1.0, |last| {
            self.halves
                .get(last)
                .map_or(f64::NAN, |half| half * (1.0 + MARGIN))
        });
        let above = self.halves.get(magnitude);
        let above = above.map_or(f64::INFINITY, |half| half * (1.0 - MARGIN));
        let inside = below < size && (size < above || above.is_infinite());
        let signs = power.is_sign_negative() == (got >> 15 == 1);
        (inside && signs)
            || softfloat::operator(self.format, Kind::Binary(BinaryOp::Pow), pair) == Some(got)
    }
}

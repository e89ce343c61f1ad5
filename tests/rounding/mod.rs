//! What a conversion gives, stated once more and from nothing but the values of codes: every number is an exact multiple of one
//! tiny unit, neighbours are found by search, and a way of rounding chooses between them by its definition.

use allo_hls::ir::{Conversion, FloatFormat, Overflow, Rounding, Scalar, StorageFormat};
use allo_hls::sim::operands::{Random, operand};
use allo_hls::sim::operations::convert;
use allo_hls::sim::value::Value;
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// Exponent of the unit, below half of the least number of `f32` and of `bf16`.
const UNIT: i32 = -160;

/// What a bit pattern stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    Nan,
    /// Negative if true.
    Infinite(bool),
    /// The sign, also of a zero, and the magnitude in units.
    Finite(bool, BigInt),
}

/// The number behind a pattern of a type.
pub fn number(ty: Scalar, pattern: u128) -> Number {
    let top = ty.width() - 1;
    let (negative, magnitude) = (pattern >> top & 1 == 1, pattern & ((1 << top) - 1));
    match ty {
        Scalar::Float(f) => {
            let special = ((1u128 << f.exp) - 1) << f.frac;
            match magnitude.cmp(&special) {
                Ordering::Greater => Number::Nan,
                Ordering::Equal => Number::Infinite(negative),
                Ordering::Less => Number::Finite(negative, ieee(f, magnitude)),
            }
        }
        Scalar::Storage(f) => stored(f)[pattern as usize].clone(),
        _ => {
            let value = ty.wrap(&BigInt::from(pattern));
            Number::Finite(value.is_negative(), value.abs() << UNIT.unsigned_abs())
        }
    }
}

/// The value of a finite magnitude of an IEEE format, in units.
fn ieee(f: FloatFormat, magnitude: u128) -> BigInt {
    let (field, fraction) = (magnitude >> f.frac, magnitude & ((1 << f.frac) - 1));
    let bias = (1i32 << (f.exp - 1)) - 1;
    let hidden = u128::from(field > 0) << f.frac;
    let exponent = field.max(1) as i32 - bias - f.frac as i32;
    BigInt::from(hidden | fraction) << (exponent - UNIT)
}

/// What the codes of a storage format stand for, by its table.
fn stored(f: StorageFormat) -> &'static [Number] {
    static TABLES: [std::sync::OnceLock<Vec<Number>>; 5] =
        [const { std::sync::OnceLock::new() }; 5];
    let text = match f {
        StorageFormat::F8E4M3 => include_str!("../formats/f8e4m3.txt"),
        StorageFormat::F8E5M2 => include_str!("../formats/f8e5m2.txt"),
        StorageFormat::HiF8 => include_str!("../formats/hif8.txt"),
        StorageFormat::F4E2M1 => include_str!("../formats/f4e2m1.txt"),
        StorageFormat::F4E1M2 => include_str!("../formats/f4e1m2.txt"),
    };
    let read = |line: &str| {
        let value = line.split_once(' ').expect("code and value").1;
        let (size, negative) = match value.strip_prefix('-') {
            Some(size) => (size, true),
            None => (value, false),
        };
        let (over, under) = size.split_once('/').unwrap_or((size, "1"));
        match (over.parse::<BigInt>(), under.parse::<BigInt>()) {
            (Ok(over), Ok(under)) => {
                Number::Finite(negative, (over << UNIT.unsigned_abs()) / under)
            }
            _ if size == "inf" => Number::Infinite(negative),
            _ => Number::Nan,
        }
    };
    TABLES[f as usize].get_or_init(|| text.lines().skip(1).map(read).collect())
}

/// The numbers of a float type that are not negative, in order.
struct Ladder {
    ty: Scalar,
    /// How many there are.
    count: u128,
    /// Of a storage format, value and code of each.
    codes: Vec<(BigInt, u128)>,
    /// What would follow the last one.
    beyond: BigInt,
}

impl Ladder {
    fn of(ty: Scalar) -> Ladder {
        let whole = |value: u32| BigInt::from(value) << UNIT.unsigned_abs();
        match ty {
            Scalar::Float(f) => Ladder {
                ty,
                count: ((1 << f.exp) - 1) << f.frac,
                codes: vec![],
                beyond: BigInt::one() << ((1 << (f.exp - 1)) - UNIT),
            },
            Scalar::Storage(f) => {
                let all = stored(f).iter().enumerate();
                let mut codes: Vec<_> = all
                    .filter_map(|(code, number)| match number {
                        Number::Finite(false, value) => Some((value.clone(), code as u128)),
                        _ => None,
                    })
                    .collect();
                codes.sort();
                let beyond = match f {
                    StorageFormat::F8E4M3 => 480,
                    StorageFormat::F8E5M2 => 65536,
                    StorageFormat::HiF8 => 49152,
                    StorageFormat::F4E2M1 => 8,
                    StorageFormat::F4E1M2 => 2,
                };
                Ladder {
                    ty,
                    count: codes.len() as u128,
                    codes,
                    beyond: whole(beyond),
                }
            }
            _ => panic!("{ty} is no float"),
        }
    }

    /// The value at a place; that beyond the last one, if the place is.
    fn value(&self, place: u128) -> BigInt {
        match self.ty {
            _ if place == self.count => self.beyond.clone(),
            Scalar::Float(f) => ieee(f, place),
            _ => self.codes[place as usize].0.clone(),
        }
    }

    fn is_odd(&self, place: u128) -> bool {
        match self.ty {
            _ if place == self.count => !self.is_odd(place - 1),
            Scalar::Float(_) => place % 2 == 1,
            _ => self.codes[place as usize].1 % 2 == 1,
        }
    }

    /// The last place with a value of at most so much.
    fn below(&self, size: &BigInt) -> u128 {
        let (mut low, mut high) = (0, self.count + 1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            match self.value(middle) <= *size {
                true => low = middle,
                false => high = middle,
            }
        }
        low
    }
}

/// How a magnitude lies between two neighbours, neither of which it is.
pub struct Between {
    /// The distance to the smaller neighbour compared with that to the larger one.
    nearer: Ordering,
    larger_is_odd: bool,
}

impl Between {
    fn of(size: &BigInt, neighbours: [&BigInt; 2], larger_is_odd: bool) -> Between {
        Between {
            nearer: (size - neighbours[0]).cmp(&(neighbours[1] - size)),
            larger_is_odd,
        }
    }

    /// Whether the larger neighbour is taken.
    fn takes_larger(&self, rounding: Rounding, negative: bool) -> bool {
        match (rounding, self.nearer) {
            (Rounding::NearestEven | Rounding::NearestAway, Ordering::Less) => false,
            (Rounding::NearestEven | Rounding::NearestAway, Ordering::Greater) => true,
            (Rounding::NearestEven, Ordering::Equal) => !self.larger_is_odd,
            (Rounding::NearestAway, Ordering::Equal) => true,
            (Rounding::Zero, _) => false,
            // Towards plus infinity the larger magnitude is that of the larger positive, or of the smaller negative number.
            (Rounding::Up, _) => !negative,
            (Rounding::Down, _) => negative,
            (Rounding::Odd, _) => self.larger_is_odd,
        }
    }
}

/// A conversion between two types, ready for many patterns.
pub struct Statement {
    from: Scalar,
    to: Scalar,
    /// Of the destination, if it is a float.
    ladder: Option<Ladder>,
}

/// The place of a source's number in the destination, for every way of rounding.
pub enum Place {
    Nan,
    /// Negative if true.
    Infinite(bool),
    /// The sign; the place of the last number of the destination that is not larger, or the magnitude as an integer without
    /// what is below the point.
    Finite(bool, BigInt, Option<Between>),
}

impl Statement {
    pub fn new(from: Scalar, to: Scalar) -> Statement {
        let ladder = matches!(to, Scalar::Float(_) | Scalar::Storage(_)).then(|| Ladder::of(to));
        Statement { from, to, ladder }
    }

    /// Looks a pattern's number up.
    pub fn place(&self, pattern: u128) -> Place {
        let (negative, size) = match number(self.from, pattern) {
            Number::Nan => return Place::Nan,
            Number::Infinite(negative) => return Place::Infinite(negative),
            Number::Finite(negative, size) => (negative, size),
        };
        let (at, low, high, odd) = match &self.ladder {
            Some(ladder) => {
                let at = ladder.below(&size);
                if at == ladder.count {
                    return Place::Finite(negative, at.into(), None);
                }
                let (low, high) = (ladder.value(at), ladder.value(at + 1));
                (at.into(), low, high, ladder.is_odd(at + 1))
            }
            None => {
                let one = BigInt::one() << UNIT.unsigned_abs();
                let whole = &size / &one;
                let low = &whole * &one;
                let odd = (&whole % 2u8).is_zero();
                (whole, low.clone(), low + one, odd)
            }
        };
        let between = (low != size).then(|| Between::of(&size, [&low, &high], odd));
        Place::Finite(negative, at, between)
    }

    /// The pattern that the conversion gives, and whether it is specified.
    pub fn result(&self, how: Conversion, place: &Place) -> (u128, bool) {
        let place = match place {
            Place::Finite(negative, at, Some(between)) => {
                let up = between.takes_larger(how.rounding, *negative);
                &Place::Finite(*negative, at + u8::from(up), None)
            }
            exact => exact,
        };
        match &self.ladder {
            Some(ladder) => (self.float(ladder, how, place), true),
            None => self.integer(how, place),
        }
    }

    /// Of what is rounded.
    fn float(&self, ladder: &Ladder, how: Conversion, place: &Place) -> u128 {
        let (negative, at) = match place {
            Place::Nan => return nan(self.to),
            Place::Infinite(negative) => {
                let keeps = is_exact(self.from, self.to);
                return match how.overflow {
                    Overflow::Saturate if !keeps => self.signed(*negative, last(ladder)),
                    _ => infinity(self.to, *negative),
                };
            }
            Place::Finite(negative, at, _) => (*negative, at.to_u128().expect("a place")),
        };
        if at < ladder.count {
            let code = match self.to {
                Scalar::Float(_) => at,
                _ => ladder.codes[at as usize].1,
            };
            return self.signed(negative, code);
        }
        let outward = match how.rounding {
            Rounding::NearestEven | Rounding::NearestAway => true,
            Rounding::Zero | Rounding::Odd => false,
            Rounding::Up => !negative,
            Rounding::Down => negative,
        };
        match outward && how.overflow != Overflow::Saturate {
            true => infinity(self.to, negative),
            false => self.signed(negative, last(ladder)),
        }
    }

    /// A magnitude's code with a sign; HiFloat8 has no negative zero.
    fn signed(&self, negative: bool, code: u128) -> u128 {
        let negative = negative && (code != 0 || self.to != StorageFormat::HiF8.into());
        code | u128::from(negative) << (self.to.width() - 1)
    }

    /// Of what is rounded.
    fn integer(&self, how: Conversion, place: &Place) -> (u128, bool) {
        let (least, most) = self.to.int_range().expect("an integer");
        let pattern = |value: &BigInt| {
            let low = Scalar::unsigned(self.to.width()).wrap(value);
            low.to_u128().expect("a pattern")
        };
        let specified = how.overflow != Overflow::Unspecified;
        let value = match place {
            Place::Nan => return (0, specified),
            Place::Infinite(true) => return (pattern(&least), specified),
            Place::Infinite(false) => return (pattern(&most), specified),
            Place::Finite(true, size, _) => -size,
            Place::Finite(false, size, _) => size.clone(),
        };
        let fits = least <= value && value <= most;
        match self.from.int_range() {
            Some(_) if how.overflow != Overflow::Saturate => (pattern(&value), true),
            _ => (pattern(&value.clamp(least, most)), fits || specified),
        }
    }
}

/// The code of the largest number.
fn last(ladder: &Ladder) -> u128 {
    match ladder.ty {
        Scalar::Float(_) => ladder.count - 1,
        _ => ladder.codes[ladder.count as usize - 1].1,
    }
}

/// The conversions of which the language says that they are exact.
fn is_exact(from: Scalar, to: Scalar) -> bool {
    let is = |ty: Scalar, names: &[&str]| names.contains(&ty.to_string().as_str());
    match from {
        Scalar::Storage(_) => is(to, &["f16", "bf16", "f32"]),
        _ => is(from, &["f16", "bf16"]) && is(to, &["f32"]),
    }
}

fn nan(ty: Scalar) -> u128 {
    match ty.to_string().as_str() {
        "f16" => 0x7e00,
        "bf16" => 0x7fc0,
        "f32" => 0x7fc0_0000,
        "f8e4m3" => 0x7f,
        "f8e5m2" => 0x7e,
        "hif8" => 0x80,
        _ => 0,
    }
}

/// Infinity, or what stands for it.
fn infinity(ty: Scalar, negative: bool) -> u128 {
    let magnitude = match ty.to_string().as_str() {
        "f8e4m3" => return 0x7f,
        "f16" => 0x7c00,
        "bf16" => 0x7f80,
        "f32" => 0x7f80_0000,
        "f8e5m2" => 0x7c,
        "hif8" => 0x6f,
        _ => 7,
    };
    magnitude | u128::from(negative) << (ty.width() - 1)
}

/// The type of a name.
pub fn ty(name: &str) -> Scalar {
    Scalar::named(name).expect("a type")
}

const WIDE: [&str; 3] = ["f16", "bf16", "f32"];
const STORED: [&str; 5] = ["f8e4m3", "f8e5m2", "hif8", "f4e2m1", "f4e1m2"];
const INTEGERS: [&str; 8] = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];

/// Every pair of the conversions that the language has.
pub fn pairs() -> Vec<(Scalar, Scalar)> {
    let mut pairs = Vec::new();
    let mut all = |from: &[&str], to: &[&str]| {
        for &a in from {
            pairs.extend(to.iter().filter(|&&b| a != b).map(|b| (ty(a), ty(b))));
        }
    };
    all(&WIDE, &WIDE);
    all(&WIDE, &STORED);
    all(&STORED, &WIDE);
    all(&WIDE, &INTEGERS);
    all(&INTEGERS, &WIDE);
    all(&INTEGERS, &INTEGERS);
    pairs
}

/// All patterns of short types; of long ones corners, neighbours of what has few bits, and random ones.
pub fn patterns(ty: Scalar) -> Vec<u128> {
    let width = ty.width();
    if width <= 8 {
        return (0..1 << width).collect();
    }
    let mut random = Random::new(u64::from(width) + 7);
    let mask = u128::MAX >> (128 - width);
    let mut all = Vec::new();
    match ty {
        Scalar::Float(f) => {
            let (bias, top) = ((1u128 << (f.exp - 1)) - 1, (1u128 << f.exp) - 1);
            // Around 1, at both ends, and some between.
            let matters = |&e: &u128| e.abs_diff(bias) < 40 || e < 3 || e + 3 > top || e % 8 == 0;
            let fields = (0..=top).filter(matters).map(|field| field << f.frac);
            let ends = (0..10).map(|place| 1u128 << (f.frac.max(9) - 9 + place) >> 1);
            let ends: Vec<u128> = ends.collect();
            for field in fields {
                // Few bits below the leading one, or nearly so.
                let tail = ends[random.below(10) as usize] | ends[random.below(10) as usize];
                let tail = tail & ((1 << f.frac) - 1);
                let tail = field | tail;
                for near in [field, tail, tail + 1, tail.max(1) - 1] {
                    all.push(near | random.bits(1) << (width - 1));
                }
            }
            all.extend((0..300).map(|_| operand(f, &mut random)));
        }
        _ => {
            for place in 0..width {
                for near in [
                    1u128 << place,
                    3 << place >> 1,
                    7 << place >> 2,
                    31 << place >> 4,
                ] {
                    all.extend([near.wrapping_sub(1), near, near + 1, near.wrapping_neg()]);
                }
            }
            all.extend((0..300).map(|_| random.bits(width)));
        }
    }
    all.into_iter().map(|x| x & mask).collect()
}

/// What becomes of what does not fit: the usual, limits, or anything.
pub const OVERFLOWS: [Overflow; 3] = [Overflow::Usual, Overflow::Saturate, Overflow::Unspecified];

/// Every way to convert between two types that differs from the others there.
pub fn ways(from: Scalar, to: Scalar) -> Vec<Conversion> {
    let integers = [from, to].map(|ty| ty.int_range().is_some());
    let mut ways = Vec::new();
    for &rounding in Rounding::ALL {
        for overflow in OVERFLOWS {
            let is_usual = rounding == Rounding::Zero;
            let has_effect = match (integers, overflow) {
                ([true, true], _) => is_usual,
                ([false, true], _) => true,
                (_, Overflow::Unspecified) => is_usual,
                _ => true,
            };
            if has_effect {
                ways.push(Conversion { rounding, overflow });
            }
        }
    }
    ways
}

/// What the reference gives, as a pattern, and whether it is specified.
pub fn reference(from: Scalar, to: Scalar, how: Conversion, pattern: u128) -> (u128, bool) {
    let value = convert(from, to, how, &Value::wrapped(from, BigInt::from(pattern)));
    (
        value.pattern(to).to_u128().expect("at most 64 bits"),
        !value.tainted,
    )
}

//! Decimal texts of floats of any format: read with one rounding, written as short as possible.

use crate::ir::{FloatFormat, Scalar};
use crate::sim::formats;
use crate::sim::softfloat::{self, Exact, Unpacked};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};

/// Powers of ten beyond this lie outside every format's range by far.
const MAX_POWER: i64 = 6000;

/// The float nearest to a decimal number such as `-12.5e-3`; `None` if the text is not one.
pub fn parse(ty: impl Into<Scalar>, text: &str) -> Option<u128> {
    let ty = ty.into();
    let (number, sticky) = parse_exact(ty.width(), text)?;
    Some(formats::pack(ty, &number, sticky))
}

/// A decimal number to at least `bits` places, and whether its magnitude is truly a little larger.
pub fn parse_exact(bits: u32, text: &str) -> Option<(Unpacked, bool)> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, power(exponent)?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    if whole.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    let zero = || {
        let zero = Exact {
            negative,
            mantissa: BigUint::ZERO,
            exponent: 0,
        };
        (Unpacked::Finite(zero), false)
    };
    if digits.is_empty() {
        return Some(zero());
    }
    let power = exponent.saturating_sub(fraction.len() as i64);
    let size = power.saturating_add(digits.len() as i64);
    if size > MAX_POWER {
        return Some((Unpacked::Infinite(negative), false));
    }
    if size < -MAX_POWER {
        return Some(zero());
    }
    let digits = BigUint::parse_bytes(digits.as_bytes(), 10)?;
    let scale = ten_to(power.unsigned_abs());
    let (exact, sticky) = match power >= 0 {
        true => softfloat::ratio(bits, negative, &(digits * scale), &BigUint::one()),
        false => softfloat::ratio(bits, negative, &digits, &scale),
    };
    Some((Unpacked::Finite(exact), sticky))
}

fn power(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(i64::MAX / 2);
    Some(if text.starts_with('-') { -size } else { size })
}

fn ten_to(power: u64) -> BigUint {
    BigUint::from(10u32).pow(power as u32)
}

/// The shortest decimal number that whoever reads numbers as doubles, or in the format itself, reads as the same float;
/// `None` for NaN and infinities.
pub fn print(ty: impl Into<Scalar>, bits: u128) -> Option<String> {
    let ty = ty.into();
    let double = FloatFormat::F64;
    let is_narrower = match ty {
        Scalar::Float(f) => f != double && f.exp <= double.exp && f.frac <= double.frac,
        _ => true,
    };
    if is_narrower {
        // The fewer bits would make 450 of 448, and 65500 of 65504.
        return print(double, formats::convert(ty, double.into(), bits));
    }
    let Unpacked::Finite(exact) = formats::unpack(ty, bits) else {
        return None;
    };
    let sign = if exact.negative { "-" } else { "" };
    if exact.mantissa.is_zero() {
        return Some(format!("{sign}0.0"));
    }
    let up = BigUint::one() << exact.exponent.unsigned_abs();
    let (over, under) = match exact.exponent >= 0 {
        true => (exact.mantissa * up, BigUint::one()),
        false => (exact.mantissa, up),
    };
    let point = decimal_exponent(&over, &under);
    let magnitude = bits & !(1 << (ty.width() - 1));
    let mut length = 1;
    loop {
        let (digits, carried) = leading_digits(&over, &under, point, length);
        let text = layout(&digits.to_string(), point + i64::from(carried));
        if parse(ty, &text) == Some(magnitude) {
            return Some(format!("{sign}{text}"));
        }
        length += 1;
    }
}

/// The `e` with `10^e <= over / under < 10^(e + 1)`.
fn decimal_exponent(over: &BigUint, under: &BigUint) -> i64 {
    let reaches = |e: i64| match e >= 0 {
        true => *over >= under * ten_to(e.unsigned_abs()),
        false => over * ten_to(e.unsigned_abs()) >= *under,
    };
    let mut e = ((over.bits() as f64 - under.bits() as f64) * std::f64::consts::LOG10_2) as i64;
    while !reaches(e) {
        e -= 1;
    }
    while reaches(e + 1) {
        e += 1;
    }
    e
}

/// The first `length` digits, rounded; whether that gave a further digit (which is then cut off).
fn leading_digits(over: &BigUint, under: &BigUint, point: i64, length: i64) -> (BigUint, bool) {
    let shift = length - 1 - point;
    let scale = ten_to(shift.unsigned_abs());
    let (over, under) = match shift >= 0 {
        true => (over * scale, under.clone()),
        false => (over.clone(), under * scale),
    };
    let (whole, rest) = over.div_rem(&under);
    let up = match (rest * 2u32).cmp(&under) {
        std::cmp::Ordering::Equal => whole.is_odd(),
        order => order.is_gt(),
    };
    let digits = if up { whole + 1u32 } else { whole };
    match digits == ten_to(length.unsigned_abs()) {
        true => (digits / 10u32, true),
        false => (digits, false),
    }
}

/// `d.ddd * 10^point` as a JSON number with a point or an exponent.
fn layout(digits: &str, point: i64) -> String {
    let digits = digits.trim_end_matches('0');
    let length = digits.len() as i64;
    match point {
        0..=16 if length <= point + 1 => {
            format!("{digits}{}.0", "0".repeat((point + 1 - length) as usize))
        }
        0..=16 => {
            let (whole, fraction) = digits.split_at(point as usize + 1);
            format!("{whole}.{fraction}")
        }
        -5..=-1 => format!("0.{}{digits}", "0".repeat((-point - 1) as usize)),
        _ => {
            let (first, rest) = digits.split_at(1);
            let separator = if rest.is_empty() { "" } else { "." };
            format!("{first}{separator}{rest}e{point}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_formats_are_printed_exactly_and_read_with_one_rounding() {
        use crate::ir::StorageFormat::{F4E2M1, F8E4M3, HiF8};
        assert_eq!(print(F8E4M3, 0x7e).unwrap(), "448.0");
        assert_eq!(print(F8E4M3, 0x7f), None);
        assert_eq!(print(HiF8, 0x01).unwrap(), "2.384185791015625e-7");
        assert_eq!(print(F4E2M1, 0x9).unwrap(), "-0.5");
        for f in crate::ir::StorageFormat::ALL {
            for code in 0..1 << f.width() {
                if let Some(text) = print(f, code) {
                    assert_eq!(parse(f, &text), Some(code), "{f} {text}");
                }
            }
        }
        // Halfway between two numbers, and by far less than any float a little above.
        assert_eq!(parse(F8E4M3, "1.0625"), Some(0x38));
        let above = format!("1.0625{}1", "0".repeat(60));
        assert_eq!(parse(F8E4M3, &above), Some(0x39));
    }

    #[test]
    fn reads_like_the_standard_library() {
        let f = FloatFormat::F32;
        for text in [
            "0",
            "-0.0",
            "1",
            "0.1",
            "-12.5e-3",
            "16777217",
            "3.4028235677973366e38",
            "1e39",
            "1e-45",
            "7e-46",
            "7.1e-46",
            "1.17549435e-38",
            "9007199254740993",
            "1e400",
            "1e-400",
            "123456789012345678901234567890",
            "2.5E+1",
            "0.000000000000000000000000000001",
        ] {
            let wanted: f32 = text.parse().unwrap();
            assert_eq!(parse(f, text), Some(u128::from(wanted.to_bits())), "{text}");
            let wanted: f64 = text.parse().unwrap();
            assert_eq!(
                parse(FloatFormat::F64, text),
                Some(u128::from(wanted.to_bits())),
                "{text}"
            );
        }
        for text in [
            "", "-", ".5", "1.2.3", "1e", "1e+", "nan", "0x1", "1 ", "--1", "1e5.0",
        ] {
            assert_eq!(parse(f, text), None, "{text}");
        }
        assert_eq!(
            parse(f, "1e99999999999999999999"),
            Some(softfloat::infinity(f, false))
        );
        assert_eq!(
            parse(f, "-1e-99999999999999999999"),
            Some(softfloat::zero(f, true))
        );
    }

    #[test]
    fn writes_short_and_reads_back() {
        let f = FloatFormat::F64;
        let mut rng = crate::sim::vectors::Rng::new(9);
        for i in 0..400 {
            let bits = if i % 2 == 0 {
                rng.next()
            } else {
                (rng.next() as i16 as f64 / 8.0).to_bits()
            };
            let Some(text) = print(f, u128::from(bits)) else {
                continue;
            };
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits, "{text}");
            let digits = |t: &str| t.bytes().filter(u8::is_ascii_digit).count();
            let short = format!("{:e}", f64::from_bits(bits));
            let significant = digits(short.split('e').next().unwrap());
            let ours = text.split('e').next().unwrap().replace(['.', '-'], "");
            assert_eq!(
                ours.trim_matches('0').len().max(1),
                significant.max(1),
                "{text} {short}"
            );
        }
        for bits in 0..0x7c00 {
            let text = print(FloatFormat::F16, bits).unwrap();
            assert_eq!(parse(FloatFormat::F16, &text), Some(bits), "{text}");
        }
    }

    #[test]
    fn looks_like_a_number_people_write() {
        let show = |x: f64| print(FloatFormat::F64, u128::from(x.to_bits())).unwrap();
        for (x, text) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1234.5, "1234.5"),
            (1e20, "1e20"),
            (1.5e-7, "1.5e-7"),
            (0.00001, "0.00001"),
            (16777216.0, "16777216.0"),
            (1e-45, "1e-45"),
        ] {
            assert_eq!(show(x), text);
        }
    }

    #[test]
    fn whoever_reads_doubles_reads_the_same_number() {
        let read = |text: Option<String>| text.and_then(|text| text.parse::<f64>().ok());
        for x in [0.1f32, 123456792.0, -1e-45, f32::MAX] {
            let text = print(FloatFormat::F32, u128::from(x.to_bits()));
            assert_eq!(read(text), Some(x.into()));
        }
        assert_eq!(print(FloatFormat::F16, 0x7bff).as_deref(), Some("65504.0"));
    }
}

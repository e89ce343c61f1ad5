//! Formatted text: `format`, f-strings, `%`.

use crate::convert::{to_float, to_int};
use crate::error::Exception::{OverflowError, TypeError, ValueError};
use crate::error::{Limit, Problem, fail, raise};
use crate::objects::call_method;
use crate::text::{MAX_TEXT, check_digits, float_text, repr, signed_exponent, str};
use crate::value::{Names, Result, Value};
use diagnostics::Span;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

/// A format specification: `[[fill]align][sign][#][0][width][grouping][.precision][type]`.
#[derive(Debug, Default, PartialEq)]
struct Spec {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    alternate: bool,
    zero: bool,
    width: usize,
    grouping: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

impl Spec {
    fn parse(text: &str) -> Option<Spec> {
        let chars: Vec<char> = text.chars().collect();
        let mut spec = Spec::default();
        let mut at = 0;
        let is_align = |c: Option<&char>| c.is_some_and(|c| "<>=^".contains(*c));
        if is_align(chars.get(1)) {
            spec.fill = Some(chars[0]);
            spec.align = Some(chars[1]);
            at = 2;
        } else if is_align(chars.first()) {
            spec.align = Some(chars[0]);
            at = 1;
        }
        let mut take = |wanted: &str| {
            let found = chars.get(at).filter(|c| wanted.contains(**c)).copied();
            at += usize::from(found.is_some());
            found
        };
        spec.sign = take("+- ");
        spec.alternate = take("#").is_some();
        spec.zero = take("0").is_some();
        let number = |take: &mut dyn FnMut(&str) -> Option<char>| {
            let mut digits = String::new();
            while let Some(digit) = take("0123456789") {
                digits.push(digit);
            }
            digits
        };
        let width = number(&mut take);
        if !width.is_empty() {
            spec.width = width.parse().ok()?;
        }
        spec.grouping = take(",_");
        if take(".").is_some() {
            spec.precision = Some(number(&mut take).parse().ok()?);
        }
        spec.kind = take("bcdeEfFgGnosxX%");
        (at == chars.len()).then_some(spec)
    }
}

/// `format(value, spec)`.
pub fn format(value: &Value, spec: &str, span: Span, names: &mut dyn Names) -> Result<String> {
    if spec.is_empty() {
        return Ok(str(value, span, names)?.to_string());
    }
    let object = matches!(value, Value::Object(_));
    let text = vec![Value::str(spec)];
    if object && let Some(result) = call_method(value, "__format__", text, span, names)? {
        return Ok(str(&result, span, names)?.to_string());
    }
    let Some(parsed) = Spec::parse(spec) else {
        let message = format!("'{spec}' is no format specification");
        return raise(ValueError, span, message);
    };
    if parsed.width > MAX_TEXT || parsed.precision.is_some_and(|p| p > 10_000) {
        return fail(span, Limit::Formatted);
    }
    let wrong = || {
        let message = format!("the format '{spec}' does not fit {}", value.kind());
        raise(ValueError, span, message)
    };
    let value = value.clone().plain();
    let (sign, body) = match (&value, parsed.kind) {
        (Value::Str(s), None | Some('s')) => {
            if parsed.sign.is_some() || parsed.grouping.is_some() || parsed.align == Some('=') {
                return wrong();
            }
            let cut: String = match parsed.precision {
                Some(most) => s.chars().take(most).collect(),
                None => s.to_string(),
            };
            return Ok(pad(&parsed, "", &cut, '<'));
        }
        (Value::Float(v), kind) => float_body(*v, kind, &parsed),
        (Value::Int(_) | Value::Bool(_), Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%')) => {
            let v = to_float(&value, span)?;
            if v.is_infinite() {
                return raise(OverflowError, span, "the int is too large for a float");
            }
            float_body(v, parsed.kind, &parsed)
        }
        (Value::Int(_) | Value::Bool(_), _) => match value.as_int() {
            Some(v) if parsed.precision.is_none() => int_body(&v, &parsed, span)?,
            _ => return wrong(),
        },
        _ => return wrong(),
    };
    let sign = match (sign, parsed.sign) {
        (true, _) => "-".to_owned(),
        (false, Some(c @ ('+' | ' '))) => c.to_string(),
        _ => String::new(),
    };
    let Some(body) = body else {
        return wrong();
    };
    Ok(pad(&parsed, &sign, &body, '>'))
}

fn int_body(v: &BigInt, spec: &Spec, span: Span) -> Result<(bool, Option<String>)> {
    let (radix, prefix) = match spec.kind {
        None | Some('d' | 'n') => (10, ""),
        Some('b') => (2, "0b"),
        Some('o') => (8, "0o"),
        Some('x') => (16, "0x"),
        Some('X') => (16, "0X"),
        Some('c') => {
            let c = u32::try_from(v).ok().and_then(char::from_u32);
            return Ok((false, c.map(String::from)));
        }
        _ => return Ok((false, None)),
    };
    if radix == 10 {
        check_digits(v, span)?;
    }
    let mut digits = v.magnitude().to_str_radix(radix);
    if spec.kind == Some('X') {
        digits = digits.to_uppercase();
    }
    if let Some(mark) = spec.grouping {
        let size = if radix == 10 { 3 } else { 4 };
        digits = grouped(&digits, mark, size);
    }
    let prefix = if spec.alternate { prefix } else { "" };
    Ok((v.is_negative(), Some(format!("{prefix}{digits}"))))
}

fn grouped(digits: &str, mark: char, size: usize) -> String {
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(size) {
            out.push(mark);
        }
        out.push(c);
    }
    out
}

fn float_body(v: f64, kind: Option<char>, spec: &Spec) -> (bool, Option<String>) {
    let magnitude = v.abs();
    let negative = v.is_sign_negative() && !v.is_nan();
    let text = match kind {
        None | Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'n' | '%') if !v.is_finite() => {
            let text = if v.is_nan() { "nan" } else { "inf" };
            match kind {
                Some('E' | 'F' | 'G') => text.to_uppercase(),
                Some('%') => format!("{text}%"),
                _ => text.to_owned(),
            }
        }
        Some('f' | 'F') => format!("{magnitude:.*}", spec.precision.unwrap_or(6)),
        Some('e') => scientific(magnitude, spec.precision.unwrap_or(6)),
        Some('E') => scientific(magnitude, spec.precision.unwrap_or(6)).to_uppercase(),
        Some('%') => format!("{:.*}%", spec.precision.unwrap_or(6), magnitude * 100.0),
        Some('g' | 'n') => general(
            magnitude,
            spec.precision.unwrap_or(6),
            spec.alternate,
            false,
        ),
        Some('G') => general(
            magnitude,
            spec.precision.unwrap_or(6),
            spec.alternate,
            false,
        )
        .to_uppercase(),
        None => match spec.precision {
            None => float_text(magnitude),
            Some(precision) => general(magnitude, precision, spec.alternate, true),
        },
        _ => return (false, None),
    };
    let text = match (spec.grouping, text.find(|c: char| !c.is_ascii_digit())) {
        (Some(mark), Some(end)) => format!("{}{}", grouped(&text[..end], mark, 3), &text[end..]),
        (Some(mark), None) => grouped(&text, mark, 3),
        (None, _) => text,
    };
    (negative, Some(text))
}

fn scientific(v: f64, precision: usize) -> String {
    let text = format!("{v:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            format!(
                "{digits}e{}",
                signed_exponent(exponent.parse().unwrap_or(0))
            )
        }
        None => text,
    }
}

/// The `g` form: `precision` significant digits, in the shorter notation. `keep_point` is the form
/// without a type, which shows at least one digit after the point.
fn general(v: f64, precision: usize, alternate: bool, keep_point: bool) -> String {
    let precision = precision.max(1);
    let rounded = format!("{v:.*e}", precision - 1);
    let exponent: i32 = match rounded.split_once('e') {
        Some((_, exponent)) => exponent.parse().unwrap_or(0),
        None => 0,
    };
    let limit = precision as i32 - i32::from(keep_point);
    let fixed = v.is_zero() || (-4..limit.max(i32::from(!keep_point))).contains(&exponent);
    let (mut digits, tail) = if fixed {
        let after = (precision as i32 - 1 - exponent).max(0) as usize;
        (format!("{v:.after$}"), String::new())
    } else {
        let (digits, _) = rounded.split_once('e').unwrap_or((&rounded, ""));
        (digits.to_owned(), format!("e{}", signed_exponent(exponent)))
    };
    if !alternate && digits.contains('.') {
        digits.truncate(digits.trim_end_matches('0').trim_end_matches('.').len());
    }
    if keep_point && fixed && !digits.contains('.') {
        digits.push_str(".0");
    }
    digits + &tail
}

fn pad(spec: &Spec, sign: &str, body: &str, default: char) -> String {
    let length = sign.chars().count() + body.chars().count();
    let missing = spec.width.saturating_sub(length);
    let zero = spec.zero && spec.align.is_none() && default == '>';
    let fill = spec.fill.unwrap_or(if spec.zero { '0' } else { ' ' });
    let padding = |n: usize| fill.to_string().repeat(n);
    match spec.align.unwrap_or(if zero { '=' } else { default }) {
        '<' => format!("{sign}{body}{}", padding(missing)),
        '^' => format!(
            "{}{sign}{body}{}",
            padding(missing / 2),
            padding(missing - missing / 2)
        ),
        '=' => {
            let marked = body.len() > 1 && body.starts_with('0') && spec.alternate;
            let split = if marked { 2 } else { 0 };
            let (prefix, digits) = body.split_at(split);
            match (spec.grouping, zero) {
                // Zeros are grouped as the digits are.
                (Some(mark), true) => zeros_grouped(spec, sign, digits, mark),
                _ => format!("{sign}{prefix}{}{digits}", padding(missing)),
            }
        }
        _ => format!("{}{sign}{body}", padding(missing)),
    }
}

fn zeros_grouped(spec: &Spec, sign: &str, body: &str, mark: char) -> String {
    let end = body
        .find(|c: char| !c.is_ascii_hexdigit() && c != mark)
        .unwrap_or(body.len());
    let (whole, rest) = body.split_at(end);
    let digits: String = whole.chars().filter(|c| *c != mark).collect();
    let size = match spec.kind {
        Some('b' | 'o' | 'x' | 'X') => 4,
        _ => 3,
    };
    let room = spec.width.saturating_sub(sign.len() + rest.len());
    let mut padded = digits;
    while grouped(&padded, mark, size).len() < room {
        padded.insert(0, '0');
    }
    format!("{sign}{}{rest}", grouped(&padded, mark, size))
}

/// `template % values`.
pub fn percent(
    template: &str,
    values: &Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<String> {
    let items = match values {
        Value::Tuple(items) => items.to_vec(),
        single => vec![single.clone()],
    };
    let mut items = items.into_iter();
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.find(|c: char| c.is_ascii_alphabetic() || c == '%' || c == '(');
        let Some(end) = end else {
            return raise(ValueError, span, "the format ends in the middle");
        };
        let kind = rest.as_bytes()[end] as char;
        let flags = &rest[..end];
        rest = &rest[end + 1..];
        if kind == '%' {
            out.push('%');
            continue;
        }
        let Some(value) = items.next() else {
            return raise(
                TypeError,
                span,
                "there are fewer values than the format takes",
            );
        };
        let (value, kind) = match kind {
            's' => (Value::Str(str(&value, span, names)?), "s"),
            'r' => (Value::Str(repr(&value, span, names)?), "s"),
            'd' | 'i' | 'u' => (Value::Int(to_int(&value, span)?), "d"),
            'x' | 'X' | 'o' | 'c' if matches!(value, Value::Float(_)) => {
                let message = format!("%{kind} needs an int");
                return raise(TypeError, span, message);
            }
            'x' => (value, "x"),
            'X' => (value, "X"),
            'o' => (value, "o"),
            'c' => (value, "c"),
            'e' => (value, "e"),
            'f' | 'F' => (value, "f"),
            'g' => (value, "g"),
            _ => {
                return fail(
                    span,
                    Problem::Unsupported(format!("'%{kind}' is not supported").into()),
                );
            }
        };
        let left = flags.contains('-');
        let flags: String = flags.chars().filter(|c| *c != '-').collect();
        let align = match (left, kind) {
            (true, _) => "<",
            (false, "s") => ">",
            _ => "",
        };
        out.push_str(&format(
            &value,
            &format!("{align}{flags}{kind}"),
            span,
            names,
        )?);
        names.tick(span, 1 + out.len() as u64 / 64)?;
    }
    out.push_str(rest);
    if items.next().is_some() {
        return raise(
            TypeError,
            span,
            "there are more values than the format takes",
        );
    }
    Ok(out)
}

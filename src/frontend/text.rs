//! Values as text and text as numbers: `str`, `repr`, `format`, `int` and `float`.

use super::classes;
use super::codes;
use super::consteval::Names;
use super::error::{Result, fail, raise};
use super::values::{ConstValue, shaped_name};
use crate::diagnostics::Span;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use std::fmt::Write as _;
use std::rc::Rc;

/// Most decimal digits of an int as text, as in Python.
const MAX_DIGITS: u64 = 4300;
/// Longest text that is made of a value, in bytes.
const MAX_TEXT: usize = 1 << 20;
/// Deepest nesting that is shown.
const MAX_DEPTH: usize = 100;

/// `str(value)`.
pub fn str(value: &ConstValue, span: Span, names: &mut dyn Names) -> Result<Rc<str>> {
    match value {
        ConstValue::Str(s) => Ok(s.clone()),
        _ => shown(value, false, span, names),
    }
}

/// `repr(value)`.
pub fn repr(value: &ConstValue, span: Span, names: &mut dyn Names) -> Result<Rc<str>> {
    shown(value, true, span, names)
}

fn shown(value: &ConstValue, quoted: bool, span: Span, names: &mut dyn Names) -> Result<Rc<str>> {
    let mut writer = Writer {
        out: String::new(),
        caller: Some((span, names)),
    };
    writer.value(value, quoted, 0)?;
    let Writer { out, caller } = writer;
    if let Some((span, names)) = caller {
        names.tick(span, out.len() as u64 / 8)?;
    }
    Ok(out.into())
}

/// Text without calling methods and without limits of Python's, for messages and names.
pub fn plain(value: &ConstValue) -> String {
    if let ConstValue::Str(s) = value {
        return s.to_string();
    }
    let mut writer = Writer {
        out: String::new(),
        caller: None,
    };
    // Without a caller nothing fails but the bound on the length, and then the beginning remains.
    let _ = writer.value(value, true, 0);
    writer.out
}

struct Writer<'n> {
    out: String,
    caller: Option<(Span, &'n mut dyn Names)>,
}

impl Writer<'_> {
    fn value(&mut self, value: &ConstValue, quoted: bool, depth: usize) -> Result<()> {
        let span = self.caller.as_ref().map(|(span, _)| *span);
        if depth > MAX_DEPTH {
            self.out.push_str("...");
            return Ok(());
        }
        if self.out.len() > MAX_TEXT {
            let span = span.unwrap_or_default();
            return fail(codes::LIMIT, span, "the text of the value is too long");
        }
        match value {
            ConstValue::Int(v) => {
                if let Some(span) = span {
                    check_digits(v, span)?;
                }
                let _ = write!(self.out, "{v}");
            }
            ConstValue::Float(v) => self.out.push_str(&float_text(*v)),
            ConstValue::Bool(v) => self.out.push_str(if *v { "True" } else { "False" }),
            ConstValue::Str(s) if quoted => quote(s, &mut self.out),
            ConstValue::Str(s) => self.out.push_str(s),
            ConstValue::None => self.out.push_str("None"),
            ConstValue::Ellipsis => self.out.push_str("Ellipsis"),
            ConstValue::Tuple(items) => {
                let close = if items.len() == 1 { ",)" } else { ")" };
                self.items("(", items, close, depth)?;
            }
            ConstValue::List(items) => {
                let items = items.get().clone();
                self.items("[", &items, "]", depth)?;
            }
            ConstValue::Set(set) => {
                let (items, frozen) = {
                    let set = set.get();
                    let items: Vec<ConstValue> = set.items.values().cloned().collect();
                    (items, set.frozenset)
                };
                match (items.is_empty(), frozen) {
                    (true, true) => self.out.push_str("frozenset()"),
                    (true, false) => self.out.push_str("set()"),
                    (false, true) => self.items("frozenset({", &items, "})", depth)?,
                    (false, false) => self.items("{", &items, "}", depth)?,
                }
            }
            ConstValue::Dict(dict) => {
                let entries: Vec<_> = dict.get().values().cloned().collect();
                self.out.push('{');
                for (i, (key, value)) in entries.iter().enumerate() {
                    self.out.push_str(if i == 0 { "" } else { ", " });
                    self.value(key, true, depth + 1)?;
                    self.out.push_str(": ");
                    self.value(value, true, depth + 1)?;
                }
                self.out.push('}');
            }
            ConstValue::Range(r) => {
                let _ = write!(self.out, "range({}, {}", r.start, r.stop);
                if r.step != 1 {
                    let _ = write!(self.out, ", {}", r.step);
                }
                self.out.push(')');
            }
            ConstValue::Object(object) => match &mut self.caller {
                Some((span, names)) => {
                    names.host().enter(*span)?;
                    let text = classes::object_text(object, quoted, *span, &mut **names);
                    names.host().leave();
                    self.out.push_str(&text?);
                }
                None => {
                    let _ = write!(self.out, "<{} object>", object.class.name);
                }
            },
            ConstValue::Table(table) => self.out.push_str(&table.text(quoted)),
            ConstValue::Dtype(dtype) => self.out.push_str(dtype.name()),
            ConstValue::Type(ty) => {
                let _ = write!(self.out, "{ty}");
            }
            ConstValue::Shaped(ty, shape) => self.out.push_str(&shaped_name(*ty, shape)),
            ConstValue::Operator(op) => self.out.push_str(op.key),
            ConstValue::Class(class) => {
                let _ = write!(self.out, "<class '{}'>", class.name);
            }
            other => {
                let _ = write!(self.out, "<{}>", other.kind());
            }
        }
        Ok(())
    }

    fn items(&mut self, open: &str, items: &[ConstValue], close: &str, depth: usize) -> Result<()> {
        self.out.push_str(open);
        for (i, item) in items.iter().enumerate() {
            self.out.push_str(if i == 0 { "" } else { ", " });
            self.value(item, true, depth + 1)?;
        }
        self.out.push_str(close);
        Ok(())
    }
}

/// Refuses ints that are too long to be shown in decimal.
fn check_digits(value: &BigInt, span: Span) -> Result<()> {
    // log2(10) is a little more than 3.32.
    if value.bits() > MAX_DIGITS * 332 / 100 {
        let message = "the int has more than 4300 decimal digits";
        return raise("ValueError", span, message);
    }
    Ok(())
}

/// A float as Python shows it: the shortest digits that give it back.
pub fn float_text(v: f64) -> String {
    if v.is_nan() {
        return "nan".into();
    }
    if v.is_infinite() {
        return if v > 0.0 { "inf" } else { "-inf" }.into();
    }
    let scientific = format!("{v:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if v != 0.0 && !(-4..16).contains(&exponent) {
        return format!("{digits}e{}", signed_exponent(exponent));
    }
    let plain = format!("{v}");
    if plain.contains('.') {
        plain
    } else {
        plain + ".0"
    }
}

fn signed_exponent(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{:02}", exponent.abs())
}

fn quote(s: &str, out: &mut String) {
    let mark = if s.contains('\'') && !s.contains('"') {
        '"'
    } else {
        '\''
    };
    out.push(mark);
    for c in s.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == mark => {
                out.push('\\');
                out.push(c);
            }
            c if (c as u32) < 0x20 || c as u32 == 0x7f => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push(mark);
}

/// An int of text, as `int(text, base)` reads it; base 0 takes the prefix.
pub fn parse_int(text: &str, base: u32) -> Option<BigInt> {
    let text = text.trim();
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let lower = digits.to_ascii_lowercase();
    let prefix = match lower.get(..2) {
        Some("0x") => 16,
        Some("0o") => 8,
        Some("0b") => 2,
        _ => 0,
    };
    let (radix, digits) = match (base, prefix) {
        (0, 0) => (10, &lower[..]),
        (0, radix) => (radix, &lower[2..]),
        (base, radix) if base == radix => (radix, &lower[2..]),
        (base, _) => (base, &lower[..]),
    };
    let misplaced =
        digits.starts_with('_') && prefix == 0 || digits.ends_with('_') || digits.contains("__");
    if !(2..=36).contains(&radix) || misplaced || digits.starts_with(['+', '-']) {
        return None;
    }
    let digits = digits.replace('_', "");
    let value = BigInt::parse_bytes(digits.as_bytes(), radix)?;
    Some(if negative { -value } else { value })
}

/// `int(text, base)` with Python's bound on decimal digits.
pub fn int_of(text: &str, base: u32, span: Span) -> Result<BigInt> {
    let decimal = !base.is_power_of_two();
    if text.len() as u64 > MAX_DIGITS && decimal || text.len() > MAX_TEXT / 8 {
        let message = "the text of the int has more than 4300 digits";
        return raise("ValueError", span, message);
    }
    match parse_int(text, base) {
        Some(value) => Ok(value),
        None => {
            let mut shown = String::new();
            quote(text, &mut shown);
            raise(
                "ValueError",
                span,
                format!("{shown} is no int of base {base}"),
            )
        }
    }
}

/// `float(text)`.
pub fn float_of(text: &str, span: Span) -> Result<f64> {
    let trimmed = text.trim();
    let usual = trimmed
        .trim_start_matches(['+', '-'])
        .starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let lower = trimmed.to_ascii_lowercase();
    let named = matches!(
        lower.trim_start_matches(['+', '-']),
        "inf" | "infinity" | "nan"
    );
    match trimmed.replace('_', "").parse() {
        Ok(value) if usual || named => Ok(value),
        _ => raise("ValueError", span, "the text is no float"),
    }
}

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
pub fn format(value: &ConstValue, spec: &str, span: Span, names: &mut dyn Names) -> Result<String> {
    if spec.is_empty() {
        return Ok(str(value, span, names)?.to_string());
    }
    let object = matches!(value, ConstValue::Object(_));
    let text = vec![ConstValue::str(spec)];
    if object && let Some(result) = classes::call_method(value, "__format__", text, span, names)? {
        return Ok(str(&result, span, names)?.to_string());
    }
    let Some(parsed) = Spec::parse(spec) else {
        let message = format!("'{spec}' is no format specification");
        return raise("ValueError", span, message);
    };
    if parsed.width > MAX_TEXT || parsed.precision.is_some_and(|p| p > 10_000) {
        return fail(codes::LIMIT, span, "the formatted text is too long");
    }
    let wrong = || {
        let message = format!("the format '{spec}' does not fit {}", value.kind());
        raise("ValueError", span, message)
    };
    let value = value.clone().for_kernel();
    let (sign, body) = match (&value, parsed.kind) {
        (ConstValue::Str(s), None | Some('s')) => {
            if parsed.sign.is_some() || parsed.grouping.is_some() || parsed.align == Some('=') {
                return wrong();
            }
            let cut: String = match parsed.precision {
                Some(most) => s.chars().take(most).collect(),
                None => s.to_string(),
            };
            return Ok(pad(&parsed, "", &cut, '<'));
        }
        (ConstValue::Float(v), kind) => float_body(*v, kind, &parsed),
        (
            ConstValue::Int(_) | ConstValue::Bool(_),
            Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%'),
        ) => {
            let v = super::library::to_float(&value, span)?;
            if v.is_infinite() {
                return raise("OverflowError", span, "the int is too large for a float");
            }
            float_body(v, parsed.kind, &parsed)
        }
        (ConstValue::Int(_) | ConstValue::Bool(_), _) => match value.as_int() {
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
    values: &ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<String> {
    let items = match values {
        ConstValue::Tuple(items) => items.to_vec(),
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
            return raise("ValueError", span, "the format ends in the middle");
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
                "TypeError",
                span,
                "there are fewer values than the format takes",
            );
        };
        let (value, kind) = match kind {
            's' => (ConstValue::Str(str(&value, span, names)?), "s"),
            'r' => (ConstValue::Str(repr(&value, span, names)?), "s"),
            'd' | 'i' | 'u' => (ConstValue::Int(super::library::to_int(&value, span)?), "d"),
            'x' | 'X' | 'o' | 'c' if matches!(value, ConstValue::Float(_)) => {
                let message = format!("%{kind} needs an int");
                return raise("TypeError", span, message);
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
                    codes::CONST_EVAL,
                    span,
                    format!("'%{kind}' is not supported"),
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
            "TypeError",
            span,
            "there are more values than the format takes",
        );
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_shown_as_python_does() {
        let table = [
            (1e16, "1e+16"),
            (1e15, "1000000000000000.0"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (0.1, "0.1"),
            (-0.0, "-0.0"),
            (5e-324, "5e-324"),
            (1.5e300, "1.5e+300"),
        ];
        for (v, expected) in table {
            assert_eq!(float_text(v), expected);
        }
    }

    #[test]
    fn ints_are_read_as_python_does() {
        let table = [
            ("12", 10, Some(12)),
            (" -0x1f ", 0, Some(-31)),
            ("0b101", 2, Some(5)),
            ("1_000", 10, Some(1000)),
            ("ff", 16, Some(255)),
            ("--1", 10, None),
            ("1__0", 10, None),
            ("", 10, None),
            ("9", 8, None),
        ];
        for (text, base, expected) in table {
            assert_eq!(parse_int(text, base), expected.map(BigInt::from), "{text}");
        }
    }
}

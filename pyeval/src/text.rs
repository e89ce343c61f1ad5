//! Values as text and text as numbers: `str`, `repr`, `int` and `float`.

use crate::error::Exception::ValueError;
use crate::error::{Limit, fail, raise};
use crate::numpy::table::{Dtype, Table};
use crate::objects::call_method;
use crate::value::{Names, Object, Result, Value};
use diagnostics::Span;
use num_bigint::BigInt;
use std::fmt::{self, Write as _};
use std::rc::Rc;
use std::str::FromStr;

/// Most decimal digits of an int as text, as in Python.
const MAX_DIGITS: u64 = 4300;
/// Longest text that is made of a value, in bytes.
pub const MAX_TEXT: usize = 1 << 20;
/// Deepest nesting that is shown.
const MAX_DEPTH: usize = 100;

/// `str(value)`.
pub fn str(value: &Value, span: Span, names: &mut dyn Names) -> Result<Rc<str>> {
    match value {
        Value::Str(s) => Ok(s.clone()),
        _ => shown(value, false, span, names),
    }
}

/// `repr(value)`.
pub fn repr(value: &Value, span: Span, names: &mut dyn Names) -> Result<Rc<str>> {
    shown(value, true, span, names)
}

fn shown(value: &Value, quoted: bool, span: Span, names: &mut dyn Names) -> Result<Rc<str>> {
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

impl Value {
    /// Text of the value as `print` shows it, without calling methods of classes.
    pub fn text(&self) -> String {
        plain(self)
    }
}

/// Text without calling methods and without limits of Python's, for messages and names.
fn plain(value: &Value) -> String {
    if let Value::Str(s) = value {
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
    fn value(&mut self, value: &Value, quoted: bool, depth: usize) -> Result<()> {
        let span = self.caller.as_ref().map(|(span, _)| *span);
        if depth > MAX_DEPTH {
            self.out.push_str("...");
            return Ok(());
        }
        if self.out.len() > MAX_TEXT {
            let span = span.unwrap_or_default();
            return fail(span, Limit::Text);
        }
        match value {
            Value::Int(v) => {
                if let Some(span) = span {
                    check_digits(v, span)?;
                }
                let _ = write!(self.out, "{v}");
            }
            Value::Float(v) => self.out.push_str(&float_text(*v)),
            Value::Bool(v) => self.out.push_str(if *v { "True" } else { "False" }),
            Value::Str(s) if quoted => quote(s, &mut self.out),
            Value::Str(s) => self.out.push_str(s),
            Value::None => self.out.push_str("None"),
            Value::Ellipsis => self.out.push_str("Ellipsis"),
            Value::Tuple(items) => {
                let close = if items.len() == 1 { ",)" } else { ")" };
                self.items("(", items, close, depth)?;
            }
            Value::List(items) => {
                let items = items.get().clone();
                self.items("[", &items, "]", depth)?;
            }
            Value::Set(set) => {
                let (items, frozen) = {
                    let set = set.get();
                    let items: Vec<Value> = set.items.values().cloned().collect();
                    (items, set.frozenset)
                };
                match (items.is_empty(), frozen) {
                    (true, true) => self.out.push_str("frozenset()"),
                    (true, false) => self.out.push_str("set()"),
                    (false, true) => self.items("frozenset({", &items, "})", depth)?,
                    (false, false) => self.items("{", &items, "}", depth)?,
                }
            }
            Value::Dict(dict) => {
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
            Value::Range(r) => {
                let _ = write!(self.out, "range({}, {}", r.start, r.stop);
                if r.step != 1 {
                    let _ = write!(self.out, ", {}", r.step);
                }
                self.out.push(')');
            }
            Value::Object(object) => match &mut self.caller {
                Some((span, names)) => {
                    let span = *span;
                    let text = names.deeper(span, |names| object_text(object, quoted, span, names));
                    self.out.push_str(&text?);
                }
                None => {
                    let _ = write!(self.out, "<{} object>", object.class.name);
                }
            },
            Value::Table(table) => self.out.push_str(&table_text(table, quoted)),
            Value::Dtype(dtype) => self.out.push_str(dtype.name()),
            Value::Host(thing) => self.out.push_str(&thing.text()),
            Value::Class(class) => {
                let _ = write!(self.out, "<class '{}'>", class.name);
            }
            other => {
                let _ = write!(self.out, "<{}>", other.kind());
            }
        }
        Ok(())
    }

    fn items(&mut self, open: &str, items: &[Value], close: &str, depth: usize) -> Result<()> {
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
pub fn check_digits(value: &BigInt, span: Span) -> Result<()> {
    // log2(10) is a little more than 3.32.
    if value.bits() > MAX_DIGITS * 332 / 100 {
        let message = "the int has more than 4300 decimal digits";
        return raise(ValueError, span, message);
    }
    Ok(())
}

/// A float as Python shows it: the shortest digits that give it back.
pub fn float_text(v: f64) -> String {
    float_notation(v, v.is_finite())
}

/// The same of a float of either size.
fn float_notation<T: fmt::LowerExp + FromStr + PartialEq + Copy>(v: T, is_finite: bool) -> String {
    let scientific = shortest(v);
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    if !is_finite {
        return digits.to_lowercase();
    }
    let exponent: i32 = exponent.parse().unwrap_or(0);
    match exponent {
        -4..16 => with_point(digits, exponent),
        _ => format!("{digits}e{}", signed_exponent(exponent)),
    }
}

/// The shortest digits that give a float back, with an exponent; of two that are equally near those with an even end.
fn shortest<T: fmt::LowerExp + FromStr + PartialEq + Copy>(v: T) -> String {
    let shortest = format!("{v:e}");
    let digits = shortest.split('e').next().unwrap_or_default();
    let places = digits.split('.').nth(1).map_or(0, str::len);
    let even = format!("{v:.places$e}");
    match even.parse() {
        Ok(back) if v == back => even,
        _ => shortest,
    }
}

/// `d.ddd` times a power of ten, without an exponent.
fn with_point(digits: &str, exponent: i32) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    let digits = digits.replace('.', "");
    let Ok(whole) = usize::try_from(exponent) else {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    };
    match digits.split_at_checked(whole + 1) {
        Some((whole, rest)) if !rest.is_empty() => format!("{sign}{whole}.{rest}"),
        _ => format!("{sign}{digits:0<places$}.0", places = whole + 1),
    }
}

pub fn signed_exponent(exponent: i32) -> String {
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
        return raise(ValueError, span, message);
    }
    match parse_int(text, base) {
        Some(value) => Ok(value),
        None => {
            let mut shown = String::new();
            quote(text, &mut shown);
            raise(
                ValueError,
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
        _ => raise(ValueError, span, "the text is no float"),
    }
}

/// Text of an object: by its methods, or as Python makes it for dataclasses, enums and exceptions.
pub fn object_text(
    object: &Rc<Object>,
    quoted: bool,
    span: Span,
    names: &mut dyn Names,
) -> Result<String> {
    let value = Value::Object(object.clone());
    let methods: &[&str] = if quoted {
        &["__repr__"]
    } else {
        &["__str__", "__repr__"]
    };
    for name in methods {
        if let Some(Value::Str(text)) = call_method(&value, name, vec![], span, names)? {
            return Ok(text.to_string());
        }
    }
    let class = &object.class.name;
    let attr = |name: &str| object.attrs.get().get(name).cloned();
    if let (true, Some(name), Some(member)) = (object.is_enum(), attr("_name_"), attr("_value_")) {
        let member = repr(&member, span, names)?;
        return Ok(match (quoted, object.int().is_some()) {
            (true, _) => format!("<{class}.{}: {member}>", name.text()),
            // Since Python 3.11 an IntEnum prints as its number.
            (false, true) => member.to_string(),
            (false, false) => format!("{class}.{}", name.text()),
        });
    }
    if object.class.exception().is_some() {
        let args = attr("args").and_then(|a| a.sequence());
        let args = args.as_deref().unwrap_or_default();
        let parts: Vec<String> = args
            .iter()
            .map(|a| repr(a, span, names).map(|t| t.to_string()))
            .collect::<Result<_>>()?;
        return Ok(match (quoted, args) {
            (true, _) => format!("{class}({})", parts.join(", ")),
            (false, []) => String::new(),
            (false, [single]) if !object.class.inherits("KeyError") => {
                str(single, span, names)?.to_string()
            }
            (false, [_]) => parts.join(", "),
            (false, _) => format!("({})", parts.join(", ")),
        });
    }
    let Some(data) = object.class.data() else {
        return Ok(format!("<{class} object>"));
    };
    let mut parts = Vec::new();
    for (field, value) in data.fields.iter().zip(object.fields(&data)) {
        parts.push(format!("{}={}", field.name, repr(&value, span, names)?));
    }
    Ok(format!("{class}({})", parts.join(", ")))
}

/// Text of an array for messages; that of a scalar is Python's.
fn table_text(table: &Table, quoted: bool) -> String {
    let shown = match (table.dtype, table.item()) {
        (_, None) => return format!("array of {} {:?}", table.dtype.name(), table.shape),
        (Dtype::Float(32), Some(Value::Float(v))) => float_notation(v as f32, v.is_finite()),
        (_, Some(item)) => item.text(),
    };
    match (quoted, table.dtype) {
        (false, _) => shown,
        (true, Dtype::Bool) => format!("np.{shown}"),
        (true, dtype) => format!("np.{}({shown})", dtype.name()),
    }
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
            (-1234.5, "-1234.5"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
            // Between two equally near ones.
            (3019337.0 / 32768.0, "92.14285278320312"),
            (2f64.powi(-44), "5.684341886080802e-14"),
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

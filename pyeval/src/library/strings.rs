//! Methods of strings.

use crate::error::Exception::{AttributeError, IndexError, KeyError, TypeError, ValueError};
use crate::error::{Limit, Problem, fail};
use crate::format::format as format_value;
use crate::items::subscript;
use crate::native::{method, variadic_method};
use crate::operators::MAX_STRING;
use crate::text;
use crate::value::{Call, Native, Result, Value};
use std::rc::Rc;

/// The methods of a string.
pub static METHODS: &[Native] = &[
    method("upper", &[], 0, |c| mapped(c, |s| s.to_uppercase())),
    method("lower", &[], 0, |c| mapped(c, |s| s.to_lowercase())),
    method("casefold", &[], 0, |c| mapped(c, |s| s.to_lowercase())),
    method("capitalize", &[], 0, |c| mapped(c, capitalized)),
    method("title", &[], 0, |c| mapped(c, titled)),
    method("swapcase", &[], 0, |c| mapped(c, swapped)),
    method("strip", &["chars"], 0, |c| strip(c, true, true)),
    method("lstrip", &["chars"], 0, |c| strip(c, true, false)),
    method("rstrip", &["chars"], 0, |c| strip(c, false, true)),
    method("removeprefix", &["prefix"], 1, |c| {
        let part = c.str(0)?;
        mapped(c, |s| s.strip_prefix(&*part).unwrap_or(s).to_owned())
    }),
    method("removesuffix", &["suffix"], 1, |c| {
        let part = c.str(0)?;
        mapped(c, |s| s.strip_suffix(&*part).unwrap_or(s).to_owned())
    }),
    method("startswith", &["prefix"], 1, |c| {
        affix(c, |s, part| s.starts_with(part))
    }),
    method("endswith", &["suffix"], 1, |c| {
        affix(c, |s, part| s.ends_with(part))
    }),
    method("split", &["sep", "maxsplit"], 0, |c| split(c, false)),
    method("rsplit", &["sep", "maxsplit"], 0, |c| split(c, true)),
    method("splitlines", &[], 0, splitlines),
    method("partition", &["sep"], 1, |c| partition(c, false)),
    method("rpartition", &["sep"], 1, |c| partition(c, true)),
    method("join", &["iterable"], 1, |c| {
        let items = c.items(0)?;
        join(c, &items)
    }),
    method("replace", &["old", "new", "count"], 2, replace),
    method("find", &["sub"], 1, |c| {
        Ok(Value::int(find(c, false)?.map_or(-1, |i| i as i64)))
    }),
    method("rfind", &["sub"], 1, |c| {
        Ok(Value::int(find(c, true)?.map_or(-1, |i| i as i64)))
    }),
    method("index", &["sub"], 1, |c| match find(c, false)? {
        Some(at) => Ok(Value::int(at)),
        None => c.raise(ValueError, "the text is not found"),
    }),
    method("count", &["sub"], 1, count),
    method("zfill", &["width"], 1, zfill),
    method("ljust", &["width", "fill"], 1, |c| justify(c, '<')),
    method("rjust", &["width", "fill"], 1, |c| justify(c, '>')),
    method("center", &["width", "fill"], 1, |c| justify(c, '^')),
    method("isdigit", &[], 0, |c| test(c, |c| c.is_numeric())),
    method("isdecimal", &[], 0, |c| test(c, |c| c.is_numeric())),
    method("isnumeric", &[], 0, |c| test(c, |c| c.is_numeric())),
    method("isalpha", &[], 0, |c| test(c, char::is_alphabetic)),
    method("isalnum", &[], 0, |c| test(c, char::is_alphanumeric)),
    method("isspace", &[], 0, |c| test(c, char::is_whitespace)),
    method("isupper", &[], 0, |c| {
        case(c, char::is_uppercase, char::is_lowercase)
    }),
    method("islower", &[], 0, |c| {
        case(c, char::is_lowercase, char::is_uppercase)
    }),
    method("isidentifier", &[], 0, |c| {
        let text = this(c);
        let mut chars = text.chars();
        let first = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
        Ok(Value::Bool(
            first && chars.all(|c| c.is_alphanumeric() || c == '_'),
        ))
    }),
    variadic_method("format", &["**"], format),
];

fn this(c: &Call) -> Rc<str> {
    match &c.this {
        Value::Str(s) => s.clone(),
        _ => "".into(),
    }
}

fn made(text: String) -> Result<Value> {
    Ok(Value::Str(text.into()))
}

fn mapped(c: &mut Call, f: impl Fn(&str) -> String) -> Result<Value> {
    let text = this(c);
    c.names.tick(c.span, text.len() as u64 / 8)?;
    made(f(&text))
}

fn capitalized(s: &str) -> String {
    let mut chars = s.chars();
    match chars.next() {
        Some(first) => first
            .to_uppercase()
            .chain(chars.as_str().to_lowercase().chars())
            .collect(),
        None => String::new(),
    }
}

fn titled(s: &str) -> String {
    let mut inside = false;
    s.chars()
        .map(|c| {
            let text: String = if inside {
                c.to_lowercase().collect()
            } else {
                c.to_uppercase().collect()
            };
            inside = c.is_alphabetic();
            text
        })
        .collect()
}

fn swapped(s: &str) -> String {
    s.chars()
        .map(|c| -> String {
            if c.is_uppercase() {
                c.to_lowercase().collect()
            } else {
                c.to_uppercase().collect()
            }
        })
        .collect()
}

fn strip(c: &mut Call, left: bool, right: bool) -> Result<Value> {
    let chars = match c.opt(0) {
        None | Some(Value::None) => None,
        Some(_) => Some(c.str(0)?),
    };
    mapped(c, |s| {
        let gone = |c: char| match &chars {
            None => c.is_whitespace(),
            Some(chars) => chars.contains(c),
        };
        let s = if left { s.trim_start_matches(gone) } else { s };
        let s = if right { s.trim_end_matches(gone) } else { s };
        s.to_owned()
    })
}

fn affix(c: &mut Call, has: fn(&str, &str) -> bool) -> Result<Value> {
    let text = this(c);
    let parts = match c.arg(0) {
        Value::Tuple(_) => c.items(0)?,
        single => vec![single.clone()],
    };
    let found = parts
        .iter()
        .any(|p| matches!(p, Value::Str(p) if has(&text, p)));
    Ok(Value::Bool(found))
}

fn split(c: &mut Call, from_right: bool) -> Result<Value> {
    let text = this(c);
    c.charge(text.len() as u64 / 4)?;
    let most = match c.opt(1) {
        None => usize::MAX,
        Some(_) => usize::try_from(c.index(1)?).unwrap_or(usize::MAX),
    };
    let parts: Vec<&str> = match c.opt(0) {
        None | Some(Value::None) => {
            if most != usize::MAX {
                let message = "a bound on the number of parts needs a separator";
                return fail(c.span, Problem::Unsupported(message.into()));
            }
            text.split_whitespace().collect()
        }
        Some(_) => {
            let separator = c.str(0)?;
            if separator.is_empty() {
                return c.raise(ValueError, "the separator is empty");
            }
            let pieces = most.saturating_add(1);
            if from_right {
                let mut parts: Vec<&str> = text.rsplitn(pieces, &*separator).collect();
                parts.reverse();
                parts
            } else {
                text.splitn(pieces, &*separator).collect()
            }
        }
    };
    Ok(Value::list(parts.into_iter().map(Value::str).collect()))
}

fn splitlines(c: &mut Call) -> Result<Value> {
    let text = this(c);
    c.charge(text.len() as u64 / 4)?;
    Ok(Value::list(text.lines().map(Value::str).collect()))
}

fn partition(c: &mut Call, from_right: bool) -> Result<Value> {
    let (text, separator) = (this(c), c.str(0)?);
    let found = if from_right {
        text.rsplit_once(&*separator)
    } else {
        text.split_once(&*separator)
    };
    let parts = match (found, from_right) {
        (Some((a, b)), _) => [a, &separator, b],
        (None, false) => [&text, "", ""],
        (None, true) => ["", "", &text],
    };
    Ok(Value::tuple(parts.map(Value::str).to_vec()))
}

/// `separator.join(items)`.
pub fn join(c: &mut Call, items: &[Value]) -> Result<Value> {
    let separator = this(c);
    let mut text = String::new();
    for (i, item) in items.iter().enumerate() {
        let Value::Str(part) = item else {
            let message = format!("join takes strings, not {}", item.kind());
            return c.raise(TypeError, message);
        };
        if i > 0 {
            text.push_str(&separator);
        }
        text.push_str(part);
        check_len(text.len(), c)?;
    }
    made(text)
}

fn check_len(bytes: usize, c: &Call) -> Result<()> {
    if bytes as u64 > MAX_STRING {
        return fail(c.span, Limit::String);
    }
    Ok(())
}

fn replace(c: &mut Call) -> Result<Value> {
    let (text, old, new) = (this(c), c.str(0)?, c.str(1)?);
    let most = match c.opt(2) {
        None => usize::MAX,
        Some(_) => usize::try_from(c.index(2)?).unwrap_or(usize::MAX),
    };
    let times = if old.is_empty() {
        text.len() + 1
    } else {
        text.len() / old.len()
    };
    check_len(times.min(most).saturating_mul(new.len()), c)?;
    c.names.tick(c.span, text.len() as u64 / 8)?;
    made(text.replacen(&*old, &new, most))
}

/// The position of a part, in characters.
fn find(c: &mut Call, last: bool) -> Result<Option<usize>> {
    let (text, part) = (this(c), c.str(0)?);
    c.names.tick(c.span, text.len() as u64 / 8)?;
    let found = if last {
        text.rfind(&*part)
    } else {
        text.find(&*part)
    };
    Ok(found.map(|at| text[..at].chars().count()))
}

fn count(c: &mut Call) -> Result<Value> {
    let (text, part) = (this(c), c.str(0)?);
    c.names.tick(c.span, text.len() as u64 / 8)?;
    let n = if part.is_empty() {
        text.chars().count() + 1
    } else {
        text.matches(&*part).count()
    };
    Ok(Value::int(n))
}

fn width(c: &Call) -> Result<usize> {
    let width = usize::try_from(c.index(0)?).unwrap_or(0);
    check_len(width, c)?;
    Ok(width)
}

fn zfill(c: &mut Call) -> Result<Value> {
    let width = width(c)?;
    mapped(c, |s| {
        let missing = width.saturating_sub(s.chars().count());
        let (sign, digits) = match s.as_bytes().first() {
            Some(b'+' | b'-') => s.split_at(1),
            _ => ("", s),
        };
        format!("{sign}{}{digits}", "0".repeat(missing))
    })
}

fn justify(c: &mut Call, side: char) -> Result<Value> {
    let width = width(c)?;
    let fill = match c.opt(1) {
        None => " ".into(),
        Some(_) => c.str(1)?,
    };
    if fill.chars().count() != 1 {
        return c.raise(TypeError, "the fill is one character");
    }
    mapped(c, |s| {
        let missing = width.saturating_sub(s.chars().count());
        // Python puts the odd one of a centred text to the left where the width is odd.
        let left = match side {
            '<' => 0,
            '>' => missing,
            _ => missing / 2 + (missing & width & 1),
        };
        format!("{}{s}{}", fill.repeat(left), fill.repeat(missing - left))
    })
}

fn test(c: &mut Call, of: fn(char) -> bool) -> Result<Value> {
    let text = this(c);
    Ok(Value::Bool(!text.is_empty() && text.chars().all(of)))
}

fn case(c: &mut Call, wanted: fn(char) -> bool, other: fn(char) -> bool) -> Result<Value> {
    let text = this(c);
    Ok(Value::Bool(
        text.chars().any(wanted) && !text.chars().any(other),
    ))
}

/// `template.format(...)`: fields `{}`, `{0}`, `{name}`, with attributes, items, conversions and
/// format specifications without fields of their own.
fn format(c: &mut Call) -> Result<Value> {
    let template = this(c);
    let mut out = String::new();
    let mut next = 0;
    let mut rest = &*template;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let mark = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(mark) {
            out.push_str(mark);
            rest = after;
            continue;
        }
        let Some((field, after)) = rest.split_once('}').filter(|_| mark == "{") else {
            return c.raise(ValueError, "the braces of the format do not match");
        };
        rest = after;
        let (head, spec) = field.split_once(':').unwrap_or((field, ""));
        let (head, conversion) = head.split_once('!').unwrap_or((head, ""));
        if spec.contains('{') {
            return fail(
                c.span,
                Problem::Unsupported("fields in fields are not supported".into()),
            );
        }
        let mut value = field_value(c, head, &mut next)?;
        match conversion {
            "" => {}
            "r" | "a" => value = Value::Str(text::repr(&value, c.span, c.names)?),
            _ => value = Value::Str(text::str(&value, c.span, c.names)?),
        }
        out.push_str(&format_value(&value, spec, c.span, c.names)?);
        check_len(out.len(), c)?;
    }
    out.push_str(rest);
    made(out)
}

fn field_value(c: &mut Call, head: &str, next: &mut usize) -> Result<Value> {
    let end = head.find(['.', '[']).unwrap_or(head.len());
    let (name, mut path) = head.split_at(end);
    let by_position = |c: &mut Call, i: usize| match c.rest.get(i).cloned() {
        Some(value) => Ok(value),
        None => c.raise(IndexError, "the format has more fields than arguments"),
    };
    let mut value = if name.is_empty() {
        *next += 1;
        by_position(c, *next - 1)?
    } else if let Ok(i) = name.parse() {
        by_position(c, i)?
    } else {
        match c.named.iter().find(|(n, _)| n == name) {
            Some((_, value)) => value.clone(),
            None => return c.raise(KeyError, format!("the format has no argument '{name}'")),
        }
    };
    while !path.is_empty() {
        if let Some(item) = path.strip_prefix('[') {
            let (key, after) = item.split_once(']').unwrap_or((item, ""));
            let key = match key.parse::<i64>() {
                Ok(i) => Value::int(i),
                Err(_) => Value::str(key),
            };
            value = subscript(&value, &key, c.span, c.names)?;
            path = after;
        } else {
            let tail = &path[1..];
            let end = tail.find(['.', '[']).unwrap_or(tail.len());
            let (name, after) = tail.split_at(end);
            value = match c.names.attribute(&value, name, c.span)? {
                Some(value) => value,
                None => return c.raise(AttributeError, format!("no attribute '{name}'")),
            };
            path = after;
        }
    }
    Ok(value)
}

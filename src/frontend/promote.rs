//! The typing tables of both styles as data, and the n-ary promoter of hls.

use super::literals::float_beside_int;
use crate::ir::{FloatFormat, Scalar};

/// `KernelOptions(typing_style=...)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Style {
    /// Integer `+ - *` grow so that nothing is lost.
    #[default]
    Hls,
    /// Operations stay in the common type.
    Cpp,
}

impl Style {
    /// The style of a name.
    pub fn named(name: &str) -> Option<Style> {
        match name {
            "hls" => Some(Style::Hls),
            "cpp" => Some(Style::Cpp),
            _ => None,
        }
    }
    /// Name as written in options and messages.
    pub fn name(self) -> &'static str {
        match self {
            Style::Hls => "hls",
            Style::Cpp => "cpp",
        }
    }
    /// Whether integer chains of the operator are typed as a whole.
    pub fn has_nary(self, key: &str) -> bool {
        self == Style::Hls && matches!(key, "add" | "sub" | "mul")
    }
}

/// What a rule decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promotion {
    /// Type that the operands are cast to (the left operand only, for shifts; none for logic).
    pub operands: Scalar,
    /// Type of the result.
    pub result: Scalar,
}

type Rule = fn(&[Scalar]) -> Option<Promotion>;

/// One row of a table: operators and their rule.
struct Row {
    keys: &'static [&'static str],
    rule: Rule,
}

const COMPARISONS: &[&str] = &["eq", "ne", "lt", "le", "gt", "ge"];
const BITWISE: &[&str] = &["bitwise_and", "bitwise_or", "bitwise_xor"];
const LOGICAL: &[&str] = &["logical_and", "logical_or"];
const MATH: &[&str] = &[
    "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh",
    "floor", "ceil", "erf", "fma",
];

/// The hls table. Integer add, sub and mul are decided before it, by [`nary`].
static HLS: &[Row] = &[
    Row {
        keys: &["add", "sub", "mul"],
        rule: common_numeric,
    },
    Row {
        keys: &["div", "floordiv", "mod", "max", "min", "select"],
        rule: common_numeric,
    },
    Row {
        keys: &["pow"],
        rule: common_without_index,
    },
    Row {
        keys: COMPARISONS,
        rule: compare,
    },
    Row {
        keys: BITWISE,
        rule: common_bits,
    },
    Row {
        keys: &["lshift", "rshift"],
        rule: left_hand,
    },
    Row {
        keys: &["neg"],
        rule: grow_signed,
    },
    Row {
        keys: &["invert"],
        rule: same_integer_or_index,
    },
    Row {
        keys: LOGICAL,
        rule: logical,
    },
    Row {
        keys: &["logical_not"],
        rule: boolean,
    },
    Row {
        keys: &["abs"],
        rule: same_without_index,
    },
    Row {
        keys: MATH,
        rule: float_without_index,
    },
];

/// The cpp table.
static CPP: &[Row] = &[
    Row {
        keys: &["add", "sub", "mul"],
        rule: common_numeric,
    },
    Row {
        keys: &["div", "floordiv", "mod", "max", "min", "select"],
        rule: common_numeric,
    },
    Row {
        keys: &["pow"],
        rule: common_numeric,
    },
    Row {
        keys: COMPARISONS,
        rule: compare,
    },
    Row {
        keys: BITWISE,
        rule: common_bits,
    },
    Row {
        keys: &["lshift", "rshift"],
        rule: left_hand,
    },
    Row {
        keys: &["neg"],
        rule: same,
    },
    Row {
        keys: &["invert"],
        rule: same_integer_or_index,
    },
    Row {
        keys: LOGICAL,
        rule: logical,
    },
    Row {
        keys: &["logical_not"],
        rule: boolean,
    },
    Row {
        keys: &["abs"],
        rule: same_without_index,
    },
    Row {
        keys: MATH,
        rule: float,
    },
];

/// The promotion of `key` on operands of the types, pairwise from left to right. The error is the
/// message for the user.
pub fn promote(style: Style, key: &str, types: &[Scalar]) -> Result<Promotion, String> {
    let table = match style {
        Style::Hls => HLS,
        Style::Cpp => CPP,
    };
    // A choice between values of one type moves them; everything else computes, in a wider format
    // where the operands are of a storage format.
    if key == "select" && types.windows(2).all(|pair| pair[0] == pair[1]) {
        return same(types).ok_or_else(|| no_rule(style, key, types));
    }
    let computed: Vec<Scalar> = types.iter().map(|t| t.computed()).collect();
    table
        .iter()
        .find(|row| row.keys.contains(&key))
        .and_then(|row| (row.rule)(&computed))
        .ok_or_else(|| no_rule(style, key, types))
}

/// The message for an operator without a rule.
pub fn no_rule(style: Style, key: &str, types: &[Scalar]) -> String {
    let types: Vec<String> = types.iter().map(Scalar::to_string).collect();
    format!(
        "No {} type promotion rule for operator '{key}' with operand types {}",
        style.name(),
        types.join(", ")
    )
}

/// A term of an n-ary chain: its type, and whether it is subtracted.
pub type Term = (Scalar, bool);

/// The n-ary promoter of hls: the type of a chain of `+` and `-` (`add`) or of `*` (`mul`) whose
/// terms are all integers. `None` if the style or the terms are not for it. The width may exceed
/// the widest type: the caller checks.
pub fn nary(style: Style, key: &str, terms: &[Term]) -> Option<Scalar> {
    if !style.has_nary(key) {
        return None;
    }
    let ints: Vec<(bool, u32)> = terms.iter().map(|t| integer(t.0)).collect::<Option<_>>()?;
    if key == "mul" {
        let signed = ints.iter().any(|t| t.0);
        let width = ints.iter().map(|t| t.1).fold(0, u32::saturating_add);
        return Some(Scalar::Int { signed, width });
    }
    let signed = ints.iter().any(|t| t.0) || terms.iter().any(|t| t.1);
    let widest = ints
        .iter()
        .map(|(s, w)| w + u32::from(signed && !s))
        .max()?;
    let growth = usize::BITS - (terms.len() - 1).leading_zeros();
    Some(Scalar::Int {
        signed,
        width: widest + growth,
    })
}

fn integer(ty: Scalar) -> Option<(bool, u32)> {
    match ty {
        Scalar::Int { signed, width } => Some((signed, width)),
        _ => None,
    }
}

/// The common integer type of the seed's helper table.
fn common_integer(left: (bool, u32), right: (bool, u32)) -> Scalar {
    let (signed, width) = match (left, right) {
        ((a, l), (b, r)) if a == b => (a, l.max(r)),
        ((true, s), (false, u)) | ((false, u), (true, s)) if u >= s => (false, u),
        ((true, s), (false, _)) | ((false, _), (true, s)) => (true, s),
        _ => unreachable!("signedness is equal or different"),
    };
    Scalar::Int { signed, width }
}

/// The wider of two floats; none if neither holds the other's values.
fn common_float(a: FloatFormat, b: FloatFormat) -> Option<FloatFormat> {
    let within = |x: FloatFormat, y: FloatFormat| x.exp <= y.exp && x.frac <= y.frac;
    if within(a, b) {
        Some(b)
    } else {
        within(b, a).then_some(a)
    }
}

fn common_pair(a: Scalar, b: Scalar) -> Option<Scalar> {
    match (a, b) {
        (Scalar::Index, Scalar::Float(_)) | (Scalar::Float(_), Scalar::Index) => None,
        (Scalar::Index, _) | (_, Scalar::Index) => Some(Scalar::Index),
        (Scalar::Float(x), Scalar::Float(y)) => common_float(x, y).map(Scalar::Float),
        (Scalar::Float(_), _) => Some(a),
        (_, Scalar::Float(_)) => Some(b),
        _ => Some(common_integer(integer(a)?, integer(b)?)),
    }
}

fn uniform(ty: Scalar) -> Promotion {
    Promotion {
        operands: ty,
        result: ty,
    }
}

fn common_numeric(types: &[Scalar]) -> Option<Promotion> {
    let (first, rest) = types.split_first()?;
    rest.iter()
        .try_fold(*first, |acc, ty| common_pair(acc, *ty))
        .map(uniform)
}

fn common_without_index(types: &[Scalar]) -> Option<Promotion> {
    if types.contains(&Scalar::Index) {
        return None;
    }
    common_numeric(types)
}

fn compare(types: &[Scalar]) -> Option<Promotion> {
    common_numeric(types).map(|p| Promotion {
        result: Scalar::BOOL,
        ..p
    })
}

fn common_bits(types: &[Scalar]) -> Option<Promotion> {
    if types.iter().any(|t| t.is_float()) {
        return None;
    }
    let indices = types.iter().filter(|t| **t == Scalar::Index).count();
    if indices != 0 && indices != types.len() {
        return None;
    }
    common_numeric(types)
}

fn left_hand(types: &[Scalar]) -> Option<Promotion> {
    match types {
        [Scalar::Index, Scalar::Index] => Some(uniform(Scalar::Index)),
        [
            left @ Scalar::Int { .. },
            Scalar::Int { .. } | Scalar::Index,
        ] => Some(uniform(*left)),
        _ => None,
    }
}

fn same(types: &[Scalar]) -> Option<Promotion> {
    types.first().copied().map(uniform)
}

fn same_integer_or_index(types: &[Scalar]) -> Option<Promotion> {
    same(types).filter(|p| !p.result.is_float())
}

fn same_without_index(types: &[Scalar]) -> Option<Promotion> {
    same(types).filter(|p| p.result != Scalar::Index)
}

fn grow_signed(types: &[Scalar]) -> Option<Promotion> {
    match *types.first()? {
        Scalar::Int { width, .. } => Some(uniform(Scalar::signed(width + 1))),
        Scalar::Float(f) => Some(uniform(Scalar::Float(f))),
        Scalar::Index | Scalar::Storage(_) => None,
    }
}

fn boolean(_: &[Scalar]) -> Option<Promotion> {
    Some(uniform(Scalar::BOOL))
}

fn logical(types: &[Scalar]) -> Option<Promotion> {
    let indices = types.iter().filter(|t| **t == Scalar::Index).count();
    (indices == 0 || indices == types.len()).then(|| uniform(Scalar::BOOL))
}

fn float(types: &[Scalar]) -> Option<Promotion> {
    let floats: Vec<Scalar> = types
        .iter()
        .map(|t| match t {
            Scalar::Float(_) => *t,
            other => Scalar::Float(float_beside_int(other.width())),
        })
        .collect();
    common_numeric(&floats)
}

fn float_without_index(types: &[Scalar]) -> Option<Promotion> {
    if types.contains(&Scalar::Index) {
        return None;
    }
    float(types)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::types::scalar_named;

    fn types(text: &str) -> Vec<Scalar> {
        text.split_whitespace()
            .map(|t| scalar_named(t).unwrap())
            .collect()
    }

    fn show(style: Style, key: &str, operands: &str) -> String {
        match promote(style, key, &types(operands)) {
            Ok(p) => p.result.to_string(),
            Err(_) => "none".into(),
        }
    }

    #[test]
    fn nary_rows_of_the_seed() {
        let sum = |text: &str| {
            let terms: Vec<Term> = text
                .split_whitespace()
                .map(|t| match t.strip_prefix('-') {
                    Some(t) => (scalar_named(t).unwrap(), true),
                    None => (scalar_named(t).unwrap(), false),
                })
                .collect();
            nary(Style::Hls, "add", &terms).unwrap().to_string()
        };
        assert_eq!(sum("i32 i32"), "i33");
        assert_eq!(sum("u32 u32"), "u33");
        assert_eq!(sum("u8 i8"), "i10");
        assert_eq!(sum("i32 i32 -i32"), "i34");
        assert_eq!(sum("u8 u8 u8 u8"), "u10");
        assert_eq!(sum("u8 -u8"), "i10");
        let product = |text: &str| {
            let terms: Vec<Term> = types(text).into_iter().map(|t| (t, false)).collect();
            nary(Style::Hls, "mul", &terms).unwrap().to_string()
        };
        assert_eq!(product("i32 i32"), "i64");
        assert_eq!(product("u16 u16"), "u32");
        assert_eq!(product("i32 i32 i32"), "i96");
        assert_eq!(product("u8 i8 u4"), "i20");
        assert_eq!(nary(Style::Cpp, "add", &[(Scalar::BOOL, false)]), None);
        assert_eq!(nary(Style::Hls, "add", &[(Scalar::Index, false)]), None);
    }

    #[test]
    fn pairwise_rows_of_the_seed() {
        let table = [
            ("div", "i16 i32", "i32", "i32"),
            ("div", "u8 u32", "u32", "u32"),
            ("mod", "i32 u32", "u32", "u32"),
            ("floordiv", "i32 u16", "i32", "i32"),
            ("max", "f32 i64", "f32", "f32"),
            ("min", "f32 f64", "f64", "f64"),
            ("min", "f16 bf16", "none", "none"),
            ("add", "f32 i32", "f32", "f32"),
            ("add", "index i32", "index", "index"),
            ("add", "index f32", "none", "none"),
            ("pow", "index index", "none", "index"),
            ("pow", "i8 u8", "u8", "u8"),
            ("lt", "i32 u32", "u1", "u1"),
            ("eq", "index f32", "none", "none"),
            ("bitwise_and", "index i32", "none", "none"),
            ("bitwise_or", "index index", "index", "index"),
            ("bitwise_xor", "f32 i32", "none", "none"),
            ("lshift", "u3 i32", "u3", "u3"),
            ("rshift", "i8 index", "i8", "i8"),
            ("lshift", "index index", "index", "index"),
            ("lshift", "index i32", "none", "none"),
            ("neg", "u8", "i9", "u8"),
            ("neg", "i8", "i9", "i8"),
            ("neg", "f16", "f16", "f16"),
            ("neg", "index", "none", "index"),
            ("invert", "index", "index", "index"),
            ("invert", "f32", "none", "none"),
            ("logical_and", "i32 f32", "u1", "u1"),
            ("logical_or", "index index", "u1", "u1"),
            ("logical_or", "index i32", "none", "none"),
            ("logical_not", "index", "u1", "u1"),
            ("abs", "index", "none", "none"),
            ("abs", "u7", "u7", "u7"),
            ("exp", "i32", "f32", "f32"),
            ("sin", "i33", "f64", "f64"),
            ("sqrt", "bf16", "bf16", "bf16"),
            ("log", "index", "none", "f64"),
        ];
        for (key, operands, hls, cpp) in table {
            assert_eq!(show(Style::Hls, key, operands), hls, "hls {key} {operands}");
            assert_eq!(show(Style::Cpp, key, operands), cpp, "cpp {key} {operands}");
        }
    }

    #[test]
    fn common_integer_matches_its_definition_at_every_width() {
        for l in [1, 2, 7, 8, 31, 32, 33, 64, 4096] {
            for r in [1, 2, 7, 8, 31, 32, 33, 64, 4096] {
                let got = promote(Style::Cpp, "add", &[Scalar::signed(l), Scalar::unsigned(r)]);
                let expected = if r >= l {
                    Scalar::unsigned(r)
                } else {
                    Scalar::signed(l)
                };
                assert_eq!(got.unwrap().result, expected);
            }
        }
    }

    #[test]
    fn the_message_is_the_seed_s() {
        assert_eq!(
            promote(Style::Hls, "neg", &[Scalar::Index]).unwrap_err(),
            "No hls type promotion rule for operator 'neg' with operand types index"
        );
    }
}

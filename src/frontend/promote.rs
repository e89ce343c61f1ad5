//! The typing table of all styles as data, and the n-ary promoter of hls.
//!
//! One row for each group of operators that are typed alike; an operator names its row in
//! `operators/mod.rs`. A new rule is a [`Rule`] here, and its name in the rows that use it.

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
    /// Nothing is promoted: operands have one type, which the result has too.
    Pto,
}

impl Style {
    /// The style of a name.
    pub fn named(name: &str) -> Option<Style> {
        match name {
            "hls" => Some(Style::Hls),
            "cpp" => Some(Style::Cpp),
            "pto" => Some(Style::Pto),
            _ => None,
        }
    }
    /// Name as written in options and messages.
    pub fn name(self) -> &'static str {
        match self {
            Style::Hls => "hls",
            Style::Cpp => "cpp",
            Style::Pto => "pto",
        }
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

/// A rule for operands taken pairwise.
pub struct Rule {
    /// What it says, for `typeof --explain`.
    pub text: &'static str,
    apply: fn(&[Scalar]) -> Option<Promotion>,
}

/// A rule for a whole chain of integers: `(signed, width)` and whether the term is subtracted.
type Chain = fn(&[((bool, u32), bool)]) -> (bool, u32);

/// One row of the table: how a group of operators is typed in each style.
pub struct Row {
    /// Of chains that are all integers, in hls; before `hls`.
    chain: Option<Chain>,
    hls: &'static Rule,
    cpp: &'static Rule,
    pto: &'static Rule,
}

const fn row(
    chain: Option<Chain>,
    hls: &'static Rule,
    cpp: &'static Rule,
    pto: &'static Rule,
) -> Row {
    Row {
        chain,
        hls,
        cpp,
        pto,
    }
}

// The table: operators                          n-ary in hls   hls                   cpp               pto
/// `add`, `sub`.
pub static SUM: Row = row(Some(sum), &COMMON_NUMERIC, &COMMON_NUMERIC, &EQUAL);
/// `mul`.
pub static PRODUCT: Row = row(Some(product), &COMMON_NUMERIC, &COMMON_NUMERIC, &EQUAL);
/// `div`, `floordiv`, `mod`, `max`, `min`.
pub static NUMERIC: Row = row(None, &COMMON_NUMERIC, &COMMON_NUMERIC, &EQUAL);
/// `pow`.
pub static POWER: Row = row(None, &COMMON_NO_INDEX, &COMMON_NUMERIC, &EQUAL);
/// `eq`, `ne`, `lt`, `le`, `gt`, `ge`.
pub static COMPARISON: Row = row(None, &COMPARED, &COMPARED, &EQUAL_COMPARED);
/// `bitwise_and`, `bitwise_or`, `bitwise_xor`.
pub static BITWISE: Row = row(None, &COMMON_BITS, &COMMON_BITS, &EQUAL_BITS);
/// `lshift`, `rshift`.
pub static SHIFT: Row = row(None, &LEFT_HAND, &LEFT_HAND, &SHIFTED);
/// `neg`.
pub static NEGATION: Row = row(None, &GROWN_SIGNED, &SAME, &EQUAL);
/// `invert`.
pub static INVERSION: Row = row(None, &SAME_NO_FLOAT, &SAME_NO_FLOAT, &SAME_NO_FLOAT);
/// `logical_and`, `logical_or`.
pub static LOGICAL: Row = row(None, &TRUTHS, &TRUTHS, &ANY_TRUTHS);
/// `logical_not`.
pub static LOGICAL_NOT: Row = row(None, &TRUTH, &TRUTH, &TRUTH);
/// `abs`.
pub static MAGNITUDE: Row = row(None, &SAME_NO_INDEX, &SAME_NO_INDEX, &EQUAL);
/// The functions of `allo.math`.
pub static MATH: Row = row(None, &FLOAT_NO_INDEX, &FLOAT, &EQUAL_FLOATS);
/// Operators that are typed by something else than their operands.
pub static UNTYPED: Row = row(None, &NO_RULE, &NO_RULE, &NO_RULE);

const COMMON_NUMERIC: Rule = Rule {
    text: "the common numeric type",
    apply: common_numeric,
};
const COMMON_NO_INDEX: Rule = Rule {
    text: "the common numeric type, without index",
    apply: |types| without_index(types).and_then(common_numeric),
};
const COMPARED: Rule = Rule {
    text: "compared in the common numeric type",
    apply: |types| common_numeric(types).map(|p| p.giving(Scalar::BOOL)),
};
const COMMON_BITS: Rule = Rule {
    text: "the common integer type",
    apply: |types| all_or_no_index(without_float(types)?).and_then(common_numeric),
};
const LEFT_HAND: Rule = Rule {
    text: "the left operand's type",
    apply: left_hand,
};
const GROWN_SIGNED: Rule = Rule {
    text: "signed and one bit wider; a float keeps its type",
    apply: grow_signed,
};
const SAME: Rule = Rule {
    text: "the operand's type",
    apply: same,
};
const SAME_NO_FLOAT: Rule = Rule {
    text: "the operand's type, an integer or index",
    apply: |types| without_float(types).and_then(same),
};
const SAME_NO_INDEX: Rule = Rule {
    text: "the operand's type, an integer or float",
    apply: |types| without_index(types).and_then(same),
};
const TRUTHS: Rule = Rule {
    text: "each side is tested for nonzero",
    apply: |types| all_or_no_index(types).map(|_| uniform(Scalar::BOOL)),
};
const TRUTH: Rule = Rule {
    text: "tested for nonzero",
    apply: |_| Some(uniform(Scalar::BOOL)),
};
const FLOAT: Rule = Rule {
    text: "floats keep their type; an integer of up to 32 bits counts as f32, a wider one as f64",
    apply: float,
};
const FLOAT_NO_INDEX: Rule = Rule {
    apply: |types| without_index(types).and_then(float),
    ..FLOAT
};
const EQUAL: Rule = Rule {
    text: "one type",
    apply: equal,
};
const EQUAL_COMPARED: Rule = Rule {
    text: "compared in one type",
    apply: |types| equal(types).map(|p| p.giving(Scalar::BOOL)),
};
const EQUAL_BITS: Rule = Rule {
    text: "one type, an integer or index",
    apply: |types| without_float(types).and_then(equal),
};
const SHIFTED: Rule = Rule {
    text: "the left operand's type",
    apply: |types| without_float(types).and_then(same),
};
const ANY_TRUTHS: Rule = Rule {
    text: "each side is tested for nonzero",
    apply: |_| Some(uniform(Scalar::BOOL)),
};
const EQUAL_FLOATS: Rule = Rule {
    text: "one float type",
    apply: |types| equal(types).filter(|found| found.operands.is_float()),
};
const NO_RULE: Rule = Rule {
    text: "none",
    apply: |_| None,
};

impl Row {
    /// Whether the style types chains of integers as a whole.
    pub fn has_chain(&self, style: Style) -> bool {
        style == Style::Hls && self.chain.is_some()
    }

    /// The rule for operands taken pairwise.
    pub fn rule(&self, style: Style) -> &'static Rule {
        match style {
            Style::Hls => self.hls,
            Style::Cpp => self.cpp,
            Style::Pto => self.pto,
        }
    }

    /// The promotion of operands of the types, pairwise from left to right. The error is the
    /// message for the user; `key` is the operator's name in it.
    pub fn promote(&self, style: Style, key: &str, types: &[Scalar]) -> Result<Promotion, String> {
        // A choice between values of one type moves them; everything else computes, in a wider format
        // where the operands are of a storage format.
        if key == "select" && types.windows(2).all(|pair| pair[0] == pair[1]) {
            return same(types).ok_or_else(|| no_rule(style, key, types));
        }
        let computes = |ty: &Scalar| match style {
            Style::Hls | Style::Cpp => ty.computed(),
            Style::Pto => *ty,
        };
        let computed: Vec<Scalar> = types.iter().map(computes).collect();
        (self.rule(style).apply)(&computed).ok_or_else(|| no_rule(style, key, types))
    }

    /// The n-ary promoter of hls: the type of a chain whose terms are all integers. `None` if the
    /// style or the terms are not for it. The width may exceed the widest type: the caller checks.
    pub fn chain(&self, style: Style, terms: &[Term]) -> Option<Scalar> {
        let chain = self.chain.filter(|_| style == Style::Hls)?;
        let integers: Vec<_> = terms
            .iter()
            .map(|(ty, negated)| Some((integer(*ty)?, *negated)))
            .collect::<Option<_>>()?;
        let (signed, width) = chain(&integers);
        Some(Scalar::Int { signed, width })
    }
}

/// The message for an operator without a rule.
pub fn no_rule(style: Style, key: &str, types: &[Scalar]) -> String {
    let types: Vec<String> = types.iter().map(Scalar::to_string).collect();
    let types = types.join(", ");
    match style {
        Style::Pto => format!("type mismatch: {types} in '{}'", symbol(key)),
        _ => format!(
            "No {} type promotion rule for operator '{key}' with operand types {types}",
            style.name()
        ),
    }
}

/// What Python writes for an operator; its key if that is a function.
pub fn symbol(key: &str) -> &str {
    const SYMBOLS: &[(&str, &str)] = &[
        ("add", "+"),
        ("sub", "-"),
        ("neg", "-"),
        ("pos", "+"),
        ("mul", "*"),
        ("div", "/"),
        ("floordiv", "//"),
        ("mod", "%"),
        ("pow", "**"),
        ("bitwise_and", "&"),
        ("bitwise_or", "|"),
        ("bitwise_xor", "^"),
        ("invert", "~"),
        ("lshift", "<<"),
        ("rshift", ">>"),
        ("eq", "=="),
        ("ne", "!="),
        ("lt", "<"),
        ("le", "<="),
        ("gt", ">"),
        ("ge", ">="),
        ("select", "if else"),
    ];
    let found = SYMBOLS.iter().find(|(own, _)| *own == key);
    found.map_or(key, |(_, symbol)| symbol)
}

/// A term of an n-ary chain: its type, and whether it is subtracted.
pub type Term = (Scalar, bool);

/// Widest term plus ceil(log2 n); signed if a term is signed or subtracted, and then an unsigned
/// term counts one bit more.
fn sum(terms: &[((bool, u32), bool)]) -> (bool, u32) {
    let signed = terms
        .iter()
        .any(|((signed, _), negated)| *signed || *negated);
    let adjusted = terms
        .iter()
        .map(|((own, width), _)| width + u32::from(signed && !own));
    let growth = usize::BITS - terms.len().saturating_sub(1).leading_zeros();
    (signed, adjusted.max().unwrap_or(1) + growth)
}

/// Sum of the widths; signed if a factor is.
fn product(terms: &[((bool, u32), bool)]) -> (bool, u32) {
    let signed = terms.iter().any(|((signed, _), _)| *signed);
    let widths = terms.iter().map(|((_, width), _)| *width);
    (signed, widths.fold(0, u32::saturating_add))
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
        ((_, l), (_, r)) => (true, l.max(r)),
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

impl Promotion {
    fn giving(self, result: Scalar) -> Promotion {
        Promotion { result, ..self }
    }
}

fn uniform(ty: Scalar) -> Promotion {
    Promotion {
        operands: ty,
        result: ty,
    }
}

fn without_index(types: &[Scalar]) -> Option<&[Scalar]> {
    (!types.contains(&Scalar::Index)).then_some(types)
}

fn without_float(types: &[Scalar]) -> Option<&[Scalar]> {
    (!types.iter().any(|t| t.is_float() || t.is_storage())).then_some(types)
}

/// Index only with index.
fn all_or_no_index(types: &[Scalar]) -> Option<&[Scalar]> {
    let indices = types.iter().filter(|t| **t == Scalar::Index).count();
    (indices == 0 || indices == types.len()).then_some(types)
}

fn common_numeric(types: &[Scalar]) -> Option<Promotion> {
    let (first, rest) = types.split_first()?;
    rest.iter()
        .try_fold(*first, |acc, ty| common_pair(acc, *ty))
        .map(uniform)
}

/// Operands of one type on which arithmetic is defined.
fn equal(types: &[Scalar]) -> Option<Promotion> {
    let one = types.windows(2).all(|pair| pair[0] == pair[1]);
    let stored = types.iter().any(|ty| ty.is_storage());
    same(types).filter(|_| one && !stored)
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

fn grow_signed(types: &[Scalar]) -> Option<Promotion> {
    match *types.first()? {
        Scalar::Int { width, .. } => Some(uniform(Scalar::signed(width + 1))),
        Scalar::Float(f) => Some(uniform(Scalar::Float(f))),
        Scalar::Index | Scalar::Storage(_) => None,
    }
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

fn application(key: &str, terms: &[Term]) -> String {
    let shown: Vec<String> = terms
        .iter()
        .map(|(ty, negated)| format!("{}{ty}", if *negated { "-" } else { "" }))
        .collect();
    format!("{key}({})", shown.join(", "))
}

/// One line on a promotion of operands taken pairwise, for `typeof --explain`.
pub fn explain_pairwise(
    style: Style,
    key: &str,
    row: &Row,
    types: &[Scalar],
    found: Promotion,
) -> String {
    let terms: Vec<Term> = types.iter().map(|ty| (*ty, false)).collect();
    let head = application(key, &terms);
    let rule = row.rule(style).text;
    let Promotion { operands, result } = found;
    if operands == result {
        format!("{head}: {rule}; {result}")
    } else {
        format!("{head}: {rule}, {operands}; the result is {result}")
    }
}

/// One line on the type of a chain of integers, for `typeof --explain`.
pub fn explain_chain(key: &str, terms: &[Term], result: Scalar) -> String {
    let head = application(key, terms);
    let sign = match (result.is_signed(), terms.iter().any(|t| t.0.is_signed())) {
        (true, true) => "signed as a term is",
        (true, false) => "signed as a term is subtracted",
        (false, _) => "unsigned as every term is",
    };
    let width = result.width();
    let widths: Vec<String> = terms
        .iter()
        .map(|(ty, _)| {
            let grown = key != "mul" && result.is_signed() && !ty.is_signed();
            format!("{}{}", ty.width(), if grown { " + 1" } else { "" })
        })
        .collect();
    let width = if key == "mul" {
        format!("{} = {width} bits", widths.join(" + "))
    } else {
        let n = terms.len();
        format!("max({}) + ceil(log2 {n}) = {width} bits", widths.join(", "))
    };
    format!("{head}: n-ary rule, {sign}, {width}; {result}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::scalars::scalar_named;

    fn types(text: &str) -> Vec<Scalar> {
        text.split_whitespace()
            .map(|t| scalar_named(t).unwrap())
            .collect()
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
            SUM.chain(Style::Hls, &terms).unwrap().to_string()
        };
        assert_eq!(sum("i32 i32"), "i33");
        assert_eq!(sum("u32 u32"), "u33");
        assert_eq!(sum("u8 i8"), "i10");
        assert_eq!(sum("i32 i32 -i32"), "i34");
        assert_eq!(sum("u8 u8 u8 u8"), "u10");
        assert_eq!(sum("u8 -u8"), "i10");
        let product = |text: &str| {
            let terms: Vec<Term> = types(text).into_iter().map(|t| (t, false)).collect();
            PRODUCT.chain(Style::Hls, &terms).unwrap().to_string()
        };
        assert_eq!(product("i32 i32"), "i64");
        assert_eq!(product("u16 u16"), "u32");
        assert_eq!(product("i32 i32 i32"), "i96");
        assert_eq!(product("u8 i8 u4"), "i20");
        assert_eq!(SUM.chain(Style::Cpp, &[(Scalar::BOOL, false)]), None);
        assert_eq!(SUM.chain(Style::Hls, &[(Scalar::Index, false)]), None);
    }

    #[test]
    fn common_integer_matches_its_definition_at_every_width() {
        for l in [1, 2, 7, 8, 31, 32, 33, 64, 4096] {
            for r in [1, 2, 7, 8, 31, 32, 33, 64, 4096] {
                let got = SUM.promote(Style::Cpp, "add", &[Scalar::signed(l), Scalar::unsigned(r)]);
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
            NEGATION
                .promote(Style::Hls, "neg", &[Scalar::Index])
                .unwrap_err(),
            "No hls type promotion rule for operator 'neg' with operand types index"
        );
    }
}

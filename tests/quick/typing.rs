//! The typing rules at every width that could matter, against a statement of them that shares nothing
//! with the compiler's tables.
//!
//! Rules are written here as the language's description words them; `allo_hls::frontend::query` is asked
//! for the type of one expression at a time.

use allo_hls::diagnostics::SourceMap;
use allo_hls::frontend::promote::Style;
use allo_hls::frontend::query::{Query, type_of};

const WIDTHS: [u32; 11] = [1, 2, 7, 8, 16, 31, 32, 33, 64, 128, 256];
const STYLES: [Style; 2] = [Style::Hls, Style::Cpp];

/// A type, as the rules see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ty {
    Signed(u32),
    Unsigned(u32),
    /// Exponent and fraction bits.
    Float(u32, u32),
    Index,
}
use Ty::{Float, Index, Signed, Unsigned};

const BOOL: Ty = Unsigned(1);
const F32: Ty = Float(8, 23);
const F64: Ty = Float(11, 52);

impl std::fmt::Display for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Signed(w) => write!(f, "i{w}"),
            Unsigned(w) => write!(f, "u{w}"),
            Float(5, 10) => f.write_str("f16"),
            Float(8, 7) => f.write_str("bf16"),
            Float(8, 23) => f.write_str("f32"),
            Float(11, 52) => f.write_str("f64"),
            Float(e, m) => write!(f, "apfloat({e},{m})"),
            Index => f.write_str("index"),
        }
    }
}

fn integers() -> Vec<Ty> {
    let each = WIDTHS.into_iter();
    each.flat_map(|w| [Signed(w), Unsigned(w)]).collect()
}

fn all_types() -> Vec<Ty> {
    let others = [Float(5, 10), Float(8, 7), F32, F64, Float(6, 9), Index];
    integers().into_iter().chain(others).collect()
}

/// The compiler's answer for an expression over `a`, `b`, `c`, ... of the types.
fn asked(style: Style, expr: &str, types: &[Ty]) -> Result<String, String> {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let types: Vec<(String, String)> = names
        .iter()
        .zip(types)
        .map(|(name, ty)| ((*name).to_owned(), ty.to_string()))
        .collect();
    let types = &types[..];
    type_of(&mut SourceMap::default(), &Query { style, expr, types })
        .map(|answer| answer.ty)
        .map_err(|errors| errors.0[0].message.clone())
}

fn check(style: Style, key: &str, expr: &str, types: &[Ty], expected: Option<Ty>) {
    let want = expected.map(|ty| ty.to_string()).ok_or_else(|| {
        let shown: Vec<String> = types.iter().map(Ty::to_string).collect();
        format!(
            "No {} type promotion rule for operator '{key}' with operand types {}",
            style.name(),
            shown.join(", ")
        )
    });
    let got = asked(style, expr, types);
    assert_eq!(got, want, "{} {expr} of {types:?}", style.name());
}

// The rules.

/// "Both signed: signed max(L, R). Both unsigned: unsigned max(L, R). One signed, one unsigned: unsigned of
/// its width if that is at least the signed one's, else signed of its width."
fn common_integer(a: Ty, b: Ty) -> Option<Ty> {
    match (a, b) {
        (Signed(l), Signed(r)) => Some(Signed(l.max(r))),
        (Unsigned(l), Unsigned(r)) => Some(Unsigned(l.max(r))),
        (Signed(s), Unsigned(u)) | (Unsigned(u), Signed(s)) => {
            Some(if u >= s { Unsigned(u) } else { Signed(s) })
        }
        _ => None,
    }
}

/// "float op float: the wider float. float op integer: the float. index mixed with integers: index. index
/// with float: no rule." f16 and bf16 have no common type.
fn common_numeric(a: Ty, b: Ty) -> Option<Ty> {
    match (a, b) {
        (Float(e, m), Float(f, n)) if e >= f && m >= n => Some(a),
        (Float(e, m), Float(f, n)) if e <= f && m <= n => Some(b),
        (Float(..), Float(..)) => None,
        (Float(..), Index) | (Index, Float(..)) => None,
        (Float(..), _) => Some(a),
        (_, Float(..)) => Some(b),
        (Index, _) | (_, Index) => Some(Index),
        _ => common_integer(a, b),
    }
}

fn is_integer(ty: Ty) -> bool {
    matches!(ty, Signed(_) | Unsigned(_))
}

/// "Signed if any operand is signed or any term is subtracted; then every unsigned operand contributes
/// width + 1; max(adjusted widths) + ceil_log2(N)."
fn sum(terms: &[(Ty, bool)]) -> Option<Ty> {
    let signed = terms
        .iter()
        .any(|(ty, minus)| *minus || matches!(ty, Signed(_)));
    let mut widest = 0;
    for (ty, _) in terms {
        widest = widest.max(match ty {
            Signed(w) => *w,
            Unsigned(w) if signed => w + 1,
            Unsigned(w) => *w,
            _ => return None,
        });
    }
    let mut growth = 0;
    while 1 << growth < terms.len() {
        growth += 1;
    }
    Some(if signed {
        Signed(widest + growth)
    } else {
        Unsigned(widest + growth)
    })
}

/// "Signed if any operand is signed; the sum of all operand widths."
fn product(factors: &[Ty]) -> Option<Ty> {
    let mut width = 0;
    for ty in factors {
        width += match ty {
            Signed(w) | Unsigned(w) => w,
            _ => return None,
        };
    }
    let signed = factors.iter().any(|ty| matches!(ty, Signed(_)));
    Some(if signed {
        Signed(width)
    } else {
        Unsigned(width)
    })
}

/// "Special math functions convert integers to f32 if at most 32 bits wide, otherwise to f64; floats keep
/// their type"; index in cpp only, as f64.
fn math(style: Style, ty: Ty) -> Option<Ty> {
    match (ty, style) {
        (Float(..), _) => Some(ty),
        (Signed(w) | Unsigned(w), _) => Some(if w <= 32 { F32 } else { F64 }),
        (Index, Style::Cpp) => Some(F64),
        (Index, _) => None,
    }
}

fn binary(style: Style, key: &str, a: Ty, b: Ty) -> Option<Ty> {
    let hls = style == Style::Hls;
    let both_integers = is_integer(a) && is_integer(b);
    let indices = [a, b].iter().filter(|ty| **ty == Index).count();
    match key {
        "add" if hls && both_integers => sum(&[(a, false), (b, false)]),
        "sub" if hls && both_integers => sum(&[(a, false), (b, true)]),
        "mul" if hls && both_integers => product(&[a, b]),
        "pow" if hls && indices > 0 => None,
        "eq" | "ne" | "lt" | "le" | "gt" | "ge" => common_numeric(a, b).map(|_| BOOL),
        "bitwise_and" | "bitwise_or" | "bitwise_xor" => match (a, b) {
            (Index, Index) => Some(Index),
            _ => common_integer(a, b),
        },
        "lshift" | "rshift" => match (a, b) {
            (Index, Index) => Some(Index),
            (Signed(_) | Unsigned(_), Signed(_) | Unsigned(_) | Index) => Some(a),
            _ => None,
        },
        "logical_and" | "logical_or" => (indices != 1).then_some(BOOL),
        _ => common_numeric(a, b),
    }
}

const BINARY: [(&str, &str); 22] = [
    ("add", "a + b"),
    ("sub", "a - b"),
    ("mul", "a * b"),
    ("div", "a / b"),
    ("floordiv", "a // b"),
    ("mod", "a % b"),
    ("pow", "a ** b"),
    ("eq", "a == b"),
    ("ne", "a != b"),
    ("lt", "a < b"),
    ("le", "a <= b"),
    ("gt", "a > b"),
    ("ge", "a >= b"),
    ("lshift", "a << b"),
    ("rshift", "a >> b"),
    ("bitwise_and", "a & b"),
    ("bitwise_or", "a | b"),
    ("bitwise_xor", "a ^ b"),
    ("logical_and", "a and b"),
    ("logical_or", "a or b"),
    ("min", "min(a, b)"),
    ("max", "allo.arith.max(a, b)"),
];

#[test]
fn binary_operators_on_every_pair_of_types() {
    std::thread::scope(|scope| {
        for style in STYLES {
            scope.spawn(move || {
                for a in all_types() {
                    for b in all_types() {
                        for (key, expr) in BINARY {
                            check(style, key, expr, &[a, b], binary(style, key, a, b));
                        }
                        let arms = common_numeric(a, b);
                        check(style, "select", "a if 0 < a else b", &[a, b], arms);
                    }
                }
            });
        }
    });
}

#[test]
fn unary_operators_on_every_type() {
    for style in STYLES {
        for a in all_types() {
            let negated = match (a, style) {
                (Signed(w) | Unsigned(w), Style::Hls) => Some(Signed(w + 1)),
                (Index, Style::Hls) => None,
                _ => Some(a),
            };
            check(style, "neg", "-a", &[a], negated);
            check(style, "pos", "+a", &[a], Some(a));
            let flipped = (!matches!(a, Float(..))).then_some(a);
            check(style, "invert", "~a", &[a], flipped);
            check(style, "logical_not", "not a", &[a], Some(BOOL));
            check(style, "abs", "abs(a)", &[a], (a != Index).then_some(a));
            for key in [
                "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh",
                "tanh", "floor", "ceil", "erf",
            ] {
                let expr = format!("allo.math.{key}(a)");
                check(style, key, &expr, &[a], math(style, a));
            }
        }
    }
}

#[test]
fn rows_of_the_published_tables() {
    let rows = [
        ("a + b", "i32 i32", "i33", "i32"),
        ("a + b", "u32 u32", "u33", "u32"),
        ("a + b", "u8 i8", "i10", "u8"),
        ("a + b - c", "i32 i32 i32", "i34", "i32"),
        ("a + b + c + d", "u8 u8 u8 u8", "u10", "u8"),
        ("a * b", "i32 i32", "i64", "i32"),
        ("a * b", "u16 u16", "u32", "u16"),
        ("a * b * c", "i32 i32 i32", "i96", "i32"),
        ("a * b * c", "u8 i8 u4", "i20", "u8"),
        ("a + b", "i32 u32", "i34", "u32"),
        ("a * b", "i16 i32", "i48", "i32"),
        ("a + b", "f32 i32", "f32", "f32"),
        ("a + b", "f32 f64", "f64", "f64"),
        ("a // b", "i16 i32", "i32", "i32"),
        ("a % b", "u8 u32", "u32", "u32"),
        ("a / b", "i32 u32", "u32", "u32"),
        ("max(a, b)", "i32 u16", "i32", "i32"),
    ];
    for (expr, types, hls, cpp) in rows {
        let types: Vec<(String, String)> = ["a", "b", "c", "d"]
            .iter()
            .zip(types.split(' '))
            .map(|(name, ty)| ((*name).to_owned(), ty.to_owned()))
            .collect();
        for (style, want) in [(Style::Hls, hls), (Style::Cpp, cpp)] {
            let types = &types[..];
            let query = Query { style, expr, types };
            let got = type_of(&mut SourceMap::default(), &query).unwrap().ty;
            assert_eq!(got, want, "{} {expr} {types:?}", style.name());
        }
    }
}

/// An expression over leaves of known types.
enum Tree {
    Leaf(usize),
    Node(char, Box<Tree>, Box<Tree>),
}

impl Tree {
    fn text(&self) -> String {
        match self {
            Tree::Leaf(i) => char::from(b'a' + *i as u8).to_string(),
            Tree::Node(op, l, r) => format!("({} {op} {})", l.text(), r.text()),
        }
    }

    /// Terms of the chain of `+ -` or of `*` that the tree is the root of.
    fn terms<'t>(&'t self, sums: bool, minus: bool, out: &mut Vec<(&'t Tree, bool)>) {
        match self {
            Tree::Node(op, l, r) if (*op != '*') == sums => {
                l.terms(sums, minus, out);
                r.terms(sums, minus != (*op == '-'), out);
            }
            leaf => out.push((leaf, minus)),
        }
    }

    /// "Flatten nested + and -; when every term is an integer, the n-ary rule over all terms. Otherwise
    /// pairwise, and each side is then an expression of its own. * likewise. cpp: always pairwise."
    fn ty(&self, style: Style, types: &[Ty]) -> Option<Ty> {
        let (op, left, right) = match self {
            Tree::Leaf(i) => return Some(types[*i]),
            Tree::Node(op, l, r) => (*op, l, r),
        };
        let mut terms = Vec::new();
        self.terms(op != '*', false, &mut terms);
        let typed: Option<Vec<(Ty, bool)>> = terms
            .iter()
            .map(|(term, minus)| Some((term.ty(style, types)?, *minus)))
            .collect();
        let typed = typed?;
        if style == Style::Hls && typed.iter().all(|term| is_integer(term.0)) {
            let factors: Vec<Ty> = typed.iter().map(|term| term.0).collect();
            return if op == '*' {
                product(&factors)
            } else {
                sum(&typed)
            };
        }
        common_numeric(left.ty(style, types)?, right.ty(style, types)?)
    }
}

/// Numbers that look random (Knuth, TAOCP 3.3.4, line 26).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % n
    }

    fn tree(&mut self, leaves: std::ops::Range<usize>) -> Tree {
        if leaves.len() == 1 {
            return Tree::Leaf(leaves.start);
        }
        let middle = leaves.start + 1 + self.below(leaves.len() - 1);
        let op = ['+', '-', '+', '-', '*'][self.below(5)];
        let left = self.tree(leaves.start..middle);
        let right = self.tree(middle..leaves.end);
        Tree::Node(op, Box::new(left), Box::new(right))
    }
}

#[test]
fn chains_of_any_shape() {
    let mut random = Random(1);
    let types = all_types();
    for round in 0..4000 {
        let leaves = 2 + random.below(7);
        // Mostly integers: a chain with a float in it is typed pairwise.
        let pool = if round % 3 == 0 { types.len() } else { 22 };
        let chosen: Vec<Ty> = (0..leaves).map(|_| types[random.below(pool)]).collect();
        let tree = random.tree(0..leaves);
        for style in STYLES {
            let text = tree.text();
            let got = asked(style, &text, &chosen).ok();
            let want = tree.ty(style, &chosen).map(|ty| ty.to_string());
            assert_eq!(got, want, "{} {text} of {chosen:?}", style.name());
        }
    }
}

fn in_range(value: i128, ty: Ty) -> bool {
    match ty {
        Signed(w) if w >= 100 => true,
        Unsigned(w) if w >= 100 => value >= 0,
        Signed(w) => (-(1i128 << (w - 1))..1 << (w - 1)).contains(&value),
        Unsigned(w) => (0..1 << w).contains(&value),
        Index => i64::try_from(value).is_ok(),
        Float(..) => true,
    }
}

/// "The smallest width of the partner's signedness that holds it; a negative literal with an unsigned partner
/// becomes the smallest signed type that holds it."
fn smallest(value: i128, signed: bool) -> Ty {
    let make = |w| {
        if signed || value < 0 {
            Signed(w)
        } else {
            Unsigned(w)
        }
    };
    (1..=128).map(make).find(|ty| in_range(value, *ty)).unwrap()
}

/// "A compile-time int meeting a runtime operand takes that operand's type when that type holds its value
/// exactly. [...] A non-negative literal that fits the partner's width as a bit pattern but not its signed
/// range is, for & | ^ and shifts only, that bit pattern."
fn literal(value: i128, partner: Ty, bits: bool) -> Option<Ty> {
    Some(match partner {
        Float(..) => partner,
        _ if in_range(value, partner) => partner,
        Index => return None,
        Signed(w) if bits && value >= 0 && in_range(value, Unsigned(w)) => partner,
        Signed(_) => smallest(value, true),
        Unsigned(_) => smallest(value, false),
    })
}

#[test]
fn int_literals_beside_every_type() {
    let values = [
        0,
        1,
        -1,
        2,
        3,
        -2,
        63,
        64,
        -64,
        -65,
        127,
        128,
        -128,
        -129,
        255,
        256,
        300,
        65535,
        65536,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x1_0000_0000,
        -0x8000_0000,
        -0x8000_0001,
        i128::from(i64::MAX),
        i128::from(i64::MIN),
        1 << 64,
    ];
    for style in STYLES {
        for value in values {
            for a in all_types() {
                let plain = literal(value, a, false);
                let other = |key, ty: Option<Ty>| ty.and_then(|ty| binary(style, key, a, ty));
                let cases = [
                    ("a + {}", other("add", plain)),
                    ("a - {}", other("sub", plain)),
                    ("a * {}", other("mul", plain)),
                    ("a // {}", other("floordiv", plain)),
                    ("min(a, {})", other("min", plain)),
                    ("a == {}", other("eq", plain)),
                    ("a | {}", other("bitwise_or", literal(value, a, true))),
                    ("a if a else {}", other("select", plain)),
                ];
                for (expr, want) in cases {
                    let expr = expr.replace("{}", &format!("({value})"));
                    let got = asked(style, &expr, &[a]).ok();
                    let want = want.map(|ty| ty.to_string());
                    assert_eq!(got, want, "{} {expr} of {a}", style.name());
                }
            }
        }
    }
}

/// "An int literal on the left of <<, >> or ** follows the rule above when the right side is index, a float,
/// or an integer of 32 bits or more; with a narrower integer it is i32 (or the smallest signed type that holds
/// it). A literal amount keeps its exact value."
#[test]
fn int_literals_left_and_right_of_shifts_and_powers() {
    for style in STYLES {
        for value in [
            0i128,
            1,
            -1,
            200,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            1 << 40,
        ] {
            for b in integers() {
                let (Signed(w) | Unsigned(w)) = b else {
                    unreachable!("an integer")
                };
                let leading = |bits| match w {
                    32.. => literal(value, b, bits).unwrap(),
                    _ if in_range(value, Signed(32)) => Signed(32),
                    _ => smallest(value, true),
                };
                let shifted = leading(true).to_string();
                let base = binary(style, "pow", leading(false), b).unwrap().to_string();
                for (expr, want) in [("<<", &shifted), (">>", &shifted), ("**", &base)] {
                    let expr = format!("({value}) {expr} a");
                    assert_eq!(
                        asked(style, &expr, &[b]).as_ref(),
                        Ok(want),
                        "{expr} of {b}"
                    );
                }
                let amount = format!("a >> {}", value.max(0));
                assert_eq!(
                    asked(style, &amount, &[b]),
                    Ok(b.to_string()),
                    "{amount} of {b}"
                );
            }
        }
    }
}

/// "Float literal, float partner: rounded to that type. Float literal, integer partner: f32 when the integer
/// is at most 32 bits wide, else f64. Float literal, index partner: no rule. Bools are u1."
#[test]
fn float_and_bool_literals_beside_every_type() {
    for style in STYLES {
        for a in all_types() {
            let float = match a {
                Float(..) => Some(a),
                Index => None,
                Signed(w) | Unsigned(w) => Some(if w <= 32 { F32 } else { F64 }),
            };
            for (key, expr) in [("add", "a + 0.5"), ("mul", "2.0 * a"), ("lt", "a < 1e300")] {
                let want = float.and_then(|ty| binary(style, key, a, ty));
                let want = want.map(|ty| ty.to_string());
                assert_eq!(
                    asked(style, expr, &[a]).ok(),
                    want,
                    "{} {expr} of {a}",
                    style.name()
                );
            }
            let want = binary(style, "add", a, BOOL).map(|ty| ty.to_string());
            assert_eq!(
                asked(style, "a + True", &[a]).ok(),
                want,
                "{} {a} + True",
                style.name()
            );
        }
    }
}

/// "In an n-ary chain each literal is a term of its own, and its partner is the first runtime term."
#[test]
fn literals_in_chains() {
    let rows = [
        ("1 + 2 + a", "u8", "u10"),
        ("a + b - 3", "u8 i8", "i11"),
        ("a + 300", "u8", "u10"),
        ("a * 3 * 300", "u8", "u25"),
        ("300 + a + b", "u8 i4", "i12"),
        ("a - (b - 1)", "u4 u4", "i7"),
        ("a + -1", "u8", "i10"),
        ("a + (-b)", "u8 u8", "i10"),
        ("a + +b", "u8 u8", "u9"),
        ("a + b * 2", "u8 u8", "u17"),
    ];
    for (expr, types, want) in rows {
        let types: Vec<(String, String)> = ["a", "b"]
            .iter()
            .zip(types.split(' '))
            .map(|(name, ty)| ((*name).to_owned(), ty.to_owned()))
            .collect();
        let types = &types[..];
        let style = Style::Hls;
        let got = type_of(&mut SourceMap::default(), &Query { style, expr, types });
        assert_eq!(got.unwrap().ty, want, "{expr}");
    }
}

/// Arithmetic on the formats that are only stored is that of f16 or f32, each of which holds their values.
#[test]
fn storage_formats_compute_in_a_wider_float() {
    let formats = [
        ("f8e4m3", "f16"),
        ("f8e5m2", "f32"),
        ("hif8", "f32"),
        ("f4e2m1", "f16"),
        ("f4e1m2", "f16"),
    ];
    for style in STYLES {
        for (stored, computed) in formats {
            for (expr, other, want) in [
                ("a + b", stored, computed),
                ("a * b", "f64", "f64"),
                ("a / b", "i8", computed),
                ("a < b", stored, "u1"),
                ("a - 1", "u1", computed),
            ] {
                let types = [("a", stored), ("b", other)].map(|(n, t)| (n.into(), t.into()));
                let types = &types[..];
                let got = type_of(&mut SourceMap::default(), &Query { style, expr, types });
                assert_eq!(got.unwrap().ty, want, "{expr} of {stored} and {other}");
            }
        }
    }
}

/// "Both operands have the same type; it is the result's (u1 for comparisons)"; functions take floats, shifts any integer amount.
#[test]
fn nothing_is_promoted_in_the_style_pto() {
    let asked = |expr: &str, types: &[Ty]| asked(Style::Pto, expr, types).ok();
    let shown = |ty: Option<Ty>| ty.map(|ty| ty.to_string());
    let is_float = |ty: Ty| matches!(ty, Float(..));
    for a in all_types() {
        for b in all_types() {
            let same = (a == b).then_some(a);
            for op in ["+", "%"] {
                assert_eq!(
                    asked(&format!("a {op} b"), &[a, b]),
                    shown(same),
                    "{a} {op} {b}"
                );
            }
            let compared = same.map(|_| BOOL);
            assert_eq!(asked("a <= b", &[a, b]), shown(compared), "{a} <= {b}");
            assert_eq!(asked("min(a, b)", &[a, b]), shown(same), "min({a}, {b})");
            let bits = same.filter(|ty| !is_float(*ty));
            assert_eq!(asked("a ^ b", &[a, b]), shown(bits), "{a} ^ {b}");
            let shifted = (!is_float(a) && !is_float(b)).then_some(a);
            assert_eq!(asked("a >> b", &[a, b]), shown(shifted), "{a} >> {b}");
            assert_eq!(asked("a and b", &[a, b]), shown(Some(BOOL)), "{a} and {b}");
        }
        let float = Some(a).filter(|ty| is_float(*ty));
        assert_eq!(asked("-a", &[a]), shown(Some(a)), "-{a}");
        assert_eq!(asked("abs(a)", &[a]), shown(Some(a)), "abs({a})");
        assert_eq!(asked("sqrt(a)", &[a]), shown(float), "sqrt({a})");
        assert_eq!(
            asked("a + 1", &[a]),
            shown(Some(a).filter(|ty| !is_float(*ty) && *ty != Signed(1)))
        );
    }
}

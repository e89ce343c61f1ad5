//! The registry of operators: one entry each, with its fold (compile time) and its build (ir).

pub mod build;
mod linalg;

use super::builder::Operator;
use super::namespaces::Namespace;
use super::promote;
use crate::ir::{BinaryOp, CompareOp, UnaryOp};
use pyeval::arithmetic as python;
use ruff_python_ast::{CmpOp, Operator as PythonOp, UnaryOp as PythonUnary};

macro_rules! operators {
    ($($key:literal $space:ident ($min:literal, $max:expr) $typing:ident $(option $option:literal,)? $(fold $fold:expr)?, $build:expr;)*) => {
        /// Every operator.
        pub static OPERATORS: &[Operator] = &[$(Operator {
            key: $key,
            typing: &promote::$typing,
            space: Namespace::$space,
            arity: ($min, $max),
            option: operators!(@option $($option)?),
            fold: operators!(@fold $($fold)?),
            build: $build,
            whole: matches!(Namespace::$space, Namespace::Linalg),
        },)*];
    };
    (@fold) => { None };
    (@fold $fold:expr) => { Some($fold) };
    (@option) => { None };
    (@option $option:literal) => { Some($option) };
}

/// Operands of what takes any number.
const MANY: usize = usize::MAX;

operators! {
    "add" Arith (2, 2) SUM fold python::add, |b, a| build::sum(b, a, false);
    "sub" Arith (2, 2) SUM fold python::sub, |b, a| build::sum(b, a, true);
    "mul" Arith (2, 2) PRODUCT fold python::mul, |b, a| build::product(b, a);
    "div" Arith (2, 2) NUMERIC option "signed", fold python::div, |b, a| build::numeric(b, a, BinaryOp::Div);
    "floordiv" Arith (2, 2) NUMERIC option "signed", fold python::floordiv, |b, a| build::numeric(b, a, BinaryOp::FloorDiv);
    "mod" Arith (2, 2) NUMERIC option "signed", fold python::modulo, |b, a| build::numeric(b, a, BinaryOp::Mod);
    "pow" Math (2, 2) POWER fold python::pow, |b, a| build::power(b, a);
    "bitwise_and" Arith (2, 2) BITWISE fold python::bitand, |b, a| build::bitwise(b, a, BinaryOp::And);
    "bitwise_or" Arith (2, 2) BITWISE fold python::bitor, |b, a| build::bitwise(b, a, BinaryOp::Or);
    "bitwise_xor" Arith (2, 2) BITWISE fold python::bitxor, |b, a| build::bitwise(b, a, BinaryOp::Xor);
    "lshift" Arith (2, 2) SHIFT fold python::shl, |b, a| build::shift(b, a, BinaryOp::Shl);
    "rshift" Arith (2, 2) SHIFT option "signed", fold python::shr, |b, a| build::shift(b, a, BinaryOp::Shr);
    "eq" Arith (2, 2) COMPARISON option "ordered", fold python::eq, |b, a| build::compare(b, a, CompareOp::Eq, CompareOp::Ueq);
    "ne" Arith (2, 2) COMPARISON option "ordered", fold python::ne, |b, a| build::compare(b, a, CompareOp::One, CompareOp::Ne);
    "lt" Arith (2, 2) COMPARISON option "ordered", fold python::lt, |b, a| build::compare(b, a, CompareOp::Lt, CompareOp::Ult);
    "le" Arith (2, 2) COMPARISON option "ordered", fold python::le, |b, a| build::compare(b, a, CompareOp::Le, CompareOp::Ule);
    "gt" Arith (2, 2) COMPARISON option "ordered", fold python::gt, |b, a| build::compare(b, a, CompareOp::Gt, CompareOp::Ugt);
    "ge" Arith (2, 2) COMPARISON option "ordered", fold python::ge, |b, a| build::compare(b, a, CompareOp::Ge, CompareOp::Uge);
    "max" Arith (2, MANY) NUMERIC option "propagate_nan", fold python::max, |b, a| build::extremum(b, a, BinaryOp::Max, BinaryOp::MaxNan);
    "min" Arith (2, MANY) NUMERIC option "propagate_nan", fold python::min, |b, a| build::extremum(b, a, BinaryOp::Min, BinaryOp::MinNan);
    "logical_and" Arith (2, MANY) LOGICAL fold python::logical_and, |b, a| build::logical(b, a, BinaryOp::And);
    "logical_or" Arith (2, MANY) LOGICAL fold python::logical_or, |b, a| build::logical(b, a, BinaryOp::Or);
    "logical_not" Arith (1, 1) LOGICAL_NOT fold python::logical_not, |b, a| build::not(b, a);
    "neg" Arith (1, 1) NEGATION fold python::neg, |b, a| build::unary(b, a, UnaryOp::Neg);
    "invert" Arith (1, 1) INVERSION fold python::invert, |b, a| build::unary(b, a, UnaryOp::Not);
    "abs" Math (1, 1) MAGNITUDE fold python::abs, |b, a| build::unary(b, a, UnaryOp::Abs);
    "sqrt" Math (1, 1) MATH fold |a| python::float(a, f64::sqrt), |b, a| build::unary(b, a, UnaryOp::Sqrt);
    "rsqrt" Math (1, 1) MATH fold |a| python::float(a, pxfm::f_rsqrt), |b, a| build::unary(b, a, UnaryOp::Rsqrt);
    "exp" Math (1, 1) MATH fold |a| python::float(a, pxfm::f_exp), |b, a| build::unary(b, a, UnaryOp::Exp);
    "exp2" Math (1, 1) MATH fold |a| python::float(a, pxfm::f_exp2), |b, a| build::unary(b, a, UnaryOp::Exp2);
    "log" Math (1, 1) MATH fold |a| python::float(a, pxfm::f_log), |b, a| build::unary(b, a, UnaryOp::Log);
    "log2" Math (1, 1) MATH fold |a| python::float(a, pxfm::f_log2), |b, a| build::unary(b, a, UnaryOp::Log2);
    "sin" Math (1, 1) MATH fold |a| python::float(a, pxfm::f_sin), |b, a| build::unary(b, a, UnaryOp::Sin);
    "cos" Math (1, 1) MATH fold |a| python::float(a, pxfm::f_cos), |b, a| build::unary(b, a, UnaryOp::Cos);
    "tan" Math (1, 1) MATH fold |a| python::float(a, pxfm::f_tan), |b, a| build::unary(b, a, UnaryOp::Tan);
    "sinh" Math (1, 1) MATH fold |a| python::float(a, pxfm::f_sinh), |b, a| build::unary(b, a, UnaryOp::Sinh);
    "cosh" Math (1, 1) MATH fold |a| python::float(a, pxfm::f_cosh), |b, a| build::unary(b, a, UnaryOp::Cosh);
    "tanh" Math (1, 1) MATH fold |a| python::float(a, pxfm::f_tanh), |b, a| build::unary(b, a, UnaryOp::Tanh);
    "floor" Math (1, 1) MATH fold |a| python::float(a, f64::floor), |b, a| build::unary(b, a, UnaryOp::Floor);
    "ceil" Math (1, 1) MATH fold |a| python::float(a, f64::ceil), |b, a| build::unary(b, a, UnaryOp::Ceil);
    "erf" Math (1, 1) MATH fold |a| python::float(a, pxfm::f_erf), |b, a| build::unary(b, a, UnaryOp::Erf);
    "fma" Math (3, 3) MATH fold python::fma, |b, a| build::fma(b, a);
    "matmul" Linalg (2, 2) PRODUCT, |b, a| linalg::matmul(b, a);
    "dot" Linalg (2, 2) PRODUCT, |b, a| linalg::dot(b, a);
    "cast" Arith (2, 2) UNTYPED, |b, a| build::cast(b, a);
    "bitcast" Arith (2, 2) UNTYPED, |b, a| build::bitcast(b, a);
}

/// The operator of a key of the table.
///
/// # Panics
/// If there is none: keys are written in this crate only.
pub fn by_key(key: &str) -> &'static Operator {
    OPERATORS
        .iter()
        .find(|op| op.key == key)
        .expect("the key is in the table")
}

/// The operator that a namespace calls by the name.
pub fn named(space: Namespace, name: &str) -> Option<&'static Operator> {
    OPERATORS
        .iter()
        .find(|op| op.key == name && (op.space == space || also_in(op, space)))
}

/// The names that `from <space> import *` binds to operators: those of Python's built-ins are there without it.
pub fn exported(space: Namespace) -> impl Iterator<Item = String> {
    let second = move |op: &Operator| {
        space == Namespace::Allo && also_in(op, space) && named_python(op.key).is_none()
    };
    let all = OPERATORS.iter();
    let own = all.filter(move |op| op.space == space || second(op));
    own.map(|op| op.key.to_owned())
}

/// Whether an operator is found in a second namespace.
fn also_in(op: &Operator, space: Namespace) -> bool {
    match space {
        Namespace::Allo => matches!(op.key, "max" | "min" | "abs" | "bitcast"),
        Namespace::Arith => matches!(op.key, "abs" | "pow"),
        _ => false,
    }
}

/// The operator that is a Python built-in of the name.
pub fn named_python(name: &str) -> Option<&'static Operator> {
    matches!(name, "min" | "max" | "abs").then(|| by_key(name))
}

/// The operator of a Python binary operator; `@` has none.
pub fn of_binary(op: PythonOp) -> Option<&'static Operator> {
    Some(by_key(match op {
        PythonOp::Add => "add",
        PythonOp::Sub => "sub",
        PythonOp::Mult => "mul",
        PythonOp::Div => "div",
        PythonOp::FloorDiv => "floordiv",
        PythonOp::Mod => "mod",
        PythonOp::Pow => "pow",
        PythonOp::LShift => "lshift",
        PythonOp::RShift => "rshift",
        PythonOp::BitAnd => "bitwise_and",
        PythonOp::BitOr => "bitwise_or",
        PythonOp::BitXor => "bitwise_xor",
        PythonOp::MatMult => return None,
    }))
}

/// The operator of a Python unary operator; `+` has none.
pub fn of_unary(op: PythonUnary) -> Option<&'static Operator> {
    Some(by_key(match op {
        PythonUnary::Invert => "invert",
        PythonUnary::Not => "logical_not",
        PythonUnary::USub => "neg",
        PythonUnary::UAdd => return None,
    }))
}

/// The operator of a Python comparison; `is` and `in` have none.
pub fn of_compare(op: CmpOp) -> Option<&'static Operator> {
    Some(by_key(match op {
        CmpOp::Eq => "eq",
        CmpOp::NotEq => "ne",
        CmpOp::Lt => "lt",
        CmpOp::LtE => "le",
        CmpOp::Gt => "gt",
        CmpOp::GtE => "ge",
        CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::by_key;
    use crate::frontend::promote::Style;
    use crate::frontend::scalars::scalar_named;
    use crate::ir::Scalar;
    use pyeval::Value;

    fn show(style: Style, key: &str, operands: &str) -> String {
        let types: Vec<Scalar> = operands
            .split_whitespace()
            .map(|t| scalar_named(t).unwrap())
            .collect();
        match by_key(key).typing.promote(style, key, &types) {
            Ok(p) => p.result.to_string(),
            Err(_) => "none".into(),
        }
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
    fn constants_fold_to_the_nearest_float() {
        let table = [
            ("exp", 401.717_866_771_228_96, 2.909_730_863_873_986_6e174),
            ("sin", -8_583.046_574_172_255, -0.213_781_736_655_276_8),
            ("tanh", 0.854_385_182_990_972_3, 0.693_353_454_056_490_4),
        ];
        for (key, argument, expected) in table {
            let fold = by_key(key).fold.expect("it folds");
            let value = fold(&[Value::Float(argument)]);
            assert!(
                matches!(value, Ok(Value::Float(found)) if found == expected),
                "{key}"
            );
        }
    }
}

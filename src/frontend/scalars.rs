//! Names of scalar types.

use crate::ir::types::MAX_WIDTH;
use crate::ir::{FloatFormat, Scalar, StorageFormat};

/// Widths of the integer types that have a name of their own; `i1` is no such type.
fn has_name(signed: bool, width: u32) -> bool {
    matches!(width, 1..=16 | 32 | 64 | 128 | 256) && (width, signed) != (1, true)
}

/// The scalar type that `allo` gives a name to.
pub fn predefined(name: &str) -> Option<Scalar> {
    scalar_named(name).filter(|ty| match *ty {
        Scalar::Int { signed, width } => has_name(signed, width),
        _ => true,
    })
}

/// The names of [`predefined`].
pub fn predefined_names() -> impl Iterator<Item = String> {
    let integers = (1..=256).flat_map(|width| [(true, width), (false, width)]);
    let floats = ["f16", "bf16", "f32", "f64"].map(str::to_owned).into_iter();
    let storage = StorageFormat::ALL.into_iter().map(|f| f.to_string());
    integers
        .filter(|(signed, width)| has_name(*signed, *width))
        .map(|(signed, width)| Scalar::Int { signed, width }.to_string())
        .chain(floats)
        .chain(storage)
        .chain(["index", "bool"].map(str::to_owned))
}

/// The scalar type of a name that `allo.ir.types` has: `int32`, `uint8`, `float16`, `index`.
pub fn long_named(name: &str) -> Option<Scalar> {
    let prefixes = [
        ("uint", "u"),
        ("int", "i"),
        ("bfloat", "bf"),
        ("float", "f"),
    ];
    match prefixes.iter().find_map(|(long, short)| {
        let width = name.strip_prefix(long)?;
        Some(format!("{short}{width}"))
    }) {
        Some(short) => scalar_named(&short),
        None => predefined(name).filter(|ty| matches!(ty, Scalar::Index) || *ty == Scalar::BOOL),
    }
}

/// The scalar type of a name: any integer width has one.
pub fn scalar_named(name: &str) -> Option<Scalar> {
    match name {
        "f16" => return Some(Scalar::Float(FloatFormat::F16)),
        "bf16" => return Some(Scalar::Float(FloatFormat::BF16)),
        "f32" => return Some(Scalar::Float(FloatFormat::F32)),
        "f64" => return Some(Scalar::Float(FloatFormat::F64)),
        "index" => return Some(Scalar::Index),
        "bool" => return Some(Scalar::BOOL),
        _ => {}
    }
    if let Some(format) = StorageFormat::named(name) {
        return Some(Scalar::Storage(format));
    }
    let signed = match name.as_bytes().first()? {
        b'i' => true,
        b'u' => false,
        _ => return None,
    };
    let digits = &name[1..];
    if digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let width: u32 = digits.parse().ok()?;
    (1..=MAX_WIDTH)
        .contains(&width)
        .then_some(Scalar::Int { signed, width })
}

#[cfg(test)]
mod tests {
    use super::{long_named, predefined, predefined_names, scalar_named};

    #[test]
    fn names_of_scalars() {
        for name in [
            "i2", "i16", "i256", "u1", "u256", "bf16", "f64", "index", "hif8", "f8e4m3",
        ] {
            assert_eq!(scalar_named(name).unwrap().to_string(), name);
        }
        assert_eq!(scalar_named("bool").unwrap().to_string(), "u1");
        for name in ["i0", "u4097", "f8", "i", "i08", "x", "i3x", "u-1", ""] {
            assert_eq!(scalar_named(name), None, "{name}");
        }
        assert_eq!(predefined_names().count(), 20 + 19 + 4 + 5 + 2);
        assert!(predefined_names().all(|name| predefined(&name).is_some()));
        for (long, short) in [("int32", "i32"), ("uint7", "u7"), ("float16", "f16")] {
            assert_eq!(long_named(long), scalar_named(short));
        }
        assert_eq!(long_named("i32"), None);
    }
}

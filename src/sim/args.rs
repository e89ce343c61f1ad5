//! Argument and result files: JSON and `.npz`, by the names of the parameters.

use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::ir::{FloatFormat, Scalar};
use crate::rtl::interface::manifest::Flow;
use crate::sim::elements::Elements;
use crate::sim::elements::Invocation;
use crate::sim::npy::{self, Dtype, NpyArray};
use crate::sim::npz::{self, Archive};
use crate::sim::softfloat::Unpacked;
use crate::sim::value::{Data, Signature, Slot, Value};
use crate::sim::{decimal, formats};
use num_bigint::{BigInt, BigUint};
use num_traits::{Num, ToPrimitive};
use serde_json::Value as Json;
use std::path::Path;

fn wrong(message: String) -> Diagnostic {
    Diagnostic::global(codes::ARGUMENT_FILE, message)
}

/// Reads an argument file, `.npz` by its name, else JSON.
pub fn read_file(signature: &Signature, path: &Path) -> Result<Vec<Invocation>, Diagnostics> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|e| wrong(format!("cannot read '{shown}': {e}")))?;
    if path.extension().is_some_and(|e| e == "npz") {
        return read_npz(signature, &bytes).map(|invocation| vec![invocation]);
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| wrong(format!("'{shown}' is neither UTF-8 text nor named .npz")))?;
    read_json(signature, &text)
}

/// Reads one invocation (an object) or several (a list of objects).
pub fn read_json(signature: &Signature, text: &str) -> Result<Vec<Invocation>, Diagnostics> {
    let text = text.trim_start_matches('\u{feff}');
    let json: Json = serde_json::from_str(text)
        .map_err(|e| wrong(format!("the arguments are not JSON: {e}")))?;
    let objects = match json {
        Json::Array(objects) => objects,
        object => vec![object],
    };
    let single = objects.len() == 1;
    let mut problems = Diagnostics::default();
    let mut out = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        let place = if single {
            String::new()
        } else {
            format!("invocation {number}: ")
        };
        out.push(read_object(signature, object, &place, &mut problems));
    }
    if problems.has_errors() {
        Err(problems)
    } else {
        Ok(out)
    }
}

fn read_object(
    signature: &Signature,
    json: &Json,
    place: &str,
    problems: &mut Diagnostics,
) -> Invocation {
    let mut invocation = Invocation::of(Vec::new());
    let Json::Object(object) = json else {
        problems.push(wrong(format!(
            "{place}the arguments must be an object by name"
        )));
        return invocation;
    };
    for slot in &signature.params {
        let elements = match (object.get(&slot.name), slot.flow) {
            // What is produced is no argument.
            (_, Some(Flow::Out)) => Ok(Vec::new()),
            (Some(json), _) => read_slot(slot, json),
            (None, _) => Err("is missing".into()),
        };
        let refuse = |why| problems.push(wrong(format!("{place}argument '{}' {why}", slot.name)));
        let elements = elements.map_err(refuse).unwrap_or_default();
        invocation.push(slot, elements);
    }
    let names = object.keys().map(String::as_str);
    refuse_unknown(signature, names, place, problems);
    invocation
}

fn refuse_unknown<'a>(
    signature: &Signature,
    names: impl Iterator<Item = &'a str>,
    place: &str,
    problems: &mut Diagnostics,
) {
    let known: Vec<&str> = signature.params.iter().map(|s| s.name.as_str()).collect();
    for name in names.filter(|name| !known.contains(name)) {
        let message = format!("{place}the kernel has no parameter '{name}'");
        let help = format!("its parameters are: {}", known.join(", "));
        problems.push(wrong(message).help(help));
    }
}

/// The elements of a parameter, or what is wrong with it (after "argument 'x'").
fn read_slot(slot: &Slot, json: &Json) -> Result<Vec<Value>, String> {
    let Some(shape) = &slot.shape else {
        return read_scalar(slot.ty, json).map(|v| vec![v]);
    };
    if slot.is_stream() && !json.is_array() {
        return Err(format!("is no list of elements: {}", short(json)));
    }
    let flat = match json {
        Json::Array(list) if slot.is_stream() => list.len() <= slot.len(),
        Json::Array(list) if !list.iter().any(Json::is_array) => list.len() == slot.len(),
        _ => false,
    };
    let mut leaves = Vec::new();
    match (flat, json, &slot.packed) {
        (true, Json::Array(list), Some(packed)) => {
            let all = [packed.shape.iter().product()];
            for item in list {
                // An element may be flat, as an array may.
                let shape = match item {
                    Json::Array(list) if !list.iter().any(Json::is_array) => &all[..],
                    _ => &packed.shape,
                };
                flatten(item, shape, &mut leaves)
                    .map_err(|why| format!("has an element of the wrong shape: {why}"))?;
            }
        }
        (true, Json::Array(list), None) => leaves.extend(list),
        _ => flatten(json, shape, &mut leaves)
            .map_err(|why| format!("has the wrong shape, it must be {shape:?}: {why}"))?,
    }
    let element = |(position, json)| {
        read_scalar(slot.leaf(), json)
            .map_err(|why| format!("{why} at {:?}", slot.subscripts(position)))
    };
    let leaves: Result<_, _> = leaves.into_iter().enumerate().map(element).collect();
    leaves.map(|leaves| slot.gathered(leaves))
}

fn flatten<'a>(json: &'a Json, shape: &[u64], out: &mut Vec<&'a Json>) -> Result<(), String> {
    match (json, shape) {
        (Json::Array(_), []) => Err("it is nested too deeply".into()),
        (_, []) => {
            out.push(json);
            Ok(())
        }
        (Json::Array(list), [extent, rest @ ..]) if list.len() as u64 == *extent => {
            list.iter().try_for_each(|item| flatten(item, rest, out))
        }
        (Json::Array(list), [extent, ..]) => {
            Err(format!("{} elements instead of {extent}", list.len()))
        }
        (_, [extent, ..]) => Err(format!("no list where {extent} elements are wanted")),
    }
}

fn read_scalar(ty: Scalar, json: &Json) -> Result<Value, String> {
    match ty {
        _ if formats::is_any_float(ty) => {
            read_float(ty, json).map(|bits| Value::new(Data::Float(bits)))
        }
        _ => read_int(ty, json),
    }
}

fn read_int(ty: Scalar, json: &Json) -> Result<Value, String> {
    let number = match json {
        Json::Number(number) => parse_int(&number.to_string()),
        Json::String(text) => parse_int(text),
        Json::Bool(bit) if ty == Scalar::BOOL => Some(BigInt::from(*bit)),
        _ => None,
    };
    let number = number.ok_or_else(|| format!("is no integer of type {ty}: {}", short(json)))?;
    in_range(ty, number)
}

fn in_range(ty: Scalar, number: BigInt) -> Result<Value, String> {
    match ty.int_range() {
        Some((min, max)) if number < min || number > max => {
            Err(format!("is out of the range of {ty}: {number}"))
        }
        _ => Ok(Value::wrapped(ty, number)),
    }
}

/// A decimal or `0x` hexadecimal integer.
fn parse_int(text: &str) -> Option<BigInt> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let size = match digits.strip_prefix("0x") {
        Some(digits) => parse_digits(digits, 16),
        None => parse_digits(digits, 10),
    };
    let size = BigInt::from(size?);
    Some(if negative { -size } else { size })
}

fn parse_digits(digits: &str, radix: u32) -> Option<BigUint> {
    let plain = digits.bytes().all(|b| b.is_ascii_alphanumeric());
    plain
        .then(|| BigUint::from_str_radix(digits, radix).ok())
        .flatten()
}

fn read_float(f: Scalar, json: &Json) -> Result<u128, String> {
    let unreadable = || format!("is no {f}: {}", short(json));
    let special = |number| in_format(f, &number, false, &short(json));
    match json {
        Json::Number(number) => {
            let text = number.to_string();
            let (number, sticky) = decimal::parse_exact(f.width(), &text).ok_or_else(unreadable)?;
            in_format(f, &number, sticky, &short(json))
        }
        Json::String(text) => match text.as_str() {
            "nan" => special(Unpacked::Nan),
            "inf" => special(Unpacked::Infinite(false)),
            "-inf" => special(Unpacked::Infinite(true)),
            pattern => {
                let digits = pattern.strip_prefix("0x").ok_or_else(unreadable)?;
                let bits = parse_digits(digits, 16).ok_or_else(unreadable)?;
                let fits = bits.bits() <= u64::from(f.width());
                let wide = || format!("is a bit pattern wider than {f}: {pattern}");
                bits.to_u128().filter(|_| fits).ok_or_else(wide)
            }
        },
        _ => Err(unreadable()),
    }
}

/// A number rounded to a format, which has to have it in its range.
fn in_format(f: Scalar, number: &Unpacked, sticky: bool, shown: &str) -> Result<u128, String> {
    formats::pack_in_range(f, number, sticky)
        .ok_or_else(|| format!("is out of the range of {f}: {shown}"))
}

fn short(json: &Json) -> String {
    let text = json.to_string();
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

/// Reads an archive of arrays by argument name.
pub fn read_npz(signature: &Signature, bytes: &[u8]) -> Result<Invocation, Diagnostics> {
    let archive = Archive::new(bytes)
        .map_err(|e| wrong(format!("the arguments are not an .npz archive: {e}")))?;
    let mut problems = Diagnostics::default();
    let mut invocation = Invocation::of(Vec::new());
    for slot in &signature.params {
        let elements = match slot.flow {
            Some(Flow::Out) => Ok(Vec::new()),
            _ => read_member(&archive, slot),
        };
        let refuse = |why| problems.push(wrong(format!("argument '{}' {why}", slot.name)));
        let elements = elements.map_err(refuse).unwrap_or_default();
        invocation.push(slot, elements);
    }
    let names = archive.names();
    let names = names.map(|n| n.strip_suffix(".npy").unwrap_or(n));
    refuse_unknown(signature, names, "", &mut problems);
    match problems.has_errors() {
        true => Err(problems),
        false => Ok(invocation),
    }
}

fn read_member(archive: &Archive, slot: &Slot) -> Result<Vec<Value>, String> {
    // The header, and the widest elements of numpy.
    let most = (1 << 16) + 8 * slot.len();
    let bytes = archive.member(&format!("{}.npy", slot.name), most)?;
    from_npy(slot, &npy::read(&bytes)?)
}

fn from_npy(slot: &Slot, array: &NpyArray) -> Result<Vec<Value>, String> {
    let wanted = slot.shape.as_deref().unwrap_or(&[]);
    let (count, got) = (array.elements.len(), &array.shape);
    let fits = match &slot.packed {
        // Of a stream of blocks, the first dimension is that of its elements.
        Some(packed) => match &got[..] {
            [count, block @ ..] => block == packed.shape && *count <= slot.len() as u64,
            [] => false,
        },
        None => {
            let fits = count == slot.len() || slot.is_stream() && count < slot.len();
            got == wanted || got.len() <= 1 && fits
        }
    };
    if !fits {
        return Err(format!(
            "has the wrong shape: it must be {wanted:?}, not {got:?}"
        ));
    }
    let element = |(position, bits): (usize, &u64)| {
        npy_element(slot.leaf(), array.dtype, *bits)
            .map_err(|why| format!("{why} at {:?}", slot.subscripts(position)))
    };
    let leaves: Result<_, _> = array.elements.iter().enumerate().map(element).collect();
    leaves.map(|leaves| slot.gathered(leaves))
}

fn npy_float(dtype: Dtype) -> Option<FloatFormat> {
    match (dtype.kind, dtype.size) {
        ('f', 2) => Some(FloatFormat::F16),
        ('f', 4) => Some(FloatFormat::F32),
        ('f', 8) => Some(FloatFormat::F64),
        _ => None,
    }
}

fn npy_element(ty: Scalar, dtype: Dtype, bits: u64) -> Result<Value, String> {
    let integer = || {
        let width = 8 * dtype.size as u32;
        let signed = dtype.kind == 'i';
        Scalar::Int { signed, width }.wrap(&BigInt::from(bits))
    };
    match (ty, npy_float(dtype)) {
        (Scalar::Float(to), Some(from)) if from == to => {
            Ok(Value::new(Data::Float(u128::from(bits))))
        }
        (Scalar::Float(_) | Scalar::Storage(_), Some(from)) => {
            let number = formats::unpack(from.into(), bits.into());
            let shown = show_float(from.into(), bits.into(), false).to_string();
            in_format(ty, &number, false, &shown).map(|b| Value::new(Data::Float(b)))
        }
        (Scalar::Float(_) | Scalar::Storage(_), None) => {
            let number = formats::exact_int(integer());
            let shown = integer().to_string();
            in_format(ty, &number, false, &shown).map(|b| Value::new(Data::Float(b)))
        }
        (_, Some(_)) => Err(format!(
            "holds floats ({}) where {ty} is wanted",
            dtype.name()
        )),
        (_, None) => in_range(ty, integer()),
    }
}

/// One value as it stands in a file: a JSON text.
pub fn show(ty: Scalar, value: &Value, bits: bool) -> Json {
    if value.tainted {
        return Json::Null;
    }
    match (&value.data, ty) {
        (Data::Float(pattern), _) => show_float(ty, *pattern, bits),
        (data, _) => number(&data.to_bigint().to_string()),
    }
}

fn number(text: &str) -> Json {
    // Digits that this room wrote itself are a JSON number.
    serde_json::from_str(text).unwrap_or(Json::Null)
}

fn show_float(f: Scalar, pattern: u128, bits: bool) -> Json {
    if !bits {
        if let Some(text) = decimal::print(f, pattern) {
            return number(&text);
        }
        match formats::unpack(f, pattern) {
            Unpacked::Infinite(true) => return "-inf".into(),
            Unpacked::Infinite(false) => return "inf".into(),
            nan if formats::pack(f, &nan, false) == pattern => return "nan".into(),
            _ => {}
        }
    }
    let digits = f.width().div_ceil(4) as usize;
    format!("0x{pattern:0digits$x}").into()
}

/// The elements of a parameter or result as they stand in a file.
pub fn slot_json(slot: &Slot, elements: &Elements) -> Json {
    show_slot(slot, elements, false)
}

fn show_slot(slot: &Slot, elements: &Elements, bits: bool) -> Json {
    let mut leaves = elements.iter().map(|v| show_element(slot, &v, bits));
    match slot.is_stream() {
        true => leaves.collect(),
        false => nest(slot.shape.as_deref().unwrap_or(&[]), &mut leaves),
    }
}

/// An element, or the nested list of a block.
fn show_element(slot: &Slot, value: &Value, bits: bool) -> Json {
    let shape = slot.packed.as_ref().map_or(&[][..], |packed| &packed.shape);
    let leaves = slot.leaves(value);
    nest(
        shape,
        &mut leaves.iter().map(|leaf| show(slot.leaf(), leaf, bits)),
    )
}

fn nest(shape: &[u64], leaves: &mut impl Iterator<Item = Json>) -> Json {
    match shape {
        [] => leaves.next().unwrap_or(Json::Null),
        [extent, rest @ ..] => (0..*extent).map(|_| nest(rest, leaves)).collect(),
    }
}

/// Elements of a stream that messages show.
const SHOWN: u64 = 32;

/// The beginning, of so many characters, of the arguments of an invocation as a JSON object.
pub fn invocation_text(signature: &Signature, invocation: &Invocation, most: usize) -> String {
    let mut out = String::new();
    for (slot, elements) in signature.params.iter().zip(&invocation.args) {
        let before = if out.is_empty() { '{' } else { ',' };
        out += &format!("{before}{}:", Json::from(slot.name.as_str()));
        let mut leaves = elements.iter().map(|v| show_element(slot, &v, false));
        // Of a stream, the beginning.
        let shape = match slot.is_stream() {
            true => &[SHOWN],
            false => slot.shape.as_deref().unwrap_or(&[]),
        };
        write_nested(&mut out, shape, &mut leaves, most);
    }
    out += if out.is_empty() { "{}" } else { "}" };
    if let Some((at, _)) = out.char_indices().nth(most) {
        out.truncate(at);
        out += "...";
    }
    out
}

/// Writes the leaves of a nested list, or, once there is enough text, no others.
fn write_nested(
    out: &mut String,
    shape: &[u64],
    leaves: &mut impl Iterator<Item = Json>,
    most: usize,
) {
    let [extent, rest @ ..] = shape else {
        return *out += &leaves.next().unwrap_or(Json::Null).to_string();
    };
    for i in 0..*extent {
        // In UTF-8 a character has at most four bytes.
        if out.len() > 4 * most {
            return;
        }
        out.push(if i == 0 { '[' } else { ',' });
        write_nested(out, rest, leaves, most);
    }
    out.push(']');
}

/// What a run left behind as a JSON object: the arrays by name, the result under `return`. Elements
/// that the language leaves unspecified are `null`; `bits` writes floats as bit patterns.
pub fn results_json(
    signature: &Signature,
    params: &[Elements],
    results: &[Elements],
    bits: bool,
) -> Json {
    let arrays = signature
        .params
        .iter()
        .zip(params)
        .filter(|(slot, _)| slot.is_array() && slot.flow != Some(Flow::In));
    let mut object: serde_json::Map<String, Json> = arrays
        .map(|(slot, elements)| (slot.name.clone(), show_slot(slot, elements, bits)))
        .collect();
    let mut shown = signature
        .results
        .iter()
        .zip(results)
        .map(|(slot, elements)| show_slot(slot, elements, bits));
    let returned = match signature.results.len() {
        0 => None,
        1 => shown.next(),
        _ => Some(shown.collect()),
    };
    object.extend(returned.map(|json| ("return".to_string(), json)));
    Json::Object(object)
}

/// The same as an `.npz` archive; a tuple's results are `return_0`, `return_1`, ... Formats that
/// numpy lacks are written as the narrowest of its floats that holds them, with `bits` all floats as
/// unsigned integers. Unspecified elements are 0.
pub fn results_npz(
    signature: &Signature,
    params: &[Elements],
    results: &[Elements],
    bits: bool,
) -> Result<Vec<u8>, Diagnostics> {
    let mut members = Vec::new();
    let arrays = signature
        .params
        .iter()
        .zip(params)
        .filter(|(slot, _)| slot.is_array());
    let arrays = arrays.map(|(slot, elements)| (slot.name.clone(), slot, elements));
    let single = signature.results.len() == 1;
    let returned = signature.results.iter().zip(results).enumerate();
    let returned = returned.map(|(i, (slot, elements))| match single {
        true => ("return".to_string(), slot, elements),
        false => (format!("return_{i}"), slot, elements),
    });
    for (name, slot, elements) in arrays.chain(returned) {
        let too_wide = || {
            let ty = slot.leaf();
            wrong(format!("'{name}' of type {ty} does not fit numpy's types")).help("write JSON")
        };
        let dtype = npy_dtype(slot.leaf(), bits).ok_or_else(too_wide)?;
        let leaves = elements.iter().flat_map(|v| slot.leaves(&v));
        let mut shape = match slot.is_stream() {
            true => vec![elements.len() as u64],
            false => slot.shape.clone().unwrap_or_default(),
        };
        shape.extend(slot.packed.iter().flat_map(|packed| &packed.shape));
        let array = NpyArray {
            dtype,
            shape,
            elements: leaves.map(|v| npy_bits(slot.leaf(), dtype, &v)).collect(),
        };
        members.push((format!("{name}.npy"), npy::write(&array)));
    }
    let members = members
        .iter()
        .map(|(name, contents)| (&**name, &contents[..]));
    let archive = npz::write(members);
    Ok(archive.map_err(|e| wrong(format!("cannot write the archive: {e}")))?)
}

fn npy_dtype(ty: Scalar, bits: bool) -> Option<Dtype> {
    let bytes = |width: u32| {
        [1, 2, 4, 8]
            .into_iter()
            .find(|size| 8 * size >= width as usize)
    };
    // Arithmetic's formats hold the storage formats.
    let shown = if bits { ty } else { ty.computed() };
    let (kind, size) = match shown {
        Scalar::Float(f) if !bits => {
            let holds = |g: &FloatFormat| g.exp >= f.exp && g.frac >= f.frac;
            let formats = [FloatFormat::F16, FloatFormat::F32, FloatFormat::F64];
            let width = formats.iter().find(|g| holds(g))?.width();
            ('f', bytes(width)?)
        }
        Scalar::BOOL => ('b', 1),
        _ if ty.is_signed() => ('i', bytes(ty.width())?),
        _ => ('u', bytes(ty.width())?),
    };
    Some(Dtype { kind, size })
}

fn npy_bits(ty: Scalar, dtype: Dtype, value: &Value) -> u64 {
    match (&value.data, ty, npy_float(dtype)) {
        _ if value.tainted => 0,
        (Data::Float(pattern), _, Some(to)) if ty != to.into() => {
            formats::convert(ty, to.into(), *pattern) as u64
        }
        (Data::Float(pattern), ..) => *pattern as u64,
        (Data::Int(i), ..) => *i as u64,
        (Data::Big(_), ..) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const F32: Scalar = Scalar::Float(FloatFormat::F32);

    fn slot(name: &str, ty: Scalar, shape: Option<&[u64]>) -> Slot {
        Slot {
            name: name.into(),
            ty,
            shape: shape.map(<[u64]>::to_vec),
            flow: None,
            packed: None,
        }
    }

    fn signature() -> Signature {
        Signature {
            params: vec![
                slot("n", Scalar::signed(8), None),
                slot("w", Scalar::unsigned(96), None),
                slot("x", F32, Some(&[2, 2])),
                slot("b", Scalar::BOOL, Some(&[])),
            ],
            results: vec![slot("ap_return", F32, None)],
            keeps_state: false,
            timed: 0,
            is_apart: false,
            assumed: Default::default(),
        }
    }

    const GOOD: &str = r#"{"n": -128, "w": "0xffffffffffffffffffffffff",
        "x": [[1, "nan"], ["-inf", "0xffc00001"]], "b": true}"#;

    #[test]
    fn arguments_read_and_print_the_same() {
        let signature = signature();
        let read = read_json(&signature, GOOD).unwrap();
        let flat = GOOD.replace(
            "[[1, \"nan\"], [\"-inf\", \"0xffc00001\"]]",
            "[1.0, \"nan\", \"-inf\", \"0xffc00001\"]",
        );
        assert_eq!(read_json(&signature, &format!("[{flat}]")).unwrap(), read);
        let json = invocation_text(&signature, &read[0], 1000);
        assert_eq!(
            json,
            r#"{"n":-128,"w":79228162514264337593543950335,"x":[[1.0,"nan"],["-inf","0xffc00001"]],"b":1}"#
        );
        assert_eq!(read_json(&signature, &json).unwrap(), read);
        assert_eq!(
            invocation_text(&signature, &read[0], 12),
            r#"{"n":-128,"w..."#
        );
        let bits = show_slot(&signature.params[2], &read[0].args[2], true).to_string();
        assert_eq!(
            bits,
            r#"[["0x3f800000","0x7fc00000"],["0xff800000","0xffc00001"]]"#
        );
        let bits = GOOD.replace("[[1, \"nan\"], [\"-inf\", \"0xffc00001\"]]", &bits);
        assert_eq!(read_json(&signature, &bits).unwrap(), read);
    }

    fn problems(text: &str) -> Vec<String> {
        let problems = read_json(&signature(), text).unwrap_err();
        problems.0.into_iter().map(|d| d.message).collect()
    }

    #[test]
    fn bad_arguments_are_named() {
        let change = |from: &str, to: &str| problems(&GOOD.replace(from, to)).join("; ");
        assert_eq!(
            change("-128", "128"),
            "argument 'n' is out of the range of i8: 128"
        );
        assert_eq!(
            change("-128", "1.5"),
            "argument 'n' is no integer of type i8: 1.5"
        );
        assert_eq!(
            change("-128", "true"),
            "argument 'n' is no integer of type i8: true"
        );
        assert_eq!(
            change("\"n\"", "\"m\""),
            "argument 'n' is missing; the kernel has no parameter 'm'"
        );
        assert_eq!(
            change("[1, \"nan\"]", "[1e39, 0]"),
            "argument 'x' is out of the range of f32: 1e+39 at [0, 0]"
        );
        assert_eq!(
            change("[1, \"nan\"]", "[1]"),
            "argument 'x' has the wrong shape, it must be [2, 2]: 1 elements instead of 2"
        );
        assert_eq!(
            change("\"nan\"", "\"1ff\""),
            "argument 'x' is no f32: \"1ff\" at [0, 1]"
        );
        assert_eq!(
            change("0xffc00001", "0x1ffc00001"),
            "argument 'x' is a bit pattern wider than f32: 0x1ffc00001 at [1, 1]"
        );
        assert_eq!(problems("3"), ["the arguments must be an object by name"]);
        assert!(problems("{")[0].starts_with("the arguments are not JSON"));
        let second = problems(&format!("[{GOOD}, {}]", GOOD.replace("-128", "\"0x\"")));
        assert_eq!(
            second,
            ["invocation 1: argument 'n' is no integer of type i8: \"0x\""]
        );
    }

    #[test]
    fn npz_round_trip() {
        let bf16 = Scalar::Float(FloatFormat::BF16);
        let params = vec![
            slot("i", Scalar::signed(12), Some(&[3])),
            slot("f", F32, Some(&[2, 1])),
            slot("h", bf16, Some(&[2])),
            slot("b", Scalar::BOOL, Some(&[2])),
        ];
        let signature = Signature {
            params,
            results: vec![],
            keeps_state: false,
            timed: 0,
            is_apart: false,
            assumed: Default::default(),
        };
        let text = r#"{"i": [-2048, 0, 2047], "f": [[1.5], ["0xff800001"]], "h": [1, "inf"], "b": [1, 0]}"#;
        let read = read_json(&signature, text).unwrap().remove(0);
        let archive = results_npz(&signature, &read.args, &[], false).unwrap();
        assert_eq!(read_npz(&signature, &archive).unwrap(), read);
        let mut other = signature.clone();
        other.params[0].ty = Scalar::unsigned(12);
        other.params[3].shape = Some(vec![3]);
        other.params.remove(1);
        let messages: Vec<String> = read_npz(&other, &archive)
            .unwrap_err()
            .0
            .into_iter()
            .map(|d| d.message)
            .collect();
        assert_eq!(
            messages,
            [
                "argument 'i' is out of the range of u12: -2048 at [0]",
                "argument 'b' has the wrong shape: it must be [3], not [2]",
                "the kernel has no parameter 'f'",
            ]
        );
        assert!(read_npz(&signature, b"nonsense").is_err());
    }
}

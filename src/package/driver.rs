//! Drivers: C for plain memory-mapped access and Linux UIO, and Python.

use super::registers::{self, LocalArray, Register, Role};
use super::{File, class, fill};
use crate::rtl::interface::block::BlockManifest;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The files; none for a block without a control slave.
pub fn files(manifest: &BlockManifest) -> Vec<File> {
    if manifest.control.is_none() {
        return Vec::new();
    }
    let name = &manifest.module;
    vec![
        (format!("driver/{name}.h"), header(manifest)),
        (format!("driver/{name}.c"), source(manifest)),
        (format!("driver/{}.py", python_name(name)), python(manifest)),
    ]
}

/// What the Python driver imports.
const IMPORTED: [&str; 5] = ["json", "mmap", "os", "struct", "time"];

/// The name of the Python driver, which is not that of what it imports.
fn python_name(module: &str) -> String {
    match IMPORTED.contains(&module) {
        true => format!("{module}_block"),
        false => module.to_owned(),
    }
}

/// Names with `_t` behind them that the C library and POSIX have.
const C_TYPES: [&str; 44] = [
    "blkcnt",
    "blksize",
    "char8",
    "char16",
    "char32",
    "clock",
    "clockid",
    "dev",
    "div",
    "double",
    "fexcept",
    "float",
    "fpos",
    "fenv",
    "gid",
    "id",
    "imaxdiv",
    "ino",
    "int8",
    "int16",
    "int32",
    "int64",
    "intmax",
    "intptr",
    "ldiv",
    "lldiv",
    "locale",
    "max_align",
    "mode",
    "nlink",
    "off",
    "pid",
    "ptrdiff",
    "regex",
    "size",
    "ssize",
    "suseconds",
    "time",
    "timer",
    "uid",
    "useconds",
    "wchar",
    "wctype",
    "wint",
];

/// What names of the C driver begin with.
fn c_name(module: &str) -> String {
    let unsigned = module.strip_prefix('u').unwrap_or(module);
    match C_TYPES.contains(&module) || unsigned.starts_with("int") && C_TYPES.contains(&unsigned) {
        true => format!("{module}_block"),
        false => module.to_owned(),
    }
}

fn python(manifest: &BlockManifest) -> String {
    let list = registers::list(manifest);
    let registers: BTreeMap<&str, _> = list
        .iter()
        .map(|r| (r.name.as_str(), json!([r.offset, r.words])))
        .collect();
    let arrays = registers::arrays(manifest);
    let arrays: BTreeMap<&str, _> = arrays
        .iter()
        .map(|a| (a.name.as_str(), json!([a.offset, a.bytes, a.length])))
        .collect();
    let bits = manifest
        .control
        .as_ref()
        .map(|control| &control.status.bits);
    fill(
        include_str!("templates/driver.py"),
        &[
            ("name", &manifest.module),
            ("class", &class(&manifest.module)),
            ("registers", &json!(registers).to_string()),
            ("arrays", &json!(arrays).to_string()),
            ("status_bits", &json!(bits).to_string()),
            ("span", &span(manifest).to_string()),
        ],
    )
}

/// Bytes of the control slave, in pages.
pub fn span(manifest: &BlockManifest) -> u64 {
    let width = manifest
        .control
        .as_ref()
        .map_or(0, |control| control.address_width);
    (1u64 << width).max(4096)
}

/// How C passes a value.
enum Passed {
    /// By value, as this type.
    Number(&'static str),
    /// By value; the bits are copied.
    Float(&'static str),
    /// As words.
    Words,
}

fn passed(register: &Register) -> Passed {
    let is_signed = register.ty.starts_with('i') && register.ty != "index";
    match (register.ty.as_str(), register.width) {
        ("f32", _) => Passed::Float("float"),
        ("f64", _) => Passed::Float("double"),
        (_, 65..) => Passed::Words,
        (_, 33..) if is_signed => Passed::Number("int64_t"),
        (_, 33..) => Passed::Number("uint64_t"),
        _ if is_signed => Passed::Number("int32_t"),
        _ => Passed::Number("uint32_t"),
    }
}

/// Functions of one register: declaration and body.
fn functions(block: &str, register: &Register) -> Vec<(String, String)> {
    let Register {
        name,
        offset,
        words,
        ..
    } = register;
    let put = |value: &str| format!("    put(self, {offset:#x}, {words}, {value});\n");
    let get = |value: &str| format!("    get(self, {offset:#x}, {words}, {value});\n");
    let setter = |ty: &str| format!("void {block}_set_{name}({block}_t *self, {ty} value)");
    let getter = |ty: &str, what: &str| format!("{ty} {block}_get_{what}(const {block}_t *self)");
    let declare = format!("    uint32_t words[{words}];\n");
    match (register.role, passed(register)) {
        (Role::Argument | Role::Base, Passed::Words) => {
            let head =
                format!("void {block}_set_{name}({block}_t *self, const uint32_t words[{words}])");
            vec![(head, put("words"))]
        }
        (Role::Argument | Role::Base, Passed::Float(ty)) => {
            let body = format!(
                "{}    bits.value = value;\n{}",
                bits(ty, *words),
                put("bits.words")
            );
            vec![(setter(ty), body)]
        }
        (Role::Argument | Role::Base, Passed::Number(ty)) => {
            let high = if *words == 2 {
                "    words[1] = (uint32_t)((uint64_t)value >> 32);\n"
            } else {
                ""
            };
            let body = format!(
                "{declare}    words[0] = (uint32_t)value;\n{high}{}",
                put("words")
            );
            vec![(setter(ty), body)]
        }
        (Role::Result, Passed::Words) => {
            let head = format!(
                "void {block}_get_{}(const {block}_t *self, uint32_t words[{words}])",
                short(name)
            );
            vec![(head, get("words"))]
        }
        (Role::Result, Passed::Float(ty)) => {
            let body = format!(
                "{}{}    return bits.value;\n",
                bits(ty, *words),
                get("bits.words")
            );
            vec![(getter(ty, short(name)), body)]
        }
        (Role::Result, Passed::Number(ty)) => {
            let high = if *words == 2 {
                " | (uint64_t)words[1] << 32"
            } else {
                ""
            };
            let mut body = format!(
                "{declare}    uint64_t value;\n{}    value = words[0]{high};\n",
                get("words")
            );
            if ty.starts_with("int") {
                // Copies of the sign above the width.
                let sign = 1u64 << (register.width - 1);
                let _ = writeln!(
                    body,
                    "    value = (value ^ UINT64_C({sign:#x})) - UINT64_C({sign:#x});"
                );
            }
            let _ = writeln!(body, "    return ({ty})value;");
            vec![(getter(ty, short(name)), body)]
        }
        _ => Vec::new(),
    }
}

/// Declares a float as words; no function of the C library is needed, so that the driver works without one.
fn bits(ty: &str, words: u32) -> String {
    format!("    union {{ {ty} value; uint32_t words[{words}]; }} bits;\n")
}

/// `return` of `ap_return`.
fn short(name: &str) -> &str {
    name.strip_prefix("ap_").unwrap_or(name)
}

/// Declarations and bodies of all functions that depend on the kernel.
fn own(manifest: &BlockManifest) -> Vec<(String, String)> {
    let block = &c_name(&manifest.module);
    let list = registers::list(manifest);
    let mut own: Vec<(String, String)> = list
        .iter()
        .flat_map(|register| functions(block, register))
        .collect();
    for LocalArray { name, offset, .. } in registers::arrays(manifest) {
        own.push((
            format!("volatile uint32_t *{block}_local_{name}({block}_t *self)"),
            format!("    return self->base + {};\n", offset / 4),
        ));
    }
    own
}

fn header(manifest: &BlockManifest) -> String {
    let mut declared = String::new();
    for (head, _) in own(manifest) {
        let _ = writeln!(declared, "{head};");
    }
    let block = &c_name(&manifest.module);
    fill(
        include_str!("templates/driver.h"),
        &[
            ("own", &declared),
            ("guard", &block.to_ascii_uppercase()),
            ("block", block),
        ],
    )
}

/// Copies words to registers.
const PUT: &str =
    "static void put(@block@_t *self, uint32_t offset, uint32_t count, const uint32_t *words) {
    uint32_t i;
    for (i = 0; i < count; ++i) self->base[offset / 4 + i] = words[i];
}

";

/// Copies registers to words.
const GET: &str =
    "static void get(const @block@_t *self, uint32_t offset, uint32_t count, uint32_t *words) {
    uint32_t i;
    for (i = 0; i < count; ++i) words[i] = self->base[offset / 4 + i];
}

";

fn source(manifest: &BlockManifest) -> String {
    let own = own(manifest);
    let uses = |what: &str| own.iter().any(|(_, body)| body.contains(what));
    let mut text = String::new();
    for (what, function) in [("put(", PUT), ("get(", GET)] {
        if uses(what) {
            text.push_str(function);
        }
    }
    for (head, body) in &own {
        let _ = write!(text, "{head} {{\n{body}}}\n\n");
    }
    let status = manifest
        .control
        .as_ref()
        .map_or(0, |control| control.status.offset / 4);
    let filled = fill(
        include_str!("templates/driver.c"),
        &[
            ("own", &text),
            ("block", &c_name(&manifest.module)),
            ("file", &manifest.module),
            ("status", &status.to_string()),
            ("span", &span(manifest).to_string()),
        ],
    );
    filled.trim_end().to_string() + "\n"
}

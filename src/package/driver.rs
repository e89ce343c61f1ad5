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
        (format!("driver/{name}.py"), python(manifest)),
    ]
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
                "{declare}    memcpy(words, &value, sizeof words);\n{}",
                put("words")
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
                "{declare}    {ty} value;\n{}    memcpy(&value, words, sizeof value);\n    return value;\n",
                get("words")
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

/// `return` of `ap_return`.
fn short(name: &str) -> &str {
    name.strip_prefix("ap_").unwrap_or(name)
}

/// Declarations and bodies of all functions that depend on the kernel.
fn own(manifest: &BlockManifest) -> Vec<(String, String)> {
    let block = &manifest.module;
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

/// Functions of every block: comment, declaration, body.
fn common(block: &str, status: u32, span: u64) -> Vec<(&'static str, String, String)> {
    let t = format!("{block}_t *self");
    let k = format!("const {block}_t *self");
    let row = |about, head: String, body: String| (about, head, body);
    vec![
        row(
            "The block whose control slave is mapped at an address.",
            format!("void {block}_init({t}, volatile void *base)"),
            "    self->base = (volatile uint32_t *)base;\n    self->file = -1;\n".into(),
        ),
        row(
            "Starts an invocation.",
            format!("void {block}_start({t})"),
            "    self->base[0] = (self->base[0] & 0x80u) | 1u;\n".into(),
        ),
        row(
            "Whether an invocation ended since this was last asked.",
            format!("int {block}_is_done({k})"),
            "    return (int)(self->base[0] >> 1 & 1u);\n".into(),
        ),
        row(
            "Whether nothing runs.",
            format!("int {block}_is_idle({k})"),
            "    return (int)(self->base[0] >> 2 & 1u);\n".into(),
        ),
        row(
            "Has invocations follow one another from the next start on, or not.",
            format!("void {block}_auto_restart({t}, int on)"),
            "    self->base[0] = on ? 0x80u : 0u;\n".into(),
        ),
        row(
            "Interrupts: events is 1 for done, 2 for ready.",
            format!("void {block}_interrupt_enable({t}, uint32_t events)"),
            "    self->base[2] = events;\n    self->base[1] = events != 0;\n".into(),
        ),
        row(
            "Takes back the interrupts that are pending; which they were.",
            format!("uint32_t {block}_interrupt_clear({t})"),
            "    uint32_t pending = self->base[3];\n    self->base[3] = pending;\n    return pending;\n".into(),
        ),
        row(
            "Bits of the status register, which are cleared.",
            format!("uint32_t {block}_errors({t})"),
            format!(
                "    uint32_t errors = self->base[{0}];\n    self->base[{0}] = errors;\n    return errors;\n",
                status / 4
            ),
        ),
        row(
            "The block behind a Linux UIO device, such as /dev/uio0; 0, or -1 with errno.",
            format!("int {block}_open({t}, const char *device)"),
            format!(
                "#ifdef __linux__\n    void *base;\n    self->file = open(device, O_RDWR | O_SYNC);\n    if (self->file < 0) \
                 return -1;\n    base = mmap(NULL, {span}, PROT_READ | PROT_WRITE, MAP_SHARED, self->file, 0);\n    \
                 if (base == MAP_FAILED) {{\n        close(self->file);\n        return -1;\n    }}\n    self->base = \
                 (volatile uint32_t *)base;\n    return 0;\n#else\n    (void)self;\n    (void)device;\n    return -1;\n#endif\n"
            ),
        ),
        row(
            "Waits for an interrupt of a UIO device; 0, or -1 with errno.",
            format!("int {block}_wait({t})"),
            "#ifdef __linux__\n    uint32_t count = 1;\n    if (write(self->file, &count, 4) != 4) return -1;\n    return \
             read(self->file, &count, 4) == 4 ? 0 : -1;\n#else\n    (void)self;\n    return -1;\n#endif\n"
                .into(),
        ),
        row(
            "Gives the UIO device back.",
            format!("void {block}_close({t})"),
            format!(
                "#ifdef __linux__\n    munmap((void *)self->base, {span});\n    close(self->file);\n#else\n    (void)self;\n#endif\n"
            ),
        ),
    ]
}

fn status(manifest: &BlockManifest) -> u32 {
    manifest
        .control
        .as_ref()
        .map_or(0, |control| control.status.offset)
}

fn header(manifest: &BlockManifest) -> String {
    let block = &manifest.module;
    let guard = format!("{}_H", block.to_ascii_uppercase());
    let mut text = format!(
        "/* Drives the block {block}. Arrays behind masters take the bus address of a buffer. */\n#ifndef {guard}\n#define \
         {guard}\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\ntypedef struct {{\n    volatile \
         uint32_t *base;\n    int file;\n}} {block}_t;\n\n"
    );
    for (about, head, _) in common(block, status(manifest), span(manifest)) {
        let _ = writeln!(text, "/* {about} */\n{head};");
    }
    text.push('\n');
    for (head, _) in own(manifest) {
        let _ = writeln!(text, "{head};");
    }
    text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
}

fn source(manifest: &BlockManifest) -> String {
    let block = &manifest.module;
    let own = own(manifest);
    let uses = |what: &str| own.iter().any(|(_, body)| body.contains(what));
    let mut text = String::new();
    text.push_str("#ifdef __linux__\n#define _DEFAULT_SOURCE\n#include <fcntl.h>\n#include <sys/mman.h>\n#include <unistd.h>\n#endif\n");
    let _ = write!(text, "#include \"{block}.h\"\n\n#include <string.h>\n\n");
    if uses("put(") {
        let _ = write!(
            text,
            "static void put({block}_t *self, uint32_t offset, uint32_t count, const uint32_t *words) {{\n    uint32_t i;\n    \
             for (i = 0; i < count; ++i) self->base[offset / 4 + i] = words[i];\n}}\n\n"
        );
    }
    if uses("get(") {
        let _ = write!(
            text,
            "static void get(const {block}_t *self, uint32_t offset, uint32_t count, uint32_t *words) {{\n    uint32_t i;\n    \
             for (i = 0; i < count; ++i) words[i] = self->base[offset / 4 + i];\n}}\n\n"
        );
    }
    for (_, head, body) in common(block, status(manifest), span(manifest)) {
        let _ = write!(text, "{head} {{\n{body}}}\n\n");
    }
    for (head, body) in own {
        let _ = write!(text, "{head} {{\n{body}}}\n\n");
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

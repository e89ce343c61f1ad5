//! The registers of a block as a list, and as SystemRDL.

use crate::rtl::interface::block::{BlockKind, BlockManifest, Via};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What a register is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Of every block.
    Control,
    /// A scalar argument.
    Argument,
    /// The base address of an array.
    Base,
    /// A scalar result.
    Result,
    /// Whether a result is new.
    Valid,
    /// Errors.
    Status,
}

/// A register of one word or more.
#[derive(Clone, Debug)]
pub struct Register {
    /// Its name, unique.
    pub name: String,
    /// Byte offset.
    pub offset: u32,
    /// Words of 32 bits.
    pub words: u32,
    /// Bits that mean something.
    pub width: u32,
    /// Name of its type in the language.
    pub ty: String,
    /// What it is for.
    pub role: Role,
}

/// A local array.
#[derive(Clone, Debug)]
pub struct LocalArray {
    /// Its name.
    pub name: String,
    /// Byte offset of element 0.
    pub offset: u32,
    /// Bytes of an element.
    pub bytes: u32,
    /// Elements.
    pub length: u64,
}

/// All registers, by offset.
pub fn list(manifest: &BlockManifest) -> Vec<Register> {
    let Some(control) = &manifest.control else {
        return Vec::new();
    };
    let one = |name: &str, offset, role| Register {
        name: name.to_string(),
        offset,
        words: 1,
        width: 32,
        ty: "u32".into(),
        role,
    };
    let fixed = ["CTRL", "GIE", "IER", "ISR"].iter().zip(0..);
    let mut list: Vec<Register> = fixed
        .map(|(name, word)| one(name, 4 * word, Role::Control))
        .collect();
    list.push(one("STATUS", control.status.offset, Role::Status));
    // By their places among the results, as the ports of arrays are.
    let results = manifest.returns.iter().zip(0..);
    let results = results.map(|(port, at)| (port, Some(at)));
    for (port, result) in results.chain(manifest.args.iter().map(|port| (port, None))) {
        let is_result = result.is_some();
        let name = port.name.clone().unwrap_or_else(|| match result {
            Some(at) if manifest.returns.len() > 1 => format!("ap_return_{at}"),
            _ => "ap_return".into(),
        });
        match &port.kind {
            BlockKind::Scalar {
                ty,
                width,
                offset,
                words,
                valid,
            } => {
                list.push(Register {
                    name: name.clone(),
                    offset: *offset,
                    words: *words,
                    width: *width,
                    ty: ty.clone(),
                    role: if is_result {
                        Role::Result
                    } else {
                        Role::Argument
                    },
                });
                if let Some(valid) = valid {
                    list.push(one(&format!("{name}_valid"), *valid, Role::Valid));
                }
            }
            BlockKind::Array {
                via: Via::MAxi { offset, .. },
                ..
            } => list.push(Register {
                words: 2,
                width: 64,
                ty: "u64".into(),
                ..one(&name, *offset, Role::Base)
            }),
            _ => {}
        }
    }
    name_apart(&mut list);
    list.sort_by_key(|register| register.offset);
    list
}

/// Has no two registers, nor words of them, have one name; the first ones keep theirs.
fn name_apart(list: &mut [Register]) {
    let mut taken = BTreeSet::new();
    for register in list {
        let words = |name: &str| -> Vec<String> {
            let words = (0..register.words).filter(|_| register.words > 1);
            let words = words.map(|word| format!("{name}_{word}"));
            std::iter::once(name.to_owned()).chain(words).collect()
        };
        let mut name = register.name.clone();
        while words(&name).iter().any(|name| taken.contains(name)) {
            name.push('_');
        }
        taken.extend(words(&name));
        register.name = name;
    }
}

/// All local arrays.
pub fn arrays(manifest: &BlockManifest) -> Vec<LocalArray> {
    let arrays = manifest
        .args
        .iter()
        .chain(&manifest.returns)
        .filter_map(|port| {
            let BlockKind::Array {
                shape,
                via:
                    Via::Local {
                        offset,
                        element_bytes,
                    },
                ..
            } = &port.kind
            else {
                return None;
            };
            Some(LocalArray {
                name: port.name.clone().unwrap_or_default(),
                offset: *offset,
                bytes: *element_bytes,
                length: shape.iter().product(),
            })
        });
    arrays.collect()
}

/// What software's reads and writes do to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is what was written.
    Kept,
    /// The block alone changes it.
    ReadOnly,
    /// The same; a read clears it.
    ClearedByReads,
    /// Ones set it.
    SetByOnes,
    /// Ones turn it over.
    TurnedByOnes,
    /// Ones clear it.
    ClearedByOnes,
}

impl Effect {
    /// As properties of SystemRDL.
    fn systemrdl(self) -> &'static str {
        match self {
            Effect::Kept => "sw = rw; hw = r;",
            Effect::ReadOnly => "sw = r; hw = w;",
            Effect::ClearedByReads => "sw = r; onread = rclr; hw = w;",
            Effect::SetByOnes => "sw = rw; onwrite = woset; hw = rw;",
            Effect::TurnedByOnes => "sw = rw; onwrite = wot; hw = rw;",
            Effect::ClearedByOnes => "sw = rw; onwrite = woclr; hw = rw;",
        }
    }

    /// As elements of IP-XACT.
    pub fn ipxact(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Effect::Kept => &[("access", "read-write")],
            Effect::ReadOnly => &[("access", "read-only")],
            Effect::ClearedByReads => &[("access", "read-only"), ("readAction", "clear")],
            Effect::SetByOnes => &[("access", "read-write"), ("modifiedWriteValue", "oneToSet")],
            Effect::TurnedByOnes => &[
                ("access", "read-write"),
                ("modifiedWriteValue", "oneToToggle"),
            ],
            Effect::ClearedByOnes => &[
                ("access", "read-write"),
                ("modifiedWriteValue", "oneToClear"),
            ],
        }
    }
}

/// A field of a word.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name, unique in the word.
    pub name: String,
    /// Its lowest bit.
    pub bit: u32,
    /// Its bits.
    pub width: u32,
    /// What software does to it.
    pub effect: Effect,
}

/// A field of one bit: its name, its number, what software does to it.
type Bit = (&'static str, u32, Effect);

/// Fields of the registers that every block has.
const FIELDS: [(&str, &[Bit]); 4] = [
    (
        "CTRL",
        &[
            ("ap_start", 0, Effect::SetByOnes),
            ("ap_done", 1, Effect::ClearedByReads),
            ("ap_idle", 2, Effect::ReadOnly),
            ("ap_ready", 3, Effect::ClearedByReads),
            ("auto_restart", 7, Effect::Kept),
            ("interrupt", 9, Effect::ReadOnly),
        ],
    ),
    ("GIE", &[("enable", 0, Effect::Kept)]),
    (
        "IER",
        &[("done", 0, Effect::Kept), ("ready", 1, Effect::Kept)],
    ),
    (
        "ISR",
        &[
            ("done", 0, Effect::TurnedByOnes),
            ("ready", 1, Effect::TurnedByOnes),
        ],
    ),
];

/// The fields of a word of a register.
pub fn fields(manifest: &BlockManifest, register: &Register, word: u32) -> Vec<Field> {
    let bit = |name: &str, bit, effect| Field {
        name: name.to_string(),
        bit,
        width: 1,
        effect,
    };
    let whole = |width, effect| Field {
        width,
        ..bit("value", 0, effect)
    };
    match register.role {
        Role::Control => {
            let known = FIELDS.iter().filter(|(name, _)| *name == register.name);
            let all = known.flat_map(|(_, fields)| *fields);
            all.map(|(name, at, effect)| bit(name, *at, *effect))
                .collect()
        }
        Role::Status => {
            let status = manifest
                .control
                .iter()
                .flat_map(|control| &control.status.bits);
            status
                .map(|(name, at)| bit(name, *at, Effect::ClearedByOnes))
                .collect()
        }
        Role::Result => vec![whole(
            (register.width - 32 * word).min(32),
            Effect::ReadOnly,
        )],
        Role::Valid => vec![whole(1, Effect::ClearedByReads)],
        // They keep all of the words that are written.
        Role::Argument | Role::Base => vec![whole(32, Effect::Kept)],
    }
}

/// The registers in SystemRDL 2.0.
pub fn systemrdl(manifest: &BlockManifest) -> String {
    let mut text = format!(
        "addrmap {} {{\n    default regwidth = 32;\n    default accesswidth = 32;\n",
        manifest.module
    );
    for register in list(manifest) {
        let Register {
            name,
            offset,
            words,
            ..
        } = &register;
        for word in 0..*words {
            let suffix = if *words > 1 {
                format!("_{word}")
            } else {
                String::new()
            };
            // Names of control bits are words of the language.
            let end = match register.role {
                Role::Control => "_f",
                _ => "",
            };
            let field = |field: Field| {
                let (low, high) = (field.bit, field.bit + field.width - 1);
                let access = field.effect.systemrdl();
                format!(
                    "field {{ {access} }} {}{end}[{high}:{low}] = 0; ",
                    field.name
                )
            };
            let fields = fields(manifest, &register, word).into_iter();
            let fields: String = fields.map(field).collect();
            let _ = writeln!(
                text,
                "    reg {{ {fields}}} {name}{suffix}_r @ {:#x};",
                offset + 4 * word
            );
        }
    }
    for LocalArray {
        name,
        offset,
        bytes,
        length,
    } in arrays(manifest)
    {
        let entries = (length * u64::from(bytes)).div_ceil(4).max(1);
        let _ = writeln!(
            text,
            "    external mem {{ mementries = {entries}; memwidth = 32; sw = rw; }} {name}_m @ {offset:#x};"
        );
    }
    text + "};\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An argument with the name of a register that every block has, and one with that of a word of another one.
    #[test]
    fn names_are_unique() {
        let register = |name: &str, words| Register {
            name: name.into(),
            offset: 0,
            words,
            width: 32 * words,
            ty: "u32".into(),
            role: Role::Argument,
        };
        let mut list = [("CTRL", 1), ("x", 2), ("CTRL", 1), ("x_0", 1), ("x_0_", 1)]
            .map(|(name, words)| register(name, words));
        name_apart(&mut list);
        let names = list.map(|register| register.name);
        assert_eq!(names, ["CTRL", "x", "CTRL_", "x_0_", "x_0__"]);
    }
}

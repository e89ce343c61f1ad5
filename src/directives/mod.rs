//! Directives: what a user says about the hardware of a kernel, as data. They come from the command line or from a file and
//! become tags of loops and partitions of arrays; each is carried out or refused with the reason.

mod apply;
mod banks;
mod copies;
mod flags;
mod kernels;
mod names;
mod storage;

use crate::ir::PartitionKind;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use toml::{Table, Value as Toml};

pub use apply::{Made, apply, arrays, carry_out, loops, reassociates};
pub use banks::Asked;
pub use copies::make as make_copies;
pub use flags::{FLAGS, Flag, flag};
pub use kernels::{calls, check_call, count_calls};
pub use names::{Found, Names, ends_in, is_instance};
pub use storage::Implementation;

/// One directive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Directive {
    /// How the iterations of a loop overlap.
    Pipeline {
        /// Its name.
        #[serde(alias = "loops")]
        r#loop: String,
        /// Cycles from the start of an iteration to the next; 0: the fewest that work, -1: one iteration after the other.
        #[serde(default = "one")]
        ii: i64,
    },
    /// How many iterations of a loop become one.
    Unroll {
        /// Its name.
        #[serde(alias = "loops")]
        r#loop: String,
        /// So many; 0: all.
        #[serde(default)]
        factor: i64,
    },
    /// A loop becomes two, the inner one of `factor` iterations.
    Split {
        /// Its name.
        r#loop: String,
        /// So many.
        factor: u64,
    },
    /// Loops of a perfect nest in another order.
    Reorder {
        /// Their names, outermost first.
        loops: Vec<String>,
        /// Whether sums of floats may change with that.
        #[serde(default, skip_serializing_if = "is_false")]
        reassociate: bool,
    },
    /// Each of the loops of a perfect nest becomes two, and all inner parts stand inside.
    Tile {
        /// Their names, outermost first.
        loops: Vec<String>,
        /// Iterations of the inner part of each.
        factors: Vec<u64>,
        /// Whether sums of floats may change with that.
        #[serde(default, skip_serializing_if = "is_false")]
        reassociate: bool,
    },
    /// Neighbours in a perfect nest become one loop.
    Flatten {
        /// Their names.
        loops: Vec<String>,
    },
    /// A nest of loops becomes a part of a later one.
    ComputeAt {
        /// A loop of it.
        producer: String,
        /// The loop of the later one that it is in then.
        axis: String,
    },
    /// A local copy of what an iteration touches of an array.
    BufferAt {
        /// The array.
        #[serde(alias = "array")]
        buffer: String,
        /// The loop.
        axis: String,
    },
    /// A window that moves along an array with a loop.
    ReuseAt {
        /// The array.
        #[serde(alias = "array")]
        buffer: String,
        /// The loop.
        axis: String,
        /// Whether elements stay where they are.
        #[serde(default, skip_serializing_if = "is_false")]
        ring: bool,
    },
    /// A nest becomes a kernel, which is called where it was.
    Outline {
        /// Its outermost loop.
        op: String,
        /// What the kernel is called.
        func_name: String,
        /// How many workers share the iterations of each of the outermost loops.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        mapping: Vec<u64>,
    },
    /// The calls of a kernel, and what is between them, run at the same time as far as arrays and scalars allow.
    Dataflow {
        /// The kernel.
        #[serde(alias = "kernels")]
        kernel: String,
    },
    /// The arrays between the calls of kernels become streams, where they are written and read in the same order.
    Streamline {
        /// The kernel that calls them.
        caller: String,
        /// The kernels whose calls write, each a block of its own.
        #[serde(rename = "producer", with = "one_or_more")]
        producers: Vec<String>,
        /// Which of their calls, from 0; one for each, or none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        producer_ids: Vec<u64>,
        /// The kernels whose calls read; each gets every element.
        #[serde(rename = "consumer", with = "one_or_more")]
        consumers: Vec<String>,
        /// Which of their calls, from 0; one for each, or none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        consumer_ids: Vec<u64>,
        /// Streams side by side: elements of neighbouring columns, one after the other, are in one each.
        #[serde(default = "one_lane", skip_serializing_if = "is_one")]
        lanes: u64,
        /// Elements that a stream holds.
        #[serde(default = "two")]
        depth: u64,
    },
    /// Calls of a kernel get one of their own, for further directives.
    Instance {
        /// The kernel.
        kernel: String,
        /// The one that calls it.
        caller: String,
        /// Which of the calls, from 0; all, if it is not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u64>,
    },
    /// How an array is split into banks.
    Partition {
        /// Its name.
        #[serde(alias = "buffer", alias = "buffers")]
        array: String,
        /// Which indices share a bank.
        r#type: PartitionKind,
        /// So many parts; 0 if the kind says it.
        #[serde(default)]
        factor: i64,
        /// Along which dimension, from 1; 0: along all.
        #[serde(default)]
        dim: i64,
    },
    /// How many ports of an array are used at most.
    Ports {
        /// Its name.
        #[serde(alias = "buffer")]
        array: String,
        /// So many.
        ports: u32,
    },
    /// What an array is made of.
    #[serde(rename = "bind_storage")]
    Storage {
        /// Its name.
        #[serde(alias = "buffer", alias = "buffers")]
        array: String,
        /// Of that.
        r#impl: Implementation,
        /// Which ports its memory has.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mem_type: Option<String>,
    },
    /// How many instances of an operator module there are at most.
    Bind {
        /// Its name.
        op: String,
        /// So many.
        units: u32,
    },
}

/// What a name in a directive is one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// Loops.
    Loop,
    /// Arrays.
    Array,
    /// Kernels that there are.
    Kernel,
}

impl Directive {
    /// Shows every name of what it is about.
    pub fn for_each_name<E>(
        &mut self,
        mut f: impl FnMut(Named, &mut String) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Directive::Pipeline { r#loop, .. }
            | Directive::Unroll { r#loop, .. }
            | Directive::Split { r#loop, .. } => f(Named::Loop, r#loop),
            Directive::Outline { op, .. } => f(Named::Loop, op),
            Directive::Reorder { loops, .. }
            | Directive::Tile { loops, .. }
            | Directive::Flatten { loops } => {
                loops.iter_mut().try_for_each(|name| f(Named::Loop, name))
            }
            Directive::ComputeAt { producer, axis } => {
                f(Named::Loop, producer)?;
                f(Named::Loop, axis)
            }
            Directive::BufferAt { buffer, axis } | Directive::ReuseAt { buffer, axis, .. } => {
                f(Named::Array, buffer)?;
                f(Named::Loop, axis)
            }
            Directive::Instance { kernel, caller, .. } => {
                f(Named::Kernel, kernel)?;
                f(Named::Kernel, caller)
            }
            Directive::Partition { array, .. }
            | Directive::Ports { array, .. }
            | Directive::Storage { array, .. } => f(Named::Array, array),
            Directive::Streamline {
                caller,
                producers,
                consumers,
                ..
            } => {
                f(Named::Kernel, caller)?;
                let mut all = producers.iter_mut().chain(consumers);
                all.try_for_each(|one| f(Named::Kernel, one))
            }
            Directive::Dataflow { kernel } => f(Named::Kernel, kernel),
            Directive::Bind { .. } => Ok(()),
        }
    }
}

fn one() -> i64 {
    1
}

fn one_lane() -> u64 {
    1
}

fn is_one(lanes: &u64) -> bool {
    *lanes == 1
}

/// Names: one, or a list.
mod one_or_more {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Names {
        One(String),
        More(Vec<String>),
    }

    pub fn serialize<S: Serializer>(names: &[String], serializer: S) -> Result<S::Ok, S::Error> {
        match names {
            [one] => one.serialize(serializer),
            more => more.serialize(serializer),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
        Ok(match Names::deserialize(from)? {
            Names::One(one) => vec![one],
            Names::More(more) => more,
        })
    }
}

/// Elements that a stream holds if nothing is said.
fn two() -> u64 {
    2
}

fn is_false(it: &bool) -> bool {
    !it
}

/// A file of directives.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    directive: Vec<Entry>,
}

/// An entry of a file: a directive, or the same one for several loops, arrays or kernels, as the primitives of a schedule take them.
struct Entry(Vec<Directive>);

/// Kinds of directives for one loop, array or kernel each, and the name of the list of several.
const FOR_EACH: &[(&str, &str)] = &[
    ("pipeline", "loops"),
    ("unroll", "loops"),
    ("partition", "buffers"),
    ("bind_storage", "buffers"),
    ("dataflow", "kernels"),
];

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Entry, D::Error> {
        let mut table = Table::deserialize(from)?;
        let kind = table.get("kind").and_then(Toml::as_str).unwrap_or("");
        // Of a file there are no references that would go stale.
        let is_tag = kind == "unroll" && table.get("tag_only").is_some_and(Toml::is_bool);
        let list = FOR_EACH.iter().find(|one| one.0 == kind).map(|one| one.1);
        if is_tag {
            table.remove("tag_only");
        }
        let several = list.and_then(|list| Some((list, table.get(list)?.as_array()?.clone())));
        let tables = match several {
            Some((list, each)) => each
                .into_iter()
                .map(|one| {
                    table.insert(list.into(), one);
                    table.clone()
                })
                .collect(),
            None => vec![table],
        };
        let read = |table| Directive::deserialize(table).map_err(Error::custom);
        tables
            .into_iter()
            .map(read)
            .collect::<Result<_, _>>()
            .map(Entry)
    }
}

/// Reads a file of directives.
///
/// Errors: no TOML, or no directives.
pub fn read(text: &str) -> Result<Vec<Directive>, String> {
    let file: File = toml::from_str(text).map_err(|e| e.to_string())?;
    Ok(file
        .directive
        .into_iter()
        .flat_map(|entry| entry.0)
        .collect())
}

/// Directives as TOML, which [`read`] reads.
pub fn to_toml(directives: &[Directive]) -> String {
    let mut out = String::new();
    for directive in directives {
        out += "[[directive]]\n";
        // Numbers and lists of JSON are those of TOML, as are its escapes.
        if let Ok(Value::Object(fields)) = serde_json::to_value(directive) {
            for (field, value) in fields {
                out += &format!("{field} = {value}\n");
            }
        }
        out += "\n";
    }
    out
}

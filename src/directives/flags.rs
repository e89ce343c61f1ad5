//! Directives as flags of the command line: [`FLAGS`] has one entry for each.

use super::{Directive, Implementation};
use crate::ir::PartitionKind;
use std::fmt;
use std::str::FromStr;

/// A flag that stands for a directive.
#[derive(Debug)]
pub struct Flag {
    /// Without the two dashes.
    pub name: &'static str,
    /// What its value looks like.
    pub value: &'static str,
    /// For `--help`.
    pub help: &'static str,
    /// Makes a directive of a value. Errors: what is wrong with it.
    pub parse: fn(&str) -> Result<Directive, String>,
}

/// All of them.
pub const FLAGS: &[Flag] = &[
    Flag {
        name: "pipeline",
        value: "LOOP[=II]",
        help: "Start an iteration of a loop every II cycles (1 if left out, 0: as often as it can); loops inside are unrolled",
        parse: pipeline,
    },
    Flag {
        name: "no-pipeline",
        value: "LOOP",
        help: "Run the iterations of a loop one after the other",
        parse: no_pipeline,
    },
    Flag {
        name: "dataflow",
        value: "KERNEL",
        help: "Run the calls of a kernel, and what is between them, at the same time as far as arrays and scalars allow",
        parse: |text| {
            let kernel = text.to_string();
            Ok(Directive::Dataflow { kernel })
        },
    },
    Flag {
        name: "unroll",
        value: "LOOP[=F]",
        help: "Make one iteration of F iterations of a loop, or straight-line code of all",
        parse: unroll,
    },
    Flag {
        name: "split",
        value: "LOOP=F",
        help: "Make two loops of one, LOOP.outer and LOOP.inner, which has F iterations",
        parse: split,
    },
    Flag {
        name: "reorder",
        value: "LOOP,LOOP[,...]",
        help: "Put the loops of a perfect nest in this order, outermost first",
        parse: |text| {
            let (loops, reassociate) = (names(text)?, false);
            Ok(Directive::Reorder { loops, reassociate })
        },
    },
    Flag {
        name: "tile",
        value: "LOOP=F[,...]",
        help: "Split the loops of a perfect nest, outermost first, and put all inner parts inside",
        parse: tile,
    },
    Flag {
        name: "flatten",
        value: "LOOP,LOOP[,...]",
        help: "Make one loop of neighbours in a perfect nest",
        parse: |text| {
            let loops = names(text)?;
            Ok(Directive::Flatten { loops })
        },
    },
    Flag {
        name: "partition",
        value: "ARRAY:KIND[:FACTOR][:dim=D]",
        help: "Split an array into banks, cyclic or block by a factor or complete, along dimension D (from 1) or along all",
        parse: partition,
    },
    Flag {
        name: "ports",
        value: "ARRAY=1|2",
        help: "Use so many ports of an array at most",
        parse: |text| match name_and_number("an array", text)? {
            (array, Some(ports)) => Ok(Directive::Ports { array, ports }),
            _ => Err("a number of ports is needed after '='".into()),
        },
    },
    Flag {
        name: "storage",
        value: "ARRAY:bram|lutram|register|rom",
        help: "Make an array of block RAM, RAM of lookup tables or registers, or make sure that it is a ROM",
        parse: storage,
    },
    Flag {
        name: "bind",
        value: "OP=N",
        help: "Use so many instances of an operator module at most, e.g. fmul_f32=4",
        parse: |text| match name_and_number("an operator", text)? {
            (op, Some(units)) => Ok(Directive::Bind { op, units }),
            _ => Err("a number of units is needed after '='".into()),
        },
    },
];

/// The directive that a flag with a value stands for. Errors: no such flag, or a wrong value.
pub fn flag(name: &str, value: &str) -> Result<Directive, String> {
    let flag = FLAGS.iter().find(|flag| flag.name == name);
    let flag = flag.ok_or_else(|| format!("there is no flag '--{name}'"))?;
    (flag.parse)(value)
}

fn pipeline(text: &str) -> Result<Directive, String> {
    let (r#loop, ii) = name_and_number("a loop", text)?;
    let ii = ii.unwrap_or(1);
    Ok(Directive::Pipeline { r#loop, ii })
}

fn no_pipeline(text: &str) -> Result<Directive, String> {
    match name_and_number::<i64>("a loop", text)? {
        (r#loop, None) => Ok(Directive::Pipeline { r#loop, ii: -1 }),
        _ => Err("a loop is needed, without a number".into()),
    }
}

fn unroll(text: &str) -> Result<Directive, String> {
    let (r#loop, factor) = name_and_number("a loop", text)?;
    let factor = factor.unwrap_or(0);
    Ok(Directive::Unroll { r#loop, factor })
}

fn split(text: &str) -> Result<Directive, String> {
    let (r#loop, factor) = name_and_factor(text)?;
    Ok(Directive::Split { r#loop, factor })
}

fn tile(text: &str) -> Result<Directive, String> {
    let parts: Result<Vec<_>, String> = text.split(',').map(name_and_factor).collect();
    let (loops, factors) = parts?.into_iter().unzip();
    Ok(Directive::Tile {
        loops,
        factors,
        reassociate: false,
    })
}

fn names(text: &str) -> Result<Vec<String>, String> {
    let names = text.split(',').map(|name| name.trim().to_string());
    let names: Vec<String> = names.collect();
    match names.len() < 2 || names.iter().any(String::is_empty) {
        true => Err("loops are needed, with ',' between them".into()),
        false => Ok(names),
    }
}

fn name_and_factor(text: &str) -> Result<(String, u64), String> {
    match name_and_number("a loop", text)? {
        (name, Some(factor)) => Ok((name, factor)),
        _ => Err("a factor is needed after '='".into()),
    }
}

/// `NAME=NUMBER` or `NAME`, of `what`.
fn name_and_number<N: FromStr>(what: &str, text: &str) -> Result<(String, Option<N>), String> {
    let (name, number) = match text.rsplit_once('=') {
        None => (text, None),
        Some((name, number)) => {
            let number = number.trim().parse();
            let number = number.map_err(|_| "a whole number is needed after '='".to_string())?;
            (name, Some(number))
        }
    };
    match name.trim() {
        "" => Err(format!("{what} is needed")),
        name => Ok((name.to_string(), number)),
    }
}

/// `ARRAY:KIND[:FACTOR][:dim=D]`.
fn partition(text: &str) -> Result<Directive, String> {
    let mut parts = text.split(':').map(str::trim);
    let array = parts.next().filter(|name| !name.is_empty());
    let array = array.ok_or("an array is needed")?.to_string();
    let kind = parts.next().and_then(PartitionKind::named);
    let r#type = kind.ok_or("a kind is needed after ':': cyclic, block, complete or skew")?;
    let (mut factor, mut dim) = (0, 0);
    for part in parts {
        let (place, number) = match part.strip_prefix("dim=") {
            Some(number) => (&mut dim, number),
            None => (&mut factor, part),
        };
        *place = number
            .parse()
            .map_err(|_| format!("a factor or dim=D is needed instead of '{part}'"))?;
        // Of a dimension it means all of them.
        if *place == 0 && !part.starts_with("dim=") {
            return Err("a factor is at least 1".into());
        }
    }
    Ok(Directive::Partition {
        array,
        r#type,
        factor,
        dim,
    })
}

/// `ARRAY:IMPL[:MEM_TYPE]`.
fn storage(text: &str) -> Result<Directive, String> {
    let mut parts = text.splitn(3, ':').map(str::trim);
    let array = parts.next().filter(|name| !name.is_empty());
    let array = array.ok_or("an array is needed")?.to_string();
    let named = parts.next().and_then(Implementation::named);
    let r#impl = named.ok_or("bram, lutram, register or rom is needed after ':'")?;
    Ok(Directive::Storage {
        array,
        r#impl,
        mem_type: parts.next().map(str::to_string),
    })
}

/// As it stands on the command line.
impl fmt::Display for Directive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Directive::Pipeline { r#loop, ii: -1 } => write!(f, "--no-pipeline {loop}"),
            Directive::Pipeline { r#loop, ii: 1 } => write!(f, "--pipeline {loop}"),
            Directive::Pipeline { r#loop, ii } => write!(f, "--pipeline {loop}={ii}"),
            Directive::Unroll { r#loop, factor: 0 } => write!(f, "--unroll {loop}"),
            Directive::Unroll { r#loop, factor } => write!(f, "--unroll {loop}={factor}"),
            Directive::Split { r#loop, factor } => write!(f, "--split {loop}={factor}"),
            Directive::Reorder { loops, .. } => write!(f, "--reorder {}", loops.join(",")),
            Directive::Tile { loops, factors, .. } => {
                let parts = loops.iter().zip(factors);
                let parts: Vec<String> = parts.map(|(one, by)| format!("{one}={by}")).collect();
                write!(f, "--tile {}", parts.join(","))
            }
            Directive::Flatten { loops } => write!(f, "--flatten {}", loops.join(",")),
            Directive::ComputeAt { producer, axis } => write!(f, "compute_at {producer}, {axis}"),
            Directive::Dataflow { kernel } => write!(f, "--dataflow {kernel}"),
            Directive::Outline { op, func_name, .. } => write!(f, "outline {op}, {func_name}"),
            Directive::Streamline {
                producers,
                consumers,
                ..
            } => {
                let (from, to) = (producers.join(", "), consumers.join(", "));
                write!(f, "streamline {from} -> {to}")
            }
            Directive::Instance { kernel, caller, .. } => write!(f, "instance {kernel}, {caller}"),
            Directive::BufferAt { buffer, axis } => write!(f, "buffer_at {buffer}, {axis}"),
            Directive::ReuseAt { buffer, axis, .. } => write!(f, "reuse_at {buffer}, {axis}"),
            Directive::Partition {
                array,
                r#type,
                factor,
                dim,
            } => {
                write!(f, "--partition {array}:{}", r#type.name())?;
                if *factor != 0 {
                    write!(f, ":{factor}")?;
                }
                match dim {
                    0 => Ok(()),
                    dim => write!(f, ":dim={dim}"),
                }
            }
            Directive::Storage {
                array,
                r#impl,
                mem_type,
            } => {
                write!(f, "--storage {array}:{}", r#impl.name())?;
                mem_type.iter().try_for_each(|name| write!(f, ":{name}"))
            }
            Directive::Bind { op, units } => write!(f, "--bind {op}={units}"),
            Directive::Ports { array, ports } => write!(f, "--ports {array}={ports}"),
        }
    }
}

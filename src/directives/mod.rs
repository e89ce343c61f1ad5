//! Directives: what a user says about the hardware of a kernel, as data. They come from the command line or from a file and
//! become tags of loops and partitions of arrays; each is carried out or refused with the reason.

mod banks;
mod names;

use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics, SourceMap};
use crate::ir::{
    ArrayId, For, KernelId, OpKind, PartitionKind, Path, Pipeline, Program, Tags, Unroll,
};
use names::{Found, Names, Refusal};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// One directive.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Directive {
    /// How the iterations of a loop overlap.
    Pipeline {
        /// Its name.
        r#loop: String,
        /// Cycles from the start of an iteration to the next; 0: the fewest that work, -1: one iteration after the other.
        #[serde(default = "one")]
        ii: i64,
    },
    /// How many iterations of a loop become one.
    Unroll {
        /// Its name.
        r#loop: String,
        /// So many; 0: all.
        #[serde(default)]
        factor: i64,
    },
    /// How an array is split into banks.
    Partition {
        /// Its name.
        #[serde(alias = "buffer")]
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
}

/// Longest initiation interval: a register for each of its cycles says where an iteration is.
const MOST_CYCLES: u32 = 4096;

fn one() -> i64 {
    1
}

/// A file of directives.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    directive: Vec<Directive>,
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
        }
    }
}

impl Directive {
    /// `LOOP` or `LOOP=II`.
    pub fn pipeline(text: &str) -> Result<Directive, String> {
        let (r#loop, ii) = name_and_number(text)?;
        let ii = ii.unwrap_or(1);
        Ok(Directive::Pipeline { r#loop, ii })
    }

    /// `LOOP`.
    pub fn no_pipeline(text: &str) -> Result<Directive, String> {
        match name_and_number(text)? {
            (r#loop, None) => Ok(Directive::Pipeline { r#loop, ii: -1 }),
            _ => Err("a loop is needed, without a number".into()),
        }
    }

    /// `LOOP` or `LOOP=FACTOR`.
    pub fn unroll(text: &str) -> Result<Directive, String> {
        let (r#loop, factor) = name_and_number(text)?;
        let factor = factor.unwrap_or(0);
        Ok(Directive::Unroll { r#loop, factor })
    }

    /// As a table of TOML: names and values.
    fn fields(&self) -> Vec<(&'static str, Value)> {
        match self {
            Directive::Pipeline { r#loop, ii } => vec![
                ("kind", "pipeline".into()),
                ("loop", r#loop.as_str().into()),
                ("ii", (*ii).into()),
            ],
            Directive::Unroll { r#loop, factor } => vec![
                ("kind", "unroll".into()),
                ("loop", r#loop.as_str().into()),
                ("factor", (*factor).into()),
            ],
            Directive::Partition {
                array,
                r#type,
                factor,
                dim,
            } => vec![
                ("kind", "partition".into()),
                ("array", array.as_str().into()),
                ("type", r#type.name().into()),
                ("factor", (*factor).into()),
                ("dim", (*dim).into()),
            ],
        }
    }

    /// `ARRAY:KIND[:FACTOR][:dim=D]`.
    pub fn partition(text: &str) -> Result<Directive, String> {
        let mut parts = text.split(':').map(str::trim);
        let array = parts.next().filter(|name| !name.is_empty());
        let array = array.ok_or("an array is needed")?.to_string();
        let kind = parts.next().and_then(PartitionKind::named);
        let r#type = kind.ok_or("a kind is needed after ':': cyclic, block or complete")?;
        let (mut factor, mut dim) = (0, 0);
        for part in parts {
            let (place, number) = match part.strip_prefix("dim=") {
                Some(number) => (&mut dim, number),
                None => (&mut factor, part),
            };
            *place = number
                .parse()
                .map_err(|_| format!("a factor or dim=D is needed instead of '{part}'"))?;
        }
        Ok(Directive::Partition {
            array,
            r#type,
            factor,
            dim,
        })
    }
}

/// How iterations overlap that begin every `ii` cycles.
fn pipeline(ii: i64) -> Result<Pipeline, String> {
    match (ii, u32::try_from(ii)) {
        (-1, _) => Ok(Pipeline::Off),
        (0, _) => Ok(Pipeline::Least),
        (_, Ok(cycles)) if cycles <= MOST_CYCLES => Ok(Pipeline::Every(cycles)),
        _ => Err(format!(
            "an initiation interval is between -1 and {MOST_CYCLES}"
        )),
    }
}

/// How many iterations become one; `None`: the loop stays as it is.
fn unroll(factor: i64) -> Result<Option<Unroll>, String> {
    match (factor, u32::try_from(factor)) {
        (0, _) => Ok(Some(Unroll::Fully)),
        (1, _) => Ok(None),
        (_, Ok(factor)) => Ok(Some(Unroll::By(factor))),
        _ => Err("a factor is between 0 and 4294967295".into()),
    }
}

/// Puts a tag beside a loop.
fn set<T>(tag: &mut Option<T>, value: T) -> Result<(), String> {
    match tag.replace(value) {
        Some(_) => Err("an earlier directive says something else of this loop".into()),
        None => Ok(()),
    }
}

fn name_and_number(text: &str) -> Result<(String, Option<i64>), String> {
    let (name, number) = match text.rsplit_once('=') {
        None => (text, None),
        Some((name, number)) => {
            let number = number.trim().parse();
            let number = number.map_err(|_| "a whole number is needed after '='")?;
            (name, Some(number))
        }
    };
    match name.trim() {
        "" => Err("a loop is needed".into()),
        name => Ok((name.to_string(), number)),
    }
}

/// Reads a file of directives.
///
/// Errors: no TOML, or no directives.
pub fn read(text: &str) -> Result<Vec<Directive>, String> {
    let file: File = toml::from_str(text).map_err(|e| e.to_string())?;
    Ok(file.directive)
}

/// Directives as TOML, which [`read`] reads.
pub fn to_toml(directives: &[Directive]) -> String {
    let mut out = String::new();
    for directive in directives {
        out += "[[directive]]\n";
        // Numbers of JSON are those of TOML, as are its escapes.
        for (field, value) in directive.fields() {
            out += &format!("{field} = {value}\n");
        }
        out += "\n";
    }
    out
}

/// Puts directives beside the loops and arrays that they name. What is to be noted goes to `warnings`.
///
/// Errors: a name that nothing or more than one has; a directive that contradicts itself or an earlier one.
pub fn apply(
    program: &mut Program,
    directives: &[Directive],
    sources: &SourceMap,
    warnings: &mut Diagnostics,
) -> Result<(), Diagnostics> {
    if directives.is_empty() {
        return Ok(());
    }
    let top = program.kernels[program.top].span;
    let mut applying = Applying {
        loops: Names::of_loops(program, sources),
        arrays: Names::of_arrays(program, sources),
        split: BTreeMap::new(),
        program,
        warnings,
    };
    for directive in directives {
        applying.directive(directive).map_err(|(span, why)| {
            let message = format!("{directive}: {why}");
            Diagnostic::error(codes::DIRECTIVE, span.unwrap_or(top), message)
        })?;
    }
    let split = applying.split;
    banks::hand_over(program, split)?;
    Ok(())
}

struct Applying<'a, 'd> {
    program: &'a mut Program,
    warnings: &'a mut Diagnostics,
    loops: Names<Path>,
    arrays: Names<ArrayId>,
    /// What split an array.
    split: BTreeMap<(KernelId, ArrayId), &'d Directive>,
}

impl<'d> Applying<'_, 'd> {
    fn directive(&mut self, directive: &'d Directive) -> Result<(), Refusal> {
        match directive {
            Directive::Pipeline { r#loop, ii } => {
                self.tag(r#loop, |tags| set(&mut tags.pipeline, pipeline(*ii)?))
            }
            Directive::Unroll { r#loop, factor } => self.tag(r#loop, |tags| {
                let factor = unroll(*factor)?;
                factor.map_or(Ok(()), |factor| set(&mut tags.unroll, factor))
            }),
            Directive::Partition {
                array,
                r#type,
                factor,
                dim,
            } => {
                let found = self.arrays.find(array)?;
                let array = &mut self.program.kernels[found.kernel].arrays[found.place];
                let notes = banks::split(array, *r#type, *factor, *dim)
                    .map_err(|why| (Some(found.span), why))?;
                for note in notes {
                    let message = format!("{directive}: {note}");
                    let warning =
                        Diagnostic::error(codes::FACTOR, found.span, message).as_warning();
                    self.warnings.push(warning);
                }
                self.split.insert((found.kernel, found.place), directive);
                Ok(())
            }
        }
    }

    fn tag(
        &mut self,
        name: &str,
        tag: impl FnOnce(&mut Tags) -> Result<(), String>,
    ) -> Result<(), Refusal> {
        let found = self.loops.find(name)?;
        let tagged = match loop_at(self.program, found) {
            Some(f) => tag(&mut f.tags),
            None => Err("a loop without a counter cannot be directed yet".into()),
        };
        tagged.map_err(|why| (Some(found.span), why))
    }
}

/// A name of each loop, which means that loop alone where lines tell them apart.
pub fn loops(program: &Program, sources: &SourceMap) -> Vec<String> {
    Names::of_loops(program, sources).all()
}

/// The same of each array.
pub fn arrays(program: &Program, sources: &SourceMap) -> Vec<String> {
    Names::of_arrays(program, sources).all()
}

/// The counted loop of a name.
fn loop_at<'p>(program: &'p mut Program, found: &Found<Path>) -> Option<&'p mut For> {
    let body = &mut program.kernels[found.kernel].body;
    match &mut body.op_at_mut(&found.place)?.kind {
        OpKind::For(f) => Some(f),
        _ => None,
    }
}

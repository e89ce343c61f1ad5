//! Directives: what a user says about the hardware of a kernel, as data. They come from the command line or from a file and
//! become tags of loops; each is carried out or refused with the reason.

mod names;

use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics, SourceMap, Span};
use crate::ir::{For, OpKind, Pipeline, Program, Tags, Unroll};
use names::Names;
use serde::Deserialize;
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

    /// The loop that it is about.
    fn loop_name(&self) -> &str {
        match self {
            Directive::Pipeline { r#loop, .. } | Directive::Unroll { r#loop, .. } => r#loop,
        }
    }

    /// Puts it beside a loop. Errors: why not.
    fn tag(&self, tags: &mut Tags) -> Result<(), String> {
        let taken = match *self {
            Directive::Pipeline { ii, .. } => {
                let pipeline = match (ii, u32::try_from(ii)) {
                    (-1, _) => Pipeline::Off,
                    (0, _) => Pipeline::Least,
                    (_, Ok(cycles)) if cycles <= MOST_CYCLES => Pipeline::Every(cycles),
                    _ => {
                        return Err(format!(
                            "an initiation interval is between -1 and {MOST_CYCLES}"
                        ));
                    }
                };
                tags.pipeline.replace(pipeline).is_some()
            }
            Directive::Unroll { factor, .. } => {
                let unroll = match (factor, u32::try_from(factor)) {
                    (0, _) => Unroll::Fully,
                    // The loop as it is.
                    (1, _) => return Ok(()),
                    (_, Ok(factor)) => Unroll::By(factor),
                    _ => return Err("a factor is between 0 and 4294967295".into()),
                };
                tags.unroll.replace(unroll).is_some()
            }
        };
        match taken {
            true => Err("an earlier directive says something else of this loop".into()),
            false => Ok(()),
        }
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
        let (kind, name, number) = match directive {
            Directive::Pipeline { r#loop, ii } => ("pipeline", r#loop, ("ii", ii)),
            Directive::Unroll { r#loop, factor } => ("unroll", r#loop, ("factor", factor)),
        };
        let (field, number) = number;
        // Escapes of JSON are those of TOML.
        let name = serde_json::Value::from(name.as_str());
        out += &format!("[[directive]]\nkind = \"{kind}\"\nloop = {name}\n{field} = {number}\n\n");
    }
    out
}

/// Puts directives beside the loops that they name.
///
/// Errors: a name that no loop or more than one has; a directive that contradicts itself or an earlier one.
pub fn apply(
    program: &mut Program,
    directives: &[Directive],
    sources: &SourceMap,
) -> Result<(), Diagnostics> {
    if directives.is_empty() {
        return Ok(());
    }
    let names = Names::of(program, sources);
    let top = program.kernels[program.top].span;
    for directive in directives {
        let refused = |span: Option<Span>, why: String| {
            let span = span.unwrap_or(top);
            Diagnostic::error(codes::DIRECTIVE, span, format!("{directive}: {why}"))
        };
        let found = names.find(directive.loop_name());
        let found = found.map_err(|(span, why)| refused(span, why))?;
        let span = Some(found.span);
        let Some(f) = loop_at(program, found) else {
            let why = "a loop without a counter cannot be directed yet";
            return Err(refused(span, why.into()).into());
        };
        directive
            .tag(&mut f.tags)
            .map_err(|why| refused(span, why))?;
    }
    Ok(())
}

/// A name of each loop, which means that loop alone where lines tell them apart.
pub fn loops(program: &Program, sources: &SourceMap) -> Vec<String> {
    Names::of(program, sources).all()
}

/// The counted loop of a name.
fn loop_at<'p>(program: &'p mut Program, found: &names::Found) -> Option<&'p mut For> {
    let mut block = &mut program.kernels[found.kernel].body;
    let (last, path) = found.path.split_last()?;
    for &(op, inner) in path {
        block = block.ops[op].kind.blocks_mut().swap_remove(inner);
    }
    match &mut block.ops[last.0].kind {
        OpKind::For(f) => Some(f),
        _ => None,
    }
}

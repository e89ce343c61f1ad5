//! Directives are carried out, in their order: tags go beside loops, partitions beside arrays, and what changes the
//! structure of a nest does so at once.

use super::banks::{self, Asked};
use super::copies;
use super::kernels;
use super::names::{Names, Refusal};
use super::storage;
use super::{Directive, Named};
use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics, SourceMap};
use crate::ir::analysis::reduction::Order;
use crate::ir::{
    Array, ArrayId, Kernel, KernelId, OpKind, PartitionKind, Path, Pipeline, Program, Tags, Unroll,
};
use crate::transform::streamline::Form;
use crate::transform::{buffer_at, compute_at, restructure, reuse_at, unroll};

/// Longest initiation interval: a register for each of its cycles says where an iteration is.
const MOST_CYCLES: u32 = 4096;

/// Whether the reference has to run the kernel with other roundings, as the user allows.
pub fn reassociates(directives: &[Directive]) -> bool {
    directives.iter().any(|directive| match directive {
        Directive::Reorder { reassociate, .. } | Directive::Tile { reassociate, .. } => {
            *reassociate
        }
        _ => false,
    })
}

fn order(reassociate: bool) -> Order {
    match reassociate {
        true => Order::Reassociated,
        false => Order::Exact,
    }
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
    let top = program.kernels[program.top].span;
    let mut asked = Asked::default();
    for directive in directives {
        carry_out(program, &mut asked, directive, sources, warnings).map_err(|(span, why)| {
            let message = format!("{directive}: {why}");
            Diagnostic::error(codes::DIRECTIVE, span.unwrap_or(top), message)
        })?;
    }
    asked.split_windows(program);
    banks::hand_over(program, asked.split)?;
    Ok(())
}

/// What a directive made that others can be about.
pub enum Made {
    /// Nothing.
    Nothing,
    /// Loops, the outermost of which is there; in each kernel that was made of one text.
    Loops(Vec<(KernelId, Path)>),
    /// An array in each such kernel.
    Arrays(Vec<(KernelId, ArrayId)>),
    /// A kernel of this name.
    Kernel(String),
}

/// Carries out one directive. `asked` remembers what there is to do after the last one.
///
/// Errors: those of [`apply`]; then the program is of no use.
pub fn carry_out(
    program: &mut Program,
    asked: &mut Asked,
    directive: &Directive,
    sources: &SourceMap,
    warnings: &mut Diagnostics,
) -> Result<Made, Refusal> {
    let mut applying = Applying {
        program,
        sources,
        warnings,
        asked,
    };
    applying.directive(directive)
}

struct Applying<'a> {
    program: &'a mut Program,
    sources: &'a SourceMap,
    warnings: &'a mut Diagnostics,
    asked: &'a mut Asked,
}

impl Applying<'_> {
    fn directive(&mut self, directive: &Directive) -> Result<Made, Refusal> {
        directive.clone().for_each_name(|named, name| match named {
            Named::Loop => copies::make(self.program, self.sources, name),
            Named::Array | Named::Kernel => Ok(()),
        })?;
        match directive {
            Directive::Pipeline { r#loop, ii } => {
                self.tag(r#loop, |tags| set(&mut tags.pipeline, pipeline(*ii)?))
            }
            Directive::Unroll { r#loop, factor } => {
                if *factor == 0 {
                    self.check_known(r#loop)?;
                }
                self.tag(r#loop, |tags| match factor_of(*factor)? {
                    Some(factor) => set(&mut tags.unroll, factor),
                    None => {
                        tags.is_shaped = true;
                        Ok(())
                    }
                })
            }
            Directive::Split { r#loop, factor } => self
                .step(std::slice::from_ref(r#loop), |kernel, paths| {
                    restructure::split(kernel, &paths[0], *factor)
                }),
            Directive::Reorder { loops, reassociate } => self.step(loops, |kernel, paths| {
                restructure::reorder(kernel, &paths, order(*reassociate))
            }),
            Directive::Tile {
                loops,
                factors,
                reassociate,
            } => {
                if loops.len() != factors.len() {
                    return Err((None, "each loop needs a factor".into()));
                }
                self.step(loops, |kernel, paths| {
                    restructure::tile(kernel, &paths, factors, order(*reassociate))
                })
            }
            Directive::Flatten { loops } => {
                self.step(loops, |kernel, paths| restructure::coalesce(kernel, &paths))
            }
            Directive::ComputeAt { producer, axis } => {
                let both = [producer.clone(), axis.clone()];
                self.step(&both, |kernel, paths| {
                    compute_at::run(kernel, &paths[0], &paths[1])
                })
            }
            Directive::Outline {
                op,
                func_name,
                mapping,
            } => {
                let loops = Names::of_loops(self.program, self.sources);
                let found = loops.find(op)?;
                let place = (found.kernel, &found.place);
                kernels::outlined(self.program, self.asked, place, func_name, mapping)
                    .map_err(|(at, why)| (at.or(Some(found.span)), why))?;
                Ok(Made::Kernel(func_name.clone()))
            }
            Directive::Dataflow { kernel } => {
                let id = kernels::named(self.program, kernel)?;
                self.program.kernels[id].dataflow = true;
                Ok(Made::Nothing)
            }
            Directive::Streamline {
                caller,
                producers,
                producer_ids,
                consumers,
                consumer_ids,
                lanes,
                depth,
            } => {
                let called = (
                    kernels::called(producers, producer_ids)?,
                    kernels::called(consumers, consumer_ids)?,
                );
                let form = Form {
                    lanes: *lanes,
                    depth: *depth,
                };
                let notes = kernels::streamlined(self.program, self.asked, caller, called, form)?;
                for note in notes {
                    let note = Diagnostic::global(codes::DIRECTIVE, format!("{directive}: {note}"));
                    self.warnings.push(note.as_note());
                }
                Ok(Made::Nothing)
            }
            Directive::Instance { kernel, caller, id } => {
                let made = kernels::instance(self.program, self.asked, kernel, caller, *id)?;
                Ok(Made::Kernel(made))
            }
            Directive::BufferAt { buffer, axis } => {
                self.copy(buffer, axis, |kernel, path, array| {
                    Ok((buffer_at::run(kernel, path, array)?, Vec::new()))
                })
            }
            Directive::ReuseAt { buffer, axis, ring } => {
                self.copy(buffer, axis, |kernel, path, array| {
                    let made = reuse_at::run(kernel, path, array, *ring)?;
                    Ok((made.local, made.spread))
                })
            }
            Directive::Partition {
                array,
                r#type,
                factor,
                dim,
            } => self.partition(directive, array, *r#type, *factor, *dim),
            Directive::Ports { array, ports } => self.tag_array(array, |array| {
                let most = array.kind.most_ports();
                if !(1..=most).contains(ports) {
                    return Err(format!("such an array has 1 to {most} ports"));
                }
                set(&mut array.tags.ports, *ports)
            }),
            Directive::Storage {
                array,
                r#impl,
                mem_type,
            } => self.tag_array(array, |array| {
                storage::assign(array, *r#impl, mem_type.as_deref())
            }),
            Directive::Bind { units: 0, .. } => Err((None, "one unit is the least".into())),
            // Operators are known once hardware is selected: `machine::bind`.
            Directive::Bind { .. } => Ok(Made::Nothing),
        }
    }

    fn partition(
        &mut self,
        directive: &Directive,
        array: &str,
        kind: PartitionKind,
        factor: i64,
        dim: i64,
    ) -> Result<Made, Refusal> {
        let arrays = Names::of_arrays(self.program, self.sources);
        for (number, found) in arrays.find_all(array)?.into_iter().enumerate() {
            let array = &mut self.program.kernels[found.kernel].arrays[found.place];
            let notes =
                banks::split(array, kind, factor, dim).map_err(|why| (Some(found.span), why))?;
            for note in notes.into_iter().filter(|_| number == 0) {
                let message = format!("{directive}: {note}");
                let warning = Diagnostic::error(codes::FACTOR, found.span, message).as_warning();
                self.warnings.push(warning);
            }
            let split = &mut self.asked.split;
            split.insert((found.kernel, found.place), directive.clone());
        }
        Ok(Made::Nothing)
    }

    /// Makes an array that stands for a part of another one; the dimensions that come with it are best split
    /// completely.
    fn copy(
        &mut self,
        buffer: &str,
        axis: &str,
        change: impl Fn(&mut Kernel, &Path, ArrayId) -> Result<(ArrayId, Vec<usize>), Refusal>,
    ) -> Result<Made, Refusal> {
        let loops = Names::of_loops(self.program, self.sources);
        let arrays = Names::of_arrays(self.program, self.sources);
        let (axes, buffers) = (loops.find_all(axis)?, arrays.find_all(buffer)?);
        let mut copies = Vec::new();
        for axis in axes {
            let buffer = axis.with(&buffers)?;
            let kernel = &mut self.program.kernels[axis.kernel];
            let (made, spread) = change(kernel, &axis.place, buffer.place)
                .map_err(|(at, why)| (at.or(Some(axis.span)), why))?;
            self.asked.windows.push((axis.kernel, made, spread));
            copies.push((axis.kernel, made));
        }
        Ok(Made::Arrays(copies))
    }

    /// Changes the structure of a nest.
    fn step(
        &mut self,
        names: &[String],
        change: impl Fn(&mut Kernel, Vec<Path>) -> Result<Path, Refusal>,
    ) -> Result<Made, Refusal> {
        let loops = Names::of_loops(self.program, self.sources);
        let nests = loops.find_together(names)?;
        if nests.is_empty() {
            return Err((None, "loops are needed".into()));
        }
        let mut outermost = Vec::new();
        for nest in nests {
            let (id, span) = (nest[0].kernel, nest[0].span);
            let paths = nest.iter().map(|one| one.place.clone()).collect();
            let kernel = &mut self.program.kernels[id];
            let made = change(kernel, paths).map_err(|(at, why)| (at.or(Some(span)), why))?;
            let op = kernel.body.op_at_mut(&made);
            if let Some(tags) = op.and_then(|op| op.kind.tags_mut()) {
                tags.is_shaped = true;
            }
            outermost.push((id, made));
        }
        Ok(Made::Loops(outermost))
    }

    /// Makes sure that the iterations of a loop that is to be unrolled may turn out to be known.
    fn check_known(&self, name: &str) -> Result<(), Refusal> {
        let loops = Names::of_loops(self.program, self.sources);
        for found in loops.find_all(name)? {
            let kernel = &self.program.kernels[found.kernel];
            let is_unknown = match kernel.body.op_at(&found.place).map(|op| &op.kind) {
                // What a callee is given may be constant where it is called.
                Some(OpKind::For(f)) => {
                    found.kernel == self.program.top && unroll::is_unknown(kernel, f)
                }
                Some(OpKind::While(_)) => true,
                _ => false,
            };
            if is_unknown {
                return Err((Some(found.span), unroll::UNKNOWN_TRIP.into()));
            }
        }
        Ok(())
    }

    fn tag(
        &mut self,
        name: &str,
        tag: impl Fn(&mut Tags) -> Result<(), String>,
    ) -> Result<Made, Refusal> {
        let loops = Names::of_loops(self.program, self.sources);
        for found in loops.find_all(name)? {
            let body = &mut self.program.kernels[found.kernel].body;
            let op = body.op_at_mut(&found.place);
            let tags = op.and_then(|op| op.kind.tags_mut());
            let tagged = tags.map_or(Ok(()), &tag);
            tagged.map_err(|why| (Some(found.span), why))?;
        }
        Ok(Made::Nothing)
    }

    fn tag_array(
        &mut self,
        name: &str,
        tag: impl Fn(&mut Array) -> Result<(), String>,
    ) -> Result<Made, Refusal> {
        let arrays = Names::of_arrays(self.program, self.sources);
        for found in arrays.find_all(name)? {
            let array = &mut self.program.kernels[found.kernel].arrays[found.place];
            tag(array).map_err(|why| (Some(found.span), why))?;
        }
        Ok(Made::Nothing)
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
fn factor_of(factor: i64) -> Result<Option<Unroll>, String> {
    match (factor, u32::try_from(factor)) {
        (0, _) => Ok(Some(Unroll::Fully)),
        (1, _) => Ok(None),
        (_, Ok(factor)) => Ok(Some(Unroll::By(factor))),
        _ => Err("a factor is between 0 and 4294967295".into()),
    }
}

/// Puts a tag beside a loop or an array.
fn set<T>(tag: &mut Option<T>, value: T) -> Result<(), String> {
    match tag.replace(value) {
        Some(_) => Err("an earlier directive says something else of it".into()),
        None => Ok(()),
    }
}

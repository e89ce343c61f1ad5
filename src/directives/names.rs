//! Names of loops and arrays: `i`, `i@12` for the one of line 12, `outer/inner`, `kernel/loop`; `while@12` for a
//! `while`. A name that a user gave may have a `/` in it.

use crate::diagnostics::{SourceMap, Span};
use crate::ir::{Array, ArrayId, ArrayKind, Block, KernelId, OpKind, Path, Program};
use std::collections::HashMap;

/// A loop or an array, and where it is.
#[derive(Clone, Debug)]
pub struct Found<P> {
    /// Its kernel.
    pub kernel: KernelId,
    /// Where in there.
    pub place: P,
    /// The loop, or the array's declaration.
    pub span: Span,
    /// Kernel and loops around it, then itself, with their lines.
    chain: Vec<(String, usize)>,
    /// The variable that is returned, if it is a result.
    variable: Option<String>,
    /// The array that all calls pass for it, if it is a parameter, by its number among all.
    passed: Option<usize>,
}

impl<P> Found<P> {
    /// How many loops there are down to it, itself among them.
    pub fn depth(&self) -> usize {
        self.chain.len().saturating_sub(1)
    }

    /// The one of several that is in the same kernel. Errors: none is.
    pub fn with<'a, Q>(&self, others: &[&'a Found<Q>]) -> Result<&'a Found<Q>, Refusal> {
        let mut others = others.iter();
        let same = others.find(|other| other.kernel == self.kernel);
        same.copied().ok_or_else(|| {
            let why = "these are not in one kernel";
            (Some(self.span), why.into())
        })
    }

    /// `inner`.
    pub fn own_name(&self) -> &str {
        self.chain.last().map_or("", |(name, _)| name)
    }

    /// `kernel/outer/inner`.
    fn full_name(&self) -> String {
        let names = self.chain.iter().map(|(name, _)| name.as_str());
        names.collect::<Vec<_>>().join("/")
    }

    /// `kernel/outer/inner@12`.
    fn name_with_line(&self) -> String {
        let line = self.chain.last().map_or(0, |(_, line)| *line);
        format!("{}@{line}", self.full_name())
    }

    /// Whether a name means this one: its last part is its own, the others are around it in that order.
    /// With `instances`, a kernel may be one that was made of that name: a worker, or a template with its arguments.
    fn is(&self, name: &str, instances: bool) -> bool {
        let Some((own, around)) = self.chain.split_last() else {
            return false;
        };
        let is_outermost = |last| !around.last().is_some_and(|outer| has_nest(last, outer));
        let variable = self.variable.clone().map(|name| (name, own.1));
        let is_variable = |last| variable.as_ref().is_some_and(|own| means(last, own));
        readings(name).any(|(rest, last)| {
            let is_own =
                means(last, own) || is_variable(last) || has_nest(last, own) && is_outermost(last);
            is_own && rest.is_none_or(|rest| are_around(rest, around, instances))
        })
    }

    /// Whether a name is its own as a whole, as `load/store` is that of a loop called so.
    pub fn is_called(&self, name: &str) -> bool {
        self.chain.last().is_some_and(|own| means(name, own))
    }
}

/// A name's last part, which may have a `/` in it, with what is before.
fn readings(name: &str) -> impl Iterator<Item = (Option<&str>, &str)> {
    let parted = name.match_indices('/');
    let parted = parted.map(|(at, _)| (Some(&name[..at]), &name[at + 1..]));
    std::iter::once((None, name)).chain(parted)
}

/// Whether the parts of a name are among a kernel and the loops in it, in that order; see [`Found::is`].
fn are_around(name: &str, around: &[(String, usize)], instances: bool) -> bool {
    readings(name).any(|(rest, last)| {
        around.iter().enumerate().any(|(place, one)| {
            let is_instance = || instances && place == 0 && has_instance(last, one);
            let is_it = means(last, one) || has_nest(last, one) || is_instance();
            is_it && rest.is_none_or(|rest| are_around(rest, &around[..place], instances))
        })
    })
}

/// Whether a path such as `outer/inner` leads to something of that name.
pub fn ends_in(path: &str, name: &str) -> bool {
    let before = path.strip_suffix(name);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Whether `i` or `i@12` means a loop, array or kernel of that name and line.
fn means(part: &str, (name, line): &(String, usize)) -> bool {
    let (part, at) = at_line(part, *line);
    at == Some(*line) && (part == name || is_axis(part, name))
}

/// Whether `pe` or `pe@12` is what a kernel was made of, `pe_0_1` or `pe_i32_4`.
fn has_instance(part: &str, (name, line): &(String, usize)) -> bool {
    let (part, at) = at_line(part, *line);
    at == Some(*line) && is_instance(part, name)
}

/// Whether a kernel's name is that of one made of another: a worker of a grid, or a template with its arguments.
pub fn is_instance(of: &str, name: &str) -> bool {
    let rest = name.strip_prefix(of);
    rest.is_some_and(|rest| rest.starts_with('_'))
}

/// Whether `ij` or `ij@12` is the grid of which a loop is an axis, `ij.i`.
fn has_nest(part: &str, (name, line): &(String, usize)) -> bool {
    let (part, at) = at_line(part, *line);
    let axis = name
        .strip_prefix(part)
        .and_then(|axis| axis.strip_prefix('.'));
    at == Some(*line) && axis.is_some_and(|axis| is_axis(axis, name))
}

/// A name without its line; without one, `line` is as good as any.
fn at_line(part: &str, line: usize) -> (&str, Option<usize>) {
    match part.rsplit_once('@') {
        Some((before, at)) => (before, at.parse().ok()),
        None => (part, Some(line)),
    }
}

/// Whether a loop is that axis of a named grid, `i` of `ij.i`; halves of a split loop are no axes.
fn is_axis(part: &str, name: &str) -> bool {
    let axis = name.split_once('.').map(|(_, axis)| axis);
    axis.is_some_and(|axis| {
        axis == part && !axis.starts_with("outer") && !axis.starts_with("inner")
    })
}

/// All of one sort that a program has.
pub struct Names<P> {
    sort: &'static str,
    all: Vec<Found<P>>,
}

/// Why a directive cannot be carried out, and the place that it is about.
pub type Refusal = (Option<Span>, String);

impl Names<ArrayId> {
    /// Arrays: parameters, results and variables of each kernel.
    pub fn of_arrays(program: &Program, sources: &SourceMap) -> Names<ArrayId> {
        let mut all = Vec::new();
        let mut numbers = HashMap::new();
        for (id, kernel) in program.kernels.iter() {
            let head = (kernel.name.clone(), sources.line_of(kernel.span));
            // Of a stream there is nothing to direct.
            let arrays = kernel
                .arrays
                .iter()
                .filter(|(_, array)| array.stream.is_none());
            for (place, array) in arrays {
                let name = called(array, kernel.results.len());
                let variable = (name != array.name).then(|| array.name.clone());
                numbers.insert((id, place), all.len());
                all.push(Found {
                    kernel: id,
                    place,
                    span: array.span,
                    chain: vec![head.clone(), (name, sources.line_of(array.span))],
                    variable,
                    passed: None,
                });
            }
        }
        for (own, outside) in passed(program) {
            if let (Some(&own), Some(outside)) = (numbers.get(&own), outside) {
                all[own].passed = numbers.get(&outside).copied();
            }
        }
        Names { sort: "array", all }
    }
}

/// An array of a kernel.
type Owned = (KernelId, ArrayId);

/// What all calls pass for the array parameters of kernels in the end; `None`: calls pass several arrays.
fn passed(program: &Program) -> HashMap<Owned, Option<Owned>> {
    let mut passed = HashMap::new();
    let kernels: Vec<_> = program.kernels.iter().collect();
    // Callers come behind callees.
    for (caller, kernel) in kernels.into_iter().rev() {
        kernel.body.for_each_op(&mut |op| {
            let OpKind::Call(call) = &op.kind else {
                return;
            };
            for (own, outside) in call.arrays(&program.kernels[call.kernel]) {
                let outside = (caller, outside);
                let outside = passed.get(&outside).copied().unwrap_or(Some(outside));
                let known = passed.entry((call.kernel, own)).or_insert(outside);
                if *known != outside {
                    *known = None;
                }
            }
        });
    }
    passed
}

/// What directives call an array: a result as its ports are called.
fn called(array: &Array, results: usize) -> String {
    match array.kind {
        ArrayKind::Result(number) if results > 1 => format!("ap_return_{number}"),
        ArrayKind::Result(_) => "ap_return".into(),
        _ => array.name.clone(),
    }
}

impl Names<Path> {
    /// Loops, in the order of the source.
    pub fn of_loops(program: &Program, sources: &SourceMap) -> Names<Path> {
        let mut walk = Walk {
            sources,
            found: Vec::new(),
            kernel: program.top,
            path: Vec::new(),
            chain: Vec::new(),
        };
        for (id, kernel) in program.kernels.iter() {
            walk.kernel = id;
            walk.chain = vec![(kernel.name.clone(), walk.line(kernel.span))];
            walk.block(&kernel.body);
        }
        Names {
            sort: "loop",
            all: walk.found,
        }
    }
}

impl<P> Names<P> {
    /// A name of each.
    pub fn all(&self) -> Vec<String> {
        self.all.iter().map(Found::name_with_line).collect()
    }

    /// Each, in the order of the source.
    pub fn iter(&self) -> impl Iterator<Item = &Found<P>> {
        self.all.iter()
    }

    /// All that a name may mean: of one with a `/`, first what is called so as a whole.
    pub fn matching(&self, name: &str) -> Vec<&Found<P>> {
        let called = |found: &&Found<P>| name.contains('/') && found.is_called(name);
        let whole: Vec<&Found<P>> = self.iter().filter(called).collect();
        if !whole.is_empty() {
            return whole;
        }
        let of = |instances| self.iter().filter(move |found| found.is(name, instances));
        let exact: Vec<&Found<P>> = of(false).collect();
        match exact.is_empty() {
            true => of(true).collect(),
            false => exact,
        }
    }

    /// What a name means, in each kernel that was made of one text. Errors: as [`Names::find`].
    pub fn find_all(&self, name: &str) -> Result<Vec<&Found<P>>, Refusal> {
        let matching = self.matching(name);
        let first = self.find(name);
        let is_copy = |one: &&Found<P>| {
            let others = matching.iter().filter(|other| other.kernel == one.kernel);
            one.span == matching[0].span && others.count() == 1
        };
        match matching.len() > 1 && matching.iter().all(is_copy) {
            true => Ok(matching),
            false => Ok(vec![first?]),
        }
    }

    /// What names mean together, in each kernel that was made of one text: as many as there are names.
    ///
    /// Errors: as [`Names::find`]; they are not in one kernel.
    pub fn find_together(&self, names: &[String]) -> Result<Vec<Vec<&Found<P>>>, Refusal> {
        let each: Result<Vec<_>, Refusal> = names.iter().map(|name| self.find_all(name)).collect();
        let each = each?;
        let Some((first, rest)) = each.split_first() else {
            return Ok(Vec::new());
        };
        let together = first.iter().map(|&first| {
            let rest = rest.iter().map(|all| first.with(all));
            std::iter::once(Ok(first)).chain(rest).collect()
        });
        together.collect()
    }

    /// What a name means; of an array and the parameters that it is passed for, the array. Errors: there is none, or several,
    /// with those that there are.
    pub fn find(&self, name: &str) -> Result<&Found<P>, Refusal> {
        let matching = self.matching(name);
        let is_among = |number: usize| {
            matching
                .iter()
                .any(|one| std::ptr::eq(*one, &self.all[number]))
        };
        let mut outermost = matching.clone();
        outermost.retain(|one| !one.passed.is_some_and(is_among));
        match outermost[..] {
            [one] => Ok(one),
            [] => Err((None, self.nothing(name))),
            [first, ..] => Err((Some(first.span), self.several(&matching))),
        }
    }

    /// Says that there is none of a name.
    pub fn nothing(&self, name: &str) -> String {
        let (sort, all): (_, Vec<&Found<P>>) = (self.sort, self.iter().collect());
        let others = match all.is_empty() {
            true => ", nor any other".into(),
            false => format!("; the {sort}s are {}", listed(&all)),
        };
        format!("there is no {sort} '{name}'{others}")
    }

    /// Says that there are several.
    pub fn several(&self, matching: &[&Found<P>]) -> String {
        format!(
            "several {}s have this name: {}",
            self.sort,
            listed(matching)
        )
    }

    /// The shortest name that means this one alone; `None` if nothing tells it from another.
    pub fn shortest(&self, found: &Found<P>) -> Option<String> {
        let (own, around) = found.chain.split_last()?;
        let (kernel, loops) = around.split_first()?;
        let own = own.0.as_str();
        let within = |outer: &str| format!("{outer}/{own}");
        let inner = loops.last().map(|one| within(&one.0));
        let plain = [Some(own.to_string()), inner, Some(within(&kernel.0))];
        let names = plain.into_iter().flatten();
        let full = [found.full_name(), found.name_with_line()];
        names
            .chain(full)
            .find(|name| self.matching(name).len() == 1)
    }
}

/// Names with lines, which tell all apart that a user can tell apart.
fn listed<P>(found: &[&Found<P>]) -> String {
    const MOST: usize = 12;
    let names = found
        .iter()
        .map(|one| format!("'{}'", one.name_with_line()));
    let mut names: Vec<String> = names.collect();
    names.dedup();
    if names.len() > MOST {
        let more = names.len() - MOST;
        names.truncate(MOST);
        names.push(format!("and {more} more"));
    }
    names.join(", ")
}

struct Walk<'a> {
    sources: &'a SourceMap,
    found: Vec<Found<Path>>,
    kernel: KernelId,
    path: Path,
    chain: Vec<(String, usize)>,
}

impl Walk<'_> {
    fn line(&self, span: Span) -> usize {
        self.sources.line_of(span)
    }

    fn block(&mut self, block: &Block) {
        for (at, op) in block.ops.iter().enumerate() {
            let label = op.kind.label();
            if let Some(label) = label {
                self.chain.push((label.to_string(), self.line(op.span)));
                self.path.push((at, 0));
                self.found.push(Found {
                    kernel: self.kernel,
                    place: self.path.clone(),
                    span: op.span,
                    chain: self.chain.clone(),
                    variable: None,
                    passed: None,
                });
                self.path.pop();
            }
            for (number, inner) in op.kind.blocks().into_iter().enumerate() {
                self.path.push((at, number));
                self.block(inner);
                self.path.pop();
            }
            if label.is_some() {
                self.chain.pop();
            }
        }
    }
}

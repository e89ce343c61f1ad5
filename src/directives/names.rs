//! Names of loops: `i`, `i@12` for the one of line 12, `outer/inner`, `kernel/loop`; `while@12` for a `while`.

use crate::diagnostics::{SourceMap, Span};
use crate::ir::{Block, KernelId, OpKind, Program};

/// A loop, and where it is.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its kernel.
    pub kernel: KernelId,
    /// Down to it: the position of an operation in its block, and which of its blocks is entered.
    pub path: Vec<(usize, usize)>,
    /// The loop.
    pub span: Span,
    /// Kernel and loops around it, then itself, with their lines.
    chain: Vec<(String, usize)>,
}

impl Found {
    /// `kernel/outer/inner@12`.
    fn name_with_line(&self) -> String {
        let names = self.chain.iter().map(|(name, _)| name.as_str());
        let line = self.chain.last().map_or(0, |(_, line)| *line);
        format!("{}@{line}", names.collect::<Vec<_>>().join("/"))
    }

    /// Whether a name, in parts, means this loop: the last is its own, the others are around it in that order.
    fn is(&self, parts: &[&str]) -> bool {
        let (Some((own, around)), Some((last, parts))) =
            (self.chain.split_last(), parts.split_last())
        else {
            return false;
        };
        let mut around = around.iter();
        means(last, own) && parts.iter().all(|part| around.any(|one| means(part, one)))
    }
}

/// Whether `i` or `i@12` means a loop or kernel of that name and line.
fn means(part: &str, (name, line): &(String, usize)) -> bool {
    match part.rsplit_once('@') {
        Some((before, at)) => before == name && at.parse() == Ok(*line),
        None => part == name,
    }
}

/// All loops of a program.
pub struct Names(Vec<Found>);

/// Why a name means no loop, and a place that shows it.
type Missing = (Option<Span>, String);

impl Names {
    /// In the order of the source.
    pub fn of(program: &Program, sources: &SourceMap) -> Names {
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
        Names(walk.found)
    }

    /// A name of each.
    pub fn all(&self) -> Vec<String> {
        self.0.iter().map(Found::name_with_line).collect()
    }

    /// The loop of a name. Errors: there is none, or several, with those that there are.
    pub fn find(&self, name: &str) -> Result<&Found, Missing> {
        let parts: Vec<&str> = name.split('/').collect();
        let all = self.0.iter();
        let matching: Vec<&Found> = all.filter(|found| found.is(&parts)).collect();
        match matching[..] {
            [one] => Ok(one),
            [] => Err((None, self.none(name))),
            [first, ..] => Err((Some(first.span), several(&matching))),
        }
    }

    fn none(&self, name: &str) -> String {
        let all: Vec<&Found> = self.0.iter().collect();
        match all.is_empty() {
            true => format!("there is no loop '{name}', nor any other"),
            false => format!("there is no loop '{name}'; the loops are {}", listed(&all)),
        }
    }
}

fn several(matching: &[&Found]) -> String {
    format!("several loops have this name: {}", listed(matching))
}

/// Names with lines, which tell all loops apart that a user can tell apart.
fn listed(found: &[&Found]) -> String {
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
    found: Vec<Found>,
    kernel: KernelId,
    path: Vec<(usize, usize)>,
    chain: Vec<(String, usize)>,
}

impl Walk<'_> {
    fn line(&self, span: Span) -> usize {
        self.sources.line_of(span)
    }

    fn block(&mut self, block: &Block) {
        for (at, op) in block.ops.iter().enumerate() {
            let label = match &op.kind {
                OpKind::For(f) => Some(&f.label),
                OpKind::While(w) => Some(&w.label),
                _ => None,
            };
            if let Some(label) = label {
                self.chain.push((label.clone(), self.line(op.span)));
                self.path.push((at, 0));
                self.found.push(Found {
                    kernel: self.kernel,
                    path: self.path.clone(),
                    span: op.span,
                    chain: self.chain.clone(),
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

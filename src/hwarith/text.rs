//! Reads the printed form of a graph back: one operation a line, types inferred and compared with those stated.
//!
//! ```text
//! %0 = hwarith.input 0 : ui3
//! %1 = hwarith.input 1 : ui4
//! %2 = hwarith.add %0, %1 : (ui3, ui4) -> ui5  // name
//! hwarith.output %2
//! ```
//!
//! The operands' types and an inferred result type may be left out; where they stand they have to be right.
//! A comment beside an operation names its value, other comments are skipped.

use super::graph::{self, Graph, MemId, NodeId, Op, Predicate, UnitId, VarId};
use super::table::Table;
use super::types::HwType;
use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics, FileId, Span};
use num_bigint::BigInt;
use std::collections::HashMap;
use std::sync::Arc;

/// Bits of a value, at most: bounds the work that a short text can ask for.
pub const MAX_WIDTH: u32 = 1 << 16;

/// Decimal digits of a constant, at most: as many as [`MAX_WIDTH`] bits take.
const MAX_DIGITS: usize = 19_729;

/// Applications of a step, at most.
const MAX_COUNT: u32 = 1 << 16;

/// The graph that a text describes; it is valid.
///
/// Errors: each malformed line, with its place. What depends on a malformed line is not reported.
pub fn parse(file: FileId, text: &str) -> Result<Graph, Diagnostics> {
    let mut parser = Parser::default();
    let mut outer: Option<Parser> = None;
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let line = Line {
            file,
            start,
            text: whole.trim_end(),
            at: whole.len() - whole.trim_start().len(),
        };
        start += whole.len();
        match (line.rest(), outer.take()) {
            (head, None) if head == format!("step {} {{", parser.graph.steps.len()) => {
                outer = Some(std::mem::take(&mut parser));
            }
            ("}", Some(around)) => {
                let step = std::mem::replace(&mut parser, around);
                parser.add_step(line, step);
            }
            (_, around) => {
                outer = around;
                parser.line(line);
            }
        }
    }
    match outer {
        Some(mut around) => {
            around.errors.append(&mut parser.errors);
            around.errors.push(at_start(file, "a step does not end"));
            around.finish(file)
        }
        None => parser.finish(file),
    }
}

fn at_start(file: FileId, message: impl Into<String>) -> Diagnostic {
    let span = Span {
        file,
        start: 0,
        end: 0,
    };
    Diagnostic::error(codes::HWARITH_TEXT, span, message)
}

/// A line and how far it is read.
#[derive(Clone, Copy)]
struct Line<'t> {
    file: FileId,
    /// Offset in the file.
    start: usize,
    text: &'t str,
    at: usize,
}

/// Why a line has no meaning.
enum Fault {
    /// To be reported.
    Wrong(Diagnostic),
    /// It reads the value of a line that is reported already.
    Silent,
}

type Read<T> = Result<T, Fault>;

impl<'t> Line<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }
    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }
    fn fault<T>(&self, from: usize, message: impl Into<String>) -> Read<T> {
        let span = Span {
            file: self.file,
            start: (self.start + from) as u32,
            end: (self.start + self.at.max(from)) as u32,
        };
        let error = Diagnostic::error(codes::HWARITH_TEXT, span, message);
        Err(Fault::Wrong(error))
    }
    fn accept(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }
    fn expect(&mut self, token: &str) -> Read<()> {
        if self.accept(token) {
            return Ok(());
        }
        self.fault(self.at, format!("'{token}' is expected here"))
    }
    /// The longest run of letters, digits, `_` and `-`, and where it begins.
    fn word(&mut self) -> (usize, &'t str) {
        self.skip_space();
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let from = self.at;
        self.at += length;
        (from, &rest[..length])
    }
    /// A `u32` after a prefix such as the `v` of `v3`.
    fn number(&mut self, prefix: &str) -> Read<u32> {
        let (from, word) = self.word();
        let number = word.strip_prefix(prefix).and_then(|n| n.parse().ok());
        match number {
            Some(number) => Ok(number),
            None => self.fault(from, format!("a number such as {prefix}0 is expected here")),
        }
    }
    fn ty(&mut self) -> Read<HwType> {
        let (from, word) = self.word();
        let signed = word.starts_with('s');
        let width = word
            .strip_prefix(if signed { "si" } else { "ui" })
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok())
            .filter(|width| (1..=MAX_WIDTH).contains(width));
        match width {
            Some(width) => Ok(HwType { signed, width }),
            None => self.fault(
                from,
                format!("a type ui<w> or si<w> of 1 to {MAX_WIDTH} bits is expected here"),
            ),
        }
    }
    /// `%name`
    fn value(&mut self) -> Read<(usize, &'t str)> {
        self.expect("%")?;
        let (from, name) = self.word();
        if name.is_empty() {
            return self.fault(from, "the name of a value is expected here");
        }
        Ok((from - 1, name))
    }
    fn values(&mut self) -> Read<Vec<(usize, &'t str)>> {
        self.skip_space();
        let mut values = Vec::new();
        if self.rest().starts_with('%') {
            values.push(self.value()?);
            while self.accept(",") {
                values.push(self.value()?);
            }
        }
        Ok(values)
    }
    fn op(&mut self) -> Read<Op> {
        self.expect("hwarith.")?;
        let (from, name) = self.word();
        Ok(match name {
            "constant" => Op::Const(self.constant()?),
            "input" => Op::Input(self.number("")?),
            "var" => Op::Var(VarId::new(self.number("v")? as usize)),
            "call" => Op::Call(UnitId::new(self.number("u")? as usize)),
            "load" => Op::Load(MemId::new(self.number("m")? as usize)),
            "store" => Op::Store(MemId::new(self.number("m")? as usize)),
            "icmp" => Op::Icmp(self.predicate()?),
            "table" => Op::Table(self.table()?),
            "iterate" => {
                self.expect("step")?;
                let step = self.number("")?;
                self.expect("x")?;
                let (from, count) = (self.at, self.number("")?);
                if count > MAX_COUNT {
                    return self.fault(from, format!("more than {MAX_COUNT} steps"));
                }
                Op::Iterate { step, count }
            }
            "extract" => {
                self.expect("from")?;
                Op::Extract {
                    lo: self.number("")?,
                }
            }
            _ => match graph::PLAIN.iter().find(|(plain, _)| *plain == name) {
                Some((_, op)) => op.clone(),
                None => return self.fault(from, format!("there is no operation '{name}'")),
            },
        })
    }
    /// `[1, 2, 3, 4]`
    fn table(&mut self) -> Read<Arc<Table>> {
        self.expect("[")?;
        let from = self.at;
        let mut words = Vec::new();
        loop {
            self.skip_space();
            words.push(self.constant()?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect("]")?;
        match Table::new(words) {
            Some(table) => Ok(Arc::new(table)),
            None => self.fault(from, "a table has words"),
        }
    }
    fn constant(&mut self) -> Read<BigInt> {
        let (from, word) = self.word();
        match word.parse() {
            Ok(value) if word.len() <= MAX_DIGITS => Ok(value),
            _ => self.fault(from, "an integer is expected here"),
        }
    }
    fn predicate(&mut self) -> Read<Predicate> {
        let (from, word) = self.word();
        match Predicate::ALL.into_iter().find(|p| p.name() == word) {
            Some(predicate) => Ok(predicate),
            None => self.fault(from, "one of eq, ne, lt, le, gt, ge is expected here"),
        }
    }
    /// The types of operands and result, as far as they are stated: `: (ui3, ui4) -> ui5`, or `: ui3` of an
    /// operation without operands.
    fn types(&mut self, operands: usize) -> Read<Stated> {
        let mut stated = Stated::default();
        if !self.accept(":") {
            return Ok(stated);
        }
        if operands == 0 {
            stated.result = Some((self.at, self.ty()?));
            return Ok(stated);
        }
        let enclosed = self.accept("(");
        loop {
            self.skip_space();
            stated.operands.push((self.at, self.ty()?));
            if !self.accept(",") {
                break;
            }
        }
        if enclosed {
            self.expect(")")?;
        }
        if self.accept("->") {
            let enclosed = self.accept("(");
            self.skip_space();
            stated.result = Some((self.at, self.ty()?));
            if enclosed {
                self.expect(")")?;
            }
        }
        Ok(stated)
    }
    /// The comment that ends the line, or its plain end.
    fn end(&mut self) -> Read<Option<&'t str>> {
        if self.accept("//") {
            let name = self.rest().trim();
            return Ok((!name.is_empty()).then_some(name));
        }
        if self.rest().is_empty() {
            return Ok(None);
        }
        let from = self.at;
        self.at = self.text.len();
        self.fault(from, "the line should end here")
    }
}

/// Types in the text, with their places.
#[derive(Default)]
struct Stated {
    operands: Vec<(usize, HwType)>,
    result: Option<(usize, HwType)>,
}

#[derive(Default)]
struct Parser<'t> {
    graph: Graph,
    /// `None`: defined by a malformed line.
    names: HashMap<&'t str, Option<NodeId>>,
    next_of: Vec<Next<'t>>,
    errors: Vec<Diagnostic>,
}

/// The value that a phi takes next, which may be defined later: phi, line, operand, stated type.
type Next<'t> = (NodeId, Line<'t>, &'t str, Option<(usize, HwType)>);

impl<'t> Parser<'t> {
    fn line(&mut self, mut line: Line<'t>) {
        line.skip_space();
        if line.rest().is_empty() || line.rest().starts_with("//") {
            return;
        }
        let mut result = None;
        let outcome = if line.accept("hwarith.output") {
            self.output(&mut line)
        } else {
            self.node(&mut line, &mut result)
        };
        let id = match outcome {
            Ok(id) => id,
            Err(fault) => {
                if let Fault::Wrong(error) = fault {
                    self.errors.push(error);
                }
                None
            }
        };
        if let Some(name) = result {
            self.names.insert(name, id);
        }
    }

    /// Takes in the text of a step, which `line` ends.
    fn add_step(&mut self, line: Line<'t>, step: Parser) {
        let valid = step
            .finish(line.file)
            .and_then(|step| match graph::validate_step(&step) {
                Ok(()) => Ok(step),
                Err(message) => match line.fault::<Graph>(line.at, format!("the step {message}")) {
                    Err(Fault::Wrong(error)) => Err(error.into()),
                    _ => Ok(step),
                },
            });
        match valid {
            Ok(step) => self.graph.steps.push(step),
            Err(errors) => {
                self.errors.extend(errors.0);
                self.graph.steps.push(Graph::new());
            }
        }
    }

    fn output(&mut self, line: &mut Line<'t>) -> Read<Option<NodeId>> {
        let values = line.values()?;
        line.end()?;
        for value in values {
            let id = self.lookup(line, value)?;
            self.graph.outputs.push(id);
        }
        Ok(None)
    }

    fn node(&mut self, line: &mut Line<'t>, result: &mut Option<&'t str>) -> Read<Option<NodeId>> {
        if line.rest().starts_with('%') {
            let (from, name) = line.value()?;
            if self.names.contains_key(name) {
                return line.fault(from, format!("%{name} is defined twice"));
            }
            *result = Some(name);
            line.expect("=")?;
        }
        line.skip_space();
        let from = line.at;
        let op = line.op()?;
        let mut values = line.values()?;
        let stated = line.types(values.len())?;
        let name = line.end()?;
        if result.is_none() && !matches!(op, Op::Store(_)) {
            return line.fault(from, "the result of the operation has no name");
        }
        let next = match (&op, values.len()) {
            (Op::Phi, 2) => values.pop(),
            _ => None,
        };
        let mut args = Vec::with_capacity(values.len());
        for (i, value) in values.into_iter().enumerate() {
            let id = self.lookup(line, value)?;
            agree(line, stated.operands.get(i), self.graph.ty(id), value.1)?;
            args.push(id);
        }
        if let Some((_, next)) = next {
            args.push(args[0]);
            let id = NodeId::new(self.graph.nodes.len());
            let ty = stated.operands.get(1).copied();
            self.next_of.push((id, *line, next, ty));
        }
        if !stated.operands.is_empty() && stated.operands.len() != args.len() {
            return line.fault(from, "there are not as many types as operands");
        }
        let ty = self.type_of(line, from, &op, &args, &stated)?;
        let node = self.graph.push(op, args, ty);
        if let Err(message) = self.graph.check(node) {
            // Later lines do not read it, and no graph with errors leaves this room.
            return line.fault(from, message);
        }
        if let Some(name) = name {
            self.graph.name(node, name);
        }
        Ok(Some(node))
    }

    fn type_of(
        &self,
        line: &Line<'t>,
        from: usize,
        op: &Op,
        args: &[NodeId],
        stated: &Stated,
    ) -> Read<HwType> {
        let types: Vec<HwType> = args.iter().map(|&a| self.graph.ty(a)).collect();
        let inferred = graph::infer_type(op, &types);
        match (inferred, stated.result) {
            (Some(ty), _) if ty.width > MAX_WIDTH => {
                line.fault(from, format!("the result has more than {MAX_WIDTH} bits"))
            }
            (Some(ty), Some((at, wrong))) if ty != wrong => {
                line.fault(at, format!("the result is {ty}, not {wrong}"))
            }
            (Some(ty), _) | (None, Some((_, ty))) => Ok(ty),
            (None, None) => line.fault(from, "the operation's type has to be stated"),
        }
    }

    fn lookup(&self, line: &Line<'t>, (from, name): (usize, &str)) -> Read<NodeId> {
        match self.names.get(name) {
            Some(Some(id)) => Ok(*id),
            Some(None) => Err(Fault::Silent),
            None => Line {
                at: from + 1 + name.len(),
                ..*line
            }
            .fault(from, format!("%{name} is not defined before its use")),
        }
    }

    fn finish(mut self, file: FileId) -> Result<Graph, Diagnostics> {
        for (phi, line, next, stated) in std::mem::take(&mut self.next_of) {
            let found = self.lookup(&line, (0, next));
            let outcome = found.and_then(|id| {
                agree(&line, stated.as_ref(), self.graph.ty(id), next)?;
                Ok(id)
            });
            match outcome {
                // A phi of a malformed line may not be there.
                Ok(id) if phi.index() < self.graph.nodes.len() => {
                    self.graph.nodes[phi].args[1] = id
                }
                Err(Fault::Wrong(error)) => self.errors.push(error),
                _ => {}
            }
        }
        if self.errors.is_empty() {
            self.errors.extend(missing_input(&self.graph, file));
        }
        if self.errors.is_empty() {
            Ok(self.graph)
        } else {
            Err(Diagnostics(self.errors))
        }
    }
}

fn agree(line: &Line, stated: Option<&(usize, HwType)>, ty: HwType, name: &str) -> Read<()> {
    match stated {
        Some(&(at, wrong)) if wrong != ty => {
            line.fault(at, format!("%{name} is {ty}, not {wrong}"))
        }
        _ => Ok(()),
    }
}

/// Inputs are numbered from 0 without gaps, each once.
fn missing_input(graph: &Graph, file: FileId) -> Option<Diagnostic> {
    let mut numbers: Vec<u32> = graph
        .nodes
        .iter()
        .filter_map(|(_, n)| match n.op {
            Op::Input(i) => Some(i),
            _ => None,
        })
        .collect();
    numbers.sort_unstable();
    let wrong = (0..).zip(&numbers).find(|(wanted, found)| wanted != *found);
    wrong.map(|(wanted, found)| {
        let message = if *found > wanted {
            format!("there is no input {wanted}")
        } else {
            format!("there are two inputs {found}")
        };
        at_start(file, message)
    })
}

#[cfg(test)]
mod tests {
    use super::super::eval::eval;
    use super::super::testing::*;
    use super::*;
    use crate::diagnostics::SourceMap;

    fn read(text: &str) -> Result<Graph, Diagnostics> {
        parse(FileId(0), text)
    }

    /// All messages, each with its line and column.
    fn messages(text: &str) -> Vec<String> {
        let mut sources = SourceMap::default();
        let file = sources.add("x", text);
        let Err(errors) = parse(file, text) else {
            return Vec::new();
        };
        let describe = |e: &Diagnostic| {
            let (line, column) = sources
                .file(file)
                .line_col(e.span.unwrap_or_default().start);
            format!("{line}:{column}: {}", e.message)
        };
        errors.0.iter().map(describe).collect()
    }

    const SUM: &str = "%0 = hwarith.input 0 : ui3
%1 = hwarith.input 1 : ui4
%2 = hwarith.add %0, %1 : (ui3, ui4) -> ui5  // total
hwarith.output %2
";

    #[test]
    fn the_printed_form_reads_back() {
        let graph = read(SUM).expect("well formed");
        graph.validate().expect("valid");
        assert_eq!(graph.print(0), SUM);
        assert_eq!(eval(&graph, &[7.into(), 15.into()]), [22.into()]);
    }

    #[test]
    fn random_graphs_read_back_as_they_were_printed() {
        let shape = Shape {
            input_width: 40,
            inputs: 3,
            operations: 30,
            max_width: 200,
            arithmetic: false,
        };
        for seed in 0..400 {
            let graph = random_graph(&mut Random::new(seed), &shape);
            let text = graph.print(0);
            let again = read(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
            again.validate().expect("valid");
            assert_eq!(again.print(0), text);
        }
    }

    #[test]
    fn loops_and_memories_read_back() {
        let text = "%0 = hwarith.constant 0 : ui1
%1 = hwarith.constant 1 : ui1
%2 = hwarith.phi %0, %3 : (ui1, ui5) -> ui4  // i
%3 = hwarith.add %2, %1 : (ui4, ui1) -> ui5
%4 = hwarith.load m0 %2 : (ui4) -> si32
%5 = hwarith.var v0 : si32
%6 = hwarith.call u1 %5, %4 : (si32, si32) -> ui32
hwarith.store m2 %2, %6, %1 : ui4, ui32, ui1
";
        let graph = read(text).expect("well formed");
        graph.validate().expect("valid");
        assert_eq!(graph.print(0), text);
    }

    #[test]
    fn steps_read_back() {
        let text = "step 0 {
  %0 = hwarith.input 0 : ui4
  %1 = hwarith.input 1 : ui2
  %2 = hwarith.add %0, %1 : (ui4, ui2) -> ui5
  %3 = hwarith.cast %2 : (ui5) -> ui4
  hwarith.output %3
}
%0 = hwarith.input 0 : ui4
%1 = hwarith.input 1 : ui2
%2 = hwarith.iterate step 0 x 5 %0, %1 : (ui4, ui2) -> ui4
hwarith.output %2
";
        let graph = read(text).expect("well formed");
        graph.validate().expect("valid");
        assert_eq!(graph.print(0), text);
        assert_eq!(eval(&graph, &[3.into(), 2.into()]), [13.into()]);
        for at in 0..text.len() {
            let _ = read(&text[..at]).map(|g| g.validate().expect("valid"));
            let damaged = format!("{}7{}", &text[..at], &text[at + 1..]);
            let _ = read(&damaged).map(|g| g.validate().expect("valid"));
        }
        assert_eq!(messages("step 0 {\n"), ["1:1: a step does not end"]);
        assert_eq!(messages("}\n").len(), 1);
    }

    /// With types of operands in parentheses or not, and of the result too.
    #[test]
    fn the_examples_of_the_rationale_are_read() {
        let text = "
            %10 = hwarith.input 0 : ui3
            %11 = hwarith.input 1 : ui4
            %12 = hwarith.input 2 : si3
            %13 = hwarith.input 3 : si3
            %14 = hwarith.input 4 : ui3
            %15 = hwarith.input 5 : si4
            %16 = hwarith.input 6 : si4
            %17 = hwarith.input 7 : ui6
            %18 = hwarith.input 8 : si7
            %19 = hwarith.input 9 : ui5
            %0 = hwarith.add %10, %11 : (ui3, ui4) -> ui5
            %1 = hwarith.add %12, %13 : (si3, si3) -> si4
            %2 = hwarith.add %14, %15 : (ui3, si4) -> si5
            %3 = hwarith.add %16, %17 : (si4, ui6) -> si8
            %20 = hwarith.sub %10, %11 : (ui3, ui4) -> si5
            %21 = hwarith.sub %12, %13 : (si3, si3) -> si4
            %22 = hwarith.sub %14, %15 : (ui3, si4) -> si5
            %23 = hwarith.sub %16, %17 : (si4, ui6) -> si8
            %30 = hwarith.mul %10, %11 : (ui3, ui4) -> ui7
            %31 = hwarith.mul %12, %13 : (si3, si3) -> si6
            %32 = hwarith.mul %12, %19 : (si3, ui5) -> si8
            %40 = hwarith.div %10, %11 : (ui3, ui4) -> ui3
            %41 = hwarith.div %12, %13 : (si3, si3) -> si4
            %42 = hwarith.div %14, %15 : (ui3, si4) -> si4
            %43 = hwarith.div %16, %17 : (si4, ui6) -> si4
            %50 = hwarith.cast %10 : (ui3) -> si5
            %51 = hwarith.cast %13 : (si3) -> si4
            %52 = hwarith.cast %18 : (si7) -> ui4
            %60 = hwarith.icmp lt %19, %17 : ui5, ui6 // (U)
            %61 = hwarith.icmp lt %12, %15 : si3, si4 // (S)
            %62 = hwarith.icmp lt %12, %17 : si3, ui6 // (M)
            %res = hwarith.add %10, %11 : (ui3, ui4) -> (ui5)
            hwarith.output %res, %3, %43, %62
";
        let graph = parse(FileId(0), text).expect("valid");
        graph.validate().expect("valid");
        let types: Vec<String> = graph
            .outputs
            .iter()
            .map(|&o| graph.ty(o).to_string())
            .collect();
        assert_eq!(types, ["ui5", "si8", "si4", "ui1"]);
    }

    #[test]
    fn types_that_follow_may_be_left_out() {
        let graph = read(
            "// a sum
             %a = hwarith.input 0 : si6
             %b = hwarith.input 1 : si5
             %c = hwarith.input 2 : si4
             %sum = hwarith.add %a, %b, %c
             %less = hwarith.icmp lt %sum, %a : si8, si6
             hwarith.output %sum, %less",
        )
        .expect("well formed");
        let types: Vec<String> = graph
            .outputs
            .iter()
            .map(|&o| graph.ty(o).to_string())
            .collect();
        assert_eq!(types, ["si8", "ui1"]);
    }

    #[test]
    fn a_stated_type_that_differs_is_an_error() {
        let with = |line: &str| {
            messages(&format!(
                "%0 = hwarith.input 0 : ui3\n%1 = hwarith.input 1 : ui4\n{line}\nhwarith.output %2\n"
            ))
        };
        assert_eq!(
            with("%2 = hwarith.add %0, %1 : (ui3, ui4) -> ui6"),
            ["3:41: the result is ui5, not ui6"]
        );
        assert_eq!(
            with("%2 = hwarith.add %0, %1 : (ui4, ui4) -> ui5"),
            ["3:28: %0 is ui3, not ui4"]
        );
        assert_eq!(
            with("%2 = hwarith.constant 5 : ui4"),
            ["3:26: the result is ui3, not ui4"]
        );
        assert_eq!(
            with("%2 = hwarith.cast %0"),
            ["3:6: the operation's type has to be stated"]
        );
    }

    #[test]
    fn errors_have_places_and_do_not_cascade() {
        assert_eq!(
            messages(
                "%0 = hwarith.frob 1\n%1 = hwarith.not %0\n%2 = hwarith.not %9\n%2 = hwarith.input 0 : ui2\n"
            ),
            [
                "1:14: there is no operation 'frob'",
                "3:18: %9 is not defined before its use",
                "4:1: %2 is defined twice"
            ]
        );
    }

    /// Every prefix of a text, and every text with one character replaced, is refused or valid.
    #[test]
    fn damaged_texts_do_no_harm() {
        let loops = "%0 = hwarith.constant 0 : ui1\n%2 = hwarith.phi %0, %0 : (ui1, ui1) -> ui4\n";
        for text in [SUM, loops] {
            for at in 0..text.len() {
                let _ = read(&text[..at]).map(|g| g.validate().expect("valid"));
                for other in ["%", "9", "-", ":", "é", "\n", ""] {
                    let damaged = format!("{}{other}{}", &text[..at], &text[at + 1..]);
                    let _ = read(&damaged).map(|g| g.validate().expect("valid"));
                }
            }
        }
        for line in [
            "%0 = hwarith.input 0 : ui0",
            "%0 = hwarith.input 0 : ui4294967297",
            "%0 = hwarith.input 4294967295 : ui1",
            "%0 = hwarith.input 1 : ui1",
            "%0 = hwarith.concat",
            "%0 = hwarith.phi",
            "%0 = hwarith.add : ui1",
            "hwarith.store m0",
            "%0 = hwarith.constant 1",
            "hwarith.constant 1",
        ] {
            let count = messages(line).len();
            assert_eq!(
                count,
                usize::from(!line.contains("constant 1") || !line.contains('%')),
                "{line}"
            );
        }
        let doubling: String = (1..40)
            .map(|i| format!("%{i} = hwarith.mul %{}, %{}\n", i - 1, i - 1))
            .collect();
        let doubling = format!("%0 = hwarith.input 0 : ui9\n{doubling}");
        assert_eq!(messages(&doubling).len(), 1);
    }
}

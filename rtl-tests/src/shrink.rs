//! Shrinks the text of a kernel that has some property to a few lines, by edits of its syntax tree.
//!
//! Hierarchical delta debugging (Misherghi and Su, ICSE 2006) with edits that know the language: whole groups of statements
//! go, blocks lose their header, parameters, arguments and results disappear together, expressions become one of their
//! operands or a constant, widths, extents and trip counts shrink, types become plain ones.

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, TraversalSignal, walk_module};
use ruff_python_ast::{AnyNodeRef, Expr, Mod, ModModule, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;
use std::ops::Range;

/// Places of the text with what stands there instead; they do not overlap.
type Edit = Vec<(Range<usize>, String)>;

/// The simplest text found that still has the property, after at most `tries` questions.
pub fn shrink(text: &str, tries: usize, has: &mut dyn FnMut(&str) -> bool) -> String {
    let mut best = text.to_string();
    let Some(mut tree) = Tree::parse(&best) else {
        return best;
    };
    let mut left = tries;
    loop {
        let mut improved = false;
        for family in FAMILIES {
            let mut at = 0;
            loop {
                let edits = family(&tree);
                let Some(edit) = edits.get(at) else { break };
                let candidate = applied(&best, edit);
                let simpler = Tree::parse(&candidate).filter(|new| new.cost() < tree.cost());
                if let Some(new) = simpler {
                    if left == 0 {
                        return best;
                    }
                    left -= 1;
                    if has(&candidate) {
                        (best, tree, improved) = (candidate, new, true);
                        continue;
                    }
                }
                at += 1;
            }
        }
        if !improved {
            return best;
        }
    }
}

/// Kinds of edits, those that remove most first.
const FAMILIES: [fn(&Tree) -> Vec<Edit>; 9] = [
    without_statements,
    without_headers,
    without_parameters,
    without_results,
    without_calls,
    plainer_types,
    simpler_expressions,
    smaller_numbers,
    without_parentheses,
];

fn applied(text: &str, edit: &Edit) -> String {
    let mut places: Vec<&(Range<usize>, String)> = edit.iter().collect();
    places.sort_by_key(|(range, _)| range.start);
    let (mut out, mut from) = (String::new(), 0);
    for (range, new) in places {
        out.push_str(&text[from..range.start]);
        out.push_str(new);
        from = range.end;
    }
    out + &text[from..]
}

/// A text that parses.
struct Tree {
    text: String,
    module: ModModule,
    /// Of every node.
    nodes: usize,
    expressions: Vec<Node>,
}

struct Node {
    range: Range<usize>,
    /// Ranges of the nearest expressions below.
    operands: Vec<Range<usize>>,
}

fn range(node: &impl Ranged) -> Range<usize> {
    node.start().to_usize()..node.end().to_usize()
}

impl Tree {
    fn parse(text: &str) -> Option<Tree> {
        let parsed = ruff_python_parser::parse_module(text).ok()?;
        let module = Mod::Module(parsed.into_syntax());
        let mut collector = Collector::default();
        walk_module(&mut collector, &module);
        let Mod::Module(module) = module else {
            return None;
        };
        Some(Tree {
            text: text.to_string(),
            module,
            nodes: collector.count,
            expressions: collector.expressions,
        })
    }

    /// What shrinks: nodes, then characters, then the sum of all numbers.
    fn cost(&self) -> (usize, usize, u64) {
        let numbers = digit_runs(&self.text);
        let value = |run: &Range<usize>| self.text[run.clone()].parse().unwrap_or(u64::MAX >> 16);
        let sum = numbers.iter().map(value).fold(0u64, u64::saturating_add);
        (self.nodes, self.text.len(), sum)
    }

    fn of(&self, range: &Range<usize>) -> &str {
        &self.text[range.clone()]
    }

    /// Every list of statements, outer ones first.
    fn suites(&self) -> Vec<&[Stmt]> {
        let mut all = vec![&self.module.body[..]];
        let mut next = 0;
        while let Some(&suite) = all.get(next) {
            suite.iter().for_each(|stmt| all.extend(blocks(stmt)));
            next += 1;
        }
        all
    }

    fn functions(&self) -> impl Iterator<Item = &StmtFunctionDef> {
        let suites = self.suites().into_iter().flatten();
        suites.filter_map(|stmt| match stmt {
            Stmt::FunctionDef(function) => Some(function),
            _ => None,
        })
    }

    /// Whole lines from one statement to another; `None` if they share a line with others.
    fn lines(&self, first: Range<usize>, last: Range<usize>) -> Option<Range<usize>> {
        let start = self.text[..first.start].rfind('\n').map_or(0, |i| i + 1);
        let end = self.text[last.end..].find('\n');
        let end = end.map_or(self.text.len(), |i| last.end + i + 1);
        let blank = |part: &str| part.trim().is_empty();
        let tail = self.text[last.end..end].trim_start();
        let alone = blank(&self.text[start..first.start]) && (blank(tail) || tail.starts_with('#'));
        alone.then_some(start..end)
    }

    /// The lines of a suite as they stand at another column.
    fn moved(&self, suite: &[Stmt], column: usize) -> Option<String> {
        let lines = self.lines(range(suite.first()?), range(suite.last()?))?;
        let own = range(suite.first()?).start - lines.start;
        let text = self.of(&lines).lines();
        let moved = text.map(|line| format!("{:column$}{}\n", "", line.get(own..).unwrap_or("")));
        Some(moved.collect())
    }

    /// Names as whole words, with their places.
    fn words(&self) -> Vec<Range<usize>> {
        let mut words: Vec<Range<usize>> = Vec::new();
        let mut from = None;
        for (i, c) in self.text.char_indices().chain([(self.text.len(), ' ')]) {
            let inside = c.is_alphanumeric() || c == '_';
            match from {
                None if inside => from = Some(i),
                Some(start) if !inside => {
                    words.push(start..i);
                    from = None;
                }
                _ => {}
            }
        }
        words
    }
}

#[derive(Default)]
struct Collector {
    count: usize,
    expressions: Vec<Node>,
    /// Expressions around.
    open: Vec<usize>,
}

impl<'a> SourceOrderVisitor<'a> for Collector {
    fn enter_node(&mut self, node: AnyNodeRef<'a>) -> TraversalSignal {
        self.count += 1;
        if node.is_expression() {
            let range = range(&node);
            if let Some(&parent) = self.open.last() {
                self.expressions[parent].operands.push(range.clone());
            }
            self.open.push(self.expressions.len());
            self.expressions.push(Node {
                range,
                operands: Vec::new(),
            });
        }
        TraversalSignal::Traverse
    }

    fn leave_node(&mut self, node: AnyNodeRef<'a>) {
        if node.is_expression() {
            self.open.pop();
        }
    }
}

fn blocks(stmt: &Stmt) -> Vec<&[Stmt]> {
    match stmt {
        Stmt::FunctionDef(s) => vec![&s.body],
        Stmt::For(s) => vec![&s.body, &s.orelse],
        Stmt::While(s) => vec![&s.body, &s.orelse],
        Stmt::If(s) => {
            let clauses = s.elif_else_clauses.iter().map(|clause| &clause.body[..]);
            std::iter::once(&s.body[..]).chain(clauses).collect()
        }
        Stmt::Match(s) => s.cases.iter().map(|case| &case.body[..]).collect(),
        _ => Vec::new(),
    }
}

/// Where a statement begins, with its decorators.
fn whole(stmt: &Stmt) -> Range<usize> {
    let mut whole = range(stmt);
    if let Stmt::FunctionDef(function) = stmt {
        let decorators = function.decorator_list.iter().map(|d| range(d).start);
        whole.start = decorators.fold(whole.start, usize::min);
    }
    whole
}

// Statements ---------------------------------------------------------------------------------

/// Halves, quarters, ... of every list of statements, and clauses of `if` and `match`.
fn without_statements(tree: &Tree) -> Vec<Edit> {
    let mut edits = Vec::new();
    for suite in tree.suites() {
        let mut size = suite.len();
        while size > 0 {
            for group in suite.chunks(size) {
                let (Some(first), Some(last)) = (group.first(), group.last()) else {
                    continue;
                };
                if let Some(lines) = tree.lines(whole(first), whole(last)) {
                    let column = whole(first).start - lines.start;
                    edits.push(vec![(lines.clone(), String::new())]);
                    edits.push(vec![(lines, format!("{:column$}pass\n", ""))]);
                }
            }
            size /= 2;
        }
        for stmt in suite {
            let clauses: Vec<Range<usize>> = match stmt {
                Stmt::If(s) => s.elif_else_clauses.iter().map(range).collect(),
                Stmt::Match(s) => s.cases.iter().map(range).collect(),
                _ => Vec::new(),
            };
            let lines = clauses.into_iter().map(|c| tree.lines(c.clone(), c));
            edits.extend(lines.flatten().map(|lines| vec![(lines, String::new())]));
        }
    }
    edits
}

/// Blocks in place of the statement around them; the variable of a loop keeps its first value.
fn without_headers(tree: &Tree) -> Vec<Edit> {
    let mut edits = Vec::new();
    for stmt in tree.suites().into_iter().flatten() {
        if matches!(stmt, Stmt::FunctionDef(_)) {
            continue;
        }
        let Some(lines) = tree.lines(range(stmt), range(stmt)) else {
            continue;
        };
        let column = range(stmt).start - lines.start;
        for block in blocks(stmt) {
            let Some(body) = tree.moved(block, column) else {
                continue;
            };
            if let Stmt::For(s) = stmt {
                let name = tree.of(&range(&*s.target));
                let start = match &*s.iter {
                    Expr::Call(call) if call.arguments.args.len() > 1 => {
                        tree.of(&range(&call.arguments.args[0]))
                    }
                    _ => "0",
                };
                let declared = format!("{:column$}{name}: index = {start}\n{body}", "");
                edits.push(vec![(lines.clone(), declared)]);
            }
            edits.push(vec![(lines.clone(), body)]);
        }
    }
    edits
}

// Parameters and results ---------------------------------------------------------------------

/// Takes one of several things in a list that commas separate.
fn without_item(tree: &Tree, items: &[Range<usize>], at: usize) -> Edit {
    let own = &items[at];
    let place = match (items.get(at + 1), at.checked_sub(1)) {
        (Some(next), _) => own.start..next.start,
        (None, Some(before)) => items[before].end..own.end,
        (None, None) => {
            let comma = tree.text[own.end..].starts_with(',');
            own.start..own.end + usize::from(comma)
        }
    };
    vec![(place, String::new())]
}

/// A parameter and its argument in every call.
fn without_parameters(tree: &Tree) -> Vec<Edit> {
    let mut edits = Vec::new();
    for function in tree.functions() {
        let parameters: Vec<Range<usize>> = function.parameters.args.iter().map(range).collect();
        for at in 0..parameters.len() {
            let mut edit = without_item(tree, &parameters, at);
            for arguments in calls_of(tree, function.name.as_str()) {
                if at < arguments.len() {
                    edit.extend(without_item(tree, &arguments, at));
                }
            }
            edits.push(edit);
        }
    }
    edits
}

/// The ranges of the arguments of every call of a function.
fn calls_of(tree: &Tree, name: &str) -> Vec<Vec<Range<usize>>> {
    let mut found = Vec::new();
    for node in &tree.expressions {
        if let Some((callee, arguments)) = node.operands.split_first()
            && tree.of(callee) == name
            && tree.text[callee.end..].starts_with('(')
            && callee.start == node.range.start
        {
            found.push(arguments.to_vec());
        }
    }
    found
}

/// All results, or one of several, with the values that are returned.
fn without_results(tree: &Tree) -> Vec<Edit> {
    let mut edits = Vec::new();
    for function in tree.functions() {
        let Some(annotation) = &function.returns else {
            continue;
        };
        let returned = returned(&function.body);
        let arrow = tree.text[..range(&**annotation).start].rfind("->");
        if let Some(arrow) = arrow {
            let end = range(&**annotation).end;
            let mut edit: Edit = vec![(arrow..end, String::new())];
            edit.extend(returned.iter().map(|value| (range(*value), String::new())));
            edits.push(edit);
        }
        if let Expr::Tuple(types) = &**annotation {
            for at in 0..types.elts.len() {
                let mut edit = vec![without_element(tree, annotation, at)];
                edit.extend(
                    returned
                        .iter()
                        .map(|value| without_element(tree, value, at)),
                );
                let assigned = assigned_from(tree, function.name.as_str());
                edit.extend(
                    assigned
                        .iter()
                        .map(|target| without_element(tree, target, at)),
                );
                edits.push(edit.into_iter().flatten().collect());
            }
        }
    }
    edits
}

/// A tuple without one of its elements, or the other one of two.
fn without_element(tree: &Tree, tuple: &Expr, at: usize) -> Option<(Range<usize>, String)> {
    let Expr::Tuple(elements) = tuple else {
        return None;
    };
    let kept = elements.elts.iter().enumerate().filter(|(i, _)| *i != at);
    let kept: Vec<&str> = kept.map(|(_, e)| tree.of(&range(e))).collect();
    let text = match (kept.len(), elements.parenthesized) {
        (1, _) | (_, false) => kept.join(", "),
        _ => format!("({})", kept.join(", ")),
    };
    Some((range(tuple), text))
}

fn returned<'a>(suite: &'a [Stmt]) -> Vec<&'a Expr> {
    let of = |stmt: &'a Stmt| match stmt {
        Stmt::Return(s) => s.value.as_deref().into_iter().collect(),
        other => blocks(other)
            .into_iter()
            .flat_map(returned)
            .collect::<Vec<_>>(),
    };
    suite.iter().flat_map(of).collect()
}

/// Targets of assignments from a call of a function.
fn assigned_from<'t>(tree: &'t Tree, name: &str) -> Vec<&'t Expr> {
    let mut targets = Vec::new();
    for stmt in tree.suites().into_iter().flatten() {
        if let Stmt::Assign(s) = stmt
            && let Expr::Call(call) = &*s.value
            && tree.of(&range(&*call.func)) == name
        {
            targets.extend(&s.targets);
        }
    }
    targets
}

// Types, expressions, numbers ----------------------------------------------------------------

/// Types from which a plainer one is taken, the plainest first.
const PLAIN: [&str; 6] = ["u1", "i8", "u8", "i32", "f16", "f32"];

/// Own types replaced everywhere; then every use of a type by itself.
fn plainer_types(tree: &Tree) -> Vec<Edit> {
    let words = tree.words();
    let mut edits = Vec::new();
    for stmt in &tree.module.body {
        let Stmt::Assign(s) = stmt else { continue };
        let (Some(Expr::Name(name)), Some(lines)) =
            (s.targets.first(), tree.lines(range(stmt), range(stmt)))
        else {
            continue;
        };
        for plain in PLAIN {
            let uses = words.iter().filter(|w| tree.of(w) == name.id.as_str());
            let uses = uses.filter(|w| w.start >= lines.end);
            let mut edit: Edit = uses.map(|w| (w.clone(), plain.to_string())).collect();
            edit.push((lines.clone(), String::new()));
            edits.push(edit);
        }
    }
    let is_type = |word: &str| {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = word.len() > letters.len();
        word == "index" || (digits && ["i", "u", "f", "bf"].contains(&letters))
    };
    for word in words.iter().filter(|w| is_type(tree.of(w))) {
        let other = PLAIN.iter().filter(|plain| **plain != tree.of(word));
        edits.extend(other.map(|plain| vec![(word.clone(), plain.to_string())]));
    }
    edits
}

/// An operand, or a constant, in place of an expression.
fn simpler_expressions(tree: &Tree) -> Vec<Edit> {
    let mut edits = Vec::new();
    for node in &tree.expressions {
        let whole = tree.of(&node.range);
        for new in ["0", "1"] {
            if whole != new {
                edits.push(vec![(node.range.clone(), new.to_string())]);
            }
        }
        for operand in &node.operands {
            let text = tree.of(operand).to_string();
            edits.push(vec![(node.range.clone(), text)]);
        }
        // `x op= e` and `not e` have no operand that stands for them.
        if let Some(last) = node.operands.last()
            && node.operands.len() > 2
        {
            let before = &node.operands[node.operands.len() - 2];
            edits.push(vec![(before.end..last.end, String::new())]);
        }
    }
    for stmt in tree.suites().into_iter().flatten() {
        if let Stmt::AugAssign(s) = stmt {
            let between = range(&*s.target).end..range(&*s.value).start;
            edits.push(vec![(between, " = ".to_string())]);
        }
    }
    edits
}

/// What a statement hands to a kernel, as a variable of its own.
fn without_calls(tree: &Tree) -> Vec<Edit> {
    let mut names = (0..).map(|n| format!("x{n}"));
    let name = names.find(|name| !tree.text.contains(name));
    let name = name.expect("a text has an end");
    let mut edits = Vec::new();
    for stmt in tree.suites().into_iter().flatten() {
        if let Stmt::Expr(s) = stmt
            && let Expr::Call(call) = &*s.value
        {
            edits.extend(call.arguments.args.iter().map(|arg| {
                let arg = tree.of(&range(arg));
                vec![(range(stmt), format!("{name}: i64 = {arg}"))]
            }));
        }
    }
    edits
}

/// Digits that stand by themselves or end a name.
fn digit_runs(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let starts = (0..bytes.len()).filter(|&i| digit(i) && !(i > 0 && digit(i - 1)));
    let end = |start: usize| (start..).find(|&i| !digit(i)).unwrap_or(bytes.len());
    starts.map(|start| start..end(start)).collect()
}

/// Widths, extents, trip counts and constants.
fn smaller_numbers(tree: &Tree) -> Vec<Edit> {
    let mut edits = Vec::new();
    for run in digit_runs(&tree.text) {
        let before = tree.text[..run.start].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.') {
            continue;
        }
        let Ok(value) = tree.of(&run).parse::<u64>() else {
            edits.push(vec![(run, "1".to_string())]);
            continue;
        };
        for less in [0, 1, value / 2, value.saturating_sub(1)] {
            if less < value {
                edits.push(vec![(run.clone(), less.to_string())]);
            }
        }
    }
    edits
}

/// Parentheses around a single thing.
fn without_parentheses(tree: &Tree) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut open = Vec::new();
    for (i, c) in tree.text.char_indices() {
        match c {
            '(' => open.push(i),
            ')' => {
                let Some(start) = open.pop() else { continue };
                let inside = &tree.text[start + 1..i];
                let before = tree.text[..start].chars().next_back();
                let grouping = !before.is_some_and(|c| c.is_alphanumeric() || "_)]".contains(c));
                if grouping && !inside.contains(',') {
                    edits.push(vec![(start..i + 1, inside.to_string())]);
                }
            }
            _ => {}
        }
    }
    edits
}

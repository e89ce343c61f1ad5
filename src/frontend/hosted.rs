//! Kernels that are objects of a running program, such as Python with the package: what is compiled is the text of a
//! function of it, with the values that the names of the text have there.

use super::codes;
use super::constant::ConstValue;
use super::decorator::Decorator;
use super::error::diagnostic;
use super::kernel_ref::KernelRef;
use super::session::Session;
use super::source::{self, span_of};
use super::world::{Binding, World};
use super::{Compiled, lowered, on_big_stack};
use crate::diagnostics::{Diagnostic, Diagnostics, FileId, SourceMap};
use indexmap::{IndexMap, IndexSet};
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Comprehension, Expr, ExprContext, ModModule, Parameters, Stmt};
use ruff_python_ast::{StmtAnnAssign, StmtFunctionDef};
use std::rc::Rc;

pub use super::decorator::Stated;

/// The program that holds the kernels. It numbers them as it comes across them; 0 is the one to be compiled.
pub trait Holder {
    /// How many kernels it has come across.
    fn known(&self) -> usize;
    /// Where a kernel is written, and what its decorator says.
    ///
    /// # Errors
    /// Why that cannot be told.
    fn definition(&mut self, kernel: usize) -> Result<Definition, String>;
    /// What a name means to a kernel's function, of objects at least the attributes that the text mentions; `None`:
    /// nothing.
    fn value(&mut self, kernel: usize, name: &str, attributes: &Attributes) -> Option<Found>;
    /// The values of the templates of the kernel that is compiled.
    fn bindings(&mut self) -> Vec<ConstValue>;
}

/// Names of attributes that the text of a kernel mentions.
pub type Attributes = IndexSet<String>;

/// The value of a name, or why a kernel cannot use it.
pub type Found = Result<ConstValue, String>;

/// Where a kernel is written, and what its decorator says.
#[derive(Clone, Debug, Default)]
pub struct Definition {
    /// Name of the file, for messages.
    pub file: String,
    /// Its whole text.
    pub text: String,
    /// 1-based line of the function's first decorator.
    pub line: usize,
    /// Name of the function.
    pub name: String,
    /// What the decorator says.
    pub decorator: Stated,
    /// Annotations that the program has evaluated, by parameter; the result's as `return`.
    pub annotations: Vec<(String, ConstValue)>,
}

/// Compiles kernel number 0 of the holder that `make` gives, which is made and used on a thread of its own. Of a grid, if
/// `as_worker`, the first worker, which a schedule of the grid speaks of.
///
/// # Errors
/// Every error found, in order of discovery.
pub fn compile<H: Holder>(
    sources: &mut SourceMap,
    make: impl FnOnce() -> H + Send,
    as_worker: bool,
) -> Result<Compiled, Diagnostics> {
    on_big_stack(|| {
        let mut holder = make();
        let gathered = gather(sources, &mut holder)?;
        let mut world = World::new(sources, &[]);
        for kernel in &gathered {
            let module = world.add_module(kernel.names.clone());
            let made = world.add_def(
                &kernel.ast,
                kernel.file,
                module,
                kernel.decorator.clone(),
                None,
            );
            world.defs[made.def].evaluated = kernel.annotations.clone();
        }
        let top = KernelRef {
            def: 0,
            bindings: holder.bindings().into(),
        };
        let mut session = Session::of(world);
        let span = span_of(gathered[0].file, gathered[0].ast.name.range);
        if !session.is_concrete(&top) {
            let message = session.template_mismatch(&top);
            return Err(Diagnostic::error(codes::TEMPLATE, span, message).into());
        }
        let worker = match as_worker {
            true => session.first_worker(&top, span),
            false => Ok(None),
        };
        match worker {
            Ok(worker) => lowered(session, Ok((top, span)), worker.as_ref()),
            Err(failure) => lowered(session, Err(failure), None),
        }
    })
}

/// A kernel of the holder.
struct Gathered {
    ast: StmtFunctionDef,
    file: FileId,
    decorator: Decorator,
    names: IndexMap<String, Binding>,
    annotations: IndexMap<String, ConstValue>,
}

/// The kernel to be compiled and all those that it can reach: the values of their names lead to further ones.
fn gather(sources: &mut SourceMap, holder: &mut dyn Holder) -> Result<Vec<Gathered>, Diagnostics> {
    let mut files = Files::default();
    let mut all: Vec<Gathered> = Vec::new();
    while all.len() < holder.known() {
        let number = all.len();
        let unknown = |why| Diagnostic::global(codes::KERNEL_TEXT, why);
        let definition = holder.definition(number).map_err(unknown)?;
        let (file, parsed) = files.read(sources, &definition)?;
        let Some(ast) = function_at(sources, file, &parsed, &definition) else {
            let Definition {
                name, file, line, ..
            } = &definition;
            let why = format!(
                "the function of kernel '{name}' is not at line {line} of '{file}': the file has \
                 changed since it was run"
            );
            return Err(unknown(why).into());
        };
        let uses = Uses::of(&ast);
        let mut names = IndexMap::new();
        for name in uses.free {
            let binding = match holder.value(number, &name, &uses.attributes) {
                None => continue,
                Some(Ok(value)) => Binding::Value(value),
                Some(Err(reason)) => Binding::Kept(reason),
            };
            names.insert(name, binding);
        }
        let annotations = definition.annotations.into_iter().collect();
        let stated = definition
            .decorator
            .decorator(span_of(file, ast.name.range));
        let decorator =
            stated.map_err(|failure| Diagnostics(diagnostic(failure).into_iter().collect()))?;
        all.push(Gathered {
            ast,
            file,
            decorator,
            names,
            annotations,
        });
    }
    Ok(all)
}

/// Files with kernels, each read once.
#[derive(Default)]
struct Files {
    read: Vec<(FileId, Rc<ModModule>)>,
}

impl Files {
    fn read(
        &mut self,
        sources: &mut SourceMap,
        definition: &Definition,
    ) -> Result<(FileId, Rc<ModModule>), Diagnostics> {
        let same = |(id, _): &&(FileId, Rc<ModModule>)| {
            let file = sources.file(*id);
            file.name == definition.file && file.text == definition.text
        };
        if let Some(found) = self.read.iter().find(same) {
            return Ok(found.clone());
        }
        let file = sources.add(definition.file.as_str(), definition.text.as_str());
        let parsed = Rc::new(source::parse(sources, file)?);
        self.read.push((file, parsed.clone()));
        Ok((file, parsed))
    }
}

/// The function that begins at a line, at any depth.
fn function_at(
    sources: &SourceMap,
    file: FileId,
    parsed: &ModModule,
    definition: &Definition,
) -> Option<StmtFunctionDef> {
    struct Search<F> {
        is_it: F,
        found: Option<StmtFunctionDef>,
    }
    impl<F: Fn(&StmtFunctionDef) -> bool> Visitor<'_> for Search<F> {
        fn visit_stmt(&mut self, stmt: &Stmt) {
            match stmt {
                Stmt::FunctionDef(f) if (self.is_it)(f) => self.found = Some(f.clone()),
                other => visitor::walk_stmt(self, other),
            }
        }
        // Functions are statements.
        fn visit_expr(&mut self, _: &Expr) {}
    }
    let is_it = |f: &StmtFunctionDef| {
        let begin = f.decorator_list.first().map_or(f.range, |d| d.range);
        let line = sources.line_of(span_of(file, begin));
        line == definition.line && f.name.id == *definition.name
    };
    let mut search = Search { is_it, found: None };
    parsed.body.iter().for_each(|stmt| search.visit_stmt(stmt));
    search.found
}

/// What a function uses of the program around.
#[derive(Default)]
struct Uses {
    /// Names that it does not bind by itself.
    free: IndexSet<String>,
    /// Attributes of any object.
    attributes: Attributes,
}

impl Uses {
    fn of(f: &StmtFunctionDef) -> Uses {
        let mut names = Scope::default();
        names.function(f);
        Uses {
            free: names.read,
            attributes: names.attributes,
        }
    }
}

/// The names of one function, by Python's rules: what it binds anywhere is its own everywhere.
#[derive(Default)]
struct Scope {
    read: IndexSet<String>,
    bound: IndexSet<String>,
    attributes: Attributes,
    in_annotation: bool,
    /// Names in annotations: those of what is around.
    annotated: IndexSet<String>,
}

impl Scope {
    /// Reads a whole function; then `read` is what it needs from around.
    fn function(&mut self, f: &StmtFunctionDef) {
        self.parameters(&f.parameters);
        if let Some(returns) = &f.returns {
            self.annotation(returns);
        }
        f.body.iter().for_each(|stmt| self.visit_stmt(stmt));
        let bound = std::mem::take(&mut self.bound);
        self.read.retain(|name| !bound.contains(name));
        self.read.append(&mut self.annotated);
    }

    fn parameters(&mut self, parameters: &Parameters) {
        for parameter in parameters {
            self.bound.insert(parameter.name().to_string());
            if let Some(annotation) = parameter.annotation() {
                self.annotation(annotation);
            }
        }
    }

    fn annotation(&mut self, expr: &Expr) {
        let before = std::mem::replace(&mut self.in_annotation, true);
        self.visit_expr(expr);
        self.in_annotation = before;
    }

    /// The words of a quoted annotation: more than its names, which does no harm.
    fn quoted(&mut self, text: &str) {
        let is_part = |c: char| c == '_' || c.is_alphanumeric();
        let words = text.split(|c| !is_part(c)).filter(|word| !word.is_empty());
        for word in words {
            self.annotated.insert(word.to_owned());
            self.attributes.insert(word.to_owned());
        }
    }
}

impl Visitor<'_> for Scope {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::FunctionDef(f) => {
                self.bound.insert(f.name.to_string());
                f.decorator_list
                    .iter()
                    .for_each(|d| self.visit_decorator(d));
                let mut inner = Scope::default();
                inner.function(f);
                self.read.append(&mut inner.read);
                self.attributes.append(&mut inner.attributes);
            }
            Stmt::AnnAssign(StmtAnnAssign {
                target,
                annotation,
                value,
                ..
            }) => {
                self.annotation(annotation);
                self.visit_expr(target);
                value.iter().for_each(|value| self.visit_expr(value));
            }
            other => visitor::walk_stmt(self, other),
        }
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Name(name) if self.in_annotation => {
                self.annotated.insert(name.id.to_string());
            }
            Expr::Name(name) if name.ctx == ExprContext::Load => {
                self.read.insert(name.id.to_string());
            }
            Expr::Name(name) => {
                self.bound.insert(name.id.to_string());
            }
            Expr::StringLiteral(text) if self.in_annotation => self.quoted(text.value.to_str()),
            Expr::Attribute(attribute) => {
                self.attributes.insert(attribute.attr.to_string());
                self.visit_expr(&attribute.value);
            }
            other => visitor::walk_expr(self, other),
        }
    }

    /// The variables of a comprehension are not the function's.
    fn visit_comprehension(&mut self, comprehension: &Comprehension) {
        self.visit_expr(&comprehension.iter);
        comprehension.ifs.iter().for_each(|e| self.visit_expr(e));
    }
}

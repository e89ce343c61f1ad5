//! Import statements.

use crate::attributes::{exported, find};
use crate::code::bound_by;
use crate::error::Exception::ImportError;
use crate::error::raise;
use crate::library::members;
use crate::value::{Names, Result, Value};
use diagnostics::{Span, closest};
use ruff_python_ast::{self as ast, Stmt};

/// What an import statement binds: names, places and values, or why there is none.
pub fn imports(stmt: &Stmt, names: &mut dyn Names) -> Vec<(String, Span, Result<Value>)> {
    let module = names.place().module;
    match stmt {
        Stmt::Import(s) => s
            .names
            .iter()
            .map(|alias| {
                let span = names.span(alias.range);
                let dotted = alias.name.id.as_str();
                let top = dotted.split('.').next().unwrap_or(dotted);
                let leaf = import(module, dotted, 0, span, names);
                match &alias.asname {
                    Some(name) => (name.id.to_string(), span, leaf),
                    None => {
                        let found = leaf.and_then(|_| import(module, top, 0, span, names));
                        (top.to_owned(), span, found)
                    }
                }
            })
            .collect(),
        Stmt::ImportFrom(s) => s
            .names
            .iter()
            .flat_map(|alias| import_from(s, alias, module, names))
            .collect(),
        _ => Vec::new(),
    }
}

fn import_from(
    s: &ast::StmtImportFrom,
    alias: &ast::Alias,
    module: usize,
    names: &mut dyn Names,
) -> Vec<(String, Span, Result<Value>)> {
    let dotted = s.module.as_ref().map_or("", |m| m.id.as_str());
    let span = names.span(alias.range);
    let name = alias.name.id.as_str();
    let bound = bound_by(alias);
    let from = import(module, dotted, s.level, span, names);
    let space = match from {
        // `from . import helpers`: there need not be a package's own file.
        Err(_) if name != "*" && s.level > 0 && dotted.is_empty() => Value::None,
        Err(failure) => return vec![(bound.to_owned(), span, Err(failure))],
        Ok(space) => space,
    };
    if name == "*" {
        return exported(&space, names)
            .into_iter()
            .filter_map(|name| {
                let value = find(&space, &name, span, names).transpose()?;
                Some((name, span, value))
            })
            .collect();
    }
    let found = find(&space, name, span, names);
    let value = match (found, &space) {
        (Ok(Some(value)), _) => Ok(value),
        (Err(failure), _) => Err(failure),
        (Ok(None), Value::Module(_) | Value::None) => {
            let below = match dotted {
                "" => name.to_owned(),
                dotted => format!("{dotted}.{name}"),
            };
            let shown = format!("{}{dotted}", ".".repeat(s.level as usize));
            import(module, &below, s.level, span, names).or_else(|failure| {
                match failure.is_exception() {
                    true => no_name(&shown, name, None, span),
                    false => Err(failure),
                }
            })
        }
        (Ok(None), _) => {
            let exported = exported(&space, names);
            let near = closest(name, exported.iter().map(String::as_str));
            no_name(dotted, name, near, span)
        }
    };
    vec![(bound.to_owned(), span, value)]
}

/// The module of a name: of the library, or of the program.
fn import(
    module: usize,
    dotted: &str,
    level: u32,
    span: Span,
    names: &mut dyn Names,
) -> Result<Value> {
    match members::module(dotted).filter(|_| level == 0) {
        Some(library) => Ok(Value::Library(library)),
        None => names.host().import(module, dotted, level, span),
    }
}

fn no_name<T>(module: &str, name: &str, near: Option<&str>, span: Span) -> Result<T> {
    let hint = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
    let message = format!("module '{module}' has no name '{name}'{hint}");
    raise(ImportError, span, message)
}

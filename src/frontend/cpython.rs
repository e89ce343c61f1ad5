//! The module level run by the user's CPython, as an explicit choice: a shim in Python evaluates the
//! file and answers in JSON over pipes, in place of our evaluator.

use super::allo::{Allo, Template, surface};
use super::codes;
use super::constant::ConstValue;
use super::decorator::Stated;
use super::error::{Result, fail};
use super::given;
use super::kernel_ref::KernelRef;
use super::namespaces::Namespace;
use super::scan;
use super::source::span_of;
use super::world::{Binding, World};
use crate::diagnostics::{Diagnostic, FileId, Span};
use indexmap::IndexMap;
use num_bigint::{BigInt, Sign};
use pyeval::{Args, Attributes, Elements, Entries, HostValue, Key, Names};
use ruff_python_ast::{Stmt, StmtFunctionDef};
use serde_json::{Value as Json, json};
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// The part that runs in CPython.
const SHIM: &str = include_str!("shim.py");
/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A CPython at work.
struct Remote {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<String>,
    /// Templates by the numbers that it gives them.
    templates: Vec<Template>,
}

/// Shared by the values that need it.
type Shared = Rc<RefCell<Remote>>;

impl Drop for Remote {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Remote {
    fn start(python: &str) -> std::result::Result<Remote, String> {
        let spawned = Command::new(python)
            .args(["-B", "-c", SHIM])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = spawned.map_err(|e| format!("cannot start '{python}': {e}"))?;
        let (Some(requests), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("'{python}' has no pipes"));
        };
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output)
                .lines()
                .map_while(std::io::Result::ok)
            {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Remote {
            child,
            requests,
            answers,
            templates: Vec::new(),
        })
    }

    fn ask(&mut self, request: &Json) -> std::result::Result<Json, String> {
        writeln!(self.requests, "{request}").map_err(|e| format!("CPython has ended: {e}"))?;
        match self.answers.recv_timeout(PATIENCE) {
            Ok(line) => serde_json::from_str(&line).map_err(|e| format!("CPython's answer: {e}")),
            Err(RecvTimeoutError::Timeout) => Err("CPython takes longer than 60 s".into()),
            Err(RecvTimeoutError::Disconnected) => Err("CPython has ended".into()),
        }
    }
}

/// Runs the input in CPython and binds the names of its modules.
///
/// # Errors
/// When CPython cannot be started or does not answer.
pub fn evaluate<'a>(
    world: &mut World<'a>,
    python: &str,
    file: FileId,
    body: &'a [Stmt],
) -> Result<()> {
    let source = world.sources.file(file);
    let whole = Span {
        file,
        start: 0,
        end: 0,
    };
    let failed = |message: String| Diagnostic::error(codes::PYTHON, whole, message);
    let root = world.sources.root.as_ref();
    let root = root.map(|r| match r.as_os_str().is_empty() {
        true => ".".to_owned(),
        false => r.display().to_string(),
    });
    let modules: Vec<&str> = world.units.iter().map(|u| u.name.as_str()).collect();
    let request = json!({
        "file": source.name,
        "text": source.text,
        "root": root,
        "modules": modules,
        "names": namespaces(),
    });
    let mut remote = Remote::start(python).map_err(failed)?;
    let answer = remote.ask(&request).map_err(failed)?;
    if let Some(error) = answer["error"].as_str() {
        return Err(failed(error.to_owned()).into());
    }
    for name in answer["templates"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        remote.templates.push(Template::new(name));
    }
    let mut reader = Reader {
        remote: Rc::new(RefCell::new(remote)),
        kernels: IndexMap::new(),
        modules: modules.iter().map(|m| (*m).to_owned()).collect(),
    };
    let seen = answer["kernels"].as_array().cloned().unwrap_or_default();
    reader.define(world, 0, file, body, &seen);
    for (i, unit) in world.units.iter().enumerate() {
        if let Ok(parsed) = &unit.parsed {
            reader.define(world, i + 1, unit.file, &parsed.body, &seen);
        }
    }
    let names = std::iter::once(String::new()).chain(reader.modules.clone());
    for (module, name) in names.enumerate() {
        let Some(globals) = answer["modules"][&name].as_object() else {
            continue;
        };
        for (name, encoded) in globals {
            let binding = match reader.value(encoded) {
                Ok(value) => Binding::Value(value),
                Err(reason) => Binding::Poisoned {
                    reason,
                    span: whole,
                },
            };
            world.modules[module].globals.insert(name.clone(), binding);
        }
    }
    for problem in answer["problems"].as_array().into_iter().flatten() {
        report(world, problem, file);
    }
    Ok(())
}

/// Poisons what a statement that raised an exception would have bound.
fn report(world: &mut World, problem: &Json, file: FileId) {
    let line = problem[3].as_u64().unwrap_or(1) as usize;
    let span = line_span(world, file, line);
    let reason = problem[2].as_str().unwrap_or_default().to_owned();
    if problem[1] == "AssertionError" {
        world.report(Diagnostic::error(codes::ASSERTION, span, reason.clone()).into());
    }
    for name in problem[0].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default().to_owned();
        let known = world.modules[0].globals.entry(name);
        known.or_insert(Binding::Poisoned {
            reason: reason.clone(),
            span,
        });
    }
}

fn line_span(world: &World, file: FileId, line: usize) -> Span {
    let text = &world.sources.file(file).text;
    let start: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let shown = text[start..].lines().next().unwrap_or_default();
    let indent = shown.len() - shown.trim_start().len();
    Span {
        file,
        start: (start + indent) as u32,
        end: (start + shown.len()) as u32,
    }
}

/// The modules that stand for `allo`: the names that they export, each with the scalar type that it is, if it is one.
fn namespaces() -> Json {
    const MODULES: [&str; 10] = [
        "allo",
        "allo.lang",
        "allo.exp",
        "allo.exp.lang",
        "allo.operators",
        "allo.core",
        "allo.arith",
        "allo.math",
        "allo.linalg",
        "allo.pto",
    ];
    let exported = |module: &str| -> serde_json::Map<String, Json> {
        let space = surface::module(module);
        let names = space.map_or(Vec::new(), |space| {
            let inner = inner(space).into_iter();
            surface::exported(space).into_iter().chain(inner).collect()
        });
        let with_type = |name: String| {
            let ty = given::scalar_in(module, &name);
            (name, json!(ty))
        };
        names.into_iter().map(with_type).collect()
    };
    let modules = MODULES.iter();
    let modules = modules.map(|name| ((*name).to_owned(), json!(exported(name))));
    modules.collect::<serde_json::Map<String, Json>>().into()
}

fn inner(space: Namespace) -> Vec<String> {
    match space {
        Namespace::Allo => ["range", "min", "max", "abs"].map(str::to_owned).to_vec(),
        _ => Vec::new(),
    }
}

/// The meaning of CPython's answers.
struct Reader {
    remote: Shared,
    /// Kernels by module and line of their decorator.
    kernels: IndexMap<(String, u64), KernelRef>,
    modules: Vec<String>,
}

impl Reader {
    /// Registers the kernels of a module as CPython has seen their decorators.
    fn define<'a>(
        &mut self,
        world: &mut World<'a>,
        module: usize,
        file: FileId,
        body: &'a [Stmt],
        seen: &[Json],
    ) {
        let name = match module.checked_sub(1) {
            Some(unit) => self.modules[unit].clone(),
            None => String::new(),
        };
        let mut found: Vec<&'a StmtFunctionDef> = Vec::new();
        functions(body, &mut found);
        for f in found {
            let Some(first) = f.decorator_list.first() else {
                continue;
            };
            let line = world.sources.line_of(span_of(file, first.range)) as u64;
            let row = seen
                .iter()
                .rfind(|row| row["module"] == *name && row["line"] == line);
            let Some(row) = row else { continue };
            let span = span_of(file, f.name.range);
            let stated = self.stated(row);
            let stated = stated
                .map_err(|why| Diagnostic::error(codes::DECORATOR, span, why).into())
                .and_then(|stated| stated.decorator(span));
            match stated {
                Ok(decorator) => {
                    let def = world.add_def(f, file, module, decorator, None);
                    self.kernels.insert((name.clone(), line), def);
                }
                Err(failure) => world.report(failure),
            }
        }
    }

    /// What the decorator of a kernel says.
    fn stated(&self, row: &Json) -> std::result::Result<Stated, String> {
        let if_any = |json: &Json| match json {
            Json::Null => Ok(None),
            json => self.named(json).map(Some),
        };
        Ok(Stated {
            options: if_any(&row["options"])?,
            templates: self.items(&row["templates"])?,
            mapping: self.items(&row["mapping"])?,
            foreign: if_any(&row["foreign"])?,
            is_helper: row["helper"] == true,
        })
    }

    fn named(&self, json: &Json) -> std::result::Result<given::Named, String> {
        let named = json.as_object().into_iter().flatten();
        named
            .map(|(name, value)| Ok((name.clone(), self.value(value)?)))
            .collect()
    }

    fn template(&self, id: &Json) -> Option<Template> {
        let id = usize::try_from(id.as_u64()?).ok()?;
        self.remote.borrow().templates.get(id).cloned()
    }

    fn items(&self, json: &Json) -> std::result::Result<Vec<ConstValue>, String> {
        let items = json.as_array().into_iter().flatten();
        items.map(|item| self.value(item)).collect()
    }

    fn value(&self, json: &Json) -> std::result::Result<ConstValue, String> {
        let text = |i: usize| json[i].as_str().unwrap_or_default();
        Ok(match text(0) {
            "none" => ConstValue::None,
            "bool" => ConstValue::Bool(json[1].as_bool().unwrap_or_default()),
            "int" => ConstValue::Int(pyeval::parse_int(text(1), 0).ok_or("an int")?),
            "float" => {
                let bits = u64::from_str_radix(text(1), 16).map_err(|e| e.to_string())?;
                ConstValue::Float(f64::from_bits(bits))
            }
            "str" => ConstValue::str(text(1)),
            "tuple" => ConstValue::tuple(self.items(&json[1])?),
            "list" => ConstValue::list(self.items(&json[1])?),
            "set" => {
                let mut set = Elements::default();
                for item in self.items(&json[1])? {
                    set.items.insert(key(&item)?, item);
                }
                ConstValue::set(set)
            }
            "dict" => {
                let mut entries = Entries::new();
                for pair in json[1].as_array().into_iter().flatten() {
                    let (name, value) = (self.value(&pair[0])?, self.value(&pair[1])?);
                    entries.insert(key(&name)?, (name, value));
                }
                ConstValue::dict(entries)
            }
            "array" => {
                let shape = json[2].as_array().into_iter().flatten();
                let shape = shape.filter_map(Json::as_u64).map(|n| n as usize).collect();
                pyeval::from_parts(text(1), shape, &self.items(&json[3])?)?
            }
            "type" => {
                given::read_type(text(1)).ok_or_else(|| format!("'{}' is not a type", text(1)))?
            }
            "applied" => {
                let (of, args) = (self.value(&json[1])?, self.items(&json[2])?);
                match &json[3] {
                    Json::Null => given::subscript(&of, &args)?,
                    named => given::call(&of, args, self.named(named)?)?,
                }
            }
            "template" => Allo::Template(self.template(&json[1]).ok_or("a template")?).into(),
            "kernel" => {
                let line = json[2].as_u64().unwrap_or_default();
                let key = (text(1).to_owned(), line);
                let kernel = self
                    .kernels
                    .get(&key)
                    .ok_or("it is a kernel made while running")?;
                Allo::Kernel(KernelRef {
                    def: kernel.def,
                    bindings: self.items(&json[3])?.into(),
                })
                .into()
            }
            "name" => {
                given::named(text(1)).ok_or_else(|| format!("'{}' has no meaning here", text(1)))?
            }
            "function" => {
                let function = RemoteFunction {
                    remote: self.remote.clone(),
                    id: json[1].as_u64().unwrap_or_default(),
                };
                ConstValue::Host(Rc::new(function))
            }
            "module" => match given::module(text(1)) {
                Some(module) => module,
                None => match self.modules.iter().position(|m| m == text(1)) {
                    Some(unit) => ConstValue::Module(unit + 1),
                    None => return Err(format!("module '{}' stays in CPython", text(1))),
                },
            },
            "object" => {
                let mut attrs = Attributes::new();
                for (name, value) in json[2].as_object().into_iter().flatten() {
                    if let Ok(value) = self.value(value) {
                        attrs.insert(name.clone(), value);
                    }
                }
                pyeval::record(text(1), attrs)
            }
            _ => return Err(text(1).to_owned()),
        })
    }
}

fn functions<'a>(body: &'a [Stmt], found: &mut Vec<&'a StmtFunctionDef>) {
    for stmt in body {
        match stmt {
            Stmt::FunctionDef(f) => found.push(f),
            other => scan::children(other)
                .into_iter()
                .for_each(|body| functions(body, found)),
        }
    }
}

fn key(value: &ConstValue) -> std::result::Result<Key, String> {
    Key::of(value).map_err(|problem| problem.to_string())
}

/// A function that lives in CPython.
struct RemoteFunction {
    remote: Shared,
    id: u64,
}

impl fmt::Debug for RemoteFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function {} of CPython", self.id)
    }
}

impl HostValue for RemoteFunction {
    fn kind(&self) -> &'static str {
        "a Python function"
    }
    fn equals(&self, other: &dyn HostValue) -> bool {
        let other = (other as &dyn Any).downcast_ref::<RemoteFunction>();
        other.is_some_and(|other| other.id == self.id)
    }
    fn key(&self) -> Option<String> {
        Some(format!("{self:?}"))
    }
    fn callable(&self) -> bool {
        true
    }
    fn call(&self, args: &Args, _: &mut dyn Names) -> Option<Result<ConstValue>> {
        Some(call(self, args))
    }
}

/// Calls a function that lives in CPython.
fn call(function: &RemoteFunction, args: &Args) -> Result<ConstValue> {
    let span = args.span;
    let encoded = |values: &[ConstValue]| values.iter().map(encode).collect::<Option<Vec<_>>>();
    let named = args
        .named
        .iter()
        .map(|(n, v)| Some((n.clone(), encode(v)?)));
    let named: Option<serde_json::Map<String, Json>> = named.collect();
    let (Some(positional), Some(named)) = (encoded(&args.positional), named) else {
        let message = "an argument cannot be passed to CPython";
        return fail(codes::PYTHON, span, message);
    };
    let request = json!({"call": function.id, "args": positional, "named": named});
    let answer = function.remote.borrow_mut().ask(&request);
    let answer = match answer {
        Ok(answer) => answer,
        Err(message) => return fail(codes::PYTHON, span, message),
    };
    if let Some(error) = answer["error"].as_str() {
        return fail(codes::RAISED, span, error);
    }
    let reader = Reader {
        remote: function.remote.clone(),
        kernels: IndexMap::new(),
        modules: Vec::new(),
    };
    match reader.value(&answer["value"]) {
        Ok(value) => Ok(value),
        Err(message) => fail(codes::PYTHON, span, message),
    }
}

fn encode(value: &ConstValue) -> Option<Json> {
    let items = |items: &[ConstValue]| items.iter().map(encode).collect::<Option<Vec<_>>>();
    let hex = |v: &BigInt| {
        let sign = if v.sign() == Sign::Minus { "-" } else { "" };
        format!("{sign}0x{:x}", v.magnitude())
    };
    Some(match value {
        ConstValue::None => json!(["none"]),
        ConstValue::Bool(v) => json!(["bool", v]),
        ConstValue::Int(v) => json!(["int", hex(v)]),
        ConstValue::Float(v) => json!(["float", format!("{:016x}", v.to_bits())]),
        ConstValue::Str(s) => json!(["str", &**s]),
        ConstValue::Tuple(v) => json!(["tuple", items(v)?]),
        ConstValue::List(v) => json!(["list", items(&v.get())?]),
        ConstValue::Host(_) => json!(["type", Allo::scalar(value)?.to_string()]),
        ConstValue::Table(table) => encode(&table.nested())?,
        ConstValue::Dict(dict) => {
            let pairs = dict.get();
            let pairs = pairs
                .values()
                .map(|(k, v)| Some(json!([encode(k)?, encode(v)?])));
            json!(["dict", pairs.collect::<Option<Vec<_>>>()?])
        }
        _ => return None,
    })
}

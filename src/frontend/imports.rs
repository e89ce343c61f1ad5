//! Files beside the input: which ones a program may import, read and parsed before anything runs.
//!
//! Only files below the folder of the input are read, and only those that an import names.

use super::allo::surface;
use super::codes;
use super::source;
use crate::diagnostics::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{ModModule, Stmt};
use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

/// Most files of a program.
const MAX_FILES: usize = 200;
/// Most text of all imported files, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// An importable file.
#[derive(Debug)]
pub struct Unit {
    /// Its name from the folder of the input: `layers.dense`.
    pub name: String,
    /// Its text.
    pub file: FileId,
    /// Whether it is the `__init__.py` of a package, or a folder without one.
    pub package: bool,
    /// Its syntax, or what is wrong with it.
    pub parsed: Result<ModModule, Diagnostics>,
}

/// The absolute name of an import in a module; `None` if it leaves the folder of the input.
pub fn absolute(module: &str, package: bool, dotted: &str, level: u32) -> Option<String> {
    if level == 0 {
        return Some(dotted.to_owned());
    }
    let mut parts: Vec<&str> = module.split('.').filter(|p| !p.is_empty()).collect();
    let up = level - u32::from(package);
    // The input itself has no name to leave, but a folder to start from.
    let leaves = if module.is_empty() { level - 1 } else { up };
    for _ in 0..leaves {
        parts.pop()?;
    }
    parts.extend(dotted.split('.').filter(|p| !p.is_empty()));
    Some(parts.join("."))
}

/// Reads and parses every file below the input's folder that its imports reach.
pub fn load(sources: &mut SourceMap, input: &ModModule) -> Vec<Unit> {
    let Some(root) = sources.root.clone() else {
        return Vec::new();
    };
    let mut loader = Loader {
        sources,
        root,
        seen: HashSet::new(),
        queue: VecDeque::new(),
        read: 0,
    };
    loader.collect(&input.body, "", false);
    let mut units = Vec::new();
    while let Some(name) = loader.queue.pop_front() {
        if units.len() >= MAX_FILES {
            break;
        }
        let Some(unit) = loader.read(&name) else {
            continue;
        };
        if let Ok(parsed) = &unit.parsed {
            loader.collect(&parsed.body, &unit.name, unit.package);
        }
        units.push(unit);
    }
    units
}

struct Loader<'s> {
    sources: &'s mut SourceMap,
    root: PathBuf,
    seen: HashSet<String>,
    queue: VecDeque<String>,
    /// Bytes read so far.
    read: u64,
}

impl Loader<'_> {
    /// Queues what the statements import, packages before their modules.
    fn collect(&mut self, body: &[Stmt], module: &str, package: bool) {
        let mut imports = Imports::default();
        body.iter().for_each(|stmt| imports.visit_stmt(stmt));
        for (dotted, level) in imports.found {
            if level == 0 && known(&dotted) {
                continue;
            }
            let Some(name) = absolute(module, package, &dotted, level) else {
                continue;
            };
            let ends = name.match_indices('.').map(|(i, _)| i);
            for end in ends.chain([name.len()]) {
                let name = &name[..end];
                if !name.is_empty() && self.seen.insert(name.to_owned()) {
                    self.queue.push_back(name.to_owned());
                }
            }
        }
    }

    /// The file of a name; `None` if there is none.
    fn read(&mut self, name: &str) -> Option<Unit> {
        let below: PathBuf = name.split('.').collect();
        let stem = self.root.join(below);
        let package_file = stem.join("__init__.py");
        let (path, package) = if package_file.is_file() {
            (package_file, true)
        } else if stem.with_extension("py").is_file() {
            (stem.with_extension("py"), false)
        } else if stem.is_dir() {
            return Some(self.unit(name, &stem, true, Ok(Vec::new())));
        } else {
            return None;
        };
        let bytes = self.bytes(&path);
        Some(self.unit(name, &path, package, bytes))
    }

    fn bytes(&mut self, path: &Path) -> Result<Vec<u8>, String> {
        let failed = |e: std::io::Error| format!("cannot be read: {e}");
        // A link may not lead out of the folder.
        let real = path.canonicalize().map_err(failed)?;
        let folder = if self.root.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.root
        };
        if !real.starts_with(folder.canonicalize().map_err(failed)?) {
            return Err("lies outside of the folder of the input".into());
        }
        self.read += real.metadata().map_err(failed)?.len();
        if self.read > MAX_BYTES {
            return Err("makes the imported files larger than 16 MiB".into());
        }
        std::fs::read(&real).map_err(failed)
    }

    fn unit(
        &mut self,
        name: &str,
        path: &Path,
        package: bool,
        bytes: Result<Vec<u8>, String>,
    ) -> Unit {
        let shown = path.display().to_string();
        let added = match bytes {
            Ok(bytes) => self
                .sources
                .add_bytes(&shown, bytes)
                .map_err(|span| (span, "is not UTF-8".to_owned())),
            Err(problem) => {
                let file = self.sources.add(&shown, "");
                let start = Span {
                    file,
                    ..Span::default()
                };
                Err((start, problem))
            }
        };
        let (file, parsed) = match added {
            Ok(file) => (file, source::parse(self.sources, file)),
            Err((span, problem)) => {
                let message = format!("the file '{shown}' {problem}");
                let error = Diagnostic::error(codes::IMPORT, span, message);
                (span.file, Err(error.into()))
            }
        };
        Unit {
            name: name.to_owned(),
            file,
            package,
            parsed,
        }
    }
}

/// Whether a module needs no file.
fn known(dotted: &str) -> bool {
    surface::module(dotted).is_some() || pyeval::library_module(dotted).is_some()
}

/// Every import in a file: dotted names and levels.
#[derive(Default)]
struct Imports {
    found: Vec<(String, u32)>,
}

impl<'a> Visitor<'a> for Imports {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Import(s) => {
                let names = s.names.iter().map(|alias| (alias.name.id.to_string(), 0));
                self.found.extend(names);
            }
            Stmt::ImportFrom(s) => {
                let from = s.module.as_ref().map_or("", |m| m.id.as_str());
                self.found.push((from.to_owned(), s.level));
                // Each name may be a module of the package.
                for alias in &s.names {
                    let dot = if from.is_empty() { "" } else { "." };
                    let name = format!("{from}{dot}{}", alias.name.id);
                    if alias.name.id != "*" {
                        self.found.push((name, s.level));
                    }
                }
            }
            other => visitor::walk_stmt(self, other),
        }
    }

    // Imports are statements.
    fn visit_expr(&mut self, _: &'a ruff_python_ast::Expr) {}
}

#[cfg(test)]
mod tests {
    use super::absolute;

    #[test]
    fn relative_imports_resolve_as_in_python() {
        let table = [
            ("", false, "util", 0, Some("util")),
            ("", false, "layers", 1, Some("layers")),
            ("", false, "", 1, Some("")),
            ("", false, "up", 2, None),
            ("pkg.a", false, "b", 1, Some("pkg.b")),
            ("pkg.a", false, "c", 2, Some("c")),
            ("pkg.a", false, "d", 3, None),
            ("pkg", true, "b", 1, Some("pkg.b")),
        ];
        for (module, package, dotted, level, expected) in table {
            let got = absolute(module, package, dotted, level);
            assert_eq!(got.as_deref(), expected, "{module} {dotted} {level}");
        }
    }
}

//! Files of the sources import one another in one direction: none reaches itself through others.
//!
//! What a file takes from the `mod.rs` of its own folder is not counted: there stands what the folder's files share.

use crate::support::{files_below, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// A module's path within its crate: `["hwarith", "graph"]`.
type Module = Vec<String>;

/// The text without comments and without what follows as tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths that a tree of a `use` has: those of all leaves.
fn leaves(tree: &str) -> Vec<String> {
    let Some((before, inside)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or("");
        return vec![path.trim().to_owned()];
    };
    let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in inside.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("one at least").push(c);
    }
    let parts = parts
        .iter()
        .map(|part| part.trim())
        .filter(|part| !part.is_empty());
    parts
        .flat_map(|part| leaves(&format!("{}{part}", before.trim())))
        .collect()
}

/// The paths that a text names: in `use`, and wherever else one begins with `crate` or `super`.
fn named(text: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), String::new());
    for (at, part) in text.split("use ").enumerate() {
        let (tree, after) = match at {
            0 => ("", part),
            _ => part.split_once(';').unwrap_or((part, "")),
        };
        found.extend(leaves(tree));
        rest += after;
    }
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let words = rest.split(|c| !is_path(c));
    let paths = words.filter(|word| word.starts_with("crate::") || word.starts_with("super::"));
    found.extend(paths.map(|path| path.trim_end_matches(':').to_owned()));
    found
}

/// The module that a path means for the one that names it: the longest part of it that is a file.
fn meant(path: &str, by: &Module, files: &BTreeMap<Module, String>) -> Option<Module> {
    let mut words = path.split("::").map(str::trim).peekable();
    let mut whole = match *words.peek()? {
        "crate" => Vec::new(),
        "self" => by.clone(),
        "super" => by[..by.len().saturating_sub(1)].to_vec(),
        _ => by.clone(),
    };
    if ["crate", "self", "super"].contains(words.peek()?) {
        words.next();
    }
    while words.next_if_eq(&"super").is_some() {
        whole.pop();
    }
    let own = whole.len();
    whole.extend(words.map(str::to_owned));
    let is_relative = path.starts_with(char::is_lowercase)
        && !["crate", "self", "super"]
            .iter()
            .any(|start| path.starts_with(start));
    while !whole.is_empty() && !files.contains_key(&whole) {
        whole.pop();
    }
    // A name that is no module of the file's own is another crate's.
    (!whole.is_empty() && whole != *by && !(is_relative && whole.len() <= own)).then_some(whole)
}

/// A way from a module back to it, if there is one.
fn circle(from: &Module, imports: &BTreeMap<Module, BTreeSet<Module>>) -> Option<Vec<Module>> {
    let mut came: BTreeMap<&Module, &Module> = BTreeMap::new();
    let mut work = vec![from];
    while let Some(at) = work.pop() {
        for next in imports.get(at).into_iter().flatten() {
            if next == from {
                let mut way = vec![from.clone(), at.clone()];
                while let Some(before) = came.get(way.last()?) {
                    way.push((*before).clone());
                }
                return Some(way);
            }
            if !came.contains_key(next) {
                came.insert(next, at);
                work.push(next);
            }
        }
    }
    None
}

#[test]
fn no_file_reaches_itself_through_its_imports() {
    for folder in [
        "src",
        "pyeval/src",
        "diagnostics/src",
        "python/src",
        "rtl-tests/src",
        "veryl/src",
    ] {
        let mut files: BTreeMap<Module, String> = BTreeMap::new();
        for path in files_below(folder, "rs") {
            let inside = path
                .strip_prefix(root(folder))
                .expect("below it")
                .with_extension("");
            let mut module: Module = inside
                .iter()
                .map(|word| word.to_string_lossy().into())
                .collect();
            module.retain(|word| !["mod", "lib", "main"].contains(&word.as_str()));
            if !module.is_empty() && module.last().is_some_and(|word| word != "tests") {
                let text = fs::read_to_string(&path).expect("a text");
                files.insert(module, code(&text));
            }
        }
        let imports = |(module, text): (&Module, &String)| {
            let named = named(text).into_iter();
            let meant = named.filter_map(|path| meant(&path, module, &files));
            let meant = meant.filter(|other| other[..] != module[..module.len() - 1]);
            (module.clone(), meant.collect())
        };
        let imports: BTreeMap<Module, BTreeSet<Module>> = files.iter().map(imports).collect();
        let arrows: usize = imports.values().map(BTreeSet::len).sum();
        assert!(
            folder != "src" || arrows > 2 * files.len(),
            "imports are not seen"
        );
        for module in files.keys() {
            let found = circle(module, &imports);
            assert_eq!(found, None, "{folder}: a circle of imports");
        }
    }
}

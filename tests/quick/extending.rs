//! The worked examples of `docs/extending.md` still fit the source that they change.

use std::fs;
use std::path::Path;

/// The text before the change, of each hunk of a diff: file and lines.
fn hunks(diff: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    let mut file = "";
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("+++ ") {
            file = path;
        } else if line.starts_with("@@") {
            found.push((file, String::new()));
        } else if let (Some((_, text)), false) = (found.last_mut(), line.starts_with('+')) {
            // An empty line of context may have lost its space.
            text.push_str(line.get(1..).unwrap_or_default());
            text.push('\n');
        }
    }
    found
}

#[test]
fn worked_examples_fit_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/extending.md")).unwrap();
    let diffs: Vec<&str> = page.split("```diff\n").skip(1).collect();
    assert_eq!(diffs.len(), 4);
    for diff in diffs {
        let (diff, _) = diff.split_once("\n```").unwrap();
        let hunks = hunks(diff);
        assert!(!hunks.is_empty(), "{diff}");
        for (file, before) in hunks {
            let source = fs::read_to_string(root.join(file)).unwrap();
            let places = source.matches(&before).count();
            assert_eq!(places, 1, "{file}: this is there {places} times:\n{before}");
        }
    }
}

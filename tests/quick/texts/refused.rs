//! Inputs that are refused, with their messages, in folders by the code of the first one.
//!
//! The first line may say `# top: name` (`-`: compiled without naming one; the default is only to check), `# schedule: name` or
//! `# schedule: name top`, or `# python: program`, which takes the place of our evaluator. What inputs import is in `tests/imported`.

use super::{Answer, Case};
use crate::support;
use allo_hls::frontend::{Choice, check, codes, compile};

pub fn answer(case: &Case) -> Answer {
    let (mut sources, file) = support::source(&case.name(), &case.text);
    sources.root = Some("tests/imported".into());
    sources.python = case.directive("python").map(str::to_owned);
    let mut words = case.directive("schedule").unwrap_or_default().split(' ');
    let schedule = words.next().filter(|name| !name.is_empty());
    let top = case.directive("top").or(words.next());
    let choice = Choice {
        top: top.filter(|t| *t != "-"),
        schedule,
    };
    let refused = match top.or(schedule) {
        Some(_) => compile(&mut sources, file, choice).map(|_| ()),
        None => check(&mut sources, file).map(|_| ()),
    };
    let errors = refused.err().ok_or("is accepted")?;
    let folder = case.path.parent().and_then(|folder| folder.file_name());
    let first = errors.0.first().map(|error| error.code);
    if folder.and_then(|name| name.to_str()) != first {
        return Err(format!("belongs into the folder {first:?}"));
    }
    let message = |error: &allo_hls::diagnostics::Diagnostic| {
        format!("[{}] {}", error.code, error.render(&sources, false))
    };
    Ok(errors.0.iter().map(message).collect())
}

#[test]
fn every_code_of_the_frontend_has_an_example() {
    let paths = support::files_below("tests/refused", "py");
    let shown: String = paths.iter().map(|path| support::read(path)).collect();
    let codes = codes::ALL.iter().map(|(code, _)| *code);
    let missing: Vec<&str> = codes
        // That is about a running program: see `hosted`.
        .filter(|code| *code != codes::KERNEL_TEXT)
        .filter(|code| !shown.contains(&format!("\n# [{code}]")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

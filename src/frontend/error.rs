//! How frontend functions fail: with a diagnostic to report, or after one was reported.

use super::values::ConstValue;
use crate::diagnostics::{Diagnostic, Span};

/// Why a step gave no result.
#[derive(Debug)]
pub enum Failure {
    /// To be reported by whoever stops the propagation.
    Diagnostic(Box<Diagnostic>),
    /// A Python exception, which `except` may catch.
    Raised(Box<Raised>),
    /// A consequence of an error that has been reported.
    Reported,
}

/// A Python exception on its way.
#[derive(Debug)]
pub struct Raised {
    /// Name of its class, if that is one of Python's.
    pub class: &'static str,
    /// The exception object, where one was made.
    pub object: Option<ConstValue>,
    /// What to report if nothing catches it.
    pub diagnostic: Diagnostic,
}

impl Failure {
    /// What to report, if anything.
    pub fn into_diagnostic(self) -> Option<Diagnostic> {
        match self {
            Failure::Diagnostic(diagnostic) => Some(*diagnostic),
            Failure::Raised(raised) => Some(raised.diagnostic),
            Failure::Reported => None,
        }
    }

    /// Adds a located note to what will be reported, unless it has enough of them.
    pub fn note_at(mut self, span: Span, text: impl Into<String>) -> Failure {
        const ENOUGH: usize = 3;
        let diagnostic = match &mut self {
            Failure::Diagnostic(diagnostic) => &mut **diagnostic,
            Failure::Raised(raised) => &mut raised.diagnostic,
            Failure::Reported => return self,
        };
        if diagnostic.notes.len() < ENOUGH {
            diagnostic.notes.push((Some(span), text.into()));
        }
        self
    }
}

/// Result of a frontend step.
pub type Result<T> = std::result::Result<T, Failure>;

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Diagnostic(Box::new(diagnostic))
    }
}

/// Fails with an error at a place.
pub fn fail<T>(code: &'static str, span: Span, message: impl Into<String>) -> Result<T> {
    Err(Diagnostic::error(code, span, message).into())
}

/// A Python exception of a built-in class.
pub fn raised(class: &'static str, span: Span, message: impl Into<String>) -> Failure {
    Failure::Raised(Box::new(Raised {
        class,
        object: None,
        diagnostic: Diagnostic::error(super::codes::CONST_EVAL, span, message),
    }))
}

/// Fails with a Python exception of a built-in class.
pub fn raise<T>(class: &'static str, span: Span, message: impl Into<String>) -> Result<T> {
    Err(raised(class, span, message))
}

/// The error with the help that suggests the candidate closest to a misspelt name, if one is close.
pub fn suggest<'a>(
    error: Diagnostic,
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    match closest(name, candidates) {
        Some(near) => error.help(format!("did you mean '{near}'?")),
        None => error,
    }
}

/// The candidate closest to `name`, if it is close enough to be a likely misspelling.
pub fn closest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    if length < 3 {
        return None;
    }
    let limit = (length / 3).max(1);
    candidates
        .filter(|c| c.chars().count().abs_diff(length) <= limit)
        .map(|c| (edit_distance(name, c), c))
        .filter(|(d, c)| *d <= limit && *c != name && c.chars().count() > *d)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

/// Characters of a name that count.
const LONGEST: usize = 64;

/// The optimal string alignment distance of Damerau and Levenshtein: insertions, deletions, changes and
/// swaps of neighbours, over the first [`LONGEST`] characters.
fn edit_distance(a: &str, b: &str) -> usize {
    // Many names are compared for each error: nothing is allocated.
    let mut letters = [['\0'; LONGEST]; 2];
    let [a, b] = [a, b].map(|text| text.chars().take(LONGEST));
    let lengths = [a.clone().count(), b.clone().count()];
    letters[0].iter_mut().zip(a).for_each(|(to, c)| *to = c);
    letters[1].iter_mut().zip(b).for_each(|(to, c)| *to = c);
    let [a, b] = [0, 1].map(|i| &letters[i][..lengths[i]]);
    let mut older = [0; LONGEST + 1];
    let mut old: [usize; LONGEST + 1] = std::array::from_fn(|j| j);
    for i in 1..=a.len() {
        let mut row = [i; LONGEST + 1];
        for j in 1..=b.len() {
            let change = old[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(old[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(older[j - 2] + 1);
            }
        }
        (older, old) = (old, row);
    }
    old[b.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn suggests_near_names_only() {
        let names = ["alpha", "beta", "x"];
        assert_eq!(closest("alpa", names.into_iter()), Some("alpha"));
        assert_eq!(closest("bate", names.into_iter()), None);
        assert_eq!(closest("beat", names.into_iter()), Some("beta"));
        assert_eq!(closest("gamma", names.into_iter()), None);
        assert_eq!(closest("y", names.into_iter()), None);
    }
}

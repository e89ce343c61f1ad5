//! How frontend functions fail: with a diagnostic to report, or after one was reported.

use crate::diagnostics::{Diagnostic, Span};

/// Why a step gave no result.
#[derive(Debug)]
pub enum Failure {
    /// To be reported by whoever stops the propagation.
    Diagnostic(Box<Diagnostic>),
    /// A consequence of an error that has been reported.
    Reported,
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

/// The candidate closest to `name`, if it is close enough to be a likely misspelling.
pub fn closest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.chars().count() < 3 {
        return None;
    }
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .map(|c| (edit_distance(name, c), c))
        .filter(|(d, c)| *d <= limit && *c != name && c.chars().count() > *d)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn suggests_near_names_only() {
        let names = ["alpha", "beta", "x"];
        assert_eq!(closest("alpa", names.into_iter()), Some("alpha"));
        assert_eq!(closest("gamma", names.into_iter()), None);
        assert_eq!(closest("y", names.into_iter()), None);
    }
}

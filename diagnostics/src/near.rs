//! The name that a misspelt one is likely to mean.

use crate::Diagnostic;

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

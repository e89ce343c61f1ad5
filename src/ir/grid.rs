//! Grids of any rank: the row-major number of a place and its indices, and all places that choices for the dimensions
//! leave.

/// The number of a place: its indices as mixed-radix digits.
pub fn number(digits: &[u64], extents: &[u64]) -> u64 {
    let pairs = digits.iter().zip(extents);
    pairs.fold(0, |number, (digit, extent)| number * extent + digit)
}

/// The mixed-radix digits of a number, of which what is left over is dropped.
pub fn digits(mut number: u64, extents: &[u64]) -> Vec<u64> {
    let mut index = vec![0; extents.len()];
    for (i, &extent) in index.iter_mut().zip(extents).rev() {
        *i = number % extent;
        number /= extent;
    }
    index
}

/// Every element of the first list with every one of the second and so on, those of the last varying fastest.
pub fn combinations<T: Copy>(lists: impl IntoIterator<Item = impl AsRef<[T]>>) -> Vec<Vec<T>> {
    lists.into_iter().fold(vec![vec![]], |before, list| {
        let with = |place: &Vec<T>, one: &T| [&place[..], &[*one]].concat();
        let extended = |place| list.as_ref().iter().map(move |one| with(place, one));
        before.iter().flat_map(extended).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_in_row_major_order() {
        let all = combinations([vec![0, 1], vec![0, 1, 2]]);
        let numbers: Vec<u64> = all.iter().map(|place| number(place, &[2, 3])).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5]);
        for (at, place) in all.iter().enumerate() {
            assert_eq!(digits(at as u64, &[2, 3]), *place);
        }
        assert_eq!(
            combinations::<u64>([vec![1], vec![]]),
            Vec::<Vec<u64>>::new()
        );
        assert_eq!(combinations::<u64>(Vec::<Vec<u64>>::new()), [[0; 0]]);
    }
}

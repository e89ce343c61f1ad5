//! numpy's `.npy` format: a header and the bytes of one array.

/// Type of the elements, as numpy names it: kind letter and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dtype {
    /// `b` bool, `i` signed, `u` unsigned, `f` float.
    pub kind: char,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub size: usize,
}

impl Dtype {
    /// `<f4` and the like.
    pub fn name(self) -> String {
        let order = if self.size == 1 { '|' } else { '<' };
        format!("{order}{}{}", self.kind, self.size)
    }
}

/// An array of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpyArray {
    /// Type of the elements.
    pub dtype: Dtype,
    /// Extents; empty for a scalar.
    pub shape: Vec<u64>,
    /// Bit patterns of the elements in row-major order.
    pub elements: Vec<u64>,
}

const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads the text of a `.npy` file of version 1, 2 or 3.
pub fn read(bytes: &[u8]) -> Result<NpyArray, String> {
    let cut = || "the array ends early".to_string();
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or("not in numpy's .npy format")?;
    let (version, rest) = rest.split_at_checked(2).ok_or_else(cut)?;
    let length_bytes = if version[0] == 1 { 2 } else { 4 };
    let (length, rest) = rest.split_at_checked(length_bytes).ok_or_else(cut)?;
    let length = length.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b));
    let (header, data) = rest.split_at_checked(length).ok_or_else(cut)?;
    let header = String::from_utf8_lossy(header);
    let field = |name: &str| {
        let after = header.split_once(&format!("'{name}':"));
        after
            .map(|(_, text)| text.trim_start())
            .ok_or(format!("its header lacks '{name}'"))
    };
    let (dtype, big_endian) = read_dtype(field("descr")?)?;
    let fortran = field("fortran_order")?.starts_with("True");
    let shape = read_shape(field("shape")?).ok_or("its header has no readable shape")?;
    let count = shape
        .iter()
        .try_fold(1usize, |n, &extent| {
            n.checked_mul(usize::try_from(extent).ok()?)
        })
        .filter(|n| {
            n.checked_mul(dtype.size)
                .is_some_and(|size| size <= data.len())
        })
        .ok_or_else(cut)?;
    let elements = data
        .chunks_exact(dtype.size)
        .take(count)
        .map(|chunk| {
            let join = |n: u64, b: &u8| n << 8 | u64::from(*b);
            match big_endian {
                true => chunk.iter().fold(0, join),
                false => chunk.iter().rev().fold(0, join),
            }
        })
        .collect::<Vec<_>>();
    let elements = if fortran {
        row_major(&elements, &shape)
    } else {
        elements
    };
    Ok(NpyArray {
        dtype,
        shape,
        elements,
    })
}

/// `'<f4'` at the start of a text; whether it is big-endian.
fn read_dtype(text: &str) -> Result<(Dtype, bool), String> {
    let name = text.strip_prefix('\'').and_then(|t| t.split_once('\''));
    let name = name
        .map(|(name, _)| name)
        .ok_or("its elements are not numbers")?;
    let unknown = || format!("elements of type '{name}' are not supported");
    let mut letters = name.chars();
    let order = letters.next().ok_or_else(unknown)?;
    let kind = letters.next().ok_or_else(unknown)?;
    let size = letters.as_str().parse().map_err(|_| unknown())?;
    let known = match kind {
        'b' => size == 1,
        'i' | 'u' => matches!(size, 1 | 2 | 4 | 8),
        'f' => matches!(size, 2 | 4 | 8),
        _ => false,
    };
    match known && "<>|=".contains(order) {
        true => Ok((Dtype { kind, size }, order == '>')),
        false => Err(unknown()),
    }
}

fn read_shape(text: &str) -> Option<Vec<u64>> {
    let (inside, _) = text.strip_prefix('(')?.split_once(')')?;
    let parts = inside.split(',').map(str::trim).filter(|p| !p.is_empty());
    parts.map(|p| p.parse().ok()).collect()
}

fn row_major(elements: &[u64], shape: &[u64]) -> Vec<u64> {
    let mut out = Vec::with_capacity(elements.len());
    for position in 0..elements.len() as u64 {
        let (mut left, mut stride, mut at) = (position, elements.len() as u64, 0);
        for &extent in shape.iter().rev() {
            stride /= extent;
            at += left % extent * stride;
            left /= extent;
        }
        out.push(elements[at as usize]);
    }
    out
}

/// The text of a `.npy` file of version 1.
pub fn write(array: &NpyArray) -> Vec<u8> {
    let extents: Vec<String> = array.shape.iter().map(u64::to_string).collect();
    let comma = if extents.len() == 1 { "," } else { "" };
    let mut header = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{comma}), }}",
        array.dtype.name(),
        extents.join(", ")
    );
    // Magic, version and length take 10 bytes; the data start at a multiple of 64.
    let padding = 63 - (10 + header.len()) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let mut out = MAGIC.to_vec();
    out.extend([1, 0]);
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.bytes());
    for element in &array.elements {
        out.extend(&element.to_le_bytes()[..array.dtype.size]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for (kind, size) in [('b', 1), ('i', 2), ('u', 8), ('f', 4)] {
            for shape in [vec![], vec![3], vec![2, 3]] {
                let count: u64 = shape.iter().product();
                let dtype = Dtype { kind, size };
                let elements = (0..count).collect();
                let array = NpyArray {
                    dtype,
                    shape,
                    elements,
                };
                let bytes = write(&array);
                assert_eq!(read(&bytes), Ok(array.clone()));
                assert_eq!((bytes.len() - array.elements.len() * size) % 64, 0);
            }
        }
    }

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend([2, 0]);
        out.extend((header.len() as u32).to_le_bytes());
        out.extend(header.bytes());
        out.extend(data);
        out
    }

    #[test]
    fn other_orders() {
        let header = "{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3), }\n";
        let data: Vec<u8> = (0..6u16).flat_map(u16::to_be_bytes).collect();
        assert_eq!(
            read(&file(header, &data)).unwrap().elements,
            [0, 2, 4, 1, 3, 5]
        );
    }

    #[test]
    fn broken_files_are_refused() {
        assert!(read(b"").is_err());
        assert!(read(b"\x93NUMPY\x01\x00\xff\xff").is_err());
        let header =
            |d: &str, s: &str| format!("{{'descr': {d}, 'fortran_order': False, 'shape': {s}}}");
        for (dtype, shape) in [
            ("'<f4'", "(3,)"),
            ("'<c8'", "()"),
            ("[('a', '<f4')]", "(1,)"),
            ("'<f4'", "(99999999999999999999,)"),
            ("'<f4'", "(4294967296, 4294967296, 4294967296)"),
            ("'|O'", "()"),
            ("''", "()"),
        ] {
            assert!(
                read(&file(&header(dtype, shape), &[0; 8])).is_err(),
                "{dtype} {shape}"
            );
        }
    }
}

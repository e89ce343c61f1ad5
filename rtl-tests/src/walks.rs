//! Random kernels that walk along arrays once in order, phase by phase: what a block streams, several arrays on one master.

use crate::generate::Kernel;
use allo_hls::sim::vectors::Rng;
use std::fmt::Write;

const TYPES: [&str; 7] = ["u8", "i16", "u32", "i32", "i48", "u64", "i100"];

/// A kernel of one to three phases. In each, arrays of the same extents are read and written, one element of each an iteration.
pub fn kernel(seed: u64) -> Kernel {
    let mut rng = Rng::new(seed ^ 0x3a1c);
    let (mut params, mut body) = (Vec::new(), String::new());
    let mut result = ("i32".to_string(), "total");
    let returns = rng.below(3) == 0;
    for phase in 0..1 + rng.below(3) {
        let extents = match rng.below(3) {
            0 => vec![1 + rng.below(8), 1 + rng.below(9)],
            1 => vec![1 + rng.below(300)],
            _ => vec![1 + rng.below(40)],
        };
        let mut array = |rng: &mut Rng, kind: &str, number: u64| {
            let ty = TYPES[rng.below(TYPES.len() as u64) as usize];
            let name = format!("{kind}{phase}{number}");
            let shape: Vec<String> = extents.iter().map(ToString::to_string).collect();
            params.push((
                rng.below(1 << 20),
                format!("{name}: {ty}[{}]", shape.join(", ")),
            ));
            name
        };
        let reads: Vec<String> = (0..rng.below(4)).map(|k| array(&mut rng, "x", k)).collect();
        let writes = 1 - reads.len().min(1) as u64 + rng.below(3);
        let mut writes: Vec<String> = (0..writes).map(|k| array(&mut rng, "y", k)).collect();
        if returns && phase == 0 {
            let shape: Vec<String> = extents.iter().map(ToString::to_string).collect();
            result = (format!("i32[{}]", shape.join(", ")), "out");
            let _ = writeln!(body, "    out: {} = 0", result.0);
            writes.push("out".into());
        }
        phase_of(&mut body, &extents, &reads, &writes);
    }
    // Arrays come in another order than that in which they are used.
    params.sort();
    let params: Vec<String> = params.into_iter().map(|(_, param)| param).collect();
    let text = format!(
        "from allo import *\ni48 = apint(48, signed=True)\ni100 = apint(100, signed=True)\n\n@kernel\n\
         def top({}) -> {}:\n    total: i32 = 0\n{body}    return {}\n",
        params.join(", "),
        result.0,
        result.1
    );
    Kernel { text, top: "top" }
}

/// A nest in which each array is accessed once.
fn phase_of(body: &mut String, extents: &[u64], reads: &[String], writes: &[String]) {
    let counters = &["i", "j"][..extents.len()];
    let mut indent = "    ".to_string();
    for (counter, extent) in counters.iter().zip(extents) {
        let _ = writeln!(body, "{indent}for {counter} in range({extent}):");
        indent += "    ";
    }
    let at = counters.join(", ");
    let terms: Vec<String> = reads.iter().map(|name| format!("{name}[{at}]")).collect();
    let sum = match terms.is_empty() {
        true => counters.join(" + "),
        false => terms.join(" + "),
    };
    for (number, name) in writes.iter().enumerate() {
        let _ = writeln!(body, "{indent}{name}[{at}] = {sum} + {number}");
    }
    if writes.is_empty() {
        let _ = writeln!(body, "{indent}total += {sum}");
    }
}

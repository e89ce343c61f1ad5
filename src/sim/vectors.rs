//! Deterministic inputs by seed.

use super::draw::Draw;
pub use super::draw::{Rng, Style};
use crate::ir::analysis::ranges::Range;
use crate::sim::elements::{Elements, Invocation};
use crate::sim::value::{Data, Signature, Value};

/// `count` invocations of a kernel. Invocation `i` of a seed does not depend on `count`.
pub fn generate(signature: &Signature, count: usize, seed: u64) -> Vec<Invocation> {
    (0..count)
        .map(|i| invocation(signature, seed, i as u64, 0))
        .collect()
}

/// Invocation `number` of a seed; `attempt` counts from 0 how many draws were thrown away (because a
/// loop ran too long on them): all but the first are small.
pub fn invocation(signature: &Signature, seed: u64, number: u64, attempt: u64) -> Invocation {
    const STYLES: [Style; 4] = [Style::Small, Style::Mixed, Style::Edge, Style::Uniform];
    let style = match attempt {
        0 => STYLES[(number % 4) as usize],
        odd if signature.is_apart && odd % 2 == 1 => Style::Distinct,
        _ => Style::Small,
    };
    let mut rng = Rng::new(seed ^ Rng::new(number << 8 | attempt).next());
    let extents = signature
        .params
        .iter()
        .flat_map(|p| p.shape.iter().flatten());
    let largest = extents.copied().max().unwrap_or(16);
    let small = match style {
        Style::Distinct => largest,
        _ => largest.clamp(1, 64) >> attempt.min(6),
    };
    let args = signature.params.iter().enumerate().map(|(number, slot)| {
        let draw = Draw::new(slot, style, small.max(2), &mut rng);
        match (slot.is_array(), signature.assumed.get(&number)) {
            (true, _) => Elements::drawn(slot.len(), draw),
            (false, None) => Elements::one(slot.ty, draw.at(0)),
            (false, Some(range)) => Elements::one(slot.ty, folded(draw.at(0), *range)),
        }
    });
    Invocation::of(args.collect())
}

/// An integer itself if it is within a range, else one of those that are.
fn folded(value: Value, (low, high): Range) -> Value {
    match value.data {
        Data::Int(number) if low <= high && !(low..=high).contains(&number) => {
            let offset = number.wrapping_sub(low).rem_euclid(high - low + 1);
            Value::new(Data::Int(low + offset))
        }
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{FloatFormat, Scalar};
    use crate::sim::draw::edge_float;
    use crate::sim::value::{Data, Slot, Value};
    use num_bigint::BigInt;

    fn slot(ty: Scalar, shape: Option<Vec<u64>>) -> Slot {
        Slot {
            name: "x".into(),
            ty,
            shape,
            flow: None,
            packed: None,
        }
    }

    #[test]
    fn same_seed_same_vectors_and_prefixes() {
        let signature = Signature {
            params: vec![
                slot(Scalar::signed(32), Some(vec![4, 4])),
                slot(Scalar::Float(FloatFormat::F32), None),
                slot(Scalar::unsigned(96), None),
                slot(Scalar::Index, None),
            ],
            results: vec![],
            keeps_state: false,
            timed: 0,
            is_apart: false,
            assumed: Default::default(),
        };
        let long = generate(&signature, 20, 5);
        assert_eq!(generate(&signature, 7, 5), long[..7]);
        assert_ne!(generate(&signature, 20, 6), long);
        assert_eq!(long[0].args[0].len(), 16);
    }

    #[test]
    fn integers_stay_in_range_and_reach_the_limits() {
        for ty in [Scalar::signed(1), Scalar::signed(7), Scalar::unsigned(70)] {
            let (min, max) = ty.int_range().unwrap();
            let draw = Draw {
                style: Style::Edge,
                ..Draw::noise(ty, 1)
            };
            let all: Vec<BigInt> = (0..2000)
                .map(|position| draw.at(position).data.to_bigint())
                .collect();
            assert!(all.iter().all(|v| *v >= min && *v <= max));
            assert!(all.contains(&min) && all.contains(&max), "{ty}");
        }
    }

    #[test]
    fn wide_integers_are_small_now_and_then() {
        let ty = Scalar::unsigned(200);
        let draw = Draw {
            style: Style::Small,
            small: 5,
            ..Draw::noise(ty, 1)
        };
        for position in 0..20 {
            let value = draw.at(position);
            assert!(matches!(&value.data, Data::Big(number) if **number < BigInt::from(5)));
        }
    }

    #[test]
    fn floats_reach_every_class() {
        let f = FloatFormat::F16;
        let mut rng = Rng::new(2);
        let all: Vec<u128> = (0..5000).map(|_| edge_float(f, &mut rng)).collect();
        assert!(all.iter().all(|&b| b < 1 << 16));
        for wanted in [
            0, 0x8000, 0x7c00, 0xfc00, 0x0001, 0x03ff, 0x7bff, 0x7c01, 0x3c00,
        ] {
            assert!(all.contains(&wanted), "{wanted:#x}");
        }
    }

    /// A sum over a large array is mostly a number, and yet no array is without a special one.
    #[test]
    fn special_floats_are_rare_in_large_arrays() {
        let f = FloatFormat::F32;
        let signature = Signature {
            params: vec![slot(Scalar::Float(f), Some(vec![100, 100]))],
            results: vec![],
            keeps_state: false,
            timed: 0,
            is_apart: false,
            assumed: Default::default(),
        };
        let special = |value: &Value| match value.data {
            Data::Float(bits) => bits >> 23 & 0xff == 0xff,
            _ => false,
        };
        let counts = (0..64).map(|number| {
            let input = invocation(&signature, 3, number, 0);
            input.args[0].iter().filter(special).count()
        });
        let counts: Vec<usize> = counts.collect();
        assert!(
            counts.iter().filter(|&&count| count <= 5).count() >= 32,
            "{counts:?}"
        );
        assert!(
            counts.iter().any(|&count| (1..=5).contains(&count)),
            "{counts:?}"
        );
        assert!(counts.iter().any(|&count| count > 100), "{counts:?}");
    }
}

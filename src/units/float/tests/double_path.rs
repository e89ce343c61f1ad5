//! Addition with two paths computes what addition with one does: sums by exact arithmetic and by `rustc_apfloat`.

use super::*;
use crate::hwarith::builder::Builder;
use crate::hwarith::graph::Op;

#[test]
fn double_path_all_pairs_of_tiny_formats() {
    for f in tiny_formats() {
        let what = format!("add {f}");
        check(&what, &add_double_path(f), all_pairs(f), |x| {
            oracle::add(f, x[0], x[1])
        });
    }
}

#[test]
fn double_path_of_ieee_formats() {
    for f in IEEE {
        let what = format!("add {f}");
        check(&what, &add_double_path(f), many_pairs(f, 40), |x| {
            apfloat(f, "add", x[0], x[1])
        });
    }
}

#[test]
fn double_path_of_odd_formats() {
    for (exp, frac) in [(9, 14), (3, 20), (2, 30), (15, 5), (4, 40), (11, 1)] {
        let f = FloatFormat { exp, frac };
        let some = pairs(f, 6_000, 41).into_iter().map(|(a, b)| vec![a, b]);
        check(&format!("add {f}"), &add_double_path(f), some, |x| {
            oracle::add(f, x[0], x[1])
        });
    }
}

#[test]
fn double_path_differences() {
    for f in IEEE {
        let negated = 1u128 << (f.width() - 1);
        check(
            &format!("sub {f}"),
            &sub_double_path(f),
            many_pairs(f, 43),
            |x| apfloat(f, "add", x[0], x[1] ^ negated),
        );
    }
}

/// `(a + b) + c`, where the first sum is carried on as it is.
fn carried_on(format: FloatFormat) -> Graph {
    let mut builder = Builder::new();
    let inputs: Vec<_> = (0..3)
        .map(|i| builder.opaque(Op::Input(i), vec![], HwType::ui(format.width())))
        .collect();
    let [a, b, c] = [0, 1, 2].map(|i| builder.inline(&open(format), &[inputs[i]])[0]);
    let first = builder.inline(&add_carried(format), &[a, b])[0];
    let second = builder.inline(&add_carried(format), &[first, c])[0];
    let result = builder.inline(&close(format), &[second]);
    builder.finish(result)
}

#[test]
fn what_a_sum_leaves_open_is_what_the_next_one_takes() {
    for f in [(2, 1), (3, 1), (2, 2), (3, 2)] {
        let f = FloatFormat {
            exp: f.0,
            frac: f.1,
        };
        let count = 1u128 << f.width();
        let all = (0..count.pow(3)).map(|i| vec![i / count / count, i / count % count, i % count]);
        check(&format!("a + b + c {f}"), &carried_on(f), all, |x| {
            oracle::add(f, oracle::add(f, x[0], x[1]), x[2])
        });
    }
    for f in IEEE {
        let pairs = pairs(f, 20_000, 42);
        let third = pairs.iter().skip(7).chain(&pairs).map(|pair| pair.0);
        let some: Vec<Vec<u128>> = pairs
            .iter()
            .zip(third)
            .map(|((a, b), c)| vec![*a, *b, c])
            .collect();
        check(&format!("a + b + c {f}"), &carried_on(f), some, |x| {
            apfloat(f, "add", apfloat(f, "add", x[0], x[1]), x[2])
        });
    }
}

/// A loop may carry a float to which it adds nothing.
#[test]
fn what_is_opened_and_closed_keeps_every_bit() {
    let through = |format: FloatFormat| {
        let mut builder = Builder::new();
        let bits = builder.opaque(Op::Input(0), vec![], HwType::ui(format.width()));
        let opened = builder.inline(&open(format), &[bits]);
        let closed = builder.inline(&close(format), &opened);
        builder.finish(closed)
    };
    let all = |f: FloatFormat| (0..1u128 << f.width()).map(|x| vec![x]);
    for f in tiny_formats()
        .into_iter()
        .chain([FloatFormat::F16, FloatFormat::BF16])
    {
        check(&format!("open {f}"), &through(f), all(f), |x| x[0]);
    }
    for f in IEEE {
        let some = pairs(f, 20_000, 44).into_iter().map(|(a, _)| vec![a]);
        check(&format!("open {f}"), &through(f), some, |x| x[0]);
    }
}

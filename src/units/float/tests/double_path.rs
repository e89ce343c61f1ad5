//! Addition with two paths computes what addition with one does: sums by exact arithmetic and by `rustc_apfloat`.

use super::*;

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

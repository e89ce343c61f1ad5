//! The reference interpreter on kernels built by hand.

use crate::sim_builder::{Builder, F32, I32};
use allo_hls::arena::Arena;
use allo_hls::ir::*;
use allo_hls::sim::elements::Elements;
use allo_hls::sim::elements::Invocation;
use allo_hls::sim::reference::{Options, Outcome, RunError, run};
use allo_hls::sim::value::{Data, Signature, Value as RunValue};

fn ints(ty: Scalar, values: impl IntoIterator<Item = i64>) -> Vec<RunValue> {
    values
        .into_iter()
        .map(|v| RunValue::wrapped(ty, v))
        .collect()
}

fn floats(values: &[f32]) -> Vec<RunValue> {
    values
        .iter()
        .map(|v| RunValue::wrapped(F32, v.to_bits()))
        .collect()
}

fn go(program: &Program, args: Vec<Vec<RunValue>>) -> Outcome {
    run(program, &given(program, args), &Options::default()).unwrap()
}

fn given(program: &Program, args: Vec<Vec<RunValue>>) -> Invocation {
    Invocation::given(&Signature::of(program), args)
}

fn numbers(values: &Elements) -> Vec<i128> {
    let number = |v: RunValue| match v.data {
        Data::Int(i) => i,
        Data::Float(bits) => bits as i128,
        Data::Big(_) => panic!("wide"),
    };
    values.iter().map(number).collect()
}

/// `c[i, j] += a[i, k] * b[k, j]`, accumulated in the array.
fn matmul(elem: Scalar, n: i64) -> Program {
    let mut b = Builder::new("matmul");
    let shape = [n as u64, n as u64];
    let [a_, b_, c_] = ["a", "b", "c"].map(|name| b.array(name, elem, &shape));
    b.for_n(n, &[], |b, i, _| {
        b.for_n(n, &[], |b, j, _| {
            b.for_n(n, &[], |b, k, _| {
                let x = b.load(a_, &[i, k]);
                let y = b.load(b_, &[k, j]);
                let product = b.bin(BinaryOp::Mul, x, y);
                let old = b.load(c_, &[i, j]);
                let sum = b.bin(BinaryOp::Add, old, product);
                b.store(c_, &[i, j], sum);
                vec![]
            });
            vec![]
        });
        vec![]
    });
    b.program(&[])
}

#[test]
fn matmul_is_fast_and_right() {
    let n = 32usize;
    let program = matmul(I32, n as i64);
    let a: Vec<i64> = (0..n * n)
        .map(|i| (i as i64 * 77777) % 1001 - 500)
        .collect();
    let b: Vec<i64> = (0..n * n).map(|i| (i as i64 * 31) % 99 - 49).collect();
    let zero = ints(I32, vec![0; n * n]);
    let start = std::time::Instant::now();
    let out = go(
        &program,
        vec![ints(I32, a.clone()), ints(I32, b.clone()), zero],
    );
    let took = start.elapsed();
    let want = |i: usize, j: usize| (0..n).map(|k| a[i * n + k] * b[k * n + j]).sum::<i64>();
    let c = numbers(&out.params[2]);
    assert!((0..n * n).all(|p| c[p] == i128::from(want(p / n, p % n))));
    assert!(took.as_millis() < 1500, "{took:?}");
    let zero = floats(&vec![0.0; n * n]);
    let x = floats(&a.iter().map(|&v| v as f32 / 8.0).collect::<Vec<_>>());
    let start = std::time::Instant::now();
    let out = go(&matmul(F32, n as i64), vec![x.clone(), x, zero]);
    let took = start.elapsed();
    let eighths: Vec<f32> = a.iter().map(|&v| v as f32 / 8.0).collect();
    let sum = (0..n).fold(0.0, |s, k| s + eighths[5 * n + k] * eighths[k * n + 7]);
    assert_eq!(out.params[2].get(5 * n + 7), floats(&[sum])[0]);
    assert!(took.as_millis() < 2500, "{took:?}");
}

#[test]
fn loops_count_exactly() {
    let mut b = Builder::new("count");
    let (lo, hi, step) = (
        b.scalar("lo", Scalar::Index),
        b.scalar("hi", Scalar::Index),
        b.scalar("s", Scalar::Index),
    );
    let zero = b.int(I32, 0);
    let one = b.int(I32, 1);
    let up = b.for_values([lo, hi, step], &[zero], |b, _, c| {
        vec![b.bin(BinaryOp::Add, c[0], one)]
    });
    let minus = b.idx(-3);
    let down = b.for_values([hi, lo, minus], &[zero], |b, _, c| {
        vec![b.bin(BinaryOp::Add, c[0], one)]
    });
    let program = b.program(&[up[0], down[0]]);
    let count = |lo: i64, hi: i64, step: i64| {
        let args = [lo, hi, step].map(|v| ints(Scalar::Index, [v])).to_vec();
        let out = go(&program, args);
        (numbers(&out.results[0])[0], numbers(&out.results[1])[0])
    };
    assert_eq!(count(0, 10, 3), (4, 4));
    assert_eq!(count(0, 10, -1), (0, 4));
    assert_eq!(count(0, 10, 0), (0, 4));
    assert_eq!(count(5, -5, 1), (0, 0));
    // A range that ends near 2^63 does not wrap.
    assert_eq!(count(i64::MAX - 5, i64::MAX, 4), (2, 2));
}

#[test]
fn while_and_if_carry_values() {
    // Collatz steps of n.
    let mut b = Builder::new("collatz");
    let n = b.scalar("n", I32);
    let [zero, one, two, three] = [0, 1, 2, 3].map(|v| b.int(I32, v));
    let ends = b.while_loop(
        &[n, zero],
        |b, c| b.cmp(CompareOp::Ne, c[0], one),
        |b, c| {
            let odd = b.bin(BinaryOp::Mod, c[0], two);
            let odd = b.cmp(CompareOp::Ne, odd, zero);
            let x = c[0];
            let next = b.if_else(
                odd,
                |b| {
                    let tripled = b.bin(BinaryOp::Mul, x, three);
                    vec![b.bin(BinaryOp::Add, tripled, one)]
                },
                |b| vec![b.bin(BinaryOp::Div, x, two)],
            );
            vec![next[0], b.bin(BinaryOp::Add, c[1], one)]
        },
    );
    let program = b.program(&[ends[1]]);
    assert_eq!(
        numbers(&go(&program, vec![ints(I32, [27])]).results[0]),
        [111]
    );
    let limited = Options {
        step_limit: 1000,
        ..Options::default()
    };
    let endless = given(&program, vec![ints(I32, [0])]);
    assert!(matches!(
        run(&program, &endless, &limited),
        Err(RunError::StepLimit { .. })
    ));
}

/// `out[i] = a[i + 1] if i + 1 < n and a[i + 1] > 0 else 7`, with both sides evaluated.
fn guarded() -> Program {
    let mut b = Builder::new("guarded");
    let a = b.array("a", I32, &[4]);
    let out = b.array("out", I32, &[4]);
    let raw = b.array("raw", I32, &[5]);
    let (n, one, seven, zero) = (b.idx(4), b.idx(1), b.int(I32, 7), b.int(I32, 0));
    b.for_n(5, &[], |b, i, _| {
        let next = b.bin(BinaryOp::Add, i, one);
        let inside = b.cmp(CompareOp::Lt, next, n);
        let element = b.load(a, &[next]);
        let positive = b.cmp(CompareOp::Gt, element, zero);
        let cond = b.bin(BinaryOp::And, inside, positive);
        let kind = OpKind::Select {
            cond,
            on_true: element,
            on_false: seven,
        };
        let chosen = b.op(kind, &[I32])[0];
        b.store(out, &[i], chosen);
        b.store(raw, &[i], element);
        vec![]
    });
    b.program(&[])
}

#[test]
fn out_of_bounds_is_unspecified_but_harmless() {
    let program = guarded();
    let args = vec![
        ints(I32, [1, 2, -3, 4]),
        ints(I32, [0; 4]),
        ints(I32, [0; 5]),
    ];
    let out = go(&program, args.clone());
    assert_eq!(numbers(&out.params[1]), [2, 7, 4, 7]);
    assert!(out.params[1].iter().all(|v| !v.tainted));
    let tainted: Vec<bool> = out.params[2].iter().map(|v| v.tainted).collect();
    assert_eq!(tainted, [false, false, false, true, true]);
    let seen: Vec<_> = out
        .out_of_bounds
        .iter()
        .map(|o| (o.store, o.count))
        .collect();
    assert_eq!(seen, [(false, 2), (true, 1)]);
    let strict = Options {
        check_bounds: true,
        ..Options::default()
    };
    let error = run(&program, &given(&program, args), &strict).unwrap_err();
    let RunError::OutOfBounds(access) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(
        (access.array.as_str(), &access.indices[..]),
        ("a", &[4][..])
    );
    let text = error.to_diagnostic().message;
    assert_eq!(text, "read of 'a' out of bounds: index [4] in shape [4]");
}

/// A branch on a value that is read out of bounds, in which `inside` is done.
fn wild(inside: impl FnOnce(&mut Builder, ArrayId)) -> Program {
    let mut b = Builder::new("wild");
    let a = b.array("a", I32, &[3]);
    let far = b.idx(5);
    let element = b.load(a, &[far]);
    let zero = b.int(I32, 0);
    let cond = b.cmp(CompareOp::Gt, element, zero);
    let chosen = b.if_else(
        cond,
        |b| {
            inside(b, a);
            vec![zero]
        },
        |_| vec![zero],
    );
    b.program(&[chosen[0]])
}

/// What is stored and yielded on either side is unspecified, and nothing else is.
#[test]
fn a_branch_on_an_unspecified_value_leaves_the_rest_specified() {
    let program = wild(|b, a| {
        let (at, far, seven) = (b.idx(1), b.idx(9), b.int(I32, 7));
        b.store(a, &[at], seven);
        // This may not happen, so that nothing is said of it.
        b.store(a, &[far], seven);
    });
    let out = go(&program, vec![ints(I32, [1, 2, 3])]);
    assert_eq!(out.unspecified_control, None);
    let unspecified: Vec<bool> = out.params[0].iter().map(|value| value.tainted).collect();
    assert_eq!(unspecified, [false, true, false]);
    assert!(out.results[0].get(0).tainted);
    assert_eq!(out.out_of_bounds.len(), 1);
}

#[test]
fn loops_behind_an_unspecified_condition_end_the_comparison() {
    let program = wild(|b, a| {
        let seven = b.int(I32, 7);
        b.for_n(2, &[], |b, i, _| {
            b.store(a, &[i], seven);
            vec![]
        });
    });
    let out = go(&program, vec![ints(I32, [1, 2, 3])]);
    assert!(out.unspecified_control.is_some());
    assert!(
        out.params[0]
            .iter()
            .chain(out.results[0].iter())
            .all(|v| v.tainted)
    );
}

#[test]
fn calls_tables_locals_and_copies() {
    // inner(x, buf): buf[0] += table[x]; returns x * 2
    let mut inner = Builder::new("inner");
    let x = inner.scalar("x", Scalar::Index);
    let buf = inner.array("buf", I32, &[2]);
    let table = inner.table("t", I32, &[10, 20, 30]);
    let scratch = inner.local("scratch", I32, &[2]);
    inner.op(
        OpKind::Copy {
            dst: scratch,
            src: buf,
        },
        &[],
    );
    let zero = inner.idx(0);
    let (old, add) = (inner.load(scratch, &[zero]), inner.load(table, &[x]));
    let sum = inner.bin(BinaryOp::Add, old, add);
    inner.store(buf, &[zero], sum);
    let doubled = inner.bin(BinaryOp::Add, x, x);
    let mut kernels = Arena::new();
    let inner = kernels.push(inner.finish(&[doubled]));
    let mut b = Builder::new("outer");
    let a = b.array("a", I32, &[2]);
    let ret = b.result_array(Scalar::signed(8), &[2]);
    let total = b.for_n(3, &[], |b, i, _| {
        let call = Call {
            worker: None,
            kernel: inner,
            args: vec![Arg::Scalar(i), Arg::Array(a)],
            result_arrays: vec![],
        };
        b.op(OpKind::Call(Box::new(call)), &[Scalar::Index]);
        vec![]
    });
    assert!(total.is_empty());
    b.op(OpKind::Copy { dst: ret, src: a }, &[]);
    let top = kernels.push(b.finish(&[]));
    let program = Program { kernels, top };
    let options = Options {
        trace: true,
        ..Options::default()
    };
    let invocation = given(&program, vec![ints(I32, [300, 5])]);
    let out = run(&program, &invocation, &options).unwrap();
    assert_eq!(numbers(&out.params[0]), [360, 5]);
    assert_eq!(numbers(&out.results[0]), [104, 5]);
    assert!(out.params[0].writer(0).is_some() && out.params[0].writer(1).is_none());
    assert!((0..2).all(|at| out.results[0].writer(at).is_some()));
}

#[test]
fn wide_integers_and_floats() {
    let wide = Scalar::unsigned(96);
    let mut b = Builder::new("wide");
    let (x, y) = (b.scalar("x", wide), b.scalar("y", F32));
    let square = b.bin(BinaryOp::Mul, x, x);
    let low = b.cast(square, Scalar::signed(33));
    let amount = b.int(I32, 95);
    let top = b.op(
        OpKind::Binary {
            op: BinaryOp::Shr,
            lhs: square,
            rhs: amount,
        },
        &[wide],
    )[0];
    let as_float = b.cast(x, F32);
    let sum = b.bin(BinaryOp::Add, as_float, y);
    let back = b.cast(sum, Scalar::signed(8));
    let root = b.un(UnaryOp::Sqrt, y);
    let program = b.program(&[square, low, top, back, root]);
    let big = (num_bigint::BigInt::from(1) << 95u32) - 1;
    let out = go(
        &program,
        vec![vec![RunValue::wrapped(wide, big)], floats(&[2.0])],
    );
    assert_eq!(
        out.results[0].get(0).data.to_bigint(),
        num_bigint::BigInt::from(1)
    );
    assert_eq!(numbers(&out.results[1]), [1]);
    assert_eq!(
        out.results[2].get(0).data.to_bigint(),
        num_bigint::BigInt::from(0)
    );
    assert_eq!(numbers(&out.results[3]), [127]);
    assert_eq!(
        numbers(&out.results[4]),
        [i128::from(2.0f32.sqrt().to_bits())]
    );
}

#[test]
fn functions_are_rounded_correctly_and_arguments_counted() {
    let mut b = Builder::new("e");
    let x = b.scalar("x", F32);
    let y = b.un(UnaryOp::Exp, x);
    let program = b.program(&[y]);
    let one = given(&program, vec![floats(&[1.0])]);
    let outcome = run(&program, &one, &Options::default()).unwrap();
    let e = std::f32::consts::E.to_bits();
    assert_eq!(numbers(&outcome.results[0]), [i128::from(e)]);
    let error = run(&program, &Invocation::of(vec![]), &Options::default()).unwrap_err();
    assert!(matches!(error, RunError::BadInvocation(_)));
}

from allo import f32, i32, index, kernel


@kernel
def f(x: f32, w: i32, n: index, a: "f32[4]") -> i32:
    x[0:2] = 1
    a[0][0:2] = 1
    w[n : n + n] = 1
    w[0:] = 1
    w[30:33] = 1
    w[0:4][0] = 1
    w[0:4] = a
    n[0:4] = 1
    return w

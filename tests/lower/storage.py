from allo import f4e1m2, f4e2m1, f8e4m3, f8e5m2, f16, hif8, i32, kernel


@kernel
def storage(a: f8e4m3, b: f8e5m2, h: hif8, n: i32, x: "f4e2m1[4]") -> hif8:
    t: "f4e1m2[4]" = [0.25, -1.75, 100, 1.1]
    product = a * x[0]
    total = a + b
    offset = a + n
    chosen = a if n > 0 else a
    constant = a if n > 0 else 0.1
    twice = a * 2
    less = x[1] < t[0]
    x[2] = min(x[1], t[1])
    h += -total
    if not h and a:
        x[3] = 7.0
    i: i32 = h
    return i + (product - offset) * (chosen + constant) * twice * less

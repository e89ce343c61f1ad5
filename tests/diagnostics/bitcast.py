from allo import apint, bitcast, f32, f64, i32, kernel

i33 = apint(33, signed=True)


@kernel
def f(x: i32, y: f64) -> i32:
    a = bitcast(x, f64)
    b = bitcast(y, i33)
    c = bitcast(x, y)
    d = bitcast(x, 32)
    e = bitcast(2**40, f32)
    g = bitcast("x", f32)
    return bitcast(x)

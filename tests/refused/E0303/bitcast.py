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
# -->
# [E0303] bitcast.py:8:9: error: bitcast needs types of one width, but i32 has 32 bits and f64 has 64
# 8 |     a = bitcast(x, f64)
#   |         ^^^^^^^^^^^^^^^
# [E0303] bitcast.py:9:9: error: bitcast needs types of one width, but f64 has 64 bits and i33 has 33
# 9 |     b = bitcast(y, i33)
#   |         ^^^^^^^^^^^^^^^
# [E0503] bitcast.py:10:20: error: the second argument of bitcast is a scalar type
# 10 |     c = bitcast(x, y)
#    |                    ^
# [E0503] bitcast.py:11:20: error: the second argument of bitcast is a scalar type
# 11 |     d = bitcast(x, 32)
#    |                    ^^
# [E0302] bitcast.py:12:17: error: the constant 1099511627776 is out of range for i32
# 12 |     e = bitcast(2**40, f32)
#    |                 ^^^^^
# [E0305] bitcast.py:13:17: error: a scalar is needed, not a string
# 13 |     g = bitcast("x", f32)
#    |                 ^^^
# [E0502] bitcast.py:14:12: error: 'bitcast' takes 2 arguments, but 1 given
# 14 |     return bitcast(x)
#    |            ^^^^^^^^^^

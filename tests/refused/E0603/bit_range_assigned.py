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
# -->
# [E0603] bit_range_assigned.py:6:5: error: a scalar of type f32 has no bits
# 6 |     x[0:2] = 1
#   |     ^^^^^^
# [E0603] bit_range_assigned.py:7:5: error: a scalar of type f32 has no bits
# 7 |     a[0][0:2] = 1
#   |     ^^^^^^^^^
# [E0604] bit_range_assigned.py:8:5: error: the width of a bit range must be constant
# 8 |     w[n : n + n] = 1
#   |     ^^^^^^^^^^^^
# help: write it as `x[i:i + 8]`
# [E0604] bit_range_assigned.py:9:5: error: a bit range needs both bounds and no step
# 9 |     w[0:] = 1
#   |     ^^^^^
# [E0602] bit_range_assigned.py:10:5: error: bit 32 is out of range 0 to 31
# 10 |     w[30:33] = 1
#    |     ^^^^^^^^
# [E0603] bit_range_assigned.py:11:5: error: bits cannot be indexed
# 11 |     w[0:4][0] = 1
#    |     ^^^^^^^^^
# [E0305] bit_range_assigned.py:12:14: error: a scalar is needed, not an array
# 12 |     w[0:4] = a
#    |              ^
# help: name an element, such as `x[i]`
# [E0603] bit_range_assigned.py:13:5: error: a scalar of type index has no bits
# 13 |     n[0:4] = 1
#    |     ^^^^^^

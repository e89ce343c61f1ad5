from allo import *


@kernel
def f(a: "i32[4, 4]", b: "i32[4]"):
    b = a[0, :]
# -->
# [E0604] slice_dimension.py:6:14: error: array slices are not supported
# 6 |     b = a[0, :]
#   |              ^

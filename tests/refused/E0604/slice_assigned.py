from allo import *


@kernel
def f(a: "i32[4]"):
    a[0:2] = 0
# -->
# [E0604] slice_assigned.py:6:7: error: array slices are not supported
# 6 |     a[0:2] = 0
#   |       ^^^

from allo import *


N = 4


@kernel
def f(x: "N[4]") -> i32:
    return x[0]
# -->
# [E0202] annotation_shape_of_value.py:8:11: error: the element type of an array is a scalar type, not an int
# 8 | def f(x: "N[4]") -> i32:
#   |           ^
# help: an array of 4 by 8 elements is written "i32[4, 8]"

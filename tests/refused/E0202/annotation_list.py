from allo import *


@kernel
def f(x: list[i32]) -> i32:
    return x[0]
# -->
# [E0202] annotation_list.py:5:10: error: the element type of an array is a scalar type, not a built-in
# 5 | def f(x: list[i32]) -> i32:
#   |          ^^^^
# help: an array of 4 by 8 elements is written "i32[4, 8]"

from allo import *


@kernel
def f(x: "") -> i32:
    return x
# -->
# [E0202] annotation_empty.py:5:11: error: '' is not a type
# 5 | def f(x: "") -> i32:
#   |           ^
# help: an array of 4 by 8 elements is written "i32[4, 8]"

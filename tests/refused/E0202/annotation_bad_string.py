import allo
from allo import *

@kernel
def f(x: "i32[4") -> i32:
    return 1
# -->
# [E0202] annotation_bad_string.py:5:11: error: 'i32[4' is not a type
# 5 | def f(x: "i32[4") -> i32:
#   |           ^^^^^
# help: an array of 4 by 8 elements is written "i32[4, 8]"

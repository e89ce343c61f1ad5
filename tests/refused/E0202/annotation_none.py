from allo import *


@kernel
def f(x: None) -> i32:
    return 1
# -->
# [E0202] annotation_none.py:5:10: error: None is not a type
# 5 | def f(x: None) -> i32:
#   |          ^^^^

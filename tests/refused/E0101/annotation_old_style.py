from allo import *


@kernel
def f(x: int32[4]) -> i32:
    return x[0]
# -->
# [E0101] annotation_old_style.py:5:10: error: Name 'int32' is not defined
# 5 | def f(x: int32[4]) -> i32:
#   |          ^^^^^
# help: it is called `i32`, or import it from allo.ir.types

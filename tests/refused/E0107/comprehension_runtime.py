from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[4]" = [x for i in range(4)]
    return x
# -->
# [E0107] comprehension_runtime.py:6:20: error: 'x' is not known at compile time
# 6 |     b: "i32[4]" = [x for i in range(4)]
#   |                    ^

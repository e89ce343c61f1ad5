from allo import *


@kernel
def f(x: i32) -> i32:
    y: i23 = x
    return y
# -->
# [E0101] did_you_mean_type.py:6:8: error: Name 'i23' is not defined
# 6 |     y: i23 = x
#   |        ^^^
# help: define it: `i23 = apint(23, signed=True)`

from allo import *


@kernel
def f(x: i32) -> i32:
    @kernel
    def g(v: i32) -> i32:
        return v

    g = x
    return g
# -->
# [E0406] kernel_assigned.py:10:5: error: the kernel 'g' cannot be assigned
# 10 |     g = x
#    |     ^
# [E0305] kernel_assigned.py:11:12: error: a kernel cannot be converted to i32
# 11 |     return g
#    |            ^

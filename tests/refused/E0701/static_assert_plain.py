from allo import *


N = 3


@kernel
def f(x: i32):
    static_assert(N % 2 == 0)
# -->
# [E0701] static_assert_plain.py:9:5: error: static assertion failed
# 9 |     static_assert(N % 2 == 0)
#   |     ^^^^^^^^^^^^^^^^^^^^^^^^^

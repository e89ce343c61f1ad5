import allo
from allo import *

@kernel
def f(x: i32):
    static_assert(1 > 2, "one is not more than two")
# -->
# [E0701] static_assert.py:6:5: error: static assertion failed: one is not more than two
# 6 |     static_assert(1 > 2, "one is not more than two")
#   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

from allo import *


@kernel
def f(x: i32) -> i32:
    return x in (1, 2)
# -->
# [E0402] compare_in.py:6:12: error: 'in' compares compile-time values only
# 6 |     return x in (1, 2)
#   |            ^^^^^^^^^^^
# help: compare by `==`, joined by `or` where there are several

from allo import *


@kernel
def f(x: i32) -> i32:
    return x is None
# -->
# [E0402] compare_is.py:6:12: error: 'is' compares compile-time values only
# 6 |     return x is None
#   |            ^^^^^^^^^
# help: compare by `==`, joined by `or` where there are several

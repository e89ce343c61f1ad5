from allo import *


@kernel
def f(a: "i32[4]") -> i32:
    return a[0, 1]
# -->
# [E0601] index_too_many.py:6:12: error: 'a' needs 1 index, but 2 given
# 6 |     return a[0, 1]
#   |            ^^^^^^^

from allo import *


@kernel
def f(a: "i32[4, 4]") -> i32:
    return a[0][1]
# -->
# [E0601] subview_chain.py:6:12: error: 'a' needs 2 indices, but 1 given
# 6 |     return a[0][1]
#   |            ^^^^
# help: partial subviews are not supported; write all indices in one pair of brackets

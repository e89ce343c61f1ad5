from allo import *


@kernel
def f(a: "i32[4, 4]", b: "i32[4]"):
    b = a[0]
# -->
# [E0601] subview.py:6:9: error: 'a' needs 2 indices, but 1 given
# 6 |     b = a[0]
#   |         ^^^^
# help: partial subviews are not supported; write all indices in one pair of brackets

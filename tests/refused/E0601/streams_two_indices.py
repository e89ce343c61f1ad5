from allo import *


@kernel
def f(s: Stream[i32][2, 3], y: "i32[1]"):
    y[0] = s[1].get()
# -->
# [E0601] streams_two_indices.py:6:12: error: 2 indices tell the streams apart, but 1 are given
# 6 |     y[0] = s[1].get()
#   |            ^^^^

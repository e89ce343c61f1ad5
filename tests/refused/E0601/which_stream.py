from allo import *


@kernel
def f(s: Stream[i32][2, 3], y: "i32[1]"):
    y[0] = s.get()
# -->
# [E0601] which_stream.py:6:12: error: this is an array of streams: an index says which one is meant
# 6 |     y[0] = s.get()
#   |            ^

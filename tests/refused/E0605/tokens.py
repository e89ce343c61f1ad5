from allo import *


@kernel
def f(y: "i32[1]"):
    s: Stream[i32] = 3
    y[0] = s.get()
# -->
# [E0605] tokens.py:6:22: error: a stream begins with a list, not with an int
# 6 |     s: Stream[i32] = 3
#   |                      ^

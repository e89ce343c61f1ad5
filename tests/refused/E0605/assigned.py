from allo import *


@kernel
def f(s: Stream[i32], y: "i32[1]"):
    s = 3
    y[0] = s.get()
# -->
# [E0605] assigned.py:6:5: error: 's' is a stream, which cannot be assigned
# 6 |     s = 3
#   |     ^
